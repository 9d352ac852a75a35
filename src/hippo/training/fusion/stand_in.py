"""What `loss` is given for the model where lanes are walked as one, and what stands in `self.model` meanwhile.

It refuses to know where its tensors come from.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

from hippo.training.fusion.lane_tensors import LaneTensors


class StandIn:
    """A model that can be called, and whose `training` can be read, as one lane.

    No module, on purpose: a penalty on `model.parameters()` would be taken from a lane's parameters, or from nobody's.

    Args:
      model: the template.
      places: of its tensors.
      tensors: the lane's own, by name.
    """

    def __init__(self, model: nn.Module, places: LaneTensors, tensors: dict[str, Tensor]) -> None:
        self._model, self._places, self._tensors = model, places, tensors
        #: buffers that were assigned anew: those that were written in place are where they were
        self._assigned: dict[str, Tensor] = {}
        #: by calls within so many transforms; None: nobody asks, and it need not stay in memory
        self._returned: list[Tensor] | None = None
        self._depth: int | None = None

    @property
    def training(self) -> bool:
        """Whether the model trains."""
        return self._model.training

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with self._places.put({**self._tensors, **self._assigned}):
            before = self._places.buffers_in_place()
            result = self._model(*args, **kwargs)
            after = self._places.buffers_in_place()
            self._places.require_floats(self._tensors)
        self._assigned |= {name: tensor for name, tensor in after.items() if tensor is not before[name]}
        if self._returned is not None and self._depth == _depth():
            self._returned += [each for each in tree_leaves(result) if isinstance(each, Tensor)]
        return result

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"loss() read model.{name}: where lanes are walked as one, the model given to loss() may only be called, "
            "and its `training` read"
        )


def assigned_by(stand_in: StandIn) -> dict[str, Tensor]:
    """Return the buffers that calls of a stand-in assigned anew, by name."""
    return stand_in._assigned


def note_returned(stand_in: StandIn) -> list[Tensor]:
    """Return a list to which calls of a stand-in add the tensors that they return from now on.

    Not calls that `metrics` maps or differentiates by `torch.func`: what they return is of no use outside of that.
    """
    stand_in._returned, stand_in._depth = list[Tensor](), _depth()
    return stand_in._returned


def _depth() -> int | None:
    """Return within how many transforms of `torch.func` this is computed; None: in none."""
    return torch._C._functorch.maybe_current_level()


class NoModel:
    """What stands in `self.model` while `loss` runs: what it computes would be of no lane."""

    def __call__(self, *_args: Any, **_kwargs: Any) -> Any:
        raise TypeError("loss() called self.model: call the model given to loss(), not self.model")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"loss() read self.model.{name}: only the model given to loss() knows of which lane it is")


class NoOptimizer:
    """What stands behind `self.optimizer` meanwhile: the template's has the options and the state of no lane."""

    def __getattr__(self, name: str) -> Any:
        raise TypeError(
            "loss() or metrics() looked at self.optimizer, which is nobody's where lanes are walked as one; ask "
            "self.hp for values in force"
        )
