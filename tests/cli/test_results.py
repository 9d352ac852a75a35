"""`hippo studies`, `trials`, `best` and `tree`, on a database that a real study has left."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.cli.app import exit_code

pytestmark = pytest.mark.slow


def study_in(folder: Path, name: str, **options: Any) -> hippo.Study:
    """Return a new study of the toy, in a database of this folder."""
    toy = {"trainer": "hippo.testing.trainers:ToyTrainer", "metric": "loss", "mode": "min"}
    places = {"storage": f"sqlite:///{folder}/hippo.db", "checkpoints": str(folder / "states")}
    return hippo.create_study(name, engine=hippo.InlineEngine(), **{**toy, **places, **options})


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with one study: two trials of four steps, which share the first two."""
    folder = tmp_path_factory.mktemp("results")
    study = study_in(folder, "toy")
    storage = study.storage
    study.optimize(
        hippo.GridSearch([{"lr": 0.1}, {"lr": hippo.Piecewise([0.1, 0.05], [2])}], until=4),
    )
    return storage


def rows_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    assert exit_code([*arguments, "--format", "json"]) == 0
    rows: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return rows


def test_studies_lists_what_each_study_asked_for_and_ran(storage: str, capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = rows_of(capsys, "studies", "--storage", storage)

    assert (row["study"], row["trials"], row["steps_asked"], row["steps_executed"]) == ("toy", 2, 8, 6)


def test_trials_lists_every_trial_with_its_params(storage: str, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = rows_of(capsys, "trials", "toy", "--storage", storage)

    assert (first["number"], first["state"], first["params_lr"]) == (0, "COMPLETE", 0.1)
    assert second["params_lr"] == "Piecewise([0.1, 0.05], [2])"


def test_trials_are_those_for_which_a_filter_holds_and_left_out_ones_are_told(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    both = rows_of(capsys, "trials", "toy", "--storage", storage, "--filter", "lr(0) == 0.1")
    assert [row["number"] for row in both] == [0, 1]
    assert exit_code(["trials", "toy", "--storage", storage, "--filter", "lr < 0.2", "--format", "json"]) == 0
    told = capsys.readouterr()
    assert [row["number"] for row in json.loads(told.out)] == [0]
    assert "neither yes nor no: 1 trial, lr is a text or a sequence" in told.err
    assert exit_code(["trials", "toy", "--storage", storage, "--filter", "step < 1"]) == 0
    assert "of the 2 trials of 'toy' the filter shows none" in capsys.readouterr().out
    assert exit_code(["trials", "toy", "--storage", storage, "--filter", "rate < 1"]) != 0
    assert "Hyper-parameters: lr;" in capsys.readouterr().err


def test_trials_as_csv_keep_every_digit(storage: str, capsys: pytest.CaptureFixture[str]) -> None:
    exact = [row["value"] for row in rows_of(capsys, "trials", "toy", "--storage", storage)]
    exit_code(["trials", "toy", "--storage", storage, "--format", "csv"])

    assert [float(row["value"]) for row in csv.DictReader(io.StringIO(capsys.readouterr().out))] == exact


def test_csv_of_nothing_says_what_its_columns_would_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def header(*line: str) -> list[str]:
        assert exit_code([*line, "--storage", storage, "--format", "csv"]) == 0
        return capsys.readouterr().out.splitlines()

    study = study_in(tmp_path, "none", metric=["loss", "luck"], mode=["min", "max"])
    storage = study.storage
    assert header("tree", "none") == ["node,parent,start,stop,values,trials,checkpoints,metrics"]
    assert header("trials", "none") == ["number,state,step,value_loss,value_luck,seconds,error"]
    study.evaluate({"lr": 0.1}, until=1)
    filtered = header("trials", "none", "--filter", "step < 1")
    assert filtered == ["number,state,step,value_loss,value_luck,params_lr,seconds,error"]


def test_logs_say_a_value_of_zero_as_a_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = study_in(tmp_path, "zero", trainer_args={"bad_metric": 0})
    storage = study.storage
    study.evaluate({"lr": 0.1}, until=1)
    assert exit_code(["logs", "zero", "0", "--storage", storage]) == 0
    assert "trial 0 of zero: COMPLETE, value 0\n" in capsys.readouterr().out


def test_a_hyper_parameter_of_the_name_of_a_metrics_column_has_one_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = study_in(tmp_path, "names", metric=["loss", "luck"], mode=["min", "max"])
    storage = study.storage
    study.evaluate({"lr": 0.1, "metrics_loss": 4321, "value_luck": 8765}, until=1)
    assert exit_code(["best", "names", "--storage", storage]) == 0
    out = capsys.readouterr().out
    assert "4321" in out
    assert "8765" in out
    assert exit_code(["logs", "names", "0", "--storage", storage]) == 0
    assert "  metrics_loss = 4321\n" in capsys.readouterr().out


def test_best_is_the_trial_with_the_smallest_loss(storage: str, capsys: pytest.CaptureFixture[str]) -> None:
    values = [row["value"] for row in rows_of(capsys, "trials", "toy", "--storage", storage)]
    (best,) = rows_of(capsys, "best", "toy", "--storage", storage)

    assert best["value"] == best["metrics_loss"] == min(values)  # type: ignore[type-var]


def test_tree_shows_the_node_that_both_trials_share(storage: str, capsys: pytest.CaptureFixture[str]) -> None:
    root, child = rows_of(capsys, "tree", "toy", "--storage", storage)

    assert (root["parent"], root["start"], root["stop"], root["trials"]) == (None, 0, 4, [0, 1])
    assert (child["parent"], child["start"], child["stop"], child["trials"]) == (root["node"], 2, 4, [1])


def test_tree_is_drawn_with_values_and_metrics(storage: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["tree", "toy", "--storage", storage]) == 0

    drawn = capsys.readouterr().out
    assert "2 trials" in drawn
    assert "loss" in drawn


@pytest.mark.parametrize("command", ["trials", "best", "tree"])
def test_an_unknown_study_is_bad_input_that_names_it(
    command: str, storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code([command, "toi", "--storage", storage]) == 2

    assert "toi" in capsys.readouterr().err


def test_a_database_that_is_not_there_is_not_made_by_looking(tmp_path: Path) -> None:
    path = tmp_path / "none.db"

    assert exit_code(["trials", "toy", "--storage", f"sqlite:///{path}"]) in (1, 2)
    assert not path.exists()


def test_with_several_objectives_best_is_the_pareto_front_and_each_objective_has_a_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = study_in(tmp_path, "trade-off", metric=["loss", "luck"], mode=["min", "max"])
    storage = study.storage
    study.optimize(hippo.GridSearch([{"lr": 0.05 * n} for n in range(1, 8)], until=4))
    front = {trial.number for trial in study.best_trials}

    assert {row["number"] for row in rows_of(capsys, "best", "trade-off", "--storage", storage)} == front
    rows = rows_of(capsys, "trials", "trade-off", "--storage", storage)
    assert [(row["value_loss"], row["value_luck"]) for row in rows] == [trial.values for trial in study.trials]
    with pytest.raises(ValueError, match="best_trials holds the Pareto front"):
        study.best_trial  # noqa: B018


def test_tree_counts_branches_of_which_nothing_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    storage = f"sqlite:///{tmp_path / 'branches.db'}"
    study = hippo.create_study(
        "branches",
        trainer="hippo.testing.trainers:ToyTrainer",
        storage=storage,
        checkpoints=str(tmp_path / "states"),
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
        evaluate_every=1_000,
    )
    study.optimize(Branching())
    study.close()
    assert exit_code(["tree", "branches", "--storage", storage]) == 0
    lines = [line.strip("│├└─ ") for line in capsys.readouterr().out.splitlines()]
    assert lines[2] == "2-5  3 branches, without metrics or a state"
    assert [line.split()[0] for line in lines] == ["branches", "0-2", "2-5", "2-4"]
    assert len(rows_of(capsys, "tree", "branches", "--storage", storage)) == 5


class Branching(hippo.Tuner):
    """Forks a path in four, and evaluates one of them."""

    async def tune(self, ask: hippo.Ask) -> None:
        parent = hippo.Config({"lr": 0.1})
        await ask(parent, until=2)
        for rate in (0.2, 0.3, 0.4):
            await ask(parent.switch(at=2, lr=rate), until=5, evaluate=False, is_transient=True)
        await ask(parent.switch(at=2, lr=0.5), until=4)


def test_the_parts_of_a_conditional_hyper_parameter_are_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    storage = f"sqlite:///{tmp_path / 'hippo.db'}"
    study = hippo.create_study(
        "conditional", trainer="hippo.testing.trainers:ToyTrainer", storage=storage, metric="loss", mode="min",
        checkpoints="memory://", engine=hippo.InlineEngine(),
    )  # fmt: skip
    optimizers = [{"name": "sgd", "momentum": hippo.choice(0.0, 0.9)}, {"name": "adam"}]
    study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": [0.1], "opt": optimizers}), until=2))
    study.close()
    rows = rows_of(capsys, "trials", "conditional", "--storage", storage)
    assert [(row["params_opt.name"], row.get("params_opt.momentum")) for row in rows] == [
        ("sgd", 0.0), ("sgd", 0.9), ("adam", None),
    ]  # fmt: skip
    for command in (["trials", "conditional"], ["best", "conditional"], ["logs", "conditional", "0"]):
        assert exit_code([*command, "--storage", storage]) == 0
        assert "opt.momentum" in capsys.readouterr().out
