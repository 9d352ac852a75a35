"""Branches of an exact path on a CUDA device that are walked as lanes, from the path's own state on."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch import nn

import hippo
from hippo.testing.remembering_host import along, spec_of
from hippo.testing.torch_trainers import BlobsTrainer

pytestmark = pytest.mark.slow


class OnDevice(BlobsTrainer):
    """Trains on the device, with dropout there."""

    device = "cuda"

    def make_model(self) -> nn.Module:
        return nn.Sequential(super().make_model(), nn.Dropout(0.1))


def test_branches_as_lanes_leave_the_path_what_it_is_alone(tmp_path: Path) -> None:
    study = hippo.create_study(
        "branches", trainer=OnDevice, storage=f"sqlite:///{tmp_path}/branches.db", checkpoints=f"{tmp_path}/states",
        engine=hippo.InlineEngine(), metric="loss", mode="min",
    )  # fmt: skip
    space = {"lr": hippo.loguniform(1e-4, 0.5)}
    study.optimize(hippo.MLTuner(space, 60, check_every=20, together=16, max_live=32, branches="fused"))
    (path,) = [trial for trial in study.trials if trial.state is hippo.TrialState.COMPLETE]
    alone = along(path.config, path.step, spec=spec_of(OnDevice))
    assert path.history[path.step] == alone.metrics[path.step]
    assert study.branch_trials
    assert study.statistics().mean_lanes > 2
    study.close()
