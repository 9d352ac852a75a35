"""A small network that a doctor trains: a step of it needs what steps of users' networks need. Imports torch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn
from torch.utils.data import TensorDataset

from hippo.training.torch_trainer import TorchTrainer

_FEATURES, _CLASSES = 16, 4


class ProbeNet(TorchTrainer):
    """Classifies points, with dropout, so that chance is tried too."""

    default_batch_size = 32

    def make_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(_FEATURES, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, _CLASSES))

    def make_optimizer(self, params: Iterable[Any]) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=self.hp["lr"], momentum=0.9)

    def train_set(self) -> TensorDataset:
        return _points(0, 128)

    def val_set(self) -> TensorDataset:
        return _points(1, 64)

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        points, labels = batch
        return nn.functional.cross_entropy(model(points), labels)


def _points(seed: int, size: int) -> TensorDataset:
    chance = torch.Generator().manual_seed(seed)
    labels = torch.randint(_CLASSES, (size,), generator=chance)
    return TensorDataset(torch.randn(size, _FEATURES, generator=chance) + labels[:, None], labels)
