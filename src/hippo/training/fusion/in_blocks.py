"""Functions of one tensor whose bits depend on no place, where lanes are computed as one: in whole blocks.

Below `vmap` a tensor of all lanes is laid out in one row, which is filled up to whole blocks of a kernel's vectors:
forwards and, since the row is what is differentiated, backwards. It costs a few operations more; to look at every one
(`place_free`) costs more than most of them do. It refuses to know which functions a network has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from hippo.training.fusion.below_vmap import is_on_cpu, of_all, of_each
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
    if not args or not is_on_cpu(args[0]) or not args[0].is_floating_point() or kwargs.get("inplace"):
        return None
    tensor, *others = args
    if any(isinstance(each, Tensor) for each in (*others, *kwargs.values())):
        return None
    if not depends_on_place(func, args, kwargs):
        return None
    whole, lanes_at = of_all(tensor)
    # in the order in which it lies in memory, which the result then has, too
    strides = whole.stride()
    order = sorted(range(whole.dim()), key=lambda dim: (-strides[dim], dim))
    placed = whole.permute(order)
    row = placed.reshape(-1)
    missing = -row.numel() % BLOCK
    filled = torch.cat([row, row.new_ones(missing)]) if missing else row
    found = func(filled, *others, **kwargs)[: row.numel()].view(placed.shape)
    return of_each(found.permute([order.index(dim) for dim in range(whole.dim())]), lanes_at)


def _power_in_blocks(func: Any, *args: Any, **kwargs: Any) -> Tensor | None:
    """Compute a power whose exponent is a number, as other functions of one tensor."""
    has_number = len(args) > 1 and not isinstance(args[1], Tensor)
    return _in_blocks(func, *args, **kwargs) if has_number else None


#: function -> what computes it so that it has the bits of any company, on one thread of a CPU; for `DrawAsSolo`
IN_BLOCKS: Mapping[Any, Callable[..., Tensor | None]] = {
    **dict.fromkeys(_FUNCTIONS, _in_blocks),
    **dict.fromkeys(_POWERS, _power_in_blocks),
}
