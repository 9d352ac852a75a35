"""Products of matrices whose bits depend on the matrices alone, and not on where in memory they lie.

A kernel for products of many matrices looks at the alignment of each, also of where its result goes, and takes another
way where it is odd: lane 1 of two lanes of 37 x 10 floats begins at byte 1,480, which no vector of 64 bytes does, and
its last bits are others than lane 0's. So each matrix is brought to the beginning of a stretch of its own. Elementwise
operations are computed in whole blocks. It refuses to know lanes: it sees batches of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from hippo.training.fusion.products import Products
from hippo.training.fusion.whole_blocks import place_free

#: where a matrix has to begin: no vector of a CPU is longer, and torch's own tensors begin at multiples of it
_BOUNDARY_BYTES = 64


class AlignedProducts(Products):  # type: ignore[no-untyped-call]
    """Within it, a matrix product of a batch has the bits that it has in any other batch, on one thread of a CPU.

    So has what is computed element by element, wherever in a tensor an element lies.

    Args:
      others: operation -> what to compute in its place, of others whose bits depend on their company.
    """

    def __init__(self, others: Mapping[Any, Callable[..., Any]] | None = None) -> None:
        super().__init__({**_PRODUCTS, **(others or {})}, place_free)


def _product(one: Tensor, other: Tensor) -> Tensor:
    result = _placed((one.shape[0], one.shape[1], other.shape[2]), one)
    return torch.bmm(_aligned(one), _aligned(other), out=result)


def _sum_with_product(summand: Tensor, one: Tensor, other: Tensor, *, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    result = _placed((one.shape[0], one.shape[1], other.shape[2]), one)
    return torch.baddbmm(summand, _aligned(one), _aligned(other), beta=beta, alpha=alpha, out=result)


def _aligned(matrices: Tensor) -> Tensor:
    """Return matrices, each of which begins at a boundary, in the order in which they lie: transposed, say."""
    if _begins_at_boundaries(matrices):
        return matrices
    if matrices.stride(2) != 1 and matrices.stride(1) == 1:
        return _placed(matrices.transpose(1, 2).shape, matrices).copy_(matrices.transpose(1, 2)).transpose(1, 2)
    return _placed(matrices.shape, matrices).copy_(matrices)


def _begins_at_boundaries(matrices: Tensor) -> bool:
    between = matrices.stride(0) * matrices.element_size()
    return between % _BOUNDARY_BYTES == 0 and matrices.data_ptr() % _BOUNDARY_BYTES == 0


def _placed(shape: tuple[int, ...], like: Tensor) -> Tensor:
    """Return room for matrices, each of which begins at a boundary."""
    each = shape[1] * shape[2]
    unit = _BOUNDARY_BYTES // like.element_size()
    between = -(-each // unit) * unit
    room = like.new_empty(shape[0] * between)
    return room.as_strided(shape, (between, shape[2], 1))


_PRODUCTS: Mapping[Any, Callable[..., Any]] = {
    torch.ops.aten.bmm.default: _product,
    torch.ops.aten.baddbmm.default: _sum_with_product,
}
