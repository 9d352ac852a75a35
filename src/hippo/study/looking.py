"""Scripts that are only looked at: what they define is wanted, and the study that they run is not.

`hippo plan my_script.py:space` has to import a script to find its space, and a script need not guard what it runs. So
while it is imported no study is made or opened: `create_study` returns a stand-in, and whoever uses that, or runs
anything, ends the import there. Everything defined before that line is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

_is_looking = False


class StudyReached(BaseException):
    """A script that is only looked at came to where it uses a study. No `Exception`: scripts must not catch it."""


@contextmanager
def only_looking() -> Iterator[None]:
    """Make and run no study while the block lasts."""
    global _is_looking
    before, _is_looking = _is_looking, True
    try:
        yield
    finally:
        _is_looking = before


def is_only_looking() -> bool:
    """Tell whether no study is to be made or run."""
    return _is_looking


def stop_if_only_looking(what: str) -> None:
    """End the import of a script that is only looked at; does nothing elsewhere.

    Raises:
      StudyReached: it is.
    """
    if _is_looking:
        raise StudyReached(what)


class StudyNotMade:
    """Stands for the study that a script would have made; to use it in any way ends the script's import."""

    def __init__(self, what: str) -> None:
        self.__what = what

    def __getattr__(self, name: str) -> NoReturn:
        raise StudyReached(f"{self.__what}(...).{name}")
