"""Convolutions, batch norms and pools of lanes, as of one network with all their channels side by side.

`vmap` has rules for them, which take biases and weights of channels apart, and have lanes lie now as channels, now as
examples: each is a pass over all numbers, forwards and backwards. Here lanes stay where convolutions want them, and one
kernel does what it does for a lane alone. It refuses to know models, and what becomes of the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from hippo.training.fusion.below_vmap import is_of_lanes, is_on_cpu, of_all, of_each

#: function -> dimensions of what it is given, where the first two are examples and channels
_POOLS: Mapping[Any, int] = {
    functional.max_pool1d: 3,
    functional.max_pool2d: 4,
    functional.avg_pool1d: 3,
    functional.avg_pool2d: 4,
    functional.adaptive_avg_pool1d: 3,
    functional.adaptive_avg_pool2d: 4,
}


def _convolution(
    func: Any,
    input: Tensor,  # the names are torch's
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor | None:
    """Compute each lane's filters as a group of their own; where lanes have one input, as more filters of it.

    None: `vmap` does as well.
    """
    has_own = is_of_lanes(input)
    if not (is_on_cpu(weight) and is_on_cpu(bias)) or input.dim() != weight.dim() or (groups != 1 and not has_own):
        return None
    num_lanes = _number(weight)
    filters, biases = _beside(weight), _beside(bias)  # type: ignore[arg-type]
    if has_own:
        found = func(_beside(input, at=1), filters, biases, stride, padding, dilation, groups * num_lanes)
    else:
        found = func(input, filters, biases, stride, padding, dilation)
    return _apart(found, num_lanes)


def _batch_norm(
    func: Any,
    input: Tensor,  # the names are torch's
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor | None:
    """Norm each lane's channels as channels of one batch; running statistics are brought on where they are.

    None: something is not the lanes' own, or it is by means that are known.
    """
    own = [each for each in (input, running_mean, running_var, weight, bias) if each is not None]
    if not training or not all(map(is_on_cpu, own)) or input.dim() < 2:
        return None
    given = [None if each is None else _beside(each) for each in (running_mean, running_var, weight, bias)]
    found = _apart(func(_beside(input, at=1), *given, True, momentum, eps), _number(input))
    for running, written in zip((running_mean, running_var), given[:2], strict=True):
        if running is not None and written is not None:
            _write(running, written)
    return found


def _pool(func: Any, input: Tensor, *args: Any, **options: Any) -> Tensor | None:  # the name is torch's
    """Compute pools of each channel; None: it is of no batch, or of no lane's."""
    if not is_on_cpu(input) or input.dim() != _POOLS[func]:
        return None
    return _apart(func(_beside(input, at=1), *args, **options), _number(input))


def _number(tensor: Tensor) -> int:
    whole, lanes_at = of_all(tensor)
    return whole.shape[lanes_at]


def _write(tensor: Tensor, beside: Tensor) -> None:
    """Bring a lane's tensor to what became of it beside the others', if that is not its own memory."""
    whole, lanes_at = of_all(tensor)
    if beside.data_ptr() != whole.data_ptr():
        lanes = whole.movedim(lanes_at, 0)
        lanes.copy_(beside.view(lanes.shape))


def _beside(tensor: Tensor, at: int = 0) -> Tensor:
    """Return the tensor of all lanes in which this dimension holds one lane's beside the other's."""
    whole, lanes_at = of_all(tensor)
    return whole.movedim(lanes_at, at).flatten(at, at + 1)


def _apart(whole: Tensor, num_lanes: int) -> Tensor:
    """Return a lane's [N, C, ...] of [N, L * C, ...]."""
    return of_each(whole.unflatten(1, (num_lanes, -1)), 1)  # type: ignore[no-untyped-call]


#: function -> what computes it in less time, on a CPU, or returns None; for `DrawAsSolo`
SIDE_BY_SIDE: Mapping[Any, Callable[..., Tensor | None]] = {
    **dict.fromkeys((torch.conv1d, torch.conv2d, torch.conv3d), _convolution),
    **dict.fromkeys(_POOLS, _pool),
    functional.batch_norm: _batch_norm,
}
