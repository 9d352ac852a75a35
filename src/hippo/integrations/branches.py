"""Tuning a foreign training system: its branches are driven by messages, and no plan remembers them.

Cui, Ganger, Gibbons 2018, "MLtuner: System Support for Automatic Machine Learning Tuning", section 4.5 and Table 1.
Names of fields are the paper's: a clock is one step of one branch, and clocks ascend over all branches.

A system is another implementation of `Ask`, not an engine: it trains on its own machines, keeps the present states of
its branches and no history, and forgets all when it ends. Whoever wants durability wraps the loop by
`hippo.LoopTrainer`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from typing import Protocol as TypingProtocol

from hippo.errors import BranchError, TunerError
from hippo.hparams import Config, as_config, path
from hippo.records import Answer, NodeId, Objective, Point
from hippo.tuners.ask import ConfigLike, Proposal, ProposalAsk, Propose, pinned_state, pulled
from hippo.tuners.budgets import check_steps
from hippo.tuners.traces import StepTrace

#: the branch that is there at the beginning: a newly initialised state, of which no clock is ever scheduled
ROOT = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkBranch:
    """To the system: make a branch of the whole present state of another one, before this clock."""

    clock: int
    branch: int
    parent: int
    #: name -> value, of everything that the branch trains with
    tunables: Mapping[str, Any]
    #: its one clock evaluates the state and trains nothing; its progress is the objective
    is_testing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeBranch:
    """To the system: forget a branch, before this clock."""

    clock: int
    branch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleBranch:
    """To the system: train a branch for this clock."""

    clock: int
    branch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportProgress:
    """From the system: what came of a clock; of each of its workers, if there are several."""

    clock: int
    #: loss of the step, or the objective of a testing branch
    progress: float
    worker: int = 0


Message = ForkBranch | FreeBranch | ScheduleBranch | ReportProgress
#: progress of each worker, in their order -> that of the clock
Aggregate = Callable[[Sequence[float]], float]


class BranchSystem(TypingProtocol):
    """What trains branches."""

    def send(self, message: ForkBranch | FreeBranch | ScheduleBranch) -> None:
        """Take a message; messages come in the order of their clocks, and several clocks may be sent ahead."""

    def receive(self) -> ReportProgress:
        """Return the next report, waiting for it."""


class Protocol:
    """Guards the order of messages, from either side. It refuses to know what is trained.

    Args:
      workers: of the system, each of which reports every clock.
      aggregate: makes one progress of theirs.
    """

    def __init__(self, workers: int = 1, aggregate: Aggregate = sum) -> None:
        check_steps("workers", workers)
        self._workers = workers
        self._aggregate = aggregate
        self._next_clock = 0
        self._used = {ROOT}
        self._alive = {ROOT}
        self._testing: set[int] = set()
        #: clocks that are not over: (clock, branch), and what each worker reported
        self._open: deque[tuple[int, int]] = deque()
        self._reports: dict[int, dict[int, float]] = {}

    def check(self, message: Message) -> float | None:
        """Take note of a message; return the progress of a clock that is over by it, else None.

        Raises:
          BranchError: it may not come now; names its clock and branch.
        """
        match message:
            case ReportProgress():
                return self._take_report(message)
            case ForkBranch():
                self._check_clock(message)
                self._require(message.branch not in self._used, message, "its id was used before")
                self._require(message.parent in self._alive, message, f"its parent {message.parent} is not alive")
                self._require(message.parent not in self._testing, message, "nothing goes on from a testing branch")
                self._used.add(message.branch)
                self._alive.add(message.branch)
                if message.is_testing:
                    self._testing.add(message.branch)
            case FreeBranch():
                self._check_clock(message)
                self._require(message.branch != ROOT, message, "it is the first state, from which all others come")
                self._require(message.branch in self._alive, message, "it is not alive")
                self._alive.remove(message.branch)
                self._testing.discard(message.branch)
            case ScheduleBranch():
                self._check_clock(message)
                self._require(message.branch != ROOT, message, "it is the first state, which is forked and not trained")
                self._require(message.branch in self._alive, message, "it is not alive")
                self._open.append((message.clock, message.branch))
                self._next_clock += 1
        return None

    @property
    def next_clock(self) -> int:
        """The clock that is scheduled next, and before which branches are forked and freed now."""
        return self._next_clock

    @property
    def alive(self) -> frozenset[int]:
        """The branches that are there, the first state among them."""
        return frozenset(self._alive)

    def _check_clock(self, message: ForkBranch | FreeBranch | ScheduleBranch) -> None:
        self._require(message.clock == self._next_clock, message, f"clock {self._next_clock} is next")

    def _take_report(self, message: ReportProgress) -> float | None:
        scheduled = [clock for clock, _ in self._open]
        if message.clock not in scheduled:
            raise BranchError(f"{message!r}: clock {message.clock} is not waited for, only {scheduled}")
        branch = self._open[scheduled.index(message.clock)][1]
        if not 0 <= message.worker < self._workers:
            raise BranchError(f"{message!r}, of branch {branch}: there are workers 0 to {self._workers - 1}")
        reports = self._reports.setdefault(message.clock, {})
        if message.worker in reports:
            raise BranchError(f"{message!r}, of branch {branch}: worker {message.worker} has reported this clock")
        missing = [clock for clock in scheduled if message.worker not in self._reports.get(clock, {})]
        if message.clock != missing[0]:
            raise BranchError(f"{message!r}, of branch {branch}, came before its report of clock {missing[0]}")
        reports[message.worker] = float(message.progress)
        if len(reports) < self._workers:
            return None
        self._open.popleft()
        del self._reports[message.clock]
        return float(self._aggregate([reports[worker] for worker in range(self._workers)]))

    @staticmethod
    def _require(is_allowed: bool, message: ForkBranch | FreeBranch | ScheduleBranch, why: str) -> None:
        if not is_allowed:
            raise BranchError(f"{message!r}: branch {message.branch} at clock {message.clock}: {why}")


class CheckedSystem:
    """A system, and the messages that go to it and come from it, which are checked on both ways.

    Args:
      system: what trains.
      protocol: guards the order.
      ahead: how many clocks are sent before the first of them is reported.
    """

    def __init__(self, system: BranchSystem, protocol: Protocol, *, ahead: int) -> None:
        check_steps("ahead", ahead)
        self._system = system
        self._protocol = protocol
        self._ahead = ahead
        self._num_branches = 1

    def fork(self, parent: int, tunables: Mapping[str, Any], *, is_testing: bool = False) -> int:
        """Return the id of a new branch; values that are not given are its parent's."""
        number, self._num_branches = self._num_branches, self._num_branches + 1
        clock = self._protocol.next_clock
        self._send(ForkBranch(clock=clock, branch=number, parent=parent, tunables=tunables, is_testing=is_testing))
        return number

    def free(self, branch: int) -> None:
        """Have a branch forgotten."""
        self._send(FreeBranch(clock=self._protocol.next_clock, branch=branch))

    def train(self, branch: int, steps: int) -> list[float]:
        """Train a branch for some more steps; return the loss of each."""
        losses: list[float] = []
        sent = 0
        while len(losses) < steps:
            while sent < min(steps, len(losses) + self._ahead):
                self._send(ScheduleBranch(clock=self._protocol.next_clock, branch=branch))
                sent += 1
            losses.append(self._receive())
        return losses

    def test(self, branch: int) -> float:
        """Return the objective of a branch's present state."""
        tester = self.fork(branch, {}, is_testing=True)
        (objective,) = self.train(tester, 1)
        self.free(tester)
        return objective

    def _send(self, message: ForkBranch | FreeBranch | ScheduleBranch) -> None:
        self._protocol.check(message)
        self._system.send(message)

    def _receive(self) -> float:
        while (progress := self._protocol.check(self._system.receive())) is None:
            pass
        return progress


