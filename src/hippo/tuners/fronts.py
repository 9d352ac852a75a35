"""Non-dominated fronts that take in one point after another.

Deb et al. 2002, NSGA-II: the first front is what no other point dominates, the second what only points of the first
dominate, and so on; within a front, points are ordered by how much room they have (crowding distance). Sorting n points
anew for each that comes costs n times as much as sorting once. Three invariants spare that:

1. A point belongs to the first front of which no point dominates it, and if front k dominates it, all before k do, so
   that the front is found by halving. It pushes those out that it dominates; they go to the next front *together*, push
   out what they dominate there, and so on (Li et al. 2017, "Efficient Nondomination Level Update Method"). Where they
   push out all of a front, that is the next front, and what is behind moves by one without being touched.
2. Only as many fronts are kept as were asked for (`reach`). The rest lies unsorted behind the last one, which dominates
   each of them, and is sorted when a question reaches it. A tuner promotes one in four: three quarters of what is
   pushed down never has to find its place.
3. With two objectives a front is a staircase: as the first loss rises, the second falls. What is pushed out is one
   stretch of it, and it lands as one stretch in the next front, so lists and bisection will do. A point that comes or
   goes changes the distances of its neighbours alone, unless the front's ends change, by which all are divided.

Equal points dominate neither each other nor differently, so they share a front. Their distances differ (the first of
them is next to one neighbour, the last to the other), so that their order must be told: it is by age, never by arrival.

This module refuses to know what a point stands for: it has a number, its age, and some wait.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

from sortedcontainers import SortedList

if TYPE_CHECKING:
    from numpy.typing import NDArray

Point = tuple[float, ...]

#: how many more points are brought into fronts than were asked for, so that not each question asks for more
SLACK = 1.25


class RankedKeys:
    """Keys in order, the smallest first, and those of them that wait.

    Args:
      keys: each at most once.
      waiting: those of them that wait.
    """

    def __init__(self, keys: Iterable[Any] = (), waiting: Iterable[Any] = ()) -> None:
        self._keys: SortedList = SortedList(keys)
        self._waiting: SortedList = SortedList(waiting)

    def add(self, key: Any, *, waits: bool) -> None:
        """Put a key in its place."""
        self._keys.add(key)
        if waits:
            self._waiting.add(key)

    def remove(self, key: Any) -> None:
        """Take a key out of its place."""
        self._keys.remove(key)
        self._waiting.discard(key)

    def settle(self, key: Any) -> None:
        """Leave a key where it is, and have it wait no longer."""
        self._waiting.remove(key)

    def rank(self, key: Any) -> int:
        """Return how many are smaller."""
        return int(self._keys.bisect_left(key))

    @property
    def first_waiting(self) -> Any | None:
        """The smallest that waits."""
        return self._waiting[0] if self._waiting else None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


class Front(Protocol):
    """Points none of which dominates another."""

    #: of the points
    ages: list[int]
    #: how many of them wait
    num_waiting: int

    def dominates(self, point: Point) -> bool:
        """Tell whether one of the points dominates this one."""

    def absorb(self, run: Self, waiting: set[int]) -> Self | None:
        """Take in points that none of these dominates; return those that they dominate, which belong here no longer."""

    def points(self) -> Iterator[tuple[Point, int]]:
        """Yield each point and its age."""

    def crowding(self) -> NDArray[Any]:
        """Return the crowding distance of each point, in the order of `ages`."""

    def ranked(self, waiting: set[int]) -> RankedKeys:
        """Return (minus the crowding distance, age) of all points, in order."""


class Staircase:
    """A front of two objectives.

    Args:
      xs: the first losses, ascending.
      ys: the second ones, descending; strictly where the first ones ascend strictly.
      ages: ascending among equal points.
      num_waiting: how many of the points wait.
    """

    __slots__ = ("_ranked", "ages", "num_waiting", "xs", "ys")

    def __init__(self, xs: list[float], ys: list[float], ages: list[int], num_waiting: int) -> None:
        self.xs = xs
        self.ys = ys
        self.ages = ages
        self.num_waiting = num_waiting
        self._ranked: RankedKeys | None = None

    def dominates(self, point: Point) -> bool:
        x, y = point
        i = bisect_right(self.xs, x) - 1  # of those that are no worse in x, the best in y
        return i >= 0 and self.ys[i] <= y and (self.ys[i] != y or self.xs[i] != x)

    def absorb(self, run: Staircase, waiting: set[int]) -> Staircase | None:
        start, stop = self._place(run)
        before = None if self._ranked is None else (self._ends(), self._keys_around(start, stop))
        out = None
        if stop > start:
            ages = self.ages[start:stop]
            count = sum(map(waiting.__contains__, ages))
            out = Staircase(self.xs[start:stop], self.ys[start:stop], ages, count)
            self.num_waiting -= count
        self.num_waiting += run.num_waiting
        self.xs[start:stop] = run.xs
        self.ys[start:stop] = run.ys
        self.ages[start:stop] = run.ages
        if before is not None:
            self._rank_again(*before, start, start + len(run.ages), waiting)
        return out

    def _place(self, run: Staircase) -> tuple[int, int]:
        """Return the stretch that is dominated by a run, and that the run takes the place of; maybe an empty one.

        A run comes from the front above, where it was a stretch. What is dominated here by its first and by its last
        point, and what lies in between, is dominated by none but its points, so that it is one stretch, too.
        """
        xs, ys = self.xs, self.ys
        begin, end, size = -1, 0, len(xs)
        for x, y in zip(run.xs, run.ys, strict=True):
            i = bisect_left(xs, x, end)
            if i < size and ys[i] >= y:
                if xs[i] == x and ys[i] == y:  # equal points push each other not out: a run of one, which is new
                    i = bisect_left(self.ages, run.ages[0], i, bisect_right(xs, x, i))
                    return i, i
                if begin < 0:
                    begin = i
                end = i + 1
                while end < size and ys[end] >= y:
                    end += 1
        if begin < 0:
            begin = end = bisect_left(xs, run.xs[0])
        return begin, end

    def points(self) -> Iterator[tuple[Point, int]]:
        return zip(zip(self.xs, self.ys, strict=True), self.ages, strict=True)

    def crowding(self) -> NDArray[Any]:
        import numpy as np

        return crowding_distances(np.array([self.xs, self.ys], dtype=float).T, np.array(self.ages))

    def ranked(self, waiting: set[int]) -> RankedKeys:
        if self._ranked is None:
            self._ranked = rank_by_crowding(self, waiting)
        return self._ranked

    def _ends(self) -> tuple[float, float, float, float]:
        return self.xs[0], self.ys[0], self.xs[-1], self.ys[-1]

    def _rank_again(
        self,
        ends: tuple[float, ...],
        keys: Iterable[tuple[float, int]],
        start: int,
        stop: int,
        waiting: set[int],
    ) -> None:
        """Bring the order up to date after a change of the points from `start` to `stop`.

        Args:
          ends: of the front before.
          keys: around the change, before.
          start: of the change.
          stop: of the change, now.
          waiting: ages of those that wait.
        """
        if self._ranked is None or self._ends() != ends:
            self._ranked = None
            return
        for key in keys:
            self._ranked.remove(key)
        for key in self._keys_around(start, stop):
            self._ranked.add(key, waits=key[1] in waiting)

    def _keys_around(self, start: int, stop: int) -> list[tuple[float, int]]:
        """Return the keys of the points from `start` to `stop`, and of all to which they are neighbours.

        Of equal points the first and the last have other points for neighbours.
        """
        around = set(range(max(start - 1, 0), min(stop + 1, len(self.xs))))
        for i in (start - 1, stop):
            if 0 <= i < len(self.xs):
                x = self.xs[i]
                around |= {bisect_left(self.xs, x), bisect_right(self.xs, x) - 1}
        return [self._key(i) for i in around]

    def _key(self, i: int) -> tuple[float, int]:
        """Return minus the crowding distance of a point, as `crowding_distances` would, and its age."""
        xs, ys, last = self.xs, self.ys, len(self.xs) - 1
        x = xs[i]
        is_first = i == 0 or xs[i - 1] != x
        is_last = i == last or xs[i + 1] != x
        has_end_in_y = (is_first and xs[last] == x) or (is_last and xs[0] == x)
        if i == 0 or i == last or has_end_in_y:
            return -math.inf, self.ages[i]
        distance = 0.0
        width, height = xs[last] - xs[0], ys[0] - ys[last]
        if 0 < width < math.inf:
            distance += (xs[i + 1] - xs[i - 1]) / width
        if 0 < height < math.inf:
            # ordered by y, equal points are still ordered by age: before the first of them comes what is right of all
            below = ys[bisect_right(xs, x, i)] if is_first else ys[i]
            above = ys[bisect_left(xs, x, 0, i + 1) - 1] if is_last else ys[i]
            distance += (above - below) / height
        return -distance, self.ages[i]


class Cloud:
    """A front of three objectives or more.

    Args:
      rows: points x objectives.
      ages: in the order of the rows.
      num_waiting: how many of the points wait.
    """

    __slots__ = ("_ranked", "ages", "num_waiting", "rows")

    def __init__(self, rows: NDArray[Any], ages: list[int], num_waiting: int) -> None:
        self.rows = rows
        self.ages = ages
        self.num_waiting = num_waiting
        self._ranked: RankedKeys | None = None

    def dominates(self, point: Point) -> bool:
        return bool(((self.rows <= point).all(axis=1) & (self.rows < point).any(axis=1)).any())

    def absorb(self, run: Cloud, waiting: set[int]) -> Cloud | None:
        import numpy as np

        self._ranked = None
        mine, theirs = self.rows[None], run.rows[:, None]
        is_out = ((theirs <= mine).all(axis=2) & (theirs < mine).any(axis=2)).any(axis=0)
        out = None
        if is_out.any():
            ages = [self.ages[i] for i in np.flatnonzero(is_out).tolist()]
            out = Cloud(self.rows[is_out], ages, sum(map(waiting.__contains__, ages)))
            self.rows = self.rows[~is_out]
            self.ages = [self.ages[i] for i in np.flatnonzero(~is_out).tolist()]
            self.num_waiting -= out.num_waiting
        self.rows = np.concatenate((self.rows, run.rows))
        self.ages += run.ages
        self.num_waiting += run.num_waiting
        return out

    def points(self) -> Iterator[tuple[Point, int]]:
        return zip(map(tuple, self.rows.tolist()), self.ages, strict=True)

    def crowding(self) -> NDArray[Any]:
        import numpy as np

        return crowding_distances(self.rows, np.array(self.ages))

    def ranked(self, waiting: set[int]) -> RankedKeys:
        if self._ranked is None:
            self._ranked = rank_by_crowding(self, waiting)
        return self._ranked


def crowding_distances(rows: NDArray[Any], ages: NDArray[Any]) -> NDArray[Any]:
    """Return the crowding distance of each point of a front (NSGA-II, section III-B); equal values are taken by age.

    Args:
      rows: points x objectives.
      ages: of the points.
    """
    import numpy as np

    distances = np.zeros(len(rows))
    for column in rows.T:
        by_value = np.lexsort((ages, column))
        values = column[by_value]
        distances[by_value[[0, -1]]] = math.inf
        width = float(values[-1]) - float(values[0])
        if 0 < width < math.inf:  # neither infinity less infinity, which is NaN
            distances[by_value[1:-1]] += (values[2:] - values[:-2]) / width
    return distances


def rank_by_crowding(front: Front, waiting: set[int]) -> RankedKeys:
    """Return (minus the crowding distance, age) of all points of a front, in order."""
    import numpy as np

    distances, ages = front.crowding(), np.array(front.ages)
    in_order = np.lexsort((ages, -distances))  # so that nothing is left to sort
    keys = list(zip((-distances[in_order]).tolist(), ages[in_order].tolist(), strict=True))
    return RankedKeys(keys, [key for key in keys if key[1] in waiting])


class Fronts:
    """Points in non-dominated fronts, of which as many are kept in order as were asked for."""

    def __init__(self) -> None:
        #: ages of the points that wait
        self._waiting: set[int] = set()
        self._fronts: list[Any] = []  # `Front`s, all of one kind
        #: points in them
        self._count = 0
        #: the most that were asked for
        self._wanted = 0
        #: all other points, each dominated by one of the last front
        self._behind: list[tuple[Point, int]] = []

    def add(self, point: Point, age: int, *, waits: bool = False) -> None:
        """Take in a point; none of its values is NaN, and no other has its age."""
        if waits:
            self._waiting.add(age)
        depth = _depth(self._fronts, point)
        if depth == len(self._fronts):
            self._behind.append((point, age))
            return
        self._count += 1
        self._push(self._front(point, age), depth)

    def reach(self, count: int) -> Sequence[Front]:
        """Return the first fronts, with at least `count` points together, or all that there are."""
        self._wanted = max(self._wanted, count)
        if self._count < count and self._behind:
            self._bring(math.ceil(count * SLACK))
        while self._fronts and self._count - len(self._fronts[-1].ages) >= 2 * SLACK * self._wanted:
            self._drop_last()
        return self._fronts

    def ranked(self) -> Iterator[int]:
        """Yield the ages of all points, those of the first front first, and in each the least crowded first."""
        depth, count = 0, 0
        while count < len(self):
            front = self.reach(count + 1)[depth]
            yield from (age for _, age in front.ranked(self._waiting))
            depth, count = depth + 1, count + len(front.ages)

    def is_among(self, point: Point, age: int, count: int) -> bool:
        """Tell whether one of the points is among the `count` first."""
        fronts = self.reach(count)
        depth = _depth(fronts, point)
        better = sum(len(front.ages) for front in fronts[:depth])
        if depth == len(fronts) or better >= count:
            return False
        ranked = fronts[depth].ranked(self._waiting)
        return any(age == one for _, one in itertools.islice(ranked, count - better))

    def take_first(self, count: int) -> int | None:
        """Return the first point that waits, by its age, if it is among the `count` first; it waits no longer."""
        better = 0
        for front in self.reach(count):
            if better >= count:
                return None
            if front.num_waiting:
                ranked = front.ranked(self._waiting)
                key = ranked.first_waiting
                if key is None or better + ranked.rank(key) >= count:
                    return None
                ranked.settle(key)
                front.num_waiting -= 1
                self._waiting.remove(key[1])
                return int(key[1])
            better += len(front.ages)
        return None

    @property
    def num_waiting(self) -> int:
        """How many points wait."""
        return len(self._waiting)

    def __len__(self) -> int:
        return self._count + len(self._behind)

    def _front(self, point: Point, age: int) -> Front:
        num_waiting = int(age in self._waiting)
        if len(point) == 2:
            return Staircase([point[0]], [point[1]], [age], num_waiting)
        import numpy as np

        return Cloud(np.array([point], dtype=float), [age], num_waiting)

    def _push(self, run: Front, depth: int) -> None:
        """Put points into a front, those they push out into the next one, and so on."""
        while depth < len(self._fronts):
            front = self._fronts[depth]
            out = front.absorb(run, self._waiting)
            if out is None:
                return
            depth += 1
            if len(front.ages) == len(run.ages):  # all that was there: it is the next front, and dominates what was it
                self._fronts.insert(depth, out)
                return
            run = out
        self._count -= len(run.ages)
        self._behind += run.points()

    def _bring(self, count: int) -> None:
        """Sort what is behind, and keep as many more fronts as make `count` points."""
        fronts: list[Any] = []
        for point, age in sorted(self._behind):  # what dominates a point comes before it: nothing is pushed out
            run, depth = self._front(point, age), _depth(fronts, point)
            if depth == len(fronts):
                fronts.append(run)
            else:
                fronts[depth].absorb(run, self._waiting)
        self._behind.clear()
        for front in fronts:
            if self._count < count:
                self._fronts.append(front)
                self._count += len(front.ages)
            else:
                self._behind += front.points()

    def _drop_last(self) -> None:
        front = self._fronts.pop()
        self._count -= len(front.ages)
        self._behind += front.points()


def _depth(fronts: Sequence[Front], point: Point) -> int:
    """Return the number of the first front that does not dominate a point; how many there are, if all do."""
    return bisect_left(fronts, True, key=lambda front: not front.dominates(point))
