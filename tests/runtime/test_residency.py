"""What slots are told of the states in their memory: pins before lanes come by, drops when nobody needs a state."""

from __future__ import annotations

from typing import Any

import pytest

from hippo.events import SlotOpened, StatesResident
from hippo.records import AddBoundary, AtResident, Boundary, Command, Drop, Keep, Pin, Point, Unpin
from hippo.runtime.asking.instructions import Input, Instructions, Send, Submit
from hippo.runtime.studies.requests import Request

from .turns import A, Asker, B, Turns, done, lost, only, trained

B_OPENS = SlotOpened(slot=B, environment={})


class Transient(Asker):
    """Asks for nothing that must outlive its slot, and says which of its trials it may ask for more."""

    def ask(self, lr: float = 0.1, until: int = 2, *, switched: int = 0, **options: Any) -> Request:
        request = super().ask(lr, until, switched=switched, **options)
        self.run.residency.released.take_up(request.trial)
        return request

    def stands(self, request: Request) -> None:
        self.run.residency.released.move(request.trial, point_of(request))


@pytest.fixture
def turns() -> Turns:
    return Turns()


@pytest.fixture
def asker(turns: Turns) -> Transient:
    return Transient(turns)


def point_of(request: Request) -> Point:
    return Point(request.node.id, request.until)


def sent(instructions: Instructions) -> list[Command]:
    return [one.command for one in only(Send, instructions)]


def holds(turns: Turns, *points: Point, slot: Any = A) -> Input:
    """Return that a slot holds these states."""
    return StatesResident(slot=slot, workload=turns.run.key, added=points)


def forgets(turns: Turns, *points: Point) -> Input:
    return StatesResident(slot=A, workload=turns.run.key, dropped=points)


def pin(turns: Turns, point: Point) -> Pin:
    return Pin(slot=A, workload=turns.run.key, points=(point,))


def drop(turns: Turns, *points: Point, slot: Any = A) -> Drop:
    return Drop(slot=slot, workload=turns.run.key, points=points)


def walked(turns: Turns, asker: Transient, **asked: Any) -> Request:
    """Ask, have it trained in slot A, where its last state stays, and answered."""
    request = asker.ask(**asked)
    (assignment,) = turns.begun() if A not in turns.coordinator.work.slots else only_assignment(turns.settle())
    until = assignment.lanes[0].stages[0].stop
    turns.settle(*trained(assignment, until=until), holds(turns, point_of(request)), done(assignment))
    asker.stands(request)
    return request


def only_assignment(instructions: Instructions) -> list[Any]:
    return [one.assignment for one in only(Submit, instructions)]


# --- pins


def test_a_slot_that_holds_a_pinned_state_is_told_once_and_when_the_last_pin_ends(
    turns: Turns, asker: Transient
) -> None:
    point = point_of(walked(turns, asker))
    pins = turns.run.residency.pins
    pins.pin(point)
    pins.pin(point)
    assert sent(turns.settle()) == [pin(turns, point)]
    assert sent(turns.settle(holds(turns, point))) == []
    pins.unpin(point)
    assert sent(turns.settle()) == []
    assert point in pins
    pins.unpin(point)
    assert sent(turns.settle()) == [Unpin(slot=A, workload=turns.run.key, points=(point,))]
    assert point not in pins


def test_nothing_is_run_for_a_pin(turns: Turns, asker: Transient) -> None:
    point = point_of(walked(turns, asker))
    turns.settle(forgets(turns, point))
    turns.run.residency.pins.pin(point)
    assert turns.settle() == ()


def test_a_slot_is_told_of_a_pin_before_its_lane_begins_and_the_lane_to_hold_the_state_that_is_nowhere(
    turns: Turns, asker: Transient
) -> None:
    request = asker.ask(until=6)
    point = Point(request.node.id, 4)
    turns.run.residency.pins.pin(point)
    turns.settle()
    (assignment,) = turns.begun()
    turns.settle(done(assignment))  # it never came there
    out = turns.settle(lost(A), B_OPENS)
    (submit,) = only(Submit, out)
    lease = submit.assignment.lease
    told = Pin(slot=B, workload=turns.run.key, points=(point,))
    boundary = Boundary(evaluate=False, keep=Keep.TRANSIENT)
    held = AddBoundary(lease=lease, lane=0, node=point[0], step=4, boundary=boundary)
    assert [one for one in out if isinstance(one, Send | Submit)] == [Send(told), submit, Send(held)]


