"""Laws of the centre, through a real study: what was answered stays so, and what is written is written for a reason."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.plan import CheckpointRow, RequestRow, Update, open_store
from hippo.records import Answer
from hippo.testing.trainers import ToyTrainer
from hippo.tuners import Ask, Tuner

MakeStudy = Callable[..., hippo.Study]
GRID = hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}, {"lr": 0.3}], until=3)


class Script(Tuner):
    """A tuner made of one coroutine function; every run of it is the same call."""

    def __init__(self, tune: Callable[[Ask], Awaitable[Any]]) -> None:
        self._tune = tune

    def record(self) -> dict[str, str]:
        return {"tuner": "script"}

    async def tune(self, ask: Ask) -> None:
        self._result = await self._tune(ask)


def run(study: hippo.Study, tune: Callable[[Ask], Awaitable[Any]]) -> Any:
    """Let a study run a script, and return what it came to."""
    script = Script(tune)
    study.optimize(script)
    return script._result


@pytest.fixture
def durable(tmp_path: Path) -> dict[str, Any]:
    return {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}


def requests(durable: dict[str, Any]) -> list[RequestRow]:
    return open_store(durable["storage"]).rows(RequestRow)


# --- failures


def test_a_trial_that_failed_stays_failed_when_less_is_asked_of_it_afterwards(make_study: MakeStudy) -> None:
    async def less_and_less(ask: Ask) -> None:
        for until in (5, 2):
            await ask({"lr": 0.1}, until=until)

    study = make_study(trainer_args={"raise_in": "train", "raise_at": 3})
    run(study, less_and_less)
    (trial,) = study.trials
    assert trial.state is hippo.TrialState.FAIL
    assert "train() at step 4" in trial.error
    assert trial.value is None


def test_whoever_asks_for_the_very_step_that_failed_is_told_and_nothing_is_trained(make_study: MakeStudy) -> None:
    async def up_to_the_failure(ask: Ask) -> None:
        for until in (6, 4, 3):
            failures.append((await ask({"lr": 0.1}, until=until)).failure is not None)

    failures: list[bool] = []
    study = make_study(trainer_args={"raise_in": "train", "raise_at": 3})
    run(study, up_to_the_failure)
    assert failures == [True, True, False]
    assert study.statistics().steps_executed == 3


def test_a_branch_that_begins_at_the_step_that_failed_is_told_and_does_not_wait_for_ever(make_study: MakeStudy) -> None:
    rates = [0.1, hippo.MultiStep(0.1, [4], 0.1), hippo.MultiStep(0.1, [3], 0.1)]
    study = make_study(trainer_args={"raise_in": "train", "raise_at": 3, "raise_if": {"lr": 0.1}})
    study.optimize(hippo.GridSearch([{"lr": lr} for lr in rates], until=6))
    assert [trial.state.value for trial in study.trials] == ["FAIL", "FAIL", "COMPLETE"]


# --- answers


def test_a_trace_is_known_at_every_step_also_where_values_change(make_study: MakeStudy) -> None:
    async def trace(ask: Ask) -> dict[int, Any]:
        return dict((await ask({"lr": hippo.MultiStep(0.1, [2, 4], 0.5)}, until=6)).trace)

    answered = run(make_study(), trace)
    assert list(answered) == [1, 2, 3, 4, 5, 6]
    assert all(said.keys() == {"slope"} for said in answered.values())


def test_a_shorter_request_after_a_longer_one_is_of_the_same_state(make_study: MakeStudy) -> None:
    async def shorter(ask: Ask) -> list[Answer]:
        config = {"lr": hippo.MultiStep(0.1, [2], 0.5)}
        return [await ask(config, until=6), await ask(config, until=2), await ask({"lr": 0.1}, until=2)]

    _, on_the_way, trunk = run(make_study(), shorter)
    assert on_the_way.state == trunk.state
    assert on_the_way.metrics == trunk.metrics


def test_answers_that_are_there_together_come_in_the_order_of_asking(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    order = [0.3, 0.1, 0.2]

    async def at_once(ask: Ask) -> list[float]:
        came: list[float] = []

        async def one(lr: float) -> None:
            await ask({"lr": lr}, until=3)
            came.append(lr)

        await asyncio.gather(*map(one, order))
        return came

    make_study("other", **durable).optimize(GRID)  # so that all is known
    assert run(make_study(**durable), at_once) == order
    assert run(make_study(**durable), at_once) == order


# --- replay


def test_a_call_that_is_run_again_writes_no_request_again(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    for _ in range(3):
        make_study(**durable).optimize(GRID)
        assert [(row.trial, row.state) for row in requests(durable)] == [(n, "answered") for n in range(3)]


def test_an_answer_names_the_seconds_that_it_named_first(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    async def seconds(ask: Ask) -> float:
        return (await ask({"lr": 0.1}, until=4)).seconds

    options = {"evaluate_every": 1000, **durable}
    first = run(make_study(**options), seconds)
    make_study("other", **options).evaluate({"lr": 0.1}, until=2)  # which costs an evaluation more
    assert run(make_study("fresh", **options), seconds) > first
    assert run(make_study(**options), seconds) == first


def test_what_a_killed_run_left_pending_is_withdrawn_by_the_next(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    make_study(**durable).optimize(GRID)
    store = open_store(durable["storage"])
    killed = replace(store.rows(RequestRow)[-1], state="pending", delivery=None, seconds=None)
    store.commit([Update(killed)])  # as a run leaves it that is killed before its last answer
    make_study(**durable).optimize(GRID)
    assert [(row.trial, row.state) for row in requests(durable)] == [
        (0, "answered"),
        (1, "answered"),
        (2, "withdrawn"),
        (2, "answered"),
    ]


# --- retention


class Bounded(ToyTrainer):
    """The loss is the learning rate, and so is what a constraint is on."""

    def evaluate(self) -> dict[str, float]:
        return {"loss": float(self.hp["lr"]), "size": 1.0 - float(self.hp["lr"])}


def test_a_loss_that_breaks_a_constraint_does_not_keep_a_good_state_from_being_written(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    study = make_study(trainer=Bounded, constraints=["size <= 0.8"], keep="best", **durable)

    async def broken_first(ask: Ask) -> None:
        for lr in (0.1, 0.3):  # the first is smaller, and too large
            await ask({"lr": lr}, until=2, final=True)

    run(study, broken_first)
    assert study.best_params == {"lr": 0.3}
    study.close()
    written = open_store(durable["storage"]).rows(CheckpointRow)
    assert study.best_trial.point in {(row.node, row.step) for row in written}


# --- replicates


def test_an_answer_for_several_seeds_took_what_all_of_them_took(make_study: MakeStudy) -> None:
    async def seconds(ask: Ask) -> float:
        return (await ask({"lr": 0.1}, until=3)).seconds

    study = make_study(seeds=[1, 2, 3])
    total = run(study, seconds)
    assert total == pytest.approx(sum(replicate.seconds for replicate in study.trials[0].replicates))
