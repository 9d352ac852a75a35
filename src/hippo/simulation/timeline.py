"""What a slot does for one lease, in virtual time: spans of work, and events that are told when their time has come.

A lane computes ahead of the clock, so what it did is kept until the clock is there: a worker that is lost before takes
it along, and then its time counts as lost. This module refuses to know what a span is spent on, and why it ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from hippo.events import EngineEvent
from hippo.records import LeaseId, NodeId
from hippo.simulation.meter import Work
from hippo.simulation.virtual_world import VirtualWorld


class SlotTimeline:
    """What was done and said, and is not told yet.

    Args:
      world: whose meter counts what was done.
      slots: its number, from 0, and those of others that take part.
      lease: what it is done for.
    """

    def __init__(self, world: VirtualWorld, slots: Sequence[int], lease: LeaseId) -> None:
        self._world = world
        self._slots = tuple(slots)
        self._lease = lease
        #: how far the work is: now, or ahead of the clock
        self.clock_s = 0.0
        #: until when it has told
        self._told_s = 0.0
        #: its worker was lost, and it goes on all the same: what it does is told, if late, and counted no longer
        self.is_out_of_reach = False
        #: (work, began, ended, step before) since it last told
        self._spans: list[tuple[Work, float, float, int]] = []
        self._outbox: list[EngineEvent] = []

    def begin(self) -> None:
        """Begin something new, now."""
        self.clock_s = self._told_s = self._world.elapsed()

    def catch_up(self) -> None:
        """Come to where the clock is."""
        self.clock_s = self._world.elapsed()

    @property
    def is_ahead(self) -> bool:
        """Whether what it does takes longer than until now."""
        return self.clock_s > self._world.elapsed()

    def spend(self, work: Work, seconds: float, step: int) -> None:
        """Do some work at a step, after all other."""
        self._spans.append((work, self.clock_s, self.clock_s + seconds, step))
        self.clock_s += seconds

    def train(self, began_s: float, start: int) -> None:
        """Note steps from `start` on, which ended where the timeline is."""
        self._spans.append((Work.TRAIN, began_s, self.clock_s, start))

    def say(self, *events: EngineEvent) -> None:
        """Have these told after all that was said before."""
        self._outbox += events

    def tell(self, node: NodeId, step: int) -> None:
        """Count what was done by now, of which steps were those of `node` up to `step`; and say what came of it."""
        now_s = self._world.elapsed()
        if not self.is_out_of_reach:
            for work, began_s, ended_s, start in self._spans:
                stop = step if work is Work.TRAIN else start
                span = (began_s, min(ended_s, now_s))
                self._count(work, span, node, start, stop)
        self._spans.clear()
        self._told_s = now_s
        said, self._outbox = self._outbox, []
        for event in said:
            self._world.emit(event)

    def lose(self, node: NodeId, step: int) -> None:
        """Count all time since it last told as lost, and nothing from now on: the worker is gone, or out of reach."""
        now_s = self._world.elapsed()
        self._count(Work.LOST, (self._told_s, now_s), node, step, step)
        self._told_s = now_s
        self.is_out_of_reach = True

    def _count(self, work: Work, span: tuple[float, float], node: NodeId, start: int, stop: int) -> None:
        for slot in self._slots:
            self._world.meter.add(work, span, slot, self._lease, node, start, stop)
