"""Runs steps of a lane a second time, beside it, and compares: states, training metrics, evaluations.

What a checkpoint forgets shows where a lane that walked through a state and one that begins from it differ. Nothing
of it is recorded as a metric, and the lane that is watched goes on as it was. What no comparison within one process
can see is listed in docs/trainers.md.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from hippo.clock import Clock
from hippo.errors import listed
from hippo.events import Check
from hippo.records import Boundary, Lane, LaneStage, LaneStart, Metrics, NodeId, Point
from hippo.training.check_differences import (
    EVALUATE_CHANGED,
    HIDDEN_EVALUATION,
    MOST_PATHS,
    NOT_ANEW,
    NOT_IDEMPOTENT,
    NOT_REPEATED,
    OTHER_BASE,
    OTHER_EVALUATION,
    OTHER_SETUP,
    UNSTEADY,
    Difference,
    difference_of,
    named,
    not_resumed,
    only_metrics,
    unequal,
)
from hippo.training.codec import EncodedState, difference
from hippo.training.failures import refusal_of
from hippo.training.function_trainer import FunctionTrainer
from hippo.training.live_states import HeldState, encoded_state
from hippo.training.process.process_settings import ProcessSettings, settings_of
from hippo.training.process.streams import fence
from hippo.training.telling import tell_once
from hippo.training.trainer import Trainer
from hippo.training.values import same_value
from hippo.training.walking.check_rule import changed_step, checked_step, last_step, stage_at
from hippo.training.walking.walker import Pieces, UserCodeFailed, Walker, built_otherwise

_FEW_PATHS = 3
#: metrics of lanes that were evaluated together are as close to those of one alone, relatively: losses nearer, while of
#: what counts samples, now and then one falls to the other side
_MOST_APART = 5e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a comparison came to."""

    which: Check
    #: None: the trainer raised in the second run
    proven: bool | None
    #: if not proven: what differs, which method is to blame, and what to do
    detail: str
    seconds: float
    #: the steps that were run again
    steps: tuple[Point, ...]


@dataclass(slots=True)
class _Seen:
    """What a walker was after a step."""

    #: taken before the evaluation
    state: EncodedState
    training: Metrics
    metrics: Metrics | None = None
    #: what its evaluation changed
    changed: tuple[str, ...] = ()


