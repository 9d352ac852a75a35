"""One runtime serves an engine and every study that uses it: the door from users' threads to the control loop."""

from __future__ import annotations

import concurrent.futures
import functools
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import Clock, SystemClock
from hippo.collector import full_passes
from hippo.engines import AbstractEngine
from hippo.errors import TunerError
from hippo.plan import AbstractPlanStore
from hippo.runtime.control import Asking, Control, Job
from hippo.runtime.held_states import HeldState
from hippo.runtime.loop import ControlThread
from hippo.runtime.other_waits import leaves_more_to_run
from hippo.runtime.studies.settings import Progress, Statistics
from hippo.schedulers import AbstractScheduler, CriticalPath

T = TypeVar("T")

#: how long processes that are killed may take to be gone
_FORCE_TIMEOUT_S = 10.0
#: how long the end of everything may take: a worker that is writing a state is waited for
_END_TIMEOUT_S = 120.0


class Runtime:
    """Serves one engine. Everything here is called from any thread but the loop's own.

    It has a control loop while there is anything to do on one, and gives it back when it and its engine are idle.
    """

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
        self._time = engine.virtual_time
        self._control = Control(
            engine,
            checkpoints=checkpoints,
            scheduler=scheduler if scheduler is not None else CriticalPath(),
            clock=clock or (SystemClock() if self._time is None else self._time.clock),
        )
        #: guards all below
        self._guard = threading.Lock()
        self._loop: ControlThread | None = None
        #: coroutines whose results somebody may still want, and blocks that are beginning calls
        self._unfinished = 0
        self._is_closed = False

    def _submit(self, coroutine: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        with self._guard:
            future = self._taken_loop().submit(coroutine)
        future.add_done_callback(self._note_finished)
        return future

    def _taken_loop(self) -> ControlThread:
        """Return the loop, for something that is unfinished from now on; under the guard."""
        if self._loop is None:
            self._loop = ControlThread.take(self._on_quiet)
        self._unfinished += 1
        return self._loop

    def _note_finished(self, _: concurrent.futures.Future[Any]) -> None:
        with self._guard:
            self._unfinished -= 1

    def _on_quiet(self) -> bool:
        turn = functools.partial(leaves_more_to_run, self._control.turn)
        if turn() if self._time is None else self._time.drive(turn):
            return True
        with self._guard:
            if self._loop is not None and not self._unfinished and self._control.is_idle:
                self._loop.give_back()
                self._loop = None
        return False

    @contextmanager
    def beginning(self) -> Iterator[None]:
        """Let all calls that the block begins begin at one moment, in their order, when it ends.

        So their requests are seen together, and have the same numbers in each run, however fast this thread is. Nothing
        in the block may wait for the control loop, which is held meanwhile.
        """
        all_begun = threading.Event()
        try:
            with self._guard:
                self._taken_loop().hold(all_begun)
            try:
                yield
            finally:
                with self._guard:
                    self._unfinished -= 1
        finally:
            all_begun.set()  # whatever was begun; if that was nothing, the loop finds that it may be given back

    def start_call(self, job: Job, position: int, record: str, asking: Asking) -> concurrent.futures.Future[Any]:
        """Begin a tuner call, or go on with it; the future holds what `asking` returns."""
        call = self._control.run_call(job, position, record, asking)
        return self._submit(call if self.engine.trains_in_this_process else full_passes.spared(call))

    def hold_state(self, job: Job, member: str, node: int, step: int) -> HeldState:
        """Have the state at a point of a member's plan made, if it is not there, and written, and hold it there."""
        held = HeldState()
        held.ended = self._submit(self._control.hold_state(job, member, node, step, held))
        return held

    def keep_only_best(self, store: AbstractPlanStore, plans: Iterable[int]) -> None:
        """Remove the states of plans that nobody would miss, as far as nobody trains on them."""
        self._submit(self._control.keep_only_best(store, plans)).result()

    def refuse_own_thread(self) -> None:
        """Refuse to wait for calls on the thread that runs them: they would never end.

        Raises:
          TunerError: this is it.
        """
        if self._is_on_loop():
            raise TunerError(
                "this waits for a study on the thread that runs it, as the code of a tuner does: inside tune() write "
                "`await ask(config, until=...)` for what the study is to train, and let other studies run outside"
            )

    def _is_on_loop(self) -> bool:
        loop = self._loop
        return loop is not None and loop.is_here

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

        Of one that was closed none is left, or about to be.

        A step that runs in a thread of this process (the inline engine) cannot be forced, and is waited for.
        """
        if self._is_closed:
            return
        stopping = self._submit(self._control.stop())
        try:
            stopping.result(timeout=None if self.engine.trains_in_this_process else timeout_s)
        except TimeoutError:  # what hangs in a step for longer is lost, with its worker
            self.force()

    def force(self) -> None:
        """End all calls, and the engine's slots as they stand.

        Raises:
          TimeoutError: they do not end.
        """
        if self._is_closed:
            return
        with suppress(concurrent.futures.CancelledError):  # it was closed meanwhile: nothing is left to end
            self._submit(self._control.force()).result(timeout=_FORCE_TIMEOUT_S)

    def end_study(self, store: AbstractPlanStore, study: int) -> None:
        """Have the calls of one study end as if their tuners had come to an end; returns at once."""
        self._submit(self._control.end_study(store, study))

    def progress(self, store: AbstractPlanStore, study: int) -> Progress | None:
        """Return how far a study is; None before its first call."""
        return self._looked(self._control.looks.progress, store, study)

    def steps_executed(self, store: AbstractPlanStore, study: int) -> int | None:
        """Return how many steps a study has executed; None before its first call. It looks at no trial."""
        return self._looked(self._control.looks.steps_executed, store, study)

    def statistics(self, store: AbstractPlanStore, study: int) -> Statistics | None:
        """Return what a study counted, without reading the store; None before its first call."""
        return self._looked(self._control.looks.statistics, store, study)

    def _looked(self, look: Callable[[AbstractPlanStore, int], T], store: AbstractPlanStore, study: int) -> T:
        """Return what a look at a study sees, on the loop's thread."""

        async def looking() -> T:
            return look(store, study)

        if self._is_on_loop():  # a tuner looks
            return look(store, study)
        return self._submit(looking()).result()

    def close(self) -> None:
        """Stop everything that this runtime started."""
        self._is_closed = True
        try:
            self._submit(self._control.end()).result(timeout=_END_TIMEOUT_S)
        finally:
            with self._guard:
                loop, self._loop = self._loop, None
            if loop is not None:
                loop.stop()
