"""Gangs: which chains several slots walk together, and when that begins and ends.

A chain that begins gets more slots where some would have nothing to do; one that is walked is ended at its next step
and goes on in more, if that saves more than it costs; and a gang is broken up when others wait for its slots. A lease
has one width from its beginning to its end: to change it costs a state that is written, and a start, of which the
latter is learned (`start_costs`). Nothing of it changes a result: what a gang comes to, its trainer promises, is what
one slot would have come to.

Streams come first: a slot for which a tuner would pull a request is not free. Lanes that are walked as one have no
gangs, nor have those whose numerics would let them be ("a fused trial is split evenly, never data-parallel").

It refuses to know what is most urgent.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Sequence

from hippo.clock import Clock
from hippo.records import Point, Slot, SlotId
from hippo.runtime.asking.instructions import Send
from hippo.runtime.asking.participants import Participant
from hippo.runtime.placing.slot_choice import seconds_ahead
from hippo.runtime.placing.under_way import WorkUnderWay
from hippo.runtime.plans.environments import Kind
from hippo.runtime.plans.leases import RunningLease, stop
from hippo.runtime.plans.plan_run import PlanRun
from hippo.runtime.timing.start_costs import StartCosts
from hippo.schedulers import AtWork, StageBundle, Widening, share_out, worth_breaking_up, worth_widening

#: ending a lease and going on with it must save more than so many times what it should cost: both are estimates, and
#: what is widened now may be widened again when the next slots are free
_TIMES = 10
#: steps, as it is walked now, that are left of what is ended: the one that it is at ends first
_STEPS_LEFT = 2

#: a slot, what it begins, and which others take part
Beginning = tuple[Slot, StageBundle, tuple[SlotId, ...]]


class GangChoice:
    """Decides about gangs on one engine.

    Args:
      work: that under way, with the slots.
      participants: those who wait; others add to the list and take from it.
      clock: of the engine.
      max_width: of the engine.
    """

    def __init__(
        self, work: WorkUnderWay, participants: Sequence[Participant], clock: Clock, *, max_width: int
    ) -> None:
        self._work = work
        self._participants = participants
        self._clock = clock
        self._max_width = max_width
        self._starts = StartCosts()
        if max_width > 1:
            work.starts = self._starts
        #: plan and point from which something began that was told to end: if it begins there again, no step was taken,
        #: and it is not told so a second time before one is
        self._ended_from: set[tuple[str, Point]] = set()

    @property
    def _are_wanted(self) -> bool:
        return self._max_width > 1 and not self._is_pulled

    @property
    def _is_pulled(self) -> bool:
        return any(participant.has_demand for participant in self._participants)

    def formed(
        self, runs: Sequence[PlanRun], pairs: Sequence[tuple[Slot, StageBundle]], kind: Kind | None
    ) -> list[Beginning]:
        """Return what begins in which slots, given which slot was chosen for what."""
        chosen = {slot.id for slot, _ in pairs}
        left = [slot for slot in self._work.slots.free(None, kind) if slot.id not in chosen] if self._are_wanted else []
        if not left:
            return [(slot, bundle, ()) for slot, bundle in pairs]
        shared = share_out([self._widening(runs[bundle.tree], slot, bundle) for slot, bundle in pairs], left)
        return [(slot, bundle, peers) for (slot, peers), (_, bundle) in zip(shared, pairs, strict=True)]

    def _widening(self, run: PlanRun, slot: Slot, bundle: StageBundle) -> Widening:
        most = self._most(run)
        holds_state = any((run.key, at) in slot.resident for at in bundle.beginnings if at is not None)
        return Widening(
            slot=slot,
            seconds=run.remaining.seconds_below(bundle),
            speedup=functools.partial(run.remaining.speedup, bundle.chains[0].stages[0].node),
            most=most,
            start_s=max(0.0, self._starts.seconds(2) - self._starts.seconds(1)),
            leaving_s=self._starts.seconds(1) if holds_state else 0.0,
            is_bound=bundle.is_bound or most == 1,
        )

    def _most(self, run: PlanRun) -> int:
        return 1 if run.formations.may_fuse else min(self._max_width, run.spec.shards)

    def widened(self, kinds: Iterable[Kind | None]) -> Iterator[Send]:
        """Return what ends chains that go on in more slots of these kinds: there is nothing else to do for them."""
        for kind in kinds if self._are_wanted else ():
            if free := self._work.slots.free(None, kind):
                leases, working = self._working(kind)
                yield from (self._end(leases[number]) for number in worth_widening(working, free))

    def broken_up(self, runs: Sequence[PlanRun], kind: Kind | None) -> Iterator[Send]:
        """Return what ends gangs for whose slots there is other work: called when no slot is free."""
        leases, working = self._working(kind)
        coming = sum(lease.assignment.width - 1 for lease in leases if _is_stopping(lease))
        ready = sum(run.remaining.tree.num_ready - run.remaining.tree.num_bound for run in runs)
        wanted = math.inf if self._is_pulled else ready - coming
        yield from (self._end(leases[number]) for number in worth_breaking_up(working, wanted))

    def _end(self, lease: RunningLease) -> Send:
        self._ended_from.add(_beginning(lease))
        return Send(stop(lease))

    def _seconds_to_move(self, run: PlanRun, lease: RunningLease) -> float:
        is_again = _beginning(lease) in self._ended_from and all(lane.point is None for lane in lease.lanes)
        return math.inf if is_again else self._seconds_to_change(run, lease)

    def _working(self, kind: Kind | None) -> tuple[list[RunningLease], list[AtWork]]:
        """Return the leases that are walked, and what is to be known of each."""
        slots, leases, working = self._work.slots, [], []
        for _, run, lease in self._work.running():
            held = (lease.assignment.slot, *lease.assignment.peers)
            if kind is not None and slots.kind_of(held[0]) != kind:
                continue
            leases.append(lease)
            working.append(
                AtWork(
                    slots=tuple(map(slots.bare, held)),
                    seconds=self._seconds_ahead(run, lease),
                    speedup=functools.partial(run.remaining.speedup, lease.at().node),
                    most=self._most(run),
                    moving_s=self._seconds_to_move(run, lease),
                    is_ending=_is_stopping(lease),
                )
            )
        return leases, working

    def _seconds_ahead(self, run: PlanRun, lease: RunningLease) -> float:
        """Return what is left of a lease, in one slot of speed 1, with what it did since it was heard of last."""
        slots, assignment = self._work.slots, lease.assignment
        silent_s = self._work.stuck.silent_s(assignment.lease, self._clock.elapsed())
        pace = slots.bare(assignment.slot).speed * run.remaining.speedup(lease.at().node, assignment.width)
        return max(0.0, seconds_ahead(run.remaining, lease) - silent_s * pace)

    def _seconds_to_change(self, run: PlanRun, lease: RunningLease) -> float:
        """Return what must be saved by ending a lease at its next step, to go on with it; infinite: it may not be."""
        if len(lease.lanes) > 1 or _is_stopping(lease):
            return math.inf
        at = lease.at()
        step_s = run.remaining.seconds_of(at) / run.remaining.speedup(at.node, lease.assignment.width)
        if self._starts.is_starting(lease.assignment.lease, self._clock.elapsed(), step_s):
            return math.inf  # what it takes to begin would be spent in vain
        cost_s = lease.payer_of(0).counters.seconds_per_checkpoint + self._starts.seconds(2)
        return _TIMES * cost_s + _STEPS_LEFT * step_s


def _beginning(lease: RunningLease) -> tuple[str, Point]:
    first = lease.assignment.lanes[0].stages[0]
    return (lease.assignment.plan, Point(first.node, first.start))


def _is_stopping(lease: RunningLease) -> bool:
    return any(lane.is_stopping for lane in lease.lanes)
