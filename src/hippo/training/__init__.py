"""What runs in a worker: trainers, their states, and the lanes they walk. Nothing here imports torch unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hippo.training.fingerprint import dataset_identity, fingerprint
from hippo.training.lane_host import LaneHost
from hippo.training.lanes import run_assignment
from hippo.training.loading import load_trainer
from hippo.training.residents import ResidentStates
from hippo.training.shipping import canonical_arguments, resolve, ship
from hippo.training.trainer import Trainer
from hippo.training.trainers import Trainers

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

__all__ = [
    "LaneHost",
    "ResidentStates",
    "TorchTrainer",
    "Trainer",
    "Trainers",
    "canonical_arguments",
    "dataset_identity",
    "fingerprint",
    "load_trainer",
    "resolve",
    "run_assignment",
    "ship",
]


def __getattr__(name: str) -> Any:
    if name == "TorchTrainer":
        from hippo.training.torch_trainer import TorchTrainer

        return TorchTrainer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
