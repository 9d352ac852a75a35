"""A trainer whose metrics depend on the process that it runs in: what a soak must notice."""

from __future__ import annotations

import os
from typing import Any

from hippo.testing.trainers import ToyTrainer


class LuckyTrainer(ToyTrainer):
    """Draws luck from the number of its process."""

    def evaluate(self) -> dict[str, Any]:
        return {**super().evaluate(), "luck": float(os.getpid())}
