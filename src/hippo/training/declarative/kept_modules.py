"""Networks that are there already and that `make_model` returns: every trial of a worker begins with the same tensors.

`__init__` made them, or they are an attribute of the class, in its module, or kept there by a function that caches.

As long as nobody trains them that is as good as a copy, and takes no memory. Once somebody has, the next trial would
begin with what the one before has made of them, which no check of first steps sees: a backbone may be thawed late.
This module refuses to know how a model is trained: it compares bits.
"""

from __future__ import annotations

import functools
import gc
import weakref
from collections.abc import Iterable, Iterator
from types import FunctionType
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

    def note(self, model: torch.nn.Module, things: Iterable[Any]) -> None:
        """Look at a newly made model: of its tensors, those that are in other things as well are known from now on.

        Args:
          model: newly made.
          things: what `everybodys` returned.
        """
        kept = {id(tensor) for thing in things for tensor in _tensors_in(thing)}
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
                f"make_model() returned {listed(changed, 3)} as an attribute of the trainer, its class or its module "
                "has it, for all trials, and a trial before this one has trained it: this one would begin with that. "
                "Have make_model() return copy.deepcopy(...) of what was made before, or make it anew."
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


def everybodys(trainer: object) -> list[Any]:
    """Return what all trials have in common, and networks may be in: attributes of a trainer, its classes, and globals.

    Args:
      trainer: which has no model yet.
    """
    found = [*vars(trainer).values()]
    modules: dict[int, dict[str, Any]] = {}
    for cls in type(trainer).__mro__:
        if cls.__module__.partition(".")[0] in _OURS:
            continue
        for value in vars(cls).values():
            found.append(value)
            if isinstance(value, FunctionType):
                modules[id(value.__globals__)] = value.__globals__
    for names in modules.values():
        for value in [*names.values()]:
            if type(value) is _CACHING:
                found += gc.get_referents(value)  # all that it has returned, or dictionaries of that
            elif isinstance(value, torch.nn.Module) or (isinstance(value, list | tuple | dict) and len(value) <= _FEW):
                found.append(value)
    return found


#: whose classes keep nothing
_OURS = ("hippo", "builtins", "abc", "typing")
#: what `functools.lru_cache` and `functools.cache` make of a function
_CACHING = type(functools.cache(len))
#: a longer list in a module has data in it
_FEW = 100


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
