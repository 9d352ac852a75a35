"""The laws of the control loop, one table each: what comes in, and what is to be done, as values."""

from __future__ import annotations

from typing import Any, cast

import pytest

from hippo.errors import PlanLockedError, TunerError
from hippo.events import CheckpointUnusable, EngineFailed, SlotOpened, StatesResident
from hippo.plan import LeaseRow, MetricsRow, PlanRow, RequestRow, StepRow
from hippo.records import Point, Shorten, SlotId
from hippo.runtime.asking.instructions import (
    Announce,
    EndBlock,
    Fail,
    Grant,
    Input,
    Instructions,
    LetTunersRun,
    NotBegun,
    Send,
    StudyDeleted,
    Submit,
    Tell,
    Unlock,
    Warn,
    Write,
)
from hippo.runtime.asking.limits import Limit
from hippo.runtime.asking.participants import Delivery

from .turns import A, Asker, B, FailingStore, GroupingStore, Turns, done, kinds, lost, only, rows, trained

# --- durable before told


def test_an_answer_waits_for_the_write_that_holds_its_facts_and_that_it_was_given(turns: Turns, asker: Asker) -> None:
    asker.ask()
    (assignment,) = turns.begun()
    came = turns.turn(*trained(assignment))
    (write,), (tell,) = only(Write, came), only(Tell, came)
    assert tell == Tell(Delivery(1, "answer 1"), after=write.id)
    assert came.index(write) < came.index(tell)
    assert len(rows(came, StepRow)) == 2
    assert len(rows(came, MetricsRow)) == 1
    assert [row.state for row in rows(came, RequestRow)] == ["answered"]


def test_work_waits_for_the_write_that_holds_its_lease(asker: Asker, turns: Turns) -> None:
    asker.ask()
    turns.settle()
    came = turns.turn(SlotOpened(slot=A, environment={}))
    (write,), (submit,) = only(Write, came), only(Submit, came)
    assert submit.after == write.id
    assert [row.lease for row in rows(came, LeaseRow)] == [submit.assignment.lease]


def test_a_lock_is_given_up_behind_the_last_write(turns: Turns, asker: Asker) -> None:
    asker.ask()
    (assignment,) = turns.begun()
    asker.leave()
    came = turns.turn(done(assignment))
    (write,), (unlock,) = only(Write, came), only(Unlock, came)
    assert (unlock.run, unlock.after) == (turns.run, write.id)
    assert [row.ended for row in rows(came, LeaseRow)] == ["done"]


def test_what_a_turn_changes_is_one_write(turns: Turns, asker: Asker) -> None:
    asker.ask()
    (assignment,) = turns.begun()
    came = turns.turn(*trained(assignment), done(assignment))
    assert kinds(came).count("Write") == 1
    assert [row.ended for row in rows(came, LeaseRow)] == ["done"]


def test_where_nothing_changed_nothing_is_written(turns: Turns, asker: Asker) -> None:
    turns.settle()
    assert turns.turn() == ()
    assert turns.turn(SlotOpened(slot=A, environment={})) == ()


def test_what_observers_hear_waits_for_the_write(turns: Turns, asker: Asker) -> None:
    asker.study.announcer.is_heard = True
    asker.ask()
    (assignment,) = turns.begun()
    came = turns.turn(*trained(assignment))
    (announce,) = only(Announce, came)
    assert announce.after == only(Write, came)[0].id
    assert len(announce.events) == 2
    assert only(Announce, turns.settle()) == []


# --- who may hear earlier, where writes may wait for one another


