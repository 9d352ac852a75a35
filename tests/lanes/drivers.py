"""Who walks lanes: the bare rule, a worker with a trainer, the simulated engine, the fake one. Each runs any case.

The rule and the simulated engine also walk a case's lanes as one formation, in which a step takes as long as one alone.

All of them return the events of the case's lease, so that one comparison holds for all.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from hippo.checkpoints import MemoryCheckpoints
from hippo.clock import Clock
from hippo.events import (
    BoundaryAnswered,
    CheckpointWritten,
    EngineEvent,
    Evaluated,
    SlotOpened,
    StageFailed,
    StateHashed,
    StepDone,
    StepsDone,
)
from hippo.lanes import AssignmentProgress, Due, LaneProgress
from hippo.records import (
    Assignment,
    Boundary,
    CheckpointRef,
    Command,
    Failure,
    Fusion,
    Keep,
    Lane,
    LaneStart,
    LeaseId,
    Metrics,
    NodeId,
    SlotId,
    TrainerSpec,
)
from hippo.simulation import SimulatedEngine, SimulatedWorkload
from hippo.simulation.paths import Segment
from hippo.testing.fake_engine import FakeEngine
from hippo.testing.lanes import lane
from hippo.testing.remembering_host import RememberingHost
from hippo.training import Trainer, Trainers, run_assignment, ship

from .table import NEVER, STEP_S, Case, stage

FIRST, LEASE = LeaseId(1), LeaseId(2)
SLOT = SlotId("slot")
SPEC = TrainerSpec(
    workload="w", reference=None, pickled=None, arguments="{}", search_path=(), seed=0, evaluate_every=NEVER
)


class HandClock(Clock):
    """Time that stands still until a step is made."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def elapsed(self) -> float:
        return self.now_s

    def now(self) -> float:
        return self.now_s


def first_lane(case: Case) -> Lane | None:
    """The lane that makes the state at which the case's first lane begins."""
    if case.begin is None:
        return None
    node, step, keep = case.begin
    return lane(stage(node, 0, step, Boundary(evaluate=False, keep=keep)))


def lanes_of(case: Case, written: CheckpointRef | None) -> tuple[Lane, ...]:
    """The case's lanes, the first of which begins where it should."""
    if case.begin is None:
        return case.lanes
    node, step, _ = case.begin
    begin = LaneStart(node=NodeId(node), step=step, checkpoint=written, pieces=stage(node, 0, step).pieces)
    return (replace(case.lanes[0], begin=begin), *case.lanes[1:])


def assignment_of(case: Case, lanes: tuple[Lane, ...], lease: LeaseId = LEASE, slot: SlotId = SLOT) -> Assignment:
    return Assignment(
        lease=lease,
        prefix=f"p{lease}",
        slot=slot,
        workload="w",
        lanes=lanes,
        checkpoint_every_s=case.checkpoint_every_s if lease == LEASE else 1e9,
    )


def spec_of(case: Case) -> TrainerSpec:
    return replace(SPEC, evaluate_every=case.evaluate_every)


def sent(case: Case, lane: int, step: int) -> list[Command]:
    """The commands that come while a step is under way."""
    return [replace(command, lease=LEASE) for command in case.commands.get((lane, step), ())]


def written_in(events: list[Any]) -> CheckpointRef | None:
    return next((event.checkpoint for event in events if isinstance(event, CheckpointWritten)), None)


# --- the bare rule, and the shortest driver that it can have


