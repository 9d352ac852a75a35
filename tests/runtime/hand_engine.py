"""An engine that does nothing by itself: what it was given is there to be looked at, and a test says what workers say.

A tuner runs on the control loop's thread, as an engine's events do: so tests speak for the engine from within a tuner.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable
from typing import Any

from hippo.engines import AbstractEngine
from hippo.events import AssignmentDone, CheckpointWritten, EngineEvent, Evaluated, SlotLost, SlotOpened, StepDone
from hippo.records import Assignment, CheckpointRef, Command, SlotId, TrainerSpec


async def eventually(condition: Callable[[], bool]) -> None:
    """Let the control loop take its turns until something holds, which it must soon."""
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.001)


class HandEngine(AbstractEngine):
    """One slot, or several, and nobody in them. Nobody knows what a test makes of its work: it outlives the process.

    Args:
      slots: how many.
      on_submit: called with each assignment before it is taken in.
    """

    work_outlives_process = True

    def __init__(self, *, slots: int = 1, on_submit: Callable[[Assignment], None] = lambda _: None) -> None:
        self.given: list[Assignment] = []
        self.sent: list[Command] = []
        self._slots = slots
        self._on_submit = on_submit
        self._emit: Callable[[EngineEvent], None] = lambda _: None
        self._is_open = False

    def start(self, emit: Callable[[EngineEvent], None], **_: Any) -> None:
        self._emit = emit

    def environment(self) -> dict[str, str]:
        return {}

    def open_workload(self, spec: TrainerSpec) -> None:
        if not self._is_open:
            self._is_open = True
            for number in range(self._slots):
                self.open_slot(f"hand-{number}")

    def submit(self, assignment: Assignment) -> None:
        self._on_submit(assignment)
        self.given.append(assignment)

    def send(self, command: Command) -> None:
        self.sent.append(command)

    def lose(self, slot: SlotId, reason: str) -> None:
        self._emit(SlotLost(slot=slot, reason=reason))

    def describe(self, slot: SlotId) -> str:
        return "by hand"

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        concurrent.futures.wait([done])

    async def close(self, *, timeout_s: float) -> None:
        pass

    # --- what a test says

    def open_slot(self, name: str) -> None:
        asyncio.get_running_loop().call_soon(self._emit, SlotOpened(slot=SlotId(name)))

    def say(self, event: EngineEvent) -> None:
        self._emit(event)

    async def assignment(self, number: int = 0) -> Assignment:
        """Wait for the assignment of this number, counted from 0."""
        await eventually(lambda: len(self.given) > number)
        return self.given[number]

    def walk(self, assignment: Assignment, *, until: int, loss: float = 1.0) -> None:
        """Say that the lane was trained and evaluated at each step up to `until`."""
        for stage in assignment.lanes[0].stages:
            for step in range(stage.start + 1, min(stage.stop, until) + 1):
                where: dict[str, Any] = {"lease": assignment.lease, "lane": 0, "node": stage.node, "step": step}
                self.say(StepDone(**where, training={}, seconds=1.0))
                self.say(Evaluated(**where, metrics={"loss": loss}, seconds=1.0))

    def write(self, assignment: Assignment, step: int) -> None:
        """Say that the state after `step` was written."""
        node = next(stage.node for stage in assignment.lanes[0].stages if stage.start < step <= stage.stop)
        ref = CheckpointRef(key=f"{assignment.prefix}-s{step}", size_bytes=1, sha256="", state_hash="s")
        self.say(CheckpointWritten(lease=assignment.lease, lane=0, node=node, step=step, checkpoint=ref, seconds=1.0))

    def end(self, assignment: Assignment) -> None:
        """Say that the lane has ended."""
        self.say(AssignmentDone(lease=assignment.lease, slot=assignment.slot))

    def lose_worker_of(self, assignment: Assignment) -> None:
        """Say that the worker is gone."""
        self.say(SlotLost(slot=assignment.slot, reason="test"))
