"""A checkpoint store in which writes and reads fail, are slow, and leave what is damaged later.

Whatever it does, a real store has been seen to do: a write that fails is told to who writes; what was written whole may
be damaged afterwards, which nobody is told. It travels to worker processes, where it counts for itself. This module
refuses to know what a state is.
"""

from __future__ import annotations

import errno
import os
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import BinaryIO

from hippo.checkpoints import AbstractCheckpointStore, StoredBytes, WrittenBytes
from hippo.errors import (
    CheckpointError,
    CorruptCheckpointError,
    MissingCheckpointError,
    StoreFullError,
    UnreachableStoreError,
)
from hippo.records import CheckpointRef
from hippo.testing.fault_book import INJECTED, FaultBook, StudyLife, TakenFault
from hippo.testing.fault_plans import Fault, FaultKind, Seam
from hippo.training.state_files import read_checkpoint

#: of slow writes and reads, for each unit of a fault's amount
SLOW_S = 0.01


class FaultyCheckpoints(AbstractCheckpointStore):
    """Another store, with faults.

    Args:
      store: which.
      book: says what goes wrong.
      life: of the study; what it wrote is all that there is when it is over.
      may_kill: a process of its own writes here, and may be killed at it.
    """

    def __init__(
        self, store: AbstractCheckpointStore, book: FaultBook, life: StudyLife, *, may_kill: bool = False
    ) -> None:
        self._store = store
        self._book = book
        self._life = life
        self._may_kill = may_kill
        #: for how many more writes the disk is full
        self._full_for = 0

    def write(self, key: str, writer: Callable[[BinaryIO], object]) -> WrittenBytes:
        if self._life.is_over:
            raise CheckpointError(f"{INJECTED} {key}: the study was killed")
        if self._full_for:
            self._full_for -= 1
            raise StoreFullError(f"cannot write checkpoint {key}: {os.strerror(errno.ENOSPC)}.")
        taken = self._book.take(Seam.WRITE, self._fits)
        if taken is None:
            return self._store.write(key, writer)
        taken.note(key)
        match taken.kind:
            case FaultKind.FAIL_WRITE:
                raise CheckpointError(f"{INJECTED} cannot write checkpoint {key}: {os.strerror(errno.EIO)}.")
            case FaultKind.FULL_DISK:
                self._full_for = taken.amount % 2
                raise StoreFullError(f"cannot write checkpoint {key}: {os.strerror(errno.ENOSPC)}.")
            case FaultKind.KILL_IN_WRITE:
                return self._store.write(key, lambda file: _die_writing(file, writer))
            case FaultKind.SLOW_WRITE:
                _wait(taken)
        written = self._store.write(key, writer)
        self._damage(key, taken)
        return written

    def read(self, key: str, *, sha256: str, size_bytes: int) -> bytes:
        self._disturb_read(key)
        return self._store.read(key, sha256=sha256, size_bytes=size_bytes)

    def open(self, key: str) -> BinaryIO:
        self._disturb_read(key)
        return self._store.open(key)

    def has(self, key: str) -> bool:
        return self._store.has(key)

    def delete(self, key: str) -> None:
        if not self._life.is_over:
            self._store.delete(key)

    def delete_all(self, keys: Sequence[str]) -> None:
        if not self._life.is_over:
            self._store.delete_all(keys)

    def keys(self) -> list[str]:
        return list(self._store.keys())

    def entries(self, prefix: str) -> Iterable[StoredBytes]:
        return self._store.entries(prefix)

    def check_writable(self) -> None:
        self._store.check_writable()

    def remove_unfinished(self, prefix: str, begins: str = "") -> int:
        return 0 if self._life.is_over else self._store.remove_unfinished(prefix, begins)

    def _fits(self, fault: Fault) -> bool:
        return self._may_kill or fault.kind is not FaultKind.KILL_IN_WRITE

    def _disturb_read(self, key: str) -> None:
        taken = self._book.take(Seam.READ)
        if taken is not None:
            taken.note(key)
            if taken.kind is FaultKind.FAIL_READ:
                raise UnreachableStoreError(f"cannot read checkpoint {key}: {os.strerror(errno.EIO)}.")
            _wait(taken)

    def _damage(self, key: str, taken: TakenFault) -> None:
        if taken.kind not in (FaultKind.LOSE_FILE, FaultKind.TRUNCATE_FILE, FaultKind.FLIP_BIT):
            return
        with self._store.open(key) as file:
            data = bytearray(file.read())
        self._store.delete(key)
        if taken.kind is FaultKind.LOSE_FILE:
            return
        place = len(data) * taken.amount // 7
        if taken.kind is FaultKind.TRUNCATE_FILE:
            del data[place:]
        else:
            data[place] ^= 1 << taken.amount
        self._store.write(key, lambda file: _write_all(file, data))


def is_whole(store: AbstractCheckpointStore, ref: CheckpointRef) -> bool:
    """Tell whether a recorded state can be read as it was written.

    Raises:
      CheckpointError: it cannot be read, though it is there.
    """
    try:
        try:
            store.read(ref.key, sha256=ref.sha256, size_bytes=ref.size_bytes)
        except CorruptCheckpointError:  # of a state with tensors, what is recorded is not a hash of all bytes
            read_checkpoint(store, ref)
    except (MissingCheckpointError, CorruptCheckpointError):
        return False
    return True


def _write_all(file: BinaryIO, data: bytearray) -> None:
    file.write(bytes(data))


def _wait(taken: TakenFault) -> None:
    threading.Event().wait(SLOW_S * taken.amount)


def _die_writing(file: BinaryIO, writer: Callable[[BinaryIO], object]) -> None:
    writer(file)  # all is there but the name
    os.kill(os.getpid(), signal.SIGKILL)
