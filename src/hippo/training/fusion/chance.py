"""Chance of lanes that are computed as one: each lane's is what it would be alone.

`vmap` with `randomness="same"` draws one lane's numbers once for all of them. It fills a tensor in the order of its
indices; torch alone does so in the order in which the tensor lies in memory. The two part where one is transposed, as
what attention returns is, and nobody would notice. On a GPU dropout has a kernel of its own, which draws otherwise than
whatever else fills a tensor, and which `vmap` does not call: so its mask is drawn here, by that kernel, below `vmap`.
Attention has kernels of its own there, too, and recurrent networks everywhere. This module refuses to know seeds and
models.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from hippo.training.fusion.device_attention import attention_of_lanes
from hippo.training.fusion.recurrences import RECURRENCES, is_packed

#: methods of tensors that fill them with numbers drawn alike
_FILLS = frozenset(
    getattr(Tensor, name)
    for name in (
        "bernoulli_",
        "cauchy_",
        "exponential_",
        "geometric_",
        "log_normal_",
        "normal_",
        "random_",
        "uniform_",
    )
)
#: SELU's negative saturation: where alpha dropout drops, this stays (Klambauer et al. 2017, section "New dropout")
_SATURATION = 1.7580993408473766


class DrawAsSolo(TorchFunctionMode):
    """Within it, tensors of lanes are filled in the order in which one lane's would be.

    Args:
      others: function -> what to compute in its place, or what returns None where it is computed as it is; of others
        that need it. One table for all: each mode costs a microsecond in every function, and in each look at a tensor.
    """

    def __init__(self, others: Mapping[Any, Callable[..., Any]] | None = None) -> None:
        super().__init__()
        self._others = others or {}
        self._instead = {**_DRAWS, **self._others}

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func is functional.multi_head_attention_forward:
            return self._looked_into(func, *args, **kwargs)
        instead = self._instead.get(func)
        if instead is not None:
            found = instead(func, *args, **kwargs)
            if found is not None:
                return found
        return func(*args, **kwargs)

    def _looked_into(self, func: Any, *args: Any, **options: Any) -> Any:
        """Call a function of torch's that is written in Python, so that what it calls is seen, too.

        A mode is asked about such a function as a whole, and about nothing inside of it.
        """
        with DrawAsSolo(self._others):
            return _without_handlers(func)(*args, **options)


@functools.cache
def _without_handlers(func: FunctionType) -> FunctionType:
    """Return a function of torch's that looks for nobody who handles it as a whole."""
    inside = FunctionType(
        func.__code__, {**func.__globals__, "has_torch_function": _has_none}, func.__name__, func.__defaults__
    )
    inside.__kwdefaults__ = func.__kwdefaults__
    return inside


def _fill(func: Callable[..., Tensor], tensor: Tensor, *args: Any, **options: Any) -> Tensor | None:
    alone = _as_alone(tensor)
    if alone is None or any(isinstance(each, Tensor) for each in args):
        return None
    return tensor.copy_(func(alone, *args, **options))


def _dropout(func: Any, input: Tensor, p: float, train: bool) -> Tensor | None:  # the names are torch's
    if func is torch.dropout and _has_kernel(input) and _draws(input, p, train):
        mask: Tensor = DropoutMask.apply(_as_alone_with_gaps(input), p)  # type: ignore[no-untyped-call]
        return (input * mask).mul_(1 / (1 - p))  # in this order the last bits of float16 are the kernel's, too
    noise = _noise(input, p, train)
    if noise is None:
        return None
    noise.div_(1 - p)
    return input.mul_(noise) if func is torch.dropout_ else input * noise


def _alpha_dropout(func: Any, input: Tensor, p: float, train: bool) -> Tensor | None:
    noise = _noise(input, p, train)
    if noise is None:
        return None
    scale = 1 / math.sqrt((_SATURATION**2 * p + 1) * (1 - p))
    shift = (noise - 1).mul_(_SATURATION * scale).add_(_SATURATION * scale * p)
    noise.mul_(scale)
    return input.mul_(noise).add_(shift) if func is torch.alpha_dropout_ else input * noise + shift


