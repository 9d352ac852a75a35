"""The control loop through a real study, with an engine of which a test says every word."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import StorageError
from hippo.plan import (
    CallRow,
    Change,
    CheckpointRow,
    Insert,
    LeaseRow,
    MetricsRow,
    PlanRow,
    RequestRow,
    StepRow,
    open_store,
)
from hippo.plan.sql_store import SqlStore
from hippo.records import Assignment, Shorten
from hippo.testing.trainers import ToyTrainer
from hippo.tuners import Ask
from hippo.tuners.ask import LimitReached, Proposal

from .hand_engine import HandEngine, eventually


class Study:
    """A study on a database that a test looks into while it runs."""

    def __init__(self, folder: Path, **engine: Any) -> None:
        self.url = f"sqlite:///{folder}/hippo.db"
        self.engine = HandEngine(**engine)
        self.study = self.another("toy")

    def another(self, name: str, **options: Any) -> hippo.Study:
        return hippo.create_study(
            name,
            trainer=ToyTrainer,
            storage=self.url,
            checkpoints="memory://",
            engine=self.engine,  # type: ignore[arg-type]
            metric="loss",
            mode="min",
            **options,
        )

    def run(self, tune: Callable[[Ask], Awaitable[None]]) -> None:
        class Script(hippo.Tuner):
            def record(self) -> dict[str, str]:
                return {"tuner": "script"}

            async def tune(self, ask: Ask) -> None:
                await tune(ask)

        self.study.optimize(Script())

    def rows(self, kind: type) -> list[Any]:
        return open_store(self.url).rows(kind)


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Study]]:
    made: list[Study] = []

    def make(**engine: Any) -> Study:
        made.append(Study(tmp_path, **engine))
        return made[-1]

    yield make
    for one in made:
        one.study.close()


@pytest.fixture
def made(make: Callable[..., Study]) -> Study:
    return make()


def asking(ask: Ask, lr: float = 0.1, until: int = 4) -> asyncio.Task[Any]:
    return asyncio.ensure_future(ask({"lr": lr}, until=until))


# --- durable before anybody acts on it


def test_a_lease_is_durable_before_its_work_begins_in_the_epoch_of_the_plan(make: Callable[..., Study]) -> None:
    seen: list[tuple[int, int]] = []

    def look(assignment: Assignment) -> None:
        rows = {row.lease: row for row in made.rows(LeaseRow)}
        seen.append((rows[assignment.lease].epoch, made.rows(PlanRow)[0].epoch))

    made = make(on_submit=look)

    async def one(ask: Ask) -> None:
        answer = asking(ask)
        lease = await made.engine.assignment()
        made.engine.walk(lease, until=4)
        made.engine.end(lease)
        await answer

    made.run(one)
    assert seen == [(1, 1)]


def test_work_whose_lease_cannot_be_written_is_not_begun(made: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = SqlStore.commit

    def failing(self: SqlStore, changes: Sequence[Change]) -> None:
        if any(isinstance(change, Insert) and isinstance(change.row, LeaseRow) for change in changes):
            raise StorageError("the disk is full")
        commit(self, changes)

    async def one(ask: Ask) -> None:
        await asking(ask)

    with monkeypatch.context() as patched:
        patched.setattr(SqlStore, "commit", failing)
        with pytest.raises(StorageError, match="the disk is full"):
            made.run(one)
    assert made.engine.given == []


def test_when_a_call_has_ended_all_that_it_came_to_is_durable(made: Study) -> None:
    async def one(ask: Ask) -> None:
        answer = asking(ask)
        lease = await made.engine.assignment()
        made.engine.walk(lease, until=4)
        await answer
        made.engine.end(lease)

    made.run(one)
    assert [row.state for row in made.rows(CallRow)] == ["complete"]
    assert [row.state for row in made.rows(RequestRow)] == ["answered"]
    assert len(made.rows(StepRow)) == len(made.rows(MetricsRow)) == 4


# --- what is lost, and what comes late


def test_a_lost_lane_is_given_out_again_from_its_last_state_and_its_steps_are_counted_as_lost(made: Study) -> None:
    async def lose_one(ask: Ask) -> None:
        answer = asking(ask, until=6)
        first = await made.engine.assignment()
        made.engine.walk(first, until=3)
        made.engine.write(first, 2)
        made.engine.lose_worker_of(first)
        made.engine.open_slot("another")
        second = await made.engine.assignment(1)
        assert second.lanes[0].begin is not None
        assert second.lanes[0].begin.step == 2
        made.engine.walk(second, until=6)
        made.engine.end(second)
        await answer

    with pytest.warns(UserWarning, match=r"a worker was lost \(test\)"):
        made.run(lose_one)
    assert made.study.statistics().repeated_by_cause == {"lost": 1}
    assert [(row.lease, row.ended) for row in made.rows(LeaseRow)] == [(1, "lost"), (2, "done")]


def test_a_late_word_of_a_lost_lane_counts_if_nobody_was_faster(made: Study) -> None:
    async def late(ask: Ask) -> None:
        answer = asking(ask)
        first = await made.engine.assignment()
        made.engine.lose_worker_of(first)
        made.engine.open_slot("another")
        second = await made.engine.assignment(1)
        made.engine.walk(first, until=4, loss=0.25)
        assert (await answer).loss == 0.25
        made.engine.end(second)

    with pytest.warns(UserWarning, match="a worker was lost"):
        made.run(late)
    assert made.study.statistics().steps_repeated == 0


def test_a_word_that_comes_when_nobody_holds_the_plan_any_more_is_no_fact(made: Study) -> None:
    async def lose_and_end(ask: Ask) -> None:
        answer = asking(ask)
        made.engine.lose_worker_of(await made.engine.assignment())
        await asyncio.sleep(0.01)
        answer.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await answer

    async def late(ask: Ask) -> None:
        made.engine.write(made.engine.given[0], 2)
        await asyncio.sleep(0.01)

    with pytest.warns(UserWarning, match="a worker was lost"):
        made.run(lose_and_end)
    # another study, on a plan of its own, keeps the loop going; the first plan may be another process's by now
    other = made.another("other", seed=7)
    made.study = other
    made.run(late)
    assert made.rows(CheckpointRow) == []


# --- what nobody waits for


def test_a_request_that_is_withdrawn_is_written_down_as_such_and_its_lane_is_told_to_end(made: Study) -> None:
    states: list[str] = []

    async def give_up(ask: Ask) -> None:
        answer = asking(ask, until=9)
        lease = await made.engine.assignment()
        made.engine.walk(lease, until=2)
        answer.cancel()
        await eventually(lambda: bool(made.engine.sent))
        states.extend(row.state for row in made.rows(RequestRow))
        made.engine.end(lease)
        await asyncio.sleep(0.01)
        states.extend(row.state for row in made.rows(RequestRow))

    made.run(give_up)
    (command,) = made.engine.sent
    assert isinstance(command, Shorten)
    assert states[-1] == "withdrawn"
    assert made.study.statistics().steps_executed == 2


def test_whoever_has_spent_what_it_may_withdraws_before_more_is_given_out(made: Study) -> None:
    async def spend(ask: Ask) -> None:
        with pytest.raises(LimitReached):
            async with ask.limited(device_seconds=5.0):
                await ask.together([Proposal(config={"lr": lr}, until=until) for lr, until in ((0.1, 9), (0.2, 4))])

    async def spend_and_train(ask: Ask) -> None:
        spending = asyncio.ensure_future(spend(ask))
        lease = await made.engine.assignment()
        made.engine.walk(lease, until=9)
        made.engine.end(lease)
        await spending
        await asyncio.sleep(0.01)

    made.run(spend_and_train)
    assert len(made.engine.given) == 1


def test_states_of_trials_are_told_while_the_call_runs(made: Study) -> None:
    seen: list[str] = []

    def look() -> None:
        seen.append(made.study.trials[0].state.value)

    async def watch(ask: Ask) -> None:
        answer = asking(ask, until=2)
        lease = await made.engine.assignment()
        look()
        made.engine.walk(lease, until=2)
        await answer
        look()
        made.engine.end(lease)
        answer = asking(ask, until=4)
        lease = await made.engine.assignment(1)
        look()
        made.engine.walk(lease, until=4)
        made.engine.end(lease)
        await answer

    made.run(watch)
    assert seen == ["RUNNING", "PAUSED", "RUNNING"]
    assert made.study.trials[0].state is hippo.TrialState.COMPLETE


def test_nothing_is_given_out_while_a_tuner_might_still_ask(made: Study) -> None:
    async def slowly(ask: Ask) -> None:
        answers = [asking(ask, lr, until=until) for lr, until in ((0.1, 2), (0.2, 4))]
        for _ in range(20):
            await asyncio.sleep(0)  # busy, as far as anybody can tell
            assert made.engine.given == []
        answers.append(asking(ask, 0.3, until=9))
        lease = await made.engine.assignment()
        assert lease.lanes[0].stages[-1].stop == 9  # the longest, though it was asked for last
        for answer in answers:
            answer.cancel()

    made.run(slowly)
