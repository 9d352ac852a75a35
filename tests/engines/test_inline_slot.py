"""The slot of this process, without an engine around it: whose turn it is, and what becomes of commands."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Iterator

import pytest

from hippo.engines.inline_slot import EngineClosing, InlineSlot, SlotGivenUp
from hippo.engines.loop_inbox import LoopInbox
from hippo.events import EngineEvent, StatesResident
from hippo.records import Assignment, Drop, LeaseId, Stop
from hippo.testing.lanes import lane, stage
from hippo.testing.residents_contract import point

DONE: concurrent.futures.Future[None] = concurrent.futures.Future()
NOT_DONE: concurrent.futures.Future[None] = concurrent.futures.Future()
DONE.set_result(None)


class Shared:
    """A slot that is open, and a loop that hears of it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.heard: list[EngineEvent] = []
        inbox = LoopInbox()
        self.slot = InlineSlot(inbox, resident_bytes=1000)
        loop.run_until_complete(self._open(inbox))

    async def _open(self, inbox: LoopInbox) -> None:
        inbox.open(self.heard.append)
        self.slot.open()

    def told(self) -> list[EngineEvent]:
        self.loop.run_until_complete(asyncio.sleep(0))
        return self.heard

    def submit(self, lease: int = 1) -> Assignment:
        assert self.slot.id is not None
        assignment = Assignment(
            lease=LeaseId(lease), prefix="p", slot=self.slot.id, workload="w", lanes=(lane(stage(1, 0, 2)),)
        )
        self.slot.submit(assignment)
        return assignment

    def drop(self) -> Drop:
        assert self.slot.id is not None
        return Drop(slot=self.slot.id, workload="w", points=(point(1),))


@pytest.fixture
def shared() -> Iterator[Shared]:
    with asyncio.Runner() as runner:
        yield Shared(runner.get_loop())


def dropped(events: list[EngineEvent]) -> list[object]:
    return [event.dropped for event in events if isinstance(event, StatesResident)]


def test_an_assignment_is_taken_once_and_none_when_that_is_not_waited_for(shared):
    assignment = shared.submit()
    assert shared.slot.take(NOT_DONE) is assignment
    assert shared.slot.is_served_here
    assert shared.slot.take(DONE) is None


def test_a_slot_without_work_follows_at_once(shared):
    shared.slot.send(shared.drop())
    assert dropped(shared.told()) == [(point(1),)]


def test_a_slot_with_work_follows_at_its_lanes_next_step(shared):
    shared.submit()
    shared.slot.take(NOT_DONE)
    shared.slot.send(shared.drop())
    assert dropped(shared.told()) == []
    assert shared.slot.poll() == []
    assert dropped(shared.told()) == [(point(1),)]


def test_a_slot_follows_what_came_after_the_last_step_of_its_lanes(shared):
    assignment = shared.submit()
    shared.slot.take(NOT_DONE)
    shared.slot.send(shared.drop())
    assert shared.slot.finish() is assignment
    assert dropped(shared.told()) == [(point(1),)]
    assert shared.slot.is_at_rest


def test_commands_reach_the_lease_that_they_are_for_and_no_other(shared):
    shared.submit(lease=2)
    shared.slot.take(NOT_DONE)
    ours = Stop(lease=LeaseId(2))
    for command in (Stop(lease=LeaseId(1)), ours, Stop(lease=LeaseId(3))):
        shared.slot.send(command)
    assert shared.slot.poll() == [ours]
    assert shared.slot.poll() == []


def test_commands_for_a_slot_that_was_lost_are_for_nobody(shared):
    late = shared.drop()
    shared.submit()
    shared.slot.take(NOT_DONE)
    shared.slot.finish(is_lost=True)
    assert shared.slot.id is None
    assert shared.slot.open() not in (None, late.slot)
    shared.slot.send(late)
    assert dropped(shared.told()) == []


def test_a_slot_that_is_given_up_ends_its_lanes_with_the_reason(shared):
    assignment = shared.submit()
    shared.slot.take(NOT_DONE)
    shared.slot.lose(assignment.slot, "it got stuck")
    with pytest.raises(SlotGivenUp, match="it got stuck"):
        shared.slot.poll()


def test_a_slot_that_is_closed_ends_its_lanes_and_tells_when_their_thread_has_left(shared):
    assert shared.slot.close() is None
    shared.slot.open()
    shared.submit()
    shared.slot.take(NOT_DONE)
    left = shared.slot.close()
    with pytest.raises(EngineClosing):
        shared.slot.wait(10.0)  # at once
    assert not shared.slot.is_at_rest
    assert not left.done()
    shared.slot.finish()
    assert left.done()
    assert shared.slot.is_at_rest
