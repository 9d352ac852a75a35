"""What goes on, as a line on standard error, from any room; where something is wrong, a warning is due instead."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar


def say(message: str, *, here: str = "") -> None:
    """Say what goes on, where nothing is wrong.

    Args:
      message: for whoever asked, be it from another machine.
      here: how it goes on for people at this one: paths, commands.
    """
    write_line(f"hippo: {message}{here}")
    if message and (kept := _kept.get()) is not None:
        kept.append(message)


def write_line(text: str) -> None:
    """Write a line on standard error, if anybody is still there to read it: a line is no reason to end anything."""
    with suppress(OSError, ValueError):  # its reader has gone; it was closed
        print(text, file=sys.stderr, flush=True)


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