def _functional(plain: Any, in_place: Any, draw: Callable[..., Tensor | None]) -> Callable[..., Tensor | None]:
    """Return what `torch.nn.functional` has under this name, which a mode is asked about before torch's own two."""

    def drawn(_func: Any, input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor | None:
        return draw(in_place if inplace else plain, input, p, training)

    return drawn


def _attention(_func: Any, *args: Any, **options: Any) -> Tensor | None:
    tensors = [*args, *options.values()]
    if not any(isinstance(each, Tensor) and _is_of_lanes(each) and _has_kernel(each) for each in tensors):
        return None
    return attention_of_lanes(*args, **options)


def _has_none(_tensors: Any) -> bool:
    return False


def _recurrent(func: Any, *args: Any, **options: Any) -> Any:
    """Compute a recurrent network by operations that `vmap` knows; None: it is not of lanes, or packed.

    What its layers come to lies in the order of its indices, so that dropout between them draws as it would alone.
    """
    if is_packed(args) or not any(isinstance(each, Tensor) and _is_of_lanes(each) for each in tree_leaves(args)):
        return None
    return RECURRENCES[func](*args, **options)


def drawn_on(device: torch.device) -> Tensor:
    """Return how far the generators have come that torch draws from, on the CPU and on a device."""
    states = [torch.get_rng_state()]
    if device.type == "cuda":
        states.append(torch.cuda.get_rng_state(device))
    return torch.cat(states)


class DropoutMask(Function):
    """The mask of a tensor that is dropped out, as torch's own kernel draws it, below any `vmap`."""

    @staticmethod
    def forward(like: Tensor, p: float) -> Tensor:
        return torch.native_dropout(like, p, True)[1]

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Tensor) -> None:
        ctx.mark_non_differentiable(output)

    @staticmethod
    def vmap(info: Any, in_dims: Any, like: Tensor, p: float) -> Any:
        raise NotImplementedError("the tensor is no lane's: its mask is that of all of them")


def _has_kernel(tensor: Tensor) -> bool:
    """Whether torch drops out such tensors by a kernel that draws as well: ATen, `is_fused_kernel_acceptable`."""
    return tensor.is_cuda or tensor.is_xpu


def _noise(tensor: Tensor, p: float, train: bool) -> Tensor | None:
    """Return ones and zeros for a tensor, as dropout draws them on a CPU; None: there is nothing to do otherwise."""
    alone = _as_alone(tensor) if _draws(tensor, p, train) else None
    return None if alone is None else alone.bernoulli_(1 - p)


def _draws(tensor: Tensor, p: float, train: bool) -> bool:
    """Whether dropout of lanes draws anything: else torch returns what it got, or says what is wrong."""
    return train and 0 < p < 1 and tensor.numel() > 0 and _is_of_lanes(tensor)


def _is_of_lanes(tensor: Tensor) -> bool:
    return bool(torch._C._functorch.is_batchedtensor(tensor))


def _as_alone(tensor: Tensor) -> Tensor | None:
    """Return an empty tensor that lies in memory as one lane's would; None: it lies in the order of its indices."""
    if tensor.dim() < 2 or not _is_of_lanes(tensor):
        return None
    strides, is_plain = _dense_strides(tensor)
    return None if is_plain else _empty(tensor, strides)


def _as_alone_with_gaps(tensor: Tensor) -> Tensor:
    """Return an empty tensor that lies in memory as one lane's would, gaps included, for a kernel that minds them.

    A tensor of lanes has gaps that none of them has alone, where the lanes lie between them.
    """
    of_all = torch._C._functorch.get_unwrapped(tensor)
    has_gaps = not torch.ops.aten.is_non_overlapping_and_dense(of_all)
    return _empty(tensor, tensor.stride() if has_gaps else _dense_strides(tensor)[0])


def _empty(like: Tensor, strides: tuple[int, ...]) -> Tensor:
    return torch.empty_strided(tuple(like.shape), strides, dtype=like.dtype, device=like.device)


def _dense_strides(tensor: Tensor) -> tuple[tuple[int, ...], bool]:
    """Return the strides of a tensor like one lane's without gaps, and whether they are those of its indices' order."""
    # on "meta" nothing is allocated: only torch's own rule is asked, of dense tensors
    dense = torch.empty_like(torch.empty_strided(tuple(tensor.shape), tensor.stride(), device="meta"))
    return dense.stride(), dense.is_contiguous()


_DRAWS: Mapping[Any, Callable[..., Any]] = {
    **dict.fromkeys(_FILLS, _fill),
    torch.dropout: _dropout,
    torch.dropout_: _dropout,
    torch.alpha_dropout: _alpha_dropout,
    torch.alpha_dropout_: _alpha_dropout,
    functional.scaled_dot_product_attention: _attention,
    **dict.fromkeys(RECURRENCES, _recurrent),
    functional.dropout: _functional(torch.dropout, torch.dropout_, _dropout),
    functional.alpha_dropout: _functional(torch.alpha_dropout, torch.alpha_dropout_, _alpha_dropout),
}
