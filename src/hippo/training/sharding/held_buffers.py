"""The buffers of a module, wherever a pass leaves them: changed in place, or another tensor under their name.

It refuses to know what buffers are for.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from hippo.errors import TrainerError

#: a buffer that is no state (persistent=False): its name, and a tensor of its form in another process
Table = tuple[str, torch.Size, torch.dtype]


class HeldBuffers:
    """A module's buffers as they are now, and their places; those with fractions come first.

    Those that are no state are tables, each of which a process makes for itself, as long as it needs: what has another
    form here than elsewhere stays what it is here.

    Args:
      module: whose they are.
      tables: those of the process that this one computes with; None: those of the module.
    """

    def __init__(self, module: torch.nn.Module, tables: Sequence[Table] | None = None) -> None:
        found = [
            (f"{path}.{name}", owner, name, each)
            for path, owner in module.named_modules()
            for name, each in owner._buffers.items()
            if each is not None
        ]
        is_table = {place: name in owner._non_persistent_buffers_set for place, owner, name, _ in found}
        own = {place: (owner, name, each) for place, owner, name, each in found}
        self.tables = [(place, each.shape, each.dtype) for place, _, _, each in found if is_table[place]]
        if tables is not None:
            device = next(module.parameters(), torch.empty(0, device="cpu")).device
            own = {place: own[place] for place in own if not is_table[place]} | {
                place: own[place] if (place, shape, kind) in self.tables else _nobodys(shape, kind, device)
                for place, shape, kind in tables
            }
        else:
            own = dict(sorted(own.items(), key=lambda item: is_table[item[0]]))
        self._places = sorted(own.values(), key=lambda place: not has_fraction(place[2]))
        self.tensors = [each for _, _, each in self._places]

    def values(self) -> list[torch.Tensor]:
        """Return copies of them."""
        return [each.detach().clone() for each in self.tensors]

    def go_back(self, values: Sequence[torch.Tensor]) -> None:
        """Put them in their places again, with what `values` returned; tables that were made anew stay there."""
        with torch.no_grad():
            for (owner, name, each), value in zip(self._places, values, strict=True):
                if not _is_new_table(owner, name, each):
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


def _nobodys(shape: torch.Size, kind: torch.dtype, device: torch.device) -> tuple[torch.nn.Module, str, torch.Tensor]:
    """Return the place of a table that is another one here: that of a module of its own."""
    owner, each = torch.nn.Module(), torch.zeros(shape, dtype=kind, device=device)
    owner.register_buffer("table", each)
    return owner, "table", each


def _is_new_table(owner: torch.nn.Module, name: str, held: torch.Tensor) -> bool:
    now = _now(owner, name)
    return name in owner._non_persistent_buffers_set and now is not None and not _is_alike(now, held)


def _now(owner: torch.nn.Module, name: str) -> torch.Tensor | None:
    return owner._buffers[name] if name in owner._buffers else None  # noqa: SIM401 - TorchScript's have no `get`


def _is_alike(now: torch.Tensor, held: torch.Tensor) -> bool:
    return now.shape == held.shape and has_fraction(now) == has_fraction(held)


def _like(owner: torch.nn.Module, name: str, held: torch.Tensor) -> torch.Tensor:
    now = _now(owner, name)
    if now is not None and _is_alike(now, held):
        return now.detach().to(held)
    if name in owner._non_persistent_buffers_set:  # a table that has grown: it is no state, and made anew
        return held
    has = "none" if now is None else f"one of shape {tuple(now.shape)} ({now.dtype})"
    raise TrainerError(
        f"a pass leaves in the buffer {name!r} of {type(owner).__name__}, of shape {tuple(held.shape)} ({held.dtype}), "
        f"{has}: shards have no mean of these. Set shards = 1, or keep such buffers out of training."
    )
