"""The tensors that an update reads and writes, and how what it wrote is brought back to where a recording looks for it.

It refuses to know losses, and what is recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import torch
from torch import Tensor


class UpdateTensors(Protocol):
    """The tensors that are trained, and all others that an update reads."""

    #: how many lanes they are of
    num_lanes: int
    #: how often something may have changed where nobody looks
    refreshed: int

    def trained(self) -> Mapping[str, Tensor]:
        """Return those that gradients are wanted of, by name."""

    def own_buffers(self) -> Mapping[str, Tensor]:
        """Return those that an update may write or assign anew, by name."""

    def buffers_of_others(self) -> Sequence[str]:
        """Return the names of these buffers that lie in the memory of parameters."""

    def addresses(self) -> tuple[tuple[str, int], ...]:
        """Return where each tensor lies in memory."""

    def assign(self, buffers: Mapping[str, Tensor]) -> None:
        """Put tensors in the places of these buffers."""


class HeldTensors:
    """Where the lanes' buffers are, and, on demand, what was in them."""

    def __init__(self, tensors: UpdateTensors) -> None:
        self._tensors = tensors
        self._places = tensors.own_buffers()
        #: what was in them when it was noted
        self._values: Mapping[str, Tensor] = {}

    def settle(self) -> None:
        """Bring what was assigned since to where the buffers were; what has another shape now stays where it is."""
        now = self._tensors.own_buffers()
        moved = {
            name: place
            for name, place in self._places.items()
            if name in now and now[name].data_ptr() != place.data_ptr() and _is_alike(now[name], place)
        }
        if not moved:
            return
        for name in self._tensors.buffers_of_others():  # they follow other tensors, wherever these go
            moved.pop(name, None)
        values = {name: now[name].clone() for name in moved}  # one may lie where another one was
        with torch.no_grad():
            for name, place in moved.items():
                place.copy_(values[name])
        self._tensors.assign(moved)

    def hold(self) -> None:
        """Take note of what is in them."""
        self._values = {name: tensor.clone() for name, tensor in self._places.items()}

    def now(self) -> dict[str, Tensor]:
        """Return copies of what is in the lanes' buffers now."""
        return {name: tensor.clone() for name, tensor in self._tensors.own_buffers().items()}

    def put_back(self) -> None:
        """Bring the buffers to where they were, with what was in them when it was noted."""
        with torch.no_grad():
            for name, value in self._values.items():
                self._places[name].copy_(value)
        self._tensors.assign(self._places)


def _is_alike(one: Tensor, other: Tensor) -> bool:
    return (one.shape, one.stride(), one.dtype, one.device) == (
        other.shape,
        other.stride(),
        other.dtype,
        other.device,
    )
