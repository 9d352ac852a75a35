"""Asks how lanes of a trainer would be walked, where several of them may be: outside of all plans, for a check."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from hippo.hparams import Piece
from hippo.records import Fusion, Point, TrainerSpec
from hippo.training.trainers import Trainers
from hippo.training.walking.walker import NOWHERE, UserCodeFailed

#: of a trainer that is no `TorchTrainer`
ALONE = Fusion(is_fused=False, detail="only the lanes of a hippo.TorchTrainer can be walked as one")


def may_be_torch_trainer() -> bool:
    """Tell whether a trainer that was loaded here may be a `TorchTrainer`; if not, there may be no torch."""
    return "hippo.training.torch_trainer" in sys.modules


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionOrder:
    """Asks it of lanes with these values, at step 0."""

    pieces: Mapping[str, Piece]


def find_out(order: FusionOrder, spec: TrainerSpec, trainers: Trainers) -> Fusion:
    """Return how such lanes are walked, as a study's first worker would decide."""
    pristine = trainers.pristine(spec)
    if not may_be_torch_trainer():
        return ALONE
    from hippo.training.fusion.check import decide

    goal = Point(NOWHERE, 1)
    try:
        return decide(pristine, step=0, pieces=order.pieces, state=None, goal=goal, numerics=spec.numerics)[0]
    except UserCodeFailed as stop:
        return Fusion(is_fused=False, detail=f"{stop.failure.method}() raised {stop.failure.error}")
