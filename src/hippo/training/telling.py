"""What a user is told once in a process, however often it is seen. Refuses to know who sees what."""

from __future__ import annotations

import warnings
from collections.abc import Hashable

_told: set[Hashable] = set()


def tell_once(key: Hashable, message: str) -> None:
    """Warn, unless somebody did under this key."""
    if key not in _told:
        _told.add(key)
        warnings.warn_explicit(message, UserWarning, "<hippo>", 1, module="hippo")
