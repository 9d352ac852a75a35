"""Lanes that are walked as one, and alone, by their configs: short enough for tests.

It refuses to know engines and plans: every step is of one node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from hippo.records import Fusion, NodeId, Point
from hippo.testing.remembering_host import pieces_at
from hippo.training.codec import EncodedState, decode
from hippo.training.fusion.fused_walker import FusedWalker
from hippo.training.fusion.recorded_loss import LossRecorder
from hippo.training.trainer import Trainer
from hippo.training.walking.walker import Walker

AnyConfig = Mapping[str, Any]
HERE = NodeId(0)


class ConfigFormation:
    """Lanes of configs, walked as one.

    Args:
      states: that they begin from, after `step` steps; None: they begin anew.
      recorder: has their updates recorded.
    """

    def __init__(
        self,
        trainer: Trainer,
        configs: Sequence[AnyConfig],
        states: Sequence[EncodedState] | None = None,
        step: int = 0,
        fusion: Fusion | None = None,
        recorder: LossRecorder | None = None,
    ) -> None:
        self.configs = list(configs)
        self.walker = FusedWalker(
            trainer,
            step=step,
            pieces=[pieces_at(config, max(step - 1, 0)) for config in configs],
            states=states or [None] * len(configs),
            goals=[Point(HERE, step + 1)] * len(configs),
            fusion=fusion or Fusion(is_fused=True),
            recorder=recorder,
        )

    def train(self, steps: int = 1) -> list[dict[str, float]]:
        metrics: list[dict[str, float]] = []
        for _ in range(steps):
            pieces = [pieces_at(config, self.walker.step) for config in self.configs]
            metrics = self.walker.train([HERE] * len(pieces), pieces)
        return metrics

    def keep(self, lanes: Sequence[int]) -> None:
        self.walker.keep(lanes)
        self.configs = [self.configs[lane] for lane in lanes]

    def states(self) -> list[EncodedState]:
        return [self.walker.encode(lane, HERE) for lane in range(len(self.configs))]


class SoloConfig:
    """A config, walked alone."""

    def __init__(self, trainer: Trainer, config: AnyConfig, state: EncodedState | None = None, step: int = 0) -> None:
        self.config = config
        pieces = pieces_at(config, max(step - 1, 0))
        self.walker = Walker(trainer, step=step, pieces=pieces, state=state, goal=Point(HERE, step + 1))

    def train(self, steps: int = 1) -> dict[str, float]:
        metrics: dict[str, float] = {}
        for _ in range(steps):
            metrics = self.walker.train(HERE, pieces_at(self.config, self.walker.step))
        return metrics

    def state(self) -> EncodedState:
        return self.walker.encode(HERE)


def configs(num_lanes: int, **values: Any) -> list[AnyConfig]:
    """Return configs that differ in what is the optimizers' alone."""
    return [{"lr": 0.02 * (1 + 0.1 * i), "weight_decay": 0.01 * (i % 3), **values} for i in range(num_lanes)]


def weights(state: EncodedState) -> Tensor:
    """Return all weights and buffers, but for the bias of attention's keys: nothing depends on it.

    Its gradient is zero but for rounding. Adam makes steps of what rounding left, and no two runs agree on these.
    """
    found = decode(state)["model"]
    for name, tensor in found.items():
        if name.endswith("in_proj_bias"):
            tensor.chunk(3)[1].zero_()
    return torch.cat([each.double().flatten() for each in found.values()])
