"""Runs assignments: walks each lane, and tells in events what came of it.

What is due at a step's end, and where a lane ends, `hippo.lanes` says; here it is carried out. The engine provides the
rest as a `LaneHost`. This module refuses to know where it runs, what a plan is, and whether a step was worth taking; an
exception of the user's code is an event like others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager

from hippo.events import (
    BoundaryAnswered,
    ChangeUnread,
    Evaluated,
    ExactnessChecked,
    HparamsUnread,
    LanePoint,
    SettingsLeft,
    StageFailed,
    StepDone,
    at_point,
)
from hippo.lanes import AssignmentProgress, Due, LaneProgress
from hippo.records import Assignment, LaneStage, LaneStart, LeaseCommand, Point, SlotId, TrainerSpec
from hippo.training.checks import LaneChecks, Verdict, compare_loaded_state
from hippo.training.codec import EncodedState
from hippo.training.environment import numerics, pin_late_torch
from hippo.training.lane_host import LaneHost
from hippo.training.lane_states import LaneStates
from hippo.training.late_imports import late_imports_noticed
from hippo.training.process_settings import ProcessSettings, note_library, settings_kept
from hippo.training.same_code import guarded_imports
from hippo.training.streams import forget_seed, seed_library
from hippo.training.trainer import Trainer
from hippo.training.trainers import Trainers, require_device
from hippo.training.walker import UserCodeFailed, Walker, built_base, user_code


def run_assignment(assignment: Assignment, spec: TrainerSpec, trainers: Trainers, host: LaneHost, slot: SlotId) -> None:
    """Walk every lane of `assignment`, one after another, and emit what happens.

    An exception of the user's code ends its lane, and a state that cannot be written is told; only KeyboardInterrupt,
    SystemExit, and a TrainerError if the trainer does not arrive as it was recorded, leave this function. It does not
    emit `AssignmentDone`: the slot is not ours.
    """
    progress = AssignmentProgress(assignment, evaluate_every=spec.evaluate_every)
    with user_code_surrounded(spec):
        for lane in progress.lanes:
            if not lane.is_over:
                _LaneRun(assignment, progress, lane, spec, trainers, host, slot).run()
    _follow(progress, host.emit, host.poll())


@contextmanager
def user_code_surrounded(spec: TrainerSpec) -> Iterator[None]:
    """Run a trainer's methods in the block: imports are guarded and noticed, and determinism is as `spec` wants it."""
    with guarded_imports(spec), late_imports_noticed(_prepare_library), numerics(spec.numerics):
        try:
            yield
        finally:
            forget_seed()


def pristine_anew(spec: TrainerSpec, trainers: Trainers, goal: Point, tell: Callable[[list[str]], None]) -> Trainer:
    """Load a trainer that is to be trained beside all plans, and return it as `__init__` left it.

    Args:
      spec: which.
      trainers: what this process has loaded.
      goal: where it is to come, as a failure says it.
      tell: hears of settings of the process that `__init__` left changed.

    Raises:
      TrainerError: it does not arrive here, or its device is not there.
      UserCodeFailed: `__init__` raised.
    """
    trainers.load(spec)
    with settings_kept(tell), user_code("__init__", goal):
        pristine = trainers.pristine(spec)
    require_device(pristine)
    return pristine


def _follow(
    progress: AssignmentProgress, emit: Callable[[BoundaryAnswered], None], commands: Sequence[LeaseCommand]
) -> None:
    """Let commands change what is ahead, and answer them."""
    for answer in progress.take(commands):
        emit(answer)


def _prepare_library(name: str) -> None:
    """Bring a library that a trainer has just imported to where it would be, had it been there from the start."""
    if name == "torch":
        pin_late_torch()
    note_library(name)
    seed_library(name)


