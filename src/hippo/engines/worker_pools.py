"""The pools of an engine: which of them runs which workload, and what happens to their places when one ends.

Workloads whose code agrees share a pool. Where a module was changed in between, the later workload gets a pool of its
own, and slots go from pool to pool with the work. This module refuses to know what a launcher is told, and what a
worker does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence

from hippo.engines.engine import Emit
from hippo.engines.wire import LauncherSetup
from hippo.engines.worker_pool import PoolOwner, WorkerPool
from hippo.events import EngineEvent, EngineFailed, TrainerUnusable
from hippo.records import Assignment, Command, SlotId, TrainerSpec

_MOST_POOLS_LOST = 3
#: pools kept ready though no slot is theirs
_MOST_IDLE_POOLS = 2


class WorkerPools(PoolOwner):
    """Pools of workers, by workload; the places of one that ended are filled by another.

    Args:
      make_setup: returns what the launcher of a pool is told, whose first workload is this.
      find_places: returns the device of each worker to be; asked when the first pool opens.
      slots: where slot ids come from.
    """

    def __init__(
        self,
        make_setup: Callable[[TrainerSpec], LauncherSetup],
        *,
        find_places: Callable[[], Sequence[str | None]],
        slots: Iterator[SlotId],
    ) -> None:
        self._make_setup = make_setup
        self._find_places = find_places
        self._slots = slots
        #: that which was used last comes last
        self._pools: list[WorkerPool] = []
        self._pool_of: dict[str, WorkerPool] = {}
        #: places that no pool keeps filled; None before there are any
        self._vacant: tuple[str | None, ...] | None = None
        self._pools_lost = 0

    def start(self, emit: Emit) -> None:
        """Have events told to `emit`."""
        self._emit = emit

    def holder(self, slot: SlotId) -> WorkerPool | None:
        """Return the pool whose worker is in this slot; None if it is gone."""
        return next((pool for pool in self._pools if slot in pool), None)

    def lose(self, slot: SlotId, reason: str) -> None:
        """End the worker of a slot, if it is there still."""
        holder = self.holder(slot)
        if holder is not None:
            holder.lose(slot, reason)

    def describe(self, slot: SlotId) -> str:
        """Return where a slot is, for people."""
        holder = self.holder(slot)
        return holder.describe(slot) if holder is not None else "gone"

    def open_workload(self, spec: TrainerSpec) -> WorkerPool:
        """Return the pool that a workload's code is that of, or else a new one, which fills what places are free."""
        pool = self._pool_of.get(spec.workload)
        if pool is None or not pool.workloads.agree_with(spec):
            agreeing = (pool for pool in reversed(self._pools) if pool.workloads.agree_with(spec))
            pool = next(agreeing, None) or self._open_pool(spec)
        self._pool_of[spec.workload] = pool
        pool.workloads.add(spec)
        return pool

    def submit(self, assignment: Assignment, spec: TrainerSpec) -> None:
        """Hand an assignment to a worker of its workload's pool, which takes the slot over if it was another one's."""
        holder = self.holder(assignment.slot)
        if holder is None:
            return  # its `SlotLost` has been told
        pool = self.open_workload(spec)
        if pool is not holder:
            device, forgotten = holder.leave_slot(assignment.slot)
            pool.take_slot(assignment.slot, device)
            for event in forgotten:
                asyncio.get_running_loop().call_soon(self._emit, event)
        self._pools.sort(key=lambda each: each is pool)
        self._dismiss_idle()
        pool.submit(assignment)

    def send(self, command: Command) -> None:
        """Hand a command to the worker that it is for, if there is one."""
        for pool in self._pools:
            pool.send(command)

    async def close(self, *, timeout_s: float) -> None:
        """Close all of them, at once, and have no places."""
        pools = self._forget_all()
        await asyncio.gather(*(pool.close(timeout_s=timeout_s) for pool in pools))

    def dispose(self) -> None:
        """Kill all processes, at once and without a word, and have no places."""
        for pool in self._forget_all():
            pool.dispose()

    def _open_pool(self, spec: TrainerSpec) -> WorkerPool:
        places = self._find_places() if self._vacant is None else self._vacant
        pool = WorkerPool(self._make_setup(spec), places, slots=self._slots, owner=self)
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
        self._vacant = None
        return pools

    # ----------------------------------------------------------------------------------------- what a pool tells

    def on_event(self, event: EngineEvent) -> None:
        self._emit(event)

    def on_pool_lost(self, pool: WorkerPool, places: Sequence[str | None], reason: str) -> None:
        self._pools_lost = 1 if pool.has_opened else self._pools_lost + 1
        others = [pool.workloads.first, *pool.workloads.others]
        self._forget(pool)
        if self._pools_lost >= _MOST_POOLS_LOST:
            self.on_pool_unable(pool, reason)
            return
        try:
            self._staff(places, others)
        except OSError as error:  # no memory, no more processes: there is nobody above us to raise it to
            self.on_pool_unable(pool, f"{reason}\nAnother one could not be started: {error}")

    def on_pool_unable(self, pool: WorkerPool, reason: str) -> None:
        self.dispose()
        self._emit(EngineFailed(reason=reason))

    def on_trainer_unusable(self, pool: WorkerPool, workload: str, reason: str) -> None:
        self._pool_of.pop(workload, None)
        self._emit(TrainerUnusable(workload=workload, reason=reason))

    def on_pool_useless(self, pool: WorkerPool, places: Sequence[str | None], reason: str) -> None:
        self._forget(pool)
        self._staff(places, pool.workloads.others)

    def _staff(self, places: Sequence[str | None], specs: Sequence[TrainerSpec]) -> None:
        """Have places filled that a pool left behind, by one that knows its workloads, or any, or the next to open."""
        self._vacant = (*(self._vacant or ()), *places)
        for spec in specs:
            self.open_workload(spec)
        if self._pools:
            self._pools[-1].fill(self._vacant)
            self._vacant = ()
