"""A study with several seeds: each is a study of its own, and tuners see their averages."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from hippo.errors import TrialFailedError
from hippo.hparams import Config, as_config
from hippo.records import Metrics, TrialState
from hippo.runtime import AGGREGATES, Asking, Progress, Runtime, Statistics, combine_metrics
from hippo.schedulers import Standing
from hippo.study.best import NoBestTrialError, best_of, comparable, pareto_front
from hippo.study.calls import CallPositions
from hippo.study.study import Begin, Study
from hippo.study.trials import Trial
from hippo.study.tuner_checks import check_tuner
from hippo.tuners.ranking import total_violation
from hippo.tuners.tuner import describe, record_of, record_text


@dataclass(frozen=True, kw_only=True)
class ReplicatedTrial:
    """One config under every seed. What it says of metrics is the aggregate of its replicates."""

    #: the trial of each seed, in the order of `seeds`
    replicates: tuple[Trial, ...]
    aggregate: str

    @property
    def number(self) -> int:
        return self.replicates[0].number

    @property
    def config(self) -> Config:
        return self.replicates[0].config

    @property
    def params(self) -> Mapping[str, Any]:
        return self.config.params

    @property
    def step(self) -> int:
        """Steps that were answered under every seed."""
        return min(trial.step for trial in self.replicates)

    @property
    def call(self) -> int:
        """Which call of a tuner it belongs to."""
        return self.replicates[0].call

    @property
    def state(self) -> TrialState:
        """The state of all replicates; failed if one is, and where they differ that of the one that is least far."""
        states = [trial.state for trial in self.replicates]
        by_progress = [TrialState.FAIL, *(state for state in TrialState if state is not TrialState.FAIL)]
        return min(states, key=by_progress.index)

    @cached_property
    def history(self) -> Mapping[int, Metrics]:
        """Step -> metrics, for every step that was evaluated under all seeds."""
        histories = [trial.history for trial in self.replicates]
        common = [step for step in histories[0] if all(step in history for history in histories)]
        aggregate = AGGREGATES[self.aggregate]
        return {step: combine_metrics([history[step] for history in histories], aggregate) for step in common}

    @property
    def metrics(self) -> Metrics:
        """The metrics at the last step; empty while there are none."""
        return self.history.get(self.step, {})

    @property
    def values(self) -> tuple[float, ...] | None:
        """The study's objectives at the last step; None while there are none."""
        objectives, metrics = self.replicates[0].objectives, self.metrics
        if not objectives or any(objective.metric not in metrics for objective in objectives):
            return None
        return tuple(metrics[objective.metric] for objective in objectives)

    @property
    def value(self) -> float | None:
        """The one objective; None while there is none, or if there are several."""
        return self.values[0] if self.values is not None and len(self.values) == 1 else None

    @property
    def losses(self) -> tuple[float, ...]:
        """The objectives, signs turned so that smaller is better, and what is no number infinite."""
        return tuple(objective.loss(self.metrics) for objective in self.replicates[0].objectives)

    @property
    def violation(self) -> float:
        """By how much the study's constraints are broken, summed; 0 if all are kept."""
        return total_violation([constraint.violation(self.metrics) for constraint in self.replicates[0].constraints])


