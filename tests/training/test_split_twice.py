"""A data set that is split once for training, and once more for validation, by other draws."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import Subset, TensorDataset, random_split

from hippo.testing.torch_trainers import Blobs, BlobsTrainer
from hippo.training.declarative.split_twice import tell_if_split_twice
from hippo.training.process.streams import seed_everything
from hippo.training.values import HparamValues


class Split(BlobsTrainer):
    """Draws a split wherever it is asked for one; each of its classes warns by itself."""

    def whole(self) -> Any:
        return TensorDataset(torch.arange(64.0)[:, None].expand(64, 8), torch.arange(64) % 2)

    def train_set(self) -> Any:
        return random_split(self.whole(), [48, 16])[0]

    def val_set(self) -> Any:
        return random_split(self.whole(), [48, 16])[1]


class SplitOfOne(Split):
    def __init__(self) -> None:
        super().__init__()
        self.blobs = Blobs(64, 0)

    def whole(self) -> Any:
        return self.blobs


def build(trainer: BlobsTrainer) -> None:
    seed_everything(0, "build", 0)
    trainer.hp = HparamValues({"lr": 0.1})
    trainer.build()


@pytest.mark.parametrize("made", [Split, SplitOfOne])
def test_who_splits_twice_is_told_how_many_samples_are_in_both_parts(made: Callable[[], BlobsTrainer]) -> None:
    with pytest.warns(
        UserWarning, match=r"\d+ of the 16 samples of Split\w*.val_set\(\) are in train_set\(\), too.*once"
    ):
        build(made())


@pytest.mark.parametrize("kind", [list, range, np.asarray, torch.tensor])
def test_indices_may_be_of_any_kind(kind: Any) -> None:
    whole = Blobs(64, 0)
    train_set = Subset(whole, range(48) if kind is range else kind(list(range(48))))
    val_set = Subset(whole, range(40, 64) if kind is range else kind(list(range(40, 64))))
    with pytest.warns(UserWarning, match="8 of the 24 samples"):
        tell_if_split_twice({"train_set": train_set, "val_set": val_set}, f"Indexed by {kind}")


@pytest.mark.parametrize("indices", [["a", "b"], [(0, 1), 2]])
def test_what_is_no_number_is_no_sample_of_two_splits(indices: Any) -> None:
    whole = Blobs(64, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sets = {"train_set": Subset(whole, indices), "val_set": Subset(whole, [*indices, "c"])}
        tell_if_split_twice(sets, "Named")


class SplitAlike(Split):
    """Parts that have nothing in common."""

    def train_set(self) -> Any:
        return random_split(self.whole(), [48, 16], generator=torch.Generator().manual_seed(0))[0]

    def val_set(self) -> Any:
        return random_split(self.whole(), [48, 16], generator=torch.Generator().manual_seed(0))[1]


class WithinTraining(Split):
    """What is validated is part of what is trained on, to see how far it is learned."""

    def train_set(self) -> Any:
        return Subset(self.whole(), range(48))

    def val_set(self) -> Any:
        return Subset(self.whole(), torch.arange(16).tolist())


class OfTwo(Split):
    """Parts of other data, by indices that happen to be the same."""

    def val_set(self) -> Any:
        other = self.whole()
        return Subset(TensorDataset(other.tensors[0] + 1, other.tensors[1]), range(40, 64))


@pytest.mark.parametrize("made", [SplitAlike, WithinTraining, OfTwo])
def test_parts_that_are_meant_are_not_told_of(made: Callable[[], BlobsTrainer]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build(made())
