"""An engine whose slots walk a step at a time, in whatever order a test chooses, with states that are worth checking.

Nothing is trained, and yet nothing is pretended: a state names the whole path that led to it, is written to the
checkpoint store and read back, and metrics are a function of it. So whoever begins at a wrong state, evaluates another
one, or goes on under other values comes to other metrics than `path_metrics` says. Time stands still while anybody
decides; then one slot goes on by one step. So a run is a function of the choices, and can be shrunk and replayed.

What a lane does at a step's end is `hippo.lanes`, as everywhere. This module refuses to know trainers.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from hippo.checkpoints import AbstractCheckpointStore, open_checkpoints
from hippo.clock import Clock
from hippo.engines.engine import AbstractEngine, Emit
from hippo.errors import CheckpointError, CorruptCheckpointError, EngineError, StoreFullError, UnreachableStoreError
from hippo.events import (
    AssignmentDone,
    CheckpointFailed,
    CheckpointUnusable,
    CheckpointWritten,
    EngineEvent,
    Evaluated,
    LanePoint,
    SlotLost,
    SlotOpened,
    StateHashed,
    StepDone,
    at_point,
)
from hippo.hparams import Config
from hippo.lanes import AssignmentProgress, Due, LaneProgress
from hippo.records import (
    Assignment,
    CheckpointRef,
    Command,
    LaneStart,
    LeaseCommand,
    Metrics,
    Point,
    SlotCommand,
    SlotId,
    TrainerSpec,
)
from hippo.simulation.clock import VirtualClock
from hippo.testing.jumping_clock import JumpingClock
from hippo.training.walking.residents import ResidentStates, told

_STEP_S = 1.0
#: a study of a hundred steps needs a few hundred: whoever makes so many goes round in a circle
_MOST_MOVES = 20_000

#: where an event is None, commands come
Words = Iterator[EngineEvent | None]


@dataclass(frozen=True, slots=True)
class PathState:
    """A state, which is the name of the path that led to it."""

    name: str = ""

    @property
    def size_bytes(self) -> int:
        return len(self.name)

    def longer(self, values: Mapping[str, Any]) -> PathState:
        """Return the state after one more step, under these values."""
        return PathState(hashlib.sha256(f"{self.name} {sorted(values.items())!r}".encode()).hexdigest())

    def metrics(self, method: str) -> Metrics:
        """Return what a method says of it: a number below 1 that no other state has."""
        return {"loss": int(hashlib.sha256(f"{method} {self.name}".encode()).hexdigest()[:12], 16) / 16**12}


def path_metrics(config: Mapping[str, Any], until: int) -> dict[int, Metrics]:
    """Return step -> metrics of a config, without an engine."""
    config, state, found = Config(config), PathState(), {}
    for step in range(until):
        state = state.longer(config.values_at(step))
        found[step + 1] = state.metrics("evaluate")
    return found


@dataclass(slots=True, eq=False)
class _SteppedSlot:
    """A slot, and what it does."""

    id: SlotId
    residents: ResidentStates[PathState]
    words: Words | None = None
    commands: list[LeaseCommand] = field(default_factory=list)


class SteppedEngine(AbstractEngine):
    """Walks assignments, one step of one slot at a time.

    Args:
      slots: how many there are at a time.
      choose: given the number of slots that could go on, at least 1, returns which of them does, counted from 0; None
        lets time pass instead, if anybody waits for it.
      resident_bytes: of each slot's memory; a state has 64 bytes.
    """

    trains_in_this_process = True

    def __init__(
        self, *, slots: int = 2, choose: Callable[[int], int | None] = lambda _: 0, resident_bytes: int = 1 << 20
    ) -> None:
        self.virtual_time = self
        self._time = VirtualClock()
        #: what everybody takes for the time
        self.clock = JumpingClock(self._time)
        self._choose = choose
        self._resident_bytes = resident_bytes
        self._num_slots = slots
        self._ids = (SlotId(f"stepped-{number}") for number in itertools.count(1))
        self._slots: dict[SlotId, _SteppedSlot] = {}
        self._evaluate_every: dict[str, int] = {}
        #: said on the next occasion
        self._news: list[EngineEvent] = []
        #: what a thread waits for, and how it came that it waits in vain
        self._serving: concurrent.futures.Future[Any] | None = None
        self._hung: concurrent.futures.Future[str] = concurrent.futures.Future()
        #: what is waited for, as it was when nothing was left to do
        self._suspect: concurrent.futures.Future[Any] | None = None
        self._moves = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def is_idle(self) -> bool:
        return not self._news and not any(slot.words for slot in self._slots.values())

    def start(self, emit: Emit, *, checkpoints: str | AbstractCheckpointStore, clock: Clock) -> None:
        self._emit = emit
        self._loop = asyncio.get_running_loop()
        self._store = open_checkpoints(checkpoints)

    def environment(self) -> dict[str, str]:
        return {"engine": "stepped"}

    def open_workload(self, spec: TrainerSpec) -> None:
        self._evaluate_every[spec.workload] = spec.evaluate_every
        while len(self._slots) < self._num_slots:
            self._open_slot()

    def submit(self, assignment: Assignment) -> None:
        slot = self._slots.get(assignment.slot)
        if slot is not None:  # else its `SlotLost` is about to be told
            slot.commands.clear()
            slot.words = self._walk(assignment, slot)

    def send(self, command: Command) -> None:
        if isinstance(command, SlotCommand):
            if command.slot in self._slots:
                self._news += self._slots[command.slot].residents.follow(command)
            return
        for slot in self._slots.values():
            if slot.words is not None:
                slot.commands.append(command)  # those of other leases change nothing

    def lose(self, slot: SlotId, reason: str) -> None:
        if slot in self._slots:
            del self._slots[slot]
            self._news.append(SlotLost(slot=slot, reason=reason))
            self._open_slot()

    def describe(self, slot: SlotId) -> str:
        return "no process"

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        """As promised, but a study that would be waited for without end is not.

        Raises:
          EngineError: it hangs.
        """
        self._serving, self._hung = done, concurrent.futures.Future()
        if self._loop is not None:  # it may have found nothing to do before anybody waited
            with contextlib.suppress(RuntimeError):  # it has ended
                self._loop.call_soon_threadsafe(lambda: None)
        concurrent.futures.wait([done, self._hung], return_when=concurrent.futures.FIRST_COMPLETED)
        if not done.done():
            raise EngineError(f"the study hangs: it {self._hung.result()}.")

    async def close(self, *, timeout_s: float) -> None:
        self._slots.clear()
        self._news.clear()

    def _open_slot(self) -> None:
        slot = _SteppedSlot(next(self._ids), ResidentStates(self._resident_bytes))
        self._slots[slot.id] = slot
        self._news.append(SlotOpened(slot=slot.id, environment=self.environment()))

    # --- time

    def drive(self, turn: Callable[[], bool]) -> bool:
        """Take a turn of the control loop; if there was nothing to do, let one slot go on.

        Where calls wait and nothing is left that could happen, or the same happens for ever, whoever waits for them is
        told so: a study on a real engine would hang.
        """
        return turn() or self._say_news() or self._go_on()

    def _say_news(self) -> bool:
        news, self._news = self._news, []
        for event in news:
            self._emit(event)
        return bool(news)

    def _go_on(self) -> bool:
        self._moves += 1
        if self._moves > _MOST_MOVES:
            return self._hang("goes round in a circle")
        busy = [slot for slot in self._slots.values() if slot.words is not None]
        chosen = self._choose(len(busy)) if busy else None
        if chosen is not None:
            return self._step(busy[chosen % len(busy)])
        return self._time.advance() or (bool(busy) and self._step(busy[0])) or self._waits_in_vain()

    def _hang(self, how: str) -> bool:
        """Say that nothing more comes of what is waited for, if anything is."""
        if self._serving is not None and not self._serving.done() and not self._hung.done():
            self._hung.set_result(how)
        return False

    def _waits_in_vain(self) -> bool:
        """Say so, if nothing was left to do twice on end; else tell that there may be, once more.

        Another thread may have begun what is waited for since the loop looked whether anything was ready: that runs
        before all is quiet again, and then there is something to do.
        """
        waited_for = self._serving  # another thread sets it
        if waited_for is None or waited_for is self._suspect:
            return waited_for is not None and self._hang("waits for nothing")
        self._suspect = waited_for
        return True

    def _step(self, slot: _SteppedSlot) -> bool:
        """Walk to the next moment at which commands could come, or to the end."""
        words = slot.words
        assert words is not None, "it is busy"
        for event in words:
            if event is None:
                return True
            self._emit(event)
        if slot.words is words:  # else it was lost meanwhile
            slot.words = None
        return True

    # --- lanes

    def _walk(self, assignment: Assignment, slot: _SteppedSlot) -> Words:
        progress = AssignmentProgress(assignment, evaluate_every=self._evaluate_every[assignment.workload])
        for lane in progress.lanes:
            if not lane.is_over:
                yield from _SteppedLane(assignment, progress, lane, slot, self._store, self.clock).words()
        yield from _take(progress, slot.commands)
        slot.words = None
        yield AssignmentDone(lease=assignment.lease, slot=slot.id)


class _SteppedLane:
    """One lane."""

    def __init__(
        self,
        assignment: Assignment,
        commanded: AssignmentProgress,
        progress: LaneProgress,
        slot: _SteppedSlot,
        store: AbstractCheckpointStore,
        clock: Clock,
    ) -> None:
        self._assignment = assignment
        self._commanded = commanded
        self._progress = progress
        self._slot = slot
        self._store = store
        self._clock = clock
        self._state = PathState()

    def words(self) -> Words:
        """Yield what a worker would say."""
        progress = self._progress
        progress.begin(self._clock.elapsed())
        if progress.lane.begin is not None:
            yield from self._load(progress.lane.begin)
        while not progress.is_over:
            stage, step = progress.stage, progress.step
            if stage.start < stage.stop:
                self._state = self._state.longer({name: piece.at(step) for name, piece in stage.pieces.items()})
                where, step = self._at(Point(stage.node, step + 1)), step + 1
                yield StepDone(**where, training=self._state.metrics("train"), seconds=_STEP_S)
            progress.arrive(step if stage.start < stage.stop else stage.stop)
            yield None
            yield from _take(self._commanded, self._slot.commands)
            yield from self._finish_step(Point(stage.node, progress.step))

    def _load(self, begin: LaneStart) -> Words:
        point, ref = Point(begin.node, begin.step), begin.checkpoint
        held = self._slot.residents.get(self._assignment.states_of, point)
        if held is not None:
            self._state = held
            return
        try:
            if ref is None:
                raise CheckpointError("it is not in this slot")
            read = self._store.read(ref.key, sha256=ref.sha256, size_bytes=ref.size_bytes)
        except UnreachableStoreError as error:  # which says nothing of the state: it is asked for again
            self._progress.is_over = self._progress.is_stopping
            if not self._progress.is_over:
                yield CheckpointFailed(**self._at(point), reason=str(error), is_waiting=True)
                yield None
                yield from _take(self._commanded, self._slot.commands)
                yield from self._load(begin)
            return
        except CheckpointError as error:
            self._progress.is_over = True
            corrupt, key = isinstance(error, CorruptCheckpointError), "" if ref is None else ref.key
            yield CheckpointUnusable(**self._at(point), key=key, corrupt=corrupt, reason=str(error))
            return
        self._state = PathState(read.decode())
        yield from self._hold(point)

    def _finish_step(self, point: Point) -> Words:
        progress = self._progress
        while (due := progress.due(self._clock.elapsed())) not in (Due.GO_ON, Due.END):
            match due:
                case Due.EVALUATE:
                    progress.metrics = self._state.metrics("evaluate")
                    yield Evaluated(**self._at(point), metrics=progress.metrics, seconds=_STEP_S)
                case Due.HOLD:
                    progress.did(due)
                    yield from self._hold(point)
                case Due.WRITE:
                    yield from self._write(point)
                case Due.HASH:
                    progress.did(due)
                    yield StateHashed(**self._at(point), state_hash=self._state.name)
        if due is Due.END:
            progress.is_over = True
        else:
            progress.go_on()

    def _write(self, point: Point) -> Words:
        progress, key = self._progress, self._progress.key

        def writer(file: BinaryIO) -> None:
            file.write(self._state.name.encode())

        try:
            written = self._store.write(key, writer)
        except CheckpointError as error:
            is_waiting = isinstance(error, StoreFullError) and not progress.is_stopping
            yield CheckpointFailed(**self._at(point), reason=str(error), is_waiting=is_waiting)
            if is_waiting:
                yield None
                yield from _take(self._commanded, self._slot.commands)
                return  # it is still due
            progress.note_unwritable(self._clock.elapsed())
            yield from self._hold(point)
            return
        progress.did(Due.WRITE, self._clock.elapsed())
        ref = CheckpointRef(key=key, size_bytes=written.size_bytes, sha256=written.sha256, state_hash=self._state.name)
        yield CheckpointWritten(**self._at(point), checkpoint=ref, seconds=_STEP_S)

    def _hold(self, point: Point) -> Words:
        owner = self._assignment.states_of
        dropped = self._slot.residents.put(owner, point, self._state)
        yield from told(self._slot.id, added=[(owner, point)], dropped=dropped)

    def _at(self, point: Point) -> LanePoint:
        return at_point(self._assignment.lease, self._progress.number, point)


def _take(progress: AssignmentProgress, commands: list[LeaseCommand]) -> Words:
    taken = tuple(commands)
    commands.clear()
    yield from progress.take(taken)