class _LaneRun:
    """One lane under way: how it comes to a walker, and what it does at each step's end."""

    def __init__(
        self,
        assignment: Assignment,
        commanded: AssignmentProgress,
        progress: LaneProgress,
        spec: TrainerSpec,
        trainers: Trainers,
        host: LaneHost,
        slot: SlotId,
    ) -> None:
        self._assignment = assignment
        #: all lanes, since a command may be for any
        self._commanded = commanded
        self._progress = progress
        self._lane = progress.lane
        self._spec = spec
        self._trainers = trainers
        self._host = host
        # Nothing in there knows this object: a lane's states are freed when it ends, not when garbage is collected.
        # While it waits for room in a store, answers are not held back: who asked waits for them.
        follow = functools.partial(_follow, commanded, host.emit)
        self._states = LaneStates(assignment, progress, host, slot=slot, follow=follow, bases=trainers.bases(spec))
        self._checks: LaneChecks | None = None
        self._untold: Evaluated | None = None

    def run(self) -> None:
        self._progress.begin(self._host.clock.elapsed())
        try:
            self._run()
            self._states.settle()
        except BaseException:
            self._states.end()
            raise
        finally:
            self._progress.is_over = True

    def _run(self) -> None:
        try:
            # Before settings are kept: what a module sets when it is imported stays, for it is imported once. If it
            # cannot be imported, that is no fact about a trial, and leaves this function.
            self._trainers.load(self._spec)
            with settings_kept(lambda changes: self._tell_left("its lane", changes)) as settings:
                if walker := self._begin(settings):
                    with closing(walker):
                        self._walk(walker)
                    self._host.standing.leave(self._assignment.states_of, walker, settings)
        except UserCodeFailed as stop:
            self._states.emit(
                StageFailed(
                    lease=self._assignment.lease,
                    lane=self._progress.number,
                    failure=stop.failure,
                    is_resource=stop.is_resource,
                )
            )

    # ---------------------------------------------------------------------------------------------- the beginning

    @property
    def _first_goal(self) -> Point:
        """What cannot be made if there is no trainer."""
        first = self._lane.stages[0]
        return Point(first.node, max(first.stop if first.start == first.stop else first.start + 1, 1))

    def _begin(self, settings: ProcessSettings) -> Walker | None:
        begin, first = self._lane.begin, self._lane.stages[0]
        there = self._trainers.pristine(self._spec) if self._trainers.has_built(self._spec) else None
        stood = self._host.standing.take(self._assignment.states_of, self._lane, there)
        if stood is not None and begin is not None and stood.stands_at(begin):
            self._states.recall(begin)
            return stood
        state = None
        if begin is not None:
            state = self._states.load(begin, functools.partial(self._make_base, begin))
            if state is None:
                return None
        goal = self._first_goal
        with user_code("__init__", goal):
            pristine = self._pristine()
        require_device(pristine)
        step = begin.step if begin else 0
        pieces = begin.pieces if begin else first.pieces
        if not self._evaluates_alike(state, pristine, settings):
            return None
        if self._lane.is_watched:
            self._checks = LaneChecks(self._lane, pristine, self._host.clock, begin=state, settings=settings)
        if stood is not None and state is not None and stood.fork(step=step, pieces=pieces, state=state, goal=goal):
            return stood
        stood = None  # two of them may not fit into memory
        bases = self._trainers.bases(self._spec)
        walker = Walker(pristine, step=step, pieces=pieces, state=state, goal=goal, bases=bases)
        if begin is not None and walker.must_start_over:
            walker.close()
            reason = "its trainer can only go on from it where it was made"
            self._states.refuse(begin, reason, is_expected=True)
            return None
        return walker

    def _evaluates_alike(self, state: EncodedState | None, pristine: Trainer, settings: ProcessSettings) -> bool:
        """Compare the state that the lane begins from, or one that it is shown, with its recorded metrics, if any.

        Where they differ nobody knows what would come of the lane: who wants it all the same, asks again.
        """
        begin, shown = self._lane.begin, self._lane.look
        # a lane that begins after step 1 and is checked is compared with one that walks there itself, which says more
        if begin is not None and begin.metrics is not None and not (self._lane.check and begin.step == 1):
            shown = begin
        elif shown is not None:
            state = self._states.peek(shown, functools.partial(self._make_base, shown))
        if shown is None or state is None:
            return True
        verdict = compare_loaded_state(shown, state, pristine, self._host.clock, settings=settings)
        if verdict.proven is False:
            self._tell_verdict(verdict)
        return verdict.proven is not False

    def _make_base(self, begin: LaneStart) -> EncodedState | None:
        with user_code("__init__", self._first_goal):
            pristine = self._pristine()
        return built_base(pristine, step=begin.step, pieces=begin.pieces, goal=self._first_goal)

    def _pristine(self) -> Trainer:
        if self._trainers.has_built(self._spec):
            return self._trainers.pristine(self._spec)
        with settings_kept(lambda changes: self._tell_left("__init__()", changes)):
            return self._trainers.pristine(self._spec)

    # ------------------------------------------------------------------------------------------------ on the road

    def _walk(self, walker: Walker) -> None:
        due = Due.GO_ON
        while due is not Due.END:
            stage = self._progress.stage
            if stage.start < stage.stop:
                self._train(walker, stage)
            self._progress.arrive(walker.step)
            due = self._finish_step(walker, Point(stage.node, walker.step))
            if due is Due.GO_ON:
                self._progress.go_on()

    def _train(self, walker: Walker, stage: LaneStage) -> None:
        self._states.leave()
        is_first = walker.step == 0
        started_s = self._host.clock.elapsed()
        training = walker.train(stage.node, stage.pieces)
        seconds = self._host.clock.elapsed() - started_s
        self._states.emit(StepDone(**self._at(Point(stage.node, walker.step)), training=training, seconds=seconds))
        unread, read = walker.unread
        if is_first and unread:
            self._states.emit(HparamsUnread(lease=self._assignment.lease, names=unread, read=read))
        if self._checks is not None:
            self._tell_verdict(self._checks.see(walker, stage.node, training))

    def _finish_step(self, walker: Walker, point: Point) -> Due:
        """Do at a step's end all that is due there, and return whether the lane goes on or ends."""
        self._states.look_after()
        if self._due() is Due.EVALUATE:  # before commands are looked at: those that come meanwhile are in time
            self._evaluate(walker, point)
        _follow(self._commanded, self._states.emit, self._host.poll())
        if self._checks is not None and not self._progress.is_stopping:
            # before anybody hears of the metrics: who gets an answer may end the study, and this lane with it
            self._tell_verdict(self._checks.compare(walker, point.node, self._progress.metrics))
        while (due := self._due()) is not Due.GO_ON:
            if due is not Due.END:
                self._carry_out(due, walker, point)
            elif not self._states.settle():  # else commands may have come, and more may be due
                break
        self._tell_metrics()
        return due

    def _due(self) -> Due:
        return self._progress.due(self._host.clock.elapsed())

    # ---------------------------------------------------------------------------------------- at the end of a step

    def _carry_out(self, due: Due, walker: Walker, point: Point) -> None:
        if due is Due.EVALUATE:
            self._evaluate(walker, point)
            return
        if due is Due.WRITE:  # no boundary asked for this copy, or the metrics were told when it was taken
            self._tell_metrics()
        state = self._states.encoded(walker, point)
        self._tell_metrics()
        self._states.keep(due, point, state)

    def _evaluate(self, walker: Walker, point: Point) -> None:
        started_s = self._host.clock.elapsed()
        metrics = self._progress.metrics = walker.evaluate(point.node)
        seconds = self._host.clock.elapsed() - started_s
        self._untold = Evaluated(**self._at(point), metrics=metrics, seconds=seconds)
        for change in walker.take_unread_changes():
            self._states.emit(
                ChangeUnread(
                    lease=self._assignment.lease,
                    name=change.name,
                    step=change.step,
                    before=repr(change.before),
                    after=repr(change.after),
                )
            )

    def _tell_metrics(self) -> None:
        """Emit an evaluation, once it is sure that the state it is of can be kept where it must."""
        if self._untold is not None:
            self._states.emit(self._untold)
            self._untold = None

    def _tell_verdict(self, verdict: Verdict | None) -> None:
        if verdict is None:
            return
        self._states.emit(
            ExactnessChecked(
                lease=self._assignment.lease,
                lane=self._progress.number,
                which=verdict.which,
                proven=verdict.proven,
                detail=verdict.detail,
                seconds=verdict.seconds,
                steps=verdict.steps,
            )
        )

    def _tell_left(self, where: str, changes: list[str]) -> None:
        lease = self._assignment.lease
        self._states.emit(SettingsLeft(lease=lease, lane=self._progress.number, where=where, changes=tuple(changes)))

    def _at(self, point: Point) -> LanePoint:
        return at_point(self._assignment.lease, self._progress.number, point)
