"""Numbers as people read them: with as many digits as tell them apart."""

from __future__ import annotations

import re

#: significant digits of a number for people; programs get all of them
DIGITS = 6


def short(value: float, digits: int = DIGITS) -> str:
    """Return a number with so many significant digits; one that has no more is shown exactly, 1.0 as 1.0."""
    exact = repr(value)
    return exact if len(re.sub(r"e.*|[-.]", "", exact).strip("0")) <= digits else f"{value:.{digits}g}"


def short_numbers(text: str, digits: int = DIGITS) -> str:
    """Return a text in which numbers have no more significant digits than that; quoted parts stay as they are."""
    return _NUMBER.sub(lambda found: found[0] if found["number"] is None else short(float(found[0]), digits), text)


_NUMBER = re.compile(r"""'[^']*'|"[^"]*"|(?<![\w.])(?P<number>-?\d+\.\d+(?:e[+-]?\d+)?)""")
