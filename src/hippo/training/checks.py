"""Runs steps of a lane a second time, beside it, and compares: states, training metrics, evaluations.

What a checkpoint forgets shows where a lane that walked through a state and one that begins from it differ. Nothing
of it is recorded as a metric, and the lane that is watched goes on as it was. What no comparison within one process
can see is listed in docs/trainers.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

from hippo.clock import Clock
from hippo.errors import listed
from hippo.events import Check
from hippo.records import Boundary, Lane, LaneStage, LaneStart, Metrics, NodeId, Point
from hippo.training.check_rule import changed_step, checked_step, last_step, stage_at
from hippo.training.codec import EncodedState, difference
from hippo.training.live_states import HeldState, encoded_state
from hippo.training.process_settings import ProcessSettings, settings_of
from hippo.training.streams import fence
from hippo.training.telling import tell_once
from hippo.training.trainer import Trainer
from hippo.training.values import same_value
from hippo.training.walker import Pieces, UserCodeFailed, Walker, built_otherwise

#: paths named in a message; a forgotten optimizer would otherwise name every parameter
MOST_PATHS = 8
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


class _Difference(NamedTuple):
    """What differs, in a sentence, and the paths that the sentence names."""

    text: str
    paths: Sequence[str]


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
        """Look at the lane after a step was trained, before anything is evaluated."""
        if walker.step not in self._watched:
            return None
        started_s = self._clock.elapsed()
        try:
            self._seen[walker.step] = _Seen(walker.encode(node), training)
        except UserCodeFailed as stop:
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
                    found = _difference(_UNSTEADY, names)
                self._seen = {step: seen}
                if found:  # whatever comes later differs for the same reason
                    self._stop_watching()
                return self._ended(step, not found, found.text if found else "", started_s)
        except UserCodeFailed as stop:
            return self._give_up(stop, step, started_s)
        self._seconds += self._clock.elapsed() - started_s
        return None

    # --- what is compared

    def _compare_settled(self, step: int) -> _Difference | None:
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
        return _Difference(_NOT_IDEMPOTENT.format(start=step - 1, paths=listed(found.paths, MOST_PATHS)), found.paths)

    def _compare_at(self, step: int) -> _Difference | None:
        found = None
        if step == self._checked:
            found = self._first_steps(step)
        elif step != self._changed:
            found = self._resumed(step)
        if found is None and step == self._changed:
            found = self._walked_on(step) if step == self._first + 1 else self._resumed(step)
        return found

    def _first_steps(self, step: int) -> _Difference | None:
        if self._first == 0:
            return self._beyond(step) if step == 1 else self._resumed(step) or self._anew(self._seen[1])
        if self._first == 1:
            return self._anew_alone() if self._may_fuse else self._anew(None)
        return self._resumed(step) if step == self._first + 2 else self._beyond(step)

    def _resumed(self, step: int) -> _Difference | None:
        """Run the step up to `step` again, from the state before it, through which the lane walked."""
        before, seen, stage = self._seen[step - 1], self._seen[step], stage_at(self._lane, step)
        (again,) = self._walk(before.state, step - 1, stage)
        paths = _differences(seen, again)
        if not paths or again.changed:
            return _evaluate_changed(again)
        if before.metrics is not None and not _only_metrics(paths):
            (evaluated,) = self._walk(before.state, step - 1, stage, evaluated=True)
            if not _differences(seen, evaluated):
                return _difference(_HIDDEN_EVALUATION, paths)
        return _not_resumed(step - 1, paths, values_changed=step == self._lane.change)

    def _anew(self, first: _Seen | None) -> _Difference | None:
        """Train anew from the beginning, with a trainer that was there while another copy of it trained.

        Args:
          first: what the lane was after step 1; None: it began from that state, and is compared after step 2, too.
        """
        begin = self._lane.begin
        if begin is None:
            assert first is not None, "a lane of a new state is watched from its first step on"
            (one,) = self._walk(None, 0, stage_at(self._lane, 1))
            paths = _differences(first, one)
            return _evaluate_changed(one) or (_difference(_NOT_ANEW, paths) if paths else None)
        assert self._begin is not None, "the lane began from a state"
        one, two = self._walk(None, 0, _stage_before(begin), stage_at(self._lane, 2))
        if changed := _evaluate_changed(one) or _evaluate_changed(two):
            return changed
        paths = difference(encoded_state(self._begin), one.state)
        if begin.metrics is not None:
            paths += _named("evaluate", begin.metrics, one.metrics)
        if paths:
            return _difference(_NOT_ANEW, paths)
        paths = _differences(two, self._seen[2])
        return _not_resumed(1, paths) if paths else None

    def _anew_alone(self) -> _Difference | None:
        """Train anew from the beginning twice, and go on from there: the recorded state may have other last bits."""
        assert self._lane.begin is not None, "the lane began from a state"
        before, after = _stage_before(self._lane.begin), stage_at(self._lane, 2)
        (first,) = self._walk(None, 0, before)
        one, two = self._walk(None, 0, before, after)
        (resumed,) = self._walk(one.state, 1, after)
        if changed := _evaluate_changed(one) or _evaluate_changed(two):
            return changed
        if paths := _differences(first, one):
            return _difference(_NOT_ANEW, paths)
        paths = _differences(two, resumed)
        return _not_resumed(1, paths) if paths else None

    def _beyond(self, step: int) -> _Difference | None:
        """Compare where the lane has one step only: walk it again and one step further, and that one once more."""
        stage, seen = stage_at(self._lane, step), self._seen[step]
        again, further = self._walk(self._begin, step - 1, stage, stage)
        (resumed,) = self._walk(seen.state, step, stage)
        if changed := _evaluate_changed(again) or _evaluate_changed(resumed):
            return changed
        if paths := _differences(seen, again):
            return _difference(_NOT_REPEATED if self._first else _NOT_ANEW, paths, start=step - 1, stop=step)
        paths = _differences(further, resumed)
        return _not_resumed(step, paths) if paths else None

    def _walked_on(self, step: int) -> _Difference | None:
        """Run the lane's first step again, by a trainer that was set up under the values of before."""
        (again,) = self._walk(self._begin, step - 1, stage_at(self._lane, step), walks_on=True)
        paths = _differences(self._seen[step], again)
        return _evaluate_changed(again) or (
            _difference(_OTHER_SETUP, paths, start=step - 1, stop=step) if paths else None
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
                paths = _unequal(begin.metrics, walker.evaluate(begin.node), most=_MOST_APART if was_fused else 0.0)
            if others := built_otherwise(pristine, state, step=begin.step, pieces=begin.pieces, goal=point):
                name = type(pristine).__name__
                tell_once((name, "base"), _OTHER_BASE.format(name=name, paths=listed(others, _FEW_PATHS)))
        proven = not paths
        detail = "" if proven else _difference(_OTHER_EVALUATION, paths, step=begin.step).text
    except UserCodeFailed:
        proven, detail = None, ""  # the lane meets it by itself
    seconds = clock.elapsed() - started_s
    return Verdict(which=Check.LOADED_STATE, proven=proven, detail=detail, seconds=seconds, steps=())


def _stage_before(begin: LaneStart) -> LaneStage:
    return LaneStage(node=begin.node, start=0, stop=1, pieces=begin.pieces, boundary=Boundary())


# ------------------------------------------------------------------------------------------------------ in words

_NOT_ANEW = (
    "step [0, 1) was begun anew after this trainer had trained, and came to something else: {paths}. build() must "
    "begin anew each time: make there what train() changes (model, optimizer, counters, generators, buffers), not in "
    "__init__(), and keep none of it in the class or its module."
)
_NOT_REPEATED = (
    "step [{start}, {stop}) was run twice from one checkpoint, and came to something else: {paths}. train() depends "
    "on something that is neither in state_dict() nor seeded: add it, or draw chance only from the global generators."
)
_UNSTEADY = (
    "a sequence of your own gives another value each time it is asked for one step: that of {paths}. A value is a "
    "function of the step alone, as all who share it ask by themselves. Where chance is meant, seed it by the step: "
    "numpy.random.default_rng(int(t)).random() in value(self, t)."
)
_HIDDEN_EVALUATION = (
    "evaluate() changes something that is not in state_dict() and that train() depends on: with an evaluation before "
    "it the step comes to something else: {paths}. Leave that to train(), or add it to state_dict()."
)
_OTHER_EVALUATION = (
    "an evaluation of the state after {step} steps, loaded here, says something else than the recorded one: {paths}. "
    "evaluate() depends on something that load_state_dict() does not bring back (averaged weights, the best value so "
    "far), or that is not the same in every process: a file that has changed, the order of a set of strings (sort it, "
    "or set PYTHONHASHSEED), what __init__() draws without a seed (a split of the data: draw it from the global "
    "generators, which are seeded, or give your own a seed), what is kept in the class or in a data set."
)


_OTHER_BASE = (
    "{name}.build() makes something else of {paths} than it did for the states that this study has: a pretrained file, "
    "or what else it reads, has changed. Trials that go on from a state get back what they were trained beside; those "
    "that begin now are trained from something else than those before, and compared with them. Put the file back, or "
    "change the trainer's `dataset` (or version=), which begins a new generation."
)


EVALUATE_LEAVES_STATE = (
    "It must leave the training state as it is, since how often it is called depends on who asks: draw chance there "
    "from the global generators, and let train() do the rest. What changes weights whenever it is called, such as "
    "nn.Embedding(max_norm=...), does so here, too: leave max_norm out, and bound them in train(), after an update."
)
_EVALUATE_CHANGED = "evaluate() changed {paths}. " + EVALUATE_LEAVES_STATE
_OTHER_SETUP = (
    "step [{start}, {stop}) comes to something else where setup() is given only the values that change at {start}, as "
    "in a trial that is trained on, than where it is given all, as in one that begins there: {paths}. Apply what is in "
    "hp, and leave the rest as it is: hp.get(name, default) resets what did not change."
)
_NOT_IDEMPOTENT = (
    "setup() is not idempotent: before step {start} it was called twice with the same values, and the step came to "
    "something else: {paths}. It is called with all values where a lane begins, and with the changed ones where they "
    "change, so how often depends on who shares what: assign (self.lr = hp['lr']), and neither multiply nor add."
)


def _unsteady(pieces: Pieces, step: int) -> list[str]:
    """Return the names whose values at a step, asked for twice, are two."""
    own = [(name, piece) for name, piece in sorted(pieces.items()) if piece.body is not None]
    with fence():
        return [repr(name) for name, piece in own if not same_value(piece.at(step), piece.at(step))]


def _difference(text: str, paths: Sequence[str], **values: int) -> _Difference:
    return _Difference(text.format(paths=listed(paths, MOST_PATHS), **values), paths)


def _evaluate_changed(seen: _Seen) -> _Difference | None:
    return _difference(_EVALUATE_CHANGED, seen.changed) if seen.changed else None


def _not_resumed(start: int, paths: list[str], *, values_changed: bool = False) -> _Difference:
    begun = f"step [{start}, {start + 1}) was run again from its checkpoint, and came to something else: "
    if _only_metrics(paths):
        advice = (
            "evaluate() depends on something that load_state_dict() does not bring back, such as averaged weights or "
            "the best value so far: add it to state_dict(). A measured time is no function of the state: leave it out."
        )
    elif values_changed:
        advice = (
            "train() depends on something that load_state_dict() does not bring back: add it to state_dict(). Or it is "
            f"setup(): values changed at step {start}, and in the lane it was given those alone, here all of them, "
            "after build() under the old ones and load_state_dict(). Apply what is in hp, and leave the rest as it is: "
            "hp.get(name, default) resets what did not change."
        )
    else:
        advice = (
            "train() depends on something that load_state_dict() does not bring back: add it to state_dict(), or draw "
            "chance only from the global generators."
        )
    return _Difference(f"{begun}{listed(paths, MOST_PATHS)}. {advice}", paths)


def _only_metrics(paths: list[str]) -> bool:
    return all(path.startswith("what evaluate()") for path in paths)


def _differences(one: _Seen, other: _Seen) -> list[str]:
    paths = difference(one.state, other.state) + _named("train", one.training, other.training)
    if one.metrics is not None and other.metrics is not None:
        paths += _named("evaluate", one.metrics, other.metrics)
    return paths


def _named(method: str, one: Mapping[str, float], other: Mapping[str, float] | None) -> list[str]:
    paths = difference(canonical_metrics(one), canonical_metrics(other or {}))
    return [f"what {method}() returned{path.removeprefix('state')}" for path in paths]


def _unequal(recorded: Mapping[str, float], now: Mapping[str, float], *, most: float = 0.0) -> list[str]:
    if most:
        both = recorded.keys() & now.keys()
        close = {name for name in both if math.isclose(recorded[name], now[name], rel_tol=most)}
        recorded, now = ({name: each[name] for name in each.keys() - close} for each in (recorded, now))
    paths = difference(canonical_metrics(recorded), canonical_metrics(now))
    names = [name for name in sorted({*recorded, *now}) if any(repr(name) in path for path in paths)]
    return [f"{name!r} is {now.get(name)!r} and was {recorded.get(name)!r}" for name in names]


def canonical_metrics(metrics: Mapping[str, float]) -> dict[str, float]:
    """Return metrics in which every NaN is one."""
    return {name: math.nan if value != value else value for name, value in metrics.items()}
