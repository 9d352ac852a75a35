"""What a trainer and its model hold beside tensors, to be compared with what they hold later.

By identity: what was replaced is other, whatever it compares equal to. Looked into are lists, dictionaries and the
like, one level deep; on demand whatever objects of the trainer hold, and so on, up to so many that it is said where
there are more. Of a long list only the length counts. It refuses to know what the comparison is for.
"""

from __future__ import annotations

import functools
import operator
import pickle
import random
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: of the trainer: set before each update
_SET = frozenset({"hp", "model", "_batch", "_updates"})
#: longer ones are data: of them it is compared how many they hold
_MOST_ITEMS = 1000
_CONTAINERS = (dict, list, tuple, set, frozenset, deque)
#: what holds these holds the same ones for ever
_UNCHANGING = (tuple, frozenset)
#: objects that are looked into, of those that attributes lead to: more would take longer than what they are for
MOST_OBJECTS = 2000
#: what each module holds
_OF_A_MODULE = frozenset(vars(nn.Module()))
#: what `TorchTrainer` itself holds, and sees to
_HIPPOS = frozenset(
    {"_live", "_descent", "_average", "_training", "_validation", "_datasets", "_chances", "_mean_looks"}
    | {
        "_surrogate_notes",
        "_surrogate_options",
        "_model_values",
        "_frozen_at_first",
        "_read_by_build",
        "_device",
        "_sample_methods",
    }
    | {"_modes", "_sharder", "_ranks"}
)
_Attribute = tuple[str, Any, tuple[Any, ...]]


class TrainerSnapshot:
    """What the attributes of a trainer, and of its model's modules, are when this is made."""

    #: whether all objects that attributes lead to are looked into
    is_whole: bool

    def __init__(self, trainer: TorchTrainer) -> None:
        self._trainer = trainer
        self._own = _marks(_own_attributes(trainer))
        self._modules = [(module, _marks(vars(module))) for module in trainer.model.modules()]
        reached, self.is_whole = _reached(trainer)
        self._inside = [(each, _held(each)) for each in reached]

    def hold_in_trainer(self) -> bool:
        """Tell whether the trainer's are what they were."""
        return _are_same(self._own, _own_attributes(self._trainer))

    def hold_in_model(self) -> bool:
        """Tell whether those of the model's modules are what they were, and the modules themselves."""
        now = list(self._trainer.model.modules())
        return len(now) == len(self._modules) and all(
            module is before and _are_same(marks, vars(module))
            for module, (before, marks) in zip(now, self._modules, strict=True)
        )

    def hold_inside(self) -> bool:
        """Tell whether objects that attributes lead to hold what they held, as far as one can look into them."""
        return all(_hold_same(before, _held(each)) for each, before in self._inside)

    def put_back(self) -> None:
        """Bring attributes that were set, or set anew, to what they were; what changed inside of them stays."""
        for holder, marks in ((self._trainer, self._own), *self._modules):
            attributes = vars(holder)
            known = {name for name, _, _ in marks} | (_SET if holder is self._trainer else set())
            for name in attributes.keys() - known:
                del attributes[name]
            attributes.update({name: value for name, value, _ in marks})


class ChanceSnapshot:
    """The states of generators that are attributes of a trainer or of its model's modules, when this is made."""

    def __init__(self, trainer: TorchTrainer) -> None:
        self._held = [(get, set_, get()) for get, set_ in _generators(trainer)]
        self._bytes = [pickle.dumps(state) for _, _, state in self._held]

    def have_moved(self) -> bool:
        """Tell whether any was drawn from."""
        return any(pickle.dumps(get()) != before for (get, _, _), before in zip(self._held, self._bytes, strict=True))

    def put_back(self) -> None:
        """Bring them to where they were."""
        for _, set_, state in self._held:
            set_(state)


def _generators(trainer: TorchTrainer) -> Iterator[tuple[Callable[[], Any], Callable[[Any], Any]]]:
    numpy = sys.modules.get("numpy")
    for value in chain(vars(trainer).values(), *(vars(each).values() for each in trainer.model.modules())):
        if isinstance(value, random.Random):
            yield value.getstate, value.setstate
        elif isinstance(value, torch.Generator) or (numpy is not None and isinstance(value, numpy.random.RandomState)):
            yield value.get_state, value.set_state
        elif numpy is not None and isinstance(value, numpy.random.Generator):
            bits = value.bit_generator
            yield functools.partial(getattr, bits, "state"), functools.partial(setattr, bits, "state")


def _own_attributes(trainer: TorchTrainer) -> Mapping[str, Any]:
    return {name: value for name, value in vars(trainer).items() if name not in _SET}


def _reached(trainer: TorchTrainer) -> tuple[list[Any], bool]:
    """Return the objects and containers to which attributes lead, and whether these are all.

    The trainer itself is none of them, and neither are the model's modules, which are compared with what each holds.
    """
    found: dict[int, Any] = {}
    waiting = deque(value for name, value in _own_attributes(trainer).items() if name not in _HIPPOS)
    known = {id(trainer)}
    for module in trainer.model.modules():
        known.add(id(module))
        waiting.extend(_held(module))
    while waiting:
        value = waiting.popleft()
        if id(value) in known or not _may_hold(value):
            continue
        known.add(id(value))
        if type(value) not in _UNCHANGING:
            if len(found) == MOST_OBJECTS:
                return list(found.values()), False
            found[id(value)] = value
        waiting.extend(_held(value))
    return list(found.values()), True


def _may_hold(value: Any) -> bool:
    """Whether something may hold other things, though it holds nothing yet; tensors, classes and functions do not."""
    if isinstance(value, torch.Tensor | type | ModuleType | FunctionType | torch.Generator):
        return False
    return type(getattr(value, "__dict__", None)) is dict or isinstance(value, _CONTAINERS)


def _held(value: Any) -> tuple[Any, ...]:
    """Return what an object or a container holds; of a module, what its own dictionaries do: they would be too many."""
    own = getattr(value, "__dict__", None)
    attributes = own if type(own) is dict else {}
    if isinstance(value, nn.Module):
        apart = [(name, attributes[name]) for name in attributes.keys() - _OF_A_MODULE]
        inside = chain.from_iterable(_items(attributes.get(name)) for name in _OF_A_MODULE)
        return (attributes.get("training"), *chain.from_iterable(sorted(apart)), *inside)
    return (*chain.from_iterable(attributes.items()), *_items(value))


def _marks(attributes: Mapping[str, Any]) -> list[_Attribute]:
    return [(name, value, _items(value)) for name, value in attributes.items()]


def _items(value: Any) -> tuple[Any, ...]:
    """Return what a container holds, or a text of how much, if that is a lot; nothing of other things."""
    if not isinstance(value, _CONTAINERS):
        return ()
    if len(value) > _MOST_ITEMS:
        return (sys.intern(f"{len(value)} items"),)
    return tuple(chain.from_iterable(value.items())) if isinstance(value, dict) else tuple(value)


def _are_same(marks: list[_Attribute], attributes: Mapping[str, Any]) -> bool:
    return len(marks) == len(attributes) and all(
        name in attributes and attributes[name] is value and _hold_same(items, _items(value))
        for name, value, items in marks
    )


def _hold_same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return len(one) == len(other) and all(map(operator.is_, one, other))
