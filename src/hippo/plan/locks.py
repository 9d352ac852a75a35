"""One writer for a plan: locks that an ended process lets go of by itself, however it ended.

A file lock is the operating system's, so a killed writer blocks nobody, and there is no time-out to wait for.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import struct
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Protocol

from hippo.clock import SystemClock
from hippo.errors import PlanLockedError, StorageError

_WAY_OUT = (
    "Only one process at a time may add to a search plan. Wait for it to end (wait=True does), stop it, or give this "
    "study a plan of its own with sharing=False or another storage."
)
_WAY_OUT_HERE = (
    "Give both studies the same engine= and they share the plan, also at the same time; or give this one a plan of its "
    "own with sharing=False or another storage."
)


def whoami() -> str:
    """Return host and process number of this process, and what time it is, for the process that meets its lock."""
    return json.dumps({"host": socket.gethostname(), "pid": os.getpid(), "since": SystemClock().now()})


def is_writing(writer: str, *, since: float) -> bool:
    """Tell whether what a writer began then may be under way still, by what it said of itself (`whoami`).

    Of a process on another host nobody here knows that it ended. What began before its writer did is not of this time:
    it was simulated.
    """
    try:
        who = json.loads(writer)
        host, pid, began = str(who["host"]), int(who["pid"]), float(who["since"])
    except (ValueError, KeyError, TypeError):
        return False
    return since >= began and (host != socket.gethostname() or _is_there(pid))


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:  # of another user
        return True
    except (OSError, OverflowError):
        return False
    return True


class PlanLock(Protocol):
    """The right to write to one plan."""

    def acquire(self) -> None:
        """Take it, without waiting.

        Raises:
          PlanLockedError: another process, or engine, has it; the message names host, process and the way out.
        """

    def release(self) -> None:
        """Give it back; harmless if it is not held."""


@contextmanager
def locks_held(locks: Iterable[PlanLock]) -> Iterator[None]:
    """Hold locks of plans within the block, all of them or none.

    Raises:
      PlanLockedError: somebody has one of them.
    """
    with ExitStack() as held:
        for lock in locks:
            lock.acquire()
            held.callback(lock.release)
        yield


class ProcessLock:
    """A lock within one process, for stores that do not outlive it."""

    _guard: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, plan: int, held: set[int], what: str) -> None:
        """Make a handle, not yet taken.

        Args:
          plan: what is locked.
          held: the plans that are, shared by all handles of a store.
          what: how a message names it.
        """
        self._plan = plan
        self._held = held
        self._what = what
        self._is_ours = False

    def acquire(self) -> None:
        with self._guard:
            if self._plan in self._held:
                raise _held_here(f"{self._what} is being written by another engine's study. {_WAY_OUT_HERE}")
            self._held.add(self._plan)
            self._is_ours = True

    def release(self) -> None:
        with self._guard:
            if self._is_ours:
                self._held.discard(self._plan)
                self._is_ours = False


class FileLock:
    """A lock on a file next to the database.

    It is the opened file's (`lock_file`), so a forked child inherits it and has to let go: a data loader that outlives
    a killed study must not keep its lock. Two engines of a process are told apart by the registry.
    """

    _held_here: ClassVar[dict[str, FileLock]] = {}
    #: held while this process forks: no child gets a descriptor of which `_held_here` does not know
    _registry: ClassVar[threading.RLock] = threading.RLock()

    def __init__(self, path: Path, what: str) -> None:
        self._path = path
        self._what = what
        self._fd: int | None = None

    @property
    def is_held(self) -> bool:
        return self._fd is not None

    def acquire(self) -> None:
        with self._registry:
            if str(self._path) in self._held_here:
                raise held_here(self._what)
            fd = self._open()
            try:
                lock_file(fd)
            except (BlockingIOError, PermissionError):
                holder = os.read(fd, 4096).decode(errors="replace")
                os.close(fd)
                raise held_elsewhere(self._what, holder) from None
            except OSError as error:
                os.close(fd)
                raise self._unlockable(error) from error
            _sign(fd, whoami())
            self._fd = fd
            self._held_here[str(self._path)] = self

    def release(self) -> None:
        with self._registry:
            if self._fd is None:
                return
            fd, self._fd = self._fd, None
            self._held_here.pop(str(self._path), None)
            _sign(fd, "")
            with suppress(OSError):  # of a disk that is away: to close it is what counts
                unlock_file(fd)  # a program that is being started may have a copy of the descriptor for a moment
            os.close(fd)

    def _open(self) -> int:
        try:
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise self._unlockable(error) from error

    def _unlockable(self, error: OSError) -> StorageError:
        return StorageError(
            f"{self._what} cannot be locked: {error.strerror} for {str(self._path)!r}. The folder of the database must "
            "be writable and, on a network, keep locks; copy the database elsewhere, or open it only to read results "
            "(load_study)."
        )


def _sign(fd: int, name: str) -> None:
    """Write who has a lock. On a disk that is full or away nobody is named, and the lock holds all the same."""
    with suppress(OSError):
        os.ftruncate(fd, 0)
        os.pwrite(fd, name.encode(), 0)


#: what systems and file systems say that know no locks of opened files
_UNKNOWN = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)


def lock_file(fd: int) -> None:
    """Lock a whole file for this opening of it, without waiting, until it is closed.

    Linux knows locks that belong to the opened file. Elsewhere they are the process's (POSIX), which loses them as soon
    as it closes *any* descriptor of that file, as `shutil.copytree` of the folder does. The kinds exclude each other.

    Raises:
      OSError: somebody else has it (`BlockingIOError`, `PermissionError`), or there are no locks here.
    """
    if not _lock_opened(fd, fcntl.F_WRLCK):
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def unlock_file(fd: int) -> None:
    """Give up what `lock_file` took, also for whoever inherited the descriptor."""
    if not _lock_opened(fd, fcntl.F_UNLCK):
        fcntl.lockf(fd, fcntl.LOCK_UN)


def _lock_opened(fd: int, kind: int) -> bool:
    """Change the lock that belongs to an opened file; tell whether there are such locks here."""
    if sys.platform != "linux":
        return False
    flock = struct.pack("hhqqi4x", kind, os.SEEK_SET, 0, 0, 0)  # the whole file; no process is named
    try:
        fcntl.fcntl(fd, fcntl.F_OFD_SETLK, flock)
    except OSError as error:
        if error.errno not in _UNKNOWN:
            raise
        return False
    return True


def _begin_fork() -> None:
    FileLock._registry.acquire()


def _end_fork() -> None:
    FileLock._registry.release()


def _forget_parents_locks() -> None:
    FileLock._registry = threading.RLock()
    for lock in FileLock._held_here.values():
        if lock._fd is not None:
            os.close(lock._fd)  # the parent's stays open, and keeps the lock
            lock._fd = None
    FileLock._held_here.clear()


os.register_at_fork(before=_begin_fork, after_in_parent=_end_fork, after_in_child=_forget_parents_locks)


def held_here(what: str) -> PlanLockedError:
    """Return the error that another engine of this process has the lock."""
    return _held_here(f"{what} is being written by another engine's study in this process. {_WAY_OUT_HERE}")


def held_elsewhere(what: str, holder: str) -> PlanLockedError:
    """Return the error that another process has the lock; `holder` is what it said of itself (`whoami`)."""
    return PlanLockedError(f"{what} is being written by {_describe(holder)}. {_WAY_OUT}")


def _held_here(message: str) -> PlanLockedError:
    error = PlanLockedError(message)
    error.is_held_here = True
    return error


def _describe(holder: str) -> str:
    try:
        who = json.loads(holder)
        since = datetime.fromtimestamp(who["since"]).astimezone()
        return f"process {who['pid']} on host {who['host']} since {since:%Y-%m-%d %H:%M:%S}"
    except (ValueError, KeyError, TypeError, OSError):
        return "another process"
