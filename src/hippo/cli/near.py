"""Values that look equal and are not, so that trials which were meant to share do not.

Merging compares floats exactly and values with their types (0.1 and 0.1 * 3 / 3, or 1 and 1.0, are two values each).
This module only points at such pairs; it refuses to decide that they are one.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction

from hippo.hparams import Config, path

#: closer than this, relative to the larger one, two numbers were probably meant to be one
RELATIVE_TOLERANCE = 1e-6

Number = bool | int | float


def near_misses(configs: Iterable[Config], *, until: int) -> list[tuple[str, Number, Number]]:
    """Pairs of numbers, by hyper-parameter, that are nearly but not exactly equal.

    Args:
      configs: the configs to look through.
      until: look at the pieces in force before this step only.

    Returns:
      (name of the hyper-parameter, smaller number, larger number), sorted by name and number.
    """
    return sorted(
        {(name, a, b) for (name, *_), numbers in _numbers_by_place(configs, until).items() for a, b in _close(numbers)},
        key=repr,
    )


def _numbers_by_place(configs: Iterable[Config], until: int) -> dict[tuple[str, str, int], dict[str, Number]]:
    """Numbers by (hyper-parameter, kind of piece, index of argument): only numbers in one place can be meant as one."""
    places: dict[tuple[str, str, int], dict[str, Number]] = defaultdict(dict)
    seen = set()
    for config in configs:
        for _, pieces in path(config, until):
            for name, piece in pieces.items():
                if (name, piece) not in seen:
                    seen.add((name, piece))
                    for index, argument in enumerate(piece.arguments):
                        places[name, piece.kind, index].update({repr(leaf): leaf for leaf in _leaves(argument)})
    return places


def _leaves(value: object) -> Iterator[Number]:
    if isinstance(value, bool | int | float):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)


def _close(numbers: dict[str, Number]) -> Iterator[tuple[Number, Number]]:
    """Neighbours within the tolerance. Keyed by text, because 1, 1.0 and True are equal to Python."""
    ordered = sorted(numbers.values(), key=lambda number: (number, repr(number)))
    return ((a, b) for a, b in itertools.pairwise(ordered) if _is_close(a, b))


def _is_close(a: Number, b: Number) -> bool:
    try:
        return math.isclose(a, b, rel_tol=RELATIVE_TOLERANCE)
    except OverflowError:  # an integer that no float holds
        exact_a, exact_b = Fraction(a), Fraction(b)
        return abs(exact_a - exact_b) <= Fraction(RELATIVE_TOLERANCE) * max(abs(exact_a), abs(exact_b))
