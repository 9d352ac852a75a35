"""Attention of lanes on a GPU: torch's own kernels, asked once for all lanes, or lane by lane where they draw.

What `vmap` makes of these kernels goes wrong there: with dropout it refuses, and in torch 2.11 the backward pass of one
kernel finds its own sums at the wrong places. A kernel takes a batch of examples, though, and lanes are no more than
more examples. Where it drops out, it draws by the number of the example, so that a lane has its chance only if it is
computed by itself. It refuses to know models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn import functional

from hippo.training.process.streams import fence

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
        tensors = [
            _lanes_first(each, dim, info.batch_size) for each, dim in zip((query, key, value), in_dims[:3], strict=True)
        ]
        masks = None if mask is None else _lanes_first(mask, in_dims[3], info.batch_size)
        if dropout_p > 0:
            return _lane_by_lane(tensors, masks, dropout_p, options), 0
        return _as_one_batch(tensors, masks, options), 0


def _lanes_first(tensor: Tensor, dim: int | None, num_lanes: int) -> Tensor:
    return tensor.expand(num_lanes, *tensor.shape) if dim is None else tensor.movedim(dim, 0)


def _as_one_batch(tensors: list[Tensor], masks: Tensor | None, options: Mapping[str, Any]) -> Tensor:
    """Return attention of all lanes, as that of one batch of their examples.

    Args:
      tensors: query, key and value, lanes x examples x heads x places x features, or with fewer dimensions.
      masks: lanes x ..., if any.
    """
    num_lanes, examples, *rest = tensors[0].shape
    if masks is not None:  # dimensions that it has not are the first ones of a lane's
        masks = masks.reshape(num_lanes, *[1] * (len(rest) + 2 - masks.dim()), *masks.shape[1:])
    if len(rest) + 1 != _KERNEL_DIMS:
        return _attention(tensors, masks, 0.0, options)
    if masks is not None:
        masks = masks.expand(num_lanes, examples, *masks.shape[2:]).flatten(0, 1)
    found = _attention([each.flatten(0, 1) for each in tensors], masks, 0.0, options)
    return found.reshape(num_lanes, examples, *found.shape[1:])


def _lane_by_lane(tensors: list[Tensor], masks: Tensor | None, dropout_p: float, options: Mapping[str, Any]) -> Tensor:
    """Return attention of each lane, which draws what it would alone; the generator is left as one lane leaves it."""
    last = len(tensors[0]) - 1
    found = []
    for lane, of_lane in enumerate(zip(*tensors, strict=True)):
        with fence() if lane < last else nullcontext():
            found.append(_attention(of_lane, None if masks is None else masks[lane], dropout_p, options))
    return torch.stack(found)


def _attention(tensors: Sequence[Tensor], mask: Tensor | None, dropout_p: float, options: Mapping[str, Any]) -> Tensor:
    query, key, value = tensors
    return functional.scaled_dot_product_attention(query, key, value, mask, dropout_p, **options)
