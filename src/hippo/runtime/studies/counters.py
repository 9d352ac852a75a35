"""What a study's steps cost: counted while it runs, and again from what a store knows. The two must agree.

It refuses to know who trains, and which trial a step was for: of each step it is told the cause, and the seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hippo.plan import (
    CHECKPOINT,
    EVALUATION,
    Among,
    Cause,
    FusionFacts,
    Moment,
    PlanRow,
    PlanTotals,
    StepKind,
    StudyRow,
    TrialRow,
    plans_of,
)
from hippo.runtime.studies.settings import Statistics
from hippo.runtime.studies.trial_book import joined
from hippo.tuners.averaged import AGGREGATES


@dataclass(slots=True)
class Counters:
    """What a study's steps cost, so far."""

    steps: Counter[Cause] = field(default_factory=Counter)
    train_seconds: float = 0.0
    evaluate_seconds: float = 0.0
    checkpoint_seconds: float = 0.0
    check_seconds: float = 0.0
    fusion_check_seconds: float = 0.0
    speculative_seconds: float = 0.0
    checkpoints: int = 0
    #: steps that were walked together with other lanes', and their shares of the seconds
    fused_steps: int = 0
    fused_seconds: float = 0.0
    #: how many programs took these steps: of one that takes a step in 16 lanes, a sixteenth for each
    fused_programs: float = 0.0

    @classmethod
    def load(cls, rows: Moment, study: StudyRow) -> Counters:
        """Count what a store knows of a study."""
        counters = cls()
        # members may share a plan, and their steps count once
        plans = sorted(set(plans_of(rows, study.study).values()))
        counters.count_fusion_checks(rows, plans, study.study)
        for plan in plans:
            for kind, total in PlanTotals.read(rows, plan).of_study(study.study).items():
                if kind == EVALUATION:
                    counters.evaluate_seconds += total.seconds
                elif kind == CHECKPOINT:
                    counters.count_checkpoint(total.seconds, count=total.count)
                else:
                    step = StepKind.from_text(kind)
                    counters.count_step(step.cause, total.seconds, lanes=step.lanes, count=total.count)
        return counters

    def copy(self) -> Counters:
        """Return the same counts, to be counted on from."""
        return replace(self, steps=Counter(self.steps))

    def count_step(self, cause: Cause, seconds: float, *, lanes: int = 1, count: int = 1) -> None:
        """Count steps that were run for one cause, with their seconds in all, each in so many lanes walked as one."""
        self.steps[cause] += count
        if lanes > 1:
            self.fused_steps += count
            self.fused_seconds += seconds
            self.fused_programs += count / lanes
        if cause is Cause.CHECK:
            self.check_seconds += seconds
        elif cause is Cause.SPECULATIVE:
            self.speculative_seconds += seconds
        else:
            self.train_seconds += seconds

    def count_steps(self, cause: Cause, seconds: Sequence[float], *, lanes: int = 1) -> None:
        """Count a run of steps, given the seconds of each, as `count_step` would one by one."""
        if lanes > 1 or cause is not Cause.FIRST:
            for each in seconds:
                self.count_step(cause, each, lanes=lanes)
            return
        self.steps[cause] += len(seconds)
        for each in seconds:  # `sum` rounds otherwise from Python 3.12 on
            self.train_seconds += each

    def count_fusion_checks(self, rows: Moment, plans: Collection[int], study: int) -> None:
        """Count, of all plans of a study, what finding out how lanes are walked took."""
        found = rows.columns(PlanRow, ("fusion",), plan=Among(list(plans)))
        spent = [FusionFacts.from_text(text).check_seconds.get(study, 0.0) for (text,) in found]
        self.fusion_check_seconds = sum(spent)

    @property
    def steps_executed(self) -> int:
        """Steps that were run for trials that were asked for; repeated ones are among them."""
        return sum(self.steps.values()) - self.steps[Cause.CHECK] - self.steps[Cause.SPECULATIVE]

    @property
    def mean_lanes(self) -> float:
        """How many lanes a program that takes a step has on average; 1 where nothing is fused, or nothing was run."""
        run = self.steps.total() - self.steps[Cause.CHECK]
        return run / (run - self.fused_steps + self.fused_programs) if run else 1.0

    @property
    def device_seconds(self) -> float:
        """All seconds that devices spent."""
        return (
            self.train_seconds
            + self.evaluate_seconds
            + self.checkpoint_seconds
            + self.check_seconds
            + self.fusion_check_seconds
            + self.speculative_seconds
        )

    @property
    def seconds_per_checkpoint(self) -> float:
        """What writing a state takes on average; 0 before the first."""
        return self.checkpoint_seconds / self.checkpoints if self.checkpoints else 0.0

    def count_checkpoint(self, seconds: float, *, count: int = 1) -> None:
        """Count states that were written, with their seconds in all."""
        self.checkpoints += count
        self.checkpoint_seconds += seconds

    def statistics(
        self, trials: Iterable[TrialRow], *, trial_seconds: float, steps_reached: int, aggregate: str = "mean"
    ) -> Statistics:
        """Return all counts as one record.

        Args:
          trials: all rows of the study's trials, one for each member.
          trial_seconds: what training each of them alone would have taken.
          steps_reached: how far each of them is, summed: what nobody has trained yet is not saved.
          aggregate: what makes one trial of several members'.
        """
        rows = list(trials)
        return self.summed(
            steps_asked=sum(row.until for row in rows),
            trials=Counter(row.state for row in joined(rows, AGGREGATES[aggregate])),
            trial_seconds=trial_seconds,
            steps_reached=steps_reached,
        )

    def summed(
        self, *, steps_asked: int, trials: Mapping[str, int], trial_seconds: float, steps_reached: int
    ) -> Statistics:
        """Return all counts as one record, given the sums over trials that `statistics` makes itself."""
        executed = self.steps_executed
        repeated = {
            cause.value: count
            for cause, count in sorted(self.steps.items(), key=lambda item: item[0].value)
            if cause not in (Cause.FIRST, Cause.CHECK, Cause.SPECULATIVE)
        }
        return Statistics(
            steps_asked=steps_asked,
            steps_executed=executed,
            steps_repeated=sum(repeated.values()),
            repeated_by_cause=repeated,
            steps_checked=self.steps[Cause.CHECK],
            steps_speculative=self.steps[Cause.SPECULATIVE],
            steps_saved=steps_reached - executed,
            device_seconds=self.device_seconds,
            train_seconds=self.train_seconds,
            evaluate_seconds=self.evaluate_seconds,
            checkpoint_seconds=self.checkpoint_seconds,
            check_seconds=self.check_seconds,
            fusion_check_seconds=self.fusion_check_seconds,
            speculative_seconds=self.speculative_seconds,
            trial_seconds=trial_seconds,
            checkpoints_written=self.checkpoints,
            lane_steps_fused=self.fused_steps,
            mean_lanes=self.mean_lanes,
            fused_seconds=self.fused_seconds,
            trials={state: count for state, count in sorted(trials.items()) if count},
        )
