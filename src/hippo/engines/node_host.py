"""What runs the workers of one node, for a study that is somewhere else.

A host does what `LocalEngine` does on the study's own machine, with the same launchers, workers and life lines, and is
told and asked by plain coroutines. Orders are numbered, since what carries them may bring one twice, or two in the
wrong order; events are kept until they are acknowledged. It refuses to know what carries either: Ray, or nothing.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from hippo.checkpoints import AbstractCheckpointStore, FolderCheckpoints, open_checkpoints
from hippo.clock import SystemClock
from hippo.engines.devices import (
    device_field,
    fair_resident_bytes,
    grouped_devices,
    like_devices,
    place_workers,
    visible_devices,
)
from hippo.engines.engine import Emit
from hippo.engines.host_events import EventBatch, EventOutbox, HostPace
from hippo.engines.wire import LauncherSetup
from hippo.engines.worker_pools import WorkerPools
from hippo.errors import CheckpointError, MissingCheckpointError
from hippo.events import EngineEvent, EngineFailed, SlotLost, SlotOpened, TrainerUnusable
from hippo.records import Assignment, Command, SlotId, TrainerSpec
from hippo.training.process.environment import describe_environment, versions

#: an answer without events is given after that, so that no call stays open for ever
_POLL_PATIENCE_S = 5.0
#: what another machine wrote is looked for so long: network file systems remember for a while what is not there
PROBE_PATIENCE_S = 5.0
_LOOK_FOR_PROBE_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSetup:
    """How a host is made."""

    #: no other host of the study ever has it: slots are named "<host>/<number>"
    name: str
    #: as users know the machine: its name, or address
    node: str
    #: number of worker processes; None: one for each device or group of them, else for each core
    workers: int | None = None
    threads: int = 1
    devices_per_slot: int = 1
    #: of each worker, None for its fair share
    resident_bytes: int | None = None
    checkpoints: str | AbstractCheckpointStore


def environment_of_workers(threads: int) -> dict[str, str]:
    """Return what a host's workers on this machine are like, of so many threads each, before there are any."""
    return describe_environment(threads, device_field(next(iter(visible_devices()), None)), hash_seed="0")


class OrderedCalls:
    """Makes calls in the order of their numbers, each once, whatever order they come in and however often."""

    def __init__(self) -> None:
        self._next = 1
        self._early: dict[int, Callable[[], None]] = {}

    def make(self, number: int, call: Callable[[], None]) -> None:
        """Make a call if it is its turn, and those that waited for it; the first number is 1."""
        if number >= self._next:
            self._early[number] = call
        while (due := self._early.pop(self._next, None)) is not None:
            self._next += 1
            due()


class HostWork(Protocol):
    """What a host has its assignments run by; by default, pools of workers. As an `AbstractEngine` does it."""

    def start(self, emit: Emit) -> None:
        """Get ready, and tell events to `emit`, never from within a call."""

    def open_workload(self, spec: TrainerSpec) -> object:
        """Learn of a workload; with the first one, slots open."""

    def submit(self, assignment: Assignment, spec: TrainerSpec) -> None:
        """Run an assignment in its slot, if that is there."""

    def send(self, command: Command) -> None:
        """Hand on a command, if whom it is for is there."""

    def lose(self, slot: SlotId, reason: str) -> None:
        """End what runs in a slot, and the slot."""

    def describe(self, slot: SlotId) -> str:
        """Return where a slot is, for people."""

    async def close(self, *, timeout_s: float) -> None:
        """Have what runs end, as `AbstractEngine.close` does."""

    def dispose(self) -> None:
        """End all at once, and tell nothing more."""


