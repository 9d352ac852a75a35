"""An engine in virtual time: slots that are held for as long as work would take, and events when it would be done."""

from __future__ import annotations

import concurrent.futures
import functools
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import Clock, ProcessorClock
from hippo.engines.engine import AbstractEngine, Emit
from hippo.errors import HippoError, SimulationError
from hippo.events import EngineFailed
from hippo.records import Assignment, Command, SlotCommand, SlotId, TrainerSpec
from hippo.simulation.curves import Curve
from hippo.simulation.slots import ENVIRONMENT, SimulatedSlots
from hippo.simulation.virtual_world import VirtualWorld
from hippo.simulation.workload import SimulatedWorkload
from hippo.waiting import wait_until_done


class SimulatedEngine(AbstractEngine):
    """Runs assignments on a virtual clock, which a runtime lets go on whenever it has nothing left to decide.

    Everything it does is a function of its arguments. What a study's trainer is makes no difference to it: metrics come
    from `curve`, seconds from `workload`.
    """

    def __init__(
        self,
        workload: SimulatedWorkload,
        curve: Curve,
        *,
        slots: int | Sequence[float] = 1,
        seed: int = 0,
        keep_intervals: bool = True,
        max_lanes: int | None = None,
        slots_per_node: int | Sequence[int] | None = None,
        release_after_s: float | None = None,
    ) -> None:
        """Create it.

        Args:
          workload: what training costs.
          curve: what it comes to.
          slots: how many, or the speed of each: a slot of speed 2 needs half the seconds to train and evaluate.
          seed: of the losses of workers.
          keep_intervals: keep every interval of work, which `meter.intervals` holds then.
          max_lanes: how many lanes a slot walks as one at most; None: as many as are worth it.
          slots_per_node: how many slots of consecutive numbers are on a node, or on each; None: all are on one.
          release_after_s: a node on which nothing ran for so long is given back until it is wanted; None: none is.

        Raises:
          SimulationError: there is no slot, or one of no speed; or another argument is no such number.
        """
        check_release(release_after_s)
        if max_lanes is not None and (type(max_lanes) is not int or max_lanes < 1):
            raise SimulationError(f"lanes={max_lanes!r}: it must be a whole number, and at least 1")
        self.virtual_time = self
        self.max_lanes = max_lanes
        self.max_width = workload.shards
        self.release_after_s = release_after_s
        self.scales = release_after_s is not None
        #: of each slot, by number
        self.speeds = checked_speeds(slots)
        #: on which each of them is
        self.nodes = checked_nodes(slots_per_node, len(self.speeds))
        self.workload = workload
        self.curve = curve
        #: CPU seconds that the runtime spent deciding
        self.decision_s = 0.0
        self._world = VirtualWorld(workload, curve, keep_intervals=keep_intervals)
        self.clock, self.meter = self._world.clock, self._world.meter
        self._slots = SimulatedSlots(
            self._world, self.speeds, nodes=self.nodes, release_after_s=release_after_s, seed=seed
        )
        self._processor = ProcessorClock()
        self._is_idle = threading.Event()
        self._is_idle.set()

    @property
    def num_slots(self) -> int:
        """How many slots there are when none is lost."""
        return len(self.speeds)

    # --- what every engine promises

    def start(self, emit: Emit, *, checkpoints: str | AbstractCheckpointStore, clock: Clock) -> None:
        self._world.listener = emit

    def environment(self) -> dict[str, str]:
        return dict(ENVIRONMENT)

    def open_workload(self, spec: TrainerSpec) -> None:
        self._slots.open_workload(spec)

    def want(self, slots: int | None) -> None:
        self._slots.want(slots)

    def submit(self, assignment: Assignment) -> None:
        self._is_idle.clear()
        self._act(functools.partial(self._slots.submit, assignment))

    def send(self, command: Command) -> None:
        if isinstance(command, SlotCommand):
            self._slots.follow(command)
        else:
            self._act(functools.partial(self._slots.send, command))

    def lose(self, slot: SlotId, reason: str) -> None:
        self.clock.call_later(0.0, functools.partial(self._slots.lose, slot, reason))

    def describe(self, slot: SlotId) -> str:
        return f"simulated {slot}"

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        wait_until_done(done)
        self._is_idle.wait()

    async def close(self, *, timeout_s: float) -> None:
        self._end_all()

    def _end_all(self) -> None:
        self._slots.close()
        self._is_idle.set()

    def reserved_s(self) -> float:
        """Return for how long slots were the study's, with or without work, until the last work ended."""
        until_s = self.meter.ended_s
        return self.num_slots * until_s if self._slots.nodes is None else self._slots.nodes.reserved_s(until_s)

    # --- time

    def elapsed(self) -> float:
        """Return virtual seconds since the beginning."""
        return self.clock.elapsed()

    def drive(self, turn: Callable[[], bool]) -> bool:
        """Take a turn of the runtime, or, if there was nothing to do, let time go on; tell whether anything was done.

        A runtime calls it whenever all is quiet.
        """
        began_s = self._processor.elapsed()
        was_busy = turn()
        self.decision_s += self._processor.elapsed() - began_s
        if was_busy:
            return True
        if self._slots.are_free:
            self._is_idle.set()  # and all that was told has been heard
        return self.advance()

    def advance(self) -> bool:
        """Let time go on to the next moment at which anything happens; return False if nothing will."""
        try:
            return self.clock.advance()
        except Exception as error:  # a curve is a user's code; the loop must outlive it
            self._end_all()
            what = str(error) if isinstance(error, HippoError) else f"{type(error).__name__}: {error}"
            self._world.emit(EngineFailed(reason=what))
            return True

    def _act(self, act: Callable[[], None]) -> None:
        """Act on what the runtime said, or end everything: work left half begun would be waited for without end."""
        try:
            act()
        except BaseException:
            self._end_all()
            raise


