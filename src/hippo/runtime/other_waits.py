"""What a tuner waits for besides answers: timers, and work in threads.

A re-run gives recorded answers in their order. When all is quiet and the next of them has not been asked for, either
the tuner is still busy elsewhere (it sleeps, or fits a model in a thread) and will ask in a moment, or it has gone
another way than before and never will. The event loop is asked to say which: everything that a coroutine starts on it
carries the context of the call that it runs for.

Not seen while the tuner has questions open: waiting for sockets and subprocesses. This module refuses to know calls.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from typing import Any

_owner: contextvars.ContextVar[OtherWaits | None] = contextvars.ContextVar("hippo_other_waits", default=None)


class OtherWaits:
    """Timers and work in threads that one call's coroutines wait for, or may."""

    def __init__(self) -> None:
        #: those whose callbacks have not begun, and that may be cancelled
        self._timers: list[tuple[asyncio.TimerHandle, _TimerCallback]] = []
        self._jobs: set[asyncio.Future[Any]] = set()

    def context(self) -> contextvars.Context:
        """Return a context in which whatever is begun on the loop is begun for this call."""
        context = contextvars.copy_context()
        context.run(_owner.set, self)
        return context

    def is_busy(self) -> bool:
        """Tell whether anything may still wake the call's coroutines."""
        self._timers = [(timer, alarm) for timer, alarm in self._timers if not (timer.cancelled() or alarm.has_gone)]
        return bool(self._timers or self._jobs)

    def note_timer(self, timer: asyncio.TimerHandle, alarm: _TimerCallback) -> None:
        """Count a timer of the call until it has woken somebody; that its time has come is not enough."""
        self._timers.append((timer, alarm))

    def note_job(self, job: asyncio.Future[Any]) -> None:
        """Count work that the call gave to a thread until it is done."""
        self._jobs.add(job)
        job.add_done_callback(self._jobs.discard)


class _TimerCallback:
    """What a timer calls, which knows whether it was."""

    def __init__(self, callback: Callable[..., object]) -> None:
        self._callback = callback
        self.has_gone = False

    def __call__(self, *args: Any) -> None:
        self.has_gone = True
        self._callback(*args)


class WatchedLoop(asyncio.SelectorEventLoop):
    """An event loop that notes timers and threads for the call that begins them."""

    #: on its own thread a callback was made ready, or a timer was set, since somebody set this to False
    has_more_to_run = False

    def call_soon(  # type: ignore[override] # as below
        self, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        self.has_more_to_run = True
        return super().call_soon(callback, *args, context=context)

    def call_at(  # type: ignore[override] # typeshed ties the arguments to the callback's, which we only pass on
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        self.has_more_to_run = True
        owner = _owner.get() if context is None else context.get(_owner)
        if owner is None:
            return super().call_at(when, callback, *args, context=context)
        alarm = _TimerCallback(callback)
        timer = super().call_at(when, alarm, *args, context=context)
        owner.note_timer(timer, alarm)
        return timer

    def run_in_executor(  # type: ignore[override] # as above
        self, executor: Any, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        job = super().run_in_executor(executor, func, *args)
        owner = _owner.get()
        if owner is not None:
            owner.note_job(job)
        return job


def other_waits_here() -> OtherWaits:
    """Return where it is noted what the calling coroutine's tuner call waits for besides answers."""
    owner = _owner.get()
    assert owner is not None, "only a tuner's own coroutine waits on its behalf"
    return owner


def unowned(begin: Callable[[], None]) -> None:
    """Begin something on the loop that is of no call, although a call's coroutine has it begun."""
    contextvars.Context().run(begin)


def leaves_more_to_run(turn: Callable[[], bool]) -> bool:
    """Take a turn on a watched loop; return whether it says that more follows, or leaves the loop something to run."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, WatchedLoop), "turns are taken where tuners run"
    loop.has_more_to_run = False
    return turn() or loop.has_more_to_run
