"""Which slots walk a lane together, turn by turn: when a gang is formed, made wider, and broken up."""

from __future__ import annotations

from hippo.events import CheckpointWritten, SlotOpened, StatesResident, StepDone
from hippo.records import Assignment, CheckpointRef, LeaseId, Point, SlotId
from hippo.runtime.asking.instructions import Instructions, Send, Submit

from .turns import Asker, Turns, done, lost, only, trained

A, B, C, D = (SlotId(name) for name in "abcd")
LONG = 1000


def gangs(*, shards: int = 4, max_width: int = 4, **options: str) -> Turns:
    return Turns(shards=shards, max_width=max_width, **options)


def opened(*slots: SlotId) -> list[SlotOpened]:
    return [SlotOpened(slot=slot, environment={}) for slot in slots]


def widths(assignments: list[Assignment]) -> list[int]:
    return [assignment.width for assignment in assignments]


def begun(said: Instructions) -> list[Assignment]:
    return [submit.assignment for submit in only(Submit, said)]


def ended(said: Instructions) -> list[LeaseId]:
    """Which leases were told to end at their next step."""
    return [send.command.lease for send in only(Send, said)]


def a_step(assignment: Assignment, step: int) -> StepDone:
    node = assignment.lanes[0].stages[0].node
    return StepDone(lease=assignment.lease, lane=0, node=node, step=step, training={}, seconds=1.0)


def written(assignment: Assignment, step: int) -> CheckpointWritten:
    node, ref = assignment.lanes[0].stages[0].node, CheckpointRef(key="k", size_bytes=1, sha256="", state_hash="s")
    return CheckpointWritten(lease=assignment.lease, lane=0, node=node, step=step, checkpoint=ref, seconds=0.0)


def minute_later(turns: Turns) -> None:
    turns.clock.call_later(60.0, lambda: None)
    turns.clock.advance()


# ------------------------------------------------------------------------------------------------------ formed


def test_a_lane_alone_is_walked_by_as_many_free_slots_as_engine_and_trainer_allow() -> None:
    for shards, max_width, expected in ((4, 4, 4), (4, 2, 2), (2, 4, 2), (1, 4, 1), (4, 1, 1)):
        turns = gangs(shards=shards, max_width=max_width)
        Asker(turns).ask(until=LONG)
        assert widths(turns.begun(A, B, C, D)) == [expected], (shards, max_width)


def test_lanes_that_are_ready_come_before_gangs() -> None:
    turns = gangs()
    asker = Asker(turns)
    for rate in (0.1, 0.2, 0.3):
        asker.ask(rate, until=LONG)
    assert widths(turns.begun(A, B, C)) == [1, 1, 1]


def test_trials_that_may_be_fused_have_no_gangs() -> None:
    turns = gangs(numerics="fused")
    Asker(turns).ask(until=LONG)
    assert widths(turns.begun(A, B, C, D)) == [1]


def test_a_lane_leaves_the_slot_that_holds_its_state_only_for_what_a_start_elsewhere_costs() -> None:
    for until, is_in_a_file, expected in ((22, True, (A, 1)), (LONG, True, (B, 2)), (LONG, False, (A, 1))):
        turns = gangs(shards=2, max_width=2)
        asker = Asker(turns)
        asker.ask(until=2)
        (first,) = begun(turns.settle(SlotOpened(slot=A, environment={}, node="one")))
        minute_later(turns)  # so long does a start take
        node = first.lanes[0].stages[0].node
        held = StatesResident(slot=A, workload=first.states_of, added=(Point(node, 2),))
        turns.settle(*trained(first), *([written(first, 2)] if is_in_a_file else []), held, done(first))
        asker.ask(until=until)
        (again,) = begun(turns.settle(*(SlotOpened(slot=slot, environment={}, node="two") for slot in (B, C))))
        assert (again.slot, again.width) == expected, (until, is_in_a_file)


