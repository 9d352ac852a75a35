"""The tensors of a module as a few vectors, which are added up and sent; and back.

It refuses to know where they are sent, and what of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from hippo.errors import TrainerError
from hippo.training.declarative.named_tensors import named_tensors
from hippo.training.sharding.held_buffers import HeldBuffers, Table, has_fraction
from hippo.training.sharding.summing import HEADER, LOSS, SHARDS, ShardSum
from hippo.training.sharding.written_parameters import Marks, marked, writable


class ModuleLayout:
    """The parameters and buffers of a module, and which place each has in vectors.

    Args:
      module: whose they are.
      tables: as `HeldBuffers` takes them.

    Raises:
      TrainerError: one is of a kind that cannot be averaged.
    """

    def __init__(self, module: torch.nn.Module, tables: Sequence[Table] | None = None) -> None:
        named = named_tensors(module)
        self.parameters = list(module.parameters())
        self._writable = writable(module)
        self._held = HeldBuffers(module, tables)
        self.tables = self._held.tables
        self.buffers = [each for each in self._held.tensors if has_fraction(each)]
        self.wholes = self._held.tensors[len(self.buffers) :]
        self.device = self.parameters[0].device if self.parameters else torch.device("cpu")
        apart = {name for name, *_ in self.tables}
        #: what it is of but for tables, to be compared across processes
        self.signature = tuple(
            (name, tuple(each.shape), str(each.dtype)) for name, each in named.items() if name not in apart
        )
        for name, each in named.items():
            if each.is_complex() or each.is_sparse:
                kind = "complex" if each.is_complex() else "sparse"
                raise TrainerError(f"{name} is {kind}, which shards cannot average: set shards = 1")
        self._types = sorted({each.dtype for each in [*self.parameters, *self.buffers]}, key=str)

    def everything(self) -> list[torch.Tensor]:
        """Return all tensors, in an order that is the same everywhere."""
        return [*self.parameters, *self.buffers, *self.wholes]

    def begin(self) -> list[torch.Tensor]:
        """Return copies of the buffers, from which each shard begins."""
        return self._held.values()

    def marks(self, *, by_sums: bool) -> Marks:
        """Return how parameters stand into which no pass may write."""
        return {name: marked(each, by_sums=by_sums) for name, each in self._writable}

    def go_back(self, begin: Sequence[torch.Tensor]) -> None:
        """Bring the buffers back to where they began."""
        self._held.go_back(begin)

    def empty(self) -> ShardSum:
        """Return the sum over no shard."""
        floats = [torch.zeros(size, dtype=kind, device="cpu") for kind, size in self._sizes()]
        return ShardSum(self._counts(), floats, _in_one(self.wholes))

    def take(self, begin: Sequence[torch.Tensor], loss: float) -> ShardSum:
        """Take the gradients and buffers of a shard that was just computed out of the module.

        Args:
          begin: the buffers as they were before.
          loss: the shard's, weighted.

        Raises:
          TrainerError: a gradient is sparse, or a buffer has become something else.
        """
        counts = self._counts()
        counts[SHARDS] = 1.0
        counts[LOSS] = loss
        gradients = [each.grad for each in self.parameters]
        if any(each is not None and each.is_sparse for each in gradients):
            raise TrainerError("a gradient is sparse, which shards cannot add: set shards = 1, or sparse=False")
        now = self._held.now()
        is_moved = [not torch.equal(each, old) for each, old in zip(now, begin, strict=True)]
        said = [*(each is not None for each in gradients), *is_moved]
        counts[HEADER:] = torch.tensor(said, dtype=torch.float64, device="cpu")
        values = [
            torch.zeros_like(each) if grad is None else grad
            for each, grad in zip(self.parameters, gradients, strict=True)
        ]
        values += now[: len(self.buffers)]
        floats = [
            torch.cat([each.detach().reshape(-1) for each in values if each.dtype == kind]).cpu()
            if size
            else torch.zeros(0, dtype=kind, device="cpu")
            for kind, size in self._sizes()
        ]
        for each in self.parameters:
            each.grad = None
        return ShardSum(counts, floats, _in_one(now[len(self.buffers) :]))

    def gradients(self, total: ShardSum) -> list[torch.Tensor | None]:
        """Return the sum of the gradients of each parameter; None where no shard had one."""
        found = self._apart(total)[: len(self.parameters)]
        counts = total.counts[HEADER:].tolist()
        return [value.to(self.device) if count else None for value, count in zip(found, counts, strict=False)]

    def settle(self, total: ShardSum) -> None:
        """Bring the buffers to what the shards' come to on average; what no shard changed stays as it is."""
        first = len(self.parameters)
        found, counts = self._apart(total)[first:], total.counts[HEADER + first :].tolist()
        shards = float(total.counts[SHARDS])
        with torch.no_grad():
            for each, value, count in zip(self.buffers, found, counts, strict=False):
                if count:
                    each.copy_(value / shards)
            start = 0
            for each in self.wholes:
                each.copy_(total.wholes[start : start + each.numel()].view(each.shape))
                start += each.numel()

    def _counts(self) -> torch.Tensor:
        size = HEADER + len(self.parameters) + len(self.buffers) + len(self.wholes)
        return torch.zeros(size, dtype=torch.float64, device="cpu")

    def _sizes(self) -> list[tuple[Any, int]]:
        values = [*self.parameters, *self.buffers]
        return [(kind, sum(each.numel() for each in values if each.dtype == kind)) for kind in self._types]

    def _apart(self, total: ShardSum) -> list[torch.Tensor]:
        """Return views of the parts of the vectors, in the order of parameters and buffers."""
        starts = dict.fromkeys(self._types, 0)
        vectors = dict(zip(self._types, total.floats, strict=True))
        parts = []
        for each in [*self.parameters, *self.buffers]:
            start = starts[each.dtype]
            parts.append(vectors[each.dtype][start : start + each.numel()].view(each.shape))
            starts[each.dtype] = start + each.numel()
        return parts


def _in_one(wholes: Sequence[torch.Tensor]) -> torch.Tensor:
    found = [each.detach().reshape(-1).to("cpu", torch.int64) for each in wholes]
    return torch.cat(found) if found else torch.zeros(0, dtype=torch.int64, device="cpu")
