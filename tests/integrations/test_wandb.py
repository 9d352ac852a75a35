"""Studies in offline runs of the newest W&B, read back as `wandb sync` reads them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import HippoError, MissingExtraError, OptionError
from hippo.testing.trainers import ToyTrainer

wandb = pytest.importorskip("wandb", reason="W&B is not installed: pip install 'hippo-tune[wandb]'")

MakeStudy = Callable[..., hippo.Study]
#: two trials that share two of five steps
FORK = [{"lr": hippo.Piecewise([0.1, 0.2], [2])}, {"lr": hippo.Piecewise([0.1, 0.3], [2])}]
pytestmark = pytest.mark.slow


@dataclass
class Written:
    """What a file of an offline run says."""

    id: str = ""
    group: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    summary: dict[str, Any] = field(default_factory=dict)
    exit_code: int | None = None

    def curve(self, name: str) -> list[tuple[int, float]]:
        return [(row["step"], row[name]) for row in self.rows if name in row]


def records_of(data: bytes) -> Iterator[bytes]:
    """Yield the records of a file: blocks of 32 KiB, in which a record is 7 bytes of header before each part of it."""
    at, whole = 7, b""  # after the file's own header
    while at + 7 <= len(data):
        if 0x8000 - at % 0x8000 < 7:  # no room for a header: the rest of a block is padding
            at += 0x8000 - at % 0x8000
            continue
        length, part = int.from_bytes(data[at + 4 : at + 6], "little"), data[at + 6]
        if at + 7 + length > len(data):  # it is being written
            return
        whole += data[at + 7 : at + 7 + length]
        at += 7 + length
        if part in (1, 4):  # the only part, or the last one
            yield whole
            whole = b""


def written(folder: Path) -> dict[str, Written]:
    """Return the runs in a folder, by name, when W&B's own process has written them to their ends."""
    for _ in range(900):
        runs = read(folder)
        if len(runs) == len(list(folder.glob("wandb/offline-run-*"))) and all(
            run.exit_code is not None for _, run in runs
        ):
            break
        time.sleep(0.1)
    assert len({name for name, _ in runs}) == len(runs), "a run is there twice"
    return dict(runs)


def read(folder: Path) -> list[tuple[str, Written]]:
    from wandb.proto import wandb_internal_pb2

    runs = []
    for file in folder.glob("wandb/offline-run-*/*.wandb"):
        run, name = Written(), ""
        for data in records_of(file.read_bytes()):
            record = wandb_internal_pb2.Record.FromString(data)
            if record.HasField("run") and record.run.display_name:
                name, run.id, run.group = record.run.display_name, record.run.run_id, record.run.run_group
                run.config |= {item.key: json.loads(item.value_json) for item in record.run.config.update}
            if record.HasField("history"):
                items = {".".join(item.nested_key) or item.key: item.value_json for item in record.history.item}
                run.rows.append({key: json.loads(text) for key, text in items.items()})
            if record.HasField("summary"):
                for item in record.summary.update:
                    run.summary[".".join(item.nested_key) or item.key] = json.loads(item.value_json)
            if record.HasField("exit"):
                run.exit_code = record.exit.exit_code
        runs.append((name, run))
    return runs


class Counting(ToyTrainer):
    """Tells how far it is by its own count."""

    def evaluate(self) -> dict[str, Any]:
        return {**super().evaluate(), "step": 100 * self.steps}


def test_a_metric_that_is_called_step_moves_no_curve(make_study: MakeStudy, tmp_path: Path) -> None:
    study = make_study(trainer=Counting, callbacks=[hippo.WandB(tmp_path)])
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    (run,) = written(tmp_path).values()
    assert run.curve("loss") == [(step, metrics["loss"]) for step, metrics in study.trials[0].history.items()]
    assert run.curve("metrics/step") == [(1, 100), (2, 200), (3, 300)]


def test_trials_are_runs_of_their_study_s_group_that_are_linked_where_they_share(
    make_study: MakeStudy, tmp_path: Path
) -> None:
    places = {"storage": f"sqlite:///{tmp_path}/h.db", "checkpoints": str(tmp_path / "s")}
    for turn in range(2):  # run again, the script writes the same runs anew
        study = make_study(callbacks=[hippo.WandB(tmp_path)], **places)
        study.optimize(hippo.GridSearch(FORK, until=5))
        runs = written(tmp_path)
        assert sorted(runs) == ["toy/0", "toy/1"], turn
        child, parent = sorted(runs, key=lambda name: "hippo/parent" not in runs[name].summary)
        assert runs[child].summary["hippo/parent"] == runs[parent].id
        assert runs[child].summary["hippo/fork_step"] == 2
        for name, first in ((parent, 1), (child, 3)):
            trial, run = study.trials[int(name[-1])], runs[name]
            assert run.curve("loss") == [(s, m["loss"]) for s, m in trial.history.items() if s >= first]
            assert run.curve("hparams/lr") == [(s, trial.config.lr(s - 1)) for s in range(first, 6)]
            assert run.config["lr"] == trial.params["lr"]
            assert run.config["hippo"]["trial"] == trial.number
            assert (run.group, run.summary["hippo/state"], run.exit_code) == ("toy", "COMPLETE", 0)


def test_a_failed_trial_is_a_crashed_run_and_a_second_try_replaces_it(make_study: MakeStudy, tmp_path: Path) -> None:
    study = make_study(callbacks=[hippo.WandB(tmp_path)], trainer_args={"raise_in": "train", "raise_if": {"lr": 0.2}})
    grid = hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=2)
    study.optimize(grid)
    study.retry_failed()
    study.optimize(grid)
    run = written(tmp_path)["toy/1"]
    assert run.exit_code == 1
    assert run.summary["hippo/failure"].startswith("train() at step 1: ValueError")


def test_a_run_says_where_its_own_study_is_also_beside_others(make_study: MakeStudy, tmp_path: Path) -> None:
    log = hippo.WandB(tmp_path / "runs")
    studies = [
        hippo.create_study(
            name, trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/{name}.db", checkpoints=str(tmp_path / name),
            metric="loss", mode="min", engine=hippo.InlineEngine(), callbacks=[log],
        )
        for name in ("a", "b")
    ]  # fmt: skip
    for study in (*studies, studies[0]):
        study.evaluate({"lr": 0.1 * (1 + len(study.trials))}, until=1)
    for study in studies:
        study.close()
    runs = written(tmp_path / "runs")
    told = {name: run.config["hippo"]["storage"].rpartition("/")[2] for name, run in runs.items()}
    assert told == {"a/0": "a.db", "b/0": "b.db", "a/1": "a.db"}


def test_wrong_arguments_and_a_missing_package_are_said_before_anything_is_trained(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(OptionError, match="WandB: project must be a text"):
        hippo.WandB(tmp_path, project="")
    with pytest.raises(TypeError, match="`wandb sync` sends them"):
        hippo.WandB(tmp_path, mode="online")  # type: ignore[call-arg]
    (tmp_path / "file").touch()
    with pytest.raises(HippoError, match="cannot be written: File exists"):
        hippo.WandB(tmp_path / "file")
    monkeypatch.setitem(__import__("sys").modules, "wandb", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hippo-tune\[wandb\]'"):
        hippo.WandB(tmp_path)
