"""What a simulation came to: times and costs, and the studies with their trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hippo.simulation.meter import Interval, Work

if TYPE_CHECKING:
    from hippo.study import Study


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """One or several studies on virtual slots. All times are virtual, but `decision_s`."""

    studies: tuple[Study, ...]
    slots: int
    #: from the beginning to the end of the last work
    makespan_s: float
    #: how long slots were the study's, with or without work, in sum: all of the makespan, if no node was given back
    reserved_s: float
    #: how long slots were held, by kind of work
    seconds: Mapping[Work, float]
    #: steps of training that were run, repeated ones included, speculative ones not
    steps_executed: int
    #: steps asked for: the sum over trials of the largest one
    steps_asked: int
    #: steps that had been run before
    steps_repeated: int
    #: steps that were run for nobody yet
    steps_speculative: int
    trials: int
    #: lanes that were walked
    lanes: int
    #: lanes that began with a state that their worker did not hold
    starts: int
    #: those of them that read a checkpoint
    loads: int
    #: checkpoints that were written
    saves: int
    evaluations: int
    #: workers that were lost
    losses: int
    #: CPU seconds that deciding took: plan, stage tree, scheduler and bookkeeping, without the tuners
    decision_s: float
    #: stages that slots walked, which is what the decisions were about
    stages: int
    #: how many lanes were walked as one, on average over steps; None where `SimulatedWorkload.fused` is None
    mean_lanes: float | None = None
    #: what each slot did when; empty if intervals were not kept
    intervals: tuple[Interval, ...] = field(default=(), repr=False)

    @property
    def study(self) -> Study:
        """The study, or the first of several."""
        return self.studies[0]

    @property
    def device_seconds(self) -> float:
        """How long slots were held, in sum: starting, loading, training, evaluating, writing and lost."""
        return sum(self.seconds.values())

    @property
    def device_hours(self) -> float:
        """`device_seconds` in hours."""
        return self.device_seconds / 3600.0

    @property
    def utilisation(self) -> float:
        """The share of the time in which slots were the study's in which they had work."""
        return self.device_seconds / self.reserved_s if self.reserved_s else 0.0

    @property
    def decision_us_per_stage(self) -> float:
        """CPU microseconds of deciding for each stage."""
        return 1e6 * self.decision_s / self.stages if self.stages else 0.0

    def row(self) -> dict[str, float | int]:
        """Return the figures by name, for a table."""
        return {
            "trials": self.trials,
            "slots": self.slots,
            "device_hours": self.device_hours,
            "makespan_hours": self.makespan_s / 3600.0,
            **({} if self.reserved_s == self.slots * self.makespan_s else {"reserved_hours": self.reserved_s / 3600.0}),
            "utilisation": self.utilisation,
            "steps_asked": self.steps_asked,
            "steps_executed": self.steps_executed,
            "steps_repeated": self.steps_repeated,
            "steps_speculative": self.steps_speculative,
            "lanes": self.lanes,
            "starts": self.starts,
            "loads": self.loads,
            "saves": self.saves,
            "losses": self.losses,
            **({} if self.mean_lanes is None else {"mean_lanes": self.mean_lanes}),
        }
