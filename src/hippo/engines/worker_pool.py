"""A launcher and the workers that it forked, as the study sees them.

A worker that dies is replaced, unless workers die one after the other before they are ready. When the launcher dies
the whole pool is lost, and the engine decides whether there will be another one. All workers of a pool have imported
the same code: a workload whose modules were changed since needs a pool of its own, which takes a slot over when it has
work for it.
This module refuses to know how processes are started, and what they do.
"""

from __future__ import annotations

import itertools
import signal
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from hippo.engines.channel import Channel
from hippo.engines.launching import LauncherLink
from hippo.engines.pool_workers import PoolWorkers, WorkerLink
from hippo.engines.pool_workloads import PoolWorkloads
from hippo.engines.wire import (
    Exited,
    Forked,
    ForkWorker,
    LauncherSetup,
    PreloadFailed,
    WorkerFailed,
    Writing,
    Wrote,
)
from hippo.events import AssignmentDone, EngineEvent, SlotLost, SlotOpened, StatesResident, TrainerUnusable
from hippo.records import Assignment, Command, SlotId
from hippo.training.walking.residents import told

_MOST_FAILED_STARTS = 3
_KILL_TIMEOUT_S = 2.0


class PoolOwner(Protocol):
    """The engine that a pool belongs to, which is told what becomes of it."""

    def on_event(self, event: EngineEvent) -> None:
        """Take an event of a worker, or about one."""

    def on_pool_lost(self, pool: WorkerPool, places: Sequence[str | None], reason: str) -> None:
        """The launcher died, and every worker with it, at these places; `SlotLost` has been told for each."""

    def on_pool_unable(self, pool: WorkerPool, reason: str) -> None:
        """Workers cannot start at all, and another pool could not either."""

    def on_trainer_unusable(self, pool: WorkerPool, workload: str, reason: str) -> None:
        """These workers cannot import a trainer as it was recorded; others may, if its files are changed again."""

    def on_pool_useless(self, pool: WorkerPool, places: Sequence[str | None], reason: str) -> None:
        """The launcher could not import the trainer that it was started for; every slot of the pool is gone."""


