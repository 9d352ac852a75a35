"""Functions of one tensor whose bits depend on no place, where lanes are computed as one: in whole blocks.

Below `vmap` a tensor of all lanes is laid out in one row, which is filled up to whole blocks of a kernel's vectors:
forwards and, since the row is what is differentiated, backwards. It costs a few operations more; to look at every one
(`place_free`) costs more than most of them do. It refuses to know which functions a network has.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from hippo.training.fusion.whole_blocks import BLOCK, depends_on_place

#: functions, by the names under which they are called, of which kernels have two formulas, be it on some CPU
_FUNCTIONS: frozenset[Any] = frozenset(
    getattr(place, name)
    for place, names in (
        (torch, "sigmoid selu celu exp exp2 expm1 log log1p tanh erf sinh cosh sin cos atan rsqrt"),
        (Tensor, "sigmoid exp exp2 expm1 log log1p tanh erf sinh cosh sin cos atan rsqrt"),
        (functional, "silu gelu mish softplus elu selu celu logsigmoid hardswish hardsigmoid tanhshrink softsign"),
        (torch.special, "expit"),
    )
    for name in names.split()
)
#: of one tensor where the second is a number
_POWERS = frozenset({torch.pow, Tensor.pow, Tensor.__pow__})


class InBlocks(TorchFunctionMode):
    """Within it, such functions of lanes' tensors have the bits of any company, on one thread of a CPU."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if (func in _FUNCTIONS or (func in _POWERS and _has_number(args))) and args and _is_of_lanes(args[0]):
            tensor, *others = args
            if not kwargs.get("inplace") and depends_on_place(func, args, kwargs):
                return FunctionOfLanes.apply(tensor, functools.partial(_called, func, others, kwargs))  # type: ignore[no-untyped-call]
        return func(*args, **kwargs)


class FunctionOfLanes(Function):
    """A function of one tensor, element by element; what is computed of all lanes is differentiated as any other is."""

    @staticmethod
    def forward(tensor: Tensor, compute: Callable[[Tensor], Tensor]) -> Tensor:
        return compute(tensor)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Tensor) -> None:
        pass  # it is applied to lanes alone, whose rule it is that is differentiated

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[int, None], tensor: Tensor, compute: Callable[[Tensor], Tensor]
    ) -> tuple[Tensor, int]:
        # in the order in which it lies in memory, which the result then has, too
        strides = tensor.stride()
        order = sorted(range(tensor.dim()), key=lambda dim: (-strides[dim], dim))
        placed = tensor.permute(order)
        row = placed.reshape(-1)
        missing = -row.numel() % BLOCK
        filled = torch.cat([row, row.new_ones(missing)]) if missing else row
        found = compute(filled)[: row.numel()].view(placed.shape)
        return found.permute([order.index(dim) for dim in range(tensor.dim())]), in_dims[0]


def _called(func: Any, others: list[Any], options: Mapping[str, Any], tensor: Tensor) -> Tensor:
    found: Tensor = func(tensor, *others, **options)
    return found


def _has_number(args: tuple[Any, ...]) -> bool:
    return len(args) > 1 and not isinstance(args[1], Tensor)


def _is_of_lanes(value: Any) -> bool:
    return (
        isinstance(value, Tensor)
        and bool(torch._C._functorch.is_batchedtensor(value))
        and value.is_floating_point()
        and value.device.type == "cpu"
    )
