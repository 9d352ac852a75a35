"""The trainers of the evaluation in kind: a perceptron, a convolutional net and a character model that can be narrow.

Widths are those of the targets. Steps are short, and trials are a few: what counts is which values are best at which
width, not how good the models are. They know nothing of what is measured.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from typing import Any

import torch
from sklearn import datasets
from torch import nn
from torch.utils.data import TensorDataset

import hippo

#: images that nobody trains on, of 1,797
HELD_OUT = 597
#: letters of a text, of which all but the last are read, and all but the first are to be told
LETTERS = 49
_DESCRIBED = ("breast_cancer", "iris", "wine", "diabetes", "digits", "linnerud")


class Scalable(hippo.TorchTrainer):
    """What all have in common: the optimizer by name, steps of ten batches, the loss on held-out data as metric."""

    device = "cpu"
    min_width = 8

    def __init__(self, optimizer: str = "sgd", width: int = 0, batch: int = 32, updates: int = 10) -> None:
        """Make one.

        Args:
          optimizer: "sgd" (with momentum), "adam" or "adamw".
          width: of the target; 0: that of its class.
          batch: samples of an update, where no hyper-parameter says so.
          updates: of a step, at that batch size.
        """
        self.optimizer_name = optimizer
        self.width = width or self.target_width
        self.default_batch_size = batch
        self.samples_per_step = batch * updates

    target_width = 0

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        lr, decay = self.hp["lr"], self.hp.get("weight_decay", 0.0)
        if self.optimizer_name == "sgd":
            return torch.optim.SGD(params, lr=lr, momentum=self.hp.get("momentum", 0.9), weight_decay=decay)
        kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[self.optimizer_name]
        return kind(params, lr=lr, weight_decay=decay)


class _Digits(Scalable):
    """On scikit-learn's digits, as they lie in memory."""

    dataset = "scikit-learn digits, split with seed 0"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        found = datasets.load_digits()
        order = torch.randperm(len(found.target), generator=torch.Generator().manual_seed(0))
        self.points = torch.tensor(found.data, dtype=torch.float32)[order] / 16
        self.labels = torch.tensor(found.target)[order]

    def train_set(self) -> TensorDataset:
        return TensorDataset(self.points[HELD_OUT:], self.labels[HELD_OUT:])

    def val_set(self) -> TensorDataset:
        return TensorDataset(self.points[:HELD_OUT], self.labels[:HELD_OUT])

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return nn.functional.cross_entropy(model(batch[0]), batch[1])

    def metrics(self, model: nn.Module, batch: Any) -> dict[str, torch.Tensor]:
        scores = model(batch[0])
        return {
            "val_loss": nn.functional.cross_entropy(scores, batch[1]),
            "val_accuracy": (scores.argmax(1) == batch[1]).float().mean(),
        }


class Perceptron(_Digits):
    """Two hidden layers."""

    target_width = 512

    def make_model(self) -> nn.Module:
        width = self.scaled(self.width)
        return nn.Sequential(
            nn.Linear(64, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10)
        )  # fmt: skip


class Convolutions(_Digits):
    """Two convolutions with batch norm, and a linear layer over their means."""

    target_width = 64

    def make_model(self) -> nn.Module:
        narrow, wide = self.scaled(self.width), self.scaled(2 * self.width)
        return nn.Sequential(
            nn.Unflatten(1, (1, 8, 8)),
            nn.Conv2d(1, narrow, 3, padding=1), nn.BatchNorm2d(narrow), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(narrow, wide, 3, padding=1), nn.BatchNorm2d(wide), nn.ReLU(),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(wide, 10),
        )  # fmt: skip


# ------------------------------------------------------------------------------------------------ a character model


@functools.cache
def letters() -> tuple[torch.Tensor, int]:
    """Return scikit-learn's descriptions of its data sets as numbers of letters, and how many letters there are."""
    text = "\n".join(getattr(datasets, f"load_{name}")().DESCR for name in _DESCRIBED)
    alphabet = {letter: number for number, letter in enumerate(sorted(set(text)))}
    return torch.tensor([alphabet[letter] for letter in text]), len(alphabet)


class Block(nn.Module):
    """Attention and a layer of four times its width, each on a stream that was normed before."""

    #: of a head, at any width of the model
    HEAD = 16

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.out = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.grow, self.shrink = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        normed = self.first(x)
        query, key, value = (
            layer(normed).unflatten(-1, (-1, self.HEAD)).transpose(-3, -2)
            for layer in (self.query, self.key, self.value)
        )
        seen = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(seen.transpose(-3, -2).flatten(-2))
        return x + self.shrink(nn.functional.gelu(self.grow(self.second(x))))


class CharacterModel(nn.Module):
    """Tells the next letter."""

    def __init__(self, width: int, blocks: int, num_letters: int) -> None:
        super().__init__()
        self.letter, self.place = nn.Embedding(num_letters, width), nn.Embedding(LETTERS - 1, width)
        self.blocks = nn.Sequential(*(Block(width) for _ in range(blocks)))
        self.norm, self.readout = nn.LayerNorm(width), nn.Linear(width, num_letters)

    def forward(self, read: torch.Tensor) -> torch.Tensor:
        places = torch.arange(read.shape[-1], device=read.device)
        return self.readout(self.norm(self.blocks(self.letter(read) + self.place(places))))


class Characters(Scalable):
    """A transformer of two blocks on scikit-learn's descriptions of its data sets."""

    target_width = 128
    blocks = 2

    def __init__(self, optimizer: str = "adamw", width: int = 0, batch: int = 16, updates: int = 10) -> None:
        super().__init__(optimizer, width, batch, updates)
        numbers, self.num_letters = letters()
        self.dataset = f"descriptions of data sets, {hashlib.sha256(numbers.numpy().tobytes()).hexdigest()[:16]}"
        texts = numbers[: len(numbers) // LETTERS * LETTERS].view(-1, LETTERS)
        order = torch.randperm(len(texts), generator=torch.Generator().manual_seed(0))
        held_out = len(texts) // 6
        self.held_out, self.texts = texts[order[:held_out]], texts[order[held_out:]]

    def make_model(self) -> nn.Module:
        return CharacterModel(self.scaled(self.width), self.blocks, self.num_letters)

    def train_set(self) -> TensorDataset:
        return TensorDataset(self.texts)

    def val_set(self) -> TensorDataset:
        return TensorDataset(self.held_out)

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        (texts,) = batch
        return nn.functional.cross_entropy(model(texts[:, :-1]).flatten(0, 1), texts[:, 1:].flatten())

    def metrics(self, model: nn.Module, batch: Any) -> dict[str, torch.Tensor]:
        return {"val_loss": self.loss(model, batch)}
