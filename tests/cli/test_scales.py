"""Commands about a study with surrogates: the target's trials, or, with --scale, those of surrogates."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.cli.app import exit_code

Capture = pytest.CaptureFixture[str]

#: the last one fails on its surrogate
CONFIGS = [{"lr": 0.1}, {"lr": 0.2}, {"lr": 0.9}]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scales")
    study = hippo.create_study(
        "narrow",
        trainer="hippo.testing.tuner_contract:RiskyTrainer",
        trainer_args={"trouble": "fail"},
        metric="loss",
        mode="min",
        storage=f"sqlite:///{folder}/hippo.db",
        checkpoints=str(folder / "states"),
        engine=hippo.InlineEngine(),
    )
    study.optimize(hippo.Surrogate(hippo.GridSearch(CONFIGS, until=3)))
    study.close()
    return folder


@pytest.fixture
def storage(made: Path, tmp_path: Path) -> str:
    for path in made.glob("hippo.db*"):
        shutil.copy(path, tmp_path)
    return f"sqlite:///{tmp_path}/hippo.db"


def told(capsys: Capture, storage: str, *arguments: str) -> Any:
    assert exit_code([*arguments, "--storage", storage, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(("scale", "numbers"), [([], [1]), (["--scale", "1/8"], [0, 1, 2])])
def test_trials_best_and_logs_are_the_targets_unless_a_scale_is_named(
    capsys: Capture, storage: str, scale: list[str], numbers: list[int]
) -> None:
    assert [row["number"] for row in told(capsys, storage, "trials", "narrow", *scale)] == numbers
    assert [row["number"] for row in told(capsys, storage, "best", "narrow", *scale)] == [1]
    assert told(capsys, storage, "logs", "narrow", "best", *scale)["number"] == 1
    assert told(capsys, storage, "logs", "narrow", "1", *scale)["value"] is not None


def test_a_table_of_surrogates_names_their_scale(capsys: Capture, storage: str) -> None:
    assert exit_code(["trials", "narrow", "--scale", "1/8", "--storage", storage]) == 0
    assert "narrow at scale 1/8" in capsys.readouterr().out


def test_the_tree_and_the_list_of_studies_are_of_all_scales(capsys: Capture, storage: str) -> None:
    assert {row.get("member", "") for row in told(capsys, storage, "tree", "narrow")} == {"", "1/8"}
    (row,) = told(capsys, storage, "studies")
    assert (row["trials"], row["failed"], row["steps_asked"]) == (4, 1, 12)


def test_what_failed_on_a_surrogate_is_shown_by_the_line_that_was_told(capsys: Capture, storage: str) -> None:
    assert "told to fail" in told(capsys, storage, "logs", "narrow", "2", "--scale", "1/8")["traceback"]
    assert exit_code(["logs", "narrow", "2", "--storage", storage]) == 2
    assert "study 'narrow' has no trial 2; its trials are 1" in capsys.readouterr().err


def test_a_scale_that_is_not_there_is_refused_with_those_that_are(capsys: Capture, storage: str) -> None:
    assert exit_code(["trials", "narrow", "--scale", "1/4", "--storage", storage]) == 2
    assert "no surrogates at scale '1/4'; it has ['1/8']" in capsys.readouterr().err


def test_a_surrogates_weights_are_exported(capsys: Capture, storage: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    file = tmp_path / "state.pt"
    arguments = ["export", "narrow", "best", str(file), "--scale", "1/8", "--format", "state"]
    assert exit_code([*arguments, "--storage", storage]) == 0
    assert file.exists()


@pytest.mark.slow
@pytest.mark.parametrize("scale", [[], ["--scale", "1/8"]])
def test_a_trial_is_reproduced_at_its_scale(capsys: Capture, storage: str, scale: list[str]) -> None:
    row = told(capsys, storage, "reproduce", "narrow", "best", *scale)
    assert (row["is_equal"], row["member"]) == (True, "1/8" if scale else "")


def test_retry_rename_and_delete_are_of_the_whole_study(capsys: Capture, storage: str) -> None:
    assert exit_code(["retry", "narrow", "--storage", storage]) == 0
    assert exit_code(["rename", "narrow", "other", "--storage", storage]) == 0
    assert [row["state"] for row in told(capsys, storage, "trials", "other", "--scale", "1/8")][2] == "WAITING"
    assert exit_code(["delete", "other", "--yes", "--storage", storage]) == 0
    assert hippo.get_all_study_names(storage) == []
