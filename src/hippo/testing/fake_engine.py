"""An engine that trains nothing and answers at once: what remains is the cost of deciding.

It keeps every promise of `AbstractEngine`, and its lanes do at each step's end what every lane does (`hippo.lanes`),
except that states do not exist: the checkpoints that it reports hold no bytes, and a slot remembers of the states that
are in no file that they were there, by the rule of every slot (`hippo.training.walking.residents`). Where a workload's
numerics allow it, lanes are walked as one, step by step, if it was told so. It refuses to know trainers; metrics are
what it was told that they are.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import Clock
from hippo.engines.engine import AbstractEngine, Emit
from hippo.events import (
    AssignmentDone,
    CheckpointUnusable,
    CheckpointWritten,
    EngineEvent,
    Evaluated,
    FusionChecked,
    LanePoint,
    SlotOpened,
    StageFailed,
    StateHashed,
    StatesResident,
    StepDone,
    at_point,
)
from hippo.lanes import AssignmentProgress, Due, LaneProgress
from hippo.records import (
    Assignment,
    CheckpointRef,
    Command,
    Failure,
    Fusion,
    LaneStart,
    LeaseCommand,
    LeaseId,
    Metrics,
    Point,
    SlotCommand,
    SlotId,
    TrainerSpec,
    may_fuse,
)
from hippo.training.walking.residents import ResidentStates, told

#: what every step is said to take; above zero, so that costs can be learned
SECONDS_PER_STEP = 1e-3


@dataclass(frozen=True, slots=True)
class _Remembered:
    """A state of which only is known that it was there."""

    size_bytes: int = 1


_Memory = ResidentStates[_Remembered]


class FakeEngine(AbstractEngine):
    """Answers each assignment on the loop's next turn, as if it had been trained."""

    def __init__(
        self,
        *,
        slots: int = 2,
        metrics: Mapping[str, float] | Callable[[Point], Metrics] | None = None,
        resident_states: int = 1 << 30,
        fuses: bool = False,
        max_lanes: int | None = None,
    ) -> None:
        """Create it.

        Args:
          slots: how many assignments are under way at a time.
          metrics: what every evaluation says, or a function that says it of a point, where an exception is a failure of
            `evaluate`; None: a loss of 1.
          resident_states: how many states a slot remembers.
          fuses: whether its workers find that lanes may be walked as one, where they are to find out.
          max_lanes: as for any engine.
        """
        self.max_lanes = max_lanes
        self._verdict = Fusion(is_fused=fuses, detail="" if fuses else "nothing is trained here")
        self._slots = tuple(SlotId(f"fake-{number}") for number in range(slots))
        same = {"loss": 1.0} if metrics is None or callable(metrics) else dict(metrics)
        self._metrics: Callable[[Point], Metrics] = metrics if callable(metrics) else lambda _: same
        self._evaluate_every: dict[str, int] = {}
        #: workloads whose lanes may be walked as one
        self._fusible: set[str] = set()
        #: what each slot remembers
        self._memory: dict[SlotId, _Memory] = {slot: ResidentStates(resident_states) for slot in self._slots}
        #: commands that came since the lease last looked for some, of each lease that has not ended
        self._commands: dict[LeaseId, list[LeaseCommand]] = {}
        self._emit: Emit | None = None

    def start(self, emit: Emit, *, checkpoints: str | AbstractCheckpointStore, clock: Clock) -> None:
        self._emit = emit
        self._clock = clock

    def environment(self) -> dict[str, str]:
        return {"engine": "fake"}

    def open_workload(self, spec: TrainerSpec) -> None:
        is_first = not self._evaluate_every
        self._evaluate_every[spec.workload] = spec.evaluate_every
        if may_fuse(spec.numerics):
            self._fusible.add(spec.workload)
        if is_first:
            self._soon(SlotOpened(slot=slot, environment=self.environment()) for slot in self._slots)

    def submit(self, assignment: Assignment) -> None:
        self._soon(self._events(assignment))

    def send(self, command: Command) -> None:
        """Keep it until the end of the step that is made now, or drop it where its lease has ended."""
        if isinstance(command, SlotCommand):
            self._soon(self._followed(command))  # behind what was submitted, which is over by then
        elif command.lease in self._commands:
            self._commands[command.lease].append(command)

    def _followed(self, command: SlotCommand) -> Iterator[EngineEvent]:
        if command.slot in self._memory:
            yield from self._memory[command.slot].follow(command)

    def lose(self, slot: SlotId, reason: str) -> None:
        """Drop it: nothing here can hang."""

    def describe(self, slot: SlotId) -> str:
        return "no process"

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        concurrent.futures.wait([done])

    async def close(self, *, timeout_s: float) -> None:
        self._emit = None

    def _soon(self, events: Iterator[EngineEvent]) -> None:
        asyncio.get_running_loop().call_soon(self._emit_all, events)

    def _emit_all(self, events: Iterator[EngineEvent]) -> None:
        for event in events:
            if self._emit is not None:
                self._emit(event)

    # --- lanes

    def _events(self, assignment: Assignment) -> Iterator[EngineEvent]:
        """Return what a worker says, which is found out as it is read; commands count from now on."""
        commands = self._commands[assignment.lease] = []
        return self._walk(assignment, commands)

    def _walk(self, assignment: Assignment, commands: list[LeaseCommand]) -> Iterator[EngineEvent]:
        progress = AssignmentProgress(assignment, evaluate_every=self._evaluate_every[assignment.workload])
        memory = self._memory[assignment.slot]
        walks = [
            _Walk(assignment, progress, lane, commands, memory, self._clock, self._metrics) for lane in progress.lanes
        ]
        if assignment.fusion is None and assignment.workload in self._fusible:
            yield FusionChecked(lease=assignment.lease, fusion=self._verdict, seconds=0.0)
            progress.leave()
        elif assignment.fusion is not None and assignment.fusion.is_fused:
            yield from _walked_as_one(walks)
        else:
            for walk in walks:
                while not walk.is_over:
                    yield from walk.next_step()
        yield from _take(progress, commands)
        del self._commands[assignment.lease]
        yield AssignmentDone(lease=assignment.lease, slot=assignment.slot)


