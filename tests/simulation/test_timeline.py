"""What a slot does ahead of the clock is told when the clock is there, and counted as lost if its worker is lost."""

from __future__ import annotations

from hippo.events import EngineEvent, SlotOpened
from hippo.records import LeaseId, NodeId, SlotId
from hippo.simulation import RandomWalk, SimulatedWorkload, Work
from hippo.simulation.timeline import SlotTimeline
from hippo.simulation.virtual_world import VirtualWorld

NODE = NodeId(1)


def event(name: str) -> EngineEvent:
    return SlotOpened(slot=SlotId(name))


class Told:
    """A timeline in a world of its own, and what is heard of it."""

    def __init__(self) -> None:
        self.heard: list[EngineEvent] = []
        self.world = VirtualWorld(SimulatedWorkload(seconds_per_step=1.0), RandomWalk(), keep_intervals=True)
        self.world.listener = self.heard.append
        self.timeline = SlotTimeline(self.world, [0], LeaseId(1))
        self.timeline.begin()

    def until(self, seconds: float) -> None:
        self.world.clock.call_at(seconds, lambda: None)
        self.world.clock.advance()

    def seconds(self) -> dict[Work, float]:
        return {work: spent_s for work, spent_s in self.world.meter.seconds.items() if spent_s}


def test_work_comes_one_after_the_other_and_is_ahead_of_the_clock():
    told = Told()
    told.timeline.spend(Work.START, 3.0, 0)
    told.timeline.spend(Work.LOAD, 2.0, 0)
    assert told.timeline.clock_s == 5.0
    assert told.timeline.is_ahead
    told.until(5.0)
    assert not told.timeline.is_ahead
    told.timeline.tell(NODE, 0)
    assert [(each.work, each.began_s, each.ended_s) for each in told.world.meter.intervals] == [
        (Work.START, 0.0, 3.0),
        (Work.LOAD, 3.0, 5.0),
    ]


def test_events_are_told_once_and_in_order():
    told = Told()
    told.timeline.say(event("a"))
    told.timeline.say(event("b"), event("c"))
    assert told.heard == []
    told.timeline.tell(NODE, 0)
    told.timeline.tell(NODE, 0)
    assert told.heard == [event("a"), event("b"), event("c")]


def test_work_is_counted_up_to_the_clock_and_once():
    told = Told()
    told.timeline.spend(Work.SAVE, 4.0, 2)
    told.until(1.0)
    told.timeline.tell(NODE, 2)
    told.until(4.0)
    told.timeline.tell(NODE, 2)
    assert told.seconds() == {Work.SAVE: 1.0}


def test_a_worker_that_is_lost_takes_along_all_that_it_did_not_tell():
    told = Told()
    told.timeline.spend(Work.START, 3.0, 0)
    told.until(3.0)
    told.timeline.tell(NODE, 0)
    told.until(10.0)
    told.timeline.catch_up()
    told.timeline.train(3.0, 0)
    told.timeline.say(event("late"))
    told.timeline.lose(NODE, 0)
    assert told.heard == []
    told.until(20.0)
    told.timeline.tell(NODE, 7)
    assert told.seconds() == {Work.START: 3.0, Work.LOST: 7.0}
    assert told.heard == [event("late")]
