"""What a hyper-parameter's value may be, and its one canonical text.

A value is what JSON can hold, without NaN and infinities. Its type belongs to it: 1, 1.0 and True are three values.
This module refuses to know steps and sequences; numpy's scalars are recognised by their looks, never imported.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from hippo.errors import HparamError
from hippo.hparams.foreign import hint_for

#: how deep lists and dictionaries may lie within each other
MAX_DEPTH = 100
#: of integers: they are compared and stored as text, of which Python writes no more than 4,300 digits
MAX_BITS = 14_000

#: what JSON can hold
Value = bool | int | float | str | None | list[Any] | dict[str, Any]


def canonical(value: object, depth: int = 0) -> Value:
    """Return a fresh copy of `value` in its canonical form.

    numpy scalars become Python ones, tuples lists, -0.0 becomes 0.0, subclasses of str, int and float the plain type.

    Raises:
      HparamError: JSON cannot hold the value, or it is NaN or infinite, too long or nested too deeply.
    """
    kind = type(value)
    if kind is float:  # most often, then these
        return _finite(value)  # type: ignore[arg-type]
    if kind is str or kind is bool or value is None:
        return value  # type: ignore[return-value]
    if depth > MAX_DEPTH:
        raise HparamError(
            f"A hyper-parameter's value is nested more than {MAX_DEPTH} deep, or holds itself; name it by a string and "
            "look it up in the trainer."
        )
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return _bounded(int.__int__(value))
    if isinstance(value, float):
        return _finite(float.__float__(value))
    if isinstance(value, list | tuple):
        return [canonical(item, depth + 1) for item in value]
    if isinstance(value, Mapping):
        return {_name(name): canonical(item, depth + 1) for name, item in value.items()}
    return _unwrapped(value)


def _bounded(value: int) -> int:
    if value.bit_length() > MAX_BITS:
        raise HparamError(
            f"A hyper-parameter's value cannot be an integer of {value.bit_length():,} bits: it is stored as text, of "
            f"at most {MAX_BITS:,}. Name it by a string and look it up in the trainer."
        )
    return value


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise HparamError(
            f"A hyper-parameter's value cannot be {value}: values are compared and stored exactly, and JSON holds "
            f"neither NaN nor infinities. Use None or a string to say 'off' or 'unlimited'."
        )
    return value + 0.0  # -0.0 becomes 0.0


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise HparamError(f"The keys of a dictionary must be strings, not {name!r}; write {str(name)!r}.")
    return str.__str__(name)


def _unwrapped(value: object) -> Value:
    """Return the Python scalar within a numpy scalar or a 0-d array or tensor."""
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "shape", None) == ():
        inner = math.nan if getattr(value, "mask", False) else item()  # what hides behind numpy's masked is no value
        if type(inner) is not type(value):
            return canonical(inner)
    if hasattr(value, "segment_at"):
        raise HparamError(
            f"{value!r} is a sequence, which cannot stand in a value, a list or a dictionary: make it a "
            "hyper-parameter of its own; or one after another, Chain(...)."
        )
    if (hint := hint_for(value)) is not None:
        raise HparamError(f"{hint}.")
    advice = "write array.tolist()" if callable(item) else "name it by a string and look the object up in the trainer"
    if isinstance(value, set | frozenset | range):
        advice = "write a list, whose order is known"
    raise HparamError(
        f"A hyper-parameter's value must be what JSON can hold (None, bool, int, float, str, list, dict), "
        f"not {value!r} of type {type(value).__name__}; {advice}."
    )


#: `json.dumps` with options would make one for each text
_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical_text(value: object) -> str:
    """Return the JSON text of a canonical value: equal texts, equal values."""
    return _encoder.encode(value)


def number(name: str, value: object) -> int | float:
    """Return the argument `name` as a finite number, of the type that was given.

    Raises:
      HparamError: it is not a finite number, or too large for a float.
    """
    plain = canonical(value)
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        raise HparamError(f"{name} must be a number, not {value!r}.")
    if isinstance(plain, int) and abs(plain) > 2**1000:
        raise HparamError(f"{name} is an integer beyond the range of a float; give a smaller one.")
    return plain


def whole(name: str, value: object, at_least: int) -> int:
    """Return the argument `name`, counted in steps, as an integer.

    Raises:
      HparamError: it is not whole, or below `at_least`.
    """
    plain = number(name, value)
    if plain != int(plain):
        raise HparamError(f"{name} must be a whole number, not {value!r}: boundaries lie between steps.")
    if plain < at_least:
        raise HparamError(f"{name} must be at least {at_least}, not {value!r}.")
    return int(plain)