class _Walk:
    """One lane, walked without training."""

    def __init__(
        self,
        assignment: Assignment,
        commanded: AssignmentProgress,
        progress: LaneProgress,
        commands: list[LeaseCommand],
        memory: _Memory,
        clock: Clock,
        metrics: Callable[[Point], Metrics],
    ) -> None:
        self._assignment = assignment
        self._commanded = commanded
        self._progress = progress
        self._commands = commands
        self._memory = memory
        self._clock = clock
        self._metrics = metrics
        self._has_begun = False

    @property
    def is_over(self) -> bool:
        """Whether the lane has ended."""
        return self._progress.is_over

    def next_step(self, lanes: int = 1) -> Iterator[EngineEvent]:
        """Yield what a worker would say that walked the lane one step further, together with so many in all."""
        progress, begin = self._progress, self._progress.lane.begin
        if not self._has_begun:
            self._has_begun = True
            progress.begin(self._clock.elapsed())
            if begin is not None and begin.checkpoint is None and not self._remembers(Point(begin.node, begin.step)):
                yield self._unusable(begin)
                return
        stage = progress.stage
        if stage.start < stage.stop:
            where = self._at(Point(stage.node, progress.step + 1))
            yield StepDone(**where, training={}, seconds=SECONDS_PER_STEP / lanes, lanes=lanes)
            progress.arrive(progress.step + 1)
        else:
            progress.arrive(stage.stop)
        yield from _take(self._commanded, self._commands)
        yield from self._finish_step(Point(stage.node, progress.step))

    def _finish_step(self, point: Point) -> Iterator[EngineEvent]:
        while (due := self._progress.due(now_s := self._clock.elapsed())) not in (Due.GO_ON, Due.END):
            if due is not Due.EVALUATE:
                self._progress.did(due, now_s)
            match due:
                case Due.EVALUATE:
                    try:
                        self._progress.metrics = self._metrics(point)
                    except Exception as error:
                        yield self._failed(point, error)
                        return
                    yield Evaluated(**self._at(point), metrics=self._progress.metrics, seconds=0.0)
                case Due.HOLD if not self._progress.must_write(now_s):  # a file is as near as memory
                    yield from self._hold(point)
                case Due.WRITE:
                    reference = CheckpointRef(key=self._progress.key, size_bytes=0, sha256="", state_hash=_hash(point))
                    yield CheckpointWritten(**self._at(point), checkpoint=reference, seconds=0.0)
                case Due.HASH:
                    yield StateHashed(**self._at(point), state_hash=_hash(point))
        if due is Due.END:
            self._progress.is_over = True
        else:
            self._progress.go_on()

    def _remembers(self, point: Point) -> bool:
        return self._memory.get(self._assignment.states_of, point) is not None

    def _hold(self, point: Point) -> list[StatesResident]:
        slot, owner = self._assignment.slot, self._assignment.states_of
        dropped = self._memory.put(owner, point, _Remembered())
        return told(slot, added=[(owner, point)], dropped=dropped)

    def _unusable(self, begin: LaneStart) -> CheckpointUnusable:
        self._progress.is_over = True
        where = self._at(Point(begin.node, begin.step))
        return CheckpointUnusable(**where, key="", corrupt=False, reason="it is not in this slot")

    def _failed(self, point: Point, error: Exception) -> StageFailed:
        self._progress.is_over = True
        failure = Failure(node=point.node, step=point.step, method="evaluate", error=f"{type(error).__name__}: {error}")
        return StageFailed(lease=self._assignment.lease, lane=self._progress.number, failure=failure)

    def _at(self, point: Point) -> LanePoint:
        return at_point(self._assignment.lease, self._progress.number, point)


def _walked_as_one(walks: Sequence[_Walk]) -> Iterator[EngineEvent]:
    """Yield what a worker would say that walked lanes as one, step by step; those that end leave the others."""
    while going := [walk for walk in walks if not walk.is_over]:
        for walk in going:
            yield from walk.next_step(len(going))


def _take(progress: AssignmentProgress, commands: list[LeaseCommand]) -> Iterator[EngineEvent]:
    if commands:
        taken = tuple(commands)
        commands.clear()
        yield from progress.take(taken)


def _hash(point: Point) -> str:
    return f"{point.node}-{point.step}"
