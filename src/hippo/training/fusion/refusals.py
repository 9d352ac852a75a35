"""What walks solo."""

from __future__ import annotations

from hippo.training.trainer import Trainer


class NotFusible(Exception):
    """Lanes of a workload cannot be walked as one."""


class LanesDifferIn(Exception):
    """Lanes differ in names."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(", ".join(names))
        self.names = names


def refusal_of(trainer: Trainer) -> str | None:
    return None
