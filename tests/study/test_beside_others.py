"""What a study says and does is its own affair, whatever other studies lie in its database on plans of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo

pytestmark = pytest.mark.slow

MakeStudy = Callable[..., hippo.Study]
MINE: dict[str, list[Any]] = {"lr": [0.1, 0.3, hippo.MultiStep(0.1, [2], 0.5)], "momentum": [0.5]}
OTHERS: dict[str, list[Any]] = {"lr": [0.2, 0.3, hippo.MultiStep(0.2, [3], 0.5)], "momentum": [0.25, 0.5]}


@pytest.fixture
def run(make_study: MakeStudy, tmp_path: Path) -> Callable[[str], hippo.Study]:
    """Return what runs a study in a database of its folder, to its end.

    "mine"; "twin", which asks the same of another trainer; or "others", which asks for other things.
    """

    def run(name: str) -> hippo.Study:
        space, until = (OTHERS, 6) if name == "others" else (MINE, 4)
        toy = {"size": {"mine": 3, "twin": 4, "others": 5}[name], "raise_in": "train", "raise_if": {"lr": 0.3}}
        study = make_study(
            name, storage=f"sqlite:///{tmp_path}/hippo.db", trainer_args={**toy, "raise_at": 2 if name == "mine" else 3}
        )
        study.optimize(hippo.GridSearch(hippo.GridSearchSpace(space), until=until))
        return study

    return run


def said(storage: str, name: str = "mine") -> dict[str, Any]:
    """Return all that a study says to somebody who opens it now."""
    study = hippo.load_study(name, storage)
    return {
        "trials": [(trial.number, trial.state, trial.config, trial.step, trial.seconds) for trial in study.trials],
        "facts": [(dict(trial.history), dict(trial.train_metrics), trial.traceback) for trial in study.trials],
        "best": (study.best_trial.number, study.best_value, study.best_config),
        "counted": study.statistics(),
        "tree": study.tree(),
        "leases": study.leases(),
        "states": study.kept_states(),
        "left": study.work_left(),
        "table": study.trials_dataframe().to_csv(),
    }


@pytest.mark.parametrize("other", ["twin", "others"])
def test_a_study_says_the_same_when_another_one_ran_beside_it(run: Callable[[str], hippo.Study], other: str) -> None:
    before = said(run("mine").storage)
    storage = run(other).storage
    assert said(storage) == before
    alone = said(storage, other)
    run("mine")
    assert said(storage, other) == alone


@pytest.mark.parametrize("other", ["twin", "others"])
def test_a_study_that_runs_again_beside_another_one_trains_nothing_and_answers_the_same(
    run: Callable[[str], hippo.Study], other: str
) -> None:
    mine = run("mine")
    before = [(trial.number, trial.state, trial.value) for trial in mine.trials]
    executed = mine.statistics().steps_executed
    run(other)
    again = run("mine")
    assert [(trial.number, trial.state, trial.value) for trial in again.trials] == before
    assert again.statistics().steps_executed == executed


def test_failures_of_one_study_are_retried_and_those_of_another_one_stay(run: Callable[[str], hippo.Study]) -> None:
    mine, twin = run("mine"), run("twin")
    kept, failed = said(twin.storage, "twin"), [trial.number for trial in mine.trials if trial.error]
    assert mine.retry_failed() == failed == [1]
    assert said(twin.storage, "twin") == kept


def test_a_study_says_the_same_when_another_one_was_deleted(run: Callable[[str], hippo.Study]) -> None:
    mine, twin = run("mine"), run("twin")
    before = said(mine.storage)
    twin.close()
    hippo.delete_study("twin", twin.storage)
    assert said(mine.storage) == before