class ReplicatedStudy:
    """One optimisation run under several seeds. Made by `hippo.create_study(..., seeds=[...])`.

    Every seed is another workload, so nothing is shared between seeds, and everything within each.
    """

    def __init__(self, name: str, studies: Sequence[Study], aggregate: str) -> None:
        self.name = name
        #: the study of each seed
        self.studies = tuple(studies)
        self._aggregate = aggregate
        self._calls = CallPositions()

    @property
    def storage(self) -> str:
        """The URL of the study's storage."""
        return self.studies[0].storage

    def optimize(self, tuner: Any) -> None:
        """Run a tuner to its end; see `Study.optimize`. Its answers are aggregates over the seeds."""
        from hippo.study.optimizing import optimize

        optimize([(self, tuner)])

    def evaluate(self, config: Mapping[str, Any], until: int) -> Mapping[str, float]:
        """Return the aggregated metrics of a config after `until` steps: a trial of its own, by hand.

        Raises:
          TrialFailedError: the trainer raised under one of the seeds; the message says what.
        """
        from hippo.study.optimizing import run_together

        asked = as_config(config)
        record = record_text({"evaluate": asked.to_json(), "until": describe(until)})
        answer = run_together([(self, self._prepare_call(record, lambda ask: ask(asked, until=until), None))])[0]
        if answer.failure is not None:
            failed = answer.failure
            raise TrialFailedError(f"{failed.method}() failed at step {failed.step}: {failed.error}")
        return dict(answer.metrics)

    def close(self) -> None:
        """Stop the workers of this study's engine, and of every other study that uses it."""
        self.studies[0].close()

    @property
    def trials(self) -> list[ReplicatedTrial]:
        """All trials, by number."""
        by_seed = [study.trials for study in self.studies]
        return [ReplicatedTrial(replicates=same, aggregate=self._aggregate) for same in zip(*by_seed, strict=False)]

    @property
    def best_trial(self) -> ReplicatedTrial:
        """The complete trial with the best aggregated value; ties go to the smaller number.

        Raises:
          ValueError: the study has no metric or several of them, or no trial is complete.
        """
        return best_of(self._complete_trials(), self.name)

    @property
    def best_trials(self) -> list[ReplicatedTrial]:
        """The Pareto front: the complete trials that keep the constraints and that no other one dominates."""
        return pareto_front(self._complete_trials())

    @property
    def best_value(self) -> float:
        """The best trial's value."""
        value = self.best_trial.value
        assert value is not None
        return value

    @property
    def best_config(self) -> Config:
        """The best trial's config."""
        return self.best_trial.config

    @property
    def best_params(self) -> Mapping[str, Any]:
        """The best trial's params."""
        return self.best_trial.params

    def statistics(self) -> Statistics:
        """Return what all seeds asked for and cost together; `trials` counts each seed's."""
        return _sum_statistics([study.statistics() for study in self.studies])

    def _complete_trials(self) -> list[ReplicatedTrial]:
        complete = comparable(self.trials)
        if not complete:
            _ = self.studies[0].best_trials  # says why, if this seed has none
            raise NoBestTrialError(f"no trial of study {self.name!r} is complete under every seed")
        return complete

    # --- what `hippo.optimize` needs

    def counted(self) -> Statistics:
        """Return what `statistics` does but for `trial_seconds`, at once where this process runs the study."""
        return _sum_statistics([study.counted() for study in self.studies])

    def stop(self) -> None:
        """Have the running `optimize` end; see `Study.stop`."""
        self.studies[0].stop()

    def retry_failed(self) -> list[int]:
        """Let the trials that failed under any seed be trained again; see `Study.retry_failed`."""
        numbers = {number for study in self.studies for number in study.retry_failed()}
        self._calls.repeat_last()
        return sorted(numbers)

    def _prepare(self, tuner: Any, standing: Standing | None = None) -> Begin:
        check_tuner(tuner, self.name, self.studies[0]._opened.settings)
        return self._prepare_call(record_text(record_of(tuner)), tuner.tune, standing, must_not_all_fail=True)

    def _prepare_call(
        self, record: str, asking: Asking, standing: Standing | None, *, must_not_all_fail: bool = False
    ) -> Begin:
        jobs = [
            replace(study._job(), standing=standing, aggregate=self._aggregate, must_not_all_fail=must_not_all_fail)
            for study in self.studies
        ]
        runtime = self._runtime()

        def begin() -> concurrent.futures.Future[Any]:
            return self._calls.start(record, lambda position: runtime.start_call(jobs, position, record, asking))

        return begin

    def _take_enqueued(self) -> list[concurrent.futures.Future[Any]]:
        return []

    def _flush_callbacks(self) -> None:
        for study in self.studies:
            study._flush_callbacks()

    def _progress(self) -> Progress | None:
        known = [progress for study in self.studies if (progress := study._progress()) is not None]
        if not known:
            return None
        first = known[0]
        return replace(
            first,
            best_value=None,  # of one seed it would say little
            steps_executed=sum(progress.steps_executed for progress in known),
            steps_asked=sum(progress.steps_asked for progress in known),
            steps_saved=sum(progress.steps_saved for progress in known),
            steps_left=sum(progress.steps_left for progress in known),
            seconds_left=sum(progress.seconds_left or 0.0 for progress in known),
        )

    def _runtime(self) -> Runtime:
        return self.studies[0]._runtime()

    def __repr__(self) -> str:
        return f"<ReplicatedStudy {self.name!r} of {len(self.studies)} seeds in {self.storage}>"


def _sum_statistics(each: Sequence[Statistics]) -> Statistics:
    summed: dict[str, Any] = {}
    for field in fields(Statistics):
        values = [getattr(statistics, field.name) for statistics in each]
        if isinstance(values[0], Mapping):
            names = sorted({name for value in values for name in value})
            summed[field.name] = {name: sum(value.get(name, 0) for value in values) for name in names}
        else:
            summed[field.name] = sum(values)
    return Statistics(**summed)
