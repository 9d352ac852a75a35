"""What goes on, as a line on standard error, from any room; where something is wrong, a warning is due instead.

A warning of what a user's own call brought about is of the line that made it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

_PACKAGE = __name__.partition(".")[0]


def say(message: str, *, here: str = "") -> None:
    """Say what goes on, where nothing is wrong.

    Args:
      message: for whoever asked, be it from another machine.
      here: how it goes on for people at this one: paths, commands.
    """
    write_line(f"hippo: {message}{here}")
    if message and (kept := _kept.get()) is not None:
        kept.append(message)


def warn_caller(message: str) -> None:
    """Warn of the line outside of hippo that called us, however deep we are."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)


def write_line(text: str) -> None:
    """Write a line on standard error, as `write` does."""
    write(f"{text}\n")


def write(text: str) -> None:
    """Write on standard error, if anybody is still there to read it: a line is no reason to end anything."""
    if sys.stderr is None:  # a process began without
        return
    with suppress(OSError, ValueError):  # its reader has gone, its disk is full; it was closed
        sys.stderr.write(text)
        sys.stderr.flush()


#: what is said in this context, for somebody elsewhere; None: nobody asked from there
_kept: ContextVar[list[str] | None] = ContextVar("hippo_said", default=None)


@contextmanager
def said_to_be_passed_on() -> Iterator[list[str]]:
    """Keep what is said within the block, to be said where somebody waits for it as well."""
    said: list[str] = []
    token = _kept.set(said)
    try:
        yield said
    finally:
        _kept.reset(token)
