"""A lane's tensor as the tensor of all lanes, and back: what is computed between is computed once for all of them.

As a `torch.autograd.Function` with a rule for `vmap` has it, without what such a one costs in each call. It refuses to
know what is computed.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def is_of_lanes(value: Any) -> bool:
    """Tell whether something is a tensor of which each lane of the innermost `vmap` has its own."""
    functorch = torch._C._functorch
    return (
        isinstance(value, Tensor)
        and bool(functorch.is_batchedtensor(value))
        and functorch.maybe_get_level(value) == functorch.maybe_current_level()
    )


def is_on_cpu(value: Any) -> bool:
    """Tell whether such a tensor is on a CPU."""
    return is_of_lanes(value) and value.device.type == "cpu"


def of_all(tensor: Tensor) -> tuple[Tensor, int]:
    """Return the tensor of all lanes, and which of its dimensions they are."""
    return torch._C._functorch.get_unwrapped(tensor), torch._C._functorch.maybe_get_bdim(tensor)


def of_each(tensor: Tensor, lanes_at: int) -> Tensor:
    """Return the lane's tensor of one of all lanes, which are this dimension of it."""
    functorch = torch._C._functorch
    level = functorch.maybe_current_level()
    assert level is not None, "no lanes are computed"
    return functorch._add_batch_dim(tensor, lanes_at, level)
