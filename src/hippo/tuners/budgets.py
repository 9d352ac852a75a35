"""Rungs and bounds: numbers of steps, counted with integers."""

from __future__ import annotations

from typing import Any

from hippo.errors import BudgetError, TunerError

#: what a database can count
MOST_STEPS = 2**63 - 1


def plain_integer(value: Any) -> Any:
    """Return a numpy integer as Python's, which is what arguments are checked for, and all else as it is."""
    if type(value).__module__ != "numpy" or getattr(value, "shape", None) != () or value.dtype.kind not in "iu":
        return value
    return int(value)


def check_steps(name: str, value: Any, *, at_least: int = 1) -> None:
    """Refuse what is not a whole number of at least `at_least`.

    Raises:
      BudgetError: says which argument it was, and its value.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise BudgetError(f"{name} must be an integer of at least {at_least}, not {value!r} ({type(value).__name__})")
    if value < at_least:
        raise BudgetError(f"{name} must be at least {at_least}, not {value}")
    if value > MOST_STEPS:
        raise BudgetError(f"{name} must be at most {MOST_STEPS:,}, not {value}")


def checked_steps(name: str, value: Any) -> int:
    """Return a whole number of at least 1, which may come as numpy's, as Python's.

    Raises:
      BudgetError: it is none.
    """
    value = plain_integer(value)
    check_steps(name, value)
    steps: int = value
    return steps


def check_between(name: str, value: Any, low: float, high: float) -> None:
    """Refuse what is no number from `low` to `high`.

    Raises:
      TunerError: says which argument it was, and its value.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise TunerError(f"{name} must be between {low} and {high}, not {value!r}")


def check_flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False: "no" would be true.

    Raises:
      TunerError: says which argument it was, and its value.
    """
    if not isinstance(value, bool):
        raise TunerError(f"{name} must be True or False, not {value!r}")


def check_seed(seed: Any) -> None:
    """Refuse what numpy's generators cannot be seeded with, before anything is drawn.

    Raises:
      TunerError: it is not an integer of at least 0.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise TunerError(f"seed must be an integer of at least 0, not {seed!r} ({type(seed).__name__})")


def rung_steps(min_steps: int, max_steps: int, reduction: int) -> list[int]:
    """Return the ends of the rungs of successive halving: min_steps times powers of `reduction`, and max_steps last.

    Hippo, Table 1: reduction 4 from 15 to 120 steps has rungs at 15, 60 and 120.

    Raises:
      BudgetError: a bound is below 1, `min_steps` above `max_steps`, or `reduction` below 2.
    """
    check_steps("min_steps", min_steps)
    check_steps("max_steps", max_steps)
    check_steps("reduction", reduction, at_least=2)
    if min_steps > max_steps:
        raise BudgetError(f"min_steps={min_steps} is above max_steps={max_steps}; swap them, or lower min_steps")
    rungs = []
    rung = min_steps
    while rung < max_steps:
        rungs.append(rung)
        rung *= reduction
    return [*rungs, max_steps]
