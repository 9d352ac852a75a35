"""From a recorded state back to a trained model."""

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

    If the state's recorded metrics are given, a warning tells where it evaluates to something else here.
    """
    from hippo.training import load_trainer

    step, pieces, ref = state
    store = open_checkpoints(checkpoints) if isinstance(checkpoints, str) else checkpoints
    trainer = load_trainer(spec, store, ref, step=step, pieces=pieces, metrics=metrics)
    model = getattr(trainer, "model", None)
    if model is None:
        return trainer
    model.eval()
    return model
