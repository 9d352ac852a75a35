"""What surrogates cost stands beside what their target did, and both are all that the study spent."""

from __future__ import annotations

from pathlib import Path

import pytest

import hippo
from hippo.study.results.scale_costs import scale_costs
from hippo.testing.tuner_contract import RiskyTrainer


def test_steps_and_seconds_are_told_by_scale_and_add_up(tmp_path: Path) -> None:
    study = hippo.create_study("risky", trainer=RiskyTrainer, storage=f"sqlite:///{tmp_path}/hippo.db", metric="loss",
                               mode="min", checkpoints="memory://", engine=hippo.InlineEngine())  # fmt: skip
    grid = hippo.GridSearch([{"lr": 0.05}, {"lr": 0.1}, {"lr": 0.2}], until=4)
    study.optimize(hippo.Surrogate(grid))
    found = scale_costs(study.read())
    assert [each.scale for each in found] == ["1", "1/8"]
    target, small = found
    assert (target.trials, small.trials) == (len(study.trials), len(study.surrogates["1/8"].trials))
    assert small.steps == study.surrogates["1/8"].statistics().steps_executed > 0
    statistics = study.statistics()
    assert target.steps + small.steps == statistics.steps_executed
    spent = statistics.train_seconds + statistics.evaluate_seconds + statistics.check_seconds
    assert target.seconds + small.seconds == pytest.approx(spent + statistics.speculative_seconds)
    study.close()


def test_a_study_without_surrogates_has_no_scales(tmp_path: Path) -> None:
    study = hippo.create_study("risky", trainer=RiskyTrainer, storage=f"sqlite:///{tmp_path}/hippo.db", metric="loss",
                               mode="min", checkpoints="memory://", engine=hippo.InlineEngine())  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.05}], until=2))
    assert scale_costs(study.read()) == []
    study.close()
