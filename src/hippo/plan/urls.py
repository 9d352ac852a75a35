"""Database URLs as people may see them: without passwords."""

from __future__ import annotations

import re

#: up to the last @: a password may hold one that should have been quoted
_PASSWORD = re.compile(r"(://[^/:@]*):.*@")
_IN_QUERY = re.compile(r"([?&](?:password|passwd|pwd)=)[^&]*", re.IGNORECASE)


def shown_url(url: object) -> str:
    """Return a URL with its password hidden. Text that is no URL stays as it is: it may be one that was misspelt."""
    return _IN_QUERY.sub(r"\1***", _PASSWORD.sub(r"\1:***@", str(url)))
