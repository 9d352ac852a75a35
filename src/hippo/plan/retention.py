"""Which states stay in files, and in which order they go when there is no room: values and one choice, no rows.

A state has a rank, by who would miss it; ranks are the order in which states go. Within the last states of trials that
are over, the worst trial's goes first; elsewhere that one goes which is cheapest to make anew for each byte that it
frees, given what has gone by then: with the file of a state goes what later ones could have begun from. States that
work needs now have no rank, since they do not go: who chooses says which they are.

It refuses to know studies and trials, and who deletes files.
"""

from __future__ import annotations

import enum
import heapq
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hippo.plan.states_in_files import StatesInFiles
from hippo.records import Point


class Rank(enum.IntEnum):
    """Who would miss a state: the smaller, the sooner it goes."""

    #: nobody: it lies where trials part or went on, or is of a trial that its study does not keep
    SPARE = 0
    #: a study that keeps all states
    PASSED = 1
    #: a study that keeps the last states of trials that are over
    LAST = 2
    #: the last state of a trial that may be asked for more
    LIVE = 3
    #: the last state of the best trial of a study, or of one of its best
    BEST = 4


class Worth(NamedTuple):
    """How much a state is worth; the larger, the longer it stays."""

    rank: Rank
    #: minus the place of its trial among those of its study, 0 for the best; 0 where ranks alone decide
    merit: int = 0


SPARE = Worth(Rank.SPARE)


@dataclass(frozen=True, slots=True)
class RankedStates:
    """The files of a plan, and what their states are worth."""

    held: StatesInFiles
    #: states that somebody would miss; all others are spare
    worths: Mapping[Point, Worth]

    def worth(self, point: Point) -> Worth:
        """Return what a state is worth."""
        return self.worths.get(point, SPARE)

    def spare(self) -> list[Point]:
        """Return the states that nobody would miss, in their order."""
        return sorted(point for point in self.held.files if point not in self.worths)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What it would take to make states anew that are no longer in files, if all of them were asked for together."""

    steps: int
    seconds: float


def forecast(held: StatesInFiles, points: Iterable[Point], gone: Collection[Point]) -> Forecast:
    """Return what making states anew would take, all of them together: a step that several of them need is run once.

    Args:
      held: the files of their plan.
      points: the states that are to be made.
      gone: those whose files are not there.
    """
    spans = _merged(span for point in points for span in held.steps_to_make(point, gone))
    return Forecast(sum(stop - start for _, start, stop in spans), held.seconds_of(spans))


def forecast_one(held: StatesInFiles, point: Point) -> Forecast:
    """Return what making one state anew would take, from all others: what `forecast` says of it, without merging."""
    spans = held.steps_to_make(point, ())
    return Forecast(sum(stop - start for _, start, stop in spans), held.seconds_of(spans))


def _merged(spans: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return spans (node, start, stop] with the same steps, of which no two share one."""
    merged: list[tuple[int, int, int]] = []
    for node, start, stop in sorted(set(spans)):
        if merged and merged[-1][0] == node and merged[-1][2] >= start:
            node, start, last = merged.pop()
            stop = max(stop, last)
        merged.append((node, start, stop))
    return merged


def choose(
    plans: Sequence[RankedStates], size_bytes: int, *, is_needed: Callable[[int, Point], bool] = lambda _, __: False
) -> list[tuple[int, Point]]:
    """Return what goes to free so many bytes, as (position of the plan, state), in that order; less if there is less.

    Args:
      plans: among whose states.
      size_bytes: to be freed.
      is_needed: tells of a state of a plan that it must stay.
    """
    gone: list[set[Point]] = [set() for _ in plans]
    heap = [
        (*_order(each, point, ()), position, point) for position, each in enumerate(plans) for point in each.held.files
    ]
    heapq.heapify(heap)
    chosen: list[tuple[int, Point]] = []
    freed = 0
    while heap and freed < size_bytes:
        *known, position, point = heapq.heappop(heap)
        each = plans[position]
        now = _order(each, point, gone[position])
        if tuple(known) != now:  # what it would be made anew from has gone meanwhile
            heapq.heappush(heap, (*now, position, point))
            continue
        if is_needed(position, point):
            continue
        gone[position].add(point)
        chosen.append((position, point))
        freed += each.held.files[point].size_bytes
    return chosen


def _order(each: RankedStates, point: Point, gone: Collection[Point]) -> tuple[int, int, float]:
    """Return what states are chosen by, the smallest first."""
    rank, merit = each.worth(point)
    seconds = each.held.seconds_of(each.held.steps_to_make(point, gone))
    return int(rank), merit, seconds / max(1, each.held.files[point].size_bytes)
