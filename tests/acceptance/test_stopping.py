"""Ctrl-C within a process that lives on, as a notebook's does."""

from __future__ import annotations

import concurrent.futures
import signal
import time
from collections.abc import Iterator

import pytest

import hippo
from hippo.study.optimizing import run_together
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer

PRESSES: list[int] = []


class Stopped(ToyTrainer):
    """Meets a Ctrl-C in its fourth step, for each press that is left."""

    def train(self) -> dict[str, float]:
        if self.steps == 3 and PRESSES:
            PRESSES.pop()
            raise KeyboardInterrupt
        return super().train()


@pytest.fixture
def study() -> Iterator[hippo.Study]:
    study = hippo.create_study(
        "stopped", trainer=Stopped, storage="memory://", engine=hippo.InlineEngine(), metric="loss", mode="min"
    )
    yield study
    study.close()


def optimize(study: hippo.Study, *rates: float) -> None:
    study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": list(rates)}), until=6))


def test_a_call_that_was_stopped_goes_on_when_it_is_repeated_however_often(study, capsys):
    PRESSES[:] = range(5)
    for _ in range(5):
        with pytest.raises(KeyboardInterrupt, match="run the same code again to go on"):
            optimize(study, 0.1)
    optimize(study, 0.1)
    (trial,) = study.trials
    assert trial.state is hippo.TrialState.COMPLETE
    assert dict(trial.history) == train_alone(ToyTrainer, {"lr": 0.1}, until=6)
    assert capsys.readouterr().err.count("what was trained is in memory only") == 5


def test_a_call_that_begins_amid_a_ctrl_c_does_not_go_on_by_itself(study):
    begun: list[concurrent.futures.Future] = []

    def begin_late() -> concurrent.futures.Future:
        signal.raise_signal(signal.SIGINT)
        time.sleep(0.2)  # what stops all stands in the control loop's queue by then, and the call comes after it
        begun.append(study._calls.of_tuner(hippo.GridSearch({"lr": [0.1]}, until=6))())
        return begun[0]

    with pytest.raises(KeyboardInterrupt):
        run_together([(study, begin_late)])
    with pytest.raises(concurrent.futures.CancelledError):
        begun[0].result(timeout=20)
    optimize(study, 0.1)
    assert study.trials[-1].state is hippo.TrialState.COMPLETE


def test_another_call_after_one_that_was_stopped_is_a_call_of_its_own(study):
    PRESSES[:] = [1]
    with pytest.raises(KeyboardInterrupt):
        optimize(study, 0.1)
    optimize(study, 0.2)
    assert [(trial.call, trial.params["lr"], trial.step) for trial in study.trials] == [(0, 0.1, 0), (1, 0.2, 6)]


def test_a_call_that_is_repeated_after_its_end_is_a_call_of_its_own(study):
    for _ in range(2):
        optimize(study, 0.1)
    assert [trial.call for trial in study.trials] == [0, 1]
    assert study.statistics().steps_executed == 6


def test_a_study_that_was_closed_goes_on(study):
    PRESSES[:] = [1]
    with pytest.raises(KeyboardInterrupt):
        optimize(study, 0.1)
    study.close()
    optimize(study, 0.1)
    assert study.trials[-1].state is hippo.TrialState.COMPLETE
