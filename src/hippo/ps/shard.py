"""One shard of a parameter server: the owner of some rows of every branch.

Whoever brings it the last gradient that a clock lacks adds the clock up, on the owner's behalf and alone: in the order
of clocks, and of workers within a clock, whoever came first. So the sums are functions of the gradients. Under free
order each gradient is added when it comes, one at a time. This module refuses to know processes, and what is trained.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from hippo.ps.gradients import SentGradient
from hippo.ps.layout import Array, Fields, Tables
from hippo.ps.memory import GangMemory, parts_of
from hippo.ps.operations import RunClocks
from hippo.ps.rules import RowUpdate, ServerRule
from hippo.ps.staleness import UpdateOrder

#: some rows of every table, by themselves: table -> field -> rows
Rows = Mapping[str, Fields]


class AbstractShard(ABC):
    """Some rows of every table, of all branches, as workers use them."""

    #: whether workers read its rows where they lie
    is_here: bool

    @abstractmethod
    def begin(self, run: RunClocks) -> None:
        """Prepare for a step of a branch. Called once in each process, while nobody reads or delivers."""

    @abstractmethod
    def has(self, clock: int) -> bool:
        """Whether all updates up to this clock are there."""

    @abstractmethod
    def read_at(self, clock: int, into: Tables) -> None:
        """Copy its rows as they are after exactly this clock, which it has and did not have long since."""

    @abstractmethod
    def read_latest(self, into: Tables, *, worker: int) -> int:
        """Copy its rows as they are, and return the last clock of which all updates of others are in them."""

    @abstractmethod
    def deliver(self, worker: int, clock: int, sent: Mapping[str, SentGradient], sums: Mapping[str, Array]) -> None:
        """Take a worker's gradients of a clock, and have added up what is complete.

        Args:
          worker: whose.
          clock: in which it found them.
          sent: table -> gradient of the whole table.
          sums: table -> sum of the gradients that the values had seen, where the rule wants that.
        """


class Shard(AbstractShard):
    """Some rows of every table, of all branches, in the memory of this process.

    Args:
      number: which.
      memory: the gang's.
      rule: how values change.
      lock: held by whoever changes its values, or reads them while others may.
    """

    is_here = True

    def __init__(self, number: int, memory: GangMemory, rule: ServerRule, lock: AbstractContextManager[Any]) -> None:
        self._number = number
        self._memory = memory
        self._rule = rule
        self._lock = lock
        #: table -> [start, stop)
        self._rows = memory.layout.rows_of(number)
        self._log = memory.logs[number]
        self._run: RunClocks | None = None
        self._now: Rows = {}

    # --- branches

    def copy(self, source: int, target: int) -> None:
        """Copy its part of a slot of the pool into another one."""
        self._copy(self._memory.pool[source], self._memory.pool[target])

    def begin(self, run: RunClocks) -> None:
        self._run = run
        self._now = rows_in(self._memory.pool[run.slot], self._rows)

    # --- what workers do

    def has(self, clock: int) -> bool:
        if self._step.order is UpdateOrder.FREE:
            return bool(self._memory.delivered[self._number].min() >= clock)
        return bool(self._memory.applied[self._number] >= clock)

    def read_at(self, clock: int, into: Tables) -> None:
        with self._lock:
            if self._memory.applied[self._number] == clock:
                self._copy(self._memory.pool[self._step.slot], into)
                return
        self._copy(self._memory.older[clock % self._step.staleness], into)

    def read_latest(self, into: Tables, *, worker: int) -> int:
        with self._lock:
            self._copy(self._memory.pool[self._step.slot], into)
            delivered = enumerate(self._memory.delivered[self._number])
            return int(min((clock for other, clock in delivered if other != worker), default=self._step.stop))

    def deliver(self, worker: int, clock: int, sent: Mapping[str, SentGradient], sums: Mapping[str, Array]) -> None:
        self.take(worker, clock, parts_of(sent, sums, self._rows))

    def take(self, worker: int, clock: int, updates: Mapping[str, RowUpdate]) -> None:
        """Take what a worker found in a clock for these rows alone: table -> update of rows that are counted here."""
        delivered, applied = self._memory.delivered[self._number], self._memory.applied
        if self._step.order is UpdateOrder.FREE:
            with self._lock:
                for name, table in self._now.items():  # without a gradient, too: as workers do with their copies
                    found = [updates[name]] if name in updates else []
                    self._rule.apply(table, found, self._step.rule_values)
                delivered[worker] = clock
            return
        self._log.put(worker, clock, updates)
        with self._lock:
            delivered[worker] = clock
            while delivered.min() > applied[self._number]:
                self._add_up(int(applied[self._number]) + 1)

    # --- of the owner, under the lock

    def _add_up(self, clock: int) -> None:
        """Add what all workers found in a clock, in their order, and keep the values from before where they may lag."""
        run = self._step
        if run.staleness:
            self._copy(self._memory.pool[run.slot], self._memory.older[(clock - 1) % run.staleness])
        workers = range(self._memory.layout.num_shards)
        for name, table in self._now.items():
            found = [update for w in workers if (update := self._log.get(name, w, clock)) is not None]
            self._rule.apply(table, found, run.rule_values)
        self._memory.applied[self._number] = clock

    def _copy(self, source: Tables, target: Tables) -> None:
        for name, (start, stop) in self._rows.items():
            for field, array in source[name].items():
                target[name][field][start:stop] = array[start:stop]

    @property
    def _step(self) -> RunClocks:
        assert self._run is not None, "a step has begun"
        return self._run


def rows_in(tables: Tables, rows: Mapping[str, tuple[int, int]], *, is_copied: bool = False) -> Rows:
    """Return some rows of tables, as views or copied: table -> [start, stop) says which."""
    views = {
        name: {field: array[start:stop] for field, array in tables[name].items()}
        for name, (start, stop) in rows.items()
    }
    return copy.deepcopy(views) if is_copied else views


def put_rows(found: Rows, tables: Tables, rows: Mapping[str, tuple[int, int]]) -> None:
    """Copy rows that lie by themselves to where they belong in tables: table -> [start, stop) says where."""
    for name, (start, stop) in rows.items():
        for field, array in found[name].items():
            tables[name][field][start:stop] = array
