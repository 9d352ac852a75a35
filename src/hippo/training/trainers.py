"""The trainers of this process: one per workload, kept as `__init__` left it."""

from __future__ import annotations

import json
from typing import Any

from hippo.records import TrainerSpec
from hippo.training.shipping import unship
from hippo.training.streams import seed_everything
from hippo.training.trainer import Trainer


class Trainers:
    """Builds the trainer of a workload once; lanes start on shallow copies of it."""

    def __init__(self) -> None:
        self._classes: dict[str, type[Trainer]] = {}
        self._pristine: dict[str, Trainer] = {}

    def load(self, spec: TrainerSpec) -> type[Trainer]:
        """Return the class, importing what its module needs, without building a trainer."""
        if spec.workload not in self._classes:
            self._classes[spec.workload] = unship(spec)
        return self._classes[spec.workload]

    def has_built(self, spec: TrainerSpec) -> bool:
        """Tell whether the trainer of `spec` is there already."""
        return spec.workload in self._pristine

    def pristine(self, spec: TrainerSpec) -> Trainer:
        """Return the trainer of `spec`, made at the first call. Copy it before use."""
        if spec.workload not in self._pristine:
            cls = self.load(spec)
            arguments: dict[str, Any] = json.loads(spec.arguments)
            trainer = cls.__new__(cls)
            trainer.seed = spec.seed
            seed_everything(spec.seed, "init", 0)
            trainer.__init__(**arguments)  # type: ignore[misc]
            self._pristine[spec.workload] = trainer
        return self._pristine[spec.workload]
