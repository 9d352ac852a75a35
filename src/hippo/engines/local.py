"""Assignments in worker processes on this machine, one worker for each device, or each core.

Workers are forked by a launcher, kept across assignments, and replaced when they die; none outlives this process.
Workloads whose code agrees share a launcher and its workers; where a module was changed in between, as in a notebook,
the later workload gets a launcher of its own, and slots go from pool to pool with the work.
This module refuses to know what a worker does with an assignment.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from hippo.arguments import explain_calls
from hippo.checkpoints import AbstractCheckpointStore, MemoryCheckpoints
from hippo.clock import Clock
from hippo.engines.devices import (
    HINTS,
    check_count,
    chosen_devices,
    device_field,
    fair_resident_bytes,
    like_devices,
    place_workers,
)
from hippo.engines.engine import AbstractEngine, Emit
from hippo.engines.wire import LauncherSetup
from hippo.engines.worker_pool import WorkerPool
from hippo.errors import EngineError
from hippo.events import EngineEvent, EngineFailed, TrainerUnusable
from hippo.records import Assignment, Command, SlotId, TrainerSpec
from hippo.training.environment import describe_environment

_MOST_POOLS_LOST = 3
#: pools kept ready though no slot is theirs
_MOST_IDLE_POOLS = 2


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
    ) -> None:
        if workers is not None:
            check_count("workers", workers)
        check_count("threads", threads)
        if resident_bytes is not None:
            check_count("resident_bytes", resident_bytes, least=0)
        self._workers = workers
        self._threads = threads
        self._devices = None if devices is None else chosen_devices(devices)
        self._resident_bytes = resident_bytes
        self._specs: dict[str, TrainerSpec] = {}
        self._slots = (SlotId(f"local-{number}") for number in itertools.count(1))
        #: that which was used last comes last
        self._pools: list[WorkerPool] = []
        self._pool_of: dict[str, WorkerPool] = {}
        #: places that no pool keeps filled, once there are any
        self._vacant: tuple[str | None, ...] = ()
        self._has_places = False
        self._pools_lost = 0

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
        self._pool_for(spec)

    def submit(self, assignment: Assignment) -> None:
        holder = self._holder(assignment.slot)
        if holder is None:
            return  # its `SlotLost` has been told
        pool = self._pool_for(self._specs[assignment.workload])
        if pool is not holder:
            device, forgotten = holder.leave_slot(assignment.slot)
            pool.take_slot(assignment.slot, device)
            for event in forgotten:
                asyncio.get_running_loop().call_soon(self._emit, event)
        self._pools.sort(key=lambda each: each is pool)
        self._dismiss_idle()
        pool.submit(assignment)

    def send(self, command: Command) -> None:
        for pool in self._pools:
            pool.send(command)

    def lose(self, slot: SlotId, reason: str) -> None:
        holder = self._holder(slot)
        if holder is not None:
            holder.lose(slot, reason)

    def describe(self, slot: SlotId) -> str:
        holder = self._holder(slot)
        return holder.describe(slot) if holder is not None else "gone"

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        try:
            concurrent.futures.wait([done])
        except KeyboardInterrupt as stop:
            raise stop.with_traceback(None) from None  # where we waited tells nobody where the workers are

    async def close(self, *, timeout_s: float) -> None:
        pools = self._forget_all()
        await asyncio.gather(*(pool.close(timeout_s=timeout_s) for pool in pools))

    # ------------------------------------------------------------------------------------------------- its pools

    def _holder(self, slot: SlotId) -> WorkerPool | None:
        return next((pool for pool in self._pools if slot in pool), None)

    def _pool_for(self, spec: TrainerSpec) -> WorkerPool:
        """Return the pool that a workload's code is that of, or else a new one, which fills what places are free."""
        known = self._pool_of.get(spec.workload)
        pool = known if known is not None and known.agrees_with(spec) else None
        if pool is None:
            pool = next((pool for pool in reversed(self._pools) if pool.agrees_with(spec)), None) or self._open_pool(
                spec
            )
        self._pool_of[spec.workload] = pool
        pool.learn(spec)
        return pool

    def _open_pool(self, spec: TrainerSpec) -> WorkerPool:
        if not self._has_places:
            self._vacant, self._has_places = self._places, True
        setup = LauncherSetup(
            spec=spec,
            checkpoints=self._checkpoints,
            threads=self._threads,
            resident_bytes=(
                fair_resident_bytes(len(self._places)) if self._resident_bytes is None else self._resident_bytes
            ),
        )
        pool = WorkerPool(setup, self._vacant, slots=self._slots, owner=self)
        self._pools.append(pool)
        self._vacant = ()
        return pool

    def _dismiss_idle(self) -> None:
        """End pools without a slot, but for those that were used last: their workloads may get another turn."""
        for pool in [pool for pool in self._pools if not pool.places][:-_MOST_IDLE_POOLS]:
            self._forget(pool)
            pool.dispose()

    def _forget(self, pool: WorkerPool) -> None:
        self._pools.remove(pool)
        for workload in [workload for workload, known in self._pool_of.items() if known is pool]:
            del self._pool_of[workload]

    def _forget_all(self) -> list[WorkerPool]:
        pools, self._pools = self._pools, []
        self._pool_of.clear()
        self._vacant, self._has_places = (), False
        return pools

    @functools.cached_property
    def _places(self) -> tuple[str | None, ...]:
        devices = like_devices() if self._devices is None else self._devices
        return place_workers(self._workers, devices, threads=self._threads)

    # ----------------------------------------------------------------------------------------- what a pool tells

    def on_event(self, event: EngineEvent) -> None:
        self._emit(event)

    def on_pool_lost(self, pool: WorkerPool, places: Sequence[str | None], reason: str) -> None:
        self._pools_lost = 1 if pool.has_opened else self._pools_lost + 1
        others = [pool.preloaded, *pool.others]
        self._forget(pool)
        if self._pools_lost >= _MOST_POOLS_LOST:
            self.on_pool_unable(pool, reason)
            return
        try:
            self._staff(places, others)
        except OSError as error:  # no memory, no more processes: there is nobody above us to raise it to
            self.on_pool_unable(pool, f"{reason}\nAnother one could not be started: {error}")

    def on_pool_unable(self, pool: WorkerPool, reason: str) -> None:
        for each in self._forget_all():
            each.dispose()
        self._emit(EngineFailed(reason=reason))

    def on_trainer_unusable(self, pool: WorkerPool, workload: str, reason: str) -> None:
        self._pool_of.pop(workload, None)
        self._emit(TrainerUnusable(workload=workload, reason=reason))

    def on_pool_useless(self, pool: WorkerPool, places: Sequence[str | None], reason: str) -> None:
        self._forget(pool)
        self._staff(places, pool.others)

    def _staff(self, places: Sequence[str | None], specs: Sequence[TrainerSpec]) -> None:
        """Have places filled that a pool left behind, by one that knows its workloads, or any, or the next to open."""
        self._vacant += tuple(places)
        for spec in specs:
            self._pool_for(spec)
        if self._pools:
            self._pools[-1].fill(self._vacant)
            self._vacant = ()