class LaneChecks:
    """Watches one lane, and runs the steps again that `check_rule` names.

    Args:
      lane: which.
      pristine: the trainer as its `__init__` left it, and as other lanes have treated it since.
      begin: the state that the lane begins from, if it is not a new one.
      settings: the process's, before the lane began; second runs begin with them, too.
      may_fuse: the state that the lane begins from may come from steps that were walked as one with others, whose last
        bits are not those of steps that are walked alone.
    """

    def __init__(
        self,
        lane: Lane,
        pristine: Trainer,
        clock: Clock,
        *,
        begin: HeldState | None,
        settings: ProcessSettings,
        may_fuse: bool = False,
    ) -> None:
        self._lane = lane
        self._pristine = pristine
        self._clock = clock
        self._begin = begin
        self._settings = settings
        self._may_fuse = may_fuse
        self._first = 0 if lane.begin is None else lane.begin.step
        self._checked = checked_step(lane)
        self._last = last_step(lane)
        if self._last == 1 and isinstance(pristine, FunctionTrainer):  # its first step may be all of its training
            self._last = None
        self._changed = changed_step(lane)
        self._seen: dict[int, _Seen] = {}
        #: what was spent on looking since the last verdict, and which steps were run again
        self._seconds = 0.0
        self._again: list[Point] = []
        self._ends = {end for end in (self._checked, self._last, self._changed) if end is not None}
        self._watched = {step for end in self._ends for step in (end - 1, end)}
        #: how often `setup` is called where a second run begins
        self._setups = 1

    def see(self, walker: Walker, node: NodeId, training: Metrics) -> Verdict | None:
        """Look at the lane after a step was trained, before anything is evaluated.

        Raises:
          UserCodeFailed: its state is one that hippo refuses to save.
        """
        if walker.step not in self._watched:
            return None
        started_s = self._clock.elapsed()
        try:
            self._seen[walker.step] = _Seen(walker.encode(node), training)
        except UserCodeFailed as stop:
            if refusal_of(stop.failure):  # no later state could be saved, either: not for nothing to the lane's end
                raise
            return self._give_up(stop, walker.step, started_s)
        self._seconds += self._clock.elapsed() - started_s
        return None

    def compare(self, walker: Walker, node: NodeId, metrics: Metrics | None) -> Verdict | None:
        """Compare what is to be compared after the step at which the lane stands, before anybody hears of it.

        Args:
          metrics: what an evaluation there said, if the lane took one; else one is taken where it is needed.
        """
        step, seen = walker.step, self._seen.get(walker.step)
        if seen is None:
            return None
        started_s = self._clock.elapsed()
        try:
            if step <= (self._checked or 0) or step in self._ends:
                seen.metrics = metrics if metrics is not None else walker.evaluate(node)
            if step in self._ends:
                found = self._compare_settled(step)
                if found and (names := _unsteady(stage_at(self._lane, step).pieces, step - 1)):
                    found = difference_of(UNSTEADY, names)
                self._seen = {step: seen}
                if found:  # whatever comes later differs for the same reason
                    self._stop_watching()
                return self._ended(step, not found, found.text if found else "", started_s)
        except UserCodeFailed as stop:
            return self._give_up(stop, step, started_s)
        self._seconds += self._clock.elapsed() - started_s
        return None

    # --- what is compared

    def _compare_settled(self, step: int) -> Difference | None:
        """Compare with second runs in which `setup` is called twice, as it may be wherever a lane begins or goes on."""
        if type(self._pristine).setup is Trainer.setup:
            return self._compare_at(step)
        self._setups, found = 2, None
        try:
            found = self._compare_at(step)
            if found is None:
                return None
        except UserCodeFailed as stop:
            if stop.failure.method != "setup":
                raise  # else it refuses to be called twice, which nobody does who does not ask for it
        self._setups = 1
        once = self._compare_at(step)
        if once is not None or found is None:
            return once
        return Difference(NOT_IDEMPOTENT.format(start=step - 1, paths=listed(found.paths, MOST_PATHS)), found.paths)

    def _compare_at(self, step: int) -> Difference | None:
        found = None
        if step == self._checked:
            found = self._first_steps(step)
        elif step != self._changed:
            found = self._anew(self._seen[1]) if step == 1 else self._resumed(step)
        if found is None and step == self._changed:
            found = self._walked_on(step) if step == self._first + 1 else self._resumed(step)
        return found

    def _first_steps(self, step: int) -> Difference | None:
        if self._first == 0:
            return self._beyond(step) if step == 1 else self._resumed(step) or self._anew(self._seen[1])
        if self._first == 1:
            return self._anew_alone() if self._may_fuse else self._anew(None)
        return self._resumed(step) if step == self._first + 2 else self._beyond(step)

    def _resumed(self, step: int) -> Difference | None:
        """Run the step up to `step` again, from the state before it, through which the lane walked."""
        before, seen, stage = self._seen[step - 1], self._seen[step], stage_at(self._lane, step)
        (again,) = self._walk(before.state, step - 1, stage)
        paths = _differences(seen, again)
        if not paths or again.changed:
            return _evaluate_changed(again)
        if before.metrics is not None and not only_metrics(paths):
            (evaluated,) = self._walk(before.state, step - 1, stage, evaluated=True)
            if not _differences(seen, evaluated):
                return difference_of(HIDDEN_EVALUATION, paths)
        return not_resumed(step - 1, paths, values_changed=step == self._lane.change)

    def _anew(self, first: _Seen | None) -> Difference | None:
        """Train anew from the beginning, with a trainer that was there while another copy of it trained.

        Args:
          first: what the lane was after step 1; None: it began from that state, and is compared after step 2, too.
        """
        begin = self._lane.begin
        if begin is None:
            assert first is not None, "a lane of a new state is watched from its first step on"
            (one,) = self._walk(None, 0, stage_at(self._lane, 1))
            paths = _differences(first, one)
            return _evaluate_changed(one) or (difference_of(NOT_ANEW, paths) if paths else None)
        assert self._begin is not None, "the lane began from a state"
        one, two = self._walk(None, 0, _stage_before(begin), stage_at(self._lane, 2))
        if changed := _evaluate_changed(one) or _evaluate_changed(two):
            return changed
        paths = difference(encoded_state(self._begin), one.state)
        if begin.metrics is not None:
            paths += named("evaluate", begin.metrics, one.metrics)
        if paths:
            return difference_of(NOT_ANEW, paths)
        paths = _differences(two, self._seen[2])
        return not_resumed(1, paths) if paths else None

    def _anew_alone(self) -> Difference | None:
        """Train anew from the beginning twice, and go on from there: the recorded state may have other last bits."""
        assert self._lane.begin is not None, "the lane began from a state"
        before, after = _stage_before(self._lane.begin), stage_at(self._lane, 2)
        (first,) = self._walk(None, 0, before)
        one, two = self._walk(None, 0, before, after)
        (resumed,) = self._walk(one.state, 1, after)
        if changed := _evaluate_changed(one) or _evaluate_changed(two):
            return changed
        if paths := _differences(first, one):
            return difference_of(NOT_ANEW, paths)
        paths = _differences(two, resumed)
        return not_resumed(1, paths) if paths else None

    def _beyond(self, step: int) -> Difference | None:
        """Compare where the lane has one step only: walk it again and one step further, and that one once more."""
        stage, seen = stage_at(self._lane, step), self._seen[step]
        again, further = self._walk(self._begin, step - 1, stage, stage)
        (resumed,) = self._walk(seen.state, step, stage)
        if changed := _evaluate_changed(again) or _evaluate_changed(resumed):
            return changed
        if paths := _differences(seen, again):
            return difference_of(NOT_REPEATED if self._first else NOT_ANEW, paths, start=step - 1, stop=step)
        paths = _differences(further, resumed)
        return not_resumed(step, paths) if paths else None

    def _walked_on(self, step: int) -> Difference | None:
        """Run the lane's first step again, by a trainer that was set up under the values of before."""
        (again,) = self._walk(self._begin, step - 1, stage_at(self._lane, step), walks_on=True)
        paths = _differences(self._seen[step], again)
        return _evaluate_changed(again) or (
            difference_of(OTHER_SETUP, paths, start=step - 1, stop=step) if paths else None
        )

    def _walk(
        self,
        state: HeldState | None,
        step: int,
        *stages: LaneStage,
        evaluated: bool = False,
        walks_on: bool = False,
    ) -> list[_Seen]:
        """Walk a step in each of these stages, under the settings that lanes begin with, and let the walker go.

        Args:
          state: to begin from; None: a new one.
          step: the steps that it has behind it.
          stages: in which the steps are.
          evaluated: evaluate before the first of them, too.
          walks_on: as if the walker had trained the step before itself.
        """
        begin = self._lane.begin
        if step == 0:
            pieces = stages[0].pieces
        else:
            pieces = begin.pieces if begin is not None and step == begin.step else stage_at(self._lane, step).pieces
        goal = Point(stages[0].node, step + 1)
        with settings_of(self._settings):
            walker = Walker(self._pristine, step=step, pieces=pieces, state=state, goal=goal)
            with closing(walker):
                if walks_on:
                    walker.set_up(stages[0].node)
                if evaluated:
                    walker.evaluate(stages[0].node)
                return [self._step(walker, stage) for stage in stages]

    def _step(self, walker: Walker, stage: LaneStage) -> _Seen:
        self._again.append(Point(stage.node, walker.step + 1))
        training = walker.train(stage.node, stage.pieces, setups=self._setups)
        state = walker.encode(stage.node)
        metrics = walker.evaluate(stage.node)
        changed = difference(state, walker.encode(stage.node))
        return _Seen(state, training, metrics, tuple(changed))

    # --- what it comes to

    def _give_up(self, stop: UserCodeFailed, step: int, started_s: float) -> Verdict:
        """Say that nothing can be said: that the trainer raises says nothing about what a state forgets."""
        self._stop_watching()
        return self._ended(step, None, f"{stop.failure.method}() raised {stop.failure.error}", started_s)

    def _stop_watching(self) -> None:
        self._watched = set()
        self._seen.clear()

    def _ended(self, step: int, proven: bool | None, detail: str, started_s: float) -> Verdict:
        if step <= (self._checked or 0):
            which = Check.FIRST_STEPS
        else:
            which = Check.CHANGED_VALUES if step <= (self._changed or 0) else Check.LAST_STEP
        seconds, self._seconds = self._seconds + self._clock.elapsed() - started_s, 0.0
        steps, self._again = tuple(self._again), []
        return Verdict(which=which, proven=proven, detail=detail, seconds=seconds, steps=steps)


