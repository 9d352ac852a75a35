"""The states of a plan that lie in files, read from rows alone: what they take, and what making them anew takes.

Whoever decides which files may go has to see all of them at once, and a plan may have a hundred thousand. So no node is
loaded for it: a node is its parent and its start here. It refuses to know what a state is worth to anybody.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from hippo.plan.rows import CheckpointRow, NodeRow, StepRow
from hippo.plan.store import Moment
from hippo.records import NodeId, Point


class StateFile(NamedTuple):
    """A file in a store of checkpoints that holds one state."""

    key: str
    size_bytes: int


class StatesInFiles:
    """The files of one plan, by the states that they hold.

    Args:
      nodes: number of each node -> its parent, None for a root, and its start.
      files: state -> its file.
      seconds: number of each node -> what a step of it takes on average.
      other_seconds: the same of nodes whose steps were never timed.
    """

    def __init__(
        self,
        nodes: dict[int, tuple[int | None, int]],
        files: dict[Point, StateFile],
        seconds: dict[int, float],
        *,
        other_seconds: float = 1.0,
    ) -> None:
        self._nodes = nodes
        self.files = files
        self._seconds = seconds
        self._other_seconds = other_seconds
        #: number of each node with files -> the steps after which one was written, ascending
        self._steps: dict[int, list[int]] = {}
        for number, step in files:
            insort(self._steps.setdefault(number, []), step)

    @classmethod
    def read(cls, rows: Moment, plan: int, *, there: Container[str] | None = None) -> StatesInFiles:
        """Return what a plan holds at one moment.

        Args:
          rows: the moment.
          plan: which.
          there: the names of the states that are there; None: all that rows name.
        """
        of_nodes, of_files = ("node", "parent", "start"), ("node", "step", "key", "size_bytes")
        nodes = {node: (parent, start) for node, parent, start in rows.columns(NodeRow, of_nodes, plan=plan)}
        files = {
            Point(node, step): StateFile(key, size)
            for node, step, key, size in rows.columns(CheckpointRow, of_files, plan=plan, gone="")
            if there is None or key in there
        }
        timed = rows.totals(StepRow, ("node",), "seconds", plan=plan, attempt=0)
        seconds = {node: total / count for node, count, _, total, _ in timed}
        mean = sum(total for _, _, _, total, _ in timed) / max(1, sum(count for _, count, _, _, _ in timed))
        return cls(nodes, files, seconds, other_seconds=mean)

    @property
    def size_bytes(self) -> int:
        """What all files take together."""
        return sum(file.size_bytes for file in self.files.values())

    def owner(self, node: int, step: int) -> int:
        """Return the node of a path that ends in `node` to which what is known after `step` steps belongs."""
        return next((number for number, start, stop in self._back(node, step)), node)

    def on_way(self, node: int, until: int) -> Iterator[Point]:
        """Yield the states in files on the path that ends after `until` steps in a node, the last one first."""
        for number, start, stop in self._back(node, until):
            steps = self._steps.get(number, ())
            for at in range(bisect_right(steps, stop) - 1, -1, -1):
                if steps[at] <= start:
                    break
                yield Point(NodeId(number), steps[at])

    def steps_to_make(self, point: Point, gone: Container[Point]) -> list[tuple[int, int, int]]:
        """Return the steps that are run to make a state anew, as (node, start, stop], if some files are gone.

        Args:
          point: which state; its own file is never used.
          gone: those that are not there to begin from.
        """
        spans: list[tuple[int, int, int]] = []
        for number, start, stop in self._back(*point):
            steps = self._steps.get(number, ())
            for at in range(bisect_right(steps, stop) - 1, -1, -1):
                found = Point(NodeId(number), steps[at])
                if steps[at] <= start:
                    break
                if found != point and found not in gone:
                    return spans if steps[at] == stop else [*spans, (number, steps[at], stop)]
            spans.append((number, start, stop))
        return spans

    def seconds_of(self, spans: Iterable[tuple[int, int, int]]) -> float:
        """Return what running steps should take, in seconds."""
        return sum((stop - start) * self._seconds.get(node, self._other_seconds) for node, start, stop in spans)

    def _back(self, node: int, until: int) -> Iterator[tuple[int, int, int]]:
        """Yield the path to `until` as (node, start, stop], the last part first."""
        at: int | None = node
        stop = until
        while at is not None:
            parent, start = self._nodes[at]
            if start < stop:
                yield at, start, stop
                stop = start
            at = parent
