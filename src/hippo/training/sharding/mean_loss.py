"""Is a loss the mean over a batch's samples? Asked of one batch, before its parts are trained in its place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch

from hippo.training.data import to_device
from hippo.training.streams import GENERATORS, HeldStates, fence

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: how far the loss of a batch may be from the mean over its parts: sums of float32, or of half precision
_ROUNDING, _HALF_ROUNDING = 1e-3, 5e-2
#: below it, a loss is none
_NOTHING = 1e-6


def losses_at_rest(trainer: TorchTrainer, batches: Iterable[Any]) -> list[float] | None:
    """Return the loss of each batch as it is evaluated; None if it draws numbers: those of a part are others."""
    modes = [(module, module.training) for module in trainer.model.modules()]
    losses: list[float] = []
    try:
        with fence(), torch.no_grad(), trainer._descent.autocast():
            trainer.model.eval()
            chance = HeldStates()
            for batch in batches:
                losses.append(float(trainer.loss(trainer.model, to_device(batch, trainer._device))))
                if chance.moved(GENERATORS):
                    return None
    finally:
        for module, is_training in modes:
            module.training = is_training
    return losses


def is_mean(whole: float, mean: float, *, precision: str | None) -> bool:
    """Tell whether the loss of a batch is the mean of those of its parts, but for rounding.

    Args:
      precision: in which they were computed; None: that of the model.
    """
    rounding = _ROUNDING if precision is None else _HALF_ROUNDING
    return not abs(whole - mean) > max(_NOTHING, rounding * max(abs(whole), abs(mean)))
