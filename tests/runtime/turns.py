"""How tests of the control loop write down a turn: what goes in, what comes out, and no study, engine or thread."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from hippo.errors import StorageError
from hippo.events import AssignmentDone, Evaluated, SlotLost, SlotOpened, StepDone
from hippo.hparams import as_config
from hippo.plan import Change, MemoryStore, PlanRow, Rows, StudyRow, TrialRow, flush_pending
from hippo.records import Assignment, Command, SlotId, TrainerSpec
from hippo.runtime.asking.instructions import EndBlock, Fail, Input, Instruction, Instructions, Submit, Write
from hippo.runtime.asking.participants import Delivery, Participant
from hippo.runtime.engine_files import EngineFiles
from hippo.runtime.plans.opening import OpenPlans
from hippo.runtime.shell import Shell
from hippo.runtime.studies.requests import Request
from hippo.runtime.studies.settings import Settings
from hippo.runtime.studies.study_state import MemberTrial, StudyState
from hippo.runtime.turns.coordinator import Coordinator, EngineTraits
from hippo.runtime.waiters import Waiter
from hippo.schedulers import CriticalPath
from hippo.simulation.clock import VirtualClock

from .runs import LOSS, SPEC

T = TypeVar("T", bound=Instruction)
A, B = SlotId("a"), SlotId("b")


class Asker:
    """A call without a tuner: its answers are its requests' numbers."""

    def __init__(self, turns: Turns, name: str = "toy") -> None:
        self.run = turns.run
        self.runs = self.pulled_runs = (turns.run,)
        row = turns.store.add_study(StudyRow(study=0, name=name, generation=1), {"": 1})
        self.study: StudyState = turns.used.enter_context(
            turns.plans.studies.use(turns.store, row, Settings(objectives=(LOSS,)))
        )
        self.answerable: list[Request] = []
        self.errors: list[Exception] = []
        #: what ends its tuner in the next turn
        self.ends: list[EndBlock | Fail] = []
        self.pulls_again = self.has_demand = self.is_pulling = False
        self.offered: list[int] = []
        self._numbers = itertools.count(1)
        self._waiting: list[Request] = []
        self.run.users += 1
        turns.coordinator.participants.append(cast(Any, self))
        turns.waiters[cast(Any, self)] = cast(Any, self)

    def ask(
        self, lr: float = 0.1, until: int = 2, *, switched: int = 0, has_company: bool = True, **more: Any
    ) -> Request:
        """Ask for metrics, and write down that they were asked for; `switched`: where lr came to be other than 0.1."""
        wanted, number = as_config({"lr": 0.1 if switched else lr, **more}), next(self._numbers)
        wanted = wanted.switch(at=switched, lr=lr) if switched else wanted
        path = self.run.plan.path(wanted)
        row = TrialRow(study=self.study.row.study, number=number, call=0, config="", occurrence=0, until=until)
        trial = MemberTrial(row, wanted, path)
        request = Request(
            id=number,
            book=cast(Any, self),
            study=self.study,
            trial=trial,
            node=path.node_at(until),
            until=until,
            final=True,
            is_extension=False,
            is_speculative=False,
            comes_alone=False,
            has_company=has_company,
            row=self.study.add_request(trial, until, True, ""),
        )
        self.run.waiting.add(request)
        self._waiting.append(request)
        return request

    def withdraw(self) -> None:
        """Wait for nothing any more."""
        for request in self._waiting:
            self.run.waiting.remove(request)

    def leave(self) -> None:
        """End as the last call that uses the plan."""
        self.withdraw()
        self.run.users -= 1

    # --- what the control loop asks of a participant

    def become_answerable(self, request: Request) -> None:
        self.answerable.append(request)

    def mark_running(self, request: Request) -> None:
        pass

    def deliver(self) -> Sequence[Delivery | EndBlock | Fail]:
        taken, self.answerable = self.answerable, []
        for request in taken:
            assert request.row is not None
            self.study.settle_request(request.row, "answered", 0, 1.0)
        ends, self.ends = self.ends, []
        return [*[Delivery(request.id, f"answer {request.id}") for request in taken], *ends]

    def fail(self, error: Exception) -> None:
        self.errors.append(error)
        self.withdraw()

    def replay_pull(self) -> None:
        self.pulls_again = False

    def grant(self, room: int) -> None:
        self.offered.append(room)


