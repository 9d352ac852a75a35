"""One path trained again from its beginning, in one go, and compared with what is recorded of it.

It stops where something differs: whatever comes later differs for the same reason. This module refuses to know who
recorded what, and what a study is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hippo.checkpoints import open_checkpoints
from hippo.clock import Clock
from hippo.errors import CheckpointError
from hippo.records import CheckpointRef, Failure, Metrics, Point, TrainerSpec
from hippo.training.codec import EncodedState, difference, state_hash
from hippo.training.process.process_settings import settings_kept
from hippo.training.state_files import read_checkpoint
from hippo.training.trainers import Trainers
from hippo.training.walking.lanes import pristine_anew, user_code_surrounded
from hippo.training.walking.walker import NOWHERE, Pieces, UserCodeFailed, Walker


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStep:
    """What is recorded of a path after a step."""

    #: steps trained
    step: int
    #: what `train` returned; None: not recorded
    training: Metrics | None
    #: what `evaluate` returned; None: it was not called
    metrics: Metrics | None
    #: of the state; empty: not recorded
    state_hash: str = ""
    #: where the state itself is, if it was kept
    checkpoint: CheckpointRef | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrainOrder:
    """A path to be trained again."""

    #: the pieces in force in step 0, 1, ...
    pieces: tuple[Pieces, ...]
    #: what is recorded, by step from the first one on
    recorded: Sequence[RecordedStep]
    #: where checkpoints are; "" for nowhere
    checkpoints: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepsParted:
    """Where a path that is trained again first differs from its record."""

    step: int
    #: of what `train` and `evaluate` returned: name -> recorded, now
    training: Mapping[str, tuple[float | None, float | None]]
    metrics: Mapping[str, tuple[float | None, float | None]]
    #: the state's hash is another one
    is_state: bool
    #: where the state differs, after `compared_at` steps; None: none was kept from there on, or can be read here
    paths: tuple[str, ...] | None
    compared_at: int
    #: why it cannot be read
    reason: str = ""


@dataclass(slots=True, kw_only=True)
class RetrainReport:
    """What came of it."""

    #: steps trained, and of them those whose metrics, and whose states, were compared
    steps: int = 0
    evaluations: int = 0
    states: int = 0
    parted: StepsParted | None = None
    failure: Failure | None = None
    #: why the last state, which came out again, cannot be had from where it was kept; "" if it can, or was not kept
    unusable: str = ""
    seconds: float = 0.0


def retrain(order: RetrainOrder, spec: TrainerSpec, trainers: Trainers, clock: Clock) -> RetrainReport:
    """Train a path from its beginning up to the last recorded step, or the first that differs.

    Raises:
      TrainerError: the trainer does not arrive here.
    """
    report = RetrainReport()
    started_s = clock.elapsed()
    with user_code_surrounded(spec):
        try:
            _retrain(order, spec, trainers, report)
        except UserCodeFailed as stop:
            report.failure = stop.failure
    report.seconds = clock.elapsed() - started_s
    return report


def _retrain(order: RetrainOrder, spec: TrainerSpec, trainers: Trainers, report: RetrainReport) -> None:
    goal = Point(NOWHERE, 1)
    pristine = pristine_anew(spec, trainers, goal, _tell_nobody)
    with settings_kept(_tell_nobody):
        bases = trainers.bases(spec)  # states that leave out what build() makes need no other than this one's
        walker = Walker(pristine, step=0, pieces=order.pieces[0], state=None, goal=goal, bases=bases)
        try:
            for recorded in order.recorded:
                training = walker.train(NOWHERE, order.pieces[walker.step])
                report.steps = walker.step
                report.parted = _compared(order, recorded, training, walker, report)
                if report.parted is not None:
                    _go_on_to_a_checkpoint(order, walker, report)
                    return
            report.unusable = _unusable(order, walker)
        finally:
            walker.close()


def _compared(
    order: RetrainOrder, recorded: RecordedStep, training: Metrics, walker: Walker, report: RetrainReport
) -> StepsParted | None:
    """Compare a step with what is recorded of it; return what differs, None if nothing does."""
    trained = {} if recorded.training is None else _unequal(recorded.training, training)
    state = None
    if recorded.state_hash:
        state = walker.encode(NOWHERE)
        report.states += 1
    is_other = state is not None and state_hash(state) != recorded.state_hash
    evaluated: dict[str, tuple[float | None, float | None]] = {}
    if recorded.metrics is not None:
        evaluated = _unequal(recorded.metrics, walker.evaluate(NOWHERE))
        report.evaluations += 1
    if not (trained or is_other or evaluated):
        return None
    paths, reason = _paths(order, recorded, walker, state)
    return StepsParted(
        step=recorded.step,
        training=trained,
        metrics=evaluated,
        is_state=is_other,
        paths=paths,
        compared_at=recorded.step,
        reason=reason,
    )


def _go_on_to_a_checkpoint(order: RetrainOrder, walker: Walker, report: RetrainReport) -> None:
    """Where no state was kept at the step at which the two part, look at the next one that was."""
    parted = report.parted
    assert parted is not None, "there is something to name"
    kept = [recorded for recorded in order.recorded if recorded.step > walker.step and recorded.checkpoint is not None]
    if parted.paths is not None or not kept or not order.checkpoints:
        return
    while walker.step < kept[0].step:
        walker.train(NOWHERE, order.pieces[walker.step])
    paths, _ = _paths(order, kept[0], walker)
    if paths is not None:
        report.parted = replace(parted, paths=paths, compared_at=kept[0].step)


def _paths(
    order: RetrainOrder, recorded: RecordedStep, walker: Walker, state: EncodedState | None = None
) -> tuple[tuple[str, ...] | None, str]:
    """Compare a kept state with where the walker stands, or with its `state` if that was taken already."""
    ref = recorded.checkpoint
    if ref is None or not order.checkpoints or order.checkpoints.startswith("memory:"):
        return None, "no checkpoint of it is there to compare with"
    try:
        kept = read_checkpoint(open_checkpoints(order.checkpoints), ref, walker.bases)
        return tuple(difference(kept, state or walker.encode(NOWHERE))), ""
    except CheckpointError as error:
        return None, str(error)


def _unusable(order: RetrainOrder, walker: Walker) -> str:
    """Read the last state, which so far was compared by its recorded hash alone; return why it cannot be read."""
    ref = order.recorded[-1].checkpoint
    if ref is None or not order.checkpoints or order.checkpoints.startswith("memory:"):
        return ""
    try:
        read_checkpoint(open_checkpoints(order.checkpoints), ref, walker.bases)
    except CheckpointError as error:
        return str(error)
    return ""


def _unequal(recorded: Metrics, now: Metrics) -> dict[str, tuple[float | None, float | None]]:
    # by type and bits, as the database keeps them: 1 and 1.0 are two, every NaN is one
    return {
        name: (recorded.get(name), now.get(name))
        for name in sorted({*recorded, *now})
        if repr(recorded.get(name)) != repr(now.get(name))
    }


def _tell_nobody(_changes: list[str]) -> None:
    """A lane would tell of settings that were left changed; it did when the path was recorded."""
