"""Bytes on their way into an object store, which takes them in one piece: in memory, or in a file if they are many.

An object appears when its last byte has come, and a stream that breaks off would leave half of one. So whoever writes,
writes here first. It refuses to know where the bytes go.

Where a process may name what it has open (Linux), the file has no name of its own: it goes with the process, however
that ends, and a worker that is killed amid a put leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import tempfile
from pathlib import Path
from typing import IO, Any

#: what is more than this lies in a file meanwhile, not twice in memory
MOST_IN_MEMORY = 64 << 20

#: where this process finds its open files by their numbers, each to be read from its beginning; elsewhere than on Linux
#: there is no such folder, or one whose files share their position with the open ones
_OPEN_FILES = Path("/proc/self/fd")


class Spool(io.RawIOBase):
    """A file to write to from its beginning to its end, and to be put whole afterwards."""

    def __init__(self) -> None:
        self._buffer = io.BytesIO()
        self._file: IO[bytes] | None = None
        #: what the file is opened by once more
        self._path = ""
        self.size_bytes = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        if self._file is None and self.size_bytes + len(data) > MOST_IN_MEMORY:
            self._file, self._path = _nameless_file() if _OPEN_FILES.is_dir() else _named_file()
            self._file.write(self._buffer.getbuffer())
            self._buffer = io.BytesIO()
        (self._file or self._buffer).write(data)
        self.size_bytes += len(data)
        return len(data)

    def put(self, system: Any, path: str, **exclusive: Any) -> None:
        """Put what was written under a name of a file system of fsspec.

        Args:
          system: the file system.
          path: the name, with its bucket.
          exclusive: what tells its driver to fail if there is an object of this name.
        """
        if self._file is None:
            system.pipe_file(path, self._buffer.getvalue(), **exclusive)
        else:
            self._file.flush()
            system.put_file(self._path, path, **exclusive)

    def is_equal(self, data: bytes) -> bool:
        """Tell whether these very bytes were written."""
        if self._file is None:
            return self._buffer.getbuffer() == data
        self._file.flush()
        with open(self._path, "rb") as file:
            return hashlib.file_digest(file, "sha256").digest() == hashlib.sha256(data).digest()

    def close(self) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
        super().close()


def _nameless_file() -> tuple[IO[bytes], str]:
    file = tempfile.TemporaryFile(prefix="hippo-")  # noqa: SIM115 - closed with the spool
    return file, str(_OPEN_FILES / str(file.fileno()))


def _named_file() -> tuple[IO[bytes], str]:
    file = tempfile.NamedTemporaryFile(prefix="hippo-")  # noqa: SIM115 - closed with the spool
    return file, file.name
