"""A small torch trainer whose model has a width, and so can be at other scales."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn
from torch.utils.data import TensorDataset

import hippo

FEATURES, CLASSES = 8, 3


class Perceptron(hippo.TorchTrainer):
    """Classifies random points by a random matrix, with dropout, in one hidden layer of 32 units."""

    min_width = 2
    device = "cpu"
    default_batch_size = 16

    def make_model(self) -> nn.Module:
        width = self.scaled(32)
        layers = nn.Linear(FEATURES, width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, CLASSES)
        return nn.Sequential(*layers)

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=self.hp["lr"], momentum=0.9)

    def train_set(self) -> Any:
        chance = torch.Generator().manual_seed(1)
        points = torch.randn(64, FEATURES, generator=chance)
        return TensorDataset(points, (points @ torch.randn(FEATURES, CLASSES, generator=chance)).argmax(1))

    val_set = train_set

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return nn.functional.cross_entropy(model(batch[0]), batch[1])


class TwoLayers(Perceptron):
    """The same with a layer from width to width."""

    def make_model(self) -> nn.Module:
        width = self.scaled(32)
        layers = nn.Linear(FEATURES, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, CLASSES)
        return nn.Sequential(*layers)
