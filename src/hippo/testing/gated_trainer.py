"""A toy trainer that waits in its steps until a file is there, so that no test depends on who is faster."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from hippo.testing.trainers import ToyTrainer


class GatedTrainer(ToyTrainer):
    """Takes no step beyond `gate_at` until the file `gate` is there."""

    def __init__(self, gate: str, gate_at: int = 0, **more: Any) -> None:
        super().__init__(**more)
        self.gate = Path(gate)
        self.gate_at = gate_at

    def train(self) -> dict[str, float]:
        while self.steps >= self.gate_at and not self.gate.exists():
            threading.Event().wait(0.001)
        return super().train()
