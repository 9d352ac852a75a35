"""What the modules of a model hold beside tensors and modules, as a copy of the model is to hold it.

Whatever refers to the model's own modules, weights and buffers refers to those of the copy there, views included. It
refuses to know which of them are averaged, and when.
"""

from __future__ import annotations

import copy
import copyreg
from collections.abc import Iterable, MutableMapping
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import torch

from hippo.training.trainer import Trainer

#: without parts; equal where Python says so
_ATOMS = (
    *(bool, int, float, complex, str, bytes, type(None), range, slice, type, Enum),
    *(torch.dtype, torch.device, np.generic),
)
_PLAIN = frozenset(_ATOMS)


class TakenValues:
    """Takes over what modules hold.

    Args:
      modules: each module of the model, with the copy's that stands for it.
    """

    def __init__(self, modules: Iterable[tuple[torch.nn.Module, torch.nn.Module]]) -> None:
        #: as `copy.deepcopy` has it: by the `id` of what is in the model, or was copied, what stands for it
        self._memo: dict[Any, Any] = {}
        #: what was found equal, by the `id` of both
        self._equal: dict[tuple[int, int], Any] = {}
        storages: dict[int, Any] = {}
        for module, own in modules:
            self._memo[id(module)] = own
            for mine, its in ((module._parameters, own._parameters), (module._buffers, own._buffers)):
                for name, tensor in mine.items():
                    stands_in = its.get(name)
                    if tensor is not None and stands_in is not None:
                        self._memo[id(tensor)] = stands_in
                        if (storage := _storage_of(tensor)) is not None:
                            storages[storage._cdata] = _storage_of(stands_in)
        self._memo["torch"] = storages  # where its tensors look

    def take_over(self, held: MutableMapping[str, Any], name: str, value: object) -> None:
        """Let the copy hold what the model holds, if anybody can tell what that is made of.

        Args:
          held: the attributes of a module of the copy.
          name: which of them.
          value: the model's.
        """
        pairs: dict[tuple[int, int], Any] = {}
        if self._is_held(held.get(name, held), value, pairs):
            self._equal |= pairs
        elif self._can_be_taken(value, {}):
            held[name] = self._copied(value)

    def _copied(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor) and id(value) not in self._memo:
            storage = _storage_of(value)
            if storage is None or storage._cdata not in self._memo["torch"]:
                return value.detach().clone()  # of a view no more than it shows
        return copy.deepcopy(value, self._memo)

    def _is_held(self, held: Any, value: Any, pairs: dict[tuple[int, int], Any]) -> bool:
        """Whether it need not be copied: a vocabulary, say, at each batch of who learns from an average.

        Args:
          held: by the copy.
          value: by the model.
          pairs: those under comparison, or found equal if all are.
        """
        if held is value:
            return True
        if id(value) in self._memo:
            return self._memo[id(value)] is held
        if type(held) is not type(value) or isinstance(value, torch.Tensor | np.ndarray):
            return False
        if isinstance(value, (*_ATOMS, set, frozenset, FunctionType, BuiltinFunctionType)):
            return bool(held == value)
        pair = (id(held), id(value))
        if pair in pairs or pair in self._equal:
            return True
        if type(value) in (list, tuple, dict):
            mine, its = ([*each, *each.values()] if type(each) is dict else [*each] for each in (value, held))
            kinds = [*map(type, mine)]
            if {*kinds} <= _PLAIN:  # a vocabulary, say: each of its words by itself would take a hundred times as long
                return mine == its and kinds == [*map(type, its)]
        parts, others = _parts_of(value), _parts_of(held)
        pairs[pair] = held, value, parts, others  # kept: else another thing might have its `id`
        if parts is None or others is None or len(parts) != len(others):
            return False
        return all(self._is_held(other, part, pairs) for other, part in zip(others, parts, strict=True))

    def _can_be_taken(self, value: Any, seen: dict[int, Any]) -> bool:
        """Whether it is plain, a function, a tensor that is not trained, in the model, or made of such.

        Args:
          value: which.
          seen: what was looked at, by its `id`.
        """
        if id(value) in self._memo or id(value) in seen or isinstance(value, (*_ATOMS, np.ndarray)):
            return True
        if isinstance(value, torch.Tensor):
            return not value.requires_grad
        if isinstance(value, torch.nn.Module | ModuleType):
            return False
        if isinstance(value, FunctionType):
            return value.__closure__ is None  # others may refer to the model, as what stands in for its forward does
        if isinstance(value, BuiltinFunctionType):
            return isinstance(value.__self__, type(None) | ModuleType | type)
        if isinstance(value, Trainer):  # whose values are those of now; its data is not copied
            self._memo[id(value)] = value
            return True
        seen[id(value)] = value, (parts := _parts_of(value))
        return parts is not None and all(self._can_be_taken(part, seen) for part in parts)


def _parts_of(value: Any) -> list[Any] | None:
    """Return what a copy would be made of; None: it cannot be copied."""
    if type(value) in (list, tuple, set, frozenset):
        return list(value)
    if type(value) is dict:
        return [*value, *value.values()]
    if isinstance(value, MethodType):
        return [value.__func__, value.__self__]
    reducer = copyreg.dispatch_table.get(type(value))
    try:
        reduced = reducer(value) if reducer is not None else value.__reduce_ex__(4)
        if isinstance(reduced, str):
            return [reduced]
        made, arguments, state, items, entries = (*reduced, None, None, None)[:5]
        return [made, list(arguments), state, list(items or ()), [list(each) for each in entries or ()]]
    except Exception:  # code of the user's, or of any library's
        return None


def _storage_of(tensor: torch.Tensor) -> Any:
    try:
        return tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):  # a sparse one has no single place
        return None
