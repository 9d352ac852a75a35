"""One runtime serves an engine and every study that uses it: the door from users' threads to the control loop."""

from __future__ import annotations

import concurrent.futures
import functools
from collections.abc import Callable
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import Clock, SystemClock
from hippo.engines import AbstractEngine, InlineEngine
from hippo.plan import AbstractPlanStore
from hippo.runtime.control import Asking, Control, Job
from hippo.runtime.loop import ControlLoop, OnQuiet
from hippo.runtime.settings import Progress, Statistics
from hippo.schedulers import AbstractScheduler, CriticalPath

#: how long processes that are killed may take to be gone
_FORCE_TIMEOUT_S = 10.0
#: how long the end of everything may take: a worker that is writing a state is waited for
_END_TIMEOUT_S = 120.0


class Runtime:
    """Serves one engine. Everything here is called from any thread but the loop's own."""

    def __init__(
        self,
        engine: AbstractEngine,
        *,
        checkpoints: str | AbstractCheckpointStore,
        scheduler: AbstractScheduler | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.engine = engine
        self.checkpoints = checkpoints
        self._control = Control(
            engine,
            checkpoints=checkpoints,
            scheduler=scheduler if scheduler is not None else CriticalPath(),
            clock=clock or getattr(engine, "clock", None) or SystemClock(),
        )
        # an engine in virtual time takes the turns itself: time goes on when there is nothing left to decide
        drive: Callable[[OnQuiet], bool] | None = getattr(engine, "drive", None)
        turn = self._control.turn
        self._loop = ControlLoop(turn if drive is None else functools.partial(drive, turn))

    def start_call(self, job: Job, position: int, record: str, asking: Asking) -> concurrent.futures.Future[Any]:
        """Begin a tuner call, or go on with it; the future holds what `asking` returns."""
        return self._loop.submit(self._control.run_call(job, position, record, asking))

    def make_state(self, job: Job, member: str, node: int, step: int) -> concurrent.futures.Future[Any]:
        """Have the state at a point of a member's plan made, if it is not there, and written."""
        return self._loop.submit(self._control.make_state(job, member, node, step))

    def serve(self, done: concurrent.futures.Future[Any]) -> Any:
        """Wait for a call in the caller's thread, which the engine may use; return its result.

        Raises:
          CancelledError: the call was stopped.
          BaseException: the call's own error; or what came out of user code that the engine ran in this thread.
        """
        self.engine.serve(done)
        return done.result()

    def stop(self, *, timeout_s: float) -> None:
        """Stop all calls; running lanes leave a checkpoint at their step's end, or are ended by force after a while.

        A step that runs in a thread of this process (the inline engine) cannot be forced, and is waited for.
        """
        stopping = self._loop.submit(self._control.stop())
        try:
            stopping.result(timeout=None if isinstance(self.engine, InlineEngine) else timeout_s)
        except TimeoutError:  # what hangs in a step for longer is lost, with its worker
            self.force()

    def force(self) -> None:
        """End all calls, and the engine's slots as they stand."""
        self._loop.submit(self._control.force()).result(timeout=_FORCE_TIMEOUT_S)

    def end_study(self, store: AbstractPlanStore, study: int) -> None:
        """Have the calls of one study end as if their tuners had come to an end; returns at once."""
        self._loop.submit(self._control.end_study(store, study))

    def progress(self, store: AbstractPlanStore, study: int) -> Progress | None:
        """Return how far a study is; None before its first call."""

        async def look() -> Progress | None:
            return self._control.progress(store, study)

        return self._loop.submit(look()).result()

    def statistics(self, store: AbstractPlanStore, study: int) -> Statistics | None:
        """Return what a study counted, without reading the store; None before its first call."""

        async def look() -> Statistics | None:
            return self._control.statistics(store, study)

        return self._loop.submit(look()).result()

    def close(self) -> None:
        """Stop everything that this runtime started."""
        try:
            self._loop.submit(self._control.end()).result(timeout=_END_TIMEOUT_S)
        finally:
            self._loop.stop()
