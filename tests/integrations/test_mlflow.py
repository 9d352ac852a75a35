"""Studies in the newest MLflow, in a database of its own."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import MissingExtraError, OptionError
from hippo.testing.trainers import ToyTrainer

mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed: pip install 'hippo-tune[mlflow]'")

MakeStudy = Callable[..., hippo.Study]
#: two trials that share two of five steps
FORK = [{"lr": hippo.Piecewise([0.1, 0.2], [2])}, {"lr": hippo.Piecewise([0.1, 0.3], [2])}]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database of MLflow's without runs: to make one takes it seconds."""
    file = tmp_path_factory.mktemp("mlflow") / "empty.db"
    mlflow.MlflowClient(f"sqlite:///{file}").search_experiments()
    return file


@pytest.fixture
def uri(empty_database: Path, tmp_path: Path) -> str:
    """Return where MLflow keeps runs, empty."""
    shutil.copy(empty_database, tmp_path / "mlflow.db")
    return f"sqlite:///{tmp_path}/mlflow.db"


class Shown:
    """What MLflow shows of an experiment, by the names of its runs."""

    def __init__(self, uri: str) -> None:
        self._client = mlflow.MlflowClient(uri)
        experiment = self._client.get_experiment_by_name("hippo")
        runs = self._client.search_runs([experiment.experiment_id])
        self.runs: dict[str, Any] = {run.info.run_name: run for run in runs}
        assert len(self.runs) == len(runs)

    def curve(self, run: str, name: str) -> list[tuple[int, float]]:
        points = self._client.get_metric_history(self.runs[run].info.run_id, name)
        return sorted((point.step, point.value) for point in points)


def test_trials_are_runs_beneath_their_study_that_are_linked_where_they_share(make_study: MakeStudy, uri: str) -> None:
    study = make_study(callbacks=[hippo.MLflow(uri)])
    study.optimize(hippo.GridSearch(FORK, until=5))
    shown = Shown(uri)
    assert sorted(shown.runs) == ["toy", "toy/0", "toy/1"]
    above = shown.runs["toy"]
    tags = {name: shown.runs[name].data.tags for name in ("toy/0", "toy/1")}
    assert {each["mlflow.parentRunId"] for each in tags.values()} == {above.info.run_id}
    assert above.data.tags["hippo.storage"].startswith("memory://")
    child, parent = sorted(tags, key=lambda name: "hippo.parent" not in tags[name])
    assert tags[child]["hippo.parent"] == shown.runs[parent].info.run_id
    assert tags[child]["hippo.fork_step"] == "2"
    for run, first in ((parent, 1), (child, 3)):
        trial = study.trials[int(run[-1])]
        assert shown.curve(run, "loss") == [(s, m["loss"]) for s, m in trial.history.items() if s >= first]
        values = trial.config.lr
        assert shown.curve(run, "hparams/lr") == [(s, values(s - 1)) for s in range(first, 6)]
        assert shown.runs[run].data.params == {"lr": trial.params["lr"]}
        assert tags[run]["hippo.state"] == "COMPLETE"
    assert {run.info.status for run in shown.runs.values()} == {"FINISHED"}


def test_a_script_that_is_run_again_adds_nothing_but_what_is_missing(
    make_study: MakeStudy, uri: str, tmp_path: Path
) -> None:
    places = {"storage": f"sqlite:///{tmp_path}/h.db", "checkpoints": str(tmp_path / "s")}
    make_study(callbacks=[hippo.MLflow(uri)], **places).optimize(hippo.GridSearch(FORK, until=3))
    before = Shown(uri)
    make_study(callbacks=[hippo.MLflow(uri)], **places).optimize(hippo.GridSearch(FORK, until=3))
    after = Shown(uri)
    assert sorted(after.runs) == sorted(before.runs)
    for run in ("toy/0", "toy/1"):
        assert after.curve(run, "loss") == before.curve(run, "loss") != []
        assert after.curve(run, "train/slope") == before.curve(run, "train/slope") != []
    lost = before.runs["toy/0"].info.run_id
    mlflow.MlflowClient(uri).delete_run(lost)  # by hand, in MLflow's own page
    make_study(callbacks=[hippo.MLflow(uri)], **places).optimize(hippo.GridSearch(FORK, until=3))
    again = Shown(uri)
    steps = {step for run in ("toy/0", "toy/1") for step, _ in again.curve(run, "loss")}
    assert steps == {1, 2, 3}
    assert again.runs["toy/0"].info.run_id != lost


def test_a_failure_and_odd_names_are_kept_as_mlflow_takes_them(make_study: MakeStudy, uri: str) -> None:
    study = make_study(
        'it\'s "odd"',
        callbacks=[hippo.MLflow(uri)],
        trainer_args={"raise_in": "train", "raise_at": 2, "raise_if": {"lr": 0.2}},
    )
    configs = [{"lr": lr, "what?": "x" * 7000} for lr in (0.1, 0.2)]
    study.optimize(hippo.GridSearch(configs, until=3))
    shown = Shown(uri)
    failed = shown.runs['it\'s "odd"/1']
    assert failed.info.status == "FAILED"
    assert failed.data.tags["hippo.failure"].startswith("train() at step 3: ValueError")
    assert "Traceback" in failed.data.tags["hippo.traceback"]
    assert failed.data.params["what_"] == "x" * 6000


class Namesakes(ToyTrainer):
    """Has metrics that MLflow would take for one."""

    def evaluate(self) -> dict[str, float]:
        return {**super().evaluate(), "a=b": 1.0, "a_b": 2.0, "c=d": 3.0}


def test_names_that_are_one_to_mlflow_are_told_apart(make_study: MakeStudy, uri: str) -> None:
    study = make_study(callbacks=[hippo.MLflow(uri)], trainer=Namesakes)
    study.optimize(hippo.GridSearch([{"lr": 0.1, "x?": 1, "x!": 2, "x_": 3, "y?": 4}], until=1))
    shown = Shown(uri)
    data = shown.runs["toy/0"].data
    assert {name: value for name, value in data.metrics.items() if name[0] in "ac"} == {
        "a_b": 2.0,
        "a_b-" + hashlib.sha256(b"a=b").hexdigest()[:6]: 1.0,
        "c_d": 3.0,
    }
    assert sorted(value for name, value in data.params.items() if name.startswith("x_")) == ["1", "2", "3"]
    assert (data.params["x_"], data.params["y_"]) == ("3", "4")


def test_a_server_that_is_not_there_is_said_and_nothing_stops(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    study = make_study(callbacks=[hippo.MLflow("http://me:secret@127.0.0.1:9")])
    study.optimize(hippo.GridSearch(FORK, until=3))
    said = capsys.readouterr().err
    assert said.count("MLflow at http://127.0.0.1:9 cannot be written to (") == 1
    assert "MLflow at http://me" not in said
    assert {trial.state.value for trial in study.trials} == {"COMPLETE"}


def test_wrong_arguments_and_a_missing_package_are_said_before_anything_is_trained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(OptionError, match="MLflow: experiment must be a text"):
        hippo.MLflow(experiment="")
    with pytest.raises(TypeError, match="it is called uri here"):
        hippo.MLflow(tracking_uri="sqlite:///x.db")  # type: ignore[call-arg]
    monkeypatch.setitem(__import__("sys").modules, "mlflow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hippo-tune\[mlflow\]'"):
        hippo.MLflow()
