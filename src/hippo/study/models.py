"""From a recorded state back to a trained model, or to the state itself, which needs no trainer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore, open_checkpoints
from hippo.errors import TrainerError
from hippo.hparams import Piece
from hippo.records import CheckpointRef, Metrics, TrainerSpec


def load_model(
    spec: TrainerSpec,
    checkpoints: str | AbstractCheckpointStore,
    state: tuple[int, Mapping[str, Piece], CheckpointRef],
    metrics: Metrics | None = None,
) -> Any:
    """Return the model of a trainer brought to a recorded state, or the trainer itself if it has no `model`.

    Of a `TorchTrainer` that averages weights it is the average, which was evaluated.
    If the state's recorded metrics are given, a warning tells where it evaluates to something else here.
    """
    from hippo.training import load_trainer

    step, pieces, ref = state
    trainer = load_trainer(spec, _opened(checkpoints), ref, step=step, pieces=pieces, metrics=metrics)
    model = getattr(trainer, "evaluated_model", getattr(trainer, "model", None))
    if model is None:
        return trainer
    model.eval()
    return model


def load_state(
    checkpoints: str | AbstractCheckpointStore,
    state: tuple[int, Mapping[str, Piece], CheckpointRef],
    spec: Callable[[], TrainerSpec],
) -> Any:
    """Return what a trainer's `state_dict()` returned when the state was recorded; tensors are on the CPU.

    Args:
      checkpoints: where it is.
      state: after how many steps, under which pieces in the last of them, and what is recorded of it.
      spec: returns the trainer, which is needed only where the base of the state is gone.

    Raises:
      CheckpointError: the state is not there, or corrupt.
    """
    from hippo.training.codec import EncodedState, decode
    from hippo.training.loading import make_base
    from hippo.training.state_files import read_checkpoint

    step, pieces, ref = state

    def make() -> EncodedState | None:
        with suppress(TrainerError):  # a state with its base needs no trainer, and so one without it is merely gone
            return make_base(spec(), step=step, pieces=pieces)
        return None

    return decode(read_checkpoint(_opened(checkpoints), ref, make_base=make))


def _opened(checkpoints: str | AbstractCheckpointStore) -> AbstractCheckpointStore:
    return open_checkpoints(checkpoints) if isinstance(checkpoints, str) else checkpoints
