"""Database URLs as people may see them: without passwords."""

from __future__ import annotations

import os
import re

from hippo.errors import StorageNameError

_HOST = r"(?:[\w.-]+|\[[\da-fA-F:.]+\])"
#: up to the last @ that may end it, whatever is opened: a password may hold one that should have been quoted, and so
#: may a name, ada@lab.org. One in an option is another's, ?application_name=a@b, if no host and database follow it
_PASSWORD = re.compile(rf"(://[^/:]*):(?:.*@(?=[^@?]*\?[\w.-]+=)(?!.*@{_HOST}(?::\d+)?/)|.*@)")
#: what is opened by it has such a password: one that is written as it should be, for a host and its port follow it
_WELL_QUOTED = re.compile(rf"://[^/:@]*:[^@/?#]*@{_HOST}:\d+(?:[/?]|$)")
QUOTED_HINT = (
    "Special characters of a password are written in percent: '@' as %40, '/' as %2F, '#' as %23 "
    "(urllib.parse.quote(password, safe='') does it)."
)
_IN_QUERY = re.compile(r"([?&](?:password|passwd|pwd)=)[^&]*", re.IGNORECASE)


def shown_url(url: object) -> str:
    """Return a URL with its password hidden. Text that is no URL stays as it is: it may be one that was misspelt."""
    return _IN_QUERY.sub(r"\1***", _PASSWORD.sub(r"\1:***@", str(url)))


def is_well_quoted(url: str) -> bool:
    """Tell whether a URL's password ends where a host and its port begin, whatever stands behind them."""
    return _WELL_QUOTED.search(url) is not None


def words_about(url: str, words: object) -> str:
    """Return what a driver says of a database that could not be used, without what may be its password.

    A driver reads `ada:p@ss/w@host` as the host `ss`, and says that there is none.
    """
    said, found = str(words).strip(), _PASSWORD.search(_given.get(url, url))
    hidden = "" if found is None else found[0][len(found[1]) + 1 : -1]
    pieces = sorted(filter(None, re.split("[@/:?#&=]", hidden)), key=len, reverse=True)
    if "@" not in hidden or not pieces:  # else the driver may take a part of it for the host
        return said
    return re.sub(rf"(?<!\w)(?:{'|'.join(map(re.escape, pieces))})(?!\w)", "***", said)


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
#: shown for several that were given, whose hosts are hidden with their passwords
_unclear: set[str] = set()


def remember_url(url: str) -> str:
    """Return a URL with its password hidden, by which `told_url` finds it again in this process."""
    shown = shown_url(url)
    if shown != url:
        if _given.get(shown, url) != url and url.count("@") > shown.count("@"):
            _unclear.add(shown)
        _given[shown] = url
    return shown


def told_url(url: str) -> str:
    """Return the URL that was given where `url` shows it with its password hidden; any other stays as it is."""
    if url in _unclear:
        raise StorageNameError(f"storage={url!r} stands for several databases: give its URL whole, with the password")
    return _given.get(url, url)