@pytest.mark.parametrize(
    ("is_virtual", "grouping", "outlives", "told", "begun"),
    [
        (False, True, False, "at once", "at once"),
        (False, True, True, "at once", "behind its write"),
        (False, False, False, "behind its write", "behind its write"),
        (True, True, False, "behind its write", "behind its write"),
    ],
)
def test_only_who_dies_with_this_process_hears_before_the_write(
    is_virtual: bool, grouping: bool, outlives: bool, told: str, begun: str
) -> None:
    store = GroupingStore() if grouping else FailingStore()
    turns = Turns(store=store, is_virtual=is_virtual, work_outlives=outlives)
    asker = Asker(turns)
    asker.ask()
    turns.settle()
    came = turns.turn(SlotOpened(slot=A, environment={}))
    ((lease,), (submit,)) = only(Write, came), only(Submit, came)
    assert submit.after == (lease.id if begun == "behind its write" else None)
    assert lease.may_wait == (begun == "at once")
    came = turns.turn(*trained(submit.assignment))
    ((facts,), (tell,)) = only(Write, came), only(Tell, came)
    assert tell.after == (facts.id if told == "behind its write" else None)
    assert facts.may_wait == (told == "at once")


def test_what_observers_hear_waits_for_the_write_and_does_not_hasten_it() -> None:
    turns = Turns(store=GroupingStore())
    asker = Asker(turns)
    asker.study.announcer.is_heard = True
    asker.ask()
    (assignment,) = turns.begun()
    came = turns.turn(*trained(assignment))
    ((write,), (announce,)) = only(Write, came), only(Announce, came)
    assert write.may_wait
    assert announce.after == write.id


def test_a_lock_that_is_given_up_hastens_the_write() -> None:
    turns = Turns(store=GroupingStore())
    asker = Asker(turns)
    asker.ask()
    (assignment,) = turns.begun()
    asker.leave()
    came = turns.turn(done(assignment))
    ((write,), (unlock,)) = only(Write, came), only(Unlock, came)
    assert unlock.after == write.id
    assert not write.may_wait


def test_what_is_asked_to_be_written_at_once_does_not_wait() -> None:
    turns = Turns(store=GroupingStore())
    Asker(turns).ask()
    (write,) = only(Write, turns.coordinator.write(turns.store))
    assert not write.may_wait


# --- nothing is given out while a tuner might still ask


def test_while_answers_are_told_no_work_is_given_out(turns: Turns, asker: Asker) -> None:
    asker.ask(0.1)
    (first,) = turns.begun()
    asker.ask(0.2)
    came = turns.turn(*trained(first), done(first))
    assert only(Tell, came)
    assert only(Submit, came) == []
    assert len(only(Submit, turns.turn())) == 1


def test_while_a_tuner_leaves_no_work_is_given_out(turns: Turns, asker: Asker) -> None:
    asker.ask()
    asker.ends = [Fail(cast(Any, asker), TunerError("no such metric"))]
    came = turns.turn(SlotOpened(slot=A, environment={}))
    assert only(Fail, came)
    assert only(LetTunersRun, came)
    assert only(Submit, came) == []
    assert len(only(Submit, turns.turn())) == 1


def test_a_block_that_has_spent_what_it_may_ends_before_anybody_is_told_and_work_waits_for_its_tuner(
    turns: Turns, asker: Asker
) -> None:
    other = Asker(turns, "other")
    request = other.ask()
    other.answerable.append(request)
    asker.ends = [EndBlock(limit := Limit(lambda: True))]
    came = turns.turn(SlotOpened(slot=A, environment={}))
    assert [one for one in came if isinstance(one, EndBlock | Tell)] == [
        EndBlock(limit),
        Tell(Delivery(request.id, f"answer {request.id}"), only(Write, came)[0].id),
    ]
    assert only(Submit, came) == []
    assert only(LetTunersRun, turns.turn())


def test_while_a_stream_replays_a_pull_nothing_else_is_done(turns: Turns, asker: Asker) -> None:
    asker.ask()
    asker.pulls_again = True
    came = turns.turn(SlotOpened(slot=A, environment={}))
    assert only(Grant, came) == [Grant(cast(Any, asker), 1)]
    assert not asker.pulls_again
    assert only(Submit, came) == []


def test_a_stream_is_offered_room_only_when_there_is_nothing_to_give_out(turns: Turns, asker: Asker) -> None:
    asker.ask()
    asker.has_demand = True
    came = turns.turn(SlotOpened(slot=A, environment={}), SlotOpened(slot=B, environment={}))
    assert only(Submit, came)
    assert only(Grant, came) == []
    assert [(one.participant, one.room) for one in only(Grant, turns.turn())] == [(asker, 1)]


