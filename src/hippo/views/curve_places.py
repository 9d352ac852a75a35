"""Where the points of a curve are drawn: by steps, or by seconds as far as the plan knows them.

Of each step it knows how long devices took for it; when it was reached it knows only where a lease ended, for that is
written down. Nothing is guessed in between. This module refuses to know metrics.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain

from hippo.study import LeaseState, SlotLease, TreeRow, Trial
from hippo.views.walkers import Key, walkers

#: of a step in a node, or above it on the way there; None: nobody knows
Placing = Callable[[TreeRow, int], float | None]


class CurveAxis(enum.Enum):
    """What goes from left to right."""

    STEPS = "steps"
    #: from when the first lease began, of all on the study's plans
    SECONDS = "seconds"
    #: of the whole way to a step, whoever paid for them
    DEVICE_SECONDS = "device-seconds"


#: why nothing can be drawn so, where that is so
WHY_NOT = {
    CurveAxis.SECONDS: (
        "The plan knows when a lease ended, and nothing of this metric was measured at a step at which one did: none "
        "has ended yet, or what was measured is not of this database's leases."
    ),
    CurveAxis.DEVICE_SECONDS: (
        "No step on the way was timed: results that were brought here from elsewhere have no seconds."
    ),
}


def by_device_seconds(rows: Sequence[TreeRow], trials: Mapping[Key, Trial]) -> Placing:
    """Return what places steps by the device-seconds of the way to them.

    Args:
      rows: what `Study.tree` returns.
      trials: those that walk them, by member and number.
    """
    known = walkers(rows, trials)

    def place(row: TreeRow, step: int) -> float | None:
        walker = known.get((row.member, row.node))
        seconds = 0.0 if walker is None else walker.seconds_until(step)
        return seconds if seconds > 0 or (step == 0 and walker is not None) else None

    return place


def by_seconds(rows: Iterable[TreeRow], leases: Iterable[SlotLease]) -> Placing:
    """Return what places steps by when they were reached: those at which a lease ended, and no others.

    Args:
      rows: what `Study.tree` returns.
      leases: what `Study.leases` returns.
    """
    every = list(leases)
    began_at = min((lease.began_at for lease in every), default=0.0)
    ended: dict[tuple[str, int, int], float] = {}
    walked: dict[Key, list[tuple[int, int]]] = {}
    for lease in every:
        for member in lease.members:
            for span in chain.from_iterable(lease.lanes):
                walked.setdefault((member, span.node), []).append((span.start, span.stop))
        for key in _ends(lease):
            ended[key] = (lease.ended_at or 0.0) - began_at
    by_key = {(row.member, row.node): row for row in rows}

    def place(row: TreeRow, step: int) -> float | None:
        while step <= row.start and row.parent is not None and (row.member, row.parent) in by_key:
            row = by_key[row.member, row.parent]
        spans = walked.get((row.member, row.node), ())
        # where several were to reach a step, one was cut short, or did it again: which came first is not known
        several = sum(start < step < stop or step == stop for start, stop in spans) > 1
        return None if several else ended.get((row.member, row.node, step))

    return place


def _ends(lease: SlotLease) -> Iterable[tuple[str, int, int]]:
    """Return (member, node, step) of what a lease had reached when it ended."""
    if lease.state is not LeaseState.DONE or lease.ended_at is None:
        return
    steps = [sum(span.stop - span.start for span in lane) for lane in lease.lanes]
    for lane, count in zip(lease.lanes, steps, strict=True):
        if lane and count == max(steps):  # lanes go at one pace, and shorter ones were over before
            for member in lease.members:
                yield member, lane[-1].node, lane[-1].stop
