"""Functions that can be halted where they report: the one thing of theirs that no checkpoint can hold.

A function runs in a thread of its own, and the lane that drives it waits meanwhile: the two never run at the same time.
Between two reports it stands still, and its chance with it. This module refuses to know what is reported, and to whom.
"""

from __future__ import annotations

import contextvars
import ctypes
import threading
from collections.abc import Callable, Mapping
from typing import Any

from hippo.training.process.process_settings import ProcessSettings
from hippo.training.process.streams import fence

#: takes metrics by name; the function stands still until more is wanted of it
Report = Callable[[Mapping[str, Any]], None]

#: a function that catches whatever is raised, and reports again, is told so often to end before it is left standing
_MOST_REFUSALS = 100
#: how long an interrupted function has to come to its end
_INTERRUPT_S = 1.0


class FunctionStopped(BaseException):
    """The lane needs no more of a function. Raised in it where it reports, past `except Exception`."""


class RunningFunction:
    """One call of a function, from report to report.

    Args:
      call: what to run; it gets the function to report with.
    """

    def __init__(self, call: Callable[[Report], Any]) -> None:
        self._call = call
        self._thread: threading.Thread | None = None
        self._go = threading.Semaphore(0)
        self._back = threading.Semaphore(0)
        self._is_under_way = False
        self._is_stopped = False
        self._refusals = 0
        self._error: BaseException | None = None
        #: what it returned, once it is over
        self.returned: Any = None
        #: what it reported last
        self.reported: Mapping[str, Any] | None = None
        #: whether it has returned, or raised
        self.is_over = False

    @property
    def is_standing(self) -> bool:
        """Whether it stands at a report."""
        return self._thread is not None and not self.is_over and not self._is_under_way

    def advance(self) -> None:
        """Run it until it reports, or is over.

        Raises:
          BaseException: what it raised.
        """
        self._is_under_way = True
        if self._thread is None:
            context = contextvars.copy_context()
            self._thread = threading.Thread(target=context.run, args=(self._run,), name="hippo-function", daemon=True)
            self._thread.start()
        else:
            self._go.release()
        self._back.acquire()  # Ctrl-C may end the wait; then the function is still under way
        self._is_under_way = False
        error, self._error = self._error, None
        if error is not None:
            raise error

    def stop(self) -> None:
        """Let it unwind from where it stands, its `finally` blocks included, and wait for that.

        One that is under way, since the lane that waited for it was interrupted, is interrupted at its next Python
        instruction, and waited for only so long: it may be deep in C code.
        """
        if self._thread is None or self.is_over:
            return
        self._is_stopped = True
        if self._is_under_way:
            _raise_in(self._thread, FunctionStopped)
            self._back.acquire(timeout=_INTERRUPT_S)
        else:
            self._go.release()
            self._back.acquire()

    def let_go(self) -> None:
        """Let it unwind without waiting: for those who cannot wait."""
        if self._thread is not None and not self.is_over:
            self._is_stopped = True
            self._go.release()

    def _run(self) -> None:
        try:
            self.returned = self._call(self._report)
        except FunctionStopped:
            pass
        except BaseException as error:
            if not self._is_stopped:  # an error while it unwinds is no fact of the trial
                self._error = error
        finally:
            self.is_over = True
            self._back.release()

    def _report(self, metrics: Mapping[str, Any]) -> None:
        if not self._is_stopped:
            self.reported = metrics
            settings = ProcessSettings()  # its own: a lane gives the process back what it had before
            with fence():  # what others draw meanwhile must not change what it draws next
                self._back.release()
                self._go.acquire()
            settings.restore()
        if self._is_stopped:
            self._refuse()

    def _refuse(self) -> None:
        self._refusals += 1
        if self._refusals > _MOST_REFUSALS:
            self.is_over = True
            self._back.release()
            threading.Event().wait()  # it will not end: it stands here until the process does
        raise FunctionStopped


class PausedFunctions:
    """Functions that stand at a report and may be wanted again, by the values that they were called with.

    Args:
      limit: how many may stand here while another one runs. While none runs there is room for one more: the one that
        stood still last is mostly the one that goes on.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._paused: dict[str, tuple[int, RunningFunction]] = {}

    def put(self, values: str, steps: int, run: RunningFunction) -> None:
        """Keep a function that stands after so many steps; of two with equal values the one that is further."""
        known = self._paused.pop(values, None)
        if known is not None and known[0] > steps:
            run.stop()
            steps, run = known
        elif known is not None:
            known[1].stop()
        self._paused[values] = (steps, run)
        self._shrink(self._limit + 1)

    def has(self, values: str, steps: int) -> bool:
        """Tell whether a function with these values stands after just so many steps."""
        return values in self._paused and self._paused[values][0] == steps

    def take(self, values: str, steps: int) -> RunningFunction | None:
        """Return a function to go on with, which is no longer kept here."""
        if not self.has(values, steps):
            return None
        return self._paused.pop(values)[1]

    def make_room(self) -> None:
        """End those for which there is no room beside one that begins now."""
        self._shrink(self._limit)

    def _shrink(self, limit: int) -> None:
        while len(self._paused) > limit:
            oldest = next(iter(self._paused))
            self._paused.pop(oldest)[1].stop()

    def __del__(self) -> None:
        for _, run in self._paused.values():
            run.let_go()


def _raise_in(thread: threading.Thread, exception: type[BaseException]) -> None:
    assert thread.ident is not None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(exception))