def test_before_slots_open_a_stream_is_offered_room_for_one_request_and_none_while_that_waits(
    turns: Turns, asker: Asker
) -> None:
    asker.has_demand = True
    assert [one.room for one in only(Grant, turns.turn())] == [1]
    asker.ask()
    assert [only(Grant, turns.turn()) for _ in range(3)] == [[], [], []]


def test_while_running_work_is_waited_for_nothing_new_begins(turns: Turns, asker: Asker) -> None:
    asker.ask()
    turns.coordinator.is_holding = True
    assert turns.begun() == []
    turns.coordinator.is_holding = False
    assert len(turns.begun(B)) == 1


# --- what is lost, late or void


def test_the_work_of_a_lost_slot_is_given_out_again_and_users_are_told(turns: Turns, asker: Asker) -> None:
    asker.ask()
    (first,) = turns.begun()
    came = turns.settle(lost(A), SlotOpened(slot=B, environment={}))
    assert [row.ended for row in rows(came, LeaseRow)] == ["lost", ""]
    assert [one.message for one in only(Warn, came)] == ["a worker was lost (test); its stages run again"]
    (again,) = only(Submit, came)
    assert again.assignment.lanes == first.lanes


def test_a_late_word_of_a_lost_lease_is_a_fact_while_the_plan_is_ours(turns: Turns, asker: Asker) -> None:
    asker.ask()
    (assignment,) = turns.begun()
    turns.settle(lost(A))
    assert len(rows(turns.turn(*trained(assignment)), StepRow)) == 2


def test_a_late_word_is_no_fact_once_the_plan_may_be_written_by_others(turns: Turns, asker: Asker) -> None:
    asker.ask()
    (assignment,) = turns.begun()
    turns.settle(lost(A))
    asker.leave()
    came = turns.settle(*trained(assignment))
    assert rows(came, StepRow) == rows(came, MetricsRow) == []


@pytest.mark.parametrize("again", [0, 1, 2, 3])
def test_a_word_said_twice_counts_once(turns: Turns, asker: Asker, again: int) -> None:
    asker.ask()
    (assignment,) = turns.begun()
    said = trained(assignment)
    came = turns.settle(*said, *said[:again])
    assert len(rows(came, StepRow)) == 2
    assert len(rows(came, MetricsRow)) == 1


def test_an_end_that_is_said_twice_does_not_free_a_slot_that_works_on(turns: Turns, asker: Asker) -> None:
    asker.ask()
    asker.ask(lr=0.2)
    (first,) = turns.begun()
    (second,) = only(Submit, turns.settle(*trained(first), done(first)))
    assert second.assignment.slot == first.slot
    asker.ask(lr=0.3)
    assert only(Submit, turns.settle(done(first))) == []


def test_states_in_memory_are_known_of_one_plan_while_their_slot_is_there(turns: Turns, asker: Asker) -> None:
    node = asker.ask().node
    turns.begun(A)

    def come(slot: SlotId, plan: str) -> StatesResident:
        return StatesResident(slot=slot, workload=plan, added=(Point(node.id, 1),))

    turns.turn(come(A, "another plan"), come(B, turns.run.key))  # B is not there, or not any more
    assert node.states == ()
    turns.turn(come(A, turns.run.key))
    assert (tuple(node.states), node.residents) == ((1,), {1: {A: None}})
    turns.turn(lost(A), come(A, turns.run.key))
    assert tuple(node.states) == ()


def test_a_plan_that_is_not_in_use_hears_of_states_that_went_with_their_slot(turns: Turns, asker: Asker) -> None:
    node = asker.ask().node
    (assignment,) = turns.begun(A)
    turns.settle(StatesResident(slot=A, workload=turns.run.key, added=(Point(node.id, 2),)), *trained(assignment))
    turns.settle(done(assignment))
    asker.leave()
    leave = turns.coordinator.leave(turns.run)
    assert only(Unlock, leave)
    turns.plans.let_go(turns.run)
    turns.turn(lost(A))
    assert tuple(node.states) == ()


