"""`hippo gc` and `hippo keep`: what could go is shown first, and goes when somebody says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.cli.app import exit_code
from hippo.testing.trainers import ToyTrainer

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def storage(tmp_path: Path) -> str:
    """A database with a study of three trials, whose states are kept."""
    url = f"sqlite:///{tmp_path}/hippo.db"
    study = hippo.create_study(
        "toy",
        trainer=ToyTrainer,
        storage=url,
        checkpoints=str(tmp_path / "states"),
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
    )
    study.optimize(hippo.GridSearch([{"lr": lr} for lr in (0.1, 0.2, 0.3)], until=4))
    study.close()
    return url


def states(storage: str) -> list[Path]:
    return list(Path(storage.removeprefix("sqlite:///")).parent.joinpath("states").rglob("e*-l*"))


def run(capsys: Capture, *arguments: str) -> tuple[str, str]:
    capsys.readouterr()
    assert exit_code(arguments) == 0
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_nothing_goes_before_somebody_says_so(capsys: Capture, storage: str) -> None:
    _, said = run(capsys, "keep", "toy", "best", "--storage", storage)
    assert "'toy' keeps best from now on" in said
    shown, said = run(capsys, "gc", "--storage", storage)
    assert "not kept" in shown
    assert "2 files" in said
    assert "8 steps" in said
    assert "`--yes` removes them" in said
    assert len(states(storage)) == 3
    _, said = run(capsys, "gc", "--storage", storage, "--yes")
    assert "removed 2 files" in said
    assert len(states(storage)) == 1
    _, said = run(capsys, "gc", "--storage", storage, "--yes")
    assert "there is nothing to remove" in said


def test_programs_read_bytes(capsys: Capture, storage: str) -> None:
    hippo.delete_study("toy", storage)
    size = sum(path.stat().st_size for path in states(storage))
    shown, _ = run(capsys, "gc", "--storage", storage, "--format", "json")
    rows: list[dict[str, Any]] = json.loads(shown)
    assert rows == [{"what": "not kept", "files": 3, "size": size}, {"what": "stays", "files": 0, "size": 0}]


def test_who_is_asked_and_says_no_keeps_all(capsys: Capture, storage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hippo.delete_study("toy", storage)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.confirm", lambda *_, **__: False)
    _, said = run(capsys, "gc", "--storage", storage)
    assert "nothing was removed" in said
    assert len(states(storage)) == 3


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("gc", "--budget", "much"), 2, "hippo: budget='much' is no number of bytes"),
        (("gc", "--checkpoints", "nowhere"), 1, "there is no checkpoint folder"),
        (("keep", "toy", "bests"), 2, "Did you mean 'best'?"),
        (("keep", "tyo", "best"), 2, "did you mean 'toy'?"),
    ],
)
def test_bad_input_is_one_line(
    capsys: Capture, storage: str, arguments: tuple[str, ...], code: int, words: str
) -> None:
    capsys.readouterr()
    assert exit_code([*arguments, "--storage", storage]) == code
    said = capsys.readouterr().err
    assert words.lower() in said.lower()
    assert said.count("\n") == 1


def test_a_database_that_is_not_there_is_named(capsys: Capture, tmp_path: Path) -> None:
    assert exit_code(["gc", "--storage", f"sqlite:///{tmp_path}/none.db"]) == 2
    assert "there is no database" in capsys.readouterr().err
