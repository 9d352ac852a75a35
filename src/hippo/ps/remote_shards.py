"""Shards whose rows lie in processes that share no memory: what workers call, and what answers them there.

Each process has the rows of its own shard. A worker asks the owners of the others, by handles that have a shard's own
methods, so that it is the same program as on shared memory. A step brings the rows of its branch along and takes them
back. This module refuses to know how calls travel.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hippo.ps.gradients import SentGradient
from hippo.ps.layout import Array, BranchLayout, Tables
from hippo.ps.memory import GangMemory, parts_of
from hippo.ps.operations import ClocksDone, RunClocks
from hippo.ps.rules import RowUpdate, ServerRule
from hippo.ps.shard import AbstractShard, Rows, Shard, put_rows, rows_in
from hippo.ps.worker import GangWorker, Work

if TYPE_CHECKING:
    from hippo.ps.trainer import PSTrainer


class ShardLink(ABC):
    """One worker's way to the owners of the other shards."""

    @abstractmethod
    def ask(self, owner: int, method: str, *arguments: Any) -> Any:
        """Call a method of another `ShardHost`, and return what it says.

        Raises:
          GangLostError: the owner is gone.
        """

    @abstractmethod
    def send(self, owner: int, method: str, *arguments: Any) -> None:
        """Call a method of another `ShardHost` which says nothing, and wait for it no sooner than in `settle`."""

    @abstractmethod
    def settle(self) -> None:
        """Wait until all that was sent is there; then have every worker look whether what it waits for is there.

        Raises:
          GangLostError: an owner is gone.
        """


class RemoteShard(AbstractShard):
    """A shard of another process, as a worker sees it: what `Shard` does for it, this does.

    Args:
      number: which.
      layout: of a branch.
      link: the worker's.
    """

    is_here = False

    def __init__(self, number: int, layout: BranchLayout, link: ShardLink) -> None:
        self._number = number
        self._rows = layout.rows_of(number)
        self._link = link

    def begin(self, run: RunClocks) -> None:
        pass  # its owner begins by itself, and whoever asks sooner waits there

    def has(self, clock: int) -> bool:
        return bool(self._link.ask(self._number, "has", clock))

    def read_at(self, clock: int, into: Tables) -> None:
        put_rows(self._link.ask(self._number, "read_at", clock), into, self._rows)

    def read_latest(self, into: Tables, *, worker: int) -> int:
        rows, clock = self._link.ask(self._number, "read_latest", worker)
        put_rows(rows, into, self._rows)
        return int(clock)

    def deliver(self, worker: int, clock: int, sent: Mapping[str, SentGradient], sums: Mapping[str, Array]) -> None:
        self._link.send(self._number, "take", worker, clock, parts_of(sent, sums, self._rows))


class ShardHost:
    """One worker and its shard, with memory of their own.

    Args:
      number: of both.
      trainer: whose `gradients` the worker calls.
      layout: of a branch.
      rule: how values change.
      most_staleness: the largest bound that will be asked for.
      lock: holds among all that call methods of this host.
      link: to the other hosts.
    """

    def __init__(
        self,
        number: int,
        trainer: PSTrainer,
        layout: BranchLayout,
        rule: ServerRule,
        *,
        most_staleness: int,
        lock: AbstractContextManager[Any],
        link: ShardLink,
    ) -> None:
        self._layout = layout
        self._rows = layout.rows_of(number)
        self._lock = lock
        # memory that is never touched, such as that of the rows of others, is never taken
        self._memory = GangMemory(
            layout, _zeros, num_slots=1, most_staleness=most_staleness, needs_sums=rule.sum_field is not None
        )
        self._shard = Shard(number, self._memory, rule, lock)
        shards = [
            self._shard if other == number else RemoteShard(other, layout, link) for other in range(layout.num_shards)
        ]
        self._worker = GangWorker(number, trainer, shards, self._memory, rule, link.settle)
        self._run: RunClocks | None = None

    # --- for its own process

    def begin(self, run: RunClocks, rows: Rows) -> None:
        """Prepare for a step. From now on others may call.

        Args:
          run: the step.
          rows: of its shard, as they are in the branch.
        """
        self._run = replace(run, slot=0)
        put_rows(rows, self._memory.pool[0], self._rows)
        self._memory.begin(run.start)
        self._shard.begin(self._run)

    def work(self) -> Work:
        """Do the worker's part of the step; done when others are, too, as far as its rows are concerned."""
        run = self._run
        assert run is not None, "a step has begun"
        report = yield from self._worker.work(run)
        if isinstance(report, ClocksDone):
            yield lambda: self._is_aborted or self._shard.has(run.stop - 1)
        return report

    def rows(self) -> Rows:
        """Return its rows as they are, copied."""
        with self._lock:
            return rows_in(self._memory.pool[0], self._rows, is_copied=True)

    def abort(self) -> None:
        """Have the worker give up what it is at."""
        self._memory.aborted[0] = 1

    @property
    def _is_aborted(self) -> bool:
        return bool(self._memory.aborted[0])

    # --- for the workers of others

    def has(self, clock: int) -> bool:
        """As `Shard.has`."""
        return self._shard.has(clock)

    def read_at(self, clock: int) -> Rows:
        """Return what `Shard.read_at` copies."""
        into = self._scratch()
        self._shard.read_at(clock, into)
        return rows_in(into, self._rows)

    def read_latest(self, worker: int) -> tuple[Rows, int]:
        """Return what `Shard.read_latest` copies and returns."""
        into = self._scratch()
        clock = self._shard.read_latest(into, worker=worker)
        return rows_in(into, self._rows), clock

    def take(self, worker: int, clock: int, updates: Mapping[str, RowUpdate]) -> None:
        """As `Shard.take`."""
        self._shard.take(worker, clock, updates)

    def _scratch(self) -> Tables:
        return self._layout.branch(np.empty(self._layout.branch_bytes, np.uint8))


def _zeros(size_bytes: int) -> Array:
    return np.zeros(size_bytes, np.uint8)
