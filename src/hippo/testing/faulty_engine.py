"""An engine whose words to the control loop, and the control loop's to it, go over a bad network.

What an engine promises bounds what may go wrong: what each slot says comes in the order in which it happened, and an
assignment ends with `AssignmentDone` or with the slot's `SlotLost`. An engine that lost a word for ever, and said
nothing, would break that. So a word is lost here only as a real network loses it: together with the connection, which
is told as a lost slot, while the worker behind it trains on and finds, later, that it has another name.

Beyond what is promised, law 5.4 says that late, duplicated and reordered words of a worker change nothing. So any word
may come twice, however much later; and two words of one lane may change places.

Commands are followed in order, after what was submitted to their slot before, and at the end of some step: so they may
be late, until their lease has ended, and the same one may come twice. This module refuses to know why a word is said.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import re
import signal
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import Clock
from hippo.engines.engine import AbstractEngine, Emit
from hippo.events import EngineEvent, EngineFailed, SlotLost
from hippo.records import Assignment, Command, SlotId, TrainerSpec
from hippo.testing.fault_book import INJECTED, FaultBook, StudyLife, TakenFault
from hippo.testing.fault_plans import Fault, FaultKind, Seam
from hippo.testing.faulty_slots import FaultySlots
from hippo.testing.jumping_clock import JumpingClock

#: what is held back comes after so long, if nothing else brings it about
RELEASE_S = 0.03
#: a clock's jump, for each unit of a fault's amount; the odd ones go back
JUMP_S = 1_800.0

_EVENT_FAULTS = frozenset(
    {FaultKind.DUPLICATE_EVENT, FaultKind.DELAY_EVENTS, FaultKind.SWAP_EVENTS}
    | {FaultKind.CUT_SLOT, FaultKind.CUT_SLOT_LATE_WORDS}
)


class FaultyEngine(AbstractEngine):
    """Another engine, with faults.

    Args:
      engine: which; nobody else may use it.
      book: says what goes wrong.
      life: of the study.
      has_processes: its workers are processes, whose numbers it tells in `describe`.
    """

    def __init__(self, engine: AbstractEngine, book: FaultBook, life: StudyLife, *, has_processes: bool) -> None:
        self.virtual_time = engine.virtual_time
        self.work_outlives_process = engine.work_outlives_process
        self.trains_in_this_process = engine.trains_in_this_process
        self.max_lanes = engine.max_lanes
        self._engine = engine
        self._book = book
        self._life = life
        self._has_processes = has_processes
        self._slots = FaultySlots(self._say, engine.send)
        self._connections = self._slots.connections
        self._is_releasing = False

    @property
    def is_idle(self) -> bool:
        return self._engine.is_idle and not self._slots.is_any_held

    def start(self, emit: Emit, *, checkpoints: str | AbstractCheckpointStore, clock: Clock) -> None:
        self._emit = emit
        self._clock = clock
        self._is_releasing = False  # that timer was another loop's
        self._engine.start(self._on_event, checkpoints=checkpoints, clock=clock)

    def environment(self) -> Mapping[str, str] | None:
        return self._engine.environment()

    def open_workload(self, spec: TrainerSpec) -> None:
        self._engine.open_workload(spec)

    def submit(self, assignment: Assignment) -> None:
        inner = self._slots.submit(assignment)
        if inner is not None:  # else its `SlotLost` has been told
            self._engine.submit(replace(assignment, slot=inner))

    def send(self, command: Command) -> None:
        taken = self._book.take(Seam.COMMAND, lambda _: self._connections.to(command) is not None)
        if taken is not None:
            taken.note(repr(command))
        self._slots.send(command, None if taken is None else taken.kind)
        self._see_to_release()

    def lose(self, slot: SlotId, reason: str) -> None:
        connection = self._connections.known(slot)
        if connection is not None:
            self._engine.lose(connection.inner, reason)

    def describe(self, slot: SlotId) -> str:
        connection = self._connections.known(slot)
        return "gone" if connection is None else self._engine.describe(connection.inner)

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        self._engine.serve(done)

    async def close(self, *, timeout_s: float) -> None:
        await self._engine.close(timeout_s=timeout_s)
        self._slots.clear()

    # --- what the engine says

    def _on_event(self, event: EngineEvent) -> None:
        if self._life.is_over:
            return
        taken = self._book.take(Seam.EVENT, lambda fault: self._fits(fault, event))
        if taken is not None:
            connection = self._connections.of(event)
            taken.note(f"{type(event).__name__} of {'no slot' if connection is None else connection.outer}")
            if taken.kind not in _EVENT_FAULTS:
                self._break(taken, event)
                taken = None
        if not self._life.is_over:
            self._slots.hear(event, taken)
            self._see_to_release()

    def _fits(self, fault: Fault, event: EngineEvent) -> bool:
        if fault.kind in _EVENT_FAULTS:
            return self._slots.fits(fault.kind, event)
        if fault.kind is FaultKind.KILL_WORKER:
            return self._worked_in(event) is not None
        if fault.kind is FaultKind.KILL_LAUNCHER:
            return self._has_processes and self._pid(event) is not None
        return True

    def _say(self, event: EngineEvent) -> None:
        if not self._life.is_over:
            self._emit(event)

    def _break(self, taken: TakenFault, event: EngineEvent) -> None:
        match taken.kind:
            case FaultKind.KILL_STUDY:
                self._life.end()  # which does not return, unless it only pretends
                self._emit(EngineFailed(reason=f"{INJECTED} the study was killed"))
            case FaultKind.CLOCK_JUMP if isinstance(self._clock, JumpingClock):
                self._clock.jump(JUMP_S * taken.amount * (-1) ** taken.amount)
            case FaultKind.KILL_LAUNCHER:
                pid = self._pid(event)
                assert pid is not None, "it fits"
                os.kill(_parent(pid), signal.SIGKILL)
            case FaultKind.KILL_WORKER if (pid := self._pid(event)) is not None:
                os.kill(pid, signal.SIGKILL)
            case FaultKind.KILL_WORKER:
                inner = self._worked_in(event)
                assert inner is not None, "it fits"
                # Behind this event: an engine is not called from within a word of its own.
                asyncio.get_running_loop().call_soon(self._engine.lose, inner, f"{INJECTED} the worker was killed")

    def _worked_in(self, event: EngineEvent) -> SlotId | None:
        """Return which of the engine's slots says something, and goes on after it; None if it is none."""
        connection = self._connections.of(event)
        if connection is None or connection.is_cut or isinstance(event, SlotLost):
            return None
        return connection.inner

    def _pid(self, event: EngineEvent) -> int | None:
        """Return the process of the worker that says something; None if it has none of its own."""
        inner = self._worked_in(event)
        if inner is None or not self._has_processes:
            return None
        said = re.fullmatch(r"pid (\d+)", self._engine.describe(inner))
        pid = 0 if said is None else int(said[1])
        return pid if _parent(pid) not in (0, 1, os.getpid()) else None

    # --- what is held back

    def _see_to_release(self) -> None:
        """Let what is held back go after a while, also if nothing else is ever said."""
        if self._slots.is_any_held and not self._is_releasing:
            self._is_releasing = True
            self._clock.call_later(RELEASE_S, self._release)

    def _release(self) -> None:
        self._is_releasing = False
        self._slots.release()


def _parent(pid: int) -> int:
    """Return the parent of a process; 0 if that process is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0
