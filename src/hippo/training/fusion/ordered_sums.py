"""Sums whose bits depend on what is summed alone, and not on what lies beside it in memory.

A kernel that sums over the first dimension of a matrix takes its columns in blocks, and those that are left over in
another order. Where lanes lie side by side, as the channels of batch norm do, it depends on a lane's place, and on how
many there are, which of its columns are left over. So each lane is brought to lie by itself before it is summed, and
channels are filled up to whole blocks. It refuses to know lanes: it sees tensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

from hippo.training.fusion.aligned import AlignedProducts

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


class OrderedSums(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Within it, a sum over a dimension has the bits that it has in any company, on one thread of a CPU.

    The lanes' dimension comes first in what is summed, as `vmap` has it. Products are those of `AlignedProducts`: one
    mode costs half of what two do.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._products = AlignedProducts()  # type: ignore[no-untyped-call]

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in _SUMS:
            args = tuple(each.contiguous() if isinstance(each, Tensor) else each for each in args)
        elif func is _ATEN.native_batch_norm.default and _has_no_image(args[0]):
            return _norm(*args, **kwargs)
        elif func is _ATEN.native_batch_norm_backward.default and _has_no_image(args[0]):
            return _norm_backward(*args, **kwargs)
        return self._products.__torch_dispatch__(func, types, args, kwargs)


def _has_no_image(tensor: Tensor) -> bool:
    """Whether channels lie side by side: where each has an image, it is summed by itself."""
    return tensor.numel() == tensor.shape[0] * tensor.shape[1] and tensor.shape[1] % _BLOCK != 0


def _norm(one: Tensor, weight: Any, bias: Any, mean: Any, variance: Any, *rest: Any) -> tuple[Tensor, ...]:
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
