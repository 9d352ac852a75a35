"""Trials that keep a study's constraints, and those that do not, as a user reads them."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import hippo
from hippo.cli.app import exit_code

MakeStudy = Callable[..., hippo.Study]
SPACE = [{"lr": 0.01}, {"lr": 0.1}, {"lr": 0.2}]


def test_a_best_trial_that_breaks_the_constraints_is_warned_of_once(make_study: MakeStudy) -> None:
    study = make_study(constraints=["loss <= -5"])
    study.optimize(hippo.GridSearch(SPACE, until=3))
    with pytest.warns(
        UserWarning, match=r"no trial of study 'toy' keeps its constraints; trial . .* loss <= -5"
    ) as said:
        best = study.best_trial
    assert said[0].filename == __file__
    assert best.is_feasible is False
    assert best.violation == min(trial.violation for trial in study.trials)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert study.best_params == best.params


def test_a_best_trial_that_keeps_the_constraints_is_not_warned_of(make_study: MakeStudy) -> None:
    study = make_study(constraints=["loss <= 100"])
    study.optimize(hippo.GridSearch(SPACE, until=3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert study.best_trial.is_feasible


def test_tables_tell_which_trials_keep_the_constraints(make_study: MakeStudy) -> None:
    study = make_study()
    study.optimize(hippo.GridSearch(SPACE, until=3))
    assert "feasible" not in study.trials_dataframe()
    middle = sorted(trial.metrics["loss"] for trial in study.trials)[1]
    bounded = make_study(
        "bounded",
        constraints=[f"loss <= {middle}"],
        nan="worst",
        trainer_args={"raise_in": "train", "raise_if": {"lr": 0.3}},
    )
    bounded.optimize(hippo.GridSearch([*SPACE, {"lr": 0.3}], until=3))
    told = list(bounded.trials_dataframe()["feasible"])
    assert sorted(told[:3]) == [False, True, True]
    assert told[3] is None  # failed before there were any metrics


def test_a_trial_without_metrics_has_infinite_losses_and_violation(make_study: MakeStudy) -> None:
    study = make_study(
        constraints=["loss <= 100", "luck >= -1000"], trainer_args={"raise_in": "train", "raise_if": {"lr": 0.3}}
    )
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.3}], until=3))
    kept, failed = study.trials
    assert (kept.violation, kept.losses) == (0, (kept.value,))
    assert (failed.violation, failed.losses, failed.is_feasible) == (math.inf, (math.inf,), None)


@pytest.mark.slow
def test_the_command_line_tells_which_trials_keep_the_constraints(
    make_study: MakeStudy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    study = make_study(constraints=["loss <= -5"], storage=url, checkpoints=str(tmp_path / "states"))
    study.optimize(hippo.GridSearch(SPACE, until=3))
    for command in (["best", "toy"], ["trials", "toy"], ["logs", "toy", "best"]):
        capsys.readouterr()
        assert exit_code([*command, "--storage", url, "--format", "json"]) == 0
        out, err = capsys.readouterr()
        rows = json.loads(out)
        assert (rows if command[0] == "logs" else rows[0])["feasible"] in (0, False)
        assert ("hippo: no trial of study 'toy' keeps its constraints" in err) == ("best" in command)


@pytest.mark.slow
@pytest.mark.parametrize("command", [["logs", "toy", "best"], ["export", "toy", "best", "x.pt"]])
def test_with_several_objectives_best_is_answered_by_the_numbers_of_the_front(
    command: list[str],
    make_study: MakeStudy,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path}/hippo.db"
    study = make_study(metric=["loss", "luck"], mode=["min", "max"], storage=url, checkpoints=str(tmp_path / "states"))
    study.optimize(hippo.GridSearch(SPACE, until=3))
    assert exit_code([*command, "--storage", url]) == 2
    said = capsys.readouterr().err
    assert all(str(trial.number) in said for trial in study.best_trials)
    assert "hippo best toy" in said
    assert "study.best_trials" not in said
