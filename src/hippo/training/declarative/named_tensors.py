"""A model's tensors by their names."""

from __future__ import annotations

import copy
from collections.abc import Mapping

import torch
from torch import nn


def named_tensors(model: nn.Module) -> dict[str, torch.Tensor]:
    """Return parameters and buffers, each under the first of its names."""
    return {**dict(model.named_parameters()), **dict(model.named_buffers())}


def copied_with(model: nn.Module, tensors: Mapping[str, torch.Tensor]) -> nn.Module:
    """Return a deep copy of a model that has other tensors in the places of its own, by their names.

    Attributes that a tensor was given come along, since what a module computes may depend on them.
    """
    own = named_tensors(model)
    new = {id(tensor): tensors[name] for name, tensor in own.items()}
    for tensor in own.values():
        for attribute, value in vars(tensor).items():
            if not hasattr(new[id(tensor)], attribute):
                setattr(new[id(tensor)], attribute, new.get(id(value), value))
    return copy.deepcopy(model, dict(new))
