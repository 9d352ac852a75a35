"""Trainers of a parameter server for tests, and what they must come to, computed plainly in one process.

`serve_plainly` follows the definitions, state by state, without shards, logs, versions or views: what a gang comes to
is compared with it bit for bit.
"""

from __future__ import annotations

import copy
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hippo.ps import ClockGradients, ClockShare, PSTrainer, RowGradients
from hippo.ps.rules import RowUpdate, RuleValues, rule_named
from hippo.ps.transport import AbstractTransport, InProcessTransport
from hippo.training.process.streams import seed_everything
from hippo.training.trainers import new_trainer
from hippo.training.values import HparamValues

Tables = dict[str, dict[str, Any]]


class NoisyServer(PSTrainer):
    """Rolls two tables down a noisy bowl. Each worker looks at some rows of one of them, and at all of the other.

    Args:
      workers, clocks_per_step, optimizer, order, max_branches: as attributes of a `PSTrainer`.
      rows: of the large table; the small one has two.
      in_process: run the workers in this process, one at a time.
      kill_in: a clock in which worker 1 is killed, if this file is there; it is removed before.
      kill_file: that file.
      raise_in: a clock in which worker 1 raises.
    """

    def __init__(
        self,
        workers: int = 2,
        clocks_per_step: int = 3,
        optimizer: str = "adagrad",
        order: str = "pinned",
        max_branches: int = 8,
        rows: int = 7,
        in_process: bool = False,
        kill_in: int = -1,
        kill_file: str = "",
        raise_in: int = -1,
    ) -> None:
        self.workers, self.clocks_per_step, self.max_branches = workers, clocks_per_step, max_branches
        self.optimizer, self.order = optimizer, order
        self.rows, self.in_process = rows, in_process
        self.kill_in, self.kill_file, self.raise_in = kill_in, kill_file, raise_in

    def make_transport(self) -> AbstractTransport:
        return InProcessTransport() if self.in_process else super().make_transport()

    def make_tables(self) -> Mapping[str, Any]:
        return {
            "large": np.random.normal(size=(self.rows, 3)).astype(np.float32),
            "small": np.random.normal(size=2),
        }

    def gradients(self, tables: Mapping[str, Any], share: ClockShare) -> ClockGradients:
        if share.worker == 1 and share.clock == self.kill_in and os.path.exists(self.kill_file):
            Path(self.kill_file).unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        if share.worker == 1 and share.clock == self.raise_in:
            raise ZeroDivisionError(f"told to raise in clock {share.clock}")
        rows = np.flatnonzero((np.arange(self.rows) + share.clock) % share.workers == share.worker)
        noise = np.random.normal(size=(len(rows), 3)).astype(np.float32)
        sums = 4 * tables["large"][rows] + noise + np.float32(tables["small"].sum())
        small = 4 * tables["small"] + float(tables["large"].sum())
        return ClockGradients(
            loss=float((tables["large"] ** 2).sum() + (tables["small"] ** 2).sum()),
            samples=4,
            tables={"large": RowGradients(rows=rows, sums=sums), "small": small},
        )

    def metrics(self, tables: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"loss": float((tables["large"] ** 2).sum() + (tables["small"] ** 2).sum())}


def built_server(cls: type[PSTrainer], values: Mapping[str, Any], *, seed: int = 0, **arguments: Any) -> Any:
    """Return a trainer as a walker builds it, at step 0."""
    import json

    trainer = new_trainer(cls, json.dumps(arguments), seed=seed, scale="1")
    trainer.hp = HparamValues(values)
    seed_everything(seed, "build", 0)
    trainer.build()
    return trainer


def serve_plainly(trainer: PSTrainer, values: Sequence[Mapping[str, Any]]) -> Tables:
    """Return what a trainer's tables are after a step under each of these values, from the definitions alone.

    Args:
      trainer: as `__init__` left it; pinned.
      values: of hyper-parameters, for each step.
    """
    rule = rule_named(trainer.optimizer)
    trainer = copy.copy(trainer)
    trainer.hp = HparamValues(values[0])
    seed_everything(trainer.seed, "build", 0)
    state: Tables = {
        name: {
            "value": np.array(table),
            **{field: np.full_like(table, begin) for field, begin in rule.fields.items()},
        }
        for name, table in trainer.make_tables().items()
    }
    clock = 0
    for in_force in values:
        trainer.hp = HparamValues(in_force)
        state = _step(trainer, rule, state, clock, in_force)
        clock += trainer.clocks_per_step
    return state


