"""Two studies of one plan fail of one failure; when one of them takes it back, the other one hears of it as well."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.testing.trainers import ToyTrainer

CONFIGS = [{"lr": 0.1}, {"lr": 0.2}, {"lr": 0.3}]


class Mended(ToyTrainer):
    """Raises at two learning rates until somebody mends it, and is NaN in the end at a third."""

    def train(self) -> Any:
        if "MENDED" not in os.environ and (self.hp["lr"], self.steps) in ((0.1, 1), (0.2, 3)):
            raise RuntimeError("no file")
        return super().train()

    def evaluate(self) -> dict[str, Any]:
        return {**super().evaluate(), **({"loss": math.nan} if self.hp["lr"] == 0.3 and self.steps == 4 else {})}


def run(name: str, folder: Path, configs: Any = CONFIGS) -> hippo.Study:
    study = hippo.create_study(
        name, trainer=Mended, storage=f"sqlite:///{folder}/hippo.db", checkpoints=f"{folder}/states",
        engine=hippo.InlineEngine(), metric="loss", mode="min",
    )  # fmt: skip
    study.optimize(hippo.GridSearch([*configs, {"lr": 0.4}], until=4))
    return study


def states(study: hippo.Study) -> list[str]:
    return [trial.state.value for trial in study.trials]


@pytest.fixture
def failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two studies failed, and since then one of them was tried again and came to its end."""
    run("first", tmp_path)
    study = run("second", tmp_path, CONFIGS[1:])
    assert states(study) == ["FAIL", "FAIL", "COMPLETE"]
    monkeypatch.setenv("MENDED", "1")
    assert study.retry_failed() == [0]
    assert states(run("second", tmp_path, CONFIGS[1:])) == ["COMPLETE", "FAIL", "COMPLETE"]
    return tmp_path


def test_a_trial_whose_failure_another_study_took_back_is_what_its_tuner_is_told(failed: Path) -> None:
    study = run("first", failed)
    assert states(study) == ["FAIL", "COMPLETE", "FAIL", "COMPLETE"]
    assert study.trials[1].error == ""
    assert study.statistics().steps_repeated == 0


def test_a_trial_whose_failure_another_study_took_back_is_tried_again(failed: Path) -> None:
    study = hippo.load_study("first", f"sqlite:///{failed}/hippo.db")
    assert study.retry_failed() == [0, 1]
    assert states(run("first", failed)) == ["COMPLETE", "COMPLETE", "FAIL", "COMPLETE"]
