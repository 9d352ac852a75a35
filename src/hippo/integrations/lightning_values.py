"""Hyper-parameters that a LightningModule keeps, in `hparams` and as attributes, while one of its methods is called.

They have the values in force then, and a look at one is a look at the trainer's own: a name that nobody looks at is
told of, and an optimizer follows what was looked at while it was made. This module refuses to know what values are for.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, MutableMapping, Set, ValuesView
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from hippo.training.values import HparamValues, own_value

#: under which what keeps values has, for the time being, the function that hears of looks at them
_LOOK = "_hippo_look"


@contextmanager
def values_in_force(module: Any, values: HparamValues, made_with: Set[str]) -> Iterator[None]:
    """Let a module find the values in force, as long as the block lasts.

    Args:
      module: a LightningModule.
      values: those in force. What the module looks at is looked at here.
      made_with: the names that stay as they are: their values went into making the module.
    """
    hparams, attributes = module.hparams, vars(module)
    names = values.raw.keys() - made_with
    of_hparams, of_attributes = (_follow(kept, values, names) for kept in (hparams, attributes))

    def look(name: str) -> None:
        if name in names:
            values[name]

    is_watched = isinstance(hparams, dict)
    for name in of_hparams if not is_watched else ():  # of OmegaConf's, say, it cannot be seen which are looked at
        look(name)
    cls = _with_watched_values(hparams.__class__) if is_watched else hparams.__class__
    with (
        _watched(module, _with_watched_attributes(module.__class__, of_attributes), look),
        _watched(hparams, cls, look),
    ):
        yield


def _follow(kept: MutableMapping[str, Any], values: HparamValues, names: Set[str]) -> frozenset[str]:
    """Bring what is kept to the values in force; return its names."""
    followed = frozenset(kept.keys() & names)
    for name in followed:
        kept[name] = own_value(values.raw[name])
    return followed


@contextmanager
def _watched(keeper: Any, cls: type, look: Callable[[str], None]) -> Iterator[None]:
    """Make an object one of `cls` for the block. It stays the same object: a module may have put it elsewhere, too."""
    usual = type(keeper)
    vars(keeper)[_LOOK] = look
    object.__setattr__(keeper, "__class__", cls)
    try:
        yield
    finally:
        object.__setattr__(keeper, "__class__", usual)
        del vars(keeper)[_LOOK]


@lru_cache
def _with_watched_attributes(cls: type, names: frozenset[str]) -> type:
    if not names:
        return cls
    return type(cls.__name__, (cls,), {"__module__": cls.__module__, **{name: _attribute(name) for name in names}})


def _attribute(name: str) -> property:
    def get(module: Any) -> Any:
        vars(module)[_LOOK](name)
        return vars(module)[name]

    def put(module: Any, value: Any) -> None:
        vars(module)[name] = value

    return property(get, put)


@lru_cache
def _with_watched_values(cls: type) -> type:
    return type(cls.__name__, (_WatchedValues, cls), {"__module__": cls.__module__})


class _WatchedValues(dict[str, Any]):
    """A dictionary that tells whose values are looked at."""

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        vars(self)[_LOOK](name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())  # dict() and ** copy values past __getitem__, unless this is another one than dict's

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if super().__contains__(name) else default

    def items(self) -> Any:
        return ItemsView(self)

    def values(self) -> Any:
        return ValuesView(self)
