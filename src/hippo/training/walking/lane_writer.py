"""Writes a lane's states beside its training, and holds back what the lane says meanwhile.

A state at rest never changes, so a thread can hash and write it while the lane trains on. Whoever hears the lane must
not notice: events come in the order in which they would have come, had the lane waited for the disk. So what it says
after a write began is passed on when the write has been told, by the thread that made it. One write is under way at a
time, and a small state is written in place: a thread costs more.

The thread touches no generator, no setting of torch, and nothing of the trainer. A process that forks waits for it
first, for the child would have its locks and not the thread. This module refuses to know states, stores and lanes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

EventT = TypeVar("EventT")

#: threads that write now
_writing: set[threading.Thread] = set()


class LaneWriter(Generic[EventT]):
    """Passes on what a lane says, in order, and does one write at a time beside it.

    Args:
      emit: passes an event on; called by the lane's thread, and by that which writes.
    """

    def __init__(self, emit: Callable[[EventT], None]) -> None:
        self._emit = emit
        #: guards all below, and the order of what is emitted
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        #: what was said since the write began
        self._behind: list[EventT] = []
        self._is_holding_back = False
        self._error: BaseException | None = None

    def emit(self, event: EventT) -> None:
        """Pass an event on, behind a write that is under way."""
        with self._lock:
            if self._is_holding_back:
                self._behind.append(event)
            else:
                self._emit(event)

    def start(self, write: Callable[[], EventT]) -> None:
        """Write in a thread; what `write` returns is emitted, and then what was said meanwhile.

        If it raises, all stays held back until `wait` has raised it and `release` is called.
        """
        assert self._thread is None, "one write at a time"
        self._is_holding_back = True
        self._thread = threading.Thread(target=self._run, args=(write,), name="hippo writes a state", daemon=True)
        _writing.add(self._thread)
        self._thread.start()

    @property
    def has_failed(self) -> bool:
        """Whether a write failed, and nobody has waited for it yet."""
        return self._error is not None

    def wait(self) -> None:
        """Wait until the write that is under way, if any, is told. Raises what the write raised."""
        if self._thread is None:
            return
        self._thread.join()
        self._thread = None
        error, self._error = self._error, None
        if error is not None:
            raise error

    def release(self, *events: EventT) -> None:
        """Pass on these, and then what was held back behind a write that failed."""
        with self._lock:
            for event in (*events, *self._behind):
                self._emit(event)
            self._behind.clear()
            self._is_holding_back = False

    def abandon(self) -> None:
        """Say nothing more: the lane is given up, and nobody waits for its write."""
        with self._lock:
            self._emit = _ignore

    def _run(self, write: Callable[[], EventT]) -> None:
        try:
            self.release(write())
        except BaseException as error:  # whatever it is, it is the lane's
            self._error = error
        finally:
            _writing.discard(threading.current_thread())


def _ignore(event: object) -> None:
    pass


def _wait_for_writes() -> None:
    for thread in list(_writing):
        if thread is not threading.current_thread():
            thread.join()


os.register_at_fork(before=_wait_for_writes)