# ------------------------------------------------------------------------------------------------------- wider


def test_a_lane_that_takes_long_yet_is_ended_to_go_on_in_more_slots_that_got_free() -> None:
    turns = gangs()
    Asker(turns).ask(until=LONG)
    (alone,) = turns.begun(A)
    assert ended(turns.settle(a_step(alone, 1), *opened(B, C, D))) == [alone.lease]
    assert ended(turns.settle()) == [], "it is told once"


def test_no_second_lane_is_ended_for_the_slot_that_the_first_will_have() -> None:
    turns = gangs(shards=2, max_width=2)
    asker = Asker(turns)
    for rate in (0.1, 0.2):
        asker.ask(rate, until=LONG)
    first, second = turns.begun(A, B)
    assert ended(turns.settle(a_step(first, 1), a_step(second, 1), *opened(C))) == [first.lease]
    assert ended(turns.settle(*opened(D))) == [second.lease]


def test_a_lane_is_not_ended_where_no_slot_could_join_it() -> None:
    turns = gangs(max_width=1)
    Asker(turns).ask(until=LONG)
    (alone,) = turns.begun(A)
    assert ended(turns.settle(a_step(alone, 1), *opened(B, C, D))) == []


def test_a_lane_of_which_two_steps_are_left_goes_on_as_it_is() -> None:
    for until, expected in ((4, 0), (9, 1)):
        turns = gangs(shards=2, max_width=2)
        Asker(turns).ask(until=until)
        (alone,) = turns.begun(A)
        told = ended(turns.settle(a_step(alone, 1), a_step(alone, 2), *opened(B)))
        assert len(told) == expected, until


def test_a_lane_that_began_again_where_it_was_ended_is_not_ended_a_second_time_before_it_took_a_step() -> None:
    turns = gangs(shards=2, max_width=2)
    Asker(turns).ask(until=LONG)
    (first,) = turns.begun(A)
    assert ended(turns.settle(a_step(first, 1), *opened(B))) == [first.lease]
    (again,) = begun(turns.settle(lost(B), done(first)))  # nothing was kept of its step, and the other slot is gone
    assert (again.width, again.lanes[0].stages[0].start) == (1, 0)
    minute_later(turns)  # what beginning takes is behind it
    assert ended(turns.settle(*opened(C))) == []
    assert ended(turns.settle(a_step(again, 1))) == [again.lease]


# -------------------------------------------------------------------------------------------------- broken up


def test_a_gang_is_broken_up_when_others_wait_for_its_slots() -> None:
    turns = gangs()
    asker = Asker(turns)
    asker.ask(until=LONG)
    (gang,) = turns.begun(A, B, C, D)
    turns.settle(a_step(gang, 1))
    asker.ask(0.2, until=LONG)
    assert ended(turns.settle(a_step(gang, 2))) == [gang.lease]


def test_a_gang_is_broken_up_for_a_tuner_that_would_pull() -> None:
    turns = gangs()
    Asker(turns).ask(until=LONG)
    (gang,) = turns.begun(A, B, C, D)
    pulling = Asker(turns, "pulling")
    pulling.has_demand = True
    assert ended(turns.settle(a_step(gang, 1))) == [gang.lease]


def test_no_second_gang_is_broken_up_for_whom_the_slots_of_the_first_are_enough() -> None:
    turns = gangs(max_width=2)
    asker = Asker(turns)
    for rate in (0.1, 0.2):
        asker.ask(rate, until=LONG)
    first, second = turns.begun(A, B, C, D)
    assert widths([first, second]) == [2, 2]
    turns.settle(a_step(first, 1), a_step(second, 1))
    asker.ask(0.3, until=LONG)
    told = ended(turns.settle(a_step(first, 2), a_step(second, 2)))
    assert len(told) == 1
    assert ended(turns.settle(a_step(first, 3))) == [], "its slots come at its next step's end"
