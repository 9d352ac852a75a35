"""Values that nobody changes, at the price of an object that anybody could.

`dataclass(frozen=True)` sets each field by a call that gets around its own lock: making an event takes four times as
long. The control loop makes about sixty values for each stage, so here the type checker alone keeps the lock. What
users get in their hands is locked at run time as well, and stays a `dataclass(frozen=True)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """Make a class one of values: slots, equality and hash by fields, which are given by name and never set again."""
    return dataclass(slots=True, kw_only=True, unsafe_hash=True)(cls)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen_tuple(cls: type[T]) -> type[T]:
    """Do what `frozen` does for a class whose fields may be given by their order."""
    return dataclass(slots=True, unsafe_hash=True)(cls)


def changed(value: T, **others: object) -> T:
    """Return a value of such a class with some fields changed: `dataclasses.replace` takes four times as long."""
    what = (type(value), *others)
    copier = _copiers.get(what)
    if copier is None:
        copier = _copiers[what] = _copier(type(value), *others)
    copy: T = copier(value, others)
    return copy


class computed_once(cached_property[T]):
    """A `cached_property` of a value, which two threads that meet may compute twice, to the same: Python 3.11 locks.

    The lock takes as long as what is computed here, and a config has six of them.
    """

    if not TYPE_CHECKING:

        def __get__(self, instance: object, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value


def maker(kind: type[T]) -> Callable[[Iterable[tuple[Any, ...]]], list[T]]:
    """Return what makes values of such a class from tuples of all fields, in the order of these.

    It names the fields once, and not for each value: making fifty thousand takes half the time.
    """
    names = [each.name for each in fields(kind)]  # type: ignore[arg-type]
    given = ", ".join(f"{name}={name}" for name in names)
    scope: dict[str, Any] = {"kind": kind}
    exec(f"def made(found):\n return [kind({given}) for {', '.join(names)}, in found]", scope)
    made: Callable[[Iterable[tuple[Any, ...]]], list[T]] = scope["made"]
    return made


#: class and names of the fields that are changed -> what does it
_copiers: dict[tuple[Any, ...], Callable[[Any, dict[str, object]], Any]] = {}


def _copier(kind: type, *names: str) -> Callable[[Any, dict[str, object]], Any]:
    """Return what copies values of a class, written out as `dataclass` writes `__init__`: loops cost as much again."""
    known = [each.name for each in fields(kind)]
    if unknown := set(names).difference(known):
        raise AttributeError(f"{kind.__name__} has no fields {sorted(unknown)}; it has {known}")
    lines = ["def copied(value, others, new=object.__new__, kind=kind):", " copy = new(kind)"]
    lines += [f" copy.{name} = " + (f"others['{name}']" if name in names else f"value.{name}") for name in known]
    scope: dict[str, Any] = {"kind": kind}
    exec("\n".join([*lines, " return copy"]), scope)
    made: Callable[[Any, dict[str, object]], Any] = scope["copied"]
    return made
