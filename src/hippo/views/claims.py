"""What an expression says of a trial: yes, no, or nothing, where a value is missing or cannot be compared.

Nothing is not no: what is joined to it may decide, and else whoever asked is told why (three values, as Kleene's logic
has them). This module refuses to know how expressions are written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hippo.study.results.trials import Trial

#: reasons why it says nothing are added to the list
Claim = Callable[[Trial, list[str]], bool | None]
#: what is compared
Operand = Callable[[Trial], object]
#: the operand of a trial that has no such value
NOTHING = object()


def joined(parts: Sequence[Claim], *, decides: bool) -> Claim:
    """Return the and, or the or, of claims: one part that `decides` is enough, whatever is not known of others."""

    def claim(trial: Trial, why: list[str]) -> bool | None:
        is_known, before = True, len(why)
        for part in parts:
            said = part(trial, why)
            if said is decides:
                del why[before:]  # nobody misses what the others could not say
                return decides
            is_known = is_known and said is not None
        return not decides if is_known else None

    return claim


def denied(part: Claim) -> Claim:
    """Return what says no where a claim says yes, and yes where it says no."""

    def claim(trial: Trial, why: list[str]) -> bool | None:
        said = part(trial, why)
        return None if said is None else not said

    return claim


def never(trial: Trial, why: list[str]) -> bool | None:
    """Say no: nothing is in an empty list."""
    return False


def true(value: Operand, name: str) -> Claim:
    """Return whether an operand, called `name`, is true."""

    def claim(trial: Trial, why: list[str]) -> bool | None:
        found = value(trial)
        if isinstance(found, bool):
            return found
        why.append(_lacking(found, name, "neither true nor false"))
        return None

    return claim


def equal(left: Operand, right: Operand, names: tuple[str, str]) -> Claim:
    """Return whether two operands, called `names`, are the same; who has no value has None, and nothing else."""

    def claim(trial: Trial, why: list[str]) -> bool | None:
        sides = (left(trial), right(trial))
        if None in sides and NOTHING in sides:
            return True  # asked for those that have none
        for side, name in zip(sides, names, strict=True):
            if side is NOTHING:
                why.append(_lacking(side, name, ""))
                return None
        return bool(sides[0] == sides[1])

    return claim


def held(inner: Operand, outer: Operand, names: tuple[str, str]) -> Claim:
    """Return whether a text holds another one, or a list an item."""

    def claim(trial: Trial, why: list[str]) -> bool | None:
        item, whole = inner(trial), outer(trial)
        if isinstance(whole, list | tuple) and item is not NOTHING:
            return item in whole
        if isinstance(whole, str) and isinstance(item, str):
            return item in whole
        bad = 0 if not isinstance(item, str) else 1
        if isinstance(whole, int | float) and item is not NOTHING:  # a constant of the expression, or of the trial
            bad = 1
        why.append(_lacking((item, whole)[bad], names[bad], "no text"))
        return None

    return claim


def ordered(left: Operand, compare: Callable[[Any, Any], bool], right: Operand, names: tuple[str, str]) -> Claim:
    """Return how two numbers, or two texts, compare."""

    def claim(trial: Trial, why: list[str]) -> bool | None:
        sides = (left(trial), right(trial))
        if (_is_number(sides[0]) and _is_number(sides[1])) or all(isinstance(side, str) for side in sides):
            return compare(*sides)
        is_written = [name == repr(side) for side, name in zip(sides, names, strict=True)]
        bad = min((0, 1), key=lambda at: (sides[at] is not NOTHING, _is_number(sides[at]), is_written[at]))
        if is_written[bad] and _is_number(sides[1 - bad]):
            why.append(f"{names[1 - bad]} is a number, and is not compared with the text {names[bad]}")
            return None
        hint = f"a text or a sequence, of which {names[bad]}(0) is the value at its first step"
        why.append(_lacking(sides[bad], names[bad], hint if isinstance(sides[bad], str) else "no number"))
        return None

    return claim


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _lacking(value: object, name: str, what: str) -> str:
    return f"they have no {name}" if value is NOTHING else f"{name} is {what}"
