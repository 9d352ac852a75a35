"""Tries of a store of checkpoints: one is written, asked to be written again, read, and removed."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from pathlib import Path

from hippo.checkpoints import AbstractCheckpointStore, MemoryCheckpoints, open_checkpoints
from hippo.checkpoints.store import WrittenBytes
from hippo.clock import SystemClock
from hippo.doctor.findings import ProbeStep, Told
from hippo.errors import CheckpointError

#: large enough to tell throughput from latency, small enough for a slow line
_SIZE_BYTES = 8 << 20
#: a state of a gigabyte would take a minute
_SLOW_BYTES_PER_S = 16e6


def store_steps(where: str | os.PathLike[str] | AbstractCheckpointStore) -> list[ProbeStep]:
    """Return the tries of a store; the last one removes what the first wrote."""
    probe = _StoreProbe(where)
    return [ProbeStep("write and read", probe.write_and_read)]


class _StoreProbe:
    """One checkpoint that is nobody's."""

    def __init__(self, where: str | os.PathLike[str] | AbstractCheckpointStore) -> None:
        self._where = where
        self._folder = f"probe-{secrets.token_hex(8)}"
        self._key = f"{self._folder}/state"

    def write_and_read(self) -> Told:
        """Do all in one go: whatever fails, what was written is removed."""
        store = open_checkpoints(self._where)
        if isinstance(store, MemoryCheckpoints):
            return Told("in the memory of one process, and gone with it")
        root = _folder_of(self._where)
        missing = [] if root is None else [each for each in (root, *root.parents) if not each.exists()]
        try:
            return self._tried(store, root)
        finally:
            with contextlib.suppress(CheckpointError):  # why it could not be written is what is told
                store.delete(self._key)
            if root is not None:
                for made in (root / self._folder, *missing):
                    with contextlib.suppress(OSError):  # somebody else put something there meanwhile
                        made.rmdir()

    def _tried(self, store: AbstractCheckpointStore, root: Path | None) -> Told:
        clock, data = SystemClock(), secrets.token_bytes(_SIZE_BYTES)
        store.check_writable()
        begun = clock.elapsed()
        written: WrittenBytes = store.write(self._key, lambda file: file.write(data))
        write_s = clock.elapsed() - begun
        self._check_exclusive(store, data)
        begun = clock.elapsed()
        store.read(self._key, sha256=written.sha256, size_bytes=written.size_bytes)
        read_s = clock.elapsed() - begun
        rates = [_SIZE_BYTES / max(seconds, 1e-9) for seconds in (write_s, read_s)]
        told = f"{rates[0] / 1e6:.0f} MB/s written, {rates[1] / 1e6:.0f} MB/s read"
        if root is not None:
            told += f"; {shutil.disk_usage(root).free / 1e9:.0f} GB free"
        return Told(told, is_slow=min(rates) < _SLOW_BYTES_PER_S)

    def _check_exclusive(self, store: AbstractCheckpointStore, data: bytes) -> None:
        """See that a second write of the same name is refused, and not merely told to be."""
        try:
            store.write(self._key, lambda file: file.write(data[::-1]))
        except CheckpointError as error:
            if "exists already" not in str(error):
                raise
            return
        raise CheckpointError(
            f"{store!r} lets a checkpoint be written again under the same name: of two processes that write one, the "
            "second would win. Use a store that keeps the first: for S3, a server that knows If-None-Match."
        )


def _folder_of(where: str | os.PathLike[str] | AbstractCheckpointStore) -> Path | None:
    """Return the folder of a store of files; None for others."""
    from hippo.checkpoints import FolderCheckpoints

    store = open_checkpoints(where)
    return store.root if isinstance(store, FolderCheckpoints) else None
