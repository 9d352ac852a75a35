"""A trainer whose step is any line of Python: for tests of what a step can do to the process that it runs in."""

from __future__ import annotations

from typing import Any

from hippo.records import TrainerSpec
from hippo.training.code.shipping import ship
from hippo.training.trainer import Trainer


class ScriptedTrainer(Trainer):
    """Executes `step` as its step, and has nothing to remember."""

    def __init__(self, step: str) -> None:
        self.step = step

    def train(self) -> None:
        exec(self.step, {})

    def evaluate(self) -> dict[str, Any]:
        return {}

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        pass


def scripted(step: str = "pass") -> TrainerSpec:
    """Return a workload, named by its step, that executes it."""
    return ship(ScriptedTrainer, {"step": step}, seed=0, evaluate_every=1, workload_key=step)
