"""Trainers of small networks that draw nothing on the CPU, for tests of updates that are recorded.

Each does one thing that a recording has to follow, or that keeps it from being made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from hippo.testing.fusible_trainers import NetTrainer


class QuietNet(nn.Module):
    """A norm that is written in place, a buffer that is assigned, and a parameter that nothing depends on."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 3)
        self.unused = nn.Parameter(torch.ones(2))
        self.seen: Tensor
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, points: Tensor) -> Any:
        hidden = self.norm(self.first(points))
        if self.training:
            self.seen = self.seen * 0.9 + hidden.detach().mean()
        return self.last(torch.relu(hidden) + 0.1 * self.seen)


class QuietTrainer(NetTrainer):
    """Draws nothing on the CPU."""

    def make_model(self) -> nn.Module:
        return QuietNet().to(self.dtype)


class ShiftNet(QuietNet):
    """Buffers that are assigned to one another."""

    now: Tensor
    before: Tensor

    def __init__(self, order: Sequence[str]) -> None:
        super().__init__()
        for name in order:
            self.register_buffer(name, torch.zeros(8))

    def forward(self, points: Tensor) -> Any:
        hidden = self.norm(self.first(points))
        out = self.last(torch.relu(hidden) + 0.1 * self.before - 0.05 * self.now)
        if self.training:
            self.before = self.now
            self.now = hidden.detach().mean(dim=0)
        return out


class ShiftTrainer(QuietTrainer):
    """Trains a `ShiftNet`.

    Args:
      order: in which its buffers are registered.
    """

    def __init__(self, *order: str) -> None:
        super().__init__()
        self.order = order

    def make_model(self) -> nn.Module:
        return ShiftNet(self.order).to(self.dtype)


class Smoothed(QuietTrainer):
    """A loss that looks at a value."""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        points, labels = batch
        return functional.cross_entropy(model(points), labels, label_smoothing=self.hp["smoothing"])


class Frozen(QuietTrainer):
    """Freezes its first layer when a value says so."""

    def setup(self, hp: Any) -> None:
        if "frozen" in hp:
            self.model.first.requires_grad_(not hp["frozen"])


class CachingNet(QuietNet):
    """Makes a table as long as the longest batch that it met."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.ones(4)

    def forward(self, points: Tensor) -> Any:
        if len(points) > len(self.table):
            self.table.fill_(torch.nan)  # as memory that others have by then
            self.table = torch.full((len(points),), 2.0)
        return super().forward(points * self.table[: len(points), None])


class Caching(QuietTrainer):
    """Its validation has longer batches than its training."""

    default_batch_size = 4
    val_batch_size = 16

    def make_model(self) -> nn.Module:
        return CachingNet().to(self.dtype)


class Counts(QuietTrainer):
    """Counts its losses in an attribute."""

    calls = 0

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        self.calls += 1
        return super().loss(model, batch)


class WritesBatch(QuietTrainer):
    """Changes its batch in place."""

    def make_model(self) -> nn.Module:
        return nn.Linear(6, 3).to(self.dtype)

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        batch[0].mul_(0.5)
        return super().loss(model, batch)


class AliasNet(QuietNet):
    """A buffer that is a parameter."""

    last_bias: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("last_bias", torch.zeros(3))

    def forward(self, points: Tensor) -> Any:
        out = super().forward(points) + 0.5 * self.last_bias
        if self.training:
            self.last_bias = self.last.bias.detach()
        return out


class AliasTrainer(QuietTrainer):
    """Trains an `AliasNet`."""

    def make_model(self) -> nn.Module:
        return AliasNet().to(self.dtype)


class CountingNet(QuietNet):
    """Counts its calls in an attribute."""

    calls = 0

    def forward(self, points: Tensor) -> Any:
        self.calls += 1
        return super().forward(points)


class CountsInModel(QuietTrainer):
    """Trains a `CountingNet`."""

    def make_model(self) -> nn.Module:
        return CountingNet().to(self.dtype)


class SetUpClass(QuietTrainer):
    """Its `setup` sets a variable of the class."""

    factor = 1.0

    def setup(self, hp: Any) -> None:
        if "factor" in hp:
            SetUpClass.factor = hp["factor"]

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        return super().loss(model, batch) * SetUpClass.factor
