"""No process of a study outlives it.

The study's process holds the write end of a pipe, the life line, and nobody else does. When that process ends, by
whatever means, the kernel closes the pipe, and whoever waits at a read end notices at once:

- the launcher kills the process group of each worker, so also a worker that is busy in C code and the loader
  processes that it started;
- a thread in each worker kills the worker's own group, in case the launcher was killed together with the study.

Linux can also tie a process to the thread that forked it (`PR_SET_PDEATHSIG`); we use it where that thread is known
to live as long as the process should. This module refuses to know what the processes do.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading

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


def follow_line(line: int) -> None:
    """Kill this process's own group as soon as the line is cut, from a thread that waits for that."""
    threading.Thread(target=_wait_and_kill_own_group, args=(line,), name="hippo-life-line", daemon=True).start()


def _wait_and_kill_own_group(line: int) -> None:
    os.read(line, 1)  # nobody ever writes: it returns when the last write end is closed
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
