"""The command line with the URL of a service: what it shows there, and what it says needs the database."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import hippo
from hippo.cli.app import exit_code
from hippo.runtime import Statistics
from hippo.testing.fake_engine import FakeEngine

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_programs")]


def rows(capsys: pytest.CaptureFixture[str], *command: str) -> Any:
    capsys.readouterr()
    assert exit_code([*command, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_studies_trials_and_the_best_one_are_shown(served: Any, capsys: pytest.CaptureFixture[str]) -> None:
    served.study().optimize(hippo.GridSearch({"lr": [0.1, 0.2]}, until=5))
    (shown,) = rows(capsys, "studies", "--storage", served.url)
    assert (shown["study"], shown["trials"], shown["steps_executed"]) == ("study", 2, 10)
    trials = rows(capsys, "trials", "study", "--storage", served.url)
    assert [(trial["params_lr"], trial["state"], trial["value"]) for trial in trials] == [
        (0.1, "COMPLETE", 1.0),
        (0.2, "COMPLETE", 1.0),
    ]
    assert all(trial["seconds"] > 0 for trial in trials)
    assert [trial["number"] for trial in rows(capsys, "best", "study", "--storage", served.url)] == [0]


def test_the_front_of_several_objectives_and_what_breaks_a_bound_are_shown(
    serve: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    served = serve(engine=FakeEngine(metrics={"loss": 1.0, "cost": 2.0}))
    served.study("front", metric=["loss", "cost"], mode=["min", "min"]).evaluate({"lr": 0.1}, until=2)
    (trial,) = rows(capsys, "best", "front", "--storage", served.url)
    assert (trial["value_loss"], trial["value_cost"]) == (1.0, 2.0)
    served.study("bound", constraints=["cost <= 0.5"]).evaluate({"lr": 0.1}, until=2)
    (trial,) = rows(capsys, "trials", "bound", "--storage", served.url)
    assert trial["feasible"] is False


def test_statistics_are_those_of_any_study(served: Any) -> None:
    study = served.study()
    study.evaluate({"lr": 0.1}, until=2)
    found = study.statistics()
    assert isinstance(found, Statistics)
    assert (found.steps_asked, found.merge_rate, dict(found.trials)) == (2, 1.0, {"COMPLETE": 1})


@pytest.mark.parametrize(
    "command",
    [
        ["tree", "study"],
        ["logs", "study", "0"],
        ["plot", "curves", "study"],
        ["export", "study", "best", "model.pt"],
        ["delete", "study", "--yes"],
        ["reproduce", "study", "0"],
        ["ask", "study", '{"lr": 0.1}', "--until", "2"],
        ["tell", "study", "pruned", "0"],
        ["db", "version"],
        ["db", "upgrade"],
        ["dashboard"],
        ["trials", "study", "--scale", "1/8"],  # a service trains no surrogates, but has those that a script left
        ["best", "study", "--scale", "1/8"],
        ["check", "hippo.testing.trainers:ToyTrainer", "--study", "study"],
    ],
    ids=" ".join,
)
def test_a_command_that_needs_the_database_says_so(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code([*command, "--storage", "http://ada:secret@127.0.0.1:9"]) != 0
    error = capsys.readouterr().err
    assert "its page shows the rest, unless it runs with --no-dashboard: http://127.0.0.1:9/dashboard/" in error
    assert "secret" not in error
    named = " ".join(command[:2]) if command[0] == "db" else command[0]
    assert f"{named} needs the database that a service keeps its studies in" in error
    assert "Traceback" not in error


def test_a_page_of_studies_is_not_made_of_a_services_url(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["dashboard", "http://127.0.0.1:9/"]) == 2
    assert "dashboard needs the database that a service keeps its studies in" in capsys.readouterr().err


def test_failed_trials_are_retried(serve: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    def metrics(point: Any) -> dict[str, float]:
        raise RuntimeError("no disk")

    served = serve(engine=FakeEngine(metrics=metrics))
    with pytest.raises(hippo.HippoError, match="no disk"):
        served.study().evaluate({"lr": 0.1}, until=2)
    capsys.readouterr()
    assert exit_code(["retry", "study", "--storage", served.url]) == 0
    assert "1 failed trial is tried again when the script of study 'study' is run" in capsys.readouterr().err
