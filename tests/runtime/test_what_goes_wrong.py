"""What goes wrong in the middle of a turn takes nothing else along, and is told to somebody."""

from __future__ import annotations

import asyncio
import itertools
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hippo.errors import CheckpointError, EnvironmentChangedError, StorageError, TunerError
from hippo.events import CheckpointFailed, Evaluated, SlotLeaving, SlotLost, SlotOpened
from hippo.plan import CallRow, Change, LeaseRow, MetricsRow, TrialRow
from hippo.plan.sql_store import SqlStore
from hippo.records import Assignment, Shorten, SlotId, Stop
from hippo.runtime.asking.instructions import (
    Elapsed,
    Fail,
    LookForDeleted,
    OpenWorkload,
    Say,
    Send,
    Submit,
    Unlock,
    Warn,
    Watch,
)
from hippo.runtime.held_states import HeldState
from hippo.runtime.plans.lost_attempts import MOST_LOSSES
from hippo.runtime.plans.opening import OpenPlans
from hippo.tuners import Ask

from .hand_engine import eventually
from .test_control import Study, asking
from .turns import A, Asker, B, Bench, FailingStore, Turns, done, lost, only, take, trained

OPENED = [SlotOpened(slot=slot, environment={}) for slot in (A, B)]


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Study]:
    made = Study(tmp_path)
    yield made
    made.study.close()


# --- instructions


