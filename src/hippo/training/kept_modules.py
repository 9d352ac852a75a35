"""Networks that `__init__` made and `make_model` returns: every trial of a worker begins with the same tensors.

As long as nobody trains them that is as good as a copy, and takes no memory. Once somebody has, the next trial would
begin with what the one before has made of them, which no check of first steps sees: a backbone may be thawed late.
This module refuses to know how a model is trained: it compares bits.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch

from hippo.errors import TrainerError, listed
from hippo.training.codec import state_hash


class _KnownTensor(NamedTuple):
    tensor: weakref.ref[torch.Tensor]
    #: torch's count of writes to it
    version: int
    #: of its bits
    digest: str


class KeptModules:
    """What the tensors of a trainer's attributes were when a model was first made of them, for all its copies."""

    def __init__(self) -> None:
        #: by `id`
        self._seen: dict[int, _KnownTensor] = {}

    def note(self, model: torch.nn.Module, attributes: Mapping[str, Any]) -> None:
        """Look at a newly made model: of its tensors, those that are the trainer's as well are known from now on.

        Args:
          model: newly made.
          attributes: the trainer's, in which it is not yet.
        """
        kept = {id(tensor) for value in attributes.values() for tensor in _tensors_in(value)}
        for _, tensor in _named_tensors(model) if kept else ():
            if id(tensor) in kept and not self._knows(tensor):
                self._see(tensor, state_hash(tensor.detach()))

    def check(self, model: torch.nn.Module) -> None:
        """Refuse to begin with tensors that were others when a model was first made of them.

        Raises:
          TrainerError: names them.
        """
        if not self._seen:
            return
        changed = [name for name, tensor in _named_tensors(model) if self._knows(tensor) and self._has_changed(tensor)]
        if changed:
            raise TrainerError(
                f"make_model() returned {listed(changed, 3)} as an attribute of the trainer has it, for all trials, "
                "and a trial before this one has trained it: this one would begin with that. Have make_model() return "
                "copy.deepcopy(...) of what __init__() made, or make it anew."
            )

    def _knows(self, tensor: torch.Tensor) -> bool:
        seen = self._seen.get(id(tensor))
        return seen is not None and seen.tensor() is tensor

    def _see(self, tensor: torch.Tensor, digest: str) -> None:
        key = id(tensor)
        self._seen[key] = _KnownTensor(
            weakref.ref(tensor, lambda _: self._seen.pop(key, None)), tensor._version, digest
        )

    def _has_changed(self, tensor: torch.Tensor) -> bool:
        seen = self._seen[id(tensor)]
        if seen.version == tensor._version:
            return False
        digest = state_hash(tensor.detach())
        if digest == seen.digest:
            self._see(tensor, digest)  # who wrote to it, a state that was loaded, say, changed nothing
        return digest != seen.digest


def _tensors_in(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.nn.Module):
        yield from (tensor for _, tensor in _named_tensors(value))
    elif isinstance(value, list | tuple | dict):
        for item in value.values() if isinstance(value, dict) else value:
            if isinstance(item, torch.nn.Module):
                yield from _tensors_in(item)


def _named_tensors(module: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
        is_plain = type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.layout == torch.strided
        if is_plain and not tensor.is_meta and not tensor.is_inference():  # others have no bits, or no count of writes
            yield name, tensor
