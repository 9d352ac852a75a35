"""What a user is warned of, once in a process or each time. Refuses to know who sees what."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

#: the file that warnings name which blame no line
ANY_LINE = "<hippo>"
_told: set[Hashable] = set()
_is_unheard = False


def warn(message: str) -> None:
    """Warn each time: two workers may be lost for one reason. No line is blamed: none of the user's is to blame."""
    warnings.warn_explicit(message, UserWarning, ANY_LINE, 1, module="hippo")


def tell_once(key: Hashable, message: str) -> None:
    """Warn, unless somebody did under this key."""
    if key not in _told and not _is_unheard:
        _told.add(key)
        warn(message)


@contextmanager
def unheard() -> Iterator[None]:
    """Let nothing be told once by the block, and all of it later: it trains copies, at values that no config has."""
    global _is_unheard
    before, _is_unheard = _is_unheard, True
    try:
        yield
    finally:
        _is_unheard = before
