"""What users should hear while a study runs, as warnings that name no line of ours, or as a line on standard error.

Those of the control loop blame no line of the user's code, and ours would only be noise. What a user's own call brought
about is said of the line that made it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from hippo.training.telling import warn as warn

_PACKAGE = __name__.partition(".")[0]


def warn_or_say(message: str) -> None:
    """Warn where an exception would be somebody else's trouble: say it, if warnings are errors."""
    try:
        warn(message)
    except UserWarning:
        say(message)


def warn_caller(message: str) -> None:
    """Warn of the line outside of hippo that called us, however deep we are."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)


def say(message: str, *, here: str = "") -> None:
    """Say what goes on, where nothing is wrong.

    Args:
      message: for whoever asked, be it from another machine.
      here: how it goes on for people at this one: paths, commands.
    """
    print(f"hippo: {message}{here}", file=sys.stderr, flush=True)
    if message and (kept := _kept.get()) is not None:
        kept.append(message)


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
