"""The trainer of studies that are simulated: it trains nothing, and its arguments tell one simulation from another."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from hippo.errors import SimulationError
from hippo.training import Trainer


class SimulatedTrainer(Trainer):
    """Stands where a study needs a trainer. Studies on equal simulations share a search plan, others do not.

    Args:
      world: what decides about the facts of the simulation, as JSON values.
    """

    #: there is no model, and so none that could not be narrower
    scale = Fraction(1)
    #: as many as the simulated workload says, which is what the simulated engine goes by
    shards = 2**30

    def __init__(self, world: Mapping[str, Any]) -> None:
        self.world = world

    def train(self) -> Mapping[str, Any]:
        raise _nothing_to_run("train")

    def evaluate(self) -> Mapping[str, Any]:
        raise _nothing_to_run("evaluate")

    def state_dict(self) -> dict[str, Any]:
        raise _nothing_to_run("state_dict")

    def load_state_dict(self, state: dict[str, Any]) -> None:
        raise _nothing_to_run("load_state_dict")


def _nothing_to_run(method: str) -> SimulationError:
    return SimulationError(
        f"{method}() of a simulated study was called, and there is no model: simulate a study with "
        "hippo.simulation.simulate, or train with a trainer of your own"
    )
