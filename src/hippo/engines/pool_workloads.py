"""Which workloads the workers of one pool can run: they have imported one state of the code, and no other."""

from __future__ import annotations

from hippo.records import TrainerSpec
from hippo.training.code.same_code import are_at_odds


class PoolWorkloads:
    """Workloads whose code agrees with each other.

    Args:
      first: the workload whose trainer the launcher imports.
    """

    def __init__(self, first: TrainerSpec) -> None:
        self.first = first
        self._specs = {first.workload: first}
        #: those that the workers could not import
        self._refused: set[str] = set()

    def __getitem__(self, workload: str) -> TrainerSpec:
        return self._specs[workload]

    @property
    def others(self) -> tuple[TrainerSpec, ...]:
        """The workloads that came after the first."""
        return tuple(spec for spec in self._specs.values() if spec.workload != self.first.workload)

    def agree_with(self, spec: TrainerSpec) -> bool:
        """Tell whether workers that have the code of all these can have imported that of another one, too."""
        if spec.workload in self._refused:
            return False
        return not any(are_at_odds(known, spec) for known in self._specs.values())

    def add(self, spec: TrainerSpec) -> None:
        """Note a workload that agrees, whose assignments the workers are to take."""
        self._specs[spec.workload] = spec

    def refuse(self, workload: str) -> None:
        """Note that the workers could not import its trainer as it was recorded."""
        self._refused.add(workload)
