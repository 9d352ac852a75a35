"""Tensors sent between the ranks of a worker, by torch's own gloo, through the memory of the CPU.

There is no process group that torch knows by name: a library of the user's that asks whether training is distributed
would wait for ranks that never evaluate. This module refuses to know what the tensors are.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import torch
import torch.distributed

from hippo.errors import TrainerError
from hippo.training.sharding.summing import ShardSum

#: never decides: the end of a process is noticed by who started it, and a step that hangs by the study's own limit
_PATIENCE = timedelta(days=7)


class RankLink:
    """One rank's way to the others.

    Args:
      rank: 0 is the worker.
      ranks: how many there are.
      rendezvous: a file in which they find each other, which does not exist before.

    Raises:
      TrainerError: this torch has no gloo.
    """

    def __init__(self, rank: int, ranks: int, rendezvous: str) -> None:
        require_gloo()
        distributed: Any = torch.distributed  # whose stubs leave out most of it
        store = distributed.FileStore(rendezvous, ranks)
        self._rank, self._ranks = rank, ranks
        self._group = distributed.ProcessGroupGloo(store, rank, ranks, _PATIENCE)
        self._from_worker = distributed.BroadcastOptions()
        self._from_worker.rootRank, self._from_worker.timeout = 0, _PATIENCE

    def share(self, tensors: Sequence[torch.Tensor]) -> None:
        """Give the worker's tensors to all: on other ranks, these become what they are there."""
        data = _bytes(tensors)
        self._group.broadcast([data], self._from_worker).wait()
        if self._rank:
            _fill(tensors, data)

    def add_up(self, total: ShardSum) -> None:
        """Add what all ranks have along the tree; the sum is on rank 0."""
        width = 1
        while width < self._ranks:
            if self._rank % (2 * width):
                self._group.send([_bytes(total.tensors())], self._rank - width, 0).wait()
                return
            data = _bytes(total.tensors())
            self._group.recv([data], self._rank + width, 0).wait()
            later = ShardSum(
                torch.empty_like(total.counts),
                [torch.empty_like(each) for each in total.floats],
                torch.empty_like(total.wholes),
            )
            _fill(later.tensors(), data)
            total.add(later)
            width *= 2


def require_gloo() -> None:
    """Refuse a torch by which no two processes can meet.

    Raises:
      TrainerError: it has no gloo.
    """
    distributed: Any = torch.distributed
    if not distributed.is_available() or not distributed.is_gloo_available():
        raise TrainerError("this torch was built without gloo, by which ranks talk; use an engine without ranks=")


def _bytes(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return what tensors hold, one behind the other; types do not matter to who sends it."""
    parts = [each.detach().cpu().contiguous().reshape(-1).view(torch.uint8) for each in tensors if each.numel()]
    return torch.cat(parts) if parts else torch.zeros(1, dtype=torch.uint8, device="cpu")


def _fill(tensors: Sequence[torch.Tensor], data: torch.Tensor) -> None:
    start = 0
    with torch.no_grad():
        for each in tensors:
            stop = start + each.numel() * each.element_size()
            if stop > start:  # a copy: what begins at any byte is no number yet
                each.copy_(data[start:stop].clone().view(each.dtype).view(each.shape))
            start = stop
