"""What a look at a study's progress needs, kept from look to look: it costs what changed since, and walks over no plan.

Looks are taken several times a second on the thread that decides, and a study may have a hundred thousand trials. So
trials whose row changed are noted, and counted anew at the next look; before the first look nothing is noted at all.

How far trials are on their paths moves with every step that is trained, for whatever study, and no row tells of it. So
each trial that is not answered as far as it was asked waits at the first node of its path that is not trained through.
A step trained there moves all that wait there by one, as a count; only a trial whose part of the node is through is
placed again. Below an untrained node nothing is trained, so that this node is found from the path's end.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from sortedcontainers import SortedList

from hippo.plan import Node, SearchPlan, TrialRow
from hippo.records import TrialState
from hippo.runtime.studies.stored_trials import CallSums

_WAITING = (TrialState.PAUSED.value, TrialState.RUNNING.value)


class TrialTally:
    """Sums over the trials of a study.

    Args:
      rows: the trials by number, as they are at any time.
      node_of: returns the node in which the path of a trial ends, None if this process knows nothing of its path.
      earlier: returns call -> sums over its trials, of calls whose trials are not among `rows`.
    """

    def __init__(
        self,
        rows: Mapping[int, TrialRow],
        node_of: Callable[[TrialRow], Node | None],
        earlier: Callable[[], Mapping[int, CallSums]] = dict,
    ) -> None:
        self._rows = rows
        self._read_earlier = earlier
        #: what was read at the first look
        self._earlier: dict[int, CallSums] = {}
        self._earlier_losses: SortedList[float] = SortedList()
        #: how many trials of earlier calls there are
        self._num_earlier = 0
        self._node_of = node_of
        #: the rows as they were counted
        self._counted: dict[int, TrialRow] = {}
        #: numbers of trials that changed since the last look; None before the first one
        self._changed: set[int] | None = None
        #: the plans that are watched, and what each of them fills
        self._watched: list[tuple[SearchPlan, set[Node]]] = []
        self._reach = Reach()
        self._losses = BestLosses()
        #: steps answered, of the trials that are not on their way
        self._answered = 0
        #: steps asked for
        self.asked = 0
        #: trials by state
        self.states: Counter[str] = Counter()
        #: how many are answered as far as they were asked, or failed
        self.done = 0

    @property
    def trials(self) -> int:
        """How many there are."""
        return len(self._rows) + self._num_earlier

    def note(self, number: int) -> None:
        """Note that a trial's row is another one."""
        if self._changed is not None:
            self._changed.add(number)

    def look(self, plans: Iterable[SearchPlan]) -> None:
        """Take into account what changed since the last look.

        Args:
          plans: on which the study is trained now.
        """
        watched = list(plans)
        if self._changed is None:
            self._earlier = dict(self._read_earlier())
            for sums in self._earlier.values():
                self._add_earlier(sums, 1)
        changed = set(self._rows) if self._changed is None else self._changed
        if not watched or [id(plan) for plan in watched] != [id(plan) for plan, _ in self._watched]:
            changed |= self._turn_to(watched)  # a call began, and its plan was read anew: other nodes move now
        self._reach.move()
        for number in changed:
            self._count(self._rows[number])
        self._changed = set()

    def leave_out(self, call: int) -> None:
        """Take a call's trials from those of earlier calls: they will be among the rows."""
        sums = self._earlier.pop(call, None)
        if sums is not None:
            self._add_earlier(sums, -1)

    def _add_earlier(self, sums: CallSums, sign: int) -> None:
        for state, count in sums.states.items():
            self.states[state] += sign * count
        self._num_earlier += sign * sums.states.total()
        self.done += sign * sums.done
        self.asked += sign * sums.asked
        self._answered += sign * sums.answered
        if sums.least is not None:
            (self._earlier_losses.add if sign > 0 else self._earlier_losses.remove)(sums.least)

    def _turn_to(self, plans: list[SearchPlan]) -> set[int]:
        """Watch other plans; return the trials that must be placed again."""
        on_their_way = set(self._reach.placed)
        self._answered += sum(self._counted[number].step for number in on_their_way)
        for plan, moved in self._watched:
            plan.facts.unwatch(moved)
        self._watched = [(plan, plan.facts.watch()) for plan in plans]
        self._reach = Reach(moved for _, moved in self._watched)
        return on_their_way

    def _count(self, row: TrialRow) -> None:
        before = self._counted.get(row.number)
        if before is not None:
            self._add(before, -1)
        if row.number in self._reach.placed:
            self._reach.leave(row.number)
        elif before is not None:
            self._answered -= before.step
        self._add(row, 1)
        self._counted[row.number] = row
        self._losses.replace(before, row)
        node = self._node_of(row) if row.step < row.until else None
        if node is None:
            self._answered += row.step
        else:
            self._reach.place(row.number, node, row.until)

    def _add(self, row: TrialRow, sign: int) -> None:
        self.asked += sign * row.until
        self.states[row.state] += sign
        self.done += sign * (row.step >= row.until or row.state == TrialState.FAIL.value)

    @property
    def steps_reached(self) -> int:
        """How far the trials are, summed; of those on their way, as far as anybody trained their path."""
        return self._answered + self._reach.total

    @property
    def least_loss(self) -> float | None:
        """The best loss of the trials that may be the best one; see `may_be_best`."""
        least = [*self._earlier_losses[:1]]
        if self._losses.least is not None:
            least.append(self._losses.least)
        return min(least, default=None)