def test_a_lane_that_runs_is_told_to_hold_a_state_that_is_pinned_ahead_of_it(turns: Turns, asker: Transient) -> None:
    request = asker.ask(until=6)
    (assignment,) = turns.begun()
    turns.run.residency.pins.pin(Point(request.node.id, 4))
    told = sent(turns.settle())
    assert told[0] == pin(turns, Point(request.node.id, 4))
    assert isinstance(told[1], AddBoundary)
    assert (told[1].lease, told[1].step, told[1].boundary.keep) == (assignment.lease, 4, Keep.TRANSIENT)
    assert turns.settle() == ()


def test_a_lane_is_not_told_to_hold_what_is_somewhere_but_its_slot_to_keep_it(turns: Turns, asker: Transient) -> None:
    point = point_of(walked(turns, asker))
    turns.run.residency.pins.pin(point)
    turns.settle()
    asker.ask(until=6)
    assert sent(turns.settle()) == []  # the slot knows, and the state is there


def test_a_lane_that_does_not_come_by_a_pinned_state_hears_nothing_of_it(turns: Turns, asker: Transient) -> None:
    point = point_of(walked(turns, asker))
    turns.settle(forgets(turns, point))
    turns.run.residency.pins.pin(point)
    asker.ask(lr=0.5)
    assert sent(turns.settle()) == []


def test_another_worker_in_a_slot_is_told_anew(turns: Turns, asker: Transient) -> None:
    point = point_of(walked(turns, asker))
    turns.run.residency.pins.pin(point)
    turns.settle()
    turns.settle(forgets(turns, point))
    assert sent(turns.settle(holds(turns, point))) == [pin(turns, point)]


# --- releases


def test_what_is_released_is_dropped_and_counted_on_no_more(turns: Turns, asker: Transient) -> None:
    request = walked(turns, asker)
    turns.run.residency.released.give_up(request.trial, [])
    assert sent(turns.settle()) == [drop(turns, point_of(request))]
    assert turns.settle() == ()
    assert turns.run.plan.nodes[request.node.id].residents == {}
    asker.ask(until=4)
    assert not [stage for stage in turns.run.remaining.tree.stages.values() if isinstance(stage.base, AtResident)]


def test_what_is_released_and_comes_into_memory_later_is_dropped_then(turns: Turns, asker: Transient) -> None:
    request = asker.ask()
    (assignment,) = turns.begun()
    turns.run.residency.released.give_up(request.trial, [point_of(request)])
    assert sent(turns.settle(*trained(assignment))) == []
    out = turns.settle(holds(turns, point_of(request)), done(assignment))
    assert sent(out) == [drop(turns, point_of(request))]


@pytest.mark.parametrize("fork", [{}, {"lr": 0.2, "switched": 2}])
def test_a_state_that_a_request_goes_on_from_stays_until_its_lane_has_ended(
    turns: Turns, asker: Transient, fork: dict[str, Any]
) -> None:
    request = walked(turns, asker)
    asker.ask(until=4, **fork)
    turns.run.residency.released.give_up(request.trial, [])
    out = turns.settle()
    (assignment,) = only_assignment(out)
    assert (assignment.lanes[0].begin.step, sent(out)) == (2, [])
    assert sent(turns.settle(*trained(assignment, until=4)[2:])) == []
    assert sent(turns.settle(done(assignment))) == [drop(turns, point_of(request))]


@pytest.mark.parametrize("fork", [{}, {"lr": 0.2, "switched": 2}])
def test_a_state_that_waiting_work_begins_from_stays(turns: Turns, asker: Transient, fork: dict[str, Any]) -> None:
    request = walked(turns, asker)
    asker.ask(until=4, **fork)
    turns.run.residency.released.give_up(request.trial, [])
    assert turns.run.residency.commands() == []


def test_a_state_that_is_only_to_be_written_stays_until_it_is(turns: Turns, asker: Transient) -> None:
    request = walked(turns, asker)
    turns.run.waiting.want_state(asker.study, request.node, 2)
    turns.run.residency.released.give_up(request.trial, [])
    turns.coordinator.is_holding = True  # and nothing is given out
    turns.settle()
    assert sent(turns.coordinator.leave(turns.run)) == []
    turns.run.waiting.unwant_state(asker.study, request.node, 2)
    assert sent(turns.coordinator.leave(turns.run)) == [drop(turns, point_of(request))]