def compare_loaded_state(
    begin: LaneStart,
    state: EncodedState,
    pristine: Trainer,
    clock: Clock,
    *,
    settings: ProcessSettings,
    was_fused: bool = False,
) -> Verdict:
    """Evaluate a state that was recorded, perhaps by another process, and compare with what is recorded.

    Args:
      begin: with its recorded metrics.
      state: what was loaded.
      pristine: the trainer as its `__init__` left it, here.
      settings: the process's, before the lane began.
      was_fused: it may have been evaluated together with others, whose metrics are alike and not equal.
    """
    assert begin.metrics is not None, "there is something to compare with"
    started_s = clock.elapsed()
    point = Point(begin.node, begin.step)
    try:
        with settings_of(settings):
            walker = Walker(pristine, step=begin.step, pieces=begin.pieces, state=state, goal=point)
            with closing(walker):
                paths = unequal(begin.metrics, walker.evaluate(begin.node), most=_MOST_APART if was_fused else 0.0)
            if others := built_otherwise(pristine, state, step=begin.step, pieces=begin.pieces, goal=point):
                name = type(pristine).__name__
                tell_once((name, "base"), OTHER_BASE.format(name=name, paths=listed(others, _FEW_PATHS)))
        proven = not paths
        detail = "" if proven else difference_of(OTHER_EVALUATION, paths, step=begin.step).text
    except UserCodeFailed:
        proven, detail = None, ""  # the lane meets it by itself
    seconds = clock.elapsed() - started_s
    return Verdict(which=Check.LOADED_STATE, proven=proven, detail=detail, seconds=seconds, steps=())


def _stage_before(begin: LaneStart) -> LaneStage:
    return LaneStage(node=begin.node, start=0, stop=1, pieces=begin.pieces, boundary=Boundary())


def _unsteady(pieces: Pieces, step: int) -> list[str]:
    """Return the names whose values at a step, asked for twice, are two."""
    own = [(name, piece) for name, piece in sorted(pieces.items()) if piece.body is not None]
    with fence():
        return [repr(name) for name, piece in own if not same_value(piece.at(step), piece.at(step))]


def _evaluate_changed(seen: _Seen) -> Difference | None:
    return difference_of(EVALUATE_CHANGED, seen.changed) if seen.changed else None


def _differences(one: _Seen, other: _Seen) -> list[str]:
    paths = difference(one.state, other.state) + named("train", one.training, other.training)
    if one.metrics is not None and other.metrics is not None:
        paths += named("evaluate", one.metrics, other.metrics)
    return paths
