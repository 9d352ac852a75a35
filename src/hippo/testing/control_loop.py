"""A control loop without a plan: hands assignments to an engine by hand, and keeps every event.

Tests of engines are driven by it. It refuses to decide anything.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import itertools
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import SystemClock
from hippo.engines import AbstractEngine
from hippo.events import AssignmentDone, EngineEvent, EngineFailed, SlotLost, SlotOpened, StepsDone, TrainerUnusable
from hippo.records import Assignment, Command, Fusion, Lane, LeaseId, SlotId, TrainerSpec

T = TypeVar("T")
Events = Sequence[EngineEvent]

_PATIENCE_S = 60.0
_numbers = itertools.count(1)


class ControlLoop:
    """An asyncio loop in a thread of its own, and an engine that reports to it. A context manager.

    Args:
      engine: a new engine.
      checkpoints: as its `start` takes them.
    """

    def __init__(self, engine: AbstractEngine, checkpoints: str | AbstractCheckpointStore) -> None:
        self.engine = engine
        #: all events so far, in order; runs of steps as what they stand for
        self.events: list[EngineEvent] = []
        #: how many there were when what was waited for was found
        self._found = 0
        self._name = f"loop-{next(_numbers)}"
        self._leases = (LeaseId(number) for number in itertools.count(1))
        self._watchers: list[Callable[[], None]] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="control loop", daemon=True)
        self._thread.start()
        self._on_loop(lambda: engine.start(self._record, checkpoints=checkpoints, clock=SystemClock()))

    def __enter__(self) -> ControlLoop:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def open_workload(self, spec: TrainerSpec) -> None:
        """Make a workload known to the engine."""
        self._on_loop(lambda: self.engine.open_workload(spec))

    def submit(self, workload: str, *lanes: Lane, fusion: Fusion | None = None, slot: SlotId | None = None) -> LeaseId:
        """Give lanes to a slot, which is free, and return their lease.

        Args:
          fusion: how they are walked; None: that is not decided.
          slot: None for the oldest.
        """
        lease, slot = next(self._leases), slot or self.wait_for_slots()[0]
        prefix = f"{self._name}-lease-{lease}"
        assignment = Assignment(lease=lease, prefix=prefix, slot=slot, workload=workload, lanes=lanes, fusion=fusion)
        self._on_loop(lambda: self.engine.submit(assignment))
        return lease

    def send(self, command: Command) -> None:
        """Send a command; where time is virtual, all that was submitted before is over by then."""
        self._on_loop(lambda: self.engine.send(command))

    def lose(self, slot: SlotId, reason: str) -> None:
        """Have the engine end a slot's worker."""
        self._on_loop(lambda: self.engine.lose(slot, reason))

    def run_coroutine(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the loop, and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_PATIENCE_S)

    def finish(self, lease: LeaseId) -> list[EngineEvent]:
        """Serve the engine until the lease has ended, and return its events."""
        self.serve_until(lambda events: has_ended(events, lease))
        return [event for event in self.events if getattr(event, "lease", None) == lease]

    def run(self, workload: str, *lanes: Lane, fusion: Fusion | None = None) -> list[EngineEvent]:
        """Submit lanes, and return the events of their lease when it has ended."""
        return self.finish(self.submit(workload, *lanes, fusion=fusion))

    def wait_for_slots(self, number: int = 1) -> list[SlotId]:
        """Wait until so many slots are open, and return them, oldest first."""
        return self.serve_until(lambda events: slots if len(slots := open_slots(events)) >= number else None)

    def serve_until(self, find: Callable[[Events], T | None]) -> T:
        """Serve the engine until `find`, given all events so far, returns something true; return that."""
        done: concurrent.futures.Future[T] = concurrent.futures.Future()

        def look() -> None:
            if done.done():
                return
            if found := find(self.events):
                self._found = len(self.events)
                done.set_result(found)
            elif failed := [e for e in self.events[self._found :] if isinstance(e, EngineFailed | TrainerUnusable)]:
                done.set_exception(AssertionError(f"the engine failed: {failed[0]}"))

        def give_up() -> None:
            if not done.done():
                done.set_exception(TimeoutError(f"waited {_PATIENCE_S} s in vain; events: {self.events}"))

        self._watchers.append(look)
        self._loop.call_soon_threadsafe(look)
        timer = self._on_loop(lambda: self._loop.call_later(_PATIENCE_S, give_up))
        try:
            self.engine.serve(done)
        finally:
            self._watchers.remove(look)
            self._loop.call_soon_threadsafe(timer.cancel)
        return done.result()

    def close(self, *, timeout_s: float = 5.0) -> None:
        """Close the engine, then the loop."""
        self.run_coroutine(self.engine.close(timeout_s=timeout_s))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _record(self, event: EngineEvent) -> None:
        assert threading.current_thread() is self._thread, "events come on the control loop's thread"
        self.events += event.one_by_one() if isinstance(event, StepsDone) else [event]
        for look in tuple(self._watchers):
            look()

    def _on_loop(self, call: Callable[[], T]) -> T:
        async def on_loop() -> T:
            result = call()
            virtual = self.engine.virtual_time
            while virtual is not None and virtual.drive(lambda: False):
                pass
            return result

        return self.run_coroutine(on_loop())


def open_slots(events: Events) -> list[SlotId]:
    """Return the slots that opened and were not lost, oldest first."""
    lost = {event.slot for event in events if isinstance(event, SlotLost)}
    return [event.slot for event in events if isinstance(event, SlotOpened) and event.slot not in lost]


def has_ended(events: Events, lease: LeaseId) -> bool:
    """Return whether the assignment with this lease has ended."""
    return any(isinstance(event, AssignmentDone) and event.lease == lease for event in events)
