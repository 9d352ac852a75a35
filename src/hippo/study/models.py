"""From a recorded state back to a trained model, or to the state itself, which needs no trainer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore, open_checkpoints
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


def load_state(checkpoints: str | AbstractCheckpointStore, ref: CheckpointRef) -> Any:
    """Return what a trainer's `state_dict()` returned when the state was recorded; tensors are on the CPU.

    Raises:
      CheckpointError: the state is not there, or corrupt.
    """
    from hippo.training.codec import decode, read_state

    return decode(read_state(_opened(checkpoints).read(ref.key, sha256=ref.sha256, size_bytes=ref.size_bytes)))


def _opened(checkpoints: str | AbstractCheckpointStore) -> AbstractCheckpointStore:
    return open_checkpoints(checkpoints) if isinstance(checkpoints, str) else checkpoints
