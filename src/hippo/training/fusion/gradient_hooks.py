"""Hooks that are called with gradients, and looks at whether one is wanted: neither comes through where lanes are one.

A lane's tensors are slices of those of all lanes, and only of these gradients are taken. So a hook on a parameter, a
module or a tensor would not be called, or with the sum of all lanes' gradients; nobody would notice as long as it
leaves gradients as they are, as one that clips them does in the first updates. It refuses to know what hooks do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor, nn

from hippo.training.declarative.parameter_hooks import has_hooks
from hippo.training.fusion.below_vmap import is_of_lanes, of_all
from hippo.training.fusion.refusals import NotFusible

_INSTEAD = "clip_norm bounds gradients of lanes, too; penalties and factors belong into loss()"


def require_no_hooks(model: nn.Module) -> None:
    """Refuse a model with a hook on gradients.

    Raises:
      NotFusible: names where it is.
    """
    for name, parameter in model.named_parameters():
        if has_hooks(parameter):
            raise NotFusible(f"parameter {name!r} has a hook that is called with its gradient; {_INSTEAD}")
    for name, module in model.named_modules():
        if module._backward_hooks or module._backward_pre_hooks:
            raise NotFusible(f"module {name!r} has a hook that is called with its gradients; {_INSTEAD}")


def _refuse(_func: Any, *_args: Any, **_options: Any) -> None:
    raise NotFusible(f"the model, or loss(), registers a hook that is called with a tensor's gradient; {_INSTEAD}")


def _is_wanted(_func: Any, tensor: Tensor, *_type: Any) -> bool | None:
    """Tell whether a gradient is wanted of a lane's tensor, which `vmap` says of none; None: it is no lane's."""
    return of_all(tensor)[0].requires_grad if is_of_lanes(tensor) else None


#: function of torch's -> what is done in its place where lanes are computed
OF_GRADIENTS: Mapping[Any, Callable[..., Any]] = {
    Tensor.register_hook: _refuse,
    Tensor.requires_grad.__get__: _is_wanted,  # type: ignore[attr-defined]
}
