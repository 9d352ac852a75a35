"""What runs in a worker: trainers, their states, and the lanes they walk. Nothing here imports torch unasked."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from hippo.training.code.fingerprint import dataset_identity, fingerprint
from hippo.training.code.shipping import canonical_arguments, resolve, ship
from hippo.training.loading import load_trainer
from hippo.training.trainer import Trainer
from hippo.training.trainers import Trainers
from hippo.training.walking.lane_host import LaneHost
from hippo.training.walking.lanes import run_assignment
from hippo.training.walking.residents import ResidentStates

if TYPE_CHECKING:
    from hippo.training.dataset_batches import Batches, batches
    from hippo.training.torch_trainer import TorchTrainer

__all__ = [
    "Batches",
    "LaneHost",
    "ResidentStates",
    "TorchTrainer",
    "Trainer",
    "Trainers",
    "batches",
    "canonical_arguments",
    "dataset_identity",
    "fingerprint",
    "load_trainer",
    "resolve",
    "run_assignment",
    "ship",
]


#: what needs torch -> where it is
_HOMES = {
    "Batches": "hippo.training.dataset_batches",
    "TorchTrainer": "hippo.training.torch_trainer",
    "batches": "hippo.training.dataset_batches",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
