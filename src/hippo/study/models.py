"""From a recorded state back to a trained model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore, open_checkpoints
from hippo.hparams import Piece
from hippo.records import CheckpointRef, TrainerSpec


def load_model(
    spec: TrainerSpec,
    checkpoints: str | AbstractCheckpointStore,
    state: tuple[int, Mapping[str, Piece], CheckpointRef],
) -> Any:
    """Return the model of a trainer brought to a recorded state, or the trainer itself if it has no `model`."""
    from hippo.training import load_trainer

    step, pieces, ref = state
    store = open_checkpoints(checkpoints) if isinstance(checkpoints, str) else checkpoints
    trainer = load_trainer(spec, store, ref, step=step, pieces=pieces)
    model = getattr(trainer, "model", None)
    if model is None:
        return trainer
    model.eval()
    return model
