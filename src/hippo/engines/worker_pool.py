"""A launcher and the workers that it forked, as the study sees them.

A worker that dies is replaced, unless workers die one after the other before they are ready. When the launcher dies
the whole pool is lost, and the engine decides whether there will be another one. All workers of a pool have imported
the same code: a workload whose modules were changed since needs a pool of its own, which takes a slot over when it has
work for it.
This module refuses to know how processes are started, and what they do.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from hippo.engines.channel import Channel
from hippo.engines.launching import LauncherLink
from hippo.engines.lifeline import kill_group
from hippo.engines.wire import (
    Exited,
    Forked,
    ForkWorker,
    LauncherSetup,
    Leave,
    PreloadFailed,
    WorkerFailed,
    Writing,
    Wrote,
)
from hippo.events import AssignmentDone, EngineEvent, SlotLost, SlotOpened, StatesResident, TrainerUnusable
from hippo.records import Assignment, Command, LeaseId, Point, SlotCommand, SlotId, TrainerSpec
from hippo.training.residents import told
from hippo.training.same_code import are_at_odds

_MOST_FAILED_STARTS = 3
_KILL_TIMEOUT_S = 2.0
#: a worker that writes a state is waited for until it gets no further for so long; flushing to a disk tells nothing
_MOST_SILENT_S = 30.0
_LOOK_S = 0.05


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


@dataclass(slots=True, kw_only=True, eq=False)
class _Worker:
    """What is known of one worker."""

    number: int
    slot: SlotId
    device: str | None
    channel: Channel
    pid: int | None = None
    #: it has said that it is there
    is_open: bool = False
    #: the slot was open before this worker came: the engine is not told that it opened
    is_successor: bool = False
    lease: LeaseId | None = None
    why_it_ended: str | None = None
    #: the study kills it, for the reason in `why_it_ended`; decided before its process id may be known
    is_doomed: bool = False
    is_writing: bool = False
    #: signs of life of the write under way
    progress: int = 0
    #: workloads that it has been told of
    specs: dict[str, TrainerSpec] = field(default_factory=dict)
    residents: set[tuple[str, Point]] = field(default_factory=set)


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
        #: the workload whose trainer the launcher imports
        self.preloaded = setup.spec
        self._specs = {setup.spec.workload: setup.spec}
        #: workloads that they could not import
        self._refused: set[str] = set()
        self._slots = slots
        self._owner = owner
        self._numbers = itertools.count(1)
        self._workers: dict[SlotId, _Worker] = {}
        #: every process that has not ended, also those that had to leave their slot
        self._alive: dict[int, _Worker] = {}
        self._failed_starts = 0
        self._all_left = asyncio.Event()
        self._is_closing = False
        self._launcher = LauncherLink(setup, on_message=self._on_news, on_end=self._on_launcher_end)
        self.fill(places)

    def __contains__(self, slot: SlotId) -> bool:
        return slot in self._workers

    @property
    def others(self) -> tuple[TrainerSpec, ...]:
        """The workloads that it has taken on beside the first."""
        return tuple(spec for spec in self._specs.values() if spec.workload != self.preloaded.workload)

    @property
    def places(self) -> tuple[str | None, ...]:
        """The device of each worker."""
        return tuple(worker.device for worker in self._workers.values())

    def agrees_with(self, spec: TrainerSpec) -> bool:
        """Tell whether these workers can have imported the code of a workload, and that of all others they know."""
        if spec.workload in self._refused:
            return False
        return not any(are_at_odds(known, spec) for known in self._specs.values())

    def learn(self, spec: TrainerSpec) -> None:
        """Note a workload whose assignments these workers are to take."""
        self._specs[spec.workload] = spec

    def fill(self, places: Sequence[str | None]) -> None:
        """Open a slot at each of these places."""
        for device in places:
            self._spawn(next(self._slots), device)

    def submit(self, assignment: Assignment) -> None:
        """Hand an assignment to the worker of its slot; if that is gone, its `SlotLost` has been told."""
        worker = self._workers.get(assignment.slot)
        if worker is None:
            return
        spec = self._specs[assignment.workload]
        if worker.specs.get(spec.workload) != spec:
            worker.specs[spec.workload] = spec
            worker.channel.send(spec)
        worker.lease = assignment.lease
        worker.channel.send(assignment)

    def send(self, command: Command) -> None:
        """Hand a command to the worker that holds its lease, or is in its slot, if any is."""
        if isinstance(command, SlotCommand):
            worker = self._workers.get(command.slot)
        else:
            worker = next((worker for worker in self._workers.values() if worker.lease == command.lease), None)
        if worker is not None:
            worker.channel.send(command)

    def lose(self, slot: SlotId, reason: str) -> None:
        """Kill the worker of a slot, and what it started; its `SlotLost` follows, with this reason."""
        worker = self._workers[slot]
        worker.why_it_ended, worker.is_doomed = reason, True
        if worker.pid is not None:
            kill_group(worker.pid)

    def describe(self, slot: SlotId) -> str:
        """Say which process the worker of a slot is."""
        pid = self._workers[slot].pid
        return f"pid {pid}" if pid is not None else "not started yet"

    # ------------------------------------------------------------------------------------------- from pool to pool

    def leave_slot(self, slot: SlotId) -> tuple[str | None, list[StatesResident]]:
        """Have the worker of a slot, which is free, go; return its device, and what is forgotten with it."""
        worker = self._workers.pop(slot)
        worker.channel.send(Leave())
        worker.channel.close()
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
        for worker in self._workers.values():
            worker.channel.send(Leave())
        if any(worker.is_open for worker in self._workers.values()):
            await self._wait_left(timeout_s)
            silent_s, before = 0.0, self._writing()
            while timeout_s > 0 and before and silent_s < _MOST_SILENT_S and not self._all_left.is_set():
                await self._wait_left(_LOOK_S)
                silent_s = silent_s + _LOOK_S if self._writing() == before else 0.0
                before = self._writing()
        if any(worker.pid is not None for worker in self._alive.values()):
            self._launcher.cut()  # who is left is killed by it
            await self._launcher.wait_ended(timeout_s=_KILL_TIMEOUT_S)
        self.dispose()  # at once, if it only imports as yet

    async def _wait_left(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._all_left.wait(), seconds)

    def _writing(self) -> dict[int, int]:
        return {number: worker.progress for number, worker in self._alive.items() if worker.is_writing}

    def dispose(self) -> None:
        """Kill launcher and workers, and close their connections, without waiting."""
        self._is_closing = True
        workers_ended = self._launcher.dispose()
        for worker in self._alive.values():
            if worker.pid is not None and not workers_ended:
                kill_group(worker.pid)
            worker.channel.close()
        self._alive.clear()
        self._workers.clear()

    # -------------------------------------------------------------------------------------- one worker's life

    def _spawn(self, slot: SlotId, device: str | None, *, is_successor: bool = False) -> None:
        number = next(self._numbers)
        connection = self._launcher.fork_worker(ForkWorker(number=number, slot=slot, device=device))
        channel = Channel(connection, on_message=lambda message: self._on_message(worker, message))
        worker = _Worker(number=number, slot=slot, device=device, channel=channel, is_successor=is_successor)
        self._workers[slot] = self._alive[number] = worker

    def _on_message(self, worker: _Worker, message: EngineEvent | WorkerFailed | Writing | Wrote) -> None:
        match message:
            case WorkerFailed():
                if not worker.is_doomed:
                    worker.why_it_ended = message.reason
                return
            case Writing():
                worker.is_writing = True
                worker.progress += 1
                return
            case Wrote():
                worker.is_writing = False
                return
            case TrainerUnusable():
                self._refused.add(message.workload)
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
        worker = self._alive.pop(exited.number)
        if self._workers.get(worker.slot) is not worker:
            return  # it left its slot before
        worker.channel.drain()
        self._lose(worker, worker.why_it_ended or _describe_exit(exited.code))
        if self._is_closing:
            if not self._workers:
                self._all_left.set()
        elif worker.is_open or self._failed_starts + 1 < _MOST_FAILED_STARTS:
            self._failed_starts += not worker.is_open
            self._spawn(next(self._slots), worker.device)
        else:
            self._owner.on_pool_unable(
                self,
                f"{_MOST_FAILED_STARTS} workers in a row ended before they were ready "
                f"({_describe_exit(exited.code)}). The end of their standard error:\n{self._launcher.error_tail()}",
            )

    def _lose(self, worker: _Worker, reason: str) -> None:
        worker.channel.close()
        self._alive.pop(worker.number, None)
        del self._workers[worker.slot]
        if (worker.is_open or worker.is_successor) and not self._is_closing:
            self._owner.on_event(SlotLost(slot=worker.slot, reason=reason))

    # ------------------------------------------------------------------------------------------- the launcher

    def _on_news(self, news: Any) -> None:
        match news:
            case Forked():
                worker = self._alive[news.number]
                worker.pid = news.pid
                if worker.is_doomed:
                    kill_group(news.pid)
            case Exited():
                self._on_exit(news)
            case PreloadFailed():
                self._become_useless(news.reason)

    def _become_useless(self, reason: str) -> None:
        places = self.places
        for worker in list(self._workers.values()):
            if worker.lease is not None:  # not lost with its worker: it was never begun
                self._owner.on_event(AssignmentDone(lease=worker.lease, slot=worker.slot))
            self._lose(worker, reason)
        self.dispose()  # first: the owner, told below, finds nothing left
        self._owner.on_trainer_unusable(self, self.preloaded.workload, reason)
        self._owner.on_pool_useless(self, places, reason)

    def _on_launcher_end(self) -> None:
        if self._is_closing:
            return
        places = self.places
        for worker in list(self._alive.values()):
            if worker.pid is not None:
                kill_group(worker.pid)
        for worker in list(self._workers.values()):
            worker.channel.drain()
            self._lose(worker, "the launcher of the workers was killed")
        reason = f"the launcher of the workers ended. The end of its standard error:\n{self._launcher.error_tail()}"
        self.dispose()
        self._owner.on_pool_lost(self, places, reason)


def _describe_exit(code: int) -> str:
    if code < 0:
        return f"worker killed by {signal.Signals(-code).name}"
    return f"worker ended with exit code {code}"
