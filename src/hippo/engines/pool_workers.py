"""The workers of a pool, as the study knows them: each behind its channel, all by slot and by number.

A worker is in its slot until it leaves it to another pool's, and alive until its process has ended: the two tables
differ in between. This module refuses to know who starts workers, and whether one that died is replaced.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from hippo.engines.channel import Channel
from hippo.engines.lifeline import kill_group
from hippo.engines.wire import Leave
from hippo.events import AssignmentWaits
from hippo.records import Assignment, Command, LeaseId, Point, SlotCommand, SlotId, TrainerSpec

#: a worker that writes a state is waited for until it gets no further for so long; flushing to a disk tells nothing
_MOST_SILENT_S = 30.0
_LOOK_S = 0.05
#: less than anybody gives a step; a large state is written for minutes, and flushed or sent without a word
_TELL_OF_WRITE_S = 0.5
#: so often without another sign of life, ten minutes: a disk that takes longer hangs, and nobody else would notice
_MOST_TOLD = 1200


@dataclass(slots=True, kw_only=True, eq=False)
class WorkerLink:
    """One worker."""

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
    #: and will be told of, if it still writes then
    is_watched: bool = False
    #: signs of life of the write under way, and how often it was told of since the last one
    progress: int = 0
    told: int = 0
    #: workloads that it has been told of
    specs: dict[str, TrainerSpec] = field(default_factory=dict)
    residents: set[tuple[str, Point]] = field(default_factory=set)

    def submit(self, assignment: Assignment, spec: TrainerSpec) -> None:
        """Hand it an assignment, behind the workload that it is of, unless the worker knows that one."""
        if self.specs.get(spec.workload) != spec:
            self.specs[spec.workload] = spec
            self.channel.send(spec)
        self.lease = assignment.lease
        self.channel.send(assignment)

    def note_writing(self, tell: Callable[[AssignmentWaits], object]) -> None:
        """Note a sign of life of a write, and tell now and then, as long as that lasts, that it is at no step."""
        self.is_writing = True
        self.progress += 1
        self.told = 0
        if not self.is_watched:
            self.is_watched = True
            self._tell_later(tell)

    def _tell_later(self, tell: Callable[[AssignmentWaits], object]) -> None:
        asyncio.get_running_loop().call_later(_TELL_OF_WRITE_S, self._tell_of_write, tell)

    def _tell_of_write(self, tell: Callable[[AssignmentWaits], object]) -> None:
        self.is_watched = self.is_writing and self.channel.is_open and self.told < _MOST_TOLD
        if self.is_watched:
            self.told += 1
            if self.lease is not None:
                tell(AssignmentWaits(lease=self.lease))
            self._tell_later(tell)

    def kill(self) -> None:
        """Kill it, and what it started, if it was forked already."""
        if self.pid is not None:
            kill_group(self.pid)

    def doom(self, reason: str) -> None:
        """Kill it now, or as soon as it is forked, for a reason that will be told."""
        self.why_it_ended, self.is_doomed = reason, True
        self.kill()

    def note_fork(self, pid: int) -> None:
        """Note which process it is."""
        self.pid = pid
        if self.is_doomed:
            self.kill()


class PoolWorkers:
    """Workers by slot and by number. It iterates over those in slots, as they are when that begins."""

    def __init__(self) -> None:
        self._in_slots: dict[SlotId, WorkerLink] = {}
        #: every one whose process has not ended, also those that had to leave their slot
        self._alive: dict[int, WorkerLink] = {}
        #: nobody is in a slot any more
        self._all_left = asyncio.Event()

    def __contains__(self, slot: object) -> bool:
        return slot in self._in_slots

    def __getitem__(self, slot: SlotId) -> WorkerLink:
        return self._in_slots[slot]

    def __iter__(self) -> Iterator[WorkerLink]:
        return iter(list(self._in_slots.values()))

    def find(self, command: Command) -> WorkerLink | None:
        """Return the one that a command is for: that in its slot, or with its lease."""
        if isinstance(command, SlotCommand):
            return self._in_slots.get(command.slot)
        return next((worker for worker in self._in_slots.values() if worker.lease == command.lease), None)

    def numbered(self, number: int) -> WorkerLink:
        """Return one whose process has not ended."""
        return self._alive[number]

    def add(self, worker: WorkerLink) -> None:
        """Put a new one into its slot."""
        self._in_slots[worker.slot] = self._alive[worker.number] = worker
        self._all_left.clear()

    def send_away(self, slot: SlotId) -> WorkerLink:
        """Have the one in a slot, which has no work, go; return it."""
        worker = self._in_slots.pop(slot)
        worker.channel.send(Leave())
        worker.channel.close()
        return worker

    def note_exit(self, number: int) -> WorkerLink | None:
        """Note that a process has ended; return its worker if that is in a slot still."""
        worker = self._alive.pop(number)
        return worker if self._in_slots.get(worker.slot) is worker else None

    def remove(self, worker: WorkerLink) -> None:
        """Take one out of its slot, and hear it no longer."""
        worker.channel.close()
        self._alive.pop(worker.number, None)
        del self._in_slots[worker.slot]
        if not self._in_slots:
            self._all_left.set()

    # ----------------------------------------------------------------------------------------------- the end of all

    async def leave(self, *, timeout_s: float) -> None:
        """Have them leave at their step's end, and wait for it so long; longer while one writes, if there is time."""
        for worker in self:
            worker.channel.send(Leave())
        if not any(worker.is_open for worker in self):
            return  # they only import as yet
        await self._wait_left(timeout_s)
        silent_s, before = 0.0, self._writing()
        while timeout_s > 0 and before and silent_s < _MOST_SILENT_S and not self._all_left.is_set():
            await self._wait_left(_LOOK_S)
            silent_s = silent_s + _LOOK_S if self._writing() == before else 0.0
            before = self._writing()

    async def _wait_left(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._all_left.wait(), seconds)

    def _writing(self) -> dict[int, int]:
        return {number: worker.progress for number, worker in self._alive.items() if worker.is_writing}

    @property
    def is_any_running(self) -> bool:
        """Whether a process is there that has not ended."""
        return any(worker.pid is not None for worker in self._alive.values())

    def kill(self) -> None:
        """Kill every process that has not ended."""
        for worker in self._alive.values():
            worker.kill()

    def clear(self) -> None:
        """Hear none of them any longer, and know none."""
        for worker in self._alive.values():
            worker.channel.close()
        self._alive.clear()
        self._in_slots.clear()
