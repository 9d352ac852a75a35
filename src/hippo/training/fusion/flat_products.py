"""Linear functions of tensors that lie transposed, as one product of each lane's.

Attention of `torch.nn` with `batch_first` hands transposed tensors to its linear functions. Where weights are each
lane's own, torch then multiplies each row of a batch by a copy of its lane's weights: it takes more than three times as
long as one product of all rows. It refuses to know lanes: whoever computes may lay its rows one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor
from torch.nn import functional


def _linear(func: Any, input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor | None:  # torch's names
    """Compute a linear function of all rows at once; None: torch does so itself.

    What it returns lies in the order of its indices, as what torch returns does.
    """
    if input.dim() < 3 or input.is_contiguous():
        return None
    found: Tensor = func(input.flatten(0, -2), weight, bias)
    return found.view(*input.shape[:-1], found.shape[-1])


#: function -> what computes it in less time, or returns None; for `DrawAsSolo`
FLAT_PRODUCTS: Mapping[Any, Callable[..., Tensor | None]] = {functional.linear: _linear}
