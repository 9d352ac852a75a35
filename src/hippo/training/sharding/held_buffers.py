"""The buffers of a module, wherever a pass leaves them: changed in place, or another tensor under their name.

It refuses to know what buffers are for.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from hippo.errors import TrainerError


class HeldBuffers:
    """A module's buffers as they are now, and their places; those with fractions come first.

    Args:
      module: whose they are.
    """

    def __init__(self, module: torch.nn.Module) -> None:
        found = [
            (owner, name, each)
            for owner in module.modules()
            for name, each in owner._buffers.items()
            if each is not None
        ]
        self._places = sorted(found, key=lambda place: not has_fraction(place[2]))
        self.tensors = [each for _, _, each in self._places]

    def values(self) -> list[torch.Tensor]:
        """Return copies of them."""
        return [each.detach().clone() for each in self.tensors]

    def go_back(self, values: Sequence[torch.Tensor]) -> None:
        """Put them in their places again, with what `values` returned."""
        with torch.no_grad():
            for (owner, name, each), value in zip(self._places, values, strict=True):
                owner._buffers[name] = each
                each.copy_(value)

    def now(self) -> list[torch.Tensor]:
        """Return what is in their places now, as tensors of their forms.

        Raises:
          TrainerError: one of them has become another kind of tensor.
        """
        return [_like(owner, name, each) for owner, name, each in self._places]


def has_fraction(tensor: torch.Tensor) -> bool:
    """Tell whether a tensor is no whole numbers."""
    return tensor.is_floating_point() or tensor.is_complex()


def _like(owner: torch.nn.Module, name: str, held: torch.Tensor) -> torch.Tensor:
    now = owner._buffers.get(name)
    if now is not None and now.shape == held.shape and has_fraction(now) == has_fraction(held):
        return now.detach().to(held)
    if name in owner._non_persistent_buffers_set:  # a table that has grown: it is no state, and made anew
        return held
    has = "none" if now is None else f"one of shape {tuple(now.shape)} ({now.dtype})"
    raise TrainerError(
        f"a pass leaves in the buffer {name!r} of {type(owner).__name__}, of shape {tuple(held.shape)} ({held.dtype}), "
        f"{has}: shards have no mean of these. Set shards = 1, or keep such buffers out of training."
    )
