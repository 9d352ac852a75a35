"""`hippo trials`, `logs`, `rename`, `delete` and `retry`: single trials, and what changes a study."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.cli.app import exit_code

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def storage(left: Path, tmp_path: Path) -> str:
    """A copy of the database that studies have left, which a test may change."""
    for path in left.glob("hippo.db*"):
        shutil.copy(path, tmp_path)
    return f"sqlite:///{tmp_path}/hippo.db"


def shown(capsys: Capture, *arguments: str, form: str | None = None) -> str:
    assert exit_code([*arguments, *([] if form is None else ["--format", form])]) == 0
    return capsys.readouterr().out


def test_trials_have_step_seconds_and_error(capsys: Capture, storage: str) -> None:
    fine, failed = json.loads(shown(capsys, "trials", "toy", "--storage", storage, form="json"))
    assert list(fine) == ["number", "state", "step", "value", "params_batch_size", "params_lr", "seconds", "error"]
    assert (fine["step"], fine["error"], fine["params_lr"]) == (4, "", 0.010000000000000002)
    assert failed["error"] == "train() at step 3: ValueError: told to raise in train after 2 steps"
    assert failed["seconds"] > 0


def test_people_see_six_digits_and_real_names(capsys: Capture, storage: str) -> None:
    table = shown(capsys, "trials", "toy", "--storage", storage)
    assert " batch_size " in table
    assert "0.01 " in table
    assert "0.0100000" not in table
    assert "0.0100000" not in shown(capsys, "tree", "toy", "--storage", storage)


@pytest.mark.parametrize("command", [["trials"], ["best"], ["tree"], ["logs", "0"], ["studies"]])
def test_names_and_values_that_look_like_markup_are_shown_as_they_are(
    capsys: Capture, storage: str, command: list[str]
) -> None:
    name, *rest = command
    arguments = [] if name == "studies" else ["[bold]x[/]", *rest]
    out = shown(capsys, name, *arguments, "--storage", storage)
    assert "[bold]x[/]" in out
    assert name == "studies" or ("k[red]" in out and "[green]g[/]" in out)


def test_logs_show_values_curves_and_the_traceback(capsys: Capture, storage: str) -> None:
    out = shown(capsys, "logs", "toy", "1", "--storage", storage)
    assert out.startswith("trial 1 of toy: FAIL\nanswered after 0 of 4 steps")
    assert "  lr = 0.2\n" in out
    assert "metrics_loss" in out
    assert "train_slope" in out
    assert "Traceback (most recent call last):" in out
    assert out.rstrip().endswith("ValueError: told to raise in train after 2 steps")


def test_logs_for_programs_are_exact(capsys: Capture, storage: str) -> None:
    trial = hippo.load_study("toy", storage).trials[0]
    told = json.loads(shown(capsys, "logs", "toy", "best", "--storage", storage, form="json"))
    assert (told["number"], told["value"], told["traceback"]) == (0, trial.value, "")
    expected = [
        {
            "step": step,
            **{f"metrics_{name}": value for name, value in trial.history[step].items()},
            **{f"train_{name}": value for name, value in trial.train_metrics[step].items()},
        }
        for step in range(1, 5)
    ]
    assert told["steps"] == expected
    rows: list[dict[str, Any]] = list(
        csv.DictReader(io.StringIO(shown(capsys, "logs", "toy", "0", "--storage", storage, form="csv")))
    )
    assert [float(row["metrics_loss"]) for row in rows] == [step["metrics_loss"] for step in expected]


def test_a_study_is_renamed_with_all_that_it_has(capsys: Capture, storage: str) -> None:
    assert exit_code(["rename", "toy", "mine", "--storage", storage]) == 0
    assert "change its name in the script" in capsys.readouterr().err
    assert hippo.get_all_study_names(storage) == ["mine", "[bold]x[/]", "empty", "two"]
    assert len(hippo.load_study("mine", storage).trials) == 2


def test_a_script_goes_on_with_a_study_under_its_new_name(tmp_path: Path) -> None:
    def run(name: str) -> hippo.Study:
        study = hippo.create_study(
            name,
            trainer="hippo.testing.trainers:ToyTrainer",
            storage=f"sqlite:///{tmp_path}/hippo.db",
            checkpoints=str(tmp_path / "states"),
            engine=hippo.InlineEngine(),
        )
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
        study.close()
        return study

    run("before")
    hippo.rename_study("before", "after", f"sqlite:///{tmp_path}/hippo.db")
    again = run("after")
    assert (again.generation, len(again.trials), again.statistics().steps_executed) == (1, 1, 3)


def test_a_study_is_deleted_once_that_was_confirmed(capsys: Capture, storage: str) -> None:
    assert exit_code(["delete", "toy", "--yes", "--storage", storage]) == 0
    assert "what was trained stays" in capsys.readouterr().err
    assert "toy" not in hippo.get_all_study_names(storage)


def test_failed_trials_are_given_to_the_study_to_be_tried_again(
    capsys: Capture, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []
    monkeypatch.setattr(hippo.Study, "retry_failed", lambda study: called.append(study.name) or [1])
    assert exit_code(["retry", "toy", "--storage", storage]) == 0
    assert "1 failed trial is tried again" in capsys.readouterr().err
    assert exit_code(["retry", "two", "--storage", storage]) == 0
    assert called == ["toy"]


@pytest.mark.slow
def test_python_m_hippo_is_hippo(storage: str) -> None:
    command = [sys.executable, "-m", "hippo", "best", "toy", "--storage", storage, "--format", "json"]
    assert json.loads(subprocess.run(command, capture_output=True, check=True).stdout)[0]["number"] == 0


def test_nothing_to_show_says_what_there_is_none_of(capsys: Capture, storage: str, tmp_path: Path) -> None:
    assert shown(capsys, "trials", "empty", "--storage", storage) == "study 'empty' has no trial yet\n"
    assert shown(capsys, "tree", "empty", "--storage", storage) == "study 'empty' has no trial yet\n"
    hippo.create_study("gone", trainer="hippo.testing.trainers:ToyTrainer", storage=f"sqlite:///{tmp_path}/none.db")
    hippo.delete_study("gone", f"sqlite:///{tmp_path}/none.db")
    said = shown(capsys, "studies", "--storage", f"sqlite:///{tmp_path}/none.db")
    assert said == "there is no study yet in this database\n"


def test_an_earlier_generation_can_be_looked_at(capsys: Capture, tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/hippo.db"
    for version, lrs in (("1", [0.1, 0.2]), ("2", [0.3])):
        study = hippo.create_study(
            "toy",
            trainer="hippo.testing.trainers:ToyTrainer",
            storage=storage,
            checkpoints=str(tmp_path / "states"),
            engine=hippo.InlineEngine(),
            version=version,
        )
        study.optimize(hippo.GridSearch([{"lr": lr} for lr in lrs], until=2))
        study.close()
    capsys.readouterr()
    for options, lrs in (([], [0.3]), (["--generation", "1"], [0.1, 0.2])):
        told = json.loads(shown(capsys, "trials", "toy", "--storage", storage, *options, form="json"))
        assert [row["params_lr"] for row in told] == lrs
    assert json.loads(shown(capsys, "logs", "toy", "1", "--generation", "1", "--storage", storage, form="json"))[
        "steps"
    ]


def test_a_trial_that_came_to_nan_is_not_said_to_be_tried_again(capsys: Capture, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    study = hippo.create_study(
        "nan", trainer="hippo.testing.trainers:ToyTrainer", trainer_args={"nan_at": 2}, storage=url, metric="loss",
        mode="min", checkpoints=str(tmp_path / "states"), engine=hippo.InlineEngine(),
    )  # fmt: skip
    with pytest.raises(hippo.errors.TrialFailedError, match=r"trial 0.* NaN .* shows where\.$"):
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    study.close()
    assert exit_code(["retry", "nan", "--storage", url]) == 0
    said = capsys.readouterr().err
    assert "tried again" not in said
    assert "1 trial was trained and stays failed: an objective is NaN" in said


def test_files_of_studies_are_other_ones_where_their_names_are(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    url, names = f"sqlite:///{tmp_path}/hippo.db", ["漢字", "日本", "a b", "a_b", "long" * 60]
    for name in names:
        made = hippo.create_study(name, trainer="hippo.testing.trainers:ToyTrainer", storage=url, metric="loss",
                                  mode="min", checkpoints=str(tmp_path / "s"), engine=hippo.InlineEngine())  # fmt: skip
        made.optimize(hippo.GridSearch([{"lr": 0.1}], until=1))
        made.close()
        assert exit_code(["plot", "savings", name, "--storage", url]) == 0
    files = capsys.readouterr().out.split()
    assert files[0] == "漢字-savings.html"
    assert files[3] == "a_b-savings.html"
    assert len({*files}) == len([*tmp_path.glob("*.html")]) == len(names)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_output_that_is_closed_is_no_error(storage: str, form: str) -> None:
    line = f'{sys.executable} -m hippo trials toy --format {form} --storage "{storage}" >&-'
    ended = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.slow
def test_signs_that_the_output_cannot_write_are_told_apart_and_no_program_reads_others(
    storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hippo.rename_study("toy", "漢字", storage)
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    command = [sys.executable, "-m", "hippo", "studies", "--storage", storage, "--format"]
    table, rows = (subprocess.run([*command, form], capture_output=True, text=True) for form in ("table", "csv"))
    assert table.returncode == 0
    assert r"\u6f22\u5b57" in table.stdout
    assert rows.returncode == 1
    assert r"has no '\u6f22\u5b57'; PYTHONIOENCODING=utf-8 writes it" in rows.stderr
