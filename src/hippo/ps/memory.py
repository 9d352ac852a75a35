"""The memory of a gang: the pool of branch copies, older versions of the one that is trained, gradients on their way.

All of it is allocated before the workers start, by whoever carries messages between them, and seen by all. The pool is
touched at once, since the first touch of a page costs ten times its copy; the rest only as far as it is used. This
module refuses to know who reads and writes what when.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from hippo.ps.gradients import SentGradient
from hippo.ps.layout import Array, BranchLayout
from hippo.ps.rules import RowUpdate

#: returns zeroed bytes
Allocate = Callable[[int], Array]

_NOTHING, _ALL_ROWS = -2, -1


class GangMemory:
    """The memory of all shards of a gang.

    Args:
      layout: of a branch.
      allocate: makes memory that all workers see.
      num_slots: of the pool.
      most_staleness: the largest staleness bound.
      needs_sums: whether gradients travel with the sum of those that were seen before.
    """

    def __init__(
        self, layout: BranchLayout, allocate: Allocate, *, num_slots: int, most_staleness: int, needs_sums: bool
    ) -> None:
        self.layout = layout
        pool = allocate(num_slots * layout.branch_bytes).reshape(num_slots, layout.branch_bytes)
        pool.fill(0)  # touched now
        #: the branches: slot -> table -> field -> array
        self.pool = [layout.branch(slot) for slot in pool]
        older = allocate(max(1, most_staleness) * layout.branch_bytes).reshape(-1, layout.branch_bytes)
        #: states of the branch under way as they were up to `most_staleness` clocks ago
        self.older = [layout.branch(version) for version in older]
        workers, shards = layout.num_shards, layout.num_shards
        counters = allocate(8 * (shards * workers + shards + 1)).view(np.int64)
        #: shards x workers: the last clock that has come from each
        self.delivered = counters[: shards * workers].reshape(shards, workers)
        #: of each shard: the last clock of which it has added up all
        self.applied = counters[shards * workers : -1]
        #: not 0: workers are to give up what they are at
        self.aborted = counters[-1:]
        self.logs = [
            GradientLog(layout, shard, allocate, length=most_staleness + 1, needs_sums=needs_sums)
            for shard in range(shards)
        ]

    def begin(self, start: int) -> None:
        """Set the counters before a step, while all workers wait."""
        self.delivered[...] = start - 1
        self.applied[...] = start - 1
        self.aborted[...] = 0


class GradientLog:
    """Gradients of one shard's rows that wait to be added up: the last few clocks of each worker."""

    def __init__(self, layout: BranchLayout, shard: int, allocate: Allocate, *, length: int, needs_sums: bool) -> None:
        #: table -> [start, stop)
        self._rows = layout.rows_of(shard)
        self._length = length
        shapes = {table.name: table for table in layout.tables if table.name in self._rows}
        cells = layout.num_shards * length
        self._counts: dict[str, Array] = {}
        self._numbers: dict[str, Array] = {}
        self._means: dict[str, Array] = {}
        self._sums: dict[str, Array] = {}
        for name, table in shapes.items():
            start, stop = self._rows[name]
            shape, dtype = (cells, stop - start, *table.shape[1:]), np.dtype(table.dtype)
            size_bytes = int(np.prod(shape)) * dtype.itemsize
            self._counts[name] = allocate(8 * cells).view(np.int64)
            self._numbers[name] = allocate(8 * cells * (stop - start)).view(np.int64).reshape(cells, stop - start)
            self._means[name] = allocate(size_bytes).view(dtype).reshape(shape)
            if needs_sums:
                self._sums[name] = allocate(size_bytes).view(dtype).reshape(shape)

    def put(self, worker: int, clock: int, updates: Mapping[str, RowUpdate]) -> None:
        """Keep what a worker found for this shard's rows in a clock, in the place of what is `length` clocks older."""
        cell = self._cell(worker, clock)
        for name, counts in self._counts.items():
            update = updates.get(name)
            if update is None:
                counts[cell] = _NOTHING
                continue
            count = len(update.gradient)
            if isinstance(update.rows, slice):
                counts[cell] = _ALL_ROWS
            else:
                counts[cell] = count
                self._numbers[name][cell, :count] = update.rows
            self._means[name][cell, :count] = update.gradient
            if update.read_sum is not None:
                self._sums[name][cell, :count] = update.read_sum

    def get(self, name: str, worker: int, clock: int) -> RowUpdate | None:
        """Return what a worker found for a table in a clock; None: nothing."""
        cell = self._cell(worker, clock)
        count = int(self._counts[name][cell])
        if count == _NOTHING:
            return None
        is_all = count == _ALL_ROWS
        size = self._means[name].shape[1] if is_all else count
        return RowUpdate(
            slice(None) if is_all else self._numbers[name][cell, :count],
            self._means[name][cell, :size],
            self._sums[name][cell, :size] if name in self._sums else None,
        )

    def _cell(self, worker: int, clock: int) -> int:
        return worker * self._length + clock % self._length


def parts_of(
    sent: Mapping[str, SentGradient], sums: Mapping[str, Array], rows: Mapping[str, tuple[int, int]]
) -> dict[str, RowUpdate]:
    """Return the parts of gradients that concern some rows; a table of which there is nothing is left out.

    Args:
      sent: table -> gradient.
      sums: table -> sum of gradients that its values had seen, where the rule wants that.
      rows: table -> [start, stop).
    """
    return {
        name: part
        for name, stretch in rows.items()
        if name in sent and (part := _part_of(sent[name], sums.get(name), stretch)) is not None
    }


def _part_of(sent: SentGradient, read_sum: Array | None, rows: tuple[int, int]) -> RowUpdate | None:
    """Return the part of a gradient that concerns some rows of its table, counted from the first of them.

    Args:
      sent: of the whole table, or of rows of it.
      read_sum: the whole table's sum of gradients that its values had seen, if the rule wants that.
      rows: [start, stop).

    Returns:
      None if there is nothing of it.
    """
    start, stop = rows
    if sent.rows is None:
        return RowUpdate(slice(None), sent.mean[start:stop], None if read_sum is None else read_sum[start:stop])
    first, end = np.searchsorted(sent.rows, (start, stop))
    if first == end:
        return None
    numbers = sent.rows[first:end]
    return RowUpdate(numbers - start, sent.mean[first:end], None if read_sum is None else read_sum[numbers])
