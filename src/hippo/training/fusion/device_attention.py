"""Attention of lanes on a GPU: torch's own kernels, asked once for all lanes, or lane by lane where they draw.

What `vmap` makes of these kernels goes wrong there: with dropout it refuses, and in torch 2.11 the backward pass of one
kernel finds its own sums at the wrong places. A kernel takes a batch of examples, though, and lanes are no more than
more examples. Where it drops out, it draws by the number of the example, so that a lane has its chance only if it is
computed by itself. It refuses to know models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn import functional

#: examples, heads, places, features: what kernels take; with other numbers of dimensions torch computes products
_KERNEL_DIMS = 4


def attention_of_lanes(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    **options: Any,
) -> Tensor:
    """Return what `torch.nn.functional.scaled_dot_product_attention` is of lanes' tensors; the names are torch's."""
    found: Tensor = AttentionOfLanes.apply(  # type: ignore[no-untyped-call]
        query, key, value, attn_mask, dropout_p, {"is_causal": is_causal, **options}
    )
    return found


class AttentionOfLanes(Function):
    """Attention, with a rule of its own for `vmap`: what that computes is differentiated as any other operation."""

    @staticmethod
    def forward(
        query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, options: Mapping[str, Any]
    ) -> Tensor:
        return functional.scaled_dot_product_attention(query, key, value, mask, dropout_p, **options)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Tensor) -> None:
        pass  # it is applied to lanes alone, whose rule it is that is differentiated

    @staticmethod
    def vmap(
        info: Any,
        in_dims: tuple[int | None, ...],
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None,
        dropout_p: float,
        options: Mapping[str, Any],
    ) -> tuple[Tensor, int]:
        num_lanes = info.batch_size
        tensors = [_lanes_first(each, dim, num_lanes) for each, dim in zip((query, key, value), in_dims, strict=False)]
        if mask is not None and in_dims[3] is not None:
            mask = mask.movedim(in_dims[3], 0)
        is_own = in_dims[3] is not None
        if dropout_p > 0:
            return _lane_by_lane(tensors, mask, is_own, dropout_p, options), 0
        return _as_one_batch(tensors, mask, is_own, options), 0


def _lanes_first(tensor: Tensor, dim: int | None, num_lanes: int) -> Tensor:
    return tensor.expand(num_lanes, *tensor.shape) if dim is None else tensor.movedim(dim, 0)


def _as_one_batch(tensors: list[Tensor], mask: Tensor | None, is_own: bool, options: Mapping[str, Any]) -> Tensor:
    """Return attention of all lanes, as that of one batch of their examples.

    Args:
      tensors: query, key and value, lanes x examples x heads x places x features, or with fewer dimensions.
      mask: lanes x ..., or the same for all, if any.
      is_own: whether each lane has a mask of its own.
    """
    num_lanes, dims = tensors[0].shape[0], tensors[0].dim() - 1
    if mask is not None and is_own:
        mask = mask.reshape(num_lanes, *[1] * (dims - mask.dim() + 1), *mask.shape[1:])
    if dims != _KERNEL_DIMS:
        return _attention(tensors, mask, 0.0, options)
    examples = tensors[0].shape[1]
    if mask is not None and not is_own and mask.dim() == dims and mask.shape[0] != 1:
        mask, is_own = mask.expand(num_lanes, *mask.shape), True
    if mask is not None and is_own:
        mask = mask.expand(num_lanes, examples, *mask.shape[2:]).flatten(0, 1)
    found = _attention([each.flatten(0, 1) for each in tensors], mask, 0.0, options)
    return found.reshape(num_lanes, examples, *found.shape[1:])


def _lane_by_lane(
    tensors: list[Tensor], mask: Tensor | None, is_own: bool, dropout_p: float, options: Mapping[str, Any]
) -> Tensor:
    """Return attention of each lane, which draws what it would alone; the generator is left as one lane leaves it."""
    device = tensors[0].device
    before = _generator_state(device)
    found = []
    for lane, of_lane in enumerate(zip(*tensors, strict=True)):
        _set_generator_state(before, device)
        found.append(_attention(of_lane, mask[lane] if mask is not None and is_own else mask, dropout_p, options))
    return torch.stack(found)


def _attention(tensors: Sequence[Tensor], mask: Tensor | None, dropout_p: float, options: Mapping[str, Any]) -> Tensor:
    query, key, value = tensors
    return functional.scaled_dot_product_attention(query, key, value, mask, dropout_p, **options)


def _generator_state(device: torch.device) -> Tensor:
    state: Tensor = (
        torch.get_rng_state() if device.type == "cpu" else torch.get_device_module(device).get_rng_state(device)
    )
    return state


def _set_generator_state(state: Tensor, device: torch.device) -> None:
    if device.type == "cpu":
        torch.set_rng_state(state)
    else:
        torch.get_device_module(device).set_rng_state(state, device)
