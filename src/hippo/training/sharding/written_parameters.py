"""Does a pass write into parameters, as a renormed embedding does, or a layer that clamps its weights?

Where a batch is computed in parts, each part would begin from what the last one has left, or not, by who computes it.
Torch counts what is written into a tensor, but not what is written by way of its `.data`; so numbers are added up, too,
now and then. This module refuses to know who computes which part.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import nn


class ParameterMark(NamedTuple):
    """How a parameter stood."""

    parameter: nn.Parameter
    version: int
    sums: tuple[str, ...]


Marks = Mapping[str, ParameterMark]


def writable(module: nn.Module) -> list[tuple[str, nn.Parameter]]:
    """Return the parameters of a module into which no pass may write, by name.

    Those of recurrent layers on a GPU may be laid out anew in a pass (`flatten_parameters`), which counts as writing.
    """
    recurrent = [part for part in module.modules() if isinstance(part, nn.RNNBase)]
    laid_out = {id(each) for part in recurrent for each in part.parameters(recurse=False) if each.device.type != "cpu"}
    return [(name, each) for name, each in module.named_parameters() if id(each) not in laid_out]


def marked(parameter: nn.Parameter, *, by_sums: bool) -> ParameterMark:
    """Return how a parameter stands.

    Args:
      by_sums: look at its numbers, too.
    """
    return ParameterMark(parameter, parameter._version, _sums(parameter) if by_sums else ())


def written_since(marks: Marks) -> str | None:
    """Return the name of a parameter that was written into since, if there is one."""
    for name, (parameter, version, sums) in marks.items():
        if parameter._version != version or (sums and _is_there(parameter) and _sums(parameter) != sums):
            return name
    return None


def _is_there(tensor: torch.Tensor) -> bool:
    """Whether a tensor has numbers: one that ranks have put together is let go of as soon as it was needed."""
    return tensor.untyped_storage().size() > 0


def _sums(tensor: torch.Tensor) -> tuple[str, ...]:
    """As text: a sum that is NaN equals itself. Without a copy: a model may fill the memory."""
    if type(tensor) is not nn.Parameter:  # of few bits, say: who knows whether they can be added up
        return ()
    with torch.no_grad():
        if not tensor.is_floating_point():
            return (repr(int(tensor.sum())),)
        norm = torch.linalg.vector_norm(tensor, dtype=torch.float64)
        return repr(float(tensor.sum(dtype=torch.float64))), repr(float(norm))
