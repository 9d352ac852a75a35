"""Chance of lanes that are computed as one: each lane's is what it would be alone.

`vmap` with `randomness="same"` draws one lane's numbers once for all of them. It fills a tensor in the order of its
indices; torch alone does so in the order in which the tensor lies in memory. The two part where one is transposed, as
what attention returns is, and nobody would notice. What is followed here is a CPU: a GPU's dropout draws by a kernel of
its own, and only the fusion check sees what becomes of that. It refuses to know seeds and models.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

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
    """Within it, tensors of lanes are filled in the order in which one lane's would be."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        draw = _DRAWS.get(func)
        if draw is not None:
            drawn = draw(func, *args, **kwargs)
            if drawn is not None:
                return drawn
        return func(*args, **kwargs)


def _fill(func: Callable[..., Tensor], tensor: Tensor, *args: Any, **options: Any) -> Tensor | None:
    alone = _as_alone(tensor)
    if alone is None or any(isinstance(each, Tensor) for each in args):
        return None
    return tensor.copy_(func(alone, *args, **options))


def _dropout(func: Any, input: Tensor, p: float, train: bool) -> Tensor | None:  # the names are torch's
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


def _noise(tensor: Tensor, p: float, train: bool) -> Tensor | None:
    """Return ones and zeros for a tensor, as dropout draws them on a CPU; None: there is nothing to do otherwise."""
    if not train or not 0 < p < 1:  # torch then draws nothing, or says what is wrong
        return None
    alone = _as_alone(tensor)
    return None if alone is None else alone.bernoulli_(1 - p)


def _as_alone(tensor: Tensor) -> Tensor | None:
    """Return an empty tensor that lies in memory as one lane's would; None: it lies in the order of its indices."""
    if tensor.dim() < 2 or not torch._C._functorch.is_batchedtensor(tensor):
        return None
    shape, strides = tuple(tensor.shape), tensor.stride()
    # on "meta" nothing is allocated: only torch's own rule is asked, of dense tensors
    wanted = torch.empty_like(torch.empty_strided(shape, strides, device="meta"))
    if wanted.is_contiguous():
        return None
    return torch.empty_strided(shape, wanted.stride(), dtype=tensor.dtype, device=tensor.device)


_DRAWS: Mapping[Any, Callable[..., Tensor | None]] = {
    **dict.fromkeys(_FILLS, _fill),
    torch.dropout: _dropout,
    torch.dropout_: _dropout,
    torch.alpha_dropout: _alpha_dropout,
    torch.alpha_dropout_: _alpha_dropout,
    functional.dropout: _functional(torch.dropout, torch.dropout_, _dropout),
    functional.alpha_dropout: _functional(torch.alpha_dropout, torch.alpha_dropout_, _alpha_dropout),
}
