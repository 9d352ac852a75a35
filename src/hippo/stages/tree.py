"""The stage tree: what remains to be run, and in which order it may be.

Holds stages by the point at which they end, who follows whom, and, for the scheduler, the longest way from each stage
to a leaf. It refuses to know where its stages come from (`builder`, `incremental`) and who will run them.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeVar

from hippo.records import AfterStage, AtCheckpoint, AtResident, Base, Fresh, LeaseId, Point, Stage, Underway

_Key = TypeVar("_Key")

#: estimated seconds of a stage
Cost = Callable[[Stage], float]


def steps_as_cost(stage: Stage) -> float:
    """Return the number of steps of the stage: every step costs the same."""
    return float(stage.stop - stage.start)


class CriticalPaths:
    """How long it takes from each stage to the farthest leaf after it, and the ready stages in that order.

    It reads the stages, their costs and who follows whom from the tree, which says what changed.

    Args:
      stages, followers, costs: the tree's own.
    """

    __slots__ = ("_costs", "_followers", "_heap", "_lengths", "_stages", "stale")

    def __init__(
        self, stages: Mapping[Point, Stage], followers: Mapping[Point, set[Point]], costs: Mapping[Point, float]
    ) -> None:
        self._stages = stages
        self._followers = followers
        self._costs = costs
        self._lengths: dict[Point, float] = {}
        #: ready stages whose length is not in the heap as it stands
        self.stale: set[Point] = set()
        self._heap: list[tuple[float, Point]] = []

    def begin_anew(self) -> None:
        """Forget all lengths: stages cost something else now."""
        self._lengths.clear()
        self._heap.clear()
        self.stale.clear()
        self.stale.update(point for point, stage in self._stages.items() if _is_ready(stage))

    def length(self, point: Point) -> float:
        """Return the estimated seconds from the beginning of the stage at `point` to the farthest leaf after it."""
        known = self._lengths.get(point)
        return known if known is not None else self._measure(point)

    def longest_path(self, point: Point) -> tuple[Stage, ...]:
        """Return the chain from the stage at `point` along the longest way down; ties go to the smaller point."""
        self.length(point)
        chain = []
        following: Point | None = point
        while following is not None:
            chain.append(self._stages[following])
            after = self._followers.get(following)
            following = min(after, key=lambda p: (-self._lengths[p], p)) if after else None
        return tuple(chain)

    def ready(self, limit: int) -> list[Stage]:
        """Return up to `limit` stages that can start now, those with the longest way below them first.

        Ties go to the smaller node, then to the smaller step.
        """
        for point in self.stale:
            heapq.heappush(self._heap, (-self.length(point), point))
        self.stale.clear()
        chosen: list[tuple[float, Point]] = []
        while self._heap and len(chosen) < limit:
            entry = heapq.heappop(self._heap)
            if self._is_current(entry) and (not chosen or chosen[-1] != entry):
                chosen.append(entry)
        # most of them are given out now; those that are not come back when the scheduler asks again
        self.stale.update([point for _, point in chosen])
        return [self._stages[point] for _, point in chosen]

    def invalidate(self, point: Point) -> None:
        """Forget the lengths of this stage and of all that lead to it."""
        following: Point | None = point
        while following is not None:
            stage = self._stages.get(following)
            known = self._lengths.pop(following, None)
            if stage is None:
                break
            base = stage.base
            if type(base) in _READY:
                self.stale.add(following)
            if known is None and following != point:
                break  # what lies above was forgotten before
            following = base.point if isinstance(base, AfterStage) else None

    def _is_current(self, entry: tuple[float, Point]) -> bool:
        negative_length, point = entry
        stage = self._stages.get(point)
        return stage is not None and type(stage.base) in _READY and self._lengths.get(point) == -negative_length

    def _measure(self, point: Point) -> float:
        """Compute the lengths of the stage and all below it; without recursion, since chains are long."""
        stack = [point]
        while stack:
            top = stack[-1]
            followers = self._followers.get(top, ())
            unknown = [follower for follower in followers if follower not in self._lengths]
            if unknown:
                stack.extend(unknown)
                continue
            below = max((self._lengths[follower] for follower in followers), default=0.0)
            self._lengths[top] = self._costs[top] + below
            stack.pop()
        return self._lengths[point]


class StageTree:
    """A forest of stages, with the longest path below each kept up to date as stages come and go.

    A path length is recomputed only where a stage below it changed, and only when a scheduler asks. So a plan of
    10,000 leaves costs each event a logarithm, not a walk over the tree.
    """

    def __init__(self, stages: Iterable[Stage] = (), *, cost: Cost = steps_as_cost) -> None:
        self._stages: dict[Point, Stage] = {}
        self._followers: dict[Point, set[Point]] = {}
        self._underway: dict[LeaseId, set[Point]] = {}
        self._cost = cost
        self._costs: dict[Point, float] = {}
        #: of all stages
        self.num_steps, self._seconds = 0, 0.0
        #: how many stages can start now
        self.num_ready = 0
        #: how many of these can start only in slots that hold a state: however many are chosen, others may fit, too
        self.num_bound = 0
        self._paths = CriticalPaths(self._stages, self._followers, self._costs)
        for stage in stages:
            self.put(stage)

    # --- what it holds

    @property
    def stages(self) -> MappingProxyType[Point, Stage]:
        """The stages by the point at which each ends."""
        return MappingProxyType(self._stages)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StageTree) and self._stages == other._stages

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __len__(self) -> int:
        return len(self._stages)

    def __repr__(self) -> str:
        rows = sorted(self._stages.values(), key=lambda stage: stage.point)
        return f"StageTree({rows})"

    @property
    def seconds(self) -> float:
        """The estimated seconds of all stages."""
        return self._seconds if self._stages else 0.0  # what rounding left behind is no time

    @property
    def num_leaves(self) -> int:
        """How many stages nothing follows: each ends another way down. Counted anew, as `all_ready` is."""
        return len(self._stages.keys() - self._followers.keys())

    def followers(self, point: Point) -> list[Stage]:
        """Return the stages that begin where the stage at `point` ends, in order of their points."""
        following = self._followers.get(point)
        return [self._stages[follower] for follower in sorted(following)] if following else []

    def underway(self, lease: LeaseId) -> frozenset[Point]:
        """Return the points that something waits for and that this lease will reach."""
        return frozenset(self._underway.get(lease, ()))

    # --- how it changes

    def put(self, stage: Stage) -> None:
        """Add the stage, in the place of the one that ends at the same point."""
        point = stage.point
        before = self._stages.get(point)
        if before is not None and before.start == stage.start:
            if before.base != stage.base:
                self._rebase(point, before, stage)
            return
        self.discard(point)
        self._stages[point] = stage
        cost = self._costs[point] = self._cost(stage)
        self.num_steps += stage.stop - stage.start
        self._seconds += cost
        self._link(point, stage.base)
        self._paths.invalidate(point)

    def discard(self, point: Point) -> None:
        """Remove the stage that ends at `point`, if there is one."""
        stage = self._stages.get(point)
        if stage is None:
            return
        self._paths.invalidate(point)
        del self._stages[point]
        self.num_steps -= stage.stop - stage.start
        self._seconds -= self._costs.pop(point)
        self._unlink(point, stage.base)

    def _rebase(self, point: Point, before: Stage, stage: Stage) -> None:
        """Let a stage begin from something else: what it costs stays, and so does the longest way below it."""
        self._stages[point] = stage
        self._unlink(point, before.base)
        self._link(point, stage.base)
        for base in (before.base, stage.base):
            if type(base) is AfterStage:
                self._paths.invalidate(base.point)
        if _is_ready(stage):
            self._paths.stale.add(point)

    def _link(self, point: Point, base: Base) -> None:
        """Count a stage among those that begin so."""
        kind = type(base)  # and no `match`: this is where the tree spends its time
        self.num_ready += kind in _READY
        if kind is AfterStage:
            self._followers.setdefault(base.point, set()).add(point)  # type: ignore[union-attr]
        elif kind is Underway:
            self._underway.setdefault(base.lease, set()).add(point)  # type: ignore[union-attr]
        elif kind is AtResident:
            self.num_bound += 1

    def _unlink(self, point: Point, base: Base) -> None:
        kind = type(base)
        self.num_ready -= kind in _READY
        self._paths.stale.discard(point)
        if kind is AfterStage:
            _drop(self._followers, base.point, point)  # type: ignore[union-attr]
        elif kind is Underway:
            _drop(self._underway, base.lease, point)  # type: ignore[union-attr]
        elif kind is AtResident:
            self.num_bound -= 1

    def recost(self, cost: Cost) -> None:
        """Take other estimates; every path length is computed anew."""
        self._cost = cost
        self._costs.update((point, cost(stage)) for point, stage in self._stages.items())
        self._seconds = sum(self._costs.values())
        self._paths.begin_anew()

    # --- longest paths

    def length(self, point: Point) -> float:
        """Return the estimated seconds from the beginning of the stage at `point` to the farthest leaf after it."""
        return self._paths.length(point)

    def longest_path(self, point: Point) -> tuple[Stage, ...]:
        """Return the chain from the stage at `point` along the longest way down; ties go to the smaller point."""
        return self._paths.longest_path(point)

    def ready(self, limit: int) -> list[Stage]:
        """Return up to `limit` stages that can start now, those with the longest way below them first.

        Ties go to the smaller node, then to the smaller step.
        """
        return self._paths.ready(limit)

    def all_ready(self) -> Iterator[Stage]:
        """Yield every stage that can start now, in no particular order."""
        return (stage for stage in self._stages.values() if _is_ready(stage))


#: whoever begins at one of these waits for nothing
_READY = frozenset({Fresh, AtCheckpoint, AtResident})


def _is_ready(stage: Stage) -> bool:
    return type(stage.base) in _READY


def _drop(index: dict[_Key, set[Point]], key: _Key, point: Point) -> None:
    members = index[key]
    members.discard(point)
    if not members:
        del index[key]
