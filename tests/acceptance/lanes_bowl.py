"""The trainer of the study in `tuned_study` whose branches are walked as lanes."""

from __future__ import annotations

import time
from typing import Any

import torch
from killed_study import append_step
from torch import nn
from torch.utils.data import TensorDataset

import hippo


class LanesBowl(hippo.TorchTrainer):
    """`NoisyBowl` in torch, whose branches may be walked as one program; each sample pulls to another side.

    Args:
      log: a file that gets a line as each step begins.
      sleep_s: how long a step takes at least.
    """

    samples_per_step = 4

    def __init__(self, log: str, sleep_s: float) -> None:
        self.log = log
        self.sleep_s = sleep_s

    def make_model(self) -> nn.Module:
        class Pull(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.place = nn.Parameter(torch.full((10,), 3.0))

            def forward(self, pulls: torch.Tensor) -> torch.Tensor:
                return (torch.arange(1.0, 11.0) * (self.place**2 + (self.place - self.place.detach()) * pulls)).sum(-1)

        return Pull()

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=self.hp["lr"], weight_decay=self.hp["weight_decay"])

    def train_set(self) -> TensorDataset:
        return TensorDataset(torch.randn(256, 10, generator=torch.Generator().manual_seed(0)))

    def val_set(self) -> TensorDataset:
        return TensorDataset(torch.zeros(4, 10))

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        append_step(self.log, "step")
        time.sleep(self.sleep_s)
        return model(batch[0]).mean()

    def metrics(self, model: nn.Module, batch: Any) -> dict[str, torch.Tensor]:
        return {"loss": model(batch[0]).mean()}
