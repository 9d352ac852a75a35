"""Database URLs as people may see them: without passwords."""

from __future__ import annotations

import os
import re

#: up to the last @: a password may hold one that should have been quoted, and so may a name, ada@lab.org
_PASSWORD = re.compile(r"(://[^/:]*):.*@")
#: one that is written as it should be, for what follows is a host and its port: an @ behind them is another's
_WELL_QUOTED = re.compile(r"(://[^/:@]*):[^@/?#]*(?=@(?:[\w.-]+|\[[\da-fA-F:.]+\]):\d+(?:[/?]|$))")
QUOTED_HINT = (
    "Special characters of a password are written in percent: '@' as %40, '/' as %2F, '#' as %23 "
    "(urllib.parse.quote(password, safe='') does it)."
)
_IN_QUERY = re.compile(r"([?&](?:password|passwd|pwd)=)[^&]*", re.IGNORECASE)


def shown_url(url: object) -> str:
    """Return a URL with its password hidden. Text that is no URL stays as it is: it may be one that was misspelt."""
    hidden, found = _WELL_QUOTED.subn(r"\1:***", str(url), count=1)
    return _IN_QUERY.sub(r"\1***", hidden if found else _PASSWORD.sub(r"\1:***@", hidden))


def is_well_quoted(url: str) -> bool:
    """Tell whether a URL's password ends where a host and its port begin, whatever stands behind them."""
    return _WELL_QUOTED.search(url) is not None


_FILE = re.compile(r"sqlite(?:\+\w+)?:///([^?]+)")


def are_copies(one: str, other: str) -> bool:
    """Tell whether two URLs, of databases that name themselves alike, name different files."""
    files = [found[1] for url in (one, other) if (found := _FILE.match(url)) is not None]
    try:
        return len(files) == 2 and not os.path.samefile(*files)
    except OSError:  # one is gone
        return False


#: URL as it is shown -> as it was given, for as long as the process lives: what a study shows opens its storage again
_given: dict[str, str] = {}


def remember_url(url: str) -> str:
    """Return a URL with its password hidden, by which `told_url` finds it again in this process."""
    shown = shown_url(url)
    if shown != url:
        _given[shown] = url
    return shown


def told_url(url: str) -> str:
    """Return the URL that was given where `url` shows it with its password hidden; any other stays as it is."""
    return _given.get(url, url)
