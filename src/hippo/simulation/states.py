"""Simulated training states: what checkpoints hold, and workers have in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hippo.simulation.paths import Segment


@dataclass(frozen=True, slots=True)
class State:
    """Where a path is: its last segment, and what the curve carries."""

    segment: Segment
    step: int
    curve: Any

    @property
    def digest(self) -> str:
        """The state's hash: equal for equal states, whatever plan they are in."""
        return f"{self.segment.digest.hex()}-{self.step}"

    @property
    def size_bytes(self) -> int:
        """What it takes of a worker's memory: that is counted in states."""
        return 1