class FailingStore(MemoryStore):
    """Keeps rows, unless it is told to fail."""

    is_full = False

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[list[Change]] = []

    def commit(self, changes: Sequence[Change]) -> None:
        if self.is_full:
            raise StorageError("the disk is full")
        super().commit(changes)
        self.batches.append(list(changes))


class GroupingStore(FailingStore):
    """One whose writes may wait for one another."""

    takes_groups = True

    @contextlib.contextmanager
    def reading(self) -> Iterator[Rows]:
        flush_pending(self.uuid)
        yield self


class Turns:
    """A coordinator with one plan, which a test gives inputs to."""

    def __init__(
        self, *, store: MemoryStore | None = None, numerics: str = "exact", shards: int = 1, **traits: Any
    ) -> None:
        self.store = store if store is not None else MemoryStore()
        self.store.add_plan(PlanRow(plan=0, workload="w", declared="{}", fork=0))
        self.clock = VirtualClock()
        self.files = EngineFiles("memory://", is_virtual=True, tell=print)
        self.plans = OpenPlans(clock=self.clock, environment=dict)
        self.coordinator = Coordinator(
            self.plans, scheduler=CriticalPath(), clock=self.clock, traits=EngineTraits(**traits)
        )
        #: what a shell over it acts on
        self.waiters: dict[Participant, Waiter] = {}
        self.run = self.take_over(replace(SPEC, numerics=numerics, shards=shards))
        self.used = contextlib.ExitStack()

    def take_over(self, spec: TrainerSpec = SPEC) -> Any:
        return self.plans.take(self.store, 1, spec)

    def turn(self, *inputs: Input) -> Instructions:
        """Take one turn."""
        return self.coordinator.handle(inputs)

    def settle(self, *inputs: Input) -> Instructions:
        """Take turns until nothing is left to do; return all that came of it."""
        out = came = self.turn(*inputs)
        while came:
            came = self.turn()
            out += came
        return out

    def begun(self, *slots: SlotId) -> list[Assignment]:
        """Open slots, one by default, and return what is given to them."""
        opened = [SlotOpened(slot=slot, environment={}) for slot in slots or (A,)]
        return [one.assignment for one in only(Submit, self.settle(*opened))]


class Bench:
    """A shell over all that, and an engine that only takes notes."""

    scales, max_width = False, 1

    def __init__(self, turns: Turns) -> None:
        self.given: list[Assignment] = []
        self.sent: list[Command] = []
        self.shell = Shell(turns.coordinator, turns.plans, cast(Any, self), turns.clock, turns.files)
        self.shell.waiters = turns.waiters

    def submit(self, assignment: Assignment) -> None:
        self.given.append(assignment)

    def send(self, command: Command) -> None:
        self.sent.append(command)

    def open_workload(self, spec: TrainerSpec) -> None:
        pass


def only(kind: type[T], instructions: Sequence[Instruction]) -> list[T]:
    """Return the instructions of one kind."""
    return [one for one in instructions if isinstance(one, kind)]


def kinds(instructions: Sequence[Instruction]) -> list[str]:
    """Return the names of what is to be done."""
    return [type(one).__name__ for one in instructions]


def rows(instructions: Sequence[Instruction], kind: type) -> list[Any]:
    """Return the rows of a kind that are written."""
    parts = [part for write in only(Write, instructions) for _, part in write.parts]
    return [change.row for part in parts for change in part if isinstance(change.row, kind)]


def trained(assignment: Assignment, *, until: int = 2, lane: int = 0, lanes: int = 1) -> list[Input]:
    """Return what a worker says that trains the first stage of a lane, and evaluates where it is asked to."""
    stage = assignment.lanes[lane].stages[0]
    where: Mapping[str, Any] = {"lease": assignment.lease, "lane": lane, "node": stage.node}
    said: list[Input] = [
        StepDone(**where, step=step, training={}, seconds=1.0, lanes=lanes) for step in range(1, until + 1)
    ]
    return [*said, Evaluated(**where, step=until, metrics={"loss": 1.0}, seconds=1.0)]


def done(assignment: Assignment) -> AssignmentDone:
    return AssignmentDone(lease=assignment.lease, slot=assignment.slot)


def lost(slot: SlotId, *, announced: bool = False) -> SlotLost:
    return SlotLost(slot=slot, reason="test", announced=announced)


def take(bench: Bench, *events: Any) -> None:
    """Let the shell take in events, and take turns until nothing is left to do."""
    for event in events:
        bench.shell.take(event)
    for _ in range(9):
        if not bench.shell.turn():
            return
    raise AssertionError("it never comes to rest")
