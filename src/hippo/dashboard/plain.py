"""Values as the page is told them: as JSON has them, and no longer than it shows them.

Numbers that are none (NaN, infinity) are null: JSON has no other word. This module refuses to know the web.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

#: characters of what is said of one thing
_SAID = 80


def plain_number(value: float | None) -> float | None:
    """Return a number as JSON has it: None for NaN and infinity, and where there is none."""
    return value if value is not None and math.isfinite(value) else None


def plain_value(value: Any) -> Any:
    """Return the value of a hyper-parameter as JSON has it: what is no number and no text, as it is written."""
    return value if isinstance(value, str | int | float) else repr(value)


def written(sequence: Mapping[str, Any]) -> Any:
    """Return a sequence of a config's JSON as people write it: a constant is its value."""
    value = sequence["arguments"].get("value") if sequence.get("sequence") == "Constant" else None
    return value if isinstance(value, str | int | float) else sequence


def cut(text: str) -> str:
    """Return a text as long as the page shows it."""
    return text if len(text) <= _SAID else f"{text[:_SAID]}..."


def last_value(metrics: Mapping[int, Mapping[str, float]], metric: str | None) -> float | None:
    """Return the last value of a metric, given step -> metrics; None if there is none."""
    # from the end: what lies before need not be read
    known = (metrics[step].get(metric) for step in sorted(metrics, reverse=True)) if metric is not None else ()
    return plain_number(next((value for value in known if value is not None), None))
