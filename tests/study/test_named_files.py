"""Files that trainer_args name, and that change between two runs, are named: nobody else would notice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.study.identity.named_files import named_files
from hippo.testing.trainers import ToyTrainer

SAID = "which trainer_args name, holds something else than when this was trained before"
Open = Callable[..., str]


class Configured(ToyTrainer):
    """Takes the names of files."""

    def __init__(self, config: Any = None) -> None:
        super().__init__()
        self.config = config


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Open:
    """Open a study whose trainer's arguments name a file with this text; return what is said."""
    monkeypatch.chdir(tmp_path)

    def create(text: str, name: str = "s", config: Any = "c.yaml", **options: Any) -> str:
        Path("c.yaml").write_text(text)
        options = {"trainer_args": {"config": config}, "metric": "loss", "mode": "min", **options}
        hippo.create_study(name, trainer=Configured, storage=f"sqlite:///{tmp_path}/hippo.db", **options)
        return capsys.readouterr().err

    return create


@pytest.mark.parametrize("config", ["c.yaml", {"files": ["no such file", "c.yaml"]}])
def test_a_file_that_changed_is_said_once(opened: Open, config: Any) -> None:
    said = [opened(text, config=config) for text in ("lr: 1", "lr: 1", "lr: 2", "lr: 2")]
    assert [SAID in each for each in said] == [False, False, True, False]
    assert "study 's': c.yaml, which" in said[2]
    assert "version='c.yaml " in said[2]


def test_it_is_said_of_a_new_study_on_the_same_plan(opened: Open) -> None:
    opened("lr: 1")
    assert SAID in opened("lr: 2", "another")


@pytest.mark.parametrize("data", ["train.npz", "weights.pt", "table.csv.gz"])
def test_a_file_of_data_that_changed_is_said_as_one_of_settings_is(opened: Open, data: str) -> None:
    said = []
    for content in (b"1", b"1", b"2"):
        Path(data).write_bytes(content)
        said.append(opened("lr: 1", config={"data": data}))
    assert [SAID in each for each in said] == [False, False, True]


@pytest.mark.parametrize("option", ["version", "dataset"])
def test_whoever_names_what_is_in_it_hears_nothing(opened: Open, option: str) -> None:
    said = [opened(text, **{option: text}) for text in ("lr: 1", "lr: 2")]
    assert SAID not in said[1]


def test_it_is_said_again_under_a_version_that_stays(opened: Open) -> None:
    said = [opened(text, version="c.yaml f71998") for text in ("lr: 1", "lr: 2")]
    assert SAID in said[1]


def test_of_large_files_beginning_length_and_end_are_looked_at(tmp_path: Path) -> None:
    file, found = tmp_path / "large.json", set[str]()
    large = bytes(3 << 20)
    for content in (large, large + b"0", b"1" + large[1:], large[:-1] + b"1"):
        file.write_bytes(content)
        found |= set(named_files([str(file)]).values())
    assert len(found) == 4


@pytest.mark.parametrize("name", ["train.log", "metrics.csv", "log"])
def test_of_what_training_itself_may_write_nothing_is_said(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("step 1")
    assert named_files({"log": str(tmp_path / name)}) == {}


@pytest.mark.parametrize("text", ["", "a\0b.json", "x" * 5000 + ".json", ".", "x" * 300 + ".json", 3, None])
def test_what_names_no_file_is_passed_over(text: Any) -> None:
    assert named_files({"a": text}) == {}