@pytest.mark.parametrize("key", ["", "a file"])
def test_no_lane_is_sent_again_to_a_slot_whose_state_is_of_no_use_there(turns: Turns, asker: Asker, key: str) -> None:
    node = asker.ask().node
    (assignment,) = turns.begun(A)
    turns.settle(StatesResident(slot=A, workload=turns.run.key, added=(Point(node.id, 2),)), *trained(assignment))
    turns.settle(done(assignment))
    asker.ask(until=4)
    (going_on,) = [one.assignment for one in only(Submit, turns.settle())]
    at = {"lease": going_on.lease, "lane": 0, "node": node.id, "step": 2}
    turns.settle(CheckpointUnusable(**at, key=key, corrupt=False, reason="", is_expected=True))
    (again,) = [one.assignment for one in only(Submit, turns.settle(done(going_on)))]
    assert again.lanes[0].begin is None


def test_work_that_never_began_leaves_its_slot_free_and_is_no_loss(turns: Turns, asker: Asker) -> None:
    asker.ask()
    (assignment,) = turns.begun()
    came = turns.settle(NotBegun(assignment))
    assert only(Warn, came) == []
    assert [row.ended for row in rows(came, LeaseRow)] == ["done", ""]
    assert len(only(Submit, came)) == 1


def test_what_nobody_waits_for_any_more_is_told_to_end(turns: Turns, asker: Asker) -> None:
    asker.ask(until=9)
    (assignment,) = turns.begun()
    asker.withdraw()
    turns.coordinator.notes.may_shorten = True
    (send,) = only(Send, turns.settle())
    assert isinstance(send.command, Shorten)
    assert send.command.lease == assignment.lease


# --- what ends calls


@pytest.mark.parametrize(
    ("event", "error"), [(EngineFailed(reason="no device"), "no device"), (StudyDeleted("", 1), "was deleted")]
)
def test_what_ends_calls_does_so_before_work_is_given_out(turns: Turns, event: Input, error: str) -> None:
    asker = Asker(turns)
    asker.ask()
    turns.settle(SlotOpened(slot=B, environment={}))
    came: Any = turns.turn(StudyDeleted(turns.store.uuid, 1) if isinstance(event, StudyDeleted) else event)
    (fail,) = only(Fail, came)
    assert fail.participant is asker
    assert error in str(fail.error)
    assert only(LetTunersRun, came)
    assert only(Submit, came) == []


# --- one plan, one writer


def test_a_plan_has_one_writer_until_its_lock_is_given_up(turns: Turns) -> None:
    with pytest.raises(PlanLockedError):
        Turns(store=turns.store)
    turns.plans.let_go(turns.run)
    Turns(store=turns.store)


def test_a_plan_that_is_used_again_before_others_wrote_is_the_one_that_was_known(turns: Turns) -> None:
    write_down(turns, turns.coordinator.write(turns.store))
    turns.plans.let_go(turns.run)
    assert turns.take_over() is turns.run


def test_a_plan_that_others_wrote_to_is_read_again(turns: Turns) -> None:
    write_down(turns, turns.coordinator.write(turns.store))
    turns.plans.let_go(turns.run)
    other = Turns(store=turns.store)
    write_down(other, other.coordinator.write(other.store))
    other.plans.let_go(other.run)
    assert turns.take_over() is not turns.run


def test_a_new_writer_begins_an_epoch_and_voids_the_leases_of_the_one_before(turns: Turns) -> None:
    Asker(turns).ask()
    write_down(turns, turns.settle(SlotOpened(slot=A, environment={})))
    turns.run.lock.release()  # as a process does that is killed
    other = Turns(store=turns.store)
    came = other.coordinator.write(other.store)
    assert [row.epoch for row in rows(came, PlanRow)] == [2]
    assert [row.ended for row in rows(came, LeaseRow)] == ["void"]
    assert other.plans.next_lease() == 2


def write_down(turns: Turns, instructions: Instructions) -> None:
    for write in only(Write, instructions):
        turns.store.commit([change for _, part in write.parts for change in part])
