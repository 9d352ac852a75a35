"""Widths of models that say nothing of them: found as somebody would have written them, or refused by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from .trainers import CLASSES, Convolutions, Perceptron, ScaledNet, Transformer, built

pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.slow]

Make = Callable[[Callable[[int], int]], nn.Module]


class Silent(ScaledNet):
    """Makes a model by a function of widths, without a word to hippo."""

    def __init__(self, make: Make, optimizer: str = "sgd") -> None:
        super().__init__(optimizer)
        self.make = make

    def make_model(self) -> nn.Module:
        return self.make(lambda width: width)


class Spoken(Silent):
    """Makes the same model, and says its widths."""

    def make_model(self) -> nn.Module:
        return self.make(self.scaled)


class Lent:
    """What the `make_model` of other trainers looks at."""

    dtype = torch.float32

    def __init__(self, cls: Any, scaled: Callable[[int], int]) -> None:
        self.width = getattr(cls, "width", 0)
        self.scaled = scaled


def of(cls: Any) -> Make:
    return lambda scaled: cls.make_model(Lent(cls, scaled))  # type: ignore[no-any-return]


class Recurrent(nn.Module):
    def __init__(self, kind: Any, width: int, **options: Any) -> None:
        super().__init__()
        self.rnn = kind(8, width, **options)
        directions = 2 if options.get("bidirectional") else 1
        self.head = nn.Linear(width * directions, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.unflatten(1, (8, 8))
        if isinstance(self.rnn, nn.RNNBase):
            return self.head(self.rnn(x)[0][:, -1])  # type: ignore[no-any-return]
        state = None
        for token in x.unbind(1):
            state = self.rnn(token, state)
        return self.head(state[0] if isinstance(state, tuple) else state)  # type: ignore[no-any-return]


class Depthwise(nn.Module):
    """Depthwise and grouped convolutions, a transposed one, and a squeeze by a narrow layer."""

    def __init__(self, width: int, middle: int, groups: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(1, width, 3, padding=1)
        self.depthwise = nn.Conv2d(width, width, 3, padding=1, groups=width)
        self.grouped = nn.Conv2d(width, width, 1, groups=groups)
        self.norm = nn.GroupNorm(4, width)
        self.up = nn.ConvTranspose2d(width, middle, 2, stride=2)
        self.shrink, self.grow = nn.Linear(middle, width), nn.Linear(width, middle)
        self.head = nn.Linear(middle, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.grouped(self.depthwise(self.first(x.unflatten(1, (1, 8, 8)))))).relu()
        x = self.up(nn.functional.pad(x, (0, 1, 0, 1))).mean((2, 3))
        return self.head(x * self.grow(self.shrink(x).relu()).sigmoid())  # type: ignore[no-any-return]


class Attention(nn.Module):
    """Attention by hand, with numbers of heads that its code keeps in integers."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.width, self.heads = width, heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.places = nn.Parameter(torch.randn(1, 8, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, places, _ = x.shape
        q, k, v = self.qkv(x + self.places).split(self.width, dim=2)
        q, k, v = (each.view(batch, places, self.heads, self.width // self.heads).transpose(1, 2) for each in (q, k, v))
        mixed = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, places, self.width))  # type: ignore[no-any-return]


def attentive(scaled: Callable[[int], int]) -> nn.Module:
    width = scaled(128)
    return nn.Sequential(
        nn.Unflatten(1, (8, 8)), nn.Linear(8, width), Attention(width, scaled(64) // 8), nn.LayerNorm(width),
        nn.Flatten(), nn.Linear(8 * width, CLASSES),
    )  # fmt: skip


NETS: dict[str, Make] = {
    "perceptron": of(Perceptron),
    "convolutions": of(Convolutions),
    "transformer": of(Transformer),
    "rnn": lambda scaled: Recurrent(nn.RNN, scaled(64), batch_first=True),
    "two-way lstm": lambda scaled: Recurrent(nn.LSTM, scaled(64), batch_first=True, bidirectional=True, num_layers=2),
    "gru": lambda scaled: Recurrent(nn.GRU, scaled(64), batch_first=True),
    "rnn cell": lambda scaled: Recurrent(nn.RNNCell, scaled(64)),
    "lstm cell": lambda scaled: Recurrent(nn.LSTMCell, scaled(64)),
    "gru cell": lambda scaled: Recurrent(nn.GRUCell, scaled(64)),
    "depthwise": lambda scaled: Depthwise(scaled(64), scaled(32), scaled(16)),
    "attention by hand": attentive,
}


@pytest.mark.parametrize("name", NETS)
def test_a_model_that_says_nothing_is_what_somebody_would_have_written(name: str) -> None:
    silent, spoken = (built(cls(NETS[name]), "1/4") for cls in (Silent, Spoken))
    tensors, wanted = (each._surrogate_options.tensors for each in (silent, spoken))

    assert tensors == wanted
    shapes = [{name: each.shape for name, each in each.model.state_dict().items()} for each in (silent, spoken)]
    assert shapes[0] == shapes[1]
    assert all(math.isfinite(value) for value in silent.train().values())
