"""Two splits of one data set where one was meant: what is validated was trained on, and figures flatter.

`random_split` draws. Called in `train_set` and again in `val_set` it draws twice, and a good part of the validation set
is in the training set, as it is in a script that calls it twice. It refuses to know trainers: it looks at subsets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import torch
from torch.utils.data import Subset, TensorDataset

from hippo.training.telling import tell_once

#: samples that are compared: data sets that agree in these are one
_LOOKS = 8


def tell_if_split_twice(datasets: Mapping[str, Any], trainer: str) -> None:
    """Warn of a training and a validation set that are parts of one data set and have some samples in common.

    Where all that is validated is trained on, somebody meant it.

    Args:
      datasets: by the method that made them.
      trainer: name of its class.
    """
    train_set, val_set = datasets.get("train_set"), datasets.get("val_set")
    if not isinstance(train_set, Subset) or not isinstance(val_set, Subset):
        return
    validated = _numbers(val_set)
    common = validated & _numbers(train_set)
    if common and common != validated and _are_the_same(train_set.dataset, val_set.dataset, sorted(common)[:_LOOKS]):
        tell_once(
            ("split twice", trainer),
            f"{len(common)} of the {len(validated)} samples of {trainer}.val_set() are in train_set(), too. Each call "
            "of random_split draws another split: call it once, in __init__(), and return its parts; or give both "
            "calls generator=torch.Generator().manual_seed(0).",
        )


def _numbers(subset: Subset[Any]) -> set[int]:
    """Return the indices of a subset, as far as they are numbers."""
    return {int(index) for index in np.asarray(subset.indices, dtype=object).ravel() if isinstance(index, Integral)}


def _are_the_same(one: Any, other: Any, indices: Sequence[int]) -> bool:
    """Whether two data sets are one, or made of tensors that agree in these samples."""
    if one is other:
        return True
    if not isinstance(one, TensorDataset) or not isinstance(other, TensorDataset):
        return False  # to ask others for a sample may change them
    pairs = zip(one.tensors, other.tensors, strict=False)
    is_alike = [tensor.shape for tensor in one.tensors] == [tensor.shape for tensor in other.tensors]
    return is_alike and all(torch.equal(a[index], b[index]) for a, b in pairs for index in indices)
