"""Assignments in worker processes on this machine, one worker for each device, or each core.

Workers are forked by a launcher, kept across assignments, and replaced when they die; none outlives this process.
Workloads whose code agrees share a launcher and its workers; where a module was changed in between, as in a notebook,
the later workload gets a launcher of its own (`WorkerPools`).
This module refuses to know what a worker does with an assignment.
"""

from __future__ import annotations

import concurrent.futures
import functools
import itertools
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from hippo.arguments import explain_calls
from hippo.checkpoints import AbstractCheckpointStore, MemoryCheckpoints
from hippo.clock import Clock
from hippo.engines.devices import (
    HINTS,
    check_count,
    checked_ranks,
    chosen_devices,
    device_field,
    fair_resident_bytes,
    grouped_devices,
    like_devices,
    place_workers,
)
from hippo.engines.engine import AbstractEngine, Emit
from hippo.engines.wire import LauncherSetup
from hippo.engines.worker_pools import WorkerPools
from hippo.errors import EngineError
from hippo.records import Assignment, Command, SlotId, TrainerSpec
from hippo.training.process.environment import describe_environment
from hippo.waiting import wait_until_done


class LocalEngine(AbstractEngine):
    """Runs assignments in worker processes on this machine.

    Works from a script without a `__main__` guard, standard input, notebooks and tests: workers never run the
    study's own `__main__`.

    Args:
      workers: number of worker processes; None for one per CUDA device, else one per core (per `threads` cores).
      threads: intra-op threads of each worker. Results may depend on it in their last bits.
      devices: CUDA devices to share out, all of one model, named as in CUDA_VISIBLE_DEVICES; None for all that are
        visible, or if they are of several models for those of the most frequent one.
      resident_bytes: how much memory each worker may fill with recent states, so that going on from one need not read
        a file. None for 1 GiB, or on a smaller machine its fair share of a quarter of the memory.
      max_lanes: how many lanes a worker walks at once at most, in studies with numerics="fused"; 1: each by itself.
        None: found by measuring, and 64 at most, or 256 on a GPU. Results do not depend on it, so it is no part of the
        workload.
      ranks: of how many processes each worker is, which compute the shards of each batch together (see
        `TorchTrainer.shards`), each on a device of its own where there are devices: a power of two, and results do not
        depend on it. With numerics="elastic" models are divided among these processes: any number, on which results
        depend.
      world_size: the same, for trainers without shards: each batch is divided among so many processes. Results depend
        on it, so it belongs to their environment, and results of another number are never mixed with them.

    Raises:
      EngineError: an argument is out of its bounds, or names a device that is not there.
    """

    @explain_calls(**HINTS)
    def __init__(
        self,
        workers: int | None = None,
        *,
        threads: int = 1,
        devices: Sequence[str | int] | None = None,
        resident_bytes: int | None = None,
        max_lanes: int | None = None,
        ranks: int = 1,
        world_size: int = 1,
    ) -> None:
        if workers is not None:
            check_count("workers", workers)
        check_count("threads", threads)
        if resident_bytes is not None:
            check_count("resident_bytes", resident_bytes, least=0)
        if max_lanes is not None:
            check_count("max_lanes", max_lanes)
        self._ranks = checked_ranks(ranks, world_size)
        self._is_world = world_size > 1
        self.max_lanes = max_lanes
        self._workers = workers
        self._threads = threads
        self._devices = None if devices is None else chosen_devices(devices)
        self._resident_bytes = resident_bytes
        self._specs: dict[str, TrainerSpec] = {}
        slots = (SlotId(f"local-{number}") for number in itertools.count(1))
        self._pools = WorkerPools(self._setup, find_places=lambda: self._places, slots=slots)

    def start(self, emit: Emit, *, checkpoints: str | AbstractCheckpointStore, clock: Clock) -> None:
        if isinstance(checkpoints, MemoryCheckpoints) or checkpoints == "memory://":
            raise EngineError(
                "checkpoints in memory cannot be shared by worker processes. Name a folder, or use InlineEngine()."
            )
        self._checkpoints = checkpoints
        self._pools.start(emit)

    def environment(self) -> Mapping[str, str]:
        world_size = self._ranks if self._is_world else 1
        field = device_field(self._places[0])
        return describe_environment(self._threads, field, hash_seed="0", world_size=world_size)  # as launchers do

    def open_workload(self, spec: TrainerSpec) -> None:
        self._specs[spec.workload] = spec
        self._pools.open_workload(spec)

    def submit(self, assignment: Assignment) -> None:
        self._pools.submit(assignment, self._specs[assignment.workload])

    def send(self, command: Command) -> None:
        self._pools.send(command)

    def lose(self, slot: SlotId, reason: str) -> None:
        self._pools.lose(slot, reason)

    def describe(self, slot: SlotId) -> str:
        return self._pools.describe(slot)

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        try:
            wait_until_done(done)
        except KeyboardInterrupt as stop:
            raise stop.with_traceback(None) from None  # where we waited tells nobody where the workers are

    async def close(self, *, timeout_s: float) -> None:
        await self._pools.close(timeout_s=timeout_s)

    # --- what pools are made of

    def _setup(self, spec: TrainerSpec) -> LauncherSetup:
        held = fair_resident_bytes(len(self._places)) if self._resident_bytes is None else self._resident_bytes
        return LauncherSetup(
            spec=spec,
            checkpoints=self._checkpoints,
            threads=self._threads,
            resident_bytes=held,
            ranks=self._ranks,
            is_world=self._is_world,
            arguments=tuple(sys.argv),
        )

    @functools.cached_property
    def _places(self) -> tuple[str | None, ...]:
        devices = like_devices() if self._devices is None else self._devices
        if self._ranks > 1:
            devices = grouped_devices(devices, self._ranks, option="world_size" if self._is_world else "ranks")
        return place_workers(self._workers, devices, threads=self._threads * self._ranks)
