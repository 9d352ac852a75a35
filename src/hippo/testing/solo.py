"""One trial trained alone, without any of hippo's machinery: what shared results are compared with.

The rule of chance is written out once more, by itself: a mistake in ours must not hide in both.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Mapping
from typing import Any

from hippo.hparams import as_config
from hippo.training.trainer import Trainer
from hippo.training.values import HparamValues


def train_alone(
    trainer: type[Trainer],
    config: Mapping[str, Any],
    *,
    until: int,
    trainer_args: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> dict[int, dict[str, float]]:
    """Return step -> metrics of a config trained from 0 to `until` in one go, evaluated after every step.

    The life cycle is DESIGN's: `build` with the values of step 0, `setup` with all values at first and then with those
    that changed, evaluation under the values of the step before, chance seeded before each call by (method, step).
    """
    config = as_config(config)
    alone = trainer.__new__(trainer)
    alone.seed = seed
    _seed(seed, "init", 0)
    alone.__init__(**(trainer_args or {}))  # type: ignore[misc]
    alone.hp = HparamValues(config.values_at(0), at=config.values_at)
    _seed(seed, "build", 0)
    alone.build()
    metrics: dict[int, dict[str, float]] = {}
    before: dict[str, Any] = {}
    for step in range(until):
        values = config.values_at(step)
        alone.hp = HparamValues(values, at=config.values_at)
        changed = {name: value for name, value in values.items() if name not in before or before[name] != value}
        if changed:
            _seed(seed, "setup", step)
            alone.setup(changed)
        _seed(seed, "train", step)
        alone.train()
        _seed(seed, "evaluate", step + 1)
        metrics[step + 1] = {name: float(value) for name, value in alone.evaluate().items()}
        before = values
    return metrics


def _seed(seed: int, stream: str, step: int) -> None:
    value = int.from_bytes(hashlib.sha256(f"hippo/{seed}/{stream}/{step}".encode()).digest()[:8], "big")
    random.seed(value)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(value % 2**32)
    if "torch" in sys.modules:  # `torch.manual_seed` formats a stack for each kind of device that is not there
        torch = sys.modules["torch"]
        torch.default_generator.manual_seed(value)
        if torch.cuda.is_available():
            torch.cuda.manual_seed_all(value)
