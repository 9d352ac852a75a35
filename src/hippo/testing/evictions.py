"""Histories of a study whose states go while it is trained, to compare with what would have been without that.

A history is drawn from a seed: which configs are trained how far, what the study keeps, how many bytes its states may
take, and which states are taken away between its calls. Results must be those of the undisturbed run, and the steps
that are run again must be those that were foretold, neither more nor fewer, where states went between calls.
"""

from __future__ import annotations

import contextlib
import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import hippo
from hippo.hparams import Config
from hippo.plan import (
    AbstractPlanStore,
    CheckpointLoss,
    StatesInFiles,
    StudyRow,
    TrialRow,
    forecast,
    forget_states,
    open_store,
    plans_of,
    sole_writer,
)
from hippo.records import NodeId, Point
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer

_NUMBERS = itertools.count()
#: what a state of the trainer takes, about: budgets are drawn around some of them
_STATE_BYTES = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class EvictionHistory:
    """What happens to a study, one call after the other."""

    configs: tuple[Config, ...]
    #: how far each call trains all of them
    untils: tuple[int, ...]
    keep: str
    #: bytes that states may take while calls run; None: as many as there are
    budget: int | None
    #: the part of the states that is taken away between two calls
    part_taken: float
    seed: int

    @classmethod
    def drawn(cls, seed: int) -> EvictionHistory:
        """Return the history of a seed."""
        rng = Random(seed)
        untils = sorted(rng.sample(range(1, 13), rng.randint(2, 3)))
        return cls(
            configs=tuple(dict.fromkeys(_config(rng) for _ in range(rng.randint(1, 6)))),
            untils=tuple(untils),
            keep=rng.choice(["best", "top:2", "leaves", "leaves", "all"]),
            budget=rng.choice([None, None, rng.randint(1, 6) * _STATE_BYTES]),
            part_taken=rng.choice([0.0, 0.3, 0.7, 1.0]),
            seed=seed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryResult:
    """What came of a history."""

    #: (config, steps) -> metrics, of every answer
    metrics: Mapping[tuple[Config, int], Mapping[str, float]]
    steps_repeated: int
    #: how many of them were foretold between calls
    foretold: int
    by_cause: Mapping[str, int]
    evicted: int


def _config(rng: Random) -> Config:
    """Return a config that shares a beginning with others."""
    milestones = sorted(rng.sample([2, 4, 6, 8], rng.randint(0, 2)))
    sequence: Any = hippo.MultiStep(0.1, milestones, 0.5) if milestones else 0.1
    return Config({"lr": sequence, "momentum": rng.choice([0.0, 0.0, 0.9])})


def check_history(history: EvictionHistory) -> HistoryResult:
    """Let it happen, compare all with what each trial comes to alone, and return what came of it.

    Raises:
      AssertionError: metrics differ, or steps were run again that nobody foretold.
    """
    came = run_history(history)
    for config in history.configs:
        alone = train_alone(ToyTrainer, config, until=max(history.untils))
        for until in history.untils:
            assert came.metrics[config, until] == alone[until], f"{history}: other metrics at {until} of {config}"
    assert came.steps_repeated == came.foretold, f"{history}: {came.steps_repeated} steps again, not {came.foretold}"
    assert set(came.by_cause) <= {"evicted", "not kept"}, f"{history}: {came.by_cause}"
    return came


def run_history(history: EvictionHistory) -> HistoryResult:
    """Let it happen in memory, with a real engine and real states."""
    rng = Random(history.seed)
    metrics: dict[tuple[Config, int], Mapping[str, float]] = {}
    foretold = evicted = 0
    study = hippo.create_study(
        "history",
        trainer=ToyTrainer,
        storage=f"memory://evictions-{next(_NUMBERS)}",
        engine=hippo.InlineEngine(resident_bytes=0),
        metric="loss",
        mode="min",
        keep=history.keep,
        checkpoint_budget=history.budget,
    )
    with contextlib.closing(study), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a budget is small is what is tried
        for until in history.untils:
            foretold += _foretold(study)
            study.optimize(hippo.GridSearch(list(history.configs), until=until))
            for trial in study.trials:
                metrics[trial.config, trial.step] = dict(trial.metrics)
            evicted += _take_away(study, history, rng)
        counted = study.statistics()
    return HistoryResult(
        metrics=metrics,
        steps_repeated=counted.steps_repeated,
        foretold=foretold,
        by_cause=counted.repeated_by_cause,
        evicted=evicted,
    )


def _opened(study: hippo.Study) -> tuple[AbstractPlanStore, int, list[TrialRow]]:
    store = open_store(study.storage)
    (row,) = store.rows(StudyRow, name="history")
    (plan,) = plans_of(store, row.study).values()
    return store, plan, store.rows(TrialRow, study=row.study)


def _foretold(study: hippo.Study) -> int:
    """Return how many steps the next call will run again, which asks for all configs to go on."""
    store, plan, trials = _opened(study)
    if not trials:
        return 0
    furthest = max(trial.until for trial in trials)
    with store.reading() as rows:
        held = StatesInFiles.read(rows, plan)
    ends = {Point(NodeId(held.owner(row.node, furthest)), furthest) for row in trials if row.until == furthest}
    return forecast(held, [end for end in sorted(ends) if end not in held.files], ()).steps


def _take_away(study: hippo.Study, history: EvictionHistory, rng: Random) -> int:
    store, plan, _ = _opened(study)
    with sole_writer(store, plan):
        with store.reading() as rows:
            files = StatesInFiles.read(rows, plan).files
        taken = [file.key for _, file in sorted(files.items()) if rng.random() < history.part_taken]
        forget_states(store, plan, taken, CheckpointLoss.EVICTED)
    return len(taken)
