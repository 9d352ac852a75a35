"""Sweeps of hyper-parameters at several scales: all configs of a scale and a seed are lanes of one program.

It knows nothing of what the curves mean; `optimum.py` does.
"""

from __future__ import annotations

import json
import math
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import hippo
from hippo.scale import Scale
from hippo.testing.formations import HERE, ConfigFormation, SoloConfig
from hippo.training.trainers import new_trainer

#: of a trial; after each its learning rate is lower
STEPS = 6
Configs = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is trained, and for how long."""

    name: str
    trainer: type
    optimizer: str
    #: of a trial, a multiple of `STEPS`
    updates: int
    batch: int = 32
    #: of the target; 0: that of the trainer
    width: int = 0
    #: log2 of the least and the greatest learning rate that is tried
    rates: tuple[float, float] = (-11.0, -3.0)
    #: octaves by which a surrogate's best rate may be off
    tolerance: float = 0.5

    def trainer_at(self, scale: Scale, seed: int) -> Any:
        """Return the trainer of this task as workers have it."""
        arguments = {"optimizer": self.optimizer, "width": self.width, "batch": self.batch}
        arguments["updates"] = self.updates // STEPS
        return new_trainer(self.trainer, json.dumps(arguments), seed=seed, scale=str(scale))


def falling(rate: float) -> hippo.Linear:
    """Return a learning rate that falls on a line to a sixth of its first value: losses are then less of a gamble."""
    return hippo.Linear(rate, final=0.0, steps=STEPS)


def held_out_losses(task: Task, scale: Scale, seed: int, configs: Configs) -> list[float]:
    """Return the loss of each config on held-out data after a whole trial; infinite where it is no number."""
    formation = ConfigFormation(task.trainer_at(scale, seed), configs)
    formation.train(STEPS)
    found = [formation.walker.evaluate(lane, HERE)["val_loss"] for lane in range(len(configs))]
    formation.walker.close()
    return [loss if math.isfinite(loss) else math.inf for loss in found]


def solo_losses(task: Task, scale: Scale, seed: int, configs: Configs) -> list[float]:
    """Return the same of configs that are walked one by one, which wide models gain by on a CPU."""
    found = []
    for config in configs:
        alone = SoloConfig(task.trainer_at(scale, seed), config)
        alone.train(STEPS)
        found.append(alone.walker.evaluate(HERE)["val_loss"])
    return [loss if math.isfinite(loss) else math.inf for loss in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """Losses at one scale."""

    #: by seed, the loss of each config
    losses: tuple[tuple[float, ...], ...]
    cpu_s: float

    @property
    def means(self) -> list[float]:
        """Means over seeds, of each config."""
        return [sum(column) / len(column) for column in zip(*self.losses, strict=True)]


def swept(task: Task, scale: Scale, seeds: int, configs: Configs, *, fused: bool = True) -> Swept:
    """Train all configs at one scale, with each seed."""
    way = held_out_losses if fused else solo_losses
    began_s = time.process_time()
    with warnings.catch_warnings():  # how far optima drift below 32 channels is what is measured
        warnings.filterwarnings("ignore", message=".*below 32")
        losses = tuple(tuple(way(task, scale, seed, configs)) for seed in range(seeds))
    return Swept(losses=losses, cpu_s=time.process_time() - began_s)
