"""Trainers of small networks, for tests of lanes that are walked as one: each is hard in its own way."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import Dataset, TensorDataset

from hippo.training.torch_trainer import TorchTrainer

CLASSES = 3
#: what a sample is, by the network that it is for
SHAPES = {"mlp": (6,), "cnn": (1, 6, 6), "transformer": (4, 8), "lstm": (4, 8), "gru": (4, 8)}


class ConvolutionalModel(nn.Module):
    """With batch norm, dropout and noise, whose state and chance are where lanes go wrong first."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv2d(1, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)
        self.dropout, self.last = nn.Dropout(0.2), nn.Linear(width, CLASSES)

    def forward(self, images: Tensor) -> Tensor:
        hidden = functional.relu(self.norm(self.first(images)))
        if self.training:
            hidden = hidden + 0.1 * torch.randn_like(hidden)
        return cast(Tensor, self.last(self.dropout(hidden).mean(dim=(2, 3))))


class TransformerModel(nn.Module):
    """A layer of torch's own, which drops out what attention returns: a transposed tensor."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(width, 2, 2 * width, dropout=0.2, batch_first=True)
        self.last = nn.Linear(width, CLASSES)

    def forward(self, texts: Tensor) -> Tensor:
        return cast(Tensor, self.last(self.layer(texts).mean(dim=1)))


class RecurrentModel(nn.Module):
    """Two layers that walk both ways, with dropout between them, and a cell that walks over what they say."""

    def __init__(self, kind: str, width: int) -> None:
        super().__init__()
        network, cell = (nn.LSTM, nn.LSTMCell) if kind == "lstm" else (nn.GRU, nn.GRUCell)
        self.layers: Any = network(8, width, num_layers=2, dropout=0.2, bidirectional=True, batch_first=True)
        self.cell: Any = cell(2 * width, width)
        self.last = nn.Linear(width, CLASSES)

    def forward(self, texts: Tensor) -> Tensor:
        state = None
        for hidden in self.layers(texts)[0].unbind(1):
            state = self.cell(hidden, state)
        return cast(Tensor, self.last(state[0] if isinstance(state, tuple) else state))


def make_net(kind: str, width: int) -> nn.Module:
    """Return a network of a kind among `SHAPES`."""
    if kind == "mlp":
        return nn.Sequential(nn.Linear(6, width), nn.ReLU(), nn.Dropout(0.2), nn.Linear(width, CLASSES))
    if kind in ("lstm", "gru"):
        return RecurrentModel(kind, width)
    return ConvolutionalModel(width) if kind == "cnn" else TransformerModel(8)


class NetTrainer(TorchTrainer):
    """Classifies random samples, with a network and an optimizer that lanes can be walked with as one.

    Args:
      net: a kind among `SHAPES`.
      optimizer: "sgd", "nesterov", "adam", "adamw" or "groups" (two of SGD's).
      double: train in float64.
      width: of the network, where it can be chosen.
      size: samples.
    """

    default_batch_size = 8

    def __init__(
        self, net: str = "mlp", optimizer: str = "sgd", *, double: bool = False, width: int = 8, size: int = 48
    ) -> None:
        self.net, self.kind, self.width, self.size = net, optimizer, width, size
        self.dtype = torch.float64 if double else torch.float32

    def make_model(self) -> nn.Module:
        return make_net(self.net, self.width).to(self.dtype)

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        lr, decay = self.hp["lr"], self.hp.get("weight_decay", 0.0)
        if self.kind in ("adam", "adamw"):
            cls = torch.optim.Adam if self.kind == "adam" else torch.optim.AdamW
            return cls(params, lr=lr, weight_decay=decay)
        momentum = self.hp.get("momentum", 0.9)
        if self.kind == "groups":
            first, *others = params
            groups = [{"params": [first], "lr": 2 * lr}, {"params": others}]
            return torch.optim.SGD(groups, lr=lr, momentum=momentum, weight_decay=decay)
        return torch.optim.SGD(params, lr=lr, momentum=momentum, weight_decay=decay, nesterov=self.kind == "nesterov")

    def train_set(self) -> Dataset[Any]:
        return self._samples(self.size, 0)

    def val_set(self) -> Dataset[Any]:
        return self._samples(11, 1)

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        samples, labels = batch
        return functional.cross_entropy(model(samples), labels)

    def _samples(self, size: int, seed: int) -> Dataset[Any]:
        chance = torch.Generator().manual_seed(seed)
        labels = torch.randint(CLASSES, (size,), generator=chance)
        samples = torch.randn(size, *SHAPES[self.net], generator=chance, dtype=self.dtype)
        return TensorDataset(samples + labels.view(-1, *[1] * len(SHAPES[self.net])), labels)


class StandingTrainer(NetTrainer):
    """Stands still in each forward pass once a file is there.

    Args:
      file: this one.
      seconds: it stands still.
    """

    def __init__(self, *, file: str, seconds: float, **others: Any) -> None:
        super().__init__(**others)
        self.file, self.seconds = Path(file), seconds

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        if self.file.exists():
            threading.Event().wait(self.seconds)
        return super().loss(model, batch)


class FailingTrainer(NetTrainer):
    """Raises where it evaluates a lane of a high learning rate.

    Args:
      above: this rate.
    """

    def __init__(self, *, above: float, **others: Any) -> None:
        super().__init__(**others)
        self.above = above

    def metrics(self, model: nn.Module, batch: Any) -> Mapping[str, Any]:
        if self.hp["lr"] > self.above:
            raise ArithmeticError(f"a rate of {self.hp['lr']}")
        return super().metrics(model, batch)
