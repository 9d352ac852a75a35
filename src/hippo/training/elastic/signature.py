"""What a model was made as, to be compared across processes before it is divided."""

from __future__ import annotations

from typing import Any

import torch

from hippo.training.declarative.named_tensors import named_tensors


def signature_of(model: torch.nn.Module) -> tuple[Any, ...]:
    """Return the names, shapes, types and sums of a model's tensors, in their order."""
    with torch.no_grad():
        return tuple(
            (name, tuple(each.shape), str(each.dtype), *_sums(each)) for name, each in named_tensors(model).items()
        )


def _sums(tensor: torch.Tensor) -> tuple[str, ...]:
    """As text: a sum that is NaN equals itself."""
    if tensor.is_sparse or tensor.is_complex():
        return ()
    values = tensor.detach().to(torch.float64)
    return repr(float(values.sum())), repr(float(values.abs().sum()))
