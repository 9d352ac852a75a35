"""Which modules are the user's own: those of the trainer's package, and what lies next to it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hippo.hparams.project import Project
from hippo.training import fingerprint

FILES = {
    "side_models/__init__.py": "",
    "side_models/net.py": "from hippo.testing.trainers import ToyTrainer\nfrom side_common.layers import gain\n"
    "class Mine(ToyTrainer):\n    def train(self):\n        gain()\n        super().train()\n",
    "side_common/__init__.py": "",
    "side_common/layers.py": "def gain():\n    return 1.0\n",
    "side_config.py": "WIDTH = 1\n",
    "elsewhere/side_other.py": "WIDTH = 1\n",
    "site-packages/side_installed.py": "WIDTH = 1\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for path in ("elsewhere", "site-packages", ""):
        monkeypatch.syspath_prepend(str(tmp_path / path))
    yield tmp_path
    forget()


def forget() -> None:
    for name in [name for name in sys.modules if name.startswith("side_")]:
        del sys.modules[name]
    importlib.invalidate_caches()


def test_what_lies_next_to_a_trainers_package_is_its_project(folder: Path) -> None:
    importlib.import_module("side_models.net")
    project = Project("side_models.net")
    assert project.file("side_models.net") == folder / "side_models" / "net.py"
    assert project.file("side_common.layers") == folder / "side_common" / "layers.py"
    assert project.file("side_config") == folder / "side_config.py"
    for other in ("side_other", "side_installed", "json", "hippo.study"):
        assert project.file(other) is None


def test_a_change_next_to_a_trainers_package_changes_its_code(folder: Path) -> None:
    before = fingerprint(importlib.import_module("side_models.net").Mine)
    forget()
    (folder / "side_common" / "layers.py").write_text("def gain():\n    return 9.0\n")
    assert fingerprint(importlib.import_module("side_models.net").Mine) != before
