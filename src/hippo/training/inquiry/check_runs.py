"""One run of a check: a few steps of one config, trained as the order says, and compared with an earlier run.

A check trains the same steps in several ways that must come to the same bits. Which ways there are is decided
elsewhere; this module walks one of them in the process where it is called, and refuses to know of processes and words.
"""

from __future__ import annotations

import contextlib
import io
import os
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from hippo.clock import Clock
from hippo.hparams import Piece
from hippo.records import Failure, Metrics, Point, TrainerSpec
from hippo.training.codec import EncodedState, difference, read_state, write_state
from hippo.training.inquiry.grafts import graft
from hippo.training.inquiry.inventory import Inventory, inventory
from hippo.training.process.process_settings import settings_kept
from hippo.training.trainer import Trainer
from hippo.training.trainers import Trainers
from hippo.training.walking.lanes import pristine_anew, user_code_surrounded
from hippo.training.walking.walker import NOWHERE, Pieces, UserCodeFailed, Walker


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrder:
    """Which steps are to be trained, and how."""

    #: the pieces in force in step 0, 1, ...
    pieces: tuple[Pieces, ...]
    stop: int
    #: steps behind it; 0: it begins anew
    start: int = 0
    #: folder of the states to begin from, and of those to compare with
    states: str
    #: write the state after each step there
    writes: bool = False
    #: evaluate after each step; else after the last one alone
    evaluates: bool = True
    #: go on, at this step, from the state written and read back, with another trainer
    cut: int = 0
    #: every step is trained alone, from the state before it, the last one first
    one_by_one: bool = False
    #: another config that this process trains first
    before: tuple[Pieces, ...] = ()
    #: loader workers of a `TorchTrainer`; None: as many as it says
    num_workers: int | None = None
    #: the current folder; None: as it is
    folder: str | None = None
    #: environment variables that are set beside those that are there
    variables: Mapping[str, str] = field(default_factory=dict)
    #: take inventory around each call of the trainer
    watched: bool = False
    #: train to `start` in this process as well, and give the loaded trainer what that one holds under these names
    grafts: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReport:
    """What a run was after a step."""

    #: steps trained
    step: int
    training: Metrics
    #: None: not evaluated
    metrics: Metrics | None
    #: where the state differs from that of the run that is compared with
    paths: tuple[str, ...]
    #: what the evaluation changed of the state
    changed: tuple[str, ...]
    #: of the whole step, as a lane takes it, without evaluation
    seconds: float
    #: of the evaluation, and of copying and writing the state
    evaluation_s: float = 0.0
    saving_s: float = 0.0
    size_bytes: int = 0


class WatchedMoment(NamedTuple):
    """What a trainer held before or after one of its methods."""

    #: "__init__()", "build()", "load_state_dict()", "setup()", "train()", "evaluate()" or "state_dict()"
    method: str
    #: whether the method had returned
    is_after: bool
    #: steps trained
    step: int
    held: Inventory


@dataclass(slots=True, kw_only=True)
class RunReport:
    """What came of a run."""

    steps: list[StepReport] = field(default_factory=list)
    #: what the user's code raised, if it did
    failure: Failure | None = None
    #: names in the state, outermost
    names: tuple[str, ...] = ()
    moments: list[WatchedMoment] = field(default_factory=list)
    #: settings of the process that a lane would have set back at its end
    left: tuple[str, ...] = ()
    #: hyper-parameters that the trainer never looked at
    unread: tuple[str, ...] = ()
    #: the trainer says that it can go on only where it was made
    is_bound: bool = False
    #: seconds of a step that are hippo's own
    own_s: float = 0.0
    #: loader workers that the trainer has by itself; None: it is no `TorchTrainer`
    num_workers: int | None = None


def carry_out(order: RunOrder, spec: TrainerSpec, trainers: Trainers, clock: Clock) -> RunReport:
    """Train what `order` says in this process, and report; an exception of the user's code is part of the report.

    Raises:
      TrainerError: the trainer does not arrive here.
    """
    report = RunReport()
    _move(order)
    with user_code_surrounded(spec):
        try:
            _Run(order, spec, trainers, clock, report).run()
        except UserCodeFailed as stop:
            report.failure = stop.failure
    return report


