"""User-made sequences through real studies: whose code changed, or is not to be had, and what they do to others."""

from __future__ import annotations

import contextlib
import importlib
import linecache
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import HparamError
from hippo.testing.trainers import ToyTrainer

WAVES = """
from dataclasses import dataclass
import numpy as np
import hippo
import wave_settings

TABLE = np.linspace(0.1, 0.2, 5000)

@dataclass(frozen=True)
class Wave(hippo.Sequence):
    height: float

    def value(self, t):
        return self.height * float(TABLE[2500]) * wave_settings.SCALE
"""


class Project:
    """Modules of a user's, as they are now; another version of them is what another process would find."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("wave_settings", "SCALE = 1.0")
        self.write("waves", WAVES)

    def write(self, module: str, source: str) -> None:
        (self.folder / f"{module}.py").write_text(textwrap.dedent(source))
        self.forget()

    def forget(self) -> None:
        for name in ("waves", "wave_settings"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        linecache.clearcache()

    def wave(self, height: float = 1.0) -> Any:
        return importlib.import_module("waves").Wave(height)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    made = Project(tmp_path)
    yield made
    made.forget()


def trained(folder: Path, name: str, lr: Any) -> tuple[float, int]:
    """Train a config on the one plan of a database; return the loss, and the steps that it took."""
    study = hippo.create_study(
        name,
        trainer=ToyTrainer,
        storage=f"sqlite:///{folder}/waves.db",
        checkpoints=str(folder / "checkpoints"),
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
    )
    with contextlib.closing(study):
        metrics = study.evaluate({"lr": lr}, until=2)
        return metrics["loss"], study.statistics().steps_executed


def test_a_sequence_that_is_not_to_be_had_locks_nobody_out_of_its_plan(project: Project, tmp_path: Path) -> None:
    trained(tmp_path, "with", project.wave())
    (tmp_path / "waves.py").unlink()
    project.forget()

    assert trained(tmp_path, "without", 0.3)[1] == 2


def test_a_changed_sequence_is_trained_again_on_the_plan_of_its_former_self(project: Project, tmp_path: Path) -> None:
    before, _ = trained(tmp_path, "before", project.wave())
    project.write("waves", WAVES.replace("self.height *", "0.5 * self.height *"))

    after, executed = trained(tmp_path, "after", project.wave())

    assert executed == 2
    assert after != before


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("waves", WAVES.replace("0.2, 5000)", "0.2, 5000); TABLE[2500] = 0.7")),
        ("wave_settings", "SCALE = 2.0"),
    ],
    ids=["the middle of an array", "another module"],
)
def test_what_a_sequence_depends_on_is_part_of_it(project: Project, tmp_path: Path, module: str, source: str) -> None:
    before, _ = trained(tmp_path, "before", project.wave())
    project.write(module, source)

    after, executed = trained(tmp_path, "after", project.wave())

    assert (executed, after == before) == (2, False)


def test_a_table_that_is_filled_again_makes_a_sequence_speak_up(project: Project, tmp_path: Path) -> None:
    wave = project.wave()
    trained(tmp_path, "before", wave)
    sys.modules["waves"].TABLE[2500] = 0.7  # type: ignore[attr-defined]

    with pytest.raises(HparamError, match=r"What Wave\(height=1.0\) depends on was changed after it was used first"):
        trained(tmp_path, "after", wave)
    assert trained(tmp_path, "after", project.wave())[1] == 2


def test_results_with_a_sequence_that_is_not_to_be_had_can_be_read(project: Project, tmp_path: Path) -> None:
    loss, _ = trained(tmp_path, "with", project.wave())
    (tmp_path / "waves.py").unlink()
    project.forget()

    trial = hippo.load_study("with", f"sqlite:///{tmp_path}/waves.db").trials[0]

    assert trial.value == loss
    assert "Wave" in trial.params["lr"]
    with pytest.raises(HparamError, match="class waves:Wave cannot be imported"):
        trial.config["lr"](0)


def test_a_chain_of_a_sequence_that_is_not_to_be_had_can_be_read(project: Project, tmp_path: Path) -> None:
    length = "\n    @property\n    def length(self):\n        return 1\n"
    project.write("waves", WAVES + length)
    chain = hippo.Chain(project.wave(), 0.1)
    trained(tmp_path, "with", chain)
    (tmp_path / "waves.py").unlink()
    project.forget()

    trial = hippo.load_study("with", f"sqlite:///{tmp_path}/waves.db").trials[0]

    assert "Wave" in trial.params["lr"]
    assert trial.config["lr"] == chain
    with pytest.raises(HparamError, match="cannot be evaluated"):
        trial.config["lr"](0)
    assert trained(tmp_path, "without", 0.3)[1] == 2


def test_a_file_that_was_edited_after_it_was_imported_does_not_stand_for_what_runs(
    project: Project, tmp_path: Path
) -> None:
    module = importlib.import_module("waves")
    edited = WAVES.replace("self.height *", "0.5 * self.height *")
    (tmp_path / "waves.py").write_text(edited)
    loaded, _ = trained(tmp_path, "loaded", module.Wave(1.0))
    project.write("waves", edited)

    fresh, executed = trained(tmp_path, "fresh", project.wave())

    assert (executed, fresh == loaded) == (2, False)


READER = """
import sys, hippo
trial = hippo.load_study("with", sys.argv[1]).trials[0]
assert "waves" not in sys.modules, "imported because a database says so"
print(trial.params["lr"], trial.config["lr"](0))
"""


@pytest.mark.slow
def test_reading_imports_nothing_from_the_current_folder_until_a_value_is_asked_for(
    project: Project, tmp_path: Path
) -> None:
    trained(tmp_path, "with", project.wave())
    read = subprocess.run(
        [sys.executable, "-c", READER, f"sqlite:///{tmp_path}/waves.db"], cwd=tmp_path, capture_output=True, text=True
    )
    assert read.stdout.startswith("<Wave"), read.stderr
    assert float(read.stdout.split()[-1]) == project.wave()(0)


EDITED_IN_A_LONG_PROCESS = """
import importlib, pathlib, sys, hippo
from hippo.testing.trainers import ToyTrainer
import waves

def loss_of(name, **options):
    study = hippo.create_study(
        name, trainer=ToyTrainer, engine=ENGINE, storage="sqlite:///long.db", metric="loss", mode="min", **options
    )
    study.optimize(hippo.GridSearch([{"lr": waves.Wave(1.0)}], until=2))
    trial = study.trials[0]
    return trial.error or trial.value

if __name__ == "__main__":
    ENGINE = hippo.LocalEngine(workers=1)
    first = loss_of("first")
    file = pathlib.Path("waves.py")
    file.write_text(file.read_text().replace("self.height *", "0.5 * self.height *"))
    importlib.reload(waves)
    second = loss_of("second")
    ENGINE = hippo.InlineEngine()
    third = loss_of("third", sharing=False)
    print(second != first, second == third)
"""


@pytest.mark.slow
def test_workers_that_imported_the_former_code_train_by_the_new_one(project: Project, tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text(EDITED_IN_A_LONG_PROCESS)
    ran = subprocess.run([sys.executable, "-B", "long.py"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.stdout.split() == ["True", "True"], ran.stdout + ran.stderr
