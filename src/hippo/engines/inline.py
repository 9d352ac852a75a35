"""Assignments in this very process, in the thread of whoever waits for them: for debuggers, tests and small things.

Breakpoints stop where the user stands, and Ctrl-C reaches the user's own code. Threads and determinism flags are set
while an assignment runs and are given back after it. This module refuses to start threads or processes.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore, open_checkpoints
from hippo.clock import Clock
from hippo.engines.devices import check_count, device_field, visible_devices
from hippo.engines.engine import Emit
from hippo.events import AssignmentDone, EngineEvent, SlotLost, SlotOpened
from hippo.records import Assignment, Command, SlotId, TrainerSpec
from hippo.training.environment import describe_environment, pinned
from hippo.training.lanes import run_assignment
from hippo.training.residents import ResidentStates
from hippo.training.trainers import Trainers


class Closed(SystemExit):
    """The engine is being closed. Passes through lanes as the end of a process would; caught by `serve`."""


@dataclass(slots=True, kw_only=True)
class _Host:
    """What lanes see of the engine."""

    clock: Clock
    checkpoints: AbstractCheckpointStore
    residents: ResidentStates
    emit: Callable[[EngineEvent], None]
    poll: Callable[[], Sequence[Command]]


class InlineEngine:
    """Runs assignments in the thread that waits for the study.

    Args:
      threads: intra-op threads while an assignment runs. Results may depend on it in their last bits.

    Raises:
      EngineError: an argument is out of its bounds.
    """

    def __init__(self, *, threads: int = 1) -> None:
        check_count("threads", threads)
        self._threads = threads
        self._slots = (SlotId(f"inline-{number}") for number in itertools.count(1))
        self._slot: SlotId | None = None
        self._specs: dict[str, TrainerSpec] = {}
        self._trainers = Trainers()
        #: guards all below, which the control loop's thread and the serving ones share
        self._changed = threading.Condition()
        #: the one assignment that the slot has room for, until it has ended
        self._assignment: Assignment | None = None
        self._commands: list[Command] = []
        #: the thread that runs it
        self._server: threading.Thread | None = None
        self._closing: concurrent.futures.Future[None] | None = None

    def start(self, emit: Emit, *, checkpoints: str | AbstractCheckpointStore, clock: Clock) -> None:
        self._emit_on_loop = emit
        self._loop = asyncio.get_running_loop()
        self._host = _Host(
            clock=clock,
            checkpoints=open_checkpoints(checkpoints),
            residents=ResidentStates(),
            emit=self._emit,
            poll=self._poll,
        )

    def environment(self) -> Mapping[str, str]:
        device = next(iter(visible_devices()), None)
        return describe_environment(self._threads, device_field(device))

    def open_workload(self, spec: TrainerSpec) -> None:
        self._specs[spec.workload] = spec
        if self._slot is None:
            self._open_slot()

    def submit(self, assignment: Assignment) -> None:
        with self._changed:
            self._assignment = assignment
            self._changed.notify_all()

    def send(self, command: Command) -> None:
        with self._changed:
            if self._assignment is not None and self._assignment.lease == command.lease:
                self._commands.append(command)

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        done.add_done_callback(self._wake)
        try:
            while (assignment := self._take(done)) is not None:
                self._run(assignment)
        except BaseException as error:  # Ctrl-C, mostly: whoever serves next goes on with a new slot
            if self._server is threading.current_thread():
                self._lose_slot(f"stopped by {type(error).__name__}")
            raise

    async def close(self, *, timeout_s: float) -> None:
        """As promised, but a step that outlasts `timeout_s` goes on in its thread: there is no force in here."""
        with self._changed:
            self._closing = concurrent.futures.Future()
            if self._server is None:
                self._closing.set_result(None)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.wrap_future(self._closing), timeout_s)

    # ------------------------------------------------------------------------------------- in a serving thread

    def _take(self, done: concurrent.futures.Future[Any]) -> Assignment | None:
        """Wait for an assignment that no thread runs yet, and make it ours; None once `done` is."""
        with self._changed:
            self._changed.wait_for(lambda: done.done() or self._is_work_waiting())
            if done.done():
                return None
            self._server = threading.current_thread()
            return self._assignment

    def _is_work_waiting(self) -> bool:
        return self._assignment is not None and self._server is None and self._closing is None

    def _run(self, assignment: Assignment) -> None:
        slot = self._slot
        assert slot is not None, "a slot opens before it gets work"
        try:
            with pinned(self._threads):
                run_assignment(assignment, self._specs[assignment.workload], self._trainers, self._host, slot)
        except Closed:
            self._finish()
        else:
            self._finish()
            self._emit(AssignmentDone(lease=assignment.lease, slot=slot))

    def _lose_slot(self, reason: str) -> None:
        slot = self._slot
        assert slot is not None, "only a slot that ran something can be lost"
        self._finish()
        self._emit(SlotLost(slot=slot, reason=reason))
        self._open_slot()

    def _open_slot(self) -> None:
        self._slot = next(self._slots)
        self._emit(SlotOpened(slot=self._slot, environment=self.environment()))

    def _finish(self) -> None:
        with self._changed:
            self._assignment = self._server = None
            self._commands.clear()
            self._changed.notify_all()
            if self._closing is not None:
                self._closing.set_result(None)

    def _poll(self) -> Sequence[Command]:
        with self._changed:
            if self._closing is not None or self._loop.is_closed():
                raise Closed
            commands = tuple(self._commands)
            self._commands.clear()
            return commands

    def _emit(self, event: EngineEvent) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is gone, and with it everybody who would listen
            self._loop.call_soon_threadsafe(self._emit_on_loop, event)

    def _wake(self, done: concurrent.futures.Future[Any]) -> None:
        with self._changed:
            self._changed.notify_all()
