"""A line on standard error is no reason to end anything."""

from __future__ import annotations

import io
import sys

import pytest

import hippo
from hippo.saying import say
from hippo.testing.tuner_contract import RiskyTrainer


class Gone(io.StringIO):
    """Standard error that nobody reads any more, as `2>&1 | head -1` leaves it; or that was closed."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def write(self, text: str) -> int:
        raise self.error


@pytest.mark.parametrize("error", [BrokenPipeError("no reader"), ValueError("I/O operation on closed file")])
def test_a_study_whose_lines_nobody_reads_any_more_goes_on(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    study = hippo.create_study(
        "risky", trainer=RiskyTrainer, trainer_args={"trouble": "fail"}, storage="memory://",
        engine=hippo.InlineEngine(), metric="loss", mode="min",
    )  # fmt: skip
    with monkeypatch.context() as gone:
        gone.setattr(sys, "stderr", Gone(error))
        say("nobody hears this")
        study.optimize(hippo.GridSearch({"lr": [0.1, 3.0]}, until=2))
        study.close()
    assert [trial.state.value for trial in study.trials] == ["COMPLETE", "FAIL"]