def test_a_warning_that_is_an_error_takes_no_work_along_that_was_given_out_with_it(bench: Bench, asker: Asker) -> None:
    asker.ask()
    take(bench, OPENED[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        take(bench, SlotLost(slot=A, reason="test"), OPENED[1])
    assert len(bench.given) == 2  # the stage again, in the other slot
    assert [type(error) for error in asker.errors] == [UserWarning]


def test_a_slot_that_is_about_to_go_ends_its_work_and_gets_no_more(turns: Turns, asker: Asker) -> None:
    asker.ask()
    (given,) = only(Submit, turns.turn(OPENED[0]))
    out = turns.turn(SlotLeaving(slot=A, reason="test"))
    assert [one.command for one in only(Send, out)] == [Stop(lease=given.assignment.lease)]
    assert only(Submit, turns.turn(*trained(given.assignment, until=1)[:1], done(given.assignment))) == []
    assert turns.coordinator.work.slots.num_free_of(None) == 0
    (again,) = only(Submit, turns.turn(OPENED[1]))
    assert again.assignment.slot == B
    turns.turn(lost(A, announced=True))
    assert turns.coordinator.work.slots.ids() == [B]


def test_a_slot_that_goes_as_was_announced_before_its_work_had_ended_is_told_of(turns: Turns, asker: Asker) -> None:
    asker.ask()
    turns.turn(*OPENED)
    turns.turn(SlotLeaving(slot=A, reason="test"))
    told = only(Warn, turns.turn(lost(A, announced=True)))
    assert [one.message for one in told] == ["a worker left before its lanes had ended (test); its stages run again"]


def test_an_idle_slot_that_is_about_to_go_gets_nothing(turns: Turns, asker: Asker) -> None:
    turns.turn(*OPENED)
    turns.turn(SlotLeaving(slot=A, reason="test"))
    asker.ask()
    asker.ask(lr=0.2)
    assert [one.assignment.slot for one in only(Submit, turns.turn())] == [B]


def test_slots_that_were_announced_to_go_fail_no_trial_however_often(turns: Turns, asker: Asker) -> None:
    asker.ask()

    def given_and_lost(*, announced: bool) -> int:
        slot = SlotId(f"s{next(numbers)}")
        given = only(Submit, turns.turn(SlotOpened(slot=slot, environment={})))
        turns.turn(lost(slot, announced=announced))
        return len(given)

    numbers = itertools.count()
    assert [given_and_lost(announced=True) for _ in range(2 * MOST_LOSSES)] == [1] * 2 * MOST_LOSSES
    assert [given_and_lost(announced=False) for _ in range(MOST_LOSSES + 1)] == [1] * MOST_LOSSES + [0]


def test_work_that_an_engine_does_not_take_never_began_and_its_slot_is_free(
    bench: Bench, asker: Asker, turns: Turns
) -> None:
    def refuse(assignment: Assignment) -> None:
        raise RuntimeError("no")

    bench.submit = refuse  # type: ignore[method-assign]
    asker.ask()
    take(bench, OPENED[0])
    assert [str(error) for error in asker.errors] == ["no"]
    assert turns.coordinator.work.slots.num_free_of(None) == 1
    assert turns.run.running == {}


def test_a_reader_that_fails_to_look_for_deleted_studies_ends_the_calls_of_that_database(
    bench: Bench, asker: Asker, store: FailingStore, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(*_: Any, **__: Any) -> Any:
        raise StorageError("it cannot be read")

    elsewhere = Asker(Turns())
    turns.coordinator.participants.append(elsewhere)
    turns.waiters[elsewhere] = elsewhere
    monkeypatch.setattr(store, "rows", unreadable)
    bench.shell.carry_out((LookForDeleted(store, asker.study.row),))
    assert [str(error) for error in asker.errors] == ["it cannot be read"]
    assert elsewhere.errors == []


# --- decisions


class Broken:
    """A scheduler with a bug."""

    def lanes(self, trees: Any, *, limit: int) -> Any:
        raise ZeroDivisionError("a bug")


def test_a_scheduler_that_raises_ends_calls_and_what_was_decided_before_is_done(turns: Turns, asker: Asker) -> None:
    asker.ask()
    turns.coordinator._scheduler = Broken()  # type: ignore[assignment]
    out = turns.turn(*OPENED)
    assert [type(one) for one in out if isinstance(one, OpenWorkload | Fail)] == [OpenWorkload, Fail]


def test_a_lock_is_given_up_in_a_turn_in_which_a_scheduler_raises(turns: Turns, asker: Asker) -> None:
    asker.ask()
    turns.turn(*OPENED)
    (lease,) = turns.run.running
    asker.leave()
    turns.coordinator._scheduler = Broken()  # type: ignore[assignment]
    out = turns.turn(*[done(turns.run.running[lease].assignment)])
    assert len(only(Unlock, out)) == 1


def test_what_goes_wrong_when_no_call_is_left_is_a_warning_told_once(turns: Turns, asker: Asker) -> None:
    turns.coordinator.participants.clear()
    assert [one.message for one in only(Warn, turns.coordinator.fail_all(StorageError("the disk is full")))] == [
        "when the calls that it concerns had ended, this went wrong: the disk is full"
    ]
    assert turns.coordinator.fail_all(StorageError("the disk is full")) == ()


def test_an_alarm_that_comes_when_no_call_is_left_is_told(turns: Turns, asker: Asker) -> None:
    asker.ask()
    (given,) = only(Submit, turns.turn(OPENED[0]))
    turns.turn(*trained(given.assignment))
    asker.leave()
    turns.coordinator.participants.clear()
    *_, evaluated = trained(given.assignment)
    assert isinstance(evaluated, Evaluated)
    out = turns.turn(replace(evaluated, metrics={"loss": 9.0}))
    assert ["two runs of one stage disagree" in one.message for one in only(Warn, out)] == [True]


def test_steps_are_watched_on_after_a_turn_that_broke(turns: Turns, asker: Asker) -> None:
    asker.ask()
    asker.ask(lr=0.2)
    out = turns.turn(OPENED[0])
    assert only(Watch, out) != []
    scheduler, turns.coordinator._scheduler = turns.coordinator._scheduler, Broken()  # type: ignore[assignment]
    turns.turn(Elapsed(), OPENED[1])
    turns.coordinator._scheduler = scheduler
    turns.turn()  # the tuner leaves
    assert only(Watch, turns.turn()) != []


def test_what_cannot_be_taken_in_leaves_what_else_happened(
    turns: Turns, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    asker.ask()
    (given,) = only(Submit, turns.turn(OPENED[0]))

    def unreadable(*_: Any, **__: Any) -> Any:
        raise StorageError("it cannot be read")

    for record in ("record_step", "record_new_steps"):
        monkeypatch.setattr(turns.run.plan.facts, record, unreadable)
    out = turns.turn(*trained(given.assignment), done(given.assignment))
    assert turns.run.running == {}
    assert {str(one.error) for one in only(Fail, out)} == {"it cannot be read"}


def test_what_cannot_be_taken_in_of_one_plan_ends_no_call_of_others(
    turns: Turns, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns.coordinator.participants.append(Asker(Turns()))  # on a plan of its own
    asker.ask()
    (given,) = only(Submit, turns.turn(OPENED[0]))

    def unreadable(*_: Any, **__: Any) -> Any:
        raise StorageError("it cannot be read")

    monkeypatch.setattr(turns.run.plan.facts, "record_step", unreadable)
    out = turns.turn(*trained(given.assignment)[:1])
    assert [one.participant for one in only(Fail, out)] == [asker]


@pytest.mark.parametrize("is_waiting", [False, True])
def test_a_state_that_a_lost_slot_could_not_write_is_no_trouble_of_those_that_go_on(
    turns: Turns, asker: Asker, *, is_waiting: bool
) -> None:
    asker.ask()
    (given,) = only(Submit, turns.turn(OPENED[0]))
    lease, stage = given.assignment.lease, given.assignment.lanes[0].stages[0]
    turns.turn(SlotLost(slot=A, reason="test"), OPENED[1])
    where: dict[str, Any] = {"lease": lease, "lane": 0, "node": stage.node, "step": stage.stop}
    out = turns.turn(CheckpointFailed(**where, reason="its file is gone", is_waiting=is_waiting))
    assert (only(Fail, out), only(Say, out)) == ([], [])


# --- calls


def test_a_state_that_cannot_be_written_when_the_tuner_has_all_its_answers_ends_the_call_with_an_error(
    made: Study,
) -> None:
    async def last(ask: Ask) -> None:
        answer = asking(ask)
        lease = await made.engine.assignment()
        made.engine.walk(lease, until=4)
        await answer
        where: dict[str, Any] = {"node": lease.lanes[0].stages[-1].node, "step": 4}
        failed = CheckpointFailed(lease=lease.lease, lane=0, **where, reason="the store is gone", is_waiting=False)
        asyncio.get_running_loop().call_later(0.05, made.engine.say, failed)
        asyncio.get_running_loop().call_later(0.06, made.engine.end, lease)

    with pytest.raises(CheckpointError, match="the store is gone"):
        made.run(last)


def test_a_task_that_its_tuner_left_behind_is_refused_what_it_asks(made: Study) -> None:
    ghosts: list[asyncio.Task[Any]] = []
    is_over = asyncio.Event()

    async def leave_one_behind(ask: Ask) -> None:
        async def ghost() -> None:
            await is_over.wait()
            await ask({"lr": 0.2}, until=4)

        ghosts.append(asyncio.ensure_future(ghost()))
        answer = asking(ask)
        lease = await made.engine.assignment()
        made.engine.walk(lease, until=4)
        await answer
        made.engine.end(lease)

    async def look(ask: Ask) -> None:
        is_over.set()
        await eventually(ghosts[0].done)

    made.run(leave_one_behind)
    made.study = made.another("other", seed=7)
    with pytest.warns(UserWarning, match="without having asked"):
        made.run(look)
    with pytest.raises(TunerError, match="after its call had ended"):
        ghosts[0].result()
    assert [row.config for row in made.rows(TrialRow) if "0.2" in row.config] == []


def test_a_tuner_that_raises_with_an_answer_that_rests_on_a_failed_write_raises_that_failure(
    made: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = SqlStore.commit

    def failing(self: SqlStore, changes: Sequence[Change]) -> None:
        if any(isinstance(change.row, MetricsRow) for change in changes):
            raise StorageError("the disk is full")
        commit(self, changes)

    async def find(ask: Ask) -> None:
        answer = asking(ask)
        lease = await made.engine.assignment()
        made.engine.walk(lease, until=4)
        found = await answer
        made.engine.end(lease)
        raise LookupError(found.loss)

    monkeypatch.setattr(made.engine, "work_outlives_process", False)
    made.study = made.another("early")
    monkeypatch.setattr(SqlStore, "commit", failing)
    with pytest.raises(StorageError, match="the disk is full") as raised:
        made.run(find)
    assert isinstance(raised.value.__cause__, LookupError)


def test_a_state_that_nobody_waits_for_any_more_ends_its_lane_while_others_use_the_plan(made: Study) -> None:
    sent: list[bool] = []

    async def beside(ask: Ask) -> None:
        answer = asking(ask, until=2)
        lease = await made.engine.assignment()
        made.engine.walk(lease, until=2)
        made.engine.end(lease)
        await answer
        control = made.study._runtime()._control
        job = made.study._calls.job()  # type: ignore[attr-defined]
        wanting = asyncio.ensure_future(control.hold_state(job, "", 1, 9, HeldState()))
        lease = await made.engine.assignment(1)
        made.engine.walk(lease, until=3)
        wanting.cancel()
        await eventually(lambda: any(isinstance(each, Shorten) for each in made.engine.sent))
        sent.append(True)
        made.engine.end(lease)

    made.run(beside)
    assert sent == [True]


# --- slots of another environment


def test_a_slot_of_another_environment_is_refused_by_each_call_that_comes(made: Study) -> None:
    async def open_there(ask: Ask) -> None:
        answer = asking(ask)
        await made.engine.assignment()
        made.engine.say(SlotOpened(slot=SlotId("elsewhere"), environment={"torch": "2"}))
        await answer

    async def ask(ask: Ask) -> None:
        await asking(ask)

    with pytest.raises(EnvironmentChangedError, match="torch"):
        made.run(open_there)
    made.study = made.another("second", seed=7)
    with pytest.raises(EnvironmentChangedError, match="torch"):
        made.run(ask)


# --- watching


def test_a_plan_fills_no_set_that_nobody_looks_at_any_more(turns: Turns) -> None:
    facts = turns.run.plan.facts
    watched = facts.watch()
    other = facts.watch()
    facts.unwatch(watched)
    assert [id(each) for each in facts._moved] == [id(other)]


def test_the_end_of_an_engine_gives_up_locks_behind_the_calls_that_hold_them(
    made: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[int] = []
    release_all = OpenPlans.release_all

    def noting(self: OpenPlans) -> None:
        left.append(len(list(self)))
        release_all(self)

    monkeypatch.setattr(OpenPlans, "release_all", noting)

    async def for_ever(ask: Ask) -> None:
        await ask({"lr": 0.1}, until=4)

    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(made.run, for_ever)
        while not made.engine.given:
            time.sleep(0.001)
        made.study.close()
        assert isinstance(running.exception(timeout=10), BaseException)
    assert left == [0]
    assert [row.ended for row in made.rows(LeaseRow)] == ["done"]
    assert [row.state for row in made.rows(CallRow)] == ["interrupted"]
