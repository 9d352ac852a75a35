"""Hydro's names on hippo."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import TensorDataset

import hippo
from hippo.errors import HippoError
from hippo.integrations.hydro import Tuner
from hippo.records import TrialState

SPACE = {"lr": hippo.loguniform(1e-3, 1.0)}
WHERE = {"storage": "memory://", "checkpoints": "memory://"}


class Net(hippo.TorchTrainer):
    min_width = 2
    device = "cpu"
    default_batch_size = 16

    def make_model(self) -> nn.Module:
        width = self.scaled(32)
        return nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, 2))

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=self.hp["lr"])

    def train_set(self) -> Any:
        points = torch.randn(32, 4, generator=torch.Generator().manual_seed(1))
        return TensorDataset(points, (points.sum(1) > 0).long())

    val_set = train_set

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return nn.functional.cross_entropy(model(batch[0]), batch[1])


def made(**options: Any) -> Tuner:
    given = {"metric": "loss", "mode": "min", "max_t": 3, "num_samples": 4, **options}
    return Tuner(Net, given.pop("param_space", SPACE), **WHERE, engine=hippo.InlineEngine(), **given)


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["none", "asha"])
def test_a_model_is_tuned_narrow_and_trained_wide(scheduler: str) -> None:
    study = made(scheduler=scheduler, name=scheduler).fit()
    assert len(study.surrogates[8].trials) == 4
    assert study.surrogates[8].best_trial.load_model()[0].weight.shape == (4, 4)
    assert study.best_trial.load_model()[0].weight.shape == (32, 4)
    assert (study.best_trial.state, study.best_trial.step) == (TrialState.COMPLETE, 3)
    study.close()


def test_it_is_fused_unless_told_otherwise_and_a_grid_is_a_grid() -> None:
    tuner = made(param_space={"lr": [0.1, 0.2]}, num_samples=None, name="grid")
    assert tuner.study._opened.members.target_workload.numerics == "fused"
    assert isinstance(tuner.tuner.tuner, hippo.GridSearch)
    assert made(numerics="exact", name="exact").study._opened.members.target_workload.numerics == "exact"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scheduler": "pbt"}, "scheduler must be one of ['none', 'asha'], not 'pbt'"),
        ({"num_samples": None}, "say how many configs to take: num_samples=..."),
        ({"param_space": {"lr": [0.1]}}, "num_samples=4: of a grid every config is trained"),
        ({"scaling": 1}, "scale=1 is neither a whole number of at least 2"),
        ({"max_t": 0}, "until must be at least 1, not 0"),
        ({"metric": "speed", "mode": None}, "metric='speed' needs a mode"),
    ],
)
def test_what_it_cannot_take_is_refused_before_anything_is_trained(options: dict[str, Any], words: str) -> None:
    with pytest.raises(HippoError) as raised:
        made(**options)
    assert words in str(raised.value)
