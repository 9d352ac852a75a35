"""A small torch trainer for tests, with everything that makes resumption hard: chance, batch norm, momentum."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset, TensorDataset

from hippo.training.torch_trainer import TorchTrainer

CLASSES = 3
FEATURES = 6


class Blobs(Dataset[Any]):
    """Gaussian blobs, one per class; each look at a sample adds noise from all three global generators."""

    def __init__(self, size: int, seed: int, *, noise: float = 0.1) -> None:
        chance = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(CLASSES, (size,), generator=chance)
        self.points = torch.randn(size, FEATURES, generator=chance) + self.labels[:, None]
        self.noise = noise

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        jitter = torch.randn(FEATURES) + random.random() + float(np.random.rand())
        return self.points[index] + self.noise * jitter, self.labels[index]


class BlobsTrainer(TorchTrainer):
    """Classifies blobs.

    Args:
      optimizer: "sgd", "adam" or "adamw" (fused), unless a hyper-parameter of this name says so.
      augment: draw noise for each sample; without, a plain `TensorDataset` is used.
      samples_per_step, num_workers, apply_hparams: as `TorchTrainer`'s.
    """

    def __init__(
        self,
        *,
        optimizer: str = "sgd",
        widths: tuple[int, ...] = (8,),
        batch_norm: bool = True,
        dropout: float = 0.2,
        augment: bool = True,
        size: int = 48,
        samples_per_step: int | None = None,
        num_workers: int = 0,
        apply_hparams: Any = "step",
    ) -> None:
        self.optimizer_name = optimizer
        self.widths = widths
        self.batch_norm = batch_norm
        self.dropout = dropout
        self.augment = augment
        self.size = size
        self.samples_per_step = samples_per_step
        self.num_workers = num_workers
        self.apply_hparams = apply_hparams

    def make_model(self) -> nn.Module:
        layers: list[nn.Module] = []
        before = FEATURES
        for width in self.widths:
            layers += [nn.Linear(before, width)]
            layers += [nn.BatchNorm1d(width)] if self.batch_norm else []
            layers += [nn.ReLU(), nn.Dropout(self.dropout)]
            before = width
        return nn.Sequential(*layers, nn.Linear(before, CLASSES))

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        name = self.hp.get("optimizer", self.optimizer_name)
        lr, decay = self.hp.get("lr", 0.1), self.hp.get("weight_decay", 0.0)
        if name == "sgd":
            return torch.optim.SGD(params, lr=lr, momentum=self.hp.get("momentum", 0.9), weight_decay=decay)
        if name == "adam":
            first, *others = list(params)
            groups = [{"params": [first], "lr": 2 * lr}, {"params": others}]
            return torch.optim.Adam(groups, lr=lr, weight_decay=decay)
        return torch.optim.AdamW(params, lr=lr, weight_decay=decay, fused=True)

    def train_set(self) -> Dataset[Any]:
        blobs = Blobs(self.size, 0)
        return blobs if self.augment else TensorDataset(blobs.points, blobs.labels)

    def val_set(self) -> Dataset[Any]:
        return Blobs(21, 1)

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        points, labels = batch
        return nn.functional.cross_entropy(model(points), labels)

    def metrics(self, model: nn.Module, batch: Any) -> dict[str, Any]:
        points, labels = batch
        logits = model(points)
        right = (logits.argmax(dim=1) == labels).float().mean()
        return {"loss": nn.functional.cross_entropy(logits, labels), "accuracy": right}


class ShardedBlobs(BlobsTrainer):
    """Classifies blobs in batches that are cut into shards, and whatever else of `TorchTrainer` may be asked for.

    Args:
      shards: into how many.
      attributes: by name, as `TorchTrainer`'s: accumulate, clip_norm, ema_decay, swa_from, precision.
      options: as `BlobsTrainer`'s.
    """

    def __init__(self, *, shards: int, attributes: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.shards = shards
        for name, value in (attributes or {}).items():
            setattr(self, name, value)

    def setup(self, hp: Mapping[str, Any]) -> None:
        for module in self.model.modules():
            if isinstance(module, nn.Dropout) and "dropout" in hp:
                module.p = hp["dropout"]


def draw() -> float:
    """Return a number that depends on each of the three global generators."""
    return random.random() + float(np.random.rand()) + float(torch.rand(()))


class Noisy(Dataset[Any]):
    """Draws when it is made, when it is asked for its length, and for each sample."""

    def __init__(self, size: int) -> None:
        self.blobs = Blobs(size, 2)
        self.shift = draw()

    def __len__(self) -> int:
        draw()
        return len(self.blobs)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        points, label = self.blobs[index]
        return points + 0.01 * (self.shift + draw()), label


class DrawingTrainer(BlobsTrainer):
    """Draws from every global generator in every method, and lets what it draws decide wherever that is allowed."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.shift = draw()

    def build(self) -> None:
        for _ in range(1 + ("optimizer" in self.hp)):  # how often depends on the trial, which the data sets must not
            draw()
        super().build()
        self.offset = draw()

    def setup(self, hp: Mapping[str, Any]) -> None:
        draw()

    def make_model(self) -> nn.Module:
        draw()
        return super().make_model()

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        draw()
        return super().make_optimizer(params)

    def train_set(self) -> Dataset[Any]:
        return Noisy(self.size)

    def val_set(self) -> Dataset[Any]:
        draw()
        return Noisy(21)

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return super().loss(model, batch) * (1 + 0.1 * (self.shift + self.offset + draw()))

    def metrics(self, model: nn.Module, batch: Any) -> dict[str, Any]:
        return {**super().metrics(model, batch), "luck": draw()}

    def evaluate(self) -> Mapping[str, Any]:
        draw()
        return super().evaluate()

    def state_dict(self) -> dict[str, Any]:
        draw()
        return super().state_dict() | {"offset": self.offset}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        draw()
        super().load_state_dict(state)
        self.offset = state["offset"]
