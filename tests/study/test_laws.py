"""Laws of the centre, through a real study: what was answered stays so, and what is written is written for a reason."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import BudgetError, TrialFailedError
from hippo.plan import CheckpointRow, RequestRow, Update, open_store
from hippo.records import Answer
from hippo.testing.trainers import ToyTrainer
from hippo.tuners import Ask, Tuner
from hippo.tuners.ask import Proposal

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


class Bounded(ToyTrainer):
    """The loss is the learning rate, and so is what a constraint is on."""

    def evaluate(self) -> dict[str, float]:
        return {"loss": float(self.hp["lr"]), "size": 1.0 - float(self.hp["lr"])}


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
    with pytest.raises(TrialFailedError):
        run(study, less_and_less)
    (trial,) = study.trials
    assert trial.state is hippo.TrialState.FAIL
    assert "train() at step 4" in trial.error
    assert trial.value is None


def test_a_trial_that_failed_stays_failed_also_when_it_is_trained_again_for_less(make_study: MakeStudy) -> None:
    async def less(ask: Ask) -> list[str]:
        for until in (5, 2):
            await ask({"lr": 0.1}, until=until)
            states.append(study.trials[0].state.value)
        return states

    states: list[str] = []
    study = make_study(trainer_args={"raise_in": "train", "raise_at": 3}, evaluate_every=1000)
    with pytest.raises(TrialFailedError):
        run(study, less)
    assert states == ["FAIL", "FAIL"]


def test_whoever_asks_for_the_very_step_that_failed_is_told_and_nothing_is_trained(make_study: MakeStudy) -> None:
    async def up_to_the_failure(ask: Ask) -> None:
        for until in (6, 4, 3):
            failures.append((await ask({"lr": 0.1}, until=until)).failure is not None)

    failures: list[bool] = []
    study = make_study(trainer_args={"raise_in": "train", "raise_at": 3})
    with pytest.raises(TrialFailedError):
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

    study = make_study()
    _, on_the_way, trunk = run(study, shorter)
    assert on_the_way.state == trunk.state
    assert on_the_way.metrics == trunk.metrics
    assert study.trials[0].step == 6
    assert study.trials[0].value == study.trials[0].history[6]["loss"]


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


# --- what nobody waits for


def test_one_bad_request_among_several_takes_the_others_with_it(make_study: MakeStudy) -> None:
    async def one_is_bad(ask: Ask) -> None:
        with pytest.raises(BudgetError):
            await ask.together([Proposal(config={"lr": 0.1}, until=9), Proposal(config={"lr": 0.2}, until=0)])
        await ask({"lr": 0.3}, until=1)

    study = make_study()
    run(study, one_is_bad)
    assert study.statistics().steps_executed == 1


def test_leaving_a_loop_over_answers_withdraws_the_rest_before_more_is_begun(make_study: MakeStudy) -> None:
    async def leave(ask: Ask) -> None:
        async with contextlib.aclosing(ask.any([{"lr": lr} for lr in (0.1, 0.2, 0.3)], until=4)) as answers:
            async for _ in answers:
                break
        await ask({"lr": 0.5}, until=1)

    study = make_study()
    run(study, leave)
    assert study.statistics().steps_executed == 5


def test_an_answer_that_is_there_at_once_may_be_withdrawn_before_it_is_given(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    async def change_of_mind(ask: Ask) -> int:
        known = asyncio.ensure_future(ask({"lr": 0.1}, until=3))
        await asyncio.sleep(0)  # it is asked
        known.cancel()
        return (await ask({"lr": 0.2}, until=3)).step

    make_study("other", **durable).optimize(GRID)
    assert run(make_study(**durable), change_of_mind) == 3
    assert [row.state for row in requests(durable)][-2:] == ["withdrawn", "answered"]


def test_a_config_that_is_released_while_it_runs_is_kept_no_better_than_a_last_one(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    async def release(ask: Ask) -> None:
        await ask({"lr": 0.1}, until=2, final=True)
        worse = asyncio.ensure_future(ask({"lr": 0.3}, until=2))
        await asyncio.sleep(0)
        ask.release({"lr": 0.3})
        await worse

    study = make_study(trainer=Bounded, keep="best", **durable)
    run(study, release)
    study.close()
    assert {row.node for row in open_store(durable["storage"]).rows(CheckpointRow)} == {study.trials[0].point[0]}


class BreaksDown(ToyTrainer):
    """Trains until a file is there."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file

    def train(self) -> dict[str, float]:
        if Path(self.file).exists():
            raise RuntimeError("the data set is not mounted")
        return super().train()


def test_whoever_wants_a_state_that_cannot_be_made_any_more_is_told_why(
    make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    options = {"trainer": BreaksDown, "trainer_args": {"file": str(broken)}, "keep": "best", **durable}
    study = make_study(**options)
    for lr in (0.3, 0.1):  # the better one first: then the other one's state is not kept
        study.optimize(hippo.GridSearch([{"lr": lr}], until=4))
    study.close()
    study = make_study(**options)  # nor is it in memory any more
    worst = study.trials[-1]
    broken.touch()
    with pytest.warns(UserWarning, match="was not kept"), pytest.raises(TrialFailedError, match="is not mounted"):
        worst.load_model()
    broken.unlink()
    executed = study.statistics().steps_executed
    study.evaluate({"lr": 0.9}, until=1)
    assert study.statistics().steps_executed == executed + 1  # the state is not wanted any more


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


# --- tuners


def test_halving_trains_its_best_to_the_end_however_few_there_are(make_study: MakeStudy) -> None:
    study = make_study()
    two = [{"lr": 0.1}, {"lr": 0.2}]
    study.optimize(hippo.SuccessiveHalving(two, min_steps=1, max_steps=16, reduction=4))
    assert sorted(trial.step for trial in study.trials) == [1, 16]


# --- retention


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
