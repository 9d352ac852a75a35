"""What a study came to, as values that can be compared: with another run of it, and with training alone.

Results are compared by what users see of them, and states by the paths that lead to them, since two runs need not give
nodes the same numbers. This module refuses to know what happened on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hippo.plan import AbstractPlanStore, NodeRow, StateRow, StepKind, StepRow
from hippo.study import Study
from hippo.training.codec import state_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyResults:
    """A study at its end."""

    #: number of a trial -> its call, config and state, and what evaluating and training said at each step, as text: NaN
    #: is a value like others
    trials: Mapping[int, str]
    #: path and step -> hash of the state there
    states: Mapping[tuple[str, int], str]
    #: cause -> how many steps were run for it
    steps: Mapping[str, int]


def results_of(study: Study, store: AbstractPlanStore) -> StudyResults:
    """Return what a study came to, and all states of its database."""
    paths = {(row.plan, row.node): row.digest for row in store.rows(NodeRow)}
    steps: dict[str, int] = {}
    for row in store.rows(StepRow):
        cause = StepKind.from_text(row.cause).cause.value
        steps[cause] = steps.get(cause, 0) + 1
    return StudyResults(
        trials={
            trial.number: f"{trial.call} {trial.config!r} {trial.state.value} {dict(trial.history)!r} "
            f"{dict(trial.train_metrics)!r}"
            for trial in study.trials
        },
        states={(paths[row.plan, row.node], row.step): row.state_hash for row in store.rows(StateRow)},
        steps=steps,
    )


def outcomes(study: Study) -> list[Any]:
    """Return of each trial its state, its history, and the hash of the training state that it ended with."""
    return [(trial.state, trial.history, state_hash(study.load_state(trial))) for trial in study.trials]


def differences(expected: StudyResults, found: StudyResults) -> list[str]:
    """Return in what two runs of a study differ, a sentence each; steps that were run again are no difference.

    A state whose hash only one of them recorded is none, either: that is a matter of what was kept.
    """
    told = [
        f"trial {number}: {found.trials.get(number)}, and undisturbed: {expected.trials.get(number)}"
        for number in sorted(expected.trials.keys() | found.trials.keys())
        if found.trials.get(number) != expected.trials.get(number)
    ]
    told += [
        f"the state at step {step} of path {path} is {found.states[path, step]}, and undisturbed: {state_hash}"
        for (path, step), state_hash in sorted(expected.states.items())
        if found.states.get((path, step), state_hash) != state_hash
    ]
    return told