def _move(order: RunOrder) -> None:
    """Go where the order says; for good, since the process is this run's own."""
    if order.folder is not None:
        os.chdir(order.folder)
    os.environ.update(order.variables)


class _Run:
    """One run under way."""

    def __init__(self, order: RunOrder, spec: TrainerSpec, trainers: Trainers, clock: Clock, report: RunReport) -> None:
        self._order = order
        self._spec = spec
        self._trainers = trainers
        self._clock = clock
        self._report = report
        self._step = order.start

    def run(self) -> None:
        order = self._order
        self._pristine = pristine_anew(self._spec, self._trainers, self._goal(0), self._note_left)
        self._report.num_workers = getattr(self._pristine, "num_workers", None)
        if order.num_workers is not None:
            self._pristine.num_workers = order.num_workers  # type: ignore[attr-defined]
        if order.watched:
            _watch(self._pristine, self._note_moment)
            self._note_moment("__init__()", True, self._pristine)
        if order.before:
            self._train_other(order.before)
        if order.one_by_one:
            for step in reversed(range(max(order.start, 1), order.stop)):
                self._walk(step, step + 1)
        else:
            self._walk(order.start, order.stop)
        if order.writes:
            self._report.own_s = self._own_seconds()

    def _goal(self, step: int) -> Point:
        return Point(NOWHERE, step + 1)

    # --- walking

    def _walk(self, start: int, stop: int) -> None:
        """Train [start, stop) as one lane, or two."""
        state = self._state_at(start) if start else None
        with settings_kept(self._note_left):
            through = self._walked_through(start) if self._order.grafts is not None else None
            walker = self._walker(start, state)
            if through is not None and self._order.grafts is not None:
                graft(through, walker.settled(NOWHERE), self._order.grafts)
            try:
                while walker.step < stop and not self._report.is_bound:
                    self._train(walker, is_last=walker.step + 1 == stop)
                    if walker.step == self._order.cut != stop:
                        encoded = walker.encode(NOWHERE)
                        walker.close()
                        walker = self._walker(walker.step, _written_and_read(encoded))
            finally:
                walker.close()

    def _walked_through(self, stop: int) -> Trainer:
        """Return a trainer that was trained up to there as the run was that others are compared with."""
        walker = self._walker(0, None)
        while walker.step < stop:
            walker.train(NOWHERE, self._order.pieces[walker.step])
            walker.encode(NOWHERE)
            walker.evaluate(NOWHERE)
            walker.encode(NOWHERE)
        return walker.settled(NOWHERE)

    def _walker(self, step: int, state: EncodedState | None) -> Walker:
        self._step = step
        pieces = self._order.pieces[max(step - 1, 0)]
        walker = Walker(self._pristine, step=step, pieces=pieces, state=state, goal=self._goal(step))
        if state is not None and walker.must_start_over:
            self._report.is_bound = True
        return walker

    def _train(self, walker: Walker, *, is_last: bool) -> None:
        order, clock = self._order, self._clock
        started_s = clock.elapsed()
        training = walker.train(NOWHERE, self._order.pieces[walker.step])
        seconds = clock.elapsed() - started_s
        self._step = walker.step
        if not order.evaluates and not is_last:  # no look at the state either: what looking changes must show
            self._report.steps.append(
                StepReport(step=walker.step, training=training, metrics=None, paths=(), changed=(), seconds=seconds)
            )
            return
        started_s = clock.elapsed()
        state = walker.encode(NOWHERE)
        if order.writes:
            self._write(walker.step, state)
        saving_s = clock.elapsed() - started_s
        paths = () if order.writes else tuple(difference(self._state_at(walker.step), state))
        started_s = clock.elapsed()
        metrics = walker.evaluate(NOWHERE)
        evaluation_s = clock.elapsed() - started_s
        changed = tuple(difference(state, walker.encode(NOWHERE)))
        if isinstance(state.tree, dict):
            self._report.names = tuple(map(str, state.tree))
        self._report.unread, _ = walker.unread
        self._report.steps.append(
            StepReport(
                step=walker.step,
                training=training,
                metrics=metrics,
                paths=paths,
                changed=changed,
                seconds=seconds,
                evaluation_s=evaluation_s,
                saving_s=saving_s,
                size_bytes=state.size_bytes,
            )
        )

    def _train_other(self, config: Sequence[Pieces]) -> None:
        """Train another config from its beginning, as a worker may have done; if it cannot, there is nothing to see."""
        with settings_kept(self._note_left), contextlib.suppress(UserCodeFailed):
            walker = Walker(self._pristine, step=0, pieces=config[0], state=None, goal=self._goal(0))
            try:
                for pieces in config:
                    walker.train(NOWHERE, pieces)
                    walker.evaluate(NOWHERE)
            finally:
                walker.close()
        self._report.moments.clear()
        self._report.left = ()
        self._step = self._order.start

    # --- states

    def _state_at(self, step: int) -> EncodedState:
        with Path(self._order.states, str(step)).open("rb") as file:
            return read_state(file)

    def _write(self, step: int, state: EncodedState) -> None:
        with Path(self._order.states, str(step)).open("wb") as file:
            write_state(state, file)

    # --- beside the road

    def _own_seconds(self) -> float:
        """Return the seconds that hippo itself takes for a step: those of a trainer that does nothing."""
        idle = _IdleTrainer()
        idle.seed = self._spec.seed
        pieces = self._order.pieces[0]
        walker = Walker(idle, step=0, pieces=pieces, state=None, goal=self._goal(0))
        spent = []
        for _ in range(5):
            started_s = self._clock.elapsed()
            walker.train(NOWHERE, pieces)
            spent.append(self._clock.elapsed() - started_s)
        return statistics.median(spent)

    def _note_left(self, changes: list[str]) -> None:
        self._report.left = tuple(dict.fromkeys((*self._report.left, *changes)))

    def _note_moment(self, method: str, is_after: bool, trainer: Trainer) -> None:
        step = self._step + (method == "train()" and is_after)
        self._report.moments.append(WatchedMoment(method, is_after, step, inventory(trainer)))


