"""Products of one matrix with many, computed as one product instead of as many small ones.

What lanes have in common, features of a trunk say, is one matrix; `vmap` multiplies it with each lane's gradient by a
kernel for batches of matrices, which takes ten times as long as one product of it with all of them side by side. A
lane's bits come to the same however many stand beside it, as far as was seen; the fusion check looks. It refuses to
know lanes: it sees batches of matrices.
"""

from __future__ import annotations

import torch
from torch import Tensor

from hippo.training.fusion.products import Products


class SharedProducts(Products):  # type: ignore[no-untyped-call]
    """Within it, a batch of products whose first factor is one and the same matrix is computed as one product."""

    def __init__(self) -> None:
        super().__init__({torch.ops.aten.bmm.default: self._batch})
        #: of so many batches
        self.count = 0

    def _batch(self, one: Tensor, others: Tensor) -> Tensor:
        if not _is_one(one):
            return torch.ops.aten.bmm.default(one, others)  # type: ignore[no-any-return]
        self.count += 1
        return _product(one[0], others)


def _is_one(matrices: Tensor) -> bool:
    return matrices.stride(0) == 0


def _product(one: Tensor, others: Tensor) -> Tensor:
    """Return [F, M, N], given [M, K] and [F, K, N]."""
    lanes, _, columns = others.shape
    rows = others.transpose(1, 2).reshape(lanes * columns, -1) @ one.T
    return rows.view(lanes, columns, -1).transpose(1, 2)
