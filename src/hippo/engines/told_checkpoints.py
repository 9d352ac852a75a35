"""A store of checkpoints that tells when it writes, so that nobody ends a worker in the middle of it.

It refuses to know who is told, and what a state is.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from typing import BinaryIO, cast

from hippo.checkpoints import AbstractCheckpointStore, StoredBytes, WrittenBytes
from hippo.checkpoints.store import take_no_hash
from hippo.clock import Clock
from hippo.engines.wire import Writing, Wrote

_TELL_EVERY_S = 0.2


class ToldCheckpoints(AbstractCheckpointStore):
    """Another store, whose writes are told.

    Args:
      store: keeps the bytes.
      tell: is called when a write begins, as it gets on, and when it has ended.
      clock: tells how long ago that was.
    """

    def __init__(
        self, store: AbstractCheckpointStore, *, tell: Callable[[Writing | Wrote], None], clock: Clock
    ) -> None:
        self._store = store
        self._tell = tell
        self._clock = clock

    def write(self, key: str, writer: Callable[[BinaryIO], object]) -> WrittenBytes:
        def telling(file: BinaryIO) -> None:
            writer(cast(BinaryIO, _ToldFile(file, self._tell, self._clock)))

        self._tell(Writing())
        try:
            return self._store.write(key, telling)
        finally:
            self._tell(Wrote())

    def read(self, key: str, *, sha256: str, size_bytes: int) -> bytes:
        return self._store.read(key, sha256=sha256, size_bytes=size_bytes)

    def open(self, key: str) -> BinaryIO:
        return self._store.open(key)

    def has(self, key: str) -> bool:
        return self._store.has(key)

    def delete(self, key: str) -> None:
        self._store.delete(key)

    def delete_all(self, keys: Sequence[str]) -> None:
        self._store.delete_all(keys)

    def keys(self) -> Iterable[str]:
        return self._store.keys()

    def entries(self, prefix: str) -> Iterable[StoredBytes]:
        return self._store.entries(prefix)

    def check_writable(self) -> None:
        self._store.check_writable()

    def remove_unfinished(self, prefix: str, begins: str = "") -> int:
        return self._store.remove_unfinished(prefix, begins)


class _ToldFile(io.RawIOBase):
    def __init__(self, target: BinaryIO, tell: Callable[[Writing | Wrote], None], clock: Clock) -> None:
        self._target = target
        self._tell = tell
        self._clock = clock
        self._told_s = clock.elapsed()

    def writable(self) -> bool:
        return True

    def unhashed(self) -> None:
        """As the file that it wraps."""
        take_no_hash(self._target)

    def write(self, data: object, /) -> int:
        written = self._target.write(data)  # type: ignore[call-overload]
        if self._clock.elapsed() - self._told_s >= _TELL_EVERY_S:
            self._told_s = self._clock.elapsed()
            self._tell(Writing())
        return int(written)
