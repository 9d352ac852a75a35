"""The work of a host, done by an engine of its own process: in a rank that has bubbles, say.

It refuses to know who the host works for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import SystemClock
from hippo.engines.engine import AbstractEngine, Emit
from hippo.engines.node_host import HostWork
from hippo.events import EngineEvent, EngineFailed
from hippo.frozen import changed
from hippo.records import Assignment, Command, SlotCommand, SlotId, TrainerSpec


class EngineWork(HostWork):
    """An engine as a host's work. Its slots have the host's name before their own.

    Args:
      engine: runs assignments. It is started here.
      host: the host's name.
      checkpoints: where states are kept.
      refusal: returns why it cannot train a workload; "" if it can. It is asked when there is work of it, and what it
        says is the host's end.
    """

    def __init__(
        self,
        engine: AbstractEngine,
        *,
        host: str,
        checkpoints: str | AbstractCheckpointStore,
        refusal: Callable[[TrainerSpec], str],
    ) -> None:
        self._engine, self._before, self._checkpoints, self._refusal = engine, f"{host}/", checkpoints, refusal
        #: none once it is over
        self._emit: Emit | None = None

    def start(self, emit: Emit) -> None:
        self._emit = emit
        self._engine.start(self._tell, checkpoints=self._checkpoints, clock=SystemClock())

    def open_workload(self, spec: TrainerSpec) -> None:
        self._engine.open_workload(spec)

    def submit(self, assignment: Assignment, spec: TrainerSpec) -> None:
        if reason := self._refusal(spec):
            asyncio.get_running_loop().call_soon(self._tell, EngineFailed(reason=reason))
        else:
            self._engine.submit(changed(assignment, slot=self._own(assignment.slot)))

    def send(self, command: Command) -> None:
        if isinstance(command, SlotCommand):
            command = replace(command, slot=self._own(command.slot))
        self._engine.send(command)

    def lose(self, slot: SlotId, reason: str) -> None:
        self._engine.lose(self._own(slot), reason)

    def describe(self, slot: SlotId) -> str:
        return self._engine.describe(self._own(slot))

    async def close(self, *, timeout_s: float) -> None:
        await self._engine.close(timeout_s=timeout_s)

    def dispose(self) -> None:
        self._emit = None
        self._closing = asyncio.get_running_loop().create_task(self._engine.close(timeout_s=0.0))

    def _own(self, slot: SlotId) -> SlotId:
        return SlotId(slot.removeprefix(self._before))

    def _tell(self, event: EngineEvent) -> None:
        if self._emit is not None:
            slot = getattr(event, "slot", None)
            self._emit(event if slot is None else changed(event, slot=SlotId(self._before + slot)))
