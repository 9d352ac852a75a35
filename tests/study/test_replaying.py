"""A re-run tells a tuner what it was told, in the order in which it was told it, whatever else the tuner waits for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.records import TrialState
from hippo.testing.trainers import ToyTrainer
from hippo.tuners import Ask, Tuner

MakeStudy = Callable[..., hippo.Study]


@pytest.fixture
def durable(tmp_path: Path) -> Mapping[str, Any]:
    return {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}


async def sleep() -> None:
    await asyncio.sleep(0.02)


async def work_in_a_thread() -> None:
    await asyncio.to_thread(time.sleep, 0.02)


class Fitting(Tuner):
    """Three questions at once, whose answers come in another order; then a model is fitted, and a fourth is asked."""

    def __init__(self, elsewhere: str) -> None:
        self.elsewhere = elsewhere
        self._came: list[float] = []

    async def tune(self, ask: Ask) -> list[float]:
        wait = {"sleep": sleep, "thread": work_in_a_thread}[self.elsewhere]
        await wait()
        async with asyncio.TaskGroup() as group:
            for number, (lr, until) in enumerate([(0.1, 2), (0.2, 6), (0.3, 4)]):
                group.create_task(self._one(ask, lr, until, wait if number == 1 else None))
        return self._came

    async def _one(self, ask: Ask, lr: float, until: int, wait: Any) -> None:
        if wait is not None:
            await wait()
        answer = await ask({"lr": lr}, until=until)
        self._came.append(answer.config.params["lr"])
        await ask({"lr": 1 + sum(self._came) / 10}, until=1)


@pytest.mark.parametrize("elsewhere", ["sleep", "thread"])
def test_a_tuner_that_waits_for_something_else_is_replayed_exactly(
    make_study: MakeStudy, durable: Mapping[str, Any], elsewhere: str
) -> None:
    came, studies = [], []
    for _ in range(3):
        tuner = Fitting(elsewhere)
        studies.append(make_study(**durable))
        studies[-1].optimize(tuner)
        came.append(tuner._came)
    assert came == [came[0]] * 3
    assert len(studies[-1].trials) == len(studies[0].trials) == 6
    assert studies[-1].statistics().steps_executed == studies[0].statistics().steps_executed


class TimingOut(Tuner):
    """Gives the first question a moment, and asks another if it has no answer by then."""

    async def tune(self, ask: Ask) -> None:
        try:
            async with asyncio.timeout(0.05):
                await ask({"lr": 0.1}, until=100_000)
        except TimeoutError:
            pass
        self._answer = await ask({"lr": 0.2}, until=1)


def test_a_question_that_was_given_up_is_given_up_again(make_study: MakeStudy, durable: Mapping[str, Any]) -> None:
    options = {**durable, "trainer_args": {"sleep_s": 0.002}}
    make_study(**options).optimize(TimingOut())
    again = make_study(**options)
    again.optimize(TimingOut())
    assert [trial.config["lr"] for trial in again.trials] == [0.1, 0.2]
    assert again.trials[0].step < 100_000


class Wavering(Tuner):
    """Asks other things each time, and fewer of those that it asked before."""

    _wanted: tuple[float, ...] = ()

    async def tune(self, ask: Ask) -> list[int]:
        for lr in self._wanted:
            await ask({"lr": lr}, until=2)
        return []


@pytest.mark.parametrize("then", [(0.3,), (0.3, 0.1), (0.4, 0.1), ()])
def test_a_tuner_that_goes_another_way_is_not_waited_for(
    make_study: MakeStudy, durable: Mapping[str, Any], then: tuple[float, ...]
) -> None:
    tuner = Wavering()
    for wanted in ((0.1, 0.2, 0.3), then):
        tuner._wanted = wanted
        make_study(**durable).optimize(tuner)


def test_a_tuner_that_exits_ends_its_own_call_and_no_other(make_study: MakeStudy) -> None:
    class Exiting(Tuner):
        async def tune(self, ask: Ask) -> None:
            await ask({"lr": 0.1}, until=1)
            raise SystemExit(3)

    study = make_study()
    with pytest.raises(SystemExit, match="3"):
        study.optimize(Exiting())
    assert study.evaluate({"lr": 0.1}, until=2)
    assert [trial.state.value for trial in study.trials] == ["PAUSED", "COMPLETE"]


class Choosy(Tuner):
    """Breaks off a re-run after its first answer."""

    _breaks = False

    async def tune(self, ask: Ask) -> None:
        for lr in (0.1, 0.2):
            await ask({"lr": lr}, until=3)
            if self._breaks:
                raise RuntimeError("no licence")


def test_a_complete_study_whose_re_run_is_broken_off_stays_complete(
    make_study: MakeStudy, durable: Mapping[str, Any]
) -> None:
    study = make_study(**durable)
    study.optimize(Choosy())
    best = study.best_value
    tuner = Choosy()
    tuner._breaks = True
    again = make_study(**durable)
    with pytest.raises(RuntimeError):
        again.optimize(tuner)
    assert {trial.state for trial in again.trials} == {TrialState.COMPLETE}
    assert again.best_value == best


def test_the_meaning_of_nan_cannot_change_under_recorded_answers(
    make_study: MakeStudy, durable: Mapping[str, Any]
) -> None:
    make_study(**durable, nan="fail").evaluate({"lr": 0.1}, until=1)
    with pytest.raises(hippo.HippoError, match=r"nan='fail'.*nan='worst'"):
        make_study(**durable, nan="worst")


def test_a_constraint_on_what_is_no_number_is_broken(make_study: MakeStudy) -> None:
    class Slow(ToyTrainer):
        def evaluate(self) -> dict[str, Any]:
            return {"loss": self.hp["lr"], "latency": float("nan") if self.hp["lr"] < 0.5 else 1.0}

    study = make_study(trainer=Slow, constraints="latency <= 2")
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.9}], until=1))
    assert study.best_trial.params["lr"] == 0.9
    assert [trial.number for trial in study.best_trials] == [1]
