"""Small trainers that can be at other scales, and how tests build them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn
from torch.utils.data import TensorDataset

import hippo
from hippo.scale import Scale
from hippo.training.process.streams import seed_everything
from hippo.training.values import HparamValues

FEATURES, CLASSES = 64, 10


class ScaledNet(hippo.TorchTrainer):
    """Classifies random points by a random matrix."""

    min_width = 3
    device = "cpu"
    default_batch_size = 32

    def __init__(self, optimizer: str = "sgd", dtype: torch.dtype = torch.float32, size: int = 320) -> None:
        self.optimizer_name = optimizer
        self.dtype = dtype
        self.size = size

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        lr, decay = self.hp["lr"], self.hp.get("weight_decay", 0.0)
        if self.optimizer_name == "sgd":
            return torch.optim.SGD(params, lr=lr, momentum=0.9, weight_decay=decay)
        if self.optimizer_name == "adagrad":
            return torch.optim.Adagrad(params, lr=lr, weight_decay=decay, initial_accumulator_value=1e-4)
        kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[self.optimizer_name]
        return kind(params, lr=lr, weight_decay=decay)

    def train_set(self) -> Any:
        chance = torch.Generator().manual_seed(1)
        points = torch.randn(self.size, FEATURES, generator=chance, dtype=self.dtype)
        rule = torch.randn(FEATURES, CLASSES, generator=chance, dtype=self.dtype)
        return TensorDataset(points, (points @ rule).argmax(1))

    val_set = train_set

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return nn.functional.cross_entropy(model(batch[0]), batch[1])


class Perceptron(ScaledNet):
    width = 256

    def make_model(self) -> nn.Module:
        width = self.scaled(self.width)
        layers = nn.Linear(FEATURES, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, CLASSES)
        return nn.Sequential(*layers).to(self.dtype)


class Convolutions(ScaledNet):
    width = 64

    def make_model(self) -> nn.Module:
        width = self.scaled(self.width)
        return nn.Sequential(
            nn.Unflatten(1, (1, 8, 8)),
            nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * width, CLASSES),
        )  # fmt: skip


class DemoNet(ScaledNet):
    """As the demo's: two convolutions, and a linear layer over all places."""

    def make_model(self) -> nn.Module:
        width = self.scaled(24)
        return nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(), nn.Flatten(),
            nn.Linear(2 * width * 16, CLASSES),
        )  # fmt: skip


class Transformer(ScaledNet):
    def make_model(self) -> nn.Module:
        width = self.scaled(128)
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True, norm_first=True)
        blocks = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        readout = nn.Linear(8 * width, CLASSES)
        return nn.Sequential(
            nn.Unflatten(1, (8, 8)), nn.Linear(8, width), blocks, nn.LayerNorm(width), nn.Flatten(), readout
        )


def pristine(trainer: Any, scale: str) -> Any:
    """Return a trainer as workers have it at a scale."""
    trainer = copy.copy(trainer)
    if scale != "1":
        trainer._surrogate_scale = Scale.named(scale)
    return trainer


def built(trainer: Any, scale: str, seed: int = 0, **values: Any) -> Any:
    """Return a trainer at a scale, just built."""
    trainer = pristine(trainer, scale)
    trainer.seed, trainer.hp = seed, HparamValues({"lr": 0.1} | values)
    seed_everything(seed, "build", 0)
    trainer.build()
    return trainer