def test_a_pinned_state_stays_until_it_is_no_longer_pinned(turns: Turns, asker: Transient) -> None:
    request = walked(turns, asker)
    turns.run.residency.pins.pin(point_of(request))
    turns.run.residency.released.give_up(request.trial, [])
    assert not [command for command in sent(turns.settle()) if isinstance(command, Drop)]
    turns.run.residency.pins.unpin(point_of(request))
    assert drop(turns, point_of(request)) in sent(turns.settle())


def test_a_state_at_which_another_trial_stands_stays_until_it_went_on(turns: Turns, asker: Transient) -> None:
    request, other = walked(turns, asker), asker.ask()
    asker.stands(other)
    turns.run.residency.released.give_up(request.trial, [])
    assert sent(turns.settle()) == []
    turns.run.residency.released.move(other.trial, Point(request.node.id, 5))
    assert sent(turns.settle()) == [drop(turns, point_of(request))]


def test_a_trial_that_is_answered_behind_where_it_stands_stays_there(turns: Turns, asker: Transient) -> None:
    request, other = walked(turns, asker), asker.ask()
    asker.stands(other)
    turns.run.residency.released.move(other.trial, Point(request.node.id, 1))
    turns.run.residency.released.give_up(request.trial, [])
    assert sent(turns.settle()) == []


def test_a_state_at_which_somebody_was_answered_again_is_not_given_up_any_more(turns: Turns, asker: Transient) -> None:
    request, other = walked(turns, asker), asker.ask()
    turns.run.residency.released.give_up(request.trial, [])
    asker.stands(other)
    turns.settle()
    turns.run.residency.released.leave(other.trial)  # without having been released
    assert sent(turns.settle()) == []


def test_every_slot_that_holds_a_released_state_drops_it(turns: Turns, asker: Transient) -> None:
    request = walked(turns, asker)
    turns.settle(B_OPENS, holds(turns, point_of(request), slot=B))
    turns.run.residency.released.give_up(request.trial, [])
    assert sent(turns.settle()) == [drop(turns, point_of(request)), drop(turns, point_of(request), slot=B)]


def test_states_on_the_way_go_but_those_where_a_living_trial_comes_by(turns: Turns, asker: Transient) -> None:
    trunk = walked(turns, asker, until=4)
    branch = walked(turns, asker, lr=0.2, until=6, switched=4)
    early = Point(trunk.node.id, 3)
    turns.settle(holds(turns, early, Point(branch.node.id, 5)))
    turns.run.residency.released.give_up(branch.trial, [])
    assert sent(turns.settle()) == [drop(turns, Point(branch.node.id, 5), point_of(branch))]
    turns.run.residency.released.give_up(trunk.trial, [])
    assert sent(turns.settle()) == [drop(turns, early, point_of(trunk))]


def test_a_trunk_takes_the_states_in_which_it_was_asked_though_a_branch_goes_on(turns: Turns, asker: Transient) -> None:
    trunk = walked(turns, asker, until=4)
    walked(turns, asker, lr=0.2, until=6, switched=4)
    turns.settle(holds(turns, Point(trunk.node.id, 2)))
    turns.run.residency.released.give_up(trunk.trial, [])
    assert sent(turns.settle()) == [drop(turns, Point(trunk.node.id, 2), point_of(trunk))]


def test_states_before_a_branch_go_with_the_last_trial_that_comes_by(turns: Turns, asker: Transient) -> None:
    trunk = walked(turns, asker, until=4)
    branch = walked(turns, asker, lr=0.2, until=6, switched=4)
    turns.run.residency.released.leave(trunk.trial)  # its call has ended, and nobody released it
    turns.run.residency.released.give_up(branch.trial, [])
    assert sent(turns.settle()) == [drop(turns, point_of(trunk), point_of(branch))]


def test_a_branch_takes_no_state_of_its_trunk_from_beyond_where_it_left_it(turns: Turns, asker: Transient) -> None:
    trunk = walked(turns, asker, until=4)
    branch = walked(turns, asker, lr=0.2, until=6, switched=4)
    turns.settle(holds(turns, Point(trunk.node.id, 5)))
    turns.run.residency.released.leave(trunk.trial)  # its call has ended, and nobody released it
    turns.run.residency.released.give_up(branch.trial, [])
    assert sent(turns.settle()) == [drop(turns, point_of(trunk), point_of(branch))]


def test_what_was_released_is_dropped_when_the_last_call_leaves(turns: Turns, asker: Transient) -> None:
    request = walked(turns, asker)
    turns.run.residency.released.give_up(request.trial, [])
    asker.leave()
    assert sent(turns.coordinator.leave(turns.run)) == [drop(turns, point_of(request))]