def _step(trainer: PSTrainer, rule: Any, begin: Tables, start: int, values: Mapping[str, Any]) -> Tables:
    """Return the tables after one step: the state after each clock is kept, and so is what each worker found."""
    rule_values = RuleValues(lr=values["lr"], momentum=values.get("momentum", 0.0))
    states = {start - 1: begin}
    found: dict[tuple[int, int], dict[str, RowUpdate]] = {}
    for clock in range(start, start + trainer.clocks_per_step):
        for worker in range(trainer.workers):
            seen = max(start - 1, clock - values.get("staleness", 0) - 1)
            view = copy.deepcopy(states[seen])
            for own in range(seen + 1, clock):
                _apply(rule, view, [found[worker, own]], rule_values)
            seed_everything(trainer.seed, f"clock/{worker}", clock)
            share = ClockShare(worker=worker, workers=trainer.workers, clock=clock)
            told = trainer.gradients({name: fields["value"] for name, fields in view.items()}, share)
            found[worker, clock] = {
                name: _update(gradient, told.samples, view[name].get(rule.sum_field))
                for name, gradient in told.tables.items()
            }
        states[clock] = copy.deepcopy(states[clock - 1])
        _apply(rule, states[clock], [found[worker, clock] for worker in range(trainer.workers)], rule_values)
    return states[start + trainer.clocks_per_step - 1]


def _apply(rule: Any, tables: Tables, found: Sequence[Mapping[str, RowUpdate]], values: RuleValues) -> None:
    for name, fields in tables.items():
        rule.apply(fields, [updates[name] for updates in found if name in updates], values)


def _update(gradient: Any, samples: int, sums: Any) -> RowUpdate:
    rows, total = (gradient.rows, gradient.sums) if isinstance(gradient, RowGradients) else (slice(None), gradient)
    return RowUpdate(rows, total / total.dtype.type(samples), None if sums is None else sums[rows].copy())


def same_tables(one: Mapping[str, Mapping[str, Any]], other: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether all fields of all tables are the same, bit for bit."""
    return one.keys() == other.keys() and all(
        one[name].keys() == other[name].keys()
        and all(one[name][field].tobytes() == other[name][field].tobytes() for field in one[name])
        for name in one
    )


#: what a counting worker saw: worker, clock, and how many updates of each worker
Sight = tuple[int, int, tuple[int, ...]]


class CountingServer(PSTrainer):
    """Counts: each worker adds 1 to a row of its own in each clock, and notes what it sees of all rows.

    In one process only. Args as attributes of a `PSTrainer`.
    """

    optimizer = "sgd"
    #: how workers are run and delayed, and what they saw: set by the test, since arguments are text
    transport: type[InProcessTransport] = InProcessTransport
    pick: Callable[[Sequence[int]], int] | None = None
    sights: list[Sight]

    def __init__(self, workers: int = 2, clocks_per_step: int = 3, order: str = "pinned") -> None:
        self.workers, self.clocks_per_step, self.order = workers, clocks_per_step, order

    def make_transport(self) -> AbstractTransport:
        return self.transport(self.pick)

    def make_tables(self) -> Mapping[str, Any]:
        return {"count": np.zeros(self.workers)}

    def gradients(self, tables: Mapping[str, Any], share: ClockShare) -> ClockGradients:
        self.sights.append((share.worker, share.clock, tuple(int(count) for count in tables["count"])))
        rows = RowGradients(rows=np.array([share.worker]), sums=np.array([-1.0]))
        return ClockGradients(loss=0.0, samples=1, tables={"count": rows})

    def metrics(self, tables: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"count": float(tables["count"].sum())}
