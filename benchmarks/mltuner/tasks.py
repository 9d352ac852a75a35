"""What is trained: digits with wrong labels by two networks, and a small character language model.

Each is counted (`counting.py`). Steps are mini-batches or a few of them, of the same number of samples whatever the
batch size; losses are means per sample.
"""

from __future__ import annotations

from typing import Any

import counting
import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import TensorDataset

import hippo

#: steps between two evaluations on digits: an epoch is 4.7 steps
CHECK_EVERY = 5
TARGET = 0.955

#: tunables of digits (Cui et al. 2018, Table 3, for one machine)
DIGITS_SPACE = {
    "lr": hippo.loguniform(1e-5, 1.0),
    "momentum": hippo.uniform(0.0, 1.0),
    "batch_size": hippo.choice(16, 64, 256),
}

#: tunables of the character model
CHARACTERS_SPACE = {"lr": hippo.loguniform(1e-4, 10.0), "momentum": hippo.uniform(0.0, 1.0)}

OPTIMIZERS = {
    "Adam": torch.optim.Adam,
    "RMSProp": torch.optim.RMSprop,
    "AdaGrad": torch.optim.Adagrad,
    "AdaDelta": torch.optim.Adadelta,
    "Nesterov": None,
    "NAdam": torch.optim.NAdam,
}


class CountedTrainer(hippo.TorchTrainer):
    """Counts its steps and evaluations."""

    def train(self) -> Any:
        counting.running().note_step()
        return super().train()

    def evaluate(self) -> Any:
        metrics = super().evaluate()
        counting.running().note_check(float(metrics["accuracy"]))
        return metrics

    def loss(self, model: Any, batch: Any) -> torch.Tensor:
        inputs, labels = batch
        return nn.functional.cross_entropy(model(inputs).flatten(0, -2), labels.flatten())

    def metrics(self, model: Any, batch: Any) -> dict[str, Any]:
        inputs, labels = batch
        return {"accuracy": (model(inputs).argmax(-1) == labels).float().mean()}


class NoisyDigits(CountedTrainer):
    """A perceptron 64-64-64-10 on 1,200 images, of which 120 have a wrong label; 597 others are the validation set."""

    dataset = "scikit-learn digits, numpy split with seed 0, 120 labels wrong"
    samples_per_step = 256

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        digits = load_digits()
        order = rng.permutation(len(digits.target))
        self.training, self.validation = order[:1200], order[1200:]
        self.inputs = torch.tensor(digits.data, dtype=torch.float32) / 16
        self.labels = torch.tensor(digits.target)
        self.told = self.labels.clone()
        wrong = self.training[:120]
        self.told[wrong] = (self.labels[wrong] + 1 + torch.tensor(rng.integers(9, size=120))) % 10

    def make_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=self.hp["lr"], momentum=self.hp["momentum"])

    def train_set(self) -> TensorDataset:
        return TensorDataset(self.inputs[self.training], self.told[self.training])

    def val_set(self) -> TensorDataset:
        return TensorDataset(self.inputs[self.validation], self.labels[self.validation])


class ConvolvedDigits(NoisyDigits):
    """The same images, by two small convolutions."""

    def make_model(self) -> nn.Module:
        return nn.Sequential(
            nn.Unflatten(1, (1, 8, 8)), nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 10),
        )  # fmt: skip


class AdaptiveDigits(NoisyDigits):
    """The perceptron with another optimizer, of which only the learning rate is given.

    Args:
      optimizer: one of `OPTIMIZERS`.
    """

    default_batch_size = 64

    def __init__(self, optimizer: str) -> None:
        super().__init__()
        self.optimizer_name = optimizer

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        if self.optimizer_name == "Nesterov":
            return torch.optim.SGD(params, lr=self.hp["lr"], momentum=0.9, nesterov=True)
        return OPTIMIZERS[self.optimizer_name](params, lr=self.hp["lr"])


class Characters(CountedTrainer):
    """A transformer of two layers and width 64 that reads docstrings of Python character by character.

    A step is one batch of 16 pieces of 32 characters; validation are the last tenth of the text's pieces.
    """

    dataset = "docstrings of the built-ins of Python"
    samples_per_step = 16
    default_batch_size = 16
    length = 32

    def __init__(self) -> None:
        import builtins

        texts = [value.__doc__ or "" for _, value in sorted(vars(builtins).items()) if callable(value)]
        text = "\n".join(texts)
        known = sorted(set(text))
        codes = torch.tensor([known.index(letter) for letter in text])
        pieces = codes[: (len(codes) - 1) // self.length * self.length + 1]
        self.inputs, self.labels = pieces[:-1].view(-1, self.length), pieces[1:].view(-1, self.length)
        self.num_known = len(known)
        self.held_out = len(self.inputs) * 9 // 10

    def make_model(self) -> nn.Module:
        return _Reader(self.num_known, self.length, width=64, layers=2)

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=self.hp["lr"], momentum=self.hp["momentum"])

    def train_set(self) -> TensorDataset:
        return TensorDataset(self.inputs[: self.held_out], self.labels[: self.held_out])

    def val_set(self) -> TensorDataset:
        return TensorDataset(self.inputs[self.held_out :], self.labels[self.held_out :])


class _Reader(nn.Module):
    """Logits of the next character at each place.

    Args:
      num_known: characters.
      length: of a piece.
      width: of each layer.
      layers: how many.
    """

    def __init__(self, num_known: int, length: int, *, width: int, layers: int) -> None:
        super().__init__()
        self.letters, self.places = nn.Embedding(num_known, width), nn.Embedding(length, width)
        block = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(block, layers, enable_nested_tensor=False)
        self.readout = nn.Linear(width, num_known)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(length), persistent=False)

    def forward(self, letters: torch.Tensor) -> torch.Tensor:
        places = torch.arange(letters.shape[1])
        hidden = self.blocks(self.letters(letters) + self.places(places), mask=self.mask, is_causal=True)
        return self.readout(hidden)
