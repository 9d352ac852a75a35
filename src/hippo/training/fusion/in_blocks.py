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


def _in_blocks(func: Any, *args: Any, **kwargs: Any) -> Tensor | None:
    """Compute a function of a lane's tensor in whole blocks; None: its bits depend on no place, or it is no lane's."""
    if not args or not _is_of_lanes(args[0]) or kwargs.get("inplace") or not depends_on_place(func, args, kwargs):
        return None
    tensor, *others = args
    return FunctionOfLanes.apply(tensor, functools.partial(_called, func, others, kwargs))  # type: ignore[no-any-return, no-untyped-call]


def _power_in_blocks(func: Any, *args: Any, **kwargs: Any) -> Tensor | None:
    """Compute a power whose exponent is a number, as other functions of one tensor."""
    has_number = len(args) > 1 and not isinstance(args[1], Tensor)
    return _in_blocks(func, *args, **kwargs) if has_number else None


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


def _is_of_lanes(value: Any) -> bool:
    return (
        isinstance(value, Tensor)
        and bool(torch._C._functorch.is_batchedtensor(value))
        and value.is_floating_point()
        and value.device.type == "cpu"
    )


#: function -> what computes it so that it has the bits of any company, on one thread of a CPU; for `DrawAsSolo`
IN_BLOCKS: Mapping[Any, Callable[..., Tensor | None]] = {
    **dict.fromkeys(_FUNCTIONS, _in_blocks),
    **dict.fromkeys(_POWERS, _power_in_blocks),
}
