"""What one worker of a gang does: clock after clock, read, compute, deliver.

A worker is a generator of the conditions that it waits for: whoever runs it decides how. In a process of its own it
blocks; in a test it is run in any order that the test likes. So there is one program, and what is tested is what runs.
This module refuses to know processes.
"""

from __future__ import annotations

import copy
import functools
import traceback
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hippo.errors import HparamError, TrainerError
from hippo.ps.gradients import ClockShare, SentGradient, mean_gradients
from hippo.ps.layout import VALUE, Array, Tables, read_only
from hippo.ps.memory import GangMemory
from hippo.ps.operations import (
    BranchDone,
    ClocksAborted,
    ClocksDone,
    ClocksFailed,
    CopyBranch,
    Operation,
    Report,
    RunClocks,
)
from hippo.ps.rules import RowUpdate, ServerRule
from hippo.ps.shard import AbstractShard, Shard
from hippo.ps.staleness import UpdateOrder, read_clock
from hippo.training.process.process_settings import change_settings, settings_kept
from hippo.training.process.streams import seed_everything
from hippo.training.values import HparamValues

if TYPE_CHECKING:
    from hippo.ps.trainer import PSTrainer

#: a worker under way: what it waits for, and in the end what it tells
Work = Generator[Callable[[], bool], None, Report]


class GangWorker:
    """One worker, and the shard that is its own.

    Args:
      number: which.
      trainer: whose `gradients` it calls.
      shards: of the gang, all of them.
      memory: the gang's.
      rule: how values change.
      notify: tells the others that something was delivered.
    """

    def __init__(
        self,
        number: int,
        trainer: PSTrainer,
        shards: Sequence[AbstractShard],
        memory: GangMemory,
        rule: ServerRule,
        notify: Callable[[], None],
    ) -> None:
        self.number = number
        self.trainer = trainer
        self._shards = shards
        self.memory = memory
        self.rule = rule
        self._notify = notify

    def work(self, operation: Operation) -> Work:
        """Carry out an operation."""
        if isinstance(operation, CopyBranch):
            own = self._shards[self.number]
            assert isinstance(own, Shard), "a worker is where its shard is"
            own.copy(operation.source, operation.target)
            return BranchDone()
        try:
            return (yield from self._run(operation))
        except Exception as error:
            return ClocksFailed(error=error, traceback=traceback.format_exc())

    def _run(self, run: RunClocks) -> Work:
        for shard in self._shards:
            shard.begin(run)
        view = _view(run, self.number, self._shards, self.memory, self.rule)
        read: set[str] = set()
        trainer = copy.copy(self.trainer)  # what the user's code notes on it is gone with the step: it is no state
        trainer.hp = HparamValues(run.values, read=read, at=_refuse_at)
        _hide(trainer, run.changed)
        losses, samples, ages = list[float](), list[int](), list[int]()
        for clock in range(run.start, run.stop):
            if not view.is_fresh(clock):
                yield functools.partial(self._can_go_on, view, clock)
                if self._is_aborted:
                    return ClocksAborted()
                view.refresh(clock)
            ages.append(view.age(clock))
            share = ClockShare(worker=self.number, workers=len(self._shards), clock=clock)
            with settings_kept(_tell_nobody):  # what one clock leaves behind no other one sees, of whichever trial
                change_settings(run.settings)
                seed_everything(self.trainer.seed, f"clock/{self.number}", clock)
                found = trainer.gradients(view.values, share)
            sent = mean_gradients(found, self.memory.layout, share)
            sums = view.sums()
            for i in range(len(self._shards)):  # its own first: others begin with theirs
                self._shards[(self.number + i) % len(self._shards)].deliver(self.number, clock, sent, sums)
            self._notify()
            view.note_own(clock, sent, sums)
            losses.append(float(found.loss))
            samples.append(int(found.samples))
        return ClocksDone(losses=tuple(losses), samples=tuple(samples), ages=tuple(ages), read=frozenset(read))

    def _can_go_on(self, view: SharedView | CachedView, clock: int) -> bool:
        return self._is_aborted or view.is_ready(clock)

    @property
    def _is_aborted(self) -> bool:
        return bool(self.memory.aborted[0])


class SharedView:
    """The values where the owners keep them, for those who never lag: nobody changes them while anybody reads."""

    def __init__(self, run: RunClocks, shards: Sequence[AbstractShard], memory: GangMemory, rule: ServerRule) -> None:
        self._shards = shards
        branch = memory.pool[run.slot]
        self.values = {name: read_only(fields[VALUE]) for name, fields in branch.items()}
        self._sums = {} if rule.sum_field is None else {name: fields[rule.sum_field] for name, fields in branch.items()}

    def is_fresh(self, clock: int) -> bool:
        """Whether nobody has to be waited for."""
        return False

    def is_ready(self, clock: int) -> bool:
        """Whether what must be seen at this clock is there."""
        return all(shard.has(clock - 1) for shard in self._shards)

    def refresh(self, clock: int) -> None:
        """Take in what must be seen."""

    def age(self, clock: int) -> int:
        """By how many clocks the oldest update is late that is lacking."""
        return 0

    def sums(self) -> Mapping[str, Array]:
        """The sums of gradients that the values have seen, where the rule wants them."""
        return self._sums

    def note_own(self, clock: int, sent: Mapping[str, SentGradient], sums: Mapping[str, Array]) -> None:
        """See its own update of a clock at once."""


