"""A study as tables of Parquet, read back by those who know nothing of hippo."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import HippoError, MissingExtraError
from hippo.hparams import Config

pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: pip install 'hippo-tune[parquet]'")

MakeStudy = Callable[..., hippo.Study]
#: two trials that share two of five steps
FORK = [{"lr": hippo.Piecewise([0.1, 0.2], [2]), "n": 1}, {"lr": hippo.Piecewise([0.1, 0.3], [2]), "n": 1}]


def rows(file: Path) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = pq.read_table(file).to_pylist()
    return read


def test_trials_metrics_and_stages_are_all_that_the_study_says(make_study: MakeStudy, tmp_path: Path) -> None:
    study = make_study()
    study.optimize(hippo.GridSearch([*FORK, {"lr": 0.5, "n": 2}], until=5))
    files = study.to_parquet(tmp_path / "tables")
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == [
        "metrics.parquet",
        "stages.parquet",
        "trials.parquet",
    ]
    trials, metrics = rows(files["trials"]), rows(files["metrics"])
    for row, trial in zip(trials, study.trials, strict=True):
        assert (row["number"], row["state"], row["step"], row["until"]) == (trial.number, "COMPLETE", 5, 5)
        assert (row["value"], row["metrics_loss"]) == (trial.value, trial.metrics["loss"])
        assert Config.from_json(json.loads(row["config"])) == trial.config
        assert row["params_lr"] == str(trial.params["lr"])  # a column of numbers and texts is one of texts
        assert row["params_n"] == trial.params["n"]
        for event, told in (("evaluate", trial.history), ("train", trial.train_metrics)):
            own = [each for each in metrics if (each["trial"], each["event"]) == (trial.number, event)]
            assert {(each["step"], each["name"]): each["value"] for each in own} == {
                (step, name): value for step, known in told.items() for name, value in known.items()
            }
    stages = [(row["parent"], row["start"], row["stop"], row["trials"]) for row in rows(files["stages"])]
    assert stages == [(row.parent, row.start, row.stop, list(row.trials)) for row in study.tree()]
    assert len(stages) == 4


def test_each_seed_has_metrics_of_its_own(make_study: MakeStudy, tmp_path: Path) -> None:
    study = make_study(seeds=[0, 3])
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    files = study.to_parquet(tmp_path)
    (row,) = rows(files["trials"])
    assert row["value"] == study.best_value
    losses = {(r["member"], r["step"]): r["value"] for r in rows(files["metrics"]) if r["name"] == "loss"}
    each = {one.member: one.history for one in study.trials[0].replicates}
    assert losses == {(m, step): known["loss"] for m, history in each.items() for step, known in history.items()}
    assert {r["member"] for r in rows(files["stages"])} == {"seed 0", "seed 3"}


def test_a_study_without_trials_and_one_with_failures_are_tables_as_well(make_study: MakeStudy, tmp_path: Path) -> None:
    study = make_study(trainer_args={"raise_in": "train", "raise_if": {"lr": 0.2}})
    files = study.to_parquet(tmp_path)
    assert [rows(file) for file in files.values()] == [[], [], []]
    empty = pq.read_schema(files["trials"])
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=2))
    assert study.to_parquet(tmp_path) == files
    full = pq.read_schema(files["trials"])
    assert {name: full.field(name).type for name in empty.names} == dict(zip(empty.names, empty.types, strict=True))
    good, failed = rows(files["trials"])
    assert (good["state"], good["error"], failed["state"]) == ("COMPLETE", "", "FAIL")
    assert "Traceback" in failed["traceback"]
    assert failed["value"] is None


def test_whole_numbers_beyond_those_of_floats_are_not_rounded(make_study: MakeStudy, tmp_path: Path) -> None:
    study = make_study()
    numbers = [2**64 - 59, 2**70, 10**400]
    others = (1, 2.5, 2**53 + 1)
    configs = [{"lr": 0.1, "n": n, "m": m} for n, m in zip(numbers, others, strict=True)]
    study.optimize(hippo.GridSearch(configs, until=1))
    trials = rows(study.to_parquet(tmp_path)["trials"])
    assert [row["params_n"] for row in trials] == [str(n) for n in numbers]
    assert [row["params_m"] for row in trials] == ["1", "2.5", str(2**53 + 1)]
    study = make_study("exact")
    study.optimize(hippo.GridSearch([{"lr": 0.1, "n": n} for n in (2**70, 2**53)], until=1))
    assert [row["params_n"] for row in rows(study.to_parquet(tmp_path)["trials"])] == [float(2**70), float(2**53)]


def test_a_metric_may_be_a_whole_number_that_no_float_has(make_study: MakeStudy, tmp_path: Path) -> None:
    study = make_study(trainer_args={"bad_metric": 2**60 + 1})
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    files = study.to_parquet(tmp_path)
    assert [row["value"] for row in rows(files["metrics"]) if row["event"] == "evaluate"] == [float(2**60)] * 2
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in files.values())


def test_many_rows_are_written_in_parts(make_study: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hippo.study.results.parquet._ROWS_AT_ONCE", 1)
    study = make_study()
    study.optimize(hippo.GridSearch(FORK, until=3))
    file = study.to_parquet(tmp_path)["metrics"]
    assert pq.ParquetFile(file).num_row_groups >= 2
    assert len(rows(file)) == sum(
        len(m) for t in study.trials for m in [*t.history.values(), *t.train_metrics.values()]
    )


def test_pandas_and_polars_read_them(make_study: MakeStudy, tmp_path: Path) -> None:
    study = make_study()
    study.optimize(hippo.GridSearch(FORK, until=3))
    files = study.to_parquet(tmp_path)
    last = {trial.number: trial.value for trial in study.trials}
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.read_parquet(files["metrics"])
    loss = frame[(frame["name"] == "loss") & (frame["step"] == 3)]
    assert dict(zip(loss["trial"], loss["value"], strict=True)) == last
    polars = pytest.importorskip("polars", reason="polars is not installed: 170 MB, so CI does not install it")
    table = polars.read_parquet(files["metrics"]).filter((polars.col("name") == "loss") & (polars.col("step") == 3))
    assert dict(zip(table["trial"], table["value"], strict=True)) == last


def test_what_cannot_be_written_is_said(make_study: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study()
    (tmp_path / "file").touch()
    with pytest.raises(HippoError, match="cannot be written: File exists"):
        study.to_parquet(tmp_path / "file")
    with pytest.raises(ValueError, match="folder must be a path"):
        study.to_parquet(3)  # type: ignore[arg-type]
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hippo-tune\[parquet\]'"):
        study.to_parquet(tmp_path)