class WorkerPool:
    """Workers at their places, each replaced when it dies.

    Args:
      setup: what launcher and workers need to know.
      places: the device of each worker, None where there is none.
      slots: where slot ids come from.
      owner: who is told.
    """

    def __init__(
        self, setup: LauncherSetup, places: Sequence[str | None], *, slots: Iterator[SlotId], owner: PoolOwner
    ) -> None:
        #: whether a slot ever opened
        self.has_opened = False
        #: what these workers can run
        self.workloads = PoolWorkloads(setup.spec)
        self._slots = slots
        self._owner = owner
        self._numbers = itertools.count(1)
        self._workers = PoolWorkers()
        self._failed_starts = 0
        self._is_closing = False
        self._launcher = LauncherLink(setup, on_message=self._on_news, on_end=self._on_launcher_end)
        self.fill(places)

    def __contains__(self, slot: SlotId) -> bool:
        return slot in self._workers

    @property
    def places(self) -> tuple[str | None, ...]:
        """The device of each worker."""
        return tuple(worker.device for worker in self._workers)

    def fill(self, places: Sequence[str | None]) -> None:
        """Open a slot at each of these places."""
        for device in places:
            self._spawn(next(self._slots), device)

    def submit(self, assignment: Assignment) -> None:
        """Hand an assignment to the worker of its slot; if that is gone, its `SlotLost` has been told."""
        if assignment.slot in self._workers:
            self._workers[assignment.slot].submit(assignment, self.workloads[assignment.workload])

    def send(self, command: Command) -> None:
        """Hand a command to the worker that holds its lease, or is in its slot, if any is."""
        worker = self._workers.find(command)
        if worker is not None:
            worker.channel.send(command)

    def lose(self, slot: SlotId, reason: str) -> None:
        """Kill the worker of a slot, and what it started; its `SlotLost` follows, with this reason."""
        self._workers[slot].doom(reason)

    def describe(self, slot: SlotId) -> str:
        """Say which process the worker of a slot is."""
        pid = self._workers[slot].pid
        return f"pid {pid}" if pid is not None else "not started yet"

    # ------------------------------------------------------------------------------------------- from pool to pool

    def leave_slot(self, slot: SlotId) -> tuple[str | None, list[StatesResident]]:
        """Have the worker of a slot, which is free, go; return its device, and what is forgotten with it."""
        worker = self._workers.send_away(slot)
        return worker.device, told(slot, dropped=sorted(worker.residents))

    def take_slot(self, slot: SlotId, device: str | None) -> None:
        """Put a worker into a slot that was another pool's; for the rest of the world it never closed."""
        self._spawn(slot, device, is_successor=True)

    # ----------------------------------------------------------------------------------------------- the end of it

    async def close(self, *, timeout_s: float) -> None:
        """Let workers leave at their step's end, for so long, and longer while they write; then end all processes.

        Without any time to wait, who writes is ended as well.
        """
        self._is_closing = True
        await self._workers.leave(timeout_s=timeout_s)
        if self._workers.is_any_running:
            self._launcher.cut()  # who is left is killed by it
            await self._launcher.wait_ended(timeout_s=_KILL_TIMEOUT_S)
        self.dispose()  # at once, if it only imports as yet

    def dispose(self) -> None:
        """Kill launcher and workers, and close their connections, without waiting."""
        self._is_closing = True
        workers_ended = self._launcher.dispose()
        if not workers_ended:
            self._workers.kill()
        self._workers.clear()

    # -------------------------------------------------------------------------------------- one worker's life

    def _spawn(self, slot: SlotId, device: str | None, *, is_successor: bool = False) -> None:
        number = next(self._numbers)
        connection = self._launcher.fork_worker(ForkWorker(number=number, slot=slot, device=device))
        channel = Channel(connection, on_message=lambda message: self._on_message(worker, message))
        worker = WorkerLink(number=number, slot=slot, device=device, channel=channel, is_successor=is_successor)
        self._workers.add(worker)

    def _on_message(self, worker: WorkerLink, message: EngineEvent | WorkerFailed | Writing | Wrote) -> None:
        match message:
            case WorkerFailed():
                if not worker.is_doomed:
                    worker.why_it_ended = message.reason
                return
            case Writing():
                worker.note_writing(self._owner.on_event)
                return
            case Wrote():
                worker.is_writing = False
                return
            case TrainerUnusable():
                self.workloads.refuse(message.workload)
                self._owner.on_trainer_unusable(self, message.workload, message.reason)
                return
            case SlotOpened():
                worker.is_open = self.has_opened = True
                self._failed_starts = 0
                self._launcher.forward_errors()
                if worker.is_successor:
                    return
            case AssignmentDone():
                worker.lease = None
            case StatesResident():
                worker.residents |= {(message.workload, point) for point in message.added}
                worker.residents -= {(message.workload, point) for point in message.dropped}
        self._owner.on_event(message)

    def _on_exit(self, exited: Exited) -> None:
        worker = self._workers.note_exit(exited.number)
        if worker is None:
            return  # it left its slot before
        worker.channel.drain()
        self._lose(worker, worker.why_it_ended or _describe_exit(exited.code))
        if self._is_closing:
            return
        if worker.is_open or self._failed_starts + 1 < _MOST_FAILED_STARTS:
            self._failed_starts += not worker.is_open
            self._spawn(next(self._slots), worker.device)
        else:
            self._owner.on_pool_unable(
                self,
                f"{_MOST_FAILED_STARTS} workers in a row ended before they were ready "
                f"({_describe_exit(exited.code)}). The end of their standard error:\n{self._launcher.error_tail()}",
            )

    def _lose(self, worker: WorkerLink, reason: str) -> None:
        self._workers.remove(worker)
        if (worker.is_open or worker.is_successor) and not self._is_closing:
            self._owner.on_event(SlotLost(slot=worker.slot, reason=reason))

    # ------------------------------------------------------------------------------------------- the launcher

    def _on_news(self, news: Any) -> None:
        match news:
            case Forked():
                self._workers.numbered(news.number).note_fork(news.pid)
            case Exited():
                self._on_exit(news)
            case PreloadFailed():
                self._become_useless(news.reason)

    def _become_useless(self, reason: str) -> None:
        places = self.places
        for worker in self._workers:
            if worker.lease is not None:  # not lost with its worker: it was never begun
                self._owner.on_event(AssignmentDone(lease=worker.lease, slot=worker.slot))
            self._lose(worker, reason)
        self.dispose()  # first: the owner, told below, finds nothing left
        self._owner.on_trainer_unusable(self, self.workloads.first.workload, reason)
        self._owner.on_pool_useless(self, places, reason)

    def _on_launcher_end(self) -> None:
        if self._is_closing:
            return
        places = self.places
        self._workers.kill()
        for worker in self._workers:
            worker.channel.drain()
            self._lose(worker, "the launcher of the workers was killed")
        reason = f"the launcher of the workers ended. The end of its standard error:\n{self._launcher.error_tail()}"
        self.dispose()
        self._owner.on_pool_lost(self, places, reason)


def _describe_exit(code: int) -> str:
    if code < 0:
        return f"worker killed by {signal.Signals(-code).name}"
    return f"worker ended with exit code {code}"
