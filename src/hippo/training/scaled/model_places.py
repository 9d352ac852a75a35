"""Places in a model: dimensions of its tensors, and integers that its modules keep."""

from __future__ import annotations

from typing import Any

from torch import nn

#: name of a tensor, and one of its dimensions
TensorDim = tuple[str, int]
#: an integer attribute of a module: the module's name, the attribute, its place where it is a tuple
Attribute = tuple[str, str, int | None]


def set_integer(module: nn.Module, attribute: str, place: int | None, value: Any) -> None:
    """Set an integer attribute of a module, or the one at a place of a tuple in it."""
    if place is not None:
        value = tuple(value if at == place else each for at, each in enumerate(getattr(module, attribute)))
    setattr(module, attribute, value)
