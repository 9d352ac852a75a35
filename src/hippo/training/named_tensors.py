"""A model's tensors by their names."""

from __future__ import annotations

import torch
from torch import nn


def named_tensors(model: nn.Module) -> dict[str, torch.Tensor]:
    """Return parameters and buffers, each under the first of its names."""
    return {**dict(model.named_parameters()), **dict(model.named_buffers())}
