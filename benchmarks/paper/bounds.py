"""What no scheduler can beat: the distinct steps of what a study explored, and the longest chain of waiting.

Counted anew from the trials alone, without hippo's plan, so that a mistake in plan, stage tree or statistics does
not hide in both.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hippo import Config
from hippo.hparams import path

#: a config, and the steps that it was trained
Reached = tuple[Config, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Steps, in units of one slot's step."""

    #: steps of all trials, each alone
    steps_asked: int
    #: those that differ: what must run on some slot
    steps_distinct: int
    #: from the beginning to the end, however it is scheduled
    end_to_end: float

    @property
    def merge_rate(self) -> float:
        """The merge rate of what was explored."""
        return self.steps_asked / self.steps_distinct


#: a stretch of the tree: from which step to which
Stretch = tuple[int, int]


def distinct_stretches(reached: Iterable[Reached]) -> list[Stretch]:
    """Return the tree: two steps are the same if all pieces of all steps up to them are."""
    stops: dict[tuple[object, ...], Stretch] = {}
    for config, until in reached:
        prefix: tuple[object, ...] = ()
        stretches = list(path(config, until))
        for (start, pieces), stop in zip(stretches, [start for start, _ in stretches[1:]] + [until], strict=True):
            prefix = (prefix, start, tuple(sorted((name, piece.key) for name, piece in pieces.items())))
            stops[prefix] = (start, max(stops.get(prefix, (start, 0))[1], stop))
    return list(stops.values())


def distinct_steps(reached: Iterable[Reached]) -> int:
    """Return how many steps differ."""
    return sum(stop - start for start, stop in distinct_stretches(reached))


def makespan_bound(stretches: Sequence[Stretch], *, begin: int, end: int, slots: int) -> float:
    """Return how long the steps from `begin` to `end` take at least, in steps, if nothing after `begin` is done.

    What lies beyond a depth cannot begin before a chain has reached it, however few slots that keeps busy; from then
    on all slots together need so long for it. A tree that is narrower than the cluster has no better bound in the work.
    """
    depths = sorted({begin, *(start for start, _ in stretches if begin < start < end)})
    beyond = [
        (depth - begin) + sum(max(0, min(stop, end) - max(start, depth)) for start, stop in stretches) / slots
        for depth in depths
    ]
    return max(*beyond, max(min(stop, end) for _, stop in stretches) - begin)


def rung_bounds(reached: Sequence[Reached], rungs: Sequence[int], *, slots: int) -> Bounds:
    """Return the bounds where everybody must end a rung before anybody begins the next.

    Args:
      reached: all trials.
      rungs: ends of the rungs, ascending; the last one may be the extension of one trial.
      slots: how many steps can be run at a time.
    """
    stretches = distinct_stretches(reached)
    end_to_end = sum(
        makespan_bound(stretches, begin=begin, end=end, slots=slots)
        for begin, end in itertools.pairwise([0, *rungs])
        if any(stop > begin for _, stop in stretches)
    )
    return _bounds(reached, stretches, end_to_end)


def free_bounds(reached: Sequence[Reached], rungs: Sequence[int], *, slots: int) -> Bounds:
    """Return the bounds where nobody waits for all others, and a trial only hears at each rung whether it goes on."""
    stretches = distinct_stretches(reached)
    return _bounds(reached, stretches, makespan_bound(stretches, begin=0, end=rungs[-1], slots=slots))


def _bounds(reached: Sequence[Reached], tree: Sequence[Stretch], end_to_end: float) -> Bounds:
    return Bounds(
        steps_asked=sum(until for _, until in reached),
        steps_distinct=sum(stop - start for start, stop in tree),
        end_to_end=end_to_end,
    )
