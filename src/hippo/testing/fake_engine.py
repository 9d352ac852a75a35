"""An engine that trains nothing and answers at once: what remains is the cost of deciding.

It keeps every promise of `AbstractEngine` except that states do not exist: the checkpoints that it reports hold no
bytes. It refuses to know trainers; whatever was asked for has the same metrics.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Iterator, Mapping
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import Clock
from hippo.engines.engine import Emit
from hippo.events import (
    AssignmentDone,
    CheckpointWritten,
    EngineEvent,
    Evaluated,
    SlotOpened,
    StateHashed,
    StatesResident,
    StepDone,
)
from hippo.records import (
    Assignment,
    CheckpointRef,
    Command,
    Keep,
    LaneStage,
    NodeId,
    SlotId,
    TrainerSpec,
)

#: what every step is said to take; above zero, so that costs can be learned
SECONDS_PER_STEP = 1e-3


class FakeEngine:
    """Answers each assignment on the loop's next turn, as if it had been trained."""

    def __init__(self, *, slots: int = 2, metrics: Mapping[str, float] | None = None) -> None:
        """Create it.

        Args:
          slots: how many assignments are under way at a time.
          metrics: what every evaluation says; None: a loss of 1.
        """
        self._slots = tuple(SlotId(f"fake-{number}") for number in range(slots))
        self._metrics = dict(metrics or {"loss": 1.0})
        self._evaluate_every: dict[str, int] = {}
        self._emit: Emit | None = None

    def start(self, emit: Emit, *, checkpoints: str | AbstractCheckpointStore, clock: Clock) -> None:
        self._emit = emit

    def environment(self) -> dict[str, str]:
        return {"engine": "fake"}

    def open_workload(self, spec: TrainerSpec) -> None:
        is_first = not self._evaluate_every
        self._evaluate_every[spec.workload] = spec.evaluate_every
        if is_first:
            self._soon(SlotOpened(slot=slot, environment=self.environment()) for slot in self._slots)

    def submit(self, assignment: Assignment) -> None:
        self._soon(self._events(assignment))

    def send(self, command: Command) -> None:
        """Drop it: by the time that a command is sent, its lease has as good as ended."""

    def lose(self, slot: SlotId, reason: str) -> None:
        """Drop it: nothing here can hang."""

    def describe(self, slot: SlotId) -> str:
        return "no process"

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        concurrent.futures.wait([done])

    async def close(self, *, timeout_s: float) -> None:
        self._emit = None

    def _soon(self, events: Iterator[EngineEvent]) -> None:
        asyncio.get_running_loop().call_soon(self._emit_all, events)

    def _emit_all(self, events: Iterator[EngineEvent]) -> None:
        for event in events:
            if self._emit is not None:
                self._emit(event)

    def _events(self, assignment: Assignment) -> Iterator[EngineEvent]:
        for number, lane in enumerate(assignment.lanes):
            for stage in lane.stages:
                yield from self._stage_events(assignment, number, stage)
        yield AssignmentDone(lease=assignment.lease, slot=assignment.slot)

    def _stage_events(self, assignment: Assignment, lane: int, stage: LaneStage) -> Iterator[EngineEvent]:
        lease, node, every = assignment.lease, stage.node, self._evaluate_every[assignment.workload]
        for step in range(stage.start + 1, stage.stop + 1):
            yield StepDone(lease=lease, lane=lane, node=node, step=step, training={}, seconds=SECONDS_PER_STEP)
            if step % every == 0 or (step == stage.stop and stage.boundary.evaluate):
                yield Evaluated(lease=lease, lane=lane, node=node, step=step, metrics=self._metrics, seconds=0.0)
        if stage.start == stage.stop:
            yield Evaluated(lease=lease, lane=lane, node=node, step=stage.stop, metrics=self._metrics, seconds=0.0)
        if stage.boundary.keep is not Keep.NOTHING:
            yield self._state_event(assignment, lane, node, stage)

    def _state_event(self, assignment: Assignment, lane: int, node: NodeId, stage: LaneStage) -> EngineEvent:
        lease, step, state_hash = assignment.lease, stage.stop, f"{node}-{stage.stop}"
        if stage.boundary.keep is Keep.TRANSIENT:
            workload = assignment.plan or assignment.workload
            return StatesResident(slot=assignment.slot, workload=workload, added=((node, step),))
        if not stage.boundary.is_written(self._metrics):
            return StateHashed(lease=lease, lane=lane, node=node, step=step, state_hash=state_hash)
        key = f"{assignment.prefix}-n{node}-s{step}"
        reference = CheckpointRef(key=key, size_bytes=0, sha256="", state_hash=state_hash)
        return CheckpointWritten(lease=lease, lane=lane, node=node, step=step, checkpoint=reference, seconds=0.0)
