"""An engine in virtual time: slots that are held for as long as work would take, and events when it would be done."""

from __future__ import annotations

import concurrent.futures
import functools
import itertools
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import Clock, ProcessorClock
from hippo.engines.engine import AbstractEngine, Emit
from hippo.errors import HippoError, SimulationError
from hippo.events import AssignmentDone, EngineEvent, EngineFailed, SlotLost, SlotOpened
from hippo.records import Assignment, Command, LeaseId, SlotCommand, SlotId, TrainerSpec
from hippo.simulation.clock import VirtualClock
from hippo.simulation.curves import Curve
from hippo.simulation.lanes import AssignmentRun, SimulatedWorker
from hippo.simulation.meter import Meter
from hippo.simulation.paths import uniform
from hippo.simulation.states import State
from hippo.simulation.workload import SimulatedWorkload

#: somebody serves soon after calls were started, or something went wrong and nobody will
_PATIENCE_S = 5.0


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
    ) -> None:
        """Create it.

        Args:
          workload: what training costs.
          curve: what it comes to.
          slots: how many, or the speed of each: a slot of speed 2 needs half the seconds to train and evaluate.
          seed: of the losses of workers.
          keep_intervals: keep every interval of work, which `meter.intervals` holds then.

        Raises:
          SimulationError: there is no slot, or one of no speed.
        """
        self.clock = VirtualClock()
        self.virtual_time = self
        self.workload = workload
        self.curve = curve
        self.meter = Meter(keep_intervals=keep_intervals)
        self.checkpoints: dict[str, State] = {}
        #: CPU seconds that the runtime spent deciding
        self.decision_s = 0.0
        #: of each slot, by number
        self.speeds = checked_speeds(slots)
        self._seed = seed
        self._emit: Emit | None = None
        self._evaluate_every: dict[str, int] = {}
        self._workers: dict[SlotId, SimulatedWorker] = {}
        self._slots = itertools.count(1)
        self._runs: dict[LeaseId, AssignmentRun] = {}
        self._lost_at: dict[LeaseId, float] = {}
        self._processor = ProcessorClock()
        #: opened by the thread that serves: all calls that were started before begin at one moment
        self._gate = threading.Event()
        self._is_idle = threading.Event()
        self._is_idle.set()

    @property
    def num_slots(self) -> int:
        """How many slots there are when none is lost."""
        return len(self.speeds)

    # --- what every engine promises

    def start(self, emit: Emit, *, checkpoints: str | AbstractCheckpointStore, clock: Clock) -> None:
        self._emit = emit
        self._gate.wait(_PATIENCE_S)

    def environment(self) -> dict[str, str]:
        return {"engine": "simulated"}

    def open_workload(self, spec: TrainerSpec) -> None:
        is_first = not self._evaluate_every
        self._evaluate_every[spec.workload] = spec.evaluate_every
        if is_first:
            self.clock.call_later(0.0, self._open_slots)

    def submit(self, assignment: Assignment) -> None:
        self._is_idle.clear()
        worker = self._workers[assignment.slot]
        run = AssignmentRun(self, assignment, worker, self._evaluate_every[assignment.workload])
        self._runs[assignment.lease] = worker.run = run
        self._lost_at[assignment.lease] = self._draw_loss(assignment.lease)
        self._act(run.begin)

    def send(self, command: Command) -> None:
        if isinstance(command, SlotCommand):
            self._follow(command)
            return
        run = self._runs.get(command.lease)
        if run is not None:
            self._act(functools.partial(run.take, command))

    def _follow(self, command: SlotCommand) -> None:
        worker = self._workers.get(command.slot)
        if worker is None:
            return
        said = worker.residents.follow(command)
        if worker.run is not None:  # what its lane put there before may not be told yet
            worker.run.say(said)
        else:
            for event in said:
                self.soon(event)

    def lose(self, slot: SlotId, reason: str) -> None:
        self.clock.call_later(0.0, functools.partial(self._lose, slot, reason))

    def describe(self, slot: SlotId) -> str:
        return f"simulated {slot}"

    def let_go(self) -> None:
        """Let calls begin although no thread serves."""
        self._gate.set()

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        self.let_go()
        concurrent.futures.wait([done])
        self._is_idle.wait()

    async def close(self, *, timeout_s: float) -> None:
        self._end_all()

    def _end_all(self) -> None:
        self._runs.clear()
        self._workers.clear()
        self._evaluate_every.clear()
        self._is_idle.set()

    # --- time

    def drive(self, turn: Callable[[], bool]) -> bool:
        """Take a turn of the runtime, or, if there was nothing to do, let time go on; tell whether anything was done.

        A runtime calls it whenever all is quiet.
        """
        began_s = self._processor.elapsed()
        was_busy = turn()
        self.decision_s += self._processor.elapsed() - began_s
        if was_busy:
            return True
        if not self._runs:
            self._is_idle.set()  # and all that was told has been heard
        return self.advance()

    def advance(self) -> bool:
        """Let time go on to the next moment at which anything happens; return False if nothing will."""
        try:
            return self.clock.advance()
        except Exception as error:  # a curve is a user's code; the loop must outlive it
            self._end_all()
            what = str(error) if isinstance(error, HippoError) else f"{type(error).__name__}: {error}"
            self.emit(EngineFailed(reason=what))
            return True

    def _act(self, act: Callable[[], None]) -> None:
        """Act on what the runtime said, or end everything: work left half begun would be waited for without end."""
        try:
            act()
        except BaseException:
            self._end_all()
            raise

    # --- what lanes share (`World`)

    def elapsed(self) -> float:
        """Return virtual seconds since the beginning."""
        return self.clock.elapsed()

    def emit(self, event: EngineEvent) -> None:
        """Pass an event on."""
        if self._emit is not None:
            self._emit(event)

    def soon(self, event: EngineEvent) -> None:
        """Emit an event at this moment, but not from within this call."""
        self.clock.call_later(0.0, functools.partial(self.emit, event))

    def wake(self, run: AssignmentRun, at_s: float, callback: Callable[[], None]) -> None:
        """Call back at a time, unless the run asks for something else first or is lost before."""
        run.version += 1
        lost_at_s = self._lost_at[run.assignment.lease]
        if at_s > lost_at_s:  # and what it waits for now goes on unseen, if it goes on
            self._lost_at[run.assignment.lease] = math.inf
            lose = functools.partial(self._lose, run.assignment.slot, "a simulated loss")
            self.clock.call_at(lost_at_s, functools.partial(self._call_back, run, None, lose))
        self.clock.call_at(at_s, functools.partial(self._call_back, run, run.version, callback))

    def finish(self, run: AssignmentRun) -> None:
        """Take a run that has ended off its slot."""
        self._forget(run)
        if run.is_out_of_reach:
            return
        self.emit(AssignmentDone(lease=run.assignment.lease, slot=run.assignment.slot))

    def _call_back(self, run: AssignmentRun, version: int | None, callback: Callable[[], None]) -> None:
        if version in (None, run.version) and self._runs.get(run.assignment.lease) is run:
            callback()

    def _forget(self, run: AssignmentRun) -> None:
        run.worker.run = None
        del self._runs[run.assignment.lease], self._lost_at[run.assignment.lease]

    # --- slots

    def _open_slots(self) -> None:
        for number in range(len(self.speeds)):
            self._open_slot(number)
        for at_s, number in self.workload.losses_at:
            self.clock.call_at(at_s, functools.partial(self._lose_number, number % len(self.speeds)))

    def _open_slot(self, number: int) -> None:
        slot = SlotId(f"simulated-{next(self._slots)}")
        self._workers[slot] = SimulatedWorker(number, self.speeds[number], self.workload.resident_states)
        self.emit(SlotOpened(slot=slot, environment=self.environment()))

    def _draw_loss(self, lease: LeaseId) -> float:
        rate = self.workload.losses_per_device_hour
        if not rate:
            return math.inf
        return self.clock.elapsed() - 3600.0 / rate * math.log(uniform(self._seed, lease))

    def _lose_number(self, number: int) -> None:
        for slot, worker in list(self._workers.items()):
            if worker.number == number:
                self._lose(slot, "a loss that the simulation was told of")

    def _lose(self, slot: SlotId, reason: str) -> None:
        worker = self._workers.pop(slot, None)
        if worker is None:
            return  # lost already, and only out of reach
        self.meter.losses_at.append(self.clock.elapsed())
        for run in [run for run in self._runs.values() if run.worker is worker]:
            run.lose()
            run.is_out_of_reach = True
            if not self.workload.late_results:
                self._forget(run)
        self.emit(SlotLost(slot=slot, reason=reason))
        self.clock.call_later(self.workload.restart_s, functools.partial(self._reopen, worker.number))

    def _reopen(self, number: int) -> None:
        if self._evaluate_every:  # else it was closed meanwhile
            self._open_slot(number)


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
