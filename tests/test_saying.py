"""A line on standard error is no reason to end anything."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.saying import say
from hippo.study.watching.progress import progress_bar
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


def test_where_there_is_no_standard_error_nothing_is_said_elsewhere_nor_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stderr", None)  # as `2>&-` leaves it
    say("going on")
    with progress_bar(lambda: None, title="toy"):
        pass
    assert capsys.readouterr().out == ""


SCRIPT = """
import os
import hippo
from hippo.testing.trainers import ToyTrainer

mine = open("mine", "w")  # has the number of standard error

class Printing(ToyTrainer):
    def train(self):
        os.write(2, b"for standard error")
        super().train()

study = hippo.create_study("toy", trainer=Printing, engine=hippo.LocalEngine(1), metric="loss", mode="min")
study.optimize(hippo.GridSearch({"lr": [0.1]}, until=1))
print(mine.fileno())
"""


@pytest.mark.slow
def test_a_script_without_standard_error_trains_and_no_file_of_its_own_is_taken_for_that(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    command = ["sh", "-c", 'exec "$0" script.py 2>&-', sys.executable]
    done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    assert done.stdout == "2\n"
    assert (tmp_path / "mine").read_text() == ""


UNHEARD = """
import hippo

study = hippo.create_study("toy", trainer="talking:Toy", engine=hippo.LocalEngine(1), metric="loss", mode="min")
study.optimize(hippo.GridSearch([{"lr": 0.1}], until=1))
open("result", "w").write(study.trials[0].state.value)
"""


@pytest.mark.slow
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_what_a_module_says_to_nobody_as_workers_import_it_keeps_none_of_them_from_training(
    tmp_path: Path, stream: str
) -> None:
    (tmp_path / "script.py").write_text(UNHEARD)
    (tmp_path / "talking.py").write_text(
        "import os, sys\nfrom hippo.testing.trainers import ToyTrainer\nclass Toy(ToyTrainer): pass\n"
        f"if 'HIPPO_LAUNCHER' in os.environ: print('imported', file=sys.{stream})\n"
    )
    reader, writer = os.pipe()
    os.close(reader)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with os.fdopen(writer, "wb") as unheard:
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: unheard}
        command = [sys.executable, "script.py"]
        subprocess.run(command, cwd=tmp_path, env=environment, timeout=60, **streams)
    assert (tmp_path / "result").read_text() == "COMPLETE"
