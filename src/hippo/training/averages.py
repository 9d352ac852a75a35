"""Averages of a model's weights along its training, which are evaluated and exported in its place.

Exponential as in Tarvainen and Valpola 2017, "Mean teachers are better role models", section 2, or with equal weights
as in Izmailov et al. 2018, "Averaging weights leads to wider optima and better generalization", section 3. The
arithmetic is torch's `AveragedModel`.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Container, Mapping
from enum import Enum
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from hippo.errors import TrainerError

#: what every module has: its tensors and modules, which are averaged, its mode, its hooks
_OF_EVERY_MODULE = frozenset(vars(torch.nn.Module()))
_PLAIN = (
    *(bool, int, float, complex, str, bytes, type(None), range, slice, type, Enum),
    *(torch.dtype, torch.device, np.ndarray, np.generic),
)
_CONTAINERS = (list, tuple, set, frozenset)


class ModelAverage:
    """The average of a model's weights so far.

    Args:
      model: newly made, to be copied.
      ema_decay: how much of the average stays at an update; buffers are the model's at that update. None: all updates
        count alike, and buffers are averaged, too.
    """

    def __init__(self, model: torch.nn.Module, *, ema_decay: float | None) -> None:
        if ema_decay is None:
            self._averaged = AveragedModel(model, multi_avg_fn=_average_alike, use_buffers=True)
        else:
            self._averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(ema_decay))  # type: ignore[no-untyped-call]
        self._averaged.eval()  # before its first evaluation, too: a loss may ask it, as of a mean teacher

    @property
    def model(self) -> torch.nn.Module | None:
        """The model with averaged weights; None before the first update."""
        return self._averaged.module if self._num_updates else None

    def update(self, model: torch.nn.Module) -> None:
        """Take the model's weights as they are into the average."""
        self._averaged.update_parameters(model)

    def follow(self, model: torch.nn.Module) -> None:
        """Take over what the model's modules hold beside averaged tensors: `setup` or `loss` may have changed it there.

        A temperature, a window, a mask: as a copy of the model as it was built, the average would be computed with
        those of the step at which this lane was built.

        Raises:
          TrainerError: the model has other modules by now.
        """
        averaged = dict(self._averaged.module.named_modules())
        weights = functools.cache(lambda: {_place_of(each) for each in (*model.parameters(), *model.buffers())})
        for name, module in model.named_modules():
            own = averaged.get(name)
            if own is None or type(own) is not type(module):
                before = "nothing" if own is None else f"a {type(own).__name__}"
                raise TrainerError(
                    f"the model has a {type(module).__name__} at {name!r} now, and its average, a copy of the model as "
                    f"it was built, {before}: change modules in place, or leave out ema_decay and swa_from."
                )
            _take_over(own, module, weights)

    def state_dict(self) -> dict[str, Any]:
        """Return the average, as a state of the model, and how many updates it is of."""
        return {"model": self._averaged.module.state_dict(), "updates": self._num_updates}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        self._averaged.module.load_state_dict(state["model"])
        self._averaged.n_averaged.fill_(state["updates"])

    @property
    def _num_updates(self) -> int:
        return int(self._averaged.n_averaged)


def _take_over(own: torch.nn.Module, module: torch.nn.Module, weights: Callable[[], Container[int]]) -> None:
    for name, value in vars(module).items():
        if name in _OF_EVERY_MODULE or _is_held(vars(own).get(name, own), value):
            continue
        if _can_be_taken(value, weights):
            vars(own)[name] = _copied(value)
    for name in module._non_persistent_buffers_set:
        if (buffer := module._buffers[name]) is not None:
            own._buffers[name] = _copied(buffer)


def _is_held(held: object, value: object) -> bool:
    """Whether it need not be copied: a vocabulary, say, at each batch of who learns from an average."""
    if held is value or not isinstance(value, (*_CONTAINERS, dict)):
        return held is value
    try:
        return type(held) is type(value) and held == value
    except (RuntimeError, ValueError):  # tensors or arrays are in it
        return False


def _can_be_taken(value: object, weights: Callable[[], Container[int]]) -> bool:
    """Whether it is plain, a function, a tensor that is not trained, or made of such.

    What refers to modules, or to averaged tensors, is the copy's own: an LSTM, say, has a list of its weights.

    Args:
      value: which.
      weights: says where those of the model are kept, whose views are no others.
    """
    if isinstance(value, _CONTAINERS):
        return all(_can_be_taken(each, weights) for each in value)
    if isinstance(value, dict):
        return all(_can_be_taken(each, weights) for each in value.values())
    if isinstance(value, torch.Tensor):
        return not value.requires_grad and _place_of(value) not in weights()
    if isinstance(value, FunctionType):
        return value.__closure__ is None  # others may refer to the model, as what stands in for its forward does
    if isinstance(value, BuiltinFunctionType):
        return isinstance(value.__self__, type(None) | ModuleType | type)
    return isinstance(value, _PLAIN)


def _place_of(tensor: torch.Tensor) -> int:
    try:
        return tensor.untyped_storage().data_ptr()
    except (NotImplementedError, RuntimeError):  # a sparse one has no single place
        return id(tensor)


def _copied(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else copy.deepcopy(value)


@torch.no_grad()
def _average_alike(averaged: Any, current: Any, num_updates: Any) -> None:
    # torch's own cannot divide whole numbers on a GPU: counters, such as those of batch norm, are the model's last ones
    if averaged[0].is_floating_point() or averaged[0].is_complex():
        torch._foreach_lerp_(averaged, current, 1.0 / (int(num_updates) + 1))
    else:
        torch._foreach_copy_(averaged, current)
