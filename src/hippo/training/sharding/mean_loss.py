"""Is a loss the mean over a batch's samples? Asked of some batches, before their parts are trained in their place.

A model says at first much the same of all samples, and just the same if its last layer begins at zero: then losses of
samples are alike, and a mean that weighs them looks like one that does not. So it is asked again later, more and more
rarely: of a worker's batches 1, 2, 4, 8 and so on. Values may choose another loss, so that they are counted by values.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from hippo.training.declarative.optimizer_values import APPLIED
from hippo.training.feeding.data import to_device
from hippo.training.process.streams import GENERATORS, HeldStates, fence
from hippo.training.sharding.held_buffers import HeldBuffers

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: how far the loss of a batch may be from the mean over its parts: sums of float32, or of half precision
_ROUNDING, _HALF_ROUNDING = 1e-3, 5e-2
#: below it, a loss is none
_NOTHING = 1e-6


def losses_at_rest(trainer: TorchTrainer, batches: Sequence[Any], *, has_gradients: bool = False) -> list[float] | None:
    """Return the loss of each batch as it is evaluated; None if it draws numbers: those of a part are others.

    Args:
      has_gradients: whether the loss may ask for gradients itself.
    """
    modes = [(module, module.training) for module in trainer.model.modules()]
    buffers = HeldBuffers(trainer.model)
    values = buffers.values()
    losses: list[float] = []
    try:
        with fence(), torch.set_grad_enabled(has_gradients), trainer._descent.autocast():
            trainer.model.eval()
            chance = HeldStates()
            for batch in batches:
                buffers.go_back(values)
                own = copy.deepcopy(to_device(batch, trainer._device))  # a loss may write into it
                loss: Any = trainer.loss(trainer.model, own)
                losses.append(float(loss.detach() if isinstance(loss, torch.Tensor) else loss))
                if chance.moved(GENERATORS):
                    return None
    finally:
        buffers.go_back(values)
        for module, is_training in modes:
            module.training = is_training
    return losses


#: values by name, as text
_Values = tuple[tuple[str, str], ...]
#: so many are told apart: those that were new first are asked anew
_MOST_KNOWN = 256


def looks_of(trainer: TorchTrainer, built: Mapping[str, Any]) -> MeanLooks:
    """Return when losses under a trainer's values of now are compared, which counts what this worker has seen of them.

    Rates and the like choose no loss. Numbers with fractions may be other ones in each step, as a weight is that grows:
    those count that a trial was built with.

    Args:
      built: the values under which it was built.
    """
    known = trainer._mean_looks
    key = _told(built, of_fractions=True), _told(trainer.hp.raw, of_fractions=False)
    if key not in known:
        while len(known) >= _MOST_KNOWN:
            del known[next(iter(known))]
        known[key] = MeanLooks()
    return known[key]


def _told(values: Mapping[str, Any], *, of_fractions: bool) -> _Values:
    chosen = (name for name in sorted(values.keys() - APPLIED) if isinstance(values[name], float) == of_fractions)
    return tuple((name, repr(values[name])) for name in chosen)


class MeanLooks:
    """When the losses of a worker's batches are compared with those of their parts, and what came of it."""

    def __init__(self) -> None:
        self._batches = 0
        #: some loss was none: whatever comes next is compared
        self._has_failed = False
        #: the largest loss compared so far: what one comes to later is rounded like the numbers that it is made of
        self._largest = 0.0

    def is_due(self) -> bool:
        """Count a batch, and tell whether its loss is to be compared."""
        self._batches += 1
        return self._has_failed or self._batches & (self._batches - 1) == 0

    def is_mean(self, whole: float, mean: float, *, precision: str | None) -> bool:
        """Tell whether the loss of a batch is the mean of those of its parts, but for rounding.

        Args:
          precision: in which they were computed; None: that of the model.
        """
        rounding = _ROUNDING if precision is None else _HALF_ROUNDING
        self._largest = max(self._largest, *(abs(each) for each in (whole, mean) if math.isfinite(each)), 0.0)
        is_other = abs(whole - mean) > max(_NOTHING, rounding * self._largest)
        self._has_failed |= is_other
        return not is_other
