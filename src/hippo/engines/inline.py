"""Assignments in this very process, in the thread that waits for them: for debuggers, tests and small things.

Breakpoints stop where the user stands, and Ctrl-C reaches the user's own code. Threads and determinism flags are set
while an assignment runs and are given back after it. This module refuses to start threads or processes.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from hippo.arguments import explain_calls
from hippo.checkpoints import AbstractCheckpointStore, open_checkpoints
from hippo.clock import Clock
from hippo.engines.devices import HINTS, check_count, device_field, fair_resident_bytes, visible_devices
from hippo.engines.engine import AbstractEngine, Emit
from hippo.engines.inline_slot import EngineClosing, InlineSlot, SlotGivenUp, StoppedWaiting
from hippo.engines.loop_inbox import LoopInbox
from hippo.errors import TrainerError
from hippo.events import AssignmentDone, EngineEvent, SlotLost, SlotOpened, TrainerUnusable
from hippo.records import Assignment, Command, LeaseCommand, SlotId, TrainerSpec
from hippo.training.live_states import HeldState
from hippo.training.process.environment import describe_environment, pinned
from hippo.training.process.turns import generators_kept, turn_taken
from hippo.training.trainers import Trainers
from hippo.training.walking.lanes import run_assignment
from hippo.training.walking.residents import ResidentStates
from hippo.training.walking.standing import StandingWalker


@dataclass(slots=True, kw_only=True)
class _Host:
    """What lanes see of the engine."""

    clock: Clock
    checkpoints: AbstractCheckpointStore
    residents: ResidentStates[HeldState]
    standing: StandingWalker
    emit: Callable[[EngineEvent], None]
    poll: Callable[[], Sequence[LeaseCommand]]
    wait: Callable[[float], Sequence[LeaseCommand]]


class InlineEngine(AbstractEngine):
    """Runs assignments in the thread that waits for the study.

    Args:
      threads: intra-op threads while an assignment runs. Results may depend on it in their last bits.
      resident_bytes: how much memory recent states may fill. None for 1 GiB, or on a small machine a quarter of all.
      max_lanes: how many lanes it walks at once at most, in studies with numerics="fused"; 1: each by itself. None:
        found by measuring, and 64 at most, or 256 on a GPU. Results do not depend on it, so it is no part of the
        workload.

    Raises:
      EngineError: an argument is out of its bounds.
    """

    trains_in_this_process = True

    @explain_calls(**HINTS, workers="it trains in this process; hippo.LocalEngine(workers=...) has workers")
    def __init__(self, *, threads: int = 1, resident_bytes: int | None = None, max_lanes: int | None = None) -> None:
        check_count("threads", threads)
        if resident_bytes is not None:
            check_count("resident_bytes", resident_bytes, least=0)
        if max_lanes is not None:
            check_count("max_lanes", max_lanes)
        self.max_lanes = max_lanes
        self._threads = threads
        self._specs: dict[str, TrainerSpec] = {}
        self._trainers = Trainers()
        self._inbox = LoopInbox()
        held = fair_resident_bytes(1) if resident_bytes is None else resident_bytes
        self._slot = InlineSlot(self._inbox, resident_bytes=held)
        #: what the clock and the store were made of
        self._made_of: tuple[object, object] | None = None

    @property
    def is_idle(self) -> bool:
        """As promised. With a slot open and nothing in it, no thread that comes to serve has anything to emit."""
        is_at_rest = self._slot.is_at_rest and self._inbox.is_empty
        return is_at_rest and (self._slot.id is not None or not self._specs)

    def start(self, emit: Emit, *, checkpoints: str | AbstractCheckpointStore, clock: Clock) -> None:
        self._inbox.open(emit)
        if self._made_of != (checkpoints, clock):  # else only the loop is another one
            self._made_of = (checkpoints, clock)
            self._clock, self._checkpoints = clock, open_checkpoints(checkpoints)
            self._slot.forget_states()

    def environment(self) -> Mapping[str, str]:
        device = next(iter(visible_devices()), None)
        return describe_environment(self._threads, device_field(device))

    def open_workload(self, spec: TrainerSpec) -> None:
        self._specs[spec.workload] = spec
        self._open_slot()

    def submit(self, assignment: Assignment) -> None:
        self._slot.submit(assignment)

    def send(self, command: Command) -> None:
        self._slot.send(command)

    def lose(self, slot: SlotId, reason: str) -> None:
        """As promised, but at the next step's end: there is no force in here."""
        self._slot.lose(slot, reason)

    def describe(self, slot: SlotId) -> str:
        return f"this process, pid {os.getpid()}"

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        done.add_done_callback(self._slot.wake)
        if self._specs:
            self._open_slot()
        try:
            with generators_kept():  # whoever waits draws from the same ones, in the same process
                while (assignment := self._slot.take(done)) is not None:
                    self._run(assignment, turn_taken(self._slot.check_not_begun, serves=True))
        except BaseException as error:  # Ctrl-C, mostly, also before `take` could return what it took
            if self._slot.is_served_here:
                self._lose_slot(f"stopped by {type(error).__name__}")
            raise

    @property
    def has_waiting(self) -> bool:
        """Whether it was given work that no thread runs yet."""
        return self._slot.has_waiting

    def serve_waiting(self, why_lost: str) -> None:
        """Run what waits, if anything does, in the calling thread; never wait for more.

        Args:
          why_lost: said of the slot if what runs is broken off. That was to happen, and is no loss of the work.
        """
        assignment = self._slot.take_waiting()
        if assignment is None:
            return
        try:
            self._run(assignment, nullcontext())  # in slices, between which this thread goes on with something else
        except BaseException:
            if self._slot.is_served_here:
                self._lose_slot(why_lost, announced=True)
            raise

    async def close(self, *, timeout_s: float) -> None:
        """As promised, but a step that outlasts `timeout_s` goes on in its thread: there is no force in here."""
        left = self._slot.close()
        self._specs.clear()  # the next one to open a workload may be another loop's
        if left is not None:
            try:
                await asyncio.wait_for(asyncio.wrap_future(left), timeout_s)
            except TimeoutError:
                return  # what goes on has a trainer yet
        self._trainers = Trainers()  # processes that they have started end with them
        self._slot.forget_states()

    # ------------------------------------------------------------------------------------- in a serving thread

    def _run(self, assignment: Assignment, turn: AbstractContextManager[None]) -> None:
        done = AssignmentDone(lease=assignment.lease, slot=assignment.slot)
        try:
            with turn, pinned(self._threads):
                spec = self._specs[assignment.workload]
                run_assignment(assignment, spec, self._trainers, self._host(), assignment.slot)
        except EngineClosing:
            self._slot.finish()
        except SlotGivenUp as lost:
            self._slot.finish(is_lost=True)
            self._inbox.put(SlotLost(slot=assignment.slot, reason=str(lost)))
            self._open_slot()
        except StoppedWaiting:
            self._lose_slot("stopped before its turn", announced=True)
            self._open_slot()
        except TrainerError as error:
            self._slot.finish()
            self._inbox.put(TrainerUnusable(workload=assignment.workload, reason=str(error)), done)
        else:
            self._slot.finish()
            self._inbox.put(done)

    def _host(self) -> _Host:
        """Return what lanes that begin now see, to their end: of the engine, which may be started anew meanwhile."""
        slot = self._slot
        return _Host(
            clock=self._clock,
            checkpoints=self._checkpoints,
            residents=slot.residents,
            standing=slot.standing,
            emit=slot.emit,
            poll=slot.poll,
            wait=slot.wait,
        )

    def _lose_slot(self, reason: str, *, announced: bool = False) -> None:
        """Report the slot as lost. Another one opens when a thread serves again: until then none could run it."""
        ended = self._slot.finish(is_lost=True)
        assert ended is not None, "only a slot that ran something can be lost"
        # The user wanted it to end: that counts as no loss of the work.
        lost = SlotLost(slot=ended.slot, reason=reason, announced=announced)
        self._inbox.put(AssignmentDone(lease=ended.lease, slot=ended.slot), lost)

    def _open_slot(self) -> None:
        slot = self._slot.open()
        if slot is not None:
            self._inbox.put(SlotOpened(slot=slot, environment=self.environment()))