class BranchPoint(NamedTuple):
    """A stretch of a config's path, with all that lies before: (start, name -> key of the value) of each."""

    stretches: tuple[tuple[int, tuple[tuple[str, str], ...]], ...]


@dataclass(slots=True, eq=False, kw_only=True)
class SystemBranch:
    """A branch as the system has it."""

    id: int
    parent: SystemBranch | None
    #: the step at which it was forked
    start: int
    #: of each step since
    losses: list[float] = field(default_factory=list)
    #: step -> what a testing branch said there
    tested: dict[int, float] = field(default_factory=dict)
    #: configs that end in it, as far as they were asked for
    users: set[Config] = field(default_factory=set)
    #: step -> a copy of its state there, which is kept, and for how many
    copies: dict[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def step(self) -> int:
        """Where it is."""
        return self.start + len(self.losses)

    def loss_of(self, step: int) -> float:
        """Return the loss of a step on the way here, whoever took it."""
        branch = self
        while step <= branch.start:
            assert branch.parent is not None, "the first branch begins at step 0"
            branch = branch.parent
        return branch.losses[step - branch.start - 1]


class BranchAsk(ProposalAsk):
    """Asks a training system by messages: `asyncio.run(hippo.MLTuner(...).tune(BranchAsk(system)))`.

    A config's path is walked to a branch: equal paths are one branch, a change of values is a fork, a step is a clock.
    A released config's branch is freed, and an evaluation is a testing branch of one clock. The system keeps no
    history: from a step that a branch has left nothing can be forked, unless that state is pinned, as a copy that is
    never trained. Nothing is durable.

    Args:
      system: what trains. Messages are checked on both ways.
      progress: under which name the loss of a step stands in `Answer.train_metrics`.
      objective: what testing branches tell.
      workers: of the system, each of which reports every clock.
      aggregate: makes one progress of theirs.
      ahead: how many clocks of one branch are sent before the first of them is reported.
    """

    def __init__(
        self,
        system: BranchSystem,
        *,
        progress: str = "loss",
        objective: Objective | None = None,
        workers: int = 1,
        aggregate: Aggregate = sum,
        ahead: int = 20,
    ) -> None:
        self._system = CheckedSystem(system, Protocol(workers, aggregate), ahead=ahead)
        self._progress = progress
        self._objective = objective or Objective(metric="accuracy", mode="max")
        self._root = SystemBranch(id=ROOT, parent=None, start=0)
        self._by_path: dict[BranchPoint, SystemBranch] = {}
        self._trials: dict[tuple[Config, int], int] = {}

    # --- Ask

    async def together(self, proposals: Iterable[Proposal]) -> list[Answer]:
        return [self._answer(proposal) for proposal in proposals]

    async def any_of(self, proposals: Iterable[Proposal]) -> AsyncIterator[Answer]:
        for proposal in proposals:
            yield self._answer(proposal)

    async def stream(self, propose: Propose) -> AsyncIterator[Answer]:
        while (proposed := propose()) is not None:
            for each in pulled(proposed):
                yield self._answer(each)

    def at(self, member: str) -> BranchAsk:
        raise TunerError(f"a training system has one member, and no {member!r}")

    def release(self, config: ConfigLike) -> None:
        released = as_config(config)
        for point, branch in list(self._by_path.items()):
            if released in branch.users:
                branch.users.remove(released)
                if not branch.users:
                    del self._by_path[point]  # whoever asks for it again forks it again
                    self._system.free(branch.id)

    @asynccontextmanager
    async def pin(
        self, config: ConfigLike | Answer, until: int | None = None, *, occurrence: int = 0
    ) -> AsyncIterator[None]:
        pinned = pinned_state(config, until, occurrence)
        branch = next((b for b in self._by_path.values() if pinned.config in b.users), None)
        step = pinned.until if pinned.until is not None or branch is None else branch.step
        if branch is None or step is None or step != branch.step:
            raise TunerError(
                f"there is no branch of {pinned.config!r} at step {pinned.until}, so there is no state to pin"
            )
        copied, pins = branch.copies.get(step) or (self._system.fork(branch.id, {}), 0)
        branch.copies[step] = (copied, pins + 1)
        try:
            yield
        finally:
            copied, pins = branch.copies.pop(step)
            if pins > 1:
                branch.copies[step] = (copied, pins - 1)
            else:
                self._system.free(copied)

    @property
    def objectives(self) -> Sequence[Objective]:
        return [self._objective]

    @property
    def ready_stages(self) -> int:
        return 0

    def uncovered(self, config: ConfigLike, until: int) -> int:
        known = [self._by_path.get(point) for point, *_ in self._stretches(as_config(config), until)]
        covered = max((branch.step for branch in known if branch is not None), default=0)
        return max(0, until - covered)

    def limited(
        self, *, seconds: float | None = None, device_seconds: float | None = None
    ) -> AbstractAsyncContextManager[None]:
        raise TunerError("a training system has no clock that could end a tuner; give it fewer steps or trials")

    # --- messages

    def _answer(self, asked: Proposal) -> Answer:
        check_steps("until", asked.until)
        config = as_config(asked.config)
        branch = self._walk(config, asked.until)
        branch.users.add(config)
        if asked.evaluate and asked.until not in branch.tested:
            branch.tested[asked.until] = self._system.test(self._state_at(branch, asked.until))
        metrics = {self._objective.metric: branch.tested[asked.until]} if asked.evaluate else {}
        return Answer(
            config=config,
            step=asked.until,
            trial=self._trials.setdefault((config, asked.occurrence), len(self._trials)),
            metrics=metrics,
            losses=(self._objective.loss(metrics),) if metrics else (),
            state=Point(NodeId(branch.id), asked.until),
            occurrence=asked.occurrence,
            train_metrics=StepTrace(asked.until, lambda step: {self._progress: branch.loss_of(step)}),
        )

    def _walk(self, config: Config, until: int) -> SystemBranch:
        """Return the branch in which a config's path ends, trained that far."""
        stretches = list(self._stretches(config, until))
        # what lies before a branch that is there may have been freed meanwhile
        known = [number for number, (point, *_) in enumerate(stretches) if point in self._by_path]
        branch = self._root
        for point, start, stop, tunables in stretches[known[-1] if known else 0 :]:
            parent, found = branch, self._by_path.get(point)
            if found is None:
                forked = self._system.fork(self._state_at(parent, start), tunables)
                found = self._by_path[point] = SystemBranch(id=forked, parent=parent, start=start)
            branch = found
            branch.losses += self._system.train(branch.id, stop - branch.step)
        return branch

    def _stretches(self, config: Config, until: int) -> Iterator[tuple[BranchPoint, int, int, Mapping[str, Any]]]:
        """Yield the stretches of a path: what names each, where it starts and stops, and the values in force.

        Raises:
          BranchError: a value changes from step to step, which no message says.
        """
        walked = [(start, dict(pieces)) for start, pieces in path(config, until)]
        stops = [start for start, _ in walked[1:]] + [until]
        named: tuple[tuple[int, tuple[tuple[str, str], ...]], ...] = ()
        for (start, pieces), stop in zip(walked, stops, strict=True):
            for name, piece in pieces.items():
                if piece.kind not in ("constant", "structure"):
                    raise BranchError(
                        f"{name} changes in each step from {start} to {stop}, and a branch has one value; give "
                        "constants, or Piecewise ones"
                    )
            named = (*named, (start, tuple((name, pieces[name].key) for name in sorted(pieces))))
            yield BranchPoint(named), start, stop, config.values_at(start)

    def _state_at(self, branch: SystemBranch, step: int) -> int:
        """Return the id of a branch whose present state is that of another one after so many steps.

        Raises:
          BranchError: there is none.
        """
        if step in branch.copies:
            return branch.copies[step][0]
        if branch.step != step:
            raise BranchError(
                f"branch {branch.id} has left step {step} and is at {branch.step}; the system keeps no history, so pin "
                "what is to be forked later"
            )
        return branch.id
