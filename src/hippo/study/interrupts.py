"""Ctrl-C, SIGTERM and SIGHUP while a study runs: handled at one place, not wherever the main thread happens to be.

The first signal asks every runtime concerned to stop: running lanes end at their step's end, and leave a checkpoint
there. The main thread meets an exception only when that is done, in `check` or `raise_stop`, so that no press of a key
can break off what keeps a study whole. A second press ends what still runs as it stands.

SIGTERM is what batch systems and spot machines send some time before they kill, SIGHUP comes from a terminal that is
closed. This module refuses to replace
handlers that somebody else has set, and does nothing in any thread but the main one.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FrameType, TracebackType
from typing import Any, NoReturn

from hippo.clock import SystemClock
from hippo.plan.repeating import Patience
from hippo.runtime import Runtime
from hippo.runtime.studies.warnings import say

#: what `signal.signal` takes
Handler = Callable[[int, FrameType | None], Any] | signal.Handlers

#: how long Ctrl-C waits for running steps to end
CTRL_C_TIMEOUT_S = 3.5
#: how long the others do: Slurm and Kubernetes kill after 30 s
SIGTERM_TIMEOUT_S = 25.0
#: who must wait longer for a step's end is told what for
_SAY_AFTER_S = 0.5
#: one of the others so soon after another is the same: it was sent to a process and to its group, or a wrapper passed
#: it on; who ends a session sends both
_SAME_ORDER_S = 2.0
#: an end of the process that takes longer may be broken off
_ENDING_S = 3.5
#: what is replaced while a study runs; whatever else somebody set stays
_USUAL: Mapping[signal.Signals, Handler] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}


#: what forks of this process get back, block by block
_in_forks: list[Mapping[signal.Signals, Handler]] = []
_forking = threading.local()


def _put_back(handlers: Mapping[signal.Signals, Handler]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


# A process that the trainer forks, a loader's worker perhaps, must be terminable. Python forgets a signal that comes
# between the fork and the child's first own step, if it has a handler of Python's for it. So until the child has the
# usual handlers again, such signals wait in the kernel.


def _before_fork() -> None:
    _forking.mask = signal.pthread_sigmask(signal.SIG_BLOCK, _USUAL) if _in_forks else None


def _after_fork_in_parent() -> None:
    if (mask := _forking.__dict__.pop("mask", None)) is not None:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _after_fork_in_child() -> None:
    while _in_forks:
        _put_back(_in_forks.pop())
    _after_fork_in_parent()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)


def is_ended_by_hanging_up() -> bool:
    """Tell whether this process ends when its terminal is closed: not if `nohup` began it, or somebody listens."""
    return signal.getsignal(signal.SIGHUP) is signal.SIG_DFL


def heard_once(on_signal: Callable[[int], object]) -> Callable[[int], None]:
    """Return what passes signals on but for a SIGTERM or SIGHUP that was sent twice, which is no second press."""
    clock = SystemClock()
    came_s = -math.inf

    def on_any(number: int) -> None:
        nonlocal came_s
        if number != signal.SIGINT:
            if clock.elapsed() - came_s < _SAME_ORDER_S:
                return
            came_s = clock.elapsed()
        on_signal(number)

    return on_any


class Interruption:
    """What signals have asked for while a block runs.

    Args:
      runtimes: those that serve the block.
    """

    def __init__(self, runtimes: Iterable[Runtime]) -> None:
        self._runtimes = list(dict.fromkeys(runtimes))
        self._received: list[int] = []
        self._stopping: threading.Thread | None = None

    @property
    def is_asked_for(self) -> bool:
        """Whether a signal came."""
        return bool(self._received)

    def check(self) -> None:
        """End here if a signal came.

        Raises:
          KeyboardInterrupt: Ctrl-C.
          SystemExit: SIGTERM or SIGHUP, with the exit code that shells give to it.
        """
        if self._received:
            self.raise_stop()

    def raise_stop(self) -> NoReturn:
        """Wait until all has stopped, and raise what stands for the signal; see `check`."""
        self._wait_stopped()
        if self._received[0] == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + self._received[0])

    def stop_all(self) -> None:
        """Stop every runtime: an exception ends the block, and nobody waits for its calls any more."""
        for runtime in self._runtimes:
            if runtime.engine.trains_in_this_process:  # no step runs: it would be this thread that runs it
                runtime.force()
            else:
                runtime.stop(timeout_s=CTRL_C_TIMEOUT_S)

    def on_signal(self, number: int) -> None:
        """Take note of a signal; the work is done in a thread, since a handler may interrupt anything."""
        self._received.append(number)
        if len(self._received) == 1:
            self._stopping = threading.Thread(target=self._stop, name="hippo-stop", daemon=True)
            self._stopping.start()
        elif len(self._received) == 2:
            threading.Thread(target=self._force, name="hippo-force", daemon=True).start()
        if len(self._received) > 1 and any(runtime.engine.trains_in_this_process for runtime in self._runtimes):
            raise KeyboardInterrupt  # the step that does not end runs in this very thread

    def _stop(self) -> None:
        is_ctrl_c = self._received[0] == signal.SIGINT
        hint = " (Ctrl-C again: at once)" if is_ctrl_c else ""
        telling = threading.Timer(_SAY_AFTER_S, say, [f"stopping when the running steps end{hint} ..."])
        telling.daemon = True
        telling.start()
        try:
            for runtime in self._runtimes:
                with contextlib.suppress(TimeoutError):  # its loop waits for a database: it stops when that is over
                    runtime.stop(timeout_s=self._timeout_s)
        finally:
            telling.cancel()

    def _force(self) -> None:
        Patience.give_up()
        for runtime in self._runtimes:
            with contextlib.suppress(TimeoutError):
                runtime.force()

    def _wait_stopped(self) -> None:
        assert self._stopping is not None, "only a signal brings anybody here"
        self._stopping.join(self._timeout_s + _SAY_AFTER_S)
        if self._stopping.is_alive():  # work was given to the inline engine that this thread no longer serves
            self._force()
            self._stopping.join()

    @property
    def _timeout_s(self) -> float:
        return CTRL_C_TIMEOUT_S if self._received[0] == signal.SIGINT else SIGTERM_TIMEOUT_S


@contextlib.contextmanager
def interruptible(runtimes: Iterable[Runtime]) -> Iterator[Interruption]:
    """Let signals stop these runtimes while the block runs, instead of breaking it off anywhere.

    Raises:
      KeyboardInterrupt, SystemExit: at the block's end, if a signal came that nothing within it answered.
    """
    interruption = Interruption(runtimes)
    if threading.current_thread() is not threading.main_thread():
        yield interruption
        return
    replaced = {number: usual for number, usual in _USUAL.items() if signal.getsignal(number) is usual}
    hear = heard_once(interruption.on_signal)
    for number in replaced:
        signal.signal(number, lambda number, frame: hear(number))
    _in_forks.append(replaced)
    try:
        yield interruption
    finally:
        _in_forks.pop()
        _put_back(replaced)
    interruption.check()


def told(stop: KeyboardInterrupt) -> KeyboardInterrupt:
    """Mark an interrupt of which all was said: nobody needs the lines of code in which the main thread waited."""
    stop.args = ("run the same code again to go on",)  # all that pytest shows of it
    stop._hippo_was_told = True  # type: ignore[attr-defined]
    if sys.excepthook is not _hook:
        _hook.usual = sys.excepthook
        sys.excepthook = _hook
    return stop


class _Hook:
    """Prints what Python prints of an exception that nobody caught, but for interrupts of which all was said."""

    def __init__(self) -> None:
        self.usual = sys.excepthook

    def __call__(self, kind: type[BaseException], error: BaseException, traceback: TracebackType | None, /) -> None:
        if not getattr(error, "_hippo_was_told", False):
            self.usual(kind, error, traceback)
        elif sys._getframe().f_back is None and not (sys.flags.inspect or hasattr(sys, "ps1")):
            pass_over_presses()  # Python itself calls, of the script: with no other code, and no prompt, to go on with


_hook = _Hook()


def pass_over_presses() -> None:
    """Let Ctrl-C, pressed once more, break off nothing of the process's end, which would print where it was.

    For when all has been said and nothing but that end is to come. One that takes long is broken off all the same: it
    is somebody's own, a thread or what was registered with `atexit`.
    """
    clock = SystemClock()
    began_s = clock.elapsed()

    def on_press(number: int, frame: FrameType | None) -> None:
        if clock.elapsed() - began_s > _ENDING_S:
            signal.default_int_handler(number, frame)

    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, on_press)
