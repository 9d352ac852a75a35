"""A gang: workers and shards that train the branches of one trainer, driven from the trainer's side.

The gang hands out slots of a pool for branches, sends operations in order to all workers, and waits for all of them. A
slot goes back when whoever holds it lets go. This module refuses to know how workers are run, and what they compute.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hippo.errors import BranchError, GangLostError
from hippo.ps.layout import VALUE, Array, BranchLayout, check_tables
from hippo.ps.memory import GangMemory
from hippo.ps.operations import ClocksAborted, ClocksDone, ClocksFailed, CopyBranch, Operation, Report, RunClocks
from hippo.ps.rules import ServerRule
from hippo.ps.shard import Shard
from hippo.ps.transport import AbstractTransport
from hippo.ps.worker import GangWorker
from hippo.training.process.process_settings import settings_before

if TYPE_CHECKING:
    from hippo.ps.trainer import PSTrainer


#: how many branches are trained at once: a lane's, that of a check beside it, and one that stands
_TRAINED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """What a step of all workers came to."""

    #: mean over all samples of all clocks
    loss: float
    #: by how many clocks the oldest update was late that a read lacked: the most, and the mean
    most_age: int
    mean_age: float
    #: hyper-parameters that workers looked at
    read: frozenset[str]


class BranchSlot:
    """A slot of the pool, for as long as anybody holds this object."""

    def __init__(self, gang: Gang, number: int) -> None:
        self.gang = gang
        self.number = number

    def __del__(self) -> None:
        self.gang.give_back(self.number)


class Gang:
    """Workers, shards and a pool of branches.

    Args:
      layout: of a branch.
      rule: how values change.
      trainer: whose `gradients` the workers call.
      transport: runs them; it is the gang's from now on.
      num_copies: how many branches have room in the pool beside those that are trained.
      most_staleness: the largest bound that will be asked for.
    """

    def __init__(
        self,
        layout: BranchLayout,
        rule: ServerRule,
        trainer: PSTrainer,
        transport: AbstractTransport,
        *,
        num_copies: int,
        most_staleness: int,
    ) -> None:
        self.layout = layout
        self._rule = rule
        self._transport = transport
        self._num_slots = num_copies + _TRAINED
        self._free = list(range(self._num_slots))
        self.is_lost = False
        #: those of the process with which workers begin
        self._settings = settings_before()
        needs_sums = rule.sum_field is not None
        self._memory = GangMemory(
            layout, transport.allocate, num_slots=self._num_slots, most_staleness=most_staleness, needs_sums=needs_sums
        )
        self._shards = [Shard(number, self._memory, rule, transport.lock()) for number in range(layout.num_shards)]
        transport.start(
            [
                GangWorker(number, trainer, self._shards, self._memory, rule, transport.notify)
                for number in range(layout.num_shards)
            ]
        )

    # --- branches

    def take(self) -> BranchSlot:
        """Return a slot for a branch, whose values are whatever they are.

        Raises:
          BranchError: all are taken.
        """
        if not self._free:
            gc.collect()  # trainers in a cycle, such as one with an exception that knows it, hold slots for nobody
        if not self._free:
            raise BranchError(
                f"all {self._num_slots} slots of the pool hold branches; give the trainer more by max_branches"
            )
        return BranchSlot(self, self._free.pop())

    @property
    def num_spare(self) -> int:
        """How many more copies have room, beside what is trained."""
        return len(self._free) - (_TRAINED - 1)  # who asks is trained

    @property
    def is_idle(self) -> bool:
        """Whether no slot holds a branch."""
        return len(self._free) == self._num_slots

    def give_back(self, slot: int) -> None:
        """Take a slot back into the pool."""
        self._free.append(slot)

    def fork(self, source: BranchSlot) -> BranchSlot:
        """Return a new branch that is a copy of another one.

        Raises:
          BranchError: there is no slot for it.
          GangLostError: the gang has ended.
        """
        target = self.take()
        self.copy(source, target)
        return target

    def copy(self, source: BranchSlot, target: BranchSlot) -> None:
        """Bring a branch to where another one is: each shard copies its part.

        Raises:
          GangLostError: the gang has ended.
        """
        if self.is_lost:
            raise GangLostError("this gang has ended, and takes no more operations")
        if self._transport.is_memory_here:  # waking the owners takes longer, and they may have to wait for a core
            for shard in self._shards:
                shard.copy(source.number, target.number)
        else:
            self._all_do(CopyBranch(source=source.number, target=target.number))

    def fill(self, slot: BranchSlot, values: Mapping[str, Any]) -> None:
        """Make a branch new: with these values, and the rule's beginnings beside them."""
        for name, fields in self._memory.pool[slot.number].items():
            for field, array in fields.items():
                array[...] = values[name] if field == VALUE else self._rule.fields[field]

    def load(self, slot: BranchSlot, tables: Mapping[str, Mapping[str, Any]]) -> None:
        """Put a gathered state into a branch.

        Raises:
          StateError: it is of other tables.
        """
        check_tables(self.layout, tables)
        for name, fields in self._memory.pool[slot.number].items():
            for field, array in fields.items():
                array[...] = tables[name][field]

    def gather(self, slot: BranchSlot) -> dict[str, dict[str, Array]]:
        """Return a branch's arrays, in the gang's memory: copy what is to stay."""
        return self._memory.pool[slot.number]

    # --- training

    def run(self, run: RunClocks) -> StepResult:
        """Train a branch for some clocks, and wait until all workers are done.

        Raises:
          GangLostError: a worker is gone, and the gang with it; now, or when it was last asked for something.
          Exception: what `gradients` raised. The branch is of no use then.
        """
        self._memory.begin(run.start)
        run = replace(run, settings=self._settings.changes())
        done = [report for report in self._all_do(run) if isinstance(report, ClocksDone)]
        ages = [age for report in done for age in report.ages]
        samples = sum(sum(report.samples) for report in done)
        return StepResult(
            loss=math.fsum(loss for report in done for loss in report.losses) / samples,
            most_age=max(ages),
            mean_age=float(np.mean(ages)),
            read=frozenset[str]().union(*(report.read for report in done)),
        )

    def close(self) -> None:
        """End all workers."""
        self.is_lost = True
        self._transport.close()

    def _all_do(self, operation: Operation) -> list[Report]:
        """Have all workers carry out an operation; return what each tells, by their numbers."""
        if self.is_lost:
            raise GangLostError("this gang has ended, and takes no more operations")
        reports: dict[int, Report] = {}
        try:
            self._transport.broadcast(operation)
            while len(reports) < self.layout.num_shards:
                number, report = self._transport.receive()
                reports[number] = report
                if isinstance(report, ClocksFailed):
                    # Workers look by themselves. To tell them would be to wait for each one that sleeps, and for ever
                    # for one that was killed.
                    self._memory.aborted[0] = 1
                    self._transport.abort()
        except BaseException:
            self.close()  # nobody knows what they are at: lost, or Ctrl-C came while they ran
            raise
        for number, report in sorted(reports.items()):
            if isinstance(report, ClocksFailed):
                error = report.error
                error.add_note(f"raised in worker {number} of the parameter server:\n{report.traceback}")
                # Its traceback holds this frame, and those of the trainer: were it held from here, the trainer's
                # slot would not go back before garbage is collected, and the pool would be full of failed trials.
                del reports, report
                try:
                    raise error
                finally:
                    del error
        assert not any(isinstance(report, ClocksAborted) for report in reports.values()), "one had failed"
        return [reports[number] for number in sorted(reports)]
