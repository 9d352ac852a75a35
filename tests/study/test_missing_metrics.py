"""A trial without the study's metric fails where others have it; where none ever had, the study says so and stops."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import TrialFailedError, UnknownMetricError
from hippo.testing.trainers import ToyTrainer


class Forgetful(ToyTrainer):
    """Returns another metric from some step on, at one learning rate."""

    def evaluate(self) -> dict[str, Any]:
        metrics = dict(super().evaluate())
        return {"other": 0.0} if self.hp["lr"] == 0.2 and self.steps >= 4 else metrics


class Nameless(ToyTrainer):
    """Never returns it."""

    def evaluate(self) -> dict[str, Any]:
        return {"other": 0.0}


def open_study(folder: Path, trainer: type[hippo.Trainer], **options: Any) -> hippo.Study:
    return hippo.create_study(
        "missing", trainer=trainer, storage=f"sqlite:///{folder}/hippo.db", checkpoints=f"{folder}/states",
        engine=hippo.InlineEngine(), **{"metric": "loss", "mode": "min", **options},
    )  # fmt: skip


def told(study: hippo.Study) -> list[tuple[str, int, bool]]:
    return [(trial.state.value, trial.step, "UnknownMetricError" in trial.error) for trial in study.trials]


class Diverging(Forgetful):
    """Comes to NaN at another learning rate."""

    def evaluate(self) -> dict[str, Any]:
        return {**super().evaluate(), **({"loss": math.nan} if self.hp["lr"] == 0.1 else {})}


CONFIGS = [{"lr": lr} for lr in (0.1, 0.2, 0.3)]
EXPECTED = [("COMPLETE", 4, False), ("FAIL", 0, True), ("COMPLETE", 4, False)]


def test_a_trial_that_loses_the_metric_fails_alone_and_does_so_again(tmp_path: Path) -> None:
    for executed in (12, 12):
        study = open_study(tmp_path, Forgetful)
        study.optimize(hippo.GridSearch(CONFIGS, until=4))
        assert told(study) == EXPECTED
        assert study.statistics().steps_executed == executed
        (error,) = {trial.error for trial in study.trials if trial.error}
        assert "the study's metric is 'loss', and there is only ['other'] in what evaluate() returned, " in error
        assert study.best_trial.number in (0, 2)
        study.close()


#: by which no trial has a loss that could be the best one
ODD = [
    {"constraints": ["loss <= -1"]},
    {"metric": ["loss", "luck"], "mode": ["min", "max"]},
    {"trainer": Diverging},
    {"trainer": Diverging, "nan": "worst"},
]


@pytest.mark.parametrize("is_opened_again", [False, True])
@pytest.mark.parametrize("options", ODD)
def test_one_that_others_have_need_be_no_good_one(
    tmp_path: Path, options: dict[str, Any], *, is_opened_again: bool
) -> None:
    options = {"trainer": Forgetful, **options}
    study = open_study(tmp_path, **options)
    if is_opened_again:
        study.optimize(hippo.GridSearch([{"lr": 0.3}], until=2))
        study.close()
        study = open_study(tmp_path, **options)
    first = 1 if is_opened_again else 0
    study.optimize(hippo.GridSearch(CONFIGS[first:], until=4))
    assert told(study)[-2:] == EXPECTED[-2:]
    study.close()


def test_where_all_others_came_to_nan_before_it_fails_alone(tmp_path: Path) -> None:
    for configs in (CONFIGS[:1], CONFIGS[1:2]):
        study = open_study(tmp_path, Diverging)
        with pytest.raises(TrialFailedError, match="the only trial") as stop:
            study.optimize(hippo.GridSearch(configs, until=4))
        assert "retry_failed" not in str(stop.value)
        study.close()


def test_where_no_trial_ever_had_it_the_study_says_so(tmp_path: Path) -> None:
    for _ in range(2):
        study = open_study(tmp_path, Nameless)
        with pytest.raises(UnknownMetricError, match=r"metric is 'loss', and there is only \['other'\]"):
            study.optimize(hippo.GridSearch(CONFIGS, until=4))
        study.close()


class NotEvaluatedFirst(hippo.Tuner):
    """Asks for a step that nobody evaluates, as MLtuner does, and then for one that is."""

    async def tune(self, ask: hippo.Ask) -> hippo.Config:
        await ask(CONFIGS[0], until=1, evaluate=False)
        return (await ask(CONFIGS[0], until=2)).config


def test_a_trial_that_came_on_without_an_evaluation_says_of_no_metric_that_it_is_there(tmp_path: Path) -> None:
    for _ in range(2):
        study = open_study(tmp_path, Nameless)
        with pytest.raises(UnknownMetricError, match="metric is 'loss'"):
            study.optimize(NotEvaluatedFirst())
        assert told(study) == [("PAUSED", 1, False)]
        study.close()


def test_a_study_that_had_it_before_it_was_opened_again_goes_on(tmp_path: Path) -> None:
    study = open_study(tmp_path, Forgetful)
    study.optimize(hippo.GridSearch(CONFIGS[:1], until=4))
    study.close()
    study = open_study(tmp_path, Forgetful)
    study.optimize(hippo.GridSearch(CONFIGS[1:], until=4))
    assert told(study) == EXPECTED
