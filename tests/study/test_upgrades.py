"""Packages that were upgraded between two runs are named: nobody else would notice."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

import hippo
from hippo.testing.trainers import ToyTrainer
from hippo.training import fingerprint
from hippo.training.process.environment import package_versions

SAID = "what its trainer imports has another version, mylib from 0.1 to 0.2."


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def create(packages: dict[str, str], name: str = "s", **options: str) -> str:
        monkeypatch.setattr(sys.modules[fingerprint.__module__], "package_versions", lambda names: packages)
        hippo.create_study(
            name, trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/hippo.db", metric="loss", mode="min", **options
        )
        return capsys.readouterr().err

    return create


def test_an_upgrade_is_said_once(opened) -> None:  # type: ignore[no-untyped-def]
    said = [opened({"mylib": version, "other": "1.0"}) for version in ("0.1", "0.1", "0.2", "0.2")]
    assert [SAID in each for each in said] == [False, False, True, False]
    assert "version='mylib 0.2') begins a new generation" in said[2]


def test_it_is_said_of_a_new_study_on_the_same_plan(opened) -> None:  # type: ignore[no-untyped-def]
    opened({"mylib": "0.1"})
    assert SAID in opened({"mylib": "0.2"}, "another")


def test_whoever_says_the_version_of_his_code_hears_nothing(opened) -> None:  # type: ignore[no-untyped-def]
    said = [opened({"mylib": version}, version="mine") for version in ("0.1", "0.2")]
    assert SAID not in said[1]


def test_what_was_not_imported_before_is_no_upgrade(opened) -> None:  # type: ignore[no-untyped-def]
    opened({})
    opened({"mylib": "0.1"})
    assert "imports has another version" not in opened({"other": "0.2"})


def test_versions_are_those_of_installed_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("called_otherwise")
    module.__version__ = "3"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "called_otherwise", module)
    found = package_versions({"json", "torch", "numpy", "hippo", "no_such_module", "pytest", "called_otherwise"})
    assert found == {"pytest": pytest.__version__, "called_otherwise": "3"}
