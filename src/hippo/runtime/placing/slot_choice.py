"""In which slot what is to begin begins, where slots differ in speed, and what moves from a slow one to a fast one.

Tells `hippo.schedulers.place` how fast slots are, how long work should take, and until when slots have work. It refuses
to know what is most urgent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from hippo.lanes import LaneProgress
from hippo.records import Slot, SlotId, Span
from hippo.runtime.asking.instructions import Send
from hippo.runtime.asking.participants import Participant
from hippo.runtime.placing.under_way import WorkUnderWay
from hippo.runtime.plans.environments import Kind
from hippo.runtime.plans.leases import RunningLease, stop
from hippo.runtime.plans.plan_run import PlanRun
from hippo.runtime.plans.remaining_work import RemainingWork
from hippo.schedulers import StageBundle, TakenSlot, place, wanted_states, worth_moving

#: what work in a slow slot must save, in steps, to be moved to a faster one: the one that is run in vain until it hears
#: of it, and what a worker does once when it begins
_STEPS_TO_MOVE = 4


class SlotChoice:
    """Chooses slots for what is to begin.

    Args:
      work: that under way, with the slots.
      participants: those who wait; others add to the list and take from it.
    """

    def __init__(self, work: WorkUnderWay, participants: Sequence[Participant]) -> None:
        self._work = work
        self._participants = participants

    def taken_slots(self, runs: Sequence[PlanRun], kind: Kind | None) -> list[TakenSlot]:
        """Return the slots with work, where that counts: for a fast one a chain may wait, to it other work may move.

        It does not where slots are equally fast; nor where streams give a slow slot something short to do; nor where
        several lanes go to a slot: packing counts the slots that are free.

        Args:
          runs: plans that may use slots of this kind.
        """
        speeds = self._work.slots.speeds
        if (
            not speeds.differ
            or any(run.formations.may_fuse for run in runs)
            or any(participant.has_demand for participant in self._participants)
        ):
            return []
        return [
            TakenSlot(speed, _seconds_left(run.remaining, lease) / speed, _to_a_faster(run.remaining, lease))
            for slot, run, lease in self._running(kind)
            for speed in [speeds.of(slot)]
        ]

    def pairs(
        self, runs: Sequence[PlanRun], bundles: Sequence[StageBundle], taken: Sequence[TakenSlot], kind: Kind | None
    ) -> list[tuple[Slot, StageBundle]]:
        """Return which free slot is given what.

        Args:
          bundles: the most urgent first, of these plans.
          taken: the slots with work, as far as they count.
          kind: of all these slots.
        """
        slots, keys = self._work.slots, [run.key for run in runs]
        free = slots.free(wanted_states(bundles, keys), kind)
        if not slots.speeds.differ:
            return place(bundles, free, keys)
        seconds = [runs[bundle.tree].remaining.seconds_below(bundle) for bundle in bundles]
        left_s = sum(run.remaining.left(run.running)[1] for run in runs)
        return place(bundles, free, keys, seconds=seconds, taken=taken, horizon_s=left_s / slots.total_speed(kind))

    def moves(self, taken: Sequence[TakenSlot], kind: Kind | None) -> Iterator[Send]:
        """Return what ends work in slow slots for which faster ones have nothing else to do: it goes on there."""
        free = [slot.speed for slot in self._work.slots.free([], kind)] if taken else []
        running = [lease for _, _, lease in self._running(kind)] if free else []
        for number in worth_moving(free, taken) if free else ():
            yield Send(stop(running[number]))

    def _running(self, kind: Kind | None) -> list[tuple[SlotId, PlanRun, RunningLease]]:
        slots = self._work.slots
        return [each for each in self._work.running() if kind is None or slots.kind_of(each[0]) == kind]


def seconds_ahead(remaining: RemainingWork, lease: RunningLease) -> float:
    """Return how long a lease should still take in one slot of speed 1, if nothing is added to it or taken away.

    Of lanes that are walked as one nobody asks: neither speeds nor widths count there.
    """
    return sum(remaining.seconds_of(span) for lane in lease.lanes for span in _spans_ahead(lane))


def _spans_ahead(lane: LaneProgress) -> list[Span]:
    """Return the steps that a lane has ahead of it, one span for each stage."""
    if lane.is_over or lane.is_through:
        return []
    last, end = lane.route.end
    stages = lane.lane.stages[: last + 1]
    spans = [(stage.node, max(stage.start, lane.step), stage.stop) for stage in stages[:-1]]
    spans.append((stages[-1].node, max(stages[-1].start, lane.step), end))
    return [Span(node=node, start=start, stop=stop) for node, start, stop in spans if start < stop]


def _seconds_left(remaining: RemainingWork, lease: RunningLease) -> float:
    """Return how long the slots of a lease should still be busy with it, if they were of speed 1."""
    return seconds_ahead(remaining, lease) / remaining.speedup(lease.at().node, lease.assignment.width)


def _to_a_faster(remaining: RemainingWork, lease: RunningLease) -> float:
    """Return what it should cost to end a lease and to go on in a faster slot; a gang is not given up for one."""
    return _seconds_to_move(remaining, lease) if lease.assignment.width == 1 else math.inf


def _seconds_to_move(remaining: RemainingWork, lease: RunningLease) -> float:
    """Return what it should cost to end a lease at its next step and to go on elsewhere; infinite if it may not be."""
    (lane, *others) = lease.lanes
    if others or lane.is_stopping:
        return math.inf
    step_s = remaining.seconds_of(lease.at())
    return 2 * lease.payer_of(0).counters.seconds_per_checkpoint + _STEPS_TO_MOVE * step_s
