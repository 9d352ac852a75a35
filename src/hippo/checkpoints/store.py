"""What a store of checkpoints is: named bytes that are either whole or an error.

A store writes once and never changes what it wrote. It refuses to know what the bytes mean, who made them, and how
long they are wanted.
"""

from __future__ import annotations

import hashlib
import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from hippo.errors import CheckpointError, CorruptCheckpointError


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenBytes:
    """What is remembered of a write, to tell later that what is read is whole."""

    size_bytes: int
    #: SHA-256, hexadecimal; empty if the writer wanted none
    sha256: str


class StoredBytes(NamedTuple):
    """Something that lies in a store."""

    #: empty for what is not whole: a write that is under way, or was killed
    key: str
    size_bytes: int


def taken(checkpoint: str) -> CheckpointError:
    """Return what is raised where a checkpoint is to be written that is there."""
    return CheckpointError(
        f"checkpoint {checkpoint} exists already, and checkpoints are never rewritten. A copy of this database has "
        "written it: one that this was copied from, or that stood here before a backup was put back. Go on with that "
        "one, or give this one a place of its own by checkpoints=, where states that are not there are trained again."
    )


class AbstractCheckpointStore(ABC):
    """Bytes under names such as "3f2a/p1/e1-l3-n5-s20", written once, read whole."""

    @abstractmethod
    def write(self, key: str, writer: Callable[[BinaryIO], object]) -> WrittenBytes:
        """Store what `writer` writes into the file it is given, all of it or nothing.

        Args:
          key: a relative name; parts are separated by "/".
          writer: gets a file that can only be written to, from its beginning to its end. If the file has a method
            `unhashed`, whoever writes what tells by itself whether it is whole may call it first: no SHA-256 is taken.

        Raises:
          CheckpointError: the key is taken or malformed, or the store cannot be written to.
        """

    @abstractmethod
    def read(self, key: str, *, sha256: str, size_bytes: int) -> bytes:
        """Return the bytes under `key`.

        Raises:
          CheckpointError: there are none.
          CorruptCheckpointError: they are not those that were written.
        """

    @abstractmethod
    def open(self, key: str) -> BinaryIO:
        """Return the file under `key`, to be read from anywhere and closed; whether it is whole is not looked at.

        Raises:
          CheckpointError: there is none.
        """

    @abstractmethod
    def has(self, key: str) -> bool:
        """Tell whether there are bytes under `key`, without waiting for those that may be on their way.

        Raises:
          CheckpointError: that cannot be told.
        """

    @abstractmethod
    def delete(self, key: str) -> None:
        """Remove the bytes under `key`, if there are any.

        Raises:
          CheckpointError: they cannot be removed.
        """

    @abstractmethod
    def delete_all(self, keys: Sequence[str]) -> None:
        """Remove the bytes under many keys, in as few requests as the store can.

        Raises:
          CheckpointError: some cannot be removed; names the first. Some of the others may be there still.
        """

    @abstractmethod
    def keys(self) -> Iterable[str]:
        """Return the names of everything stored, sorted."""

    @abstractmethod
    def entries(self, prefix: str) -> Iterable[StoredBytes]:
        """Return all that lies under names which begin with `prefix`, what is half written too, in no order.

        Args:
          prefix: whole parts of a name, such as "3f2a/p1".

        Raises:
          CheckpointError: the store cannot be looked at: its folder is not there, say.
        """

    @abstractmethod
    def check_writable(self) -> None:
        """Raise a `CheckpointError` that says why, if nothing could be written now."""

    @abstractmethod
    def remove_unfinished(self, prefix: str, begins: str = "") -> int:
        """Remove what killed processes left half written under names that begin with `prefix`; return its bytes.

        Only who is alone in writing such names may call it.

        Args:
          prefix: whole parts of a name, such as "3f2a/p1".
          begins: how the rest of a name begins, such as "e1-l3-".
        """


class HashingFile(io.RawIOBase):
    """A file to write to that keeps size and SHA-256 of what passes through it."""

    def __init__(self, target: BinaryIO) -> None:
        self._target = target
        self._hash: Any = hashlib.sha256()
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        view = memoryview(data).cast("B")  # type: ignore[arg-type]
        self._target.write(view)
        if self._hash is not None:
            self._hash.update(view)
        self._size += view.nbytes
        return view.nbytes

    def unhashed(self) -> None:
        """Take no SHA-256: called before anything is written."""
        self._hash = None

    def written(self) -> WrittenBytes:
        """Return what has passed so far."""
        return WrittenBytes(size_bytes=self._size, sha256=self._hash.hexdigest() if self._hash else "")


def take_no_hash(file: BinaryIO) -> None:
    """Have the store take no hash of a file that is being written, if it can do without."""
    if (unhashed := getattr(file, "unhashed", None)) is not None:
        unhashed()


def check_key(key: str) -> None:
    """Raise a `CheckpointError` unless `key` is a relative name that stays inside its store."""
    if "" in key.split("/") or "/." in f"/{key}" or "\\" in key or "\0" in key:
        raise CheckpointError(
            f"{key!r} cannot name a checkpoint: use relative names such as 'p1/e1-l3-n5-s20', "
            "no part of which is empty or begins with a dot."
        )


def check_bytes(key: str, data: bytes, *, sha256: str, size_bytes: int) -> None:
    """Raise a `CorruptCheckpointError` unless `data` has this size and SHA-256."""
    if len(data) != size_bytes:
        raise CorruptCheckpointError(f"checkpoint {key!r} has {len(data)} bytes, but {size_bytes} were written.")
    if hashlib.sha256(data).hexdigest() != sha256:
        raise CorruptCheckpointError(f"checkpoint {key!r} has the right size, but its bytes were altered (SHA-256).")
