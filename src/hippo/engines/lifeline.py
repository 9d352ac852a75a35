"""No process of a study outlives it.

The study's process holds the write end of a pipe, the life line, and no other process does. When that process ends, by
whatever means, the kernel closes the pipe, and each process that waits at a read end notices at once:

- the launcher kills the process group of each worker, so also a worker that is busy in C code and the loader
  processes that it started, and then whatever else descends from it;
- a thread in each worker kills the worker's descendants and its own group, in case the launcher was killed together
  with the study.

A process may leave its group for a session of its own, but not its descent: on Linux an orphan becomes the child of
the nearest ancestor that adopts orphans (`PR_SET_CHILD_SUBREAPER`), which launcher and workers do. Where the launcher
itself was killed, the study finds what is left by a mark in its environment. Out of reach is what left its group, if
both study and launcher are killed by SIGKILL at once. Linux can also tie a process to the thread that forked it
(`PR_SET_PDEATHSIG`); we use it where that thread is known to live as long as the process should. This module refuses
to know what the processes do.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import threading
from collections.abc import Container

#: how often, and after how long, who was killed is looked for again: half a second, for a kernel under load
_MOST_ROUNDS = 250
_ROUND_S = 0.002
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


class LifeLine:
    """The study's end: while this process lives and has not cut it, the line holds.

    A fork of this process made by the user's code would hold the line as well, and keep the workers alive when the
    study is gone. So a forked child lets go of it at once; a program started by `exec` never had it.
    """

    def __init__(self) -> None:
        #: the end to pass on
        self.watched, self._held = os.pipe()
        _held_here.add(self._held)

    def __enter__(self) -> LifeLine:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close_watched()
        self.cut()

    def close_watched(self) -> None:
        """Close this process's copy of the watched end, once it has been passed on."""
        os.close(self.watched)

    def cut(self) -> None:
        """End every process at the other end. Does nothing the second time."""
        if self._held in _held_here:
            _held_here.remove(self._held)
            os.close(self._held)


_held_here: set[int] = set()


def _let_go() -> None:
    for fd in _held_here:
        os.close(fd)
    _held_here.clear()


os.register_at_fork(after_in_child=_let_go)


def kill_group(pid: int) -> None:
    """Kill a process that leads, or is about to lead, its own group, with the whole group."""
    for kill in (os.killpg, os.kill):  # the group is there only once the child has called setsid
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)


def kill_descendants(*, spare: Container[int] = ()) -> None:
    """Kill every process that descends from this one, wherever its session, and wait until none is left (Linux).

    The calling process adopts orphans, so that a process whose parent dies stays among its descendants.

    Args:
      spare: process ids of children to leave alone, with all that descends from them.
    """
    for _ in range(_MOST_ROUNDS):  # what is killed may have forked meanwhile
        found = _descendants(os.getpid(), spare)
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)  # if it is our own child by now
        select.select([], [], [], _ROUND_S)


def descendants_now() -> frozenset[int]:
    """Return the process ids of what descends from this process."""
    return frozenset(_descendants(os.getpid(), ()))


def kill_marked(mark: str) -> None:
    """Kill every process that inherited this text in its environment, and wait until none is left (Linux).

    The last resort where a launcher was killed, and no process knows any more which others descend from its workers.
    """
    looks_in_vain = 0
    for _ in range(_MOST_ROUNDS):
        found = marked(mark)
        looks_in_vain = 0 if found else looks_in_vain + 1
        if looks_in_vain == 2:  # one that is given another program by exec has no environment for a moment
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        select.select([], [], [], _ROUND_S)


def marked(mark: str) -> list[int]:
    """Return the process ids of all that inherited this text, "NAME=value", in their environment (Linux)."""
    return [pid for pid in _processes() if _has_mark(pid, mark.encode())]


def _processes() -> list[int]:
    try:
        return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]
    except OSError:  # there is no such folder on this system
        return []


def _has_mark(pid: int, mark: bytes) -> bool:
    try:
        return mark in _read(pid, "environ").split(b"\0")  # a dead one has none
    except OSError:  # gone, or somebody else's
        return False


def _read(pid: int, name: str) -> bytes:
    file = os.open(f"/proc/{pid}/{name}", os.O_RDONLY)
    try:
        return os.read(file, 1 << 20)
    finally:
        os.close(file)


def _descendants(root: int, spare: Container[int]) -> list[int]:
    """Return the processes that descend from one and are not dead; none where the system does not tell."""
    children: dict[int, list[int]] = {}
    is_dead: dict[int, bool] = {}
    for pid in _processes():
        with contextlib.suppress(OSError, ValueError):  # it ended while we looked
            state, parent = _read(pid, "stat").rpartition(b")")[2].split()[:2]
            children.setdefault(int(parent), []).append(pid)
            is_dead[pid] = state in b"ZX" and int(parent) != root  # a dead child of ours wants to be reaped
    found: list[int] = []
    waiting = [root]
    while waiting:
        own = [pid for pid in children.get(waiting.pop(), ()) if pid not in spare]
        waiting += own
        found += [pid for pid in own if not is_dead[pid]]
    return found


def follow_line(line: int) -> None:
    """Kill this process's descendants and its own group when the line is cut, from a thread that waits for that."""
    threading.Thread(target=_wait_and_kill_own_group, args=(line,), name="hippo-life-line", daemon=True).start()


def _wait_and_kill_own_group(line: int) -> None:
    os.read(line, 1)  # nobody ever writes: it returns when the last write end is closed
    sys.setswitchinterval(1e-5)  # whatever the main thread computes, it is not waited for
    kill_descendants()
    os.killpg(os.getpgrp(), signal.SIGKILL)


def die_with_parent(*, parent: int) -> None:
    """Tie this process to the thread that forked it, where the system can (Linux); `parent` is its process id."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we asked
        os._exit(1)


def outlive_parent() -> None:
    """Undo `die_with_parent`."""
    _prctl(_PR_SET_PDEATHSIG, 0)


def adopt_orphans() -> None:
    """Become the parent of grandchildren whose parent dies (Linux), so that they can be waited for."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def tie_children() -> None:
    """Tie each process that the calling thread, this process's main one, forks from now on to it.

    That covers the loader processes of a worker which is killed together with both its launcher and its study, when
    nobody is left to kill its group. Forks of other threads are left alone: they would die with their thread.
    """
    main_thread, forker = threading.get_ident(), os.getpid()

    def tie_child() -> None:
        nonlocal forker
        if threading.get_ident() == main_thread:
            die_with_parent(parent=forker)
        forker = os.getpid()  # whose children this hook ties from here on

    os.register_at_fork(after_in_child=tie_child)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0)))
