"""From a recorded state back to a trainer that stands there, for people who want the model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from hippo.checkpoints import AbstractCheckpointStore
from hippo.errors import TrainerError
from hippo.records import CheckpointRef, Metrics, NodeId, Point, TrainerSpec
from hippo.saying import warn_caller
from hippo.training.codec import EncodedState
from hippo.training.process.script_floats import floats_as
from hippo.training.process.streams import fence
from hippo.training.process.turns import turn_taken
from hippo.training.state_files import read_checkpoint
from hippo.training.trainer import Trainer
from hippo.training.trainers import Trainers
from hippo.training.walking.walker import NOWHERE, Pieces, UserCodeFailed, Walker, built_base


def load_trainer(
    spec: TrainerSpec,
    store: AbstractCheckpointStore,
    ref: CheckpointRef,
    *,
    step: int,
    pieces: Pieces,
    metrics: Metrics | None = None,
) -> Trainer:
    """Return a trainer of its own, in the recorded state after `step` steps.

    Args:
      pieces: in force in the step before.
      metrics: what is recorded of this state. It is evaluated here, and a warning shows both where they differ by more
        than rounding: threads and devices may be others than those that trained.

    Raises:
      CheckpointError: the state is not there, or corrupt.
      TrainerError: the trainer's own code raised.
    """
    trainers = Trainers()
    state = read_checkpoint(store, ref, make_base=lambda: make_base(spec, step=step, pieces=pieces, trainers=trainers))
    with turn_taken(), floats_as(spec.floats), _raised_by_the_trainer(), fence():
        goal = Point(NOWHERE, step)
        walker = Walker(trainers.pristine(spec), step=step, pieces=pieces, state=state, goal=goal)
        trainer = walker.settled(NOWHERE)
        if metrics is not None:
            _compare(metrics, walker, NOWHERE, step)
        return trainer


def make_base(spec: TrainerSpec, *, step: int, pieces: Pieces, trainers: Trainers | None = None) -> EncodedState | None:
    """Build a trainer for what it makes before it is loaded; None: it has no tensors by then.

    Raises:
      TrainerError: the trainer's own code raised.
    """
    with turn_taken(), floats_as(spec.floats), _raised_by_the_trainer(), fence():
        pristine = (trainers or Trainers()).pristine(spec)
        return built_base(pristine, step=step, pieces=pieces, goal=Point(NOWHERE, step))


@contextmanager
def _raised_by_the_trainer() -> Iterator[None]:
    try:
        yield
    except UserCodeFailed as stop:
        failure = stop.failure
        raise TrainerError(f"the trainer's {failure.method}() raised.\n{failure.traceback}") from None


#: another number of threads, or another device, sums in another order: float32, some thousand additions
_ROUNDING = 1e-4


def _compare(recorded: Metrics, walker: Walker, node: NodeId, step: int) -> None:
    try:
        found = walker.evaluate(node)
    except UserCodeFailed as stop:
        warn_caller(f"the state after {step} steps was loaded, but evaluate() raised here: {stop.failure.error}")
        return
    different = [name for name in sorted({*recorded, *found}) if not _is_close(recorded, found, name)]
    if different:
        lines = [f"{name!r} is {found.get(name)!r} and was {recorded.get(name)!r}" for name in different]
        warn_caller(
            f"the model after {step} steps evaluates in this process to something else than recorded: "
            f"{'; '.join(lines)}. Something that evaluate() depends on is not in state_dict(), or differs between "
            "processes: the order of a set of strings (PYTHONHASHSEED is 0 in workers), a file, what the class keeps."
        )


def _is_close(one: Mapping[str, float], other: Mapping[str, float], name: str) -> bool:
    if name not in one or name not in other:
        return False
    both_nan = math.isnan(one[name]) and math.isnan(other[name])
    return both_nan or math.isclose(one[name], other[name], rel_tol=_ROUNDING, abs_tol=1e-7)
