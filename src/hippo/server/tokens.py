"""Who may do what on a service: tokens, of which a file keeps hashes, with a name and a right for each.

A token is shown once, when it is made. What the file holds opens nothing. This module refuses to know HTTP.
"""

from __future__ import annotations

import enum
import fcntl
import hashlib
import hmac
import json
import os
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from hippo.errors import OptionError

_NAME = re.compile(r"[A-Za-z0-9._@-]{1,64}")
_TOKEN_BYTES = 32
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Right(enum.Enum):
    """What a request needs."""

    #: to see studies
    READ = "read"
    #: to train
    WRITE = "write"
    #: to delete what is kept
    ADMIN = "admin"
    #: to be a machine that trains: what it says of its training is believed
    JOIN = "join"


#: right of a token -> what it opens
RIGHTS = {
    "join": frozenset({Right.JOIN}),
    "read": frozenset({Right.READ}),
    "write": frozenset({Right.READ, Right.WRITE}),
    "admin": frozenset(Right),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenEntry:
    """A token as its file keeps it."""

    #: whose it is
    name: str
    #: a name of `RIGHTS`
    right: str
    #: SHA-256 of the token, in hex
    sha256: str
    #: of the device-seconds, beside those of others: its studies have one part together
    share: float = 1.0
    #: larger comes first; a lower one gets what is left
    priority: int = 0


class TokenFile:
    """The tokens of a service, in a file that only its owner may read.

    Args:
      path: of the file. It is read anew whenever it has changed, so that a token which is revoked opens nothing.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._read_at: tuple[int, int, int] | None = None
        self._entries: tuple[TokenEntry, ...] = ()

    def add(self, name: str, right: str, *, share: float = 1.0, priority: int = 0) -> str:
        """Make a token, and return it: nobody can find it out later.

        Args:
          name, right, share, priority: as in `TokenEntry`.

        Raises:
          OptionError: the name is taken or none, there is no such right, or the share is not above 0.
        """
        if not _NAME.fullmatch(name):
            raise OptionError(f"{name!r} cannot name a token: letters, digits and . _ @ - are for it, 64 at most")
        if right not in RIGHTS:
            raise OptionError(f"a token's right must be one of {sorted(RIGHTS)}, not {right!r}")
        check_share(share, priority)
        with self._changed() as entries:
            if any(entry.name == name for entry in entries):
                raise OptionError(f"there is a token {name!r} already; revoke it first, or give another name")
            token = secrets.token_urlsafe(_TOKEN_BYTES)
            entries.append(TokenEntry(name=name, right=right, sha256=_hash(token), share=share, priority=priority))
        return token

    def revoke(self, name: str) -> None:
        """Let a token open nothing any more.

        Raises:
          OptionError: there is none of this name.
        """
        with self._changed() as entries:
            kept = [entry for entry in entries if entry.name != name]
            if len(kept) == len(entries):
                raise OptionError(f"there is no token {name!r}; there are {[entry.name for entry in entries]}")
            entries[:] = kept

    def entries(self) -> tuple[TokenEntry, ...]:
        """Return the tokens that there are, without what opens anything.

        Raises:
          OptionError: the file is not there, others may read it, or it is none of tokens.
        """
        try:
            found = os.stat(self._path)
        except FileNotFoundError:
            raise OptionError(
                f"there is no file of tokens {self._path}; `hippo token add NAME --tokens {self._path}` makes it"
            ) from None
        except OSError as error:
            raise OptionError(f"the file of tokens {self._path} cannot be read: {error.strerror or error}") from None
        if found.st_mode & 0o077:
            raise OptionError(f"others may read {self._path}: chmod 600 it, and make its tokens anew")
        mark = (found.st_mtime_ns, found.st_size, found.st_ino)
        if mark != self._read_at:
            self._entries, self._read_at = self._parsed(), mark
        return self._entries

    def entry_of(self, token: str) -> TokenEntry | None:
        """Return whose a token is, and what it opens; None for what is no token."""
        given, found = _hash(token), None
        for entry in self.entries():  # all of them: how long it takes must not tell which was nearly right
            if hmac.compare_digest(entry.sha256, given):
                found = entry
        return found

    def _parsed(self) -> tuple[TokenEntry, ...]:
        try:
            entries = tuple(TokenEntry(**entry) for entry in json.loads(self._path.read_text("utf-8"))["tokens"])
        except OSError as error:
            raise OptionError(f"the file of tokens {self._path} cannot be read: {error.strerror or error}") from None
        except (ValueError, TypeError, KeyError, RecursionError):  # not what was read: it may hold anything
            raise self._damaged() from None
        for entry in entries:
            self._check(entry)
        return entries

    def _check(self, entry: TokenEntry) -> None:
        is_text = all(isinstance(text, str) for text in (entry.name, entry.right, entry.sha256))
        if not (is_text and _SHA256.fullmatch(entry.sha256)):
            raise self._damaged()
        try:
            check_share(entry.share, entry.priority)
        except OptionError as error:
            raise OptionError(f"{self._path}, token {entry.name!r}: {error}") from None
        if entry.right not in RIGHTS:
            raise OptionError(f"{self._path}: the right of token {entry.name!r} is none of {sorted(RIGHTS)}")

    def _damaged(self) -> OptionError:
        return OptionError(
            f"{self._path} is damaged, or no file of tokens, and stays as it is. Put a copy of it back; without one, "
            f"move it away, and make each token anew: `hippo token add NAME --tokens {self._path}`"
        )

    @contextmanager
    def _changed(self) -> Iterator[list[TokenEntry]]:
        """Change the entries, and write the file as a whole when the block ends.

        Raises:
          OptionError: it cannot be written, and is what it was.
        """
        try:
            with self._alone():
                entries = list(self.entries()) if os.path.exists(self._path) else []
                yield entries
                self._write(entries)
        except OSError as error:
            raise OptionError(
                f"the file of tokens {self._path} cannot be written: {error.strerror or error}. Its folder must be "
                "there and writable; no token was changed"
            ) from None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Wait for another process that changes the file: of two that read it and then write it, one would be lost."""
        with open(os.open(self._beside("lock"), os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            fcntl.lockf(file, fcntl.LOCK_EX)  # until it is closed, or this process ends
            yield

    def _beside(self, end: str) -> Path:
        return self._path.with_name(f".{self._path.name}.{end}")

    def _write(self, entries: Sequence[TokenEntry]) -> None:
        aside = self._beside("new")
        aside.unlink(missing_ok=True)  # nobody else writes now: a process that was killed has left it
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"tokens": [asdict(entry) for entry in entries]}, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            os.replace(aside, self._path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise


def check_share(share: object, priority: object) -> None:
    """Refuse a share that is none, and a priority.

    Raises:
      OptionError: says which.
    """
    if isinstance(share, bool) or not (isinstance(share, int | float) and 0 < share < float("inf")):
        raise OptionError(f"a share is a number above 0, not {share!r}")
    if isinstance(priority, bool) or not isinstance(priority, int):
        raise OptionError(f"a priority is a whole number, larger goes first, not {priority!r}")


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
