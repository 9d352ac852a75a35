"""What the shards of a batch come to, and their sum in one fixed order.

Sums of floats depend on their order. So they are added along one binary tree over the shards, of which each process has
a whole subtree: the same additions are made, in whatever processes. This module refuses to know models and transports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

# the first places of a `ShardSum.counts`
SHARDS, FAILURES, UNLIKE, LOSS = range(4)
#: and how many these are; after them comes, for each parameter and buffer, how many shards had one or changed one
HEADER = 4


@dataclass(slots=True)
class ShardSum:
    """A sum over some of the shards of a batch."""

    #: float64: the counts and the weighted loss, as named above
    counts: torch.Tensor
    #: gradients, then buffers with fractions, one vector for each of their types
    floats: list[torch.Tensor]
    #: buffers of whole numbers, which are not added: shards have to agree
    wholes: torch.Tensor

    def tensors(self) -> list[torch.Tensor]:
        """Return all of it, in an order that is the same everywhere."""
        return [self.counts, *self.floats, self.wholes]

    def add(self, later: ShardSum) -> None:
        """Add what shards came to that come after these."""
        if later.counts[SHARDS] == 0:  # nothing but, perhaps, failures
            self.counts += later.counts
            return
        is_unlike = not torch.equal(self.wholes, later.wholes)
        self.counts += later.counts
        self.counts[UNLIKE] += is_unlike
        for mine, other in zip(self.floats, later.floats, strict=True):
            mine += other


def sum_of(first: int, stop: int, part: Callable[[int], ShardSum]) -> ShardSum:
    """Return the sum over shards [first, stop), a number of them that is a power of two, along the tree.

    Args:
      part: returns what one shard comes to; called in their order.
    """
    if stop - first == 1:
        return part(first)
    middle = (first + stop) // 2
    total = sum_of(first, middle, part)
    total.add(sum_of(middle, stop, part))
    return total


def stop_of_rank(rank: int, ranks: int, shards: int) -> tuple[int, int]:
    """Return the shards [first, stop) that a rank computes."""
    return rank * shards // ranks, (rank + 1) * shards // ranks
