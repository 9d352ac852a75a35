"""What every engine promises: somewhere to run assignments, and events about them.

An engine knows *where* work runs, in this process or in others, and keeps its slots alive. It refuses to know why
the work is done: neither the search plan nor the scheduler, and it never repeats an assignment by itself.
"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import Clock
from hippo.events import EngineEvent
from hippo.records import Assignment, Command, SlotId, TrainerSpec

Emit = Callable[[EngineEvent], None]


class VirtualTime(Protocol):
    """Time that stands still while anybody decides, and goes on when there is nothing left to decide."""

    @property
    def clock(self) -> Clock:
        """What tells this time."""

    def drive(self, turn: Callable[[], bool]) -> bool:
        """Take a turn of the control loop, or, if there was nothing to do, let time go on; tell whether either was.

        Called instead of `turn`, whenever all is quiet.
        """


class AbstractEngine(Protocol):
    """Somewhere to run assignments. Derive from it: what has a value here need not be said.

    All methods but `serve` are called on the control loop's thread, while its asyncio loop runs. Events come by
    `emit`, on that same thread and never from within one of these calls, so that a caller needs no locks and is not
    re-entered.
    """

    #: time of its own that it runs in; None for the machine's
    virtual_time: VirtualTime | None = None
    #: what it runs goes on when this process is killed: then it hears of nothing that a kill could undo
    work_outlives_process: bool = False
    #: steps run in this process: they cannot be ended by force, and their garbage is large
    trains_in_this_process: bool = False
    #: its slots may be of several environments, and open one after the other
    slots_may_differ: bool = False
    #: how many slots it has may follow what `want` says
    scales: bool = False
    #: how many lanes of a workload whose numerics allow it a slot walks at once at most; None: as many as are worth it
    max_lanes: int | None = None
    #: how many slots of a node can walk a lane together at most, a power of two: 1, none do
    max_width: int = 1
    #: the runtime that serves it, once there is one; set and read by the study's room alone
    served_by: Any = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing of it needs the control loop's thread: no process, reader, timer, or event to come.

        Such an engine gives its thread back between calls; `start` tells it of the next one.
        """
        return False

    def start(self, emit: Emit, *, checkpoints: str | AbstractCheckpointStore, clock: Clock) -> None:
        """Get ready. Called before anything else, and again whenever it was idle and goes on upon another loop.

        No slot opens yet.

        Args:
          emit: takes the engine's events, in the order in which things happened within each slot.
          checkpoints: where states are kept, as a URL or folder, or the store itself.
          clock: measures the seconds of stages that run in this process.
        """

    def environment(self) -> Mapping[str, str] | None:
        """Return name -> value of every field of its slots' environment that decides about bits.

        None: it is known when a slot opens, and not before; the first one to open says what is recorded or compared.
        """

    def foretell_environment(self) -> Mapping[str, str]:
        """Return what `environment` does, or is going to; from any thread, and it may take seconds to find out."""
        return self.environment() or {}

    def open_workload(self, spec: TrainerSpec) -> None:
        """Learn how to build the trainer of a workload; needed before its first assignment.

        The first one opens the slots: a `SlotOpened` follows for each.
        """

    def want(self, slots: int | None) -> None:
        """Hear how many slots would have work now, whenever that has changed; there may be fewer, or more.

        Args:
          slots: None: as many as there are.
        """
        return

    def submit(self, assignment: Assignment) -> None:
        """Run this in its slot, which is free. Ends with `AssignmentDone`, or with the slot's `SlotLost`."""

    def send(self, command: Command) -> None:
        """Hand a command to the slot that holds its lease, or that it names.

        It is followed after what was submitted to that slot before; while that runs, at the end of a step. Dropped in
        silence if the lease has ended, or the slot is gone: a slot that opens anew holds no states, and no pins.
        """

    def lose(self, slot: SlotId, reason: str) -> None:
        """End the worker of a slot, whatever it does, and what it started; its `SlotLost` follows with this reason.

        An engine that has no force over a slot ends it at its next step's end. Dropped if the slot is gone.
        """

    def describe(self, slot: SlotId) -> str:
        """Return where a slot is, for people who look for it: "pid 1234"."""

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        """Wait in the caller's own thread until `done` is; an engine may use the thread to run stages meanwhile."""

    async def close(self, *, timeout_s: float) -> None:
        """Stop the slots at the next step's end, by force after `timeout_s`.

        A worker that is writing a state then is waited for as long as it gets on with it, unless `timeout_s` is 0.
        Nothing that the engine started is left when this returns: no process, thread, file or reader.
        """
