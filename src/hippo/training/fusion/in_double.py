"""A trainer that trains in float64, to tell rounding from faults.

Where a gradient is zero but for rounding, as that of a bias before batch norm, Adam makes whole steps of what rounding
left: two sound programs part at once, in float32. In float64 what is left is below Adam's `eps`, and they do not.
"""

from __future__ import annotations

import copy
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_map

from hippo.training.trainer import Trainer


def in_double(pristine: Trainer) -> Trainer:
    """Return a trainer like this one, whose model is float64; `double_batch` gives it its batches."""
    cls = type(pristine)

    def make_model(self: Any) -> nn.Module:
        return cast(nn.Module, cls.make_model(self)).double()  # type: ignore[attr-defined]

    double = copy.copy(pristine)
    double.__class__ = type(cls.__name__, (cls,), {"make_model": make_model, "precision": None, "_is_double": True})
    return double


def is_in_double(trainer: Trainer) -> bool:
    """Whether `in_double` made a trainer."""
    return getattr(type(trainer), "_is_double", False)


def double_batch(batch: Any) -> Any:
    """Return a batch with float64 in place of float32."""
    return tree_map(
        lambda each: each.double() if isinstance(each, Tensor) and each.dtype is torch.float32 else each, batch
    )
