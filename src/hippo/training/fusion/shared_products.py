"""Products of one matrix with many, computed as one product instead of as many small ones.

What lanes have in common, features of a trunk say, is one matrix; `vmap` multiplies it with each lane's gradient by a
kernel for batches of matrices. Where each has few columns, ten classes say, that takes four to fifteen times as long as
one product of it with all of them side by side. A lane's bits come to the same however many stand beside it, as far as
was seen; the fusion check looks. It refuses to know lanes: it sees batches of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from hippo.training.fusion.products import Products

#: columns of each lane: for more, one product of all takes as long, or longer (a third at 128)
_MOST_COLUMNS = 16
#: multiplications of one lane for each operation of a gradient: to look at every operation takes microseconds, in which
#: so many are done
_LEAST = 1000


class SharedProducts(Products):  # type: ignore[no-untyped-call]
    """Within it, a batch of products of one matrix with many narrow ones is computed as one product."""

    def __init__(self) -> None:
        super().__init__({torch.ops.aten.bmm.default: _batch})


def are_worth_it(walk: Callable[[], object]) -> bool:
    """Tell whether products of one matrix with many are enough of what gradients take, by what a lane has of them.

    It counts, and takes no time: lanes have other last bits where these are one product.

    Args:
      walk: walks lanes, without `SharedProducts`.
    """
    with _GradientWatch() as watch:
        walk()
    return bool(watch.multiplications > _LEAST * watch.operations)


class _GradientWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the operations by which gradients are computed."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.operations = 0
        #: of one lane, in products of one matrix with many
        self.multiplications = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if torch._C._current_graph_task_id() != -1:  # within `torch.autograd.grad`
            self.operations += 1
            if func is torch.ops.aten.bmm.default and _are_of_one(*args):
                self.multiplications += args[0][0].numel() * args[1].shape[-1]
        return func(*args, **(kwargs or {}))


def _batch(one: Tensor, others: Tensor) -> Tensor:
    if not _are_of_one(one, others):
        return torch.ops.aten.bmm.default(one, others)  # type: ignore[no-any-return]
    return _product(one[0], others)


def _are_of_one(one: Tensor, others: Tensor) -> bool:
    """Whether products are of one matrix with many narrow ones."""
    return one.stride(0) == 0 and others.shape[2] <= _MOST_COLUMNS


def _product(one: Tensor, others: Tensor) -> Tensor:
    """Return [F, M, N], given [M, K] and [F, K, N]."""
    lanes, _, columns = others.shape
    rows = others.transpose(1, 2).reshape(lanes * columns, -1) @ one.T
    return rows.view(lanes, columns, -1).transpose(1, 2)
