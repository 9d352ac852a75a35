"""Assignments in this very process, in the thread that waits for them: for debuggers, tests and small things.

Breakpoints stop where the user stands, and Ctrl-C reaches the user's own code. Threads and determinism flags are set
while an assignment runs and are given back after it. This module refuses to start threads or processes.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import itertools
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hippo.arguments import explain_calls
from hippo.checkpoints import AbstractCheckpointStore, open_checkpoints
from hippo.clock import Clock
from hippo.engines.devices import HINTS, check_count, device_field, fair_resident_bytes, visible_devices
from hippo.engines.engine import AbstractEngine, Emit
from hippo.errors import TrainerError
from hippo.events import AssignmentDone, EngineEvent, SlotLost, SlotOpened, StatesResident, TrainerUnusable
from hippo.records import Assignment, Command, LeaseCommand, SlotCommand, SlotId, TrainerSpec
from hippo.training.codec import EncodedState
from hippo.training.environment import describe_environment, pinned
from hippo.training.lanes import run_assignment
from hippo.training.residents import ResidentStates
from hippo.training.standing import StandingWalker
from hippo.training.trainers import Trainers


class EngineClosing(SystemExit):
    """The engine is being closed. Passes through lanes as the end of a process would; caught by `serve`."""


class SlotGivenUp(SystemExit):
    """The user, or the control loop, gave the slot up. Passes through lanes as the end of a process would."""


@dataclass(slots=True, kw_only=True)
class _Host:
    """What lanes see of the engine."""

    clock: Clock
    checkpoints: AbstractCheckpointStore
    residents: ResidentStates[EncodedState]
    standing: StandingWalker
    emit: Callable[[EngineEvent], None]
    poll: Callable[[], Sequence[LeaseCommand]]
    wait: Callable[[float], Sequence[LeaseCommand]]


class InlineEngine(AbstractEngine):
    """Runs assignments in the thread that waits for the study.

    Args:
      threads: intra-op threads while an assignment runs. Results may depend on it in their last bits.
      resident_bytes: how much memory recent states may fill. None for 1 GiB, or on a small machine a quarter of all.

    Raises:
      EngineError: an argument is out of its bounds.
    """

    @explain_calls(**HINTS, workers="it trains in this process; hippo.LocalEngine(workers=...) has workers")
    def __init__(self, *, threads: int = 1, resident_bytes: int | None = None) -> None:
        check_count("threads", threads)
        if resident_bytes is not None:
            check_count("resident_bytes", resident_bytes, least=0)
        self._resident_bytes = fair_resident_bytes(1) if resident_bytes is None else resident_bytes
        self._threads = threads
        self._slots = (SlotId(f"inline-{number}") for number in itertools.count(1))
        self._slot: SlotId | None = None
        self._specs: dict[str, TrainerSpec] = {}
        self._trainers = Trainers()
        #: guards all below, which the control loop's thread and the serving ones share
        self._changed = threading.Condition()
        #: what no thread runs yet, and what one does: the slot has room for one of them
        self._waiting: Assignment | None = None
        self._running: Assignment | None = None
        self._commands: list[Command] = []
        #: where the latter began
        self._pid = os.getpid()
        #: the thread that runs it
        self._server: threading.Thread | None = None
        self._closing: concurrent.futures.Future[None] | None = None
        #: why what runs is to end at its step's end, and its slot with it
        self._losing: str | None = None
        #: what the loop has not heard yet, and whether it was woken to hear it
        self._said: list[EngineEvent] = []
        self._is_waking = False
        self._host: _Host | None = None
        #: what that was made of
        self._made_of: tuple[object, object] | None = None

    @property
    def is_idle(self) -> bool:
        """As promised. With a slot open and nothing in it, no thread that comes to serve has anything to emit."""
        with self._changed:
            is_at_rest = self._running is None and self._waiting is None and self._closing is None and not self._said
            return is_at_rest and (self._slot is not None or not self._specs)

    def start(self, emit: Emit, *, checkpoints: str | AbstractCheckpointStore, clock: Clock) -> None:
        self._emit_on_loop = emit
        with self._changed:
            self._loop = asyncio.get_running_loop()
            self._said, self._is_waking = [], False  # what was said to another loop is for nobody here
        if self._made_of != (checkpoints, clock):  # else only the loop is another one
            self._made_of = (checkpoints, clock)
            self._host = _Host(
                clock=clock,
                checkpoints=open_checkpoints(checkpoints),
                residents=ResidentStates(self._resident_bytes),
                standing=StandingWalker(),
                emit=self._emit,
                poll=self._poll,
                wait=self._wait,
            )

    def environment(self) -> Mapping[str, str]:
        device = next(iter(visible_devices()), None)
        return describe_environment(self._threads, device_field(device))

    def open_workload(self, spec: TrainerSpec) -> None:
        self._specs[spec.workload] = spec
        self._open_slot()

    def submit(self, assignment: Assignment) -> None:
        with self._changed:
            self._waiting = assignment
            self._changed.notify_all()

    def send(self, command: Command) -> None:
        with self._changed:
            held = self._running or self._waiting
            if isinstance(command, SlotCommand):
                if command.slot != self._slot:
                    return
                if held is None:  # no thread serves the slot now, and what it holds is ours
                    self._emit(*self._follow(command))
                    return
            elif held is None or held.lease != command.lease:
                return
            self._commands.append(command)
            self._changed.notify_all()

    def lose(self, slot: SlotId, reason: str) -> None:
        """As promised, but at the next step's end: there is no force in here."""
        with self._changed:
            held = self._running or self._waiting
            if held is not None and held.slot == slot:
                self._losing = reason

    def describe(self, slot: SlotId) -> str:
        return f"this process, pid {os.getpid()}"

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        done.add_done_callback(self._wake)
        if self._specs:
            self._open_slot()
        try:
            while (assignment := self._take(done)) is not None:
                self._run(assignment)
        except BaseException as error:  # Ctrl-C, mostly
            if self._server is threading.current_thread():
                self._lose_slot(f"stopped by {type(error).__name__}")
            raise

    async def close(self, *, timeout_s: float) -> None:
        """As promised, but a step that outlasts `timeout_s` goes on in its thread: there is no force in here."""
        with self._changed:
            self._slot = self._waiting = None
            self._specs.clear()  # the next one to open a workload may be another loop's
            if self._server is None:
                return
            left = self._closing = concurrent.futures.Future()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.wrap_future(left), timeout_s)

    # ------------------------------------------------------------------------------------- in a serving thread

    def _take(self, done: concurrent.futures.Future[Any]) -> Assignment | None:
        """Wait for an assignment that no thread runs yet, and make it ours; None once `done` is."""
        with self._changed:
            self._changed.wait_for(lambda: done.done() or self._is_work_waiting())
            if done.done():
                return None
            self._server = threading.current_thread()
            self._running, self._waiting = self._waiting, None
            return self._running

    def _is_work_waiting(self) -> bool:
        return self._waiting is not None and self._server is None

    def _run(self, assignment: Assignment) -> None:
        assert self._host is not None, "it was started"
        slot, self._pid = assignment.slot, os.getpid()
        done = AssignmentDone(lease=assignment.lease, slot=slot)
        try:
            with pinned(self._threads):
                run_assignment(assignment, self._specs[assignment.workload], self._trainers, self._host, slot)
        except EngineClosing:
            self._finish()
        except SlotGivenUp as lost:
            self._slot = None
            self._finish()
            self._emit(SlotLost(slot=slot, reason=str(lost)))
            self._open_slot()
        except TrainerError as error:
            self._finish()
            self._emit(TrainerUnusable(workload=assignment.workload, reason=str(error)), done)
        else:
            self._finish()
            self._emit(done)

    def _lose_slot(self, reason: str) -> None:
        """Report the slot as lost. Another one opens when a thread serves again: until then none could run it."""
        ended, self._slot = self._running, None
        assert ended is not None, "only a slot that ran something can be lost"
        self._finish()
        # The user wanted it to end: that counts as no loss of the work.
        self._emit(AssignmentDone(lease=ended.lease, slot=ended.slot), SlotLost(slot=ended.slot, reason=reason))

    def _open_slot(self) -> None:
        with self._changed:
            if self._slot is not None:
                return
            slot = self._slot = next(self._slots)
            if self._host is not None:  # what the last slot held went with it, for all who heard of it
                self._host.residents = ResidentStates(self._resident_bytes)
                self._host.standing = StandingWalker()
        self._emit(SlotOpened(slot=slot, environment=self.environment()))

    def _finish(self) -> None:
        with self._changed:
            late = [command for command in self._commands if isinstance(command, SlotCommand)]
            self._emit(*(event for command in late for event in self._follow(command)))
            self._running = self._server = self._losing = None
            self._commands.clear()
            self._changed.notify_all()
            if self._closing is not None:
                with contextlib.suppress(concurrent.futures.InvalidStateError):  # `close` did not wait so long
                    self._closing.set_result(None)
                self._closing = None

    def _follow(self, command: SlotCommand) -> list[StatesResident]:
        assert self._host is not None, "it was started"
        return self._host.residents.follow(command)

    def _poll(self) -> Sequence[LeaseCommand]:
        self._end_if_forked()
        with self._changed:
            if self._closing is not None or self._loop.is_closed():
                raise EngineClosing
            if self._losing is not None:
                raise SlotGivenUp(self._losing)
            commands = []
            for command in self._commands:
                if isinstance(command, SlotCommand):
                    self._emit(*self._follow(command))
                else:
                    commands.append(command)
            self._commands.clear()
            return commands

    def _end_if_forked(self) -> None:
        """End a process that the trainer forked and that came back from its method: the study is its parent's."""
        if os.getpid() != self._pid:
            os.write(2, b"hippo: a process that the trainer had forked came back from its method, and was ended\n")
            os._exit(1)

    def _wait(self, seconds: float) -> Sequence[LeaseCommand]:
        with self._changed:
            self._changed.wait_for(lambda: bool(self._commands) or self._closing is not None, seconds)
        return self._poll()

    def _emit(self, *events: EngineEvent) -> None:
        if self._running is not None:
            self._end_if_forked()
        if not events:
            return

        with self._changed:
            self._said += events
            if self._is_waking:
                return  # the loop is on its way, and takes these along: it is woken once for all that a short lane says
            self._is_waking = True
        with contextlib.suppress(RuntimeError):  # the loop is gone, and with it everybody who would listen
            self._loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        """Let the loop hear what was said."""
        with self._changed:
            said, self._said = self._said, []
            self._is_waking = False
        for event in said:
            self._emit_on_loop(event)

    def _wake(self, done: concurrent.futures.Future[Any]) -> None:
        with self._changed:
            self._changed.notify_all()