@dataclass
class Bare:
    """Walks lanes by the rule alone."""

    case: Case
    clock: HandClock = field(default_factory=HandClock)
    events: list[Any] = field(default_factory=list)

    def run(self) -> list[Any]:
        written = CheckpointRef(key="k", size_bytes=0, sha256="", state_hash="")
        is_in_file = self.case.begin is not None and self.case.begin[2] is Keep.WRITTEN
        lanes = lanes_of(self.case, written if is_in_file else None)
        self.progress = AssignmentProgress(assignment_of(self.case, lanes), evaluate_every=self.case.evaluate_every)
        self.run_lanes()
        return self.events

    def run_lanes(self) -> None:
        for each in self.progress.lanes:
            if not each.is_over:
                each.begin(self.clock.now_s)
                self.walk(each)
                each.is_over = True

    def walk(self, walked: LaneProgress) -> None:
        while True:
            if walked.stage.start < walked.stage.stop:
                self.clock.now_s += STEP_S
                self.step(walked)
                self.command(walked)
            else:
                walked.arrive(walked.stage.stop)
            if not self.finish(walked):
                return

    def step(self, walked: LaneProgress) -> None:
        node, step = walked.stage.node, walked.step + 1
        self.events.append(StepDone(lease=LEASE, lane=walked.number, node=node, step=step, training={}, seconds=STEP_S))
        walked.arrive(step)

    def command(self, walked: LaneProgress) -> None:
        self.events += self.progress.take(sent(self.case, walked.number, walked.step))

    def finish(self, walked: LaneProgress) -> bool:
        """Do what is due where it stands; return whether it goes on."""
        where: dict[str, Any] = {"lease": LEASE, "lane": walked.number, "node": walked.stage.node, "step": walked.step}
        while (due := walked.due(self.clock.now_s)) not in (Due.GO_ON, Due.END):
            if due is Due.EVALUATE:
                try:
                    walked.metrics = self.case.metrics(where["node"], walked.step)
                except ValueError as error:
                    failure = Failure(node=where["node"], step=walked.step, method="evaluate", error=str(error))
                    self.events.append(StageFailed(lease=LEASE, lane=walked.number, failure=failure))
                    return False
                self.events.append(Evaluated(**where, metrics=walked.metrics, seconds=0.0))
                continue
            if due is Due.WRITE:
                ref = CheckpointRef(key=walked.key, size_bytes=0, sha256="", state_hash="")
                self.events.append(CheckpointWritten(**where, checkpoint=ref, seconds=0.0))
            elif due is Due.HASH:
                self.events.append(StateHashed(**where, state_hash=""))
            walked.did(due, self.clock.now_s)
        if due is Due.GO_ON:
            walked.go_on()
        return due is Due.GO_ON


class BareFormation(Bare):
    """Walks lanes as one, all a step at a time, by the rule alone."""

    def run_lanes(self) -> None:
        for each in self.progress.lanes:
            each.begin(self.clock.now_s)
        going = list(self.progress.lanes)
        while going:
            standing = [each for each in going if each.stage.start == each.stage.stop]
            if not standing:
                self.clock.now_s += STEP_S
                for each in going:
                    self.step(each)
                for each in going:
                    self.command(each)
            for each in standing:
                each.arrive(each.stage.stop)
            for each in standing or list(going):
                if not self.finish(each):
                    each.is_over = True
                    going.remove(each)


# --- a worker


class Told(Trainer):
    """Trains nothing, and says of each state what the case says; its learning rate tells the node."""

    case: ClassVar[Case]
    clock: ClassVar[HandClock]

    def build(self) -> None:
        self.steps = 0

    def setup(self, hp: Mapping[str, Any]) -> None:
        list(hp.values())

    def train(self) -> None:
        self.steps += 1
        type(self).clock.now_s += STEP_S

    def evaluate(self) -> dict[str, Any]:
        return type(self).case.metrics(int(self.hp["lr"]), self.steps)

    def state_dict(self) -> dict[str, Any]:
        return {"steps": self.steps}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.steps = state["steps"]


def run_worker(case: Case) -> list[Any]:
    """Walk with a trainer."""
    Told.case, Told.clock = case, HandClock()
    host = RememberingHost(clock=Told.clock)
    spec, trainers = replace(_shipped(), evaluate_every=case.evaluate_every), Trainers()
    if (first := first_lane(case)) is not None:
        quiet = replace(spec, evaluate_every=NEVER)
        run_assignment(assignment_of(case, (first,), FIRST), quiet, trainers, host, SLOT)
    steps: list[tuple[int, int]] = []

    def poll() -> list[Command]:
        known, steps[:] = len(steps), [(e.lane, e.step) for e in host.of(StepDone) if e.lease == LEASE]
        return [command for step in steps[known:] for command in sent(case, *step)]

    host.on_poll = poll
    lanes = lanes_of(case, written_in(host.events))
    host.events.clear()
    run_assignment(assignment_of(case, lanes), spec, trainers, host, SLOT)
    return host.events


@functools.cache
def _shipped() -> TrainerSpec:
    return ship(Told, {}, seed=0, evaluate_every=1, workload_key="w")


# --- the simulated engine


@dataclass(frozen=True)
class ToldCurve:
    """Says of each state what the case says."""

    case: Case

    def begin(self) -> None:
        return None

    def after(self, state: None, segment: Segment, start: int, stop: int) -> None:
        return None

    def metrics(self, state: None, segment: Segment, step: int) -> Metrics:
        value = segment.values(max(step - 1, 0))["lr"]
        assert isinstance(value, float)
        return self.case.metrics(int(value), step)