class CachedView:
    """A worker's own copy of the values, with its own updates added, for those who may lag."""

    def __init__(
        self, run: RunClocks, worker: int, shards: Sequence[AbstractShard], memory: GangMemory, rule: ServerRule
    ) -> None:
        self._run = run
        self._worker = worker
        self._shards = shards
        self._rule = rule
        self._tables: Tables = memory.layout.branch(np.empty(memory.layout.branch_bytes, np.uint8))
        self.values = {name: read_only(fields[VALUE]) for name, fields in self._tables.items()}
        #: the last clock of which all updates of others are in the copy
        self._seen = run.start - 2
        #: its own updates that may not be in the next copy: (clock, table -> update)
        self._own: deque[tuple[int, dict[str, RowUpdate]]] = deque()

    def is_fresh(self, clock: int) -> bool:
        return self._run.order is UpdateOrder.FREE and self._seen >= self._wanted(clock)

    def is_ready(self, clock: int) -> bool:
        return all(shard.has(self._wanted(clock)) for shard in self._shards)

    def refresh(self, clock: int) -> None:
        if self._run.order is UpdateOrder.FREE:
            self._seen = min(shard.read_latest(self._tables, worker=self._worker) for shard in self._shards)
            return
        self._seen = self._wanted(clock)
        for shard in self._shards:
            shard.read_at(self._seen, self._tables)
        while self._own and self._own[0][0] <= self._seen:
            self._own.popleft()
        for _, updates in self._own:
            self._add(updates)

    def age(self, clock: int) -> int:
        return max(0, clock - 1 - self._seen)

    def sums(self) -> Mapping[str, Array]:
        field = self._rule.sum_field
        return {} if field is None else {name: fields[field] for name, fields in self._tables.items()}

    def note_own(self, clock: int, sent: Mapping[str, SentGradient], sums: Mapping[str, Array]) -> None:
        updates = {
            name: RowUpdate(
                slice(None) if gradient.rows is None else gradient.rows,
                gradient.mean,
                None
                if name not in sums
                else (sums[name].copy() if gradient.rows is None else sums[name][gradient.rows]),
            )
            for name, gradient in sent.items()
        }
        if self._run.order is UpdateOrder.FREE:
            self._add(updates)  # the owners have it already
        else:
            self._own.append((clock, updates))

    def _add(self, updates: Mapping[str, RowUpdate]) -> None:
        for name, fields in self._tables.items():
            found = [updates[name]] if name in updates else []
            self._rule.apply(fields, found, self._run.rule_values)

    def _wanted(self, clock: int) -> int:
        return read_clock(clock, start=self._run.start, staleness=self._run.staleness)


def _view(
    run: RunClocks, worker: int, shards: Sequence[AbstractShard], memory: GangMemory, rule: ServerRule
) -> SharedView | CachedView:
    are_here = all(shard.is_here for shard in shards)
    if run.staleness == 0 and run.order is UpdateOrder.PINNED and are_here:
        return SharedView(run, shards, memory, rule)
    return CachedView(run, worker, shards, memory, rule)


def _tell_nobody(changes: Sequence[str]) -> None:
    """Settings that code changes for one clock are its own."""


def _refuse_at(t: float) -> Mapping[str, Any]:
    raise HparamError(
        f"self.hp.at({t!r}) in gradients(): workers have the values of the step, self.hp[name], which hold in all of "
        "its clocks; for values that change from clock to clock, take clocks_per_step = 1"
    )


def _hide(trainer: PSTrainer, names: frozenset[str]) -> None:
    """Have a worker's trainer refuse to tell attributes of which it has another value than the trainer itself.

    Those that nobody reads in `gradients` do no harm: what only `metrics` needs may be set in `build`.
    """
    if names:
        kind = type(trainer)
        trainer.__class__ = type(kind.__name__, (kind,), {name: _hidden(name) for name in sorted(names)})
        for name in names:
            vars(trainer).pop(name, None)


def _hidden(name: str) -> property:
    def read(trainer: object) -> Any:
        if name in vars(trainer):  # gradients() itself has set it in this step
            return vars(trainer)[name]
        raise TrainerError(
            f"gradients() reads self.{name}, and workers have it as __init__ or the class left it, while build(), "
            "setup() or metrics() gave the trainer another one since; read self.hp in gradients(), or set it in "
            "__init__ alone"
        )

    return property(read, lambda trainer, value: vars(trainer).update({name: value}))
