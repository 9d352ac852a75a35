"""Two splits of one data set where one was meant: what is validated was trained on, and figures flatter.

`random_split` draws. Called in `train_set` and again in `val_set` it draws twice, and a good part of the validation set
is in the training set, as it is in a script that calls it twice. It refuses to know trainers: it looks at subsets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    tables = _tables(train_set.dataset, val_set.dataset)
    if tables is None:
        return
    validated = np.unique(_numbers(val_set))
    common = validated[np.isin(validated, _numbers(train_set))]
    if 0 < len(common) < len(validated) and _agree(tables, common[:_LOOKS].tolist()):
        tell_once(
            ("split twice", trainer),
            f"{len(common)} of the {len(validated)} samples of {trainer}.val_set() are in train_set(), too. Each call "
            "of random_split draws another split: call it once, in __init__(), and return its parts; or give both "
            "calls generator=torch.Generator().manual_seed(0).",
        )


def _tables(one: Any, other: Any) -> Sequence[tuple[torch.Tensor, torch.Tensor]] | None:
    """Return tensors in which two data sets have to agree to be one; None if they are two in any case."""
    if one is other:
        return []
    if not isinstance(one, TensorDataset) or not isinstance(other, TensorDataset):
        return None  # to ask others for a sample may change them
    is_alike = [tensor.shape for tensor in one.tensors] == [tensor.shape for tensor in other.tensors]
    return list(zip(one.tensors, other.tensors, strict=True)) if is_alike else None


def _numbers(subset: Subset[Any]) -> np.ndarray:
    """Return the indices of a subset; none if they are no numbers. There may be millions of them."""
    try:
        indices = np.asarray(subset.indices)
    except (TypeError, ValueError):  # a tensor on a GPU, or a list of anything
        indices = np.empty(0)
    return indices.ravel() if indices.dtype.kind in "iu" else np.empty(0, dtype=np.int64)


def _agree(tables: Sequence[tuple[torch.Tensor, torch.Tensor]], indices: Sequence[int]) -> bool:
    return all(torch.equal(one[index], other[index]) for one, other in tables for index in indices)
