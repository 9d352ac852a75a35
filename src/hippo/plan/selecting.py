"""What readers ask of one table beyond whole rows: some fields, by conditions, in an order, as of a mark.

A mark counts the rows of a kind that were ever inserted. Rows are never removed, so a reader that
remembers a mark finds what came since; facts that never change are therefore read once, however often a user looks.
This module refuses to know how rows are kept: it says what a question means, and answers it for rows at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any


@dataclass(frozen=True, slots=True)
class Among:
    """The field has one of these values. With many of them, rows come in no particular order."""

    values: Collection[Any]


@dataclass(frozen=True, slots=True)
class AtMost:
    """The field is not above this value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Known:
    """The field is not None."""


#: field -> its value, or one of the conditions above
Where = Mapping[str, Any]


def fields_reader(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what reads these fields of a row, as a tuple."""
    if not names:
        return lambda row: ()
    if len(names) == 1:
        read = attrgetter(names[0])
        return lambda row: (read(row),)
    return attrgetter(*names)


def matches(row: Any, where: Where) -> bool:
    """Tell whether a row is one of those that are asked for."""
    return all(_holds(getattr(row, name), wanted) for name, wanted in where.items())


def _holds(value: Any, wanted: Any) -> bool:
    match wanted:
        case Among(values):
            return value in values
        case AtMost(most):
            return bool(value <= most)
        case Known():
            return value is not None
        case _:
            return bool(value == wanted)


def totals(rows: Iterable[Any], by: Sequence[str], of: str) -> list[tuple[Any, ...]]:
    """Return (*values of `by`, rows, rows where `of` is known, its sum, the least) for each group, by its values."""
    group_of, groups = fields_reader(by), dict[tuple[Any, ...], list[Any]]()
    if not by:
        groups[()] = [0, 0, 0.0, None]  # all rows are one group, be there any or not
    for row in rows:
        group = groups.setdefault(group_of(row), [0, 0, 0.0, None])
        value = getattr(row, of)
        group[0] += 1
        if value is not None:
            group[1] += 1
            group[2] += value
            group[3] = value if group[3] is None else min(group[3], value)
    return [(*group, *groups[group]) for group in sorted(groups)]
