"""Sums whose bits depend on what is summed alone, and not on what lies beside it in memory.

A kernel that sums over the first dimension of a matrix takes its columns in blocks, and those that are left over in
another order. Where lanes lie side by side, as the channels of batch norm do, it depends on a lane's place, and on how
many there are, which of its columns are left over. So each lane is brought to lie by itself before it is summed, and
channels are filled up to whole blocks. It refuses to know lanes: it sees tensors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

_ATEN = torch.ops.aten
#: what sums along dimensions, its first argument
_SUMS = frozenset(
    {
        _ATEN.sum.dim_IntList,
        _ATEN.mean.dim,
        _ATEN.prod.dim_int,
        _ATEN.var.correction,
        _ATEN.var_mean.correction,
        _ATEN.std.correction,
        _ATEN.logsumexp.default,
        _ATEN.linalg_vector_norm.default,
        _ATEN.cumsum.default,
        _ATEN._softmax.default,
        _ATEN._log_softmax.default,
        _ATEN._softmax_backward_data.default,
        _ATEN._log_softmax_backward_data.default,
    }
)
#: channels that make whole vectors on any CPU, of any type
_BLOCK = 64


def ordered_sums() -> Mapping[Any, Callable[..., Any]]:
    """Return operation -> what has, in its place, the bits that it has in any company, on one thread of a CPU.

    For `AlignedProducts`. The lanes' dimension comes first in what is summed, as `vmap` has it.
    """
    sums = {operation: functools.partial(_lane_by_lane, operation) for operation in _SUMS}
    return {
        **sums,
        _ATEN.native_batch_norm.default: _norm,
        _ATEN.native_batch_norm_backward.default: _norm_backward,
    }


def _lane_by_lane(operation: Any, *args: Any, **kwargs: Any) -> Any:
    return operation(*(each.contiguous() if isinstance(each, Tensor) else each for each in args), **kwargs)


def _has_no_image(tensor: Tensor) -> bool:
    """Whether channels lie side by side: where each has an image, it is summed by itself."""
    return tensor.numel() == tensor.shape[0] * tensor.shape[1] and tensor.shape[1] % _BLOCK != 0


def _norm(one: Tensor, weight: Any, bias: Any, mean: Any, variance: Any, *rest: Any) -> tuple[Tensor, ...]:
    if not _has_no_image(one):
        return torch.native_batch_norm(one, weight, bias, mean, variance, *rest)
    channels = one.shape[1]
    filled = [_filled(each, channels) for each in (one, weight, bias, mean, variance)]
    result, *saved = torch.native_batch_norm(*filled, *rest)  # type: ignore[arg-type]
    for own, written in ((mean, filled[3]), (variance, filled[4])):
        if own is not None:
            own.copy_(written[:channels])  # type: ignore[index]
    return (_cut(result, channels), *(each[:channels].clone() for each in saved))


def _norm_backward(
    grad: Tensor, one: Tensor, weight: Any, mean: Any, variance: Any, saved_mean: Any, saved_scale: Any, *rest: Any
) -> tuple[Any, ...]:
    if not _has_no_image(one):
        result = _ATEN.native_batch_norm_backward(grad, one, weight, mean, variance, saved_mean, saved_scale, *rest)
        return tuple(result)
    channels = one.shape[1]
    filled = [_filled(each, channels) for each in (grad, one, weight, mean, variance, saved_mean, saved_scale)]
    result, *of_channels = _ATEN.native_batch_norm_backward(*filled, *rest)
    cut = [None if each is None else each[:channels].clone() for each in of_channels]
    return (None if result is None else _cut(result, channels), *cut)


def _filled(tensor: Tensor | None, channels: int) -> Tensor | None:
    """Return a tensor with ones for the channels, its second or only dimension, that are missing to whole blocks."""
    if tensor is None or tensor.numel() == 0:
        return tensor
    more = -channels % _BLOCK
    of_images = max(tensor.dim() - 2, 0)
    return functional.pad(tensor, (0, 0) * of_images + (0, more), value=1.0)


def _cut(tensor: Tensor, channels: int) -> Tensor:
    return tensor[:, :channels].contiguous()