@dataclass(slots=True, eq=False)
class _Front:
    """The trials whose paths are trained up to within one node."""

    node: Node
    #: how far the node was trained when it was looked at last
    reached: int
    #: (step at which a trial leaves the node, its number), the smallest first; some may have left before
    leaving: list[tuple[int, int]] = field(default_factory=list)
    count: int = 0


class Reach:
    """How far trials are on paths that others train, too.

    Args:
      moved: sets of nodes on which steps were run, filled by plans and emptied here.
    """

    def __init__(self, moved: Iterable[set[Node]] = ()) -> None:
        self._moved = list(moved)
        self._fronts: dict[Node, _Front] = {}
        #: number of a trial -> the end of its path, and where it waits; None: its path is trained through
        self.placed: dict[int, tuple[Node, int, _Front | None]] = {}
        #: how far all of them are, summed
        self.total = 0

    def place(self, number: int, end: Node, until: int) -> None:
        """Take a trial in, whose path goes to `until` in a node."""
        node, stop = _first_untrained(end, until)
        if node is None:
            self.placed[number] = (end, until, None)
            self.total += until
            return
        front = self._fronts.get(node)
        if front is None:
            front = self._fronts[node] = _Front(node, max(node.start, node.runs.furthest))
        front.count += 1
        heapq.heappush(front.leaving, (stop, number))
        self.placed[number] = (end, until, front)
        self.total += front.reached

    def leave(self, number: int) -> None:
        """Forget a trial."""
        _, until, front = self.placed.pop(number)
        if front is None:
            self.total -= until
            return
        self.total -= front.reached
        front.count -= 1
        if not front.count:
            del self._fronts[front.node]

    def move(self) -> None:
        """Take the steps into account that were run since the last time."""
        for moved in self._moved:
            while moved:
                front = self._fronts.get(moved.pop())
                if front is not None:
                    self._move(front)

    def _move(self, front: _Front) -> None:
        reached = max(front.reached, front.node.runs.furthest)
        self.total += front.count * (reached - front.reached)
        front.reached = reached
        through = []
        while front.leaving and front.leaving[0][0] <= reached:
            _, number = heapq.heappop(front.leaving)
            if number in self.placed and self.placed[number][2] is front:
                through.append((number, *self.placed[number][:2]))
                self.leave(number)
        for number, end, until in through:
            self.place(number, end, until)


def _first_untrained(end: Node, until: int) -> tuple[Node | None, int]:
    """Return the first node of a path that is not trained through, and where the path leaves it."""
    found: Node | None = None
    leaves = stop = until
    node: Node | None = end
    while node is not None:
        if node.start < stop:
            if node.runs.furthest >= stop:
                break
            found, leaves, stop = node, stop, node.start
        node = node.parent
    return found, leaves


#: call and step; None for complete trials, nothing for those that are never compared
_Group = tuple[int, int] | tuple[()] | None


class BestLosses:
    """The least loss of the trials that may be the best, as trials come to other steps and states."""

    def __init__(self) -> None:
        #: (loss, number) of trials by call and step, or of complete ones; some may have gone elsewhere since
        self._heaps: dict[_Group, list[tuple[float, int]]] = {}
        self._rows: dict[int, TrialRow] = {}
        #: call -> step -> how many of its trials wait there
        self._waiting: dict[int, Counter[int]] = {}

    def replace(self, before: TrialRow | None, row: TrialRow) -> None:
        """Take another row of a trial in the place of one."""
        if before is not None and before.state in _WAITING:
            steps = self._waiting[before.call]
            steps[before.step] -= 1
            if not steps[before.step]:
                del steps[before.step]
                self._heaps.pop((before.call, before.step), None)
            if not steps:
                del self._waiting[before.call]
        if row.state in _WAITING:
            self._waiting.setdefault(row.call, Counter())[row.step] += 1
        self._rows[row.number] = row
        group = _group_of(row)
        is_new = before is None or (_group_of(before), before.loss) != (group, row.loss)
        if group != () and row.loss is not None and (is_new or group not in self._heaps):
            heapq.heappush(self._heaps.setdefault(group, []), (row.loss, row.number))

    @property
    def least(self) -> float | None:
        """The least loss."""
        furthest = [(call, max(steps)) for call, steps in self._waiting.items()]
        groups: list[_Group] = [None, *(group for group in furthest if group[1] >= 1)]
        losses = [loss for group in groups if (loss := self._least_of(group)) is not None]
        return min(losses, default=None)

    def _least_of(self, group: _Group) -> float | None:
        heap = self._heaps.get(group, [])
        while heap:
            loss, number = heap[0]
            row = self._rows[number]
            if _group_of(row) == group and row.loss == loss:
                return loss
            heapq.heappop(heap)
        return None


def _group_of(row: TrialRow) -> _Group:
    """Return among which trials a trial is compared."""
    if row.state == TrialState.COMPLETE.value:
        return None
    return (row.call, row.step) if row.state in _WAITING else ()