def _written_and_read(state: EncodedState) -> EncodedState:
    file = io.BytesIO()
    write_state(state, file)
    return read_state(file.getvalue())


class _IdleTrainer(Trainer):
    """Does nothing, in hippo's company."""

    def train(self) -> None:
        return None

    def evaluate(self) -> Mapping[str, float]:
        return {}

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        return None


def _watch(trainer: Trainer, note: Callable[[str, bool, Trainer], None]) -> None:
    """Have a trainer, and its copies, tell before and after each of their methods.

    Its class gets a subclass of the same name for it. `setup` is not among them: whether a class defines it decides
    what a `TorchTrainer` may do.
    """
    cls = type(trainer)

    def watched(name: str) -> Callable[..., Any]:
        method = getattr(cls, name)

        def call(self: Trainer, *arguments: Any) -> Any:
            note(f"{name}()", False, self)
            returned = method(self, *arguments)
            note(f"{name}()", True, self)
            return returned

        return call

    names = ("build", "load_state_dict", "train", "evaluate", "state_dict")
    body: dict[str, Any] = {name: watched(name) for name in names}
    body |= {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
    make: Any = type(cls)
    trainer.__class__ = make(cls.__name__, (cls,), body)


def pieces_at(steps: int, path: Iterator[tuple[int, Mapping[str, Piece]]]) -> tuple[Pieces, ...]:
    """Return the pieces in force in each of so many steps.

    Args:
      steps: how many.
      path: the steps at which other pieces come into force, with all that are in force from there on.
    """
    changes = list(path)
    ends = [start for start, _ in changes[1:]] + [steps]
    return tuple(
        pieces for (start, pieces), end in zip(changes, ends, strict=True) for _ in range(start, min(end, steps))
    )
