"""What happens to workers is told by the study that they work for, and spoils nothing."""

from __future__ import annotations

import resource
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import CheckpointError
from hippo.testing.trainers import ToyTrainer

pytestmark = pytest.mark.slow


class Leaving(ToyTrainer):
    """Calls sys.exit in its second step under a large rate."""

    def train(self) -> dict[str, float]:
        if self.steps == 1 and self.hp["lr"] == 0.5:
            sys.exit(3)
        return super().train()


class Full(ToyTrainer):
    """Meets a disk without room while the file `flag` is there."""

    def __init__(self, flag: str) -> None:
        super().__init__(size=1000)
        self.flag = flag

    def train(self) -> dict[str, float]:
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100 if Path(self.flag).exists() else hard, hard))
        return super().train()


@pytest.fixture
def make_study(tmp_path: Path) -> Iterator[Callable[..., hippo.Study]]:
    made: list[hippo.Study] = []

    def make(**options: Any) -> hippo.Study:
        place = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "checkpoints")}
        options = {"metric": "loss", "mode": "min", "engine": hippo.LocalEngine(1), "keep": "all", **options}
        made.append(hippo.create_study("trouble", **place, **options))
        return made[-1]

    yield make
    for study in made:
        study.close()


def grid(*rates: float) -> hippo.GridSearch:
    return hippo.GridSearch(hippo.GridSearchSpace({"lr": list(rates)}), until=3)


def test_a_trainer_that_calls_sys_exit_fails_its_trial_by_this_name_and_prints_no_traceback(make_study, capfd):
    study = make_study(trainer=Leaving)
    with pytest.warns(UserWarning, match="SystemExit: 3"):
        study.optimize(grid(0.1, 0.5))
    assert [trial.state.value for trial in study.trials] == ["COMPLETE", "FAIL"]
    assert "SystemExit: 3 (test_studies_in_trouble.py, line " in str(study.trials[1].error)
    assert "Traceback" not in capfd.readouterr().err


def test_one_that_calls_it_in_the_studys_own_process_ends_that_and_is_named(make_study, capfd):
    study = make_study(trainer=Leaving, engine=hippo.InlineEngine())
    with pytest.raises(SystemExit):
        study.optimize(grid(0.5))
    said = capfd.readouterr().err
    assert "the program is ended by SystemExit: 3 (test_studies_in_trouble.py, line 26, in train)" in said
    assert "stopped study 'trouble'" in said


def test_a_full_disk_stops_the_study_loses_no_worker_and_leaves_no_half_file(make_study, tmp_path):
    flag = tmp_path / "full"
    flag.touch()
    study = make_study(trainer=Full, trainer_args={"flag": str(flag)})
    with warnings.catch_warnings(action="error"), pytest.raises(CheckpointError, match="File too large"):
        study.optimize(grid(0.1, 0.5))
    assert list(tmp_path.rglob("*.part")) == []
    flag.unlink()
    study.optimize(grid(0.1, 0.5))
    assert [trial.state.value for trial in study.trials] == ["COMPLETE", "COMPLETE"]