def run_simulated(case: Case, *, is_fused: bool = False) -> list[Any]:
    """Walk on a virtual clock; commands come at half of their steps."""
    workload = SimulatedWorkload(seconds_per_step=STEP_S, fused=(1.0, 0.0) if is_fused else None)
    engine = SimulatedEngine(workload, ToldCurve(case))
    events: list[Any] = []

    def hear(event: EngineEvent) -> None:
        events.extend(event.one_by_one() if isinstance(event, StepsDone) else [event])

    engine.start(hear, checkpoints="memory://", clock=engine.clock)
    engine.open_workload(spec_of(case))
    engine.advance()
    (opened,) = (event for event in events if isinstance(event, SlotOpened))

    def submit(lanes: tuple[Lane, ...], lease: LeaseId) -> None:
        engine.submit(replace(assignment_of(case, lanes, lease, opened.slot), fusion=Fusion(is_fused=is_fused)))

    if (first := first_lane(case)) is not None:
        submit((first,), FIRST)
        _exhaust(engine)
    lanes = lanes_of(case, written_in(events))
    events.clear()
    submit(lanes, LEASE)
    timed = _timed(case, lanes, engine.elapsed(), is_fused=is_fused)
    for at_s, command in sorted(timed, key=lambda timed: timed[0]):
        engine.clock.call_at(at_s, lambda: None)
        while engine.elapsed() < at_s:
            engine.advance()
        engine.send(command)
    _exhaust(engine)
    return events


def _exhaust(engine: SimulatedEngine) -> None:
    while engine.advance():
        pass


def run_formation(case: Case) -> list[Any]:
    """Walk all lanes as one, on a virtual clock."""
    return run_simulated(case, is_fused=True)


def _timed(case: Case, lanes: tuple[Lane, ...], begin_s: float, *, is_fused: bool) -> Iterator[tuple[float, Command]]:
    for number, (walked, end) in enumerate(zip(lanes, case.ends, strict=True)):
        start = walked.stages[0].start
        for step in range(start + 1, end + 1):
            for command in sent(case, number, step):
                yield begin_s + (step - start - 0.5) * STEP_S, command
        begin_s += 0.0 if is_fused else max(end - start, 0) * STEP_S


# --- the fake engine


def run_fake(case: Case) -> list[Any]:
    """Walk without training."""
    return asyncio.run(_run_fake(case))


async def _run_fake(case: Case) -> list[Any]:
    clock, events = HandClock(), list[Any]()
    engine = FakeEngine(slots=1, metrics=lambda point: case.metrics(*point))

    def emit(event: Any) -> None:
        events.append(event)
        if isinstance(event, StepDone) and event.lease == LEASE:
            clock.now_s += STEP_S
            for command in sent(case, event.lane, event.step):
                engine.send(command)

    engine.start(emit, checkpoints=MemoryCheckpoints(), clock=clock)
    engine.open_workload(spec_of(case))
    await asyncio.sleep(0)
    slot = next(event.slot for event in events if isinstance(event, SlotOpened))
    if (first := first_lane(case)) is not None:
        engine.submit(assignment_of(case, (first,), FIRST, slot))
        await asyncio.sleep(0)
    lanes, clock.now_s = lanes_of(case, written_in(events)), 0.0
    events.clear()
    engine.submit(assignment_of(case, lanes, slot=slot))
    await asyncio.sleep(0)
    return events


# --- what came of it


@dataclass(frozen=True)
class Came:
    """What a case came to, as its row says it."""

    done: tuple[str, ...]
    ends: tuple[int, ...]
    answers: tuple[tuple[int, int, bool], ...]

    @classmethod
    def of(cls, events: list[Any], case: Case) -> Came:
        """Read it from the events of the case's lease."""
        told, answers = [], []
        ends = [each.stages[0].start for each in case.lanes]
        for event in events:
            match event:
                case StepDone(lane=number, step=step):
                    assert step == ends[number] + 1, "no step is left out, and none is made twice"
                    ends[number] = step
                case Evaluated(lane=number, step=step):
                    told.append(f"{number} metrics {step}")
                case CheckpointWritten(lane=number, step=step):
                    told.append(f"{number} file {step}")
                case StateHashed(lane=number, step=step):
                    told.append(f"{number} hash {step}")
                case StageFailed(lane=number, failure=failure):
                    told.append(f"{number} fails {failure.step}")
                case BoundaryAnswered(lane=number, step=step, accepted=accepted):
                    answers.append((number, step, accepted))
        return cls(tuple(told), tuple(ends), tuple(sorted(answers)))
