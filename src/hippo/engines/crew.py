"""A launcher and the workers that it forked, as the study sees them.

A worker that dies is replaced, unless workers die one after the other before they are ready. When the launcher dies
the whole crew is lost; whether there will be another one, the engine decides. This module refuses to know how
processes are started, and what they do.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hippo.engines.channel import Channel
from hippo.engines.launching import LauncherLink
from hippo.engines.lifeline import kill_group
from hippo.engines.wire import Exited, Forked, ForkWorker, LastWords, LauncherSetup, Leave, PreloadFailed
from hippo.events import AssignmentDone, EngineEvent, SlotLost, SlotOpened
from hippo.records import Assignment, Command, LeaseId, SlotId, TrainerSpec

_MOST_FAILED_STARTS = 3
_KILL_TIMEOUT_S = 2.0


class Owner(Protocol):
    """Who is told what becomes of a crew."""

    def on_event(self, event: EngineEvent) -> None:
        """Take an event of a worker, or about one."""

    def on_crew_lost(self, reason: str) -> None:
        """The launcher died, and every worker with it; `SlotLost` has been told for each."""

    def on_crew_unable(self, reason: str) -> None:
        """Workers cannot start at all, and another crew could not either."""


@dataclass(slots=True, kw_only=True)
class _Worker:
    """What is known of one worker."""

    slot: SlotId
    device: str | None
    channel: Channel
    pid: int | None = None
    is_open: bool = False
    lease: LeaseId | None = None
    last_words: str | None = None
    #: workloads that it has been told of
    workloads: set[str]


class Crew:
    """Workers at their places, kept filled.

    Args:
      setup: what launcher and workers need to know.
      places: the device of each worker, None where there is none.
      slots: where slot ids come from.
      owner: who is told.
    """

    def __init__(
        self, setup: LauncherSetup, places: Sequence[str | None], *, slots: Iterator[SlotId], owner: Owner
    ) -> None:
        #: whether a slot ever opened
        self.has_opened = False
        self._slots = slots
        self._owner = owner
        self._workers: dict[SlotId, _Worker] = {}
        self._failed_starts = 0
        self._all_left = asyncio.Event()
        self._is_closing = False
        self._launcher = LauncherLink(setup, on_message=self._on_news, on_end=self._on_launcher_end)
        for device in places:
            self._hire(device)

    def submit(self, assignment: Assignment, spec: TrainerSpec) -> None:
        """Hand an assignment to the worker of its slot; if that is gone, its `SlotLost` has been told."""
        worker = self._workers.get(assignment.slot)
        if worker is None:
            return
        if spec.workload not in worker.workloads:
            worker.workloads.add(spec.workload)
            worker.channel.send(spec)
        worker.lease = assignment.lease
        worker.channel.send(assignment)

    def send(self, command: Command) -> None:
        """Hand a command to the worker that holds its lease, if any does."""
        for worker in self._workers.values():
            if worker.lease == command.lease:
                worker.channel.send(command)

    async def close(self, *, timeout_s: float) -> None:
        """Let workers leave at their step's end, for so long; then end all processes."""
        self._is_closing = True
        for worker in self._workers.values():
            worker.channel.send(Leave())
        if any(worker.is_open for worker in self._workers.values()):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._all_left.wait(), timeout_s)
        self._launcher.cut()  # who is left is killed by it
        await self._launcher.wait_ended(timeout_s=_KILL_TIMEOUT_S)
        self.dispose()

    def dispose(self) -> None:
        """Leave nothing behind, now."""
        self._is_closing = True
        workers_ended = self._launcher.dispose()
        for worker in self._workers.values():
            if worker.pid is not None and not workers_ended:
                kill_group(worker.pid)
            worker.channel.close()
        self._workers.clear()

    # -------------------------------------------------------------------------------------- one worker's life

    def _hire(self, device: str | None) -> None:
        slot = next(self._slots)
        connection = self._launcher.fork_worker(ForkWorker(slot=slot, device=device))
        channel = Channel(connection, on_message=lambda message: self._on_message(slot, message))
        self._workers[slot] = _Worker(slot=slot, device=device, channel=channel, workloads=set())

    def _on_message(self, slot: SlotId, message: EngineEvent | LastWords) -> None:
        worker = self._workers[slot]
        match message:
            case LastWords():
                worker.last_words = message.reason
                return
            case SlotOpened():
                worker.is_open = self.has_opened = True
                self._failed_starts = 0
                self._launcher.forward_errors()
            case AssignmentDone():
                worker.lease = None
        self._owner.on_event(message)

    def _on_exit(self, exited: Exited) -> None:
        worker = self._workers[exited.slot]
        worker.channel.drain()
        self._lose(worker, worker.last_words or _describe_exit(exited.code))
        if self._is_closing:
            if not self._workers:
                self._all_left.set()
        elif worker.is_open or self._failed_starts + 1 < _MOST_FAILED_STARTS:
            self._failed_starts += not worker.is_open
            self._hire(worker.device)
        else:
            self._owner.on_crew_unable(
                f"{_MOST_FAILED_STARTS} workers in a row ended before they were ready "
                f"({_describe_exit(exited.code)}). The end of their standard error:\n{self._launcher.error_tail()}"
            )

    def _lose(self, worker: _Worker, reason: str) -> None:
        worker.channel.close()
        del self._workers[worker.slot]
        if worker.is_open and not self._is_closing:
            self._owner.on_event(SlotLost(slot=worker.slot, reason=reason))

    # ------------------------------------------------------------------------------------------- the launcher

    def _on_news(self, news: Any) -> None:
        match news:
            case Forked():
                self._workers[news.slot].pid = news.pid
            case Exited():
                self._on_exit(news)
            case PreloadFailed():
                self._owner.on_crew_unable(news.reason)

    def _on_launcher_end(self) -> None:
        if self._is_closing:
            return
        for worker in list(self._workers.values()):
            if worker.pid is not None:
                kill_group(worker.pid)
            worker.channel.drain()
            self._lose(worker, "the launcher of the workers was killed")
        tail = self._launcher.error_tail()
        self.dispose()
        self._owner.on_crew_lost(f"the launcher of the workers ended. The end of its standard error:\n{tail}")


def _describe_exit(code: int) -> str:
    if code < 0:
        return f"worker killed by {signal.Signals(-code).name}"
    return f"worker ended with exit code {code}"
