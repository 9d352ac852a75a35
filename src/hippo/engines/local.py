"""Assignments in worker processes on this machine, one worker for each device, or each core.

Workers are forked by a launcher, kept across assignments, and replaced when they die; none outlives this process.
This module refuses to know what a worker does with an assignment.
"""

from __future__ import annotations

import concurrent.futures
import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore, MemoryCheckpoints
from hippo.clock import Clock
from hippo.engines.crew import Crew
from hippo.engines.devices import check_count, device_field, place_workers, visible_devices
from hippo.engines.engine import Emit
from hippo.engines.wire import LauncherSetup
from hippo.errors import EngineError
from hippo.events import EngineEvent, EngineFailed
from hippo.records import Assignment, Command, SlotId, TrainerSpec
from hippo.training.environment import describe_environment

_MOST_CREWS_LOST = 3


class LocalEngine:
    """Runs assignments in worker processes on this machine.

    Works from a script without a `__main__` guard, standard input, notebooks and tests: workers never run the
    study's own `__main__`.

    Args:
      workers: number of worker processes; None for one per CUDA device, else one per core (per `threads` cores).
      threads: intra-op threads of each worker. Results may depend on it in their last bits.
      devices: CUDA devices to share out, named as in CUDA_VISIBLE_DEVICES; None for all that are visible.

    Raises:
      EngineError: an argument is out of its bounds.
    """

    def __init__(
        self, workers: int | None = None, *, threads: int = 1, devices: Sequence[str | int] | None = None
    ) -> None:
        if workers is not None:
            check_count("workers", workers)
        check_count("threads", threads)
        self._workers = workers
        self._threads = threads
        self._devices = None if devices is None else tuple(map(str, devices))
        self._specs: dict[str, TrainerSpec] = {}
        self._slots = (SlotId(f"local-{number}") for number in itertools.count(1))
        self._crew: Crew | None = None
        self._crews_lost = 0

    def start(self, emit: Emit, *, checkpoints: str | AbstractCheckpointStore, clock: Clock) -> None:
        if isinstance(checkpoints, MemoryCheckpoints) or checkpoints == "memory://":
            raise EngineError(
                "checkpoints in memory cannot be shared by worker processes. Name a folder, or use InlineEngine()."
            )
        self._emit = emit
        self._checkpoints = checkpoints

    def environment(self) -> Mapping[str, str]:
        return describe_environment(self._threads, device_field(self._places[0]), hash_seed="0")  # as launchers do

    def open_workload(self, spec: TrainerSpec) -> None:
        self._specs[spec.workload] = spec
        self._preloaded = spec
        if self._crew is None:
            self._open_crew()

    def submit(self, assignment: Assignment) -> None:
        if self._crew is not None:
            self._crew.submit(assignment, self._specs[assignment.workload])

    def send(self, command: Command) -> None:
        if self._crew is not None:
            self._crew.send(command)

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        try:
            concurrent.futures.wait([done])
        except KeyboardInterrupt as stop:
            raise stop.with_traceback(None) from None  # where we waited tells nobody where the workers are

    async def close(self, *, timeout_s: float) -> None:
        if self._crew is not None:
            await self._crew.close(timeout_s=timeout_s)
            self._crew = None

    def _open_crew(self) -> None:
        setup = LauncherSetup(spec=self._preloaded, checkpoints=self._checkpoints, threads=self._threads)
        self._crew = Crew(setup, self._places, slots=self._slots, owner=self)

    @functools.cached_property
    def _places(self) -> tuple[str | None, ...]:
        devices = visible_devices() if self._devices is None else self._devices
        return place_workers(self._workers, devices, threads=self._threads)

    # ------------------------------------------------------------------------------------ what the crew tells

    def on_event(self, event: EngineEvent) -> None:
        self._emit(event)

    def on_crew_lost(self, reason: str) -> None:
        assert self._crew is not None, "only a crew tells this"
        self._crews_lost = 1 if self._crew.has_opened else self._crews_lost + 1
        self._crew = None
        if self._crews_lost < _MOST_CREWS_LOST:
            try:
                self._open_crew()
            except OSError as error:  # no memory, no more processes: there is nobody above us to raise it to
                reason = f"{reason}\nAnother one could not be started: {error}"
        if self._crew is None:
            self._emit(EngineFailed(reason=reason))

    def on_crew_unable(self, reason: str) -> None:
        assert self._crew is not None, "only a crew tells this"
        self._crew.dispose()
        self._crew = None
        self._emit(EngineFailed(reason=reason))