class NodeHost:
    """Runs assignments on the machine that it is on. All methods on one event loop.

    Args:
      setup: how it is made.
      work: runs them, in slots whose names begin with the host's and a slash; None: worker processes.
    """

    def __init__(self, setup: HostSetup, work: HostWork | None = None) -> None:
        self._setup = setup
        self._orders = OrderedCalls()
        self._outbox = EventOutbox()
        self._specs: dict[str, TrainerSpec] = {}
        #: slot -> where it is, as it was told
        self._places_told: dict[SlotId, str] = {}
        self._open_slots: set[SlotId] = set()
        self._work = self._workers() if work is None else work
        self._work.start(self._tell)

    def _workers(self) -> WorkerPools:
        slots = (SlotId(f"{self._setup.name}/{number}") for number in itertools.count(1))
        return WorkerPools(self._launcher_setup, find_places=lambda: self._places, slots=slots)

    async def hello(self, greeting: Mapping[str, str]) -> dict[str, str]:
        """Say who this is, to a study that may be of another version: in plain words only.

        Args:
          greeting: what `versions` says there, and as "probe" the key of a state that the study wrote, and that must be
            found here. With "first", nothing was trained yet, and whoever can mend a store that fails sits there.

        Returns:
          "node" and "pid"; and a "problem" if this host is of no use to that study; else an "answer" to the probe, the
          key of a state that was written here.
        """
        here = {"node": self._setup.node, "pid": str(os.getpid())}
        for name, version in versions().items():
            if (theirs := greeting.get(name)) != version:
                there = f"{name} {theirs} there, and {name} {version} on node {self._setup.node}"
                problem = f"the study and the cluster run different versions: {there}. Install the same on both."
                return here | {"problem": problem}
        problem = await asyncio.to_thread(self._look_for_probe, greeting["probe"], is_first="first" in greeting)
        return here | ({"problem": problem} if problem else {"answer": self._answer_to(greeting["probe"])})

    async def open_workload(self, number: int, spec: TrainerSpec) -> None:
        """Learn how to build the trainer of a workload; the first one opens the slots."""
        self._orders.make(number, functools.partial(self._open_workload, spec))

    async def submit(self, number: int, assignment: Assignment) -> None:
        """Run an assignment in its slot, if that is there still."""
        self._orders.make(number, lambda: self._try(lambda: self._submit(assignment)))

    async def send(self, number: int, command: Command) -> None:
        """Hand on a command, if whom it is for is there still."""
        self._orders.make(number, lambda: self._work.send(command))

    async def lose(self, number: int, slot: SlotId, reason: str) -> None:
        """End the worker of a slot, if it is there still."""
        self._orders.make(number, lambda: self._work.lose(slot, reason))

    async def poll(self, acknowledged: int, pace: HostPace) -> EventBatch:
        """Return events that follow the one with number `acknowledged`, as soon as `pace` lets them go.

        What is acknowledged is forgotten here; all else comes again if it is asked for again.
        """
        if self._outbox.sent > acknowledged:  # the last answer was lost on its way, with the places in it
            self._places_told.clear()
        batch = await self._outbox.take(acknowledged, pace, patience_s=_POLL_PATIENCE_S)
        places = {slot: self._describe(slot) for slot in self._open_slots}
        news = {slot: place for slot, place in places.items() if self._places_told.get(slot) != place}
        self._places_told |= news
        return replace(batch, places=news)

    async def close(self, timeout_s: float) -> None:
        """Stop the workers as `AbstractEngine.close` does; events that are left can be polled until the last batch."""
        await self._work.close(timeout_s=timeout_s)
        self._outbox.close()

    def dispose(self) -> None:
        """Kill all workers at once, and tell nothing more."""
        self._work.dispose()

    # --- orders, one at a time

    def _open_workload(self, spec: TrainerSpec) -> None:
        # What the study's trainer is imported from lies elsewhere here, if it was sent: where this process finds it.
        spec = replace(spec, search_path=tuple(dict.fromkeys([*filter(None, sys.path), *spec.search_path])))
        self._specs[spec.workload] = spec
        self._try(lambda: self._work.open_workload(spec))

    def _submit(self, assignment: Assignment) -> None:
        self._work.submit(assignment, self._specs[assignment.workload])

    def _try(self, call: Callable[[], object]) -> None:
        """Carry an order out that starts processes: where none can be started, the whole host is of no use."""
        try:
            call()
        except OSError as error:
            self._tell(EngineFailed(reason=f"no process can be started: {error}"))

    # --- events

    def _tell(self, event: EngineEvent) -> None:
        match event:
            case SlotOpened(slot=slot):
                self._open_slots.add(slot)
                event = replace(event, node=self._setup.node)
            case SlotLost(slot=slot):
                self._open_slots.discard(slot)
                self._places_told.pop(slot, None)
            case EngineFailed(reason=reason):
                event = EngineFailed(reason=f"node {self._setup.node}: {reason}")
            case TrainerUnusable(workload=workload, reason=reason):
                event = TrainerUnusable(workload=workload, reason=f"node {self._setup.node}: {reason}")
        self._outbox.put(event)

    def _describe(self, slot: SlotId) -> str:
        return f"{self._work.describe(slot)} on node {self._setup.node}"

    # --- what it has

    @functools.cached_property
    def _places(self) -> tuple[str | None, ...]:
        devices = grouped_devices(like_devices(), self._setup.devices_per_slot)
        return place_workers(self._setup.workers, devices, threads=self._setup.threads)

    def _launcher_setup(self, spec: TrainerSpec) -> LauncherSetup:
        held = self._setup.resident_bytes
        return LauncherSetup(
            spec=spec,
            checkpoints=self._setup.checkpoints,
            threads=self._setup.threads,
            resident_bytes=fair_resident_bytes(len(self._places)) if held is None else held,
        )

    # --- whether the study's states can be seen here

    def _answer_to(self, probe: str) -> str:
        return f"{probe}-{self._setup.name}"

    def _look_for_probe(self, probe: str, *, is_first: bool) -> str:
        """Return why states that the study keeps cannot be read or written here; "" if they can."""
        try:
            store = open_checkpoints(self._setup.checkpoints)
            if is_first and not isinstance(store, FolderCheckpoints):  # which it would make, in the wrong place perhaps
                store.check_writable()  # without the patience that reading has: for minutes, if credentials are missing
            if problem := why_missing(store, probe):
                if not isinstance(problem, MissingCheckpointError):
                    return f"states cannot be read by node {self._setup.node}: {problem}"
                return (
                    f"checkpoints={_named(self._setup.checkpoints)} is not the same place on node {self._setup.node} "
                    f"as for the study, which wrote a file there that is not to be seen from here after "
                    f"{PROBE_PATIENCE_S:.0f} s. Name a folder that all nodes share, or an object store."
                )
            store.write(self._answer_to(probe), lambda file: file.write(socket.gethostname().encode()))
        except (CheckpointError, OSError) as error:
            return f"states cannot be kept by node {self._setup.node}: {error}"
        return ""


def why_missing(store: AbstractCheckpointStore, key: str) -> CheckpointError | OSError | None:
    """Return why there is nothing under a key, having waited `PROBE_PATIENCE_S` for it to be seen; None: there is."""
    clock = SystemClock()
    give_up_at = clock.elapsed() + PROBE_PATIENCE_S  # a store that cannot be reached takes its time for each answer
    while True:
        try:
            with store.open(key):
                return None
        except (CheckpointError, OSError) as error:
            if clock.elapsed() >= give_up_at:
                return error
        threading.Event().wait(_LOOK_FOR_PROBE_S)


def _named(checkpoints: Any) -> str:
    return repr(checkpoints) if isinstance(checkpoints, str) else type(checkpoints).__name__
