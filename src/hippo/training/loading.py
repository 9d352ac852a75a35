"""From a recorded state back to a trainer that stands there, for people who want the model."""

from __future__ import annotations

from hippo.checkpoints import AbstractCheckpointStore
from hippo.errors import TrainerError
from hippo.records import CheckpointRef, NodeId, TrainerSpec
from hippo.training.codec import read_state
from hippo.training.streams import fence
from hippo.training.trainer import Trainer
from hippo.training.trainers import Trainers
from hippo.training.walker import Pieces, UserCodeFailed, Walker


def load_trainer(
    spec: TrainerSpec, store: AbstractCheckpointStore, ref: CheckpointRef, *, step: int, pieces: Pieces
) -> Trainer:
    """Return a trainer of its own, in the recorded state after `step` steps.

    Args:
      pieces: in force in the step before.

    Raises:
      CheckpointError: the state is not there, or corrupt.
      TrainerError: the trainer's own code raised.
    """
    state = read_state(store.read(ref.key, sha256=ref.sha256, size_bytes=ref.size_bytes))
    nowhere = NodeId(-1)
    try:
        with fence():
            walker = Walker(Trainers().pristine(spec), step=step, pieces=pieces, state=state, goal=(nowhere, step))
            return walker.settled(nowhere)
    except UserCodeFailed as stop:
        failure = stop.failure
        raise TrainerError(f"the trainer's {failure.method}() raised.\n{failure.traceback}") from None
