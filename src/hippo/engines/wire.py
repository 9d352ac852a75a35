"""What study, launcher and workers say to each other, and how it becomes bytes on a socket.

Most of it are the records and events that the rest of hippo speaks; here are the few more that only processes need.
Each message is a pickle behind its length. Sockets are private to processes of one study: nothing from outside
is ever unpickled. This module refuses to know who listens, or how a socket is waited for.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore
from hippo.records import SlotId, TrainerSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class LauncherSetup:
    """What a launcher is told once, when it starts."""

    #: the workload whose trainer is imported before the first worker is forked
    spec: TrainerSpec
    #: where workers keep states: a URL or folder, or the store itself
    checkpoints: str | AbstractCheckpointStore
    #: intra-op threads of each worker
    threads: int
    #: how much memory each worker may fill with recent states
    resident_bytes: int
    #: processes that each worker is, itself included
    ranks: int = 1
    #: whether their number decides about bits
    is_world: bool = False
    #: the command line that a trainer finds; empty where the study's is not known
    arguments: tuple[str, ...] = ()

    @property
    def world_size(self) -> int:
        """The number of processes that belongs to results."""
        return self.ranks if self.is_world else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkWorker:
    """Study to launcher: fork a worker; the worker's end of its socket travels with this message."""

    #: names the process: a slot may have several, one after the other
    number: int
    slot: SlotId
    #: value of CUDA_VISIBLE_DEVICES in the worker, None to leave it as it is
    device: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forked:
    """Launcher to study: this worker has this process id, which is also that of its process group."""

    number: int
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Exited:
    """Launcher to study: this worker is gone, and so is every process that it started."""

    number: int
    #: its exit code, or the negated number of the signal that ended it
    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PreloadFailed:
    """Launcher to study: the trainer cannot be imported as it was recorded, so no worker can ever start."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFailed:
    """Worker to study: why it is about to exit."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """Worker to study: it has begun to write a state, or got further with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrote:
    """Worker to study: it no longer writes a state, whatever came of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """Study to worker: exit at the next step's end."""


_LENGTH = struct.Struct("!Q")


def pack(message: object) -> bytes:
    """Return the bytes of a message, with its length in front."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body


class Inbox:
    """Puts messages together again from bytes that arrive in any pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Any]:
        """Yield the messages that are complete now; bytes of the next one wait for more."""
        self._buffer += data
        while (body := self._take_body()) is not None:
            yield pickle.loads(body)

    def _take_body(self) -> bytes | None:
        if len(self._buffer) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._buffer)
        end = _LENGTH.size + length
        if len(self._buffer) < end:
            return None
        body = bytes(self._buffer[_LENGTH.size : end])
        del self._buffer[:end]
        return body