def check_release(seconds: Any) -> None:
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if seconds is not None and not (is_number and 0 <= seconds < math.inf):
        raise SimulationError(
            f"release_after_s={seconds!r}: seconds for which nothing ran on a node before it is given back, not below "
            "zero; None keeps all nodes"
        )


#: each is an object with a clock of its own
MOST_SLOTS = 1_000_000


def checked_speeds(slots: Any) -> tuple[float, ...]:
    """Return the speed of each slot.

    Raises:
      SimulationError: there is no slot, or one of no speed.
    """
    if isinstance(slots, bool) or not isinstance(slots, int | list | tuple):
        raise SimulationError(f"slots must be a number of slots, or a list with the speed of each, not {slots!r}")
    if isinstance(slots, int) and slots > MOST_SLOTS:
        raise SimulationError(f"slots={slots}: more than {MOST_SLOTS:,} would not fit into memory")
    speeds = (1.0,) * slots if isinstance(slots, int) else tuple(slots)
    if not speeds or not all(isinstance(speed, int | float) and 0 < speed < math.inf for speed in speeds):
        raise SimulationError(f"slots={slots!r}: there must be at least one, and every speed must be above zero")
    return speeds


def checked_nodes(slots_per_node: Any, num_slots: int) -> tuple[str, ...]:
    """Return the node of each slot.

    Raises:
      SimulationError: nodes have no slots, or have others than there are.
    """
    if slots_per_node is None:
        return ("node-0",) * num_slots
    sizes = (
        [slots_per_node] * -(-num_slots // max(slots_per_node, 1)) if type(slots_per_node) is int else slots_per_node
    )
    if not isinstance(sizes, list | tuple) or not all(type(size) is int and size > 0 for size in sizes):
        raise SimulationError(
            f"slots_per_node={slots_per_node!r}: it must be a whole number above zero, or a list with one for each node"
        )
    if type(slots_per_node) is not int and sum(sizes) != num_slots:
        raise SimulationError(f"slots_per_node={slots_per_node!r} are {sum(sizes)} slots, and there are {num_slots}")
    return tuple([f"node-{node}" for node, size in enumerate(sizes) for _ in range(size)][:num_slots])
