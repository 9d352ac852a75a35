"""What trainers write into their optimizer, or look up there, is each lane's own, or lanes are not walked as one."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import TensorDataset

import hippo

pytestmark = pytest.mark.slow


class Net(hippo.TorchTrainer):
    dataset = "points of seeds 0 and 1"

    def points(self, seed: int, size: int) -> TensorDataset:
        points = torch.randn(size, 6, generator=torch.Generator().manual_seed(seed))
        return TensorDataset(points, (points[:, 0] * points[:, 1] > 0).long())

    def make_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 2))

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=self.hp["lr"], momentum=0.9)

    def train_set(self) -> Any:
        return self.points(0, 64)

    def val_set(self) -> Any:
        return self.points(1, 40)

    def loss(self, model: Any, batch: Any) -> torch.Tensor:
        return nn.functional.cross_entropy(model(batch[0]), batch[1])


class SettingUp(Net):
    """Writes an option in `setup`."""

    def setup(self, hp: Any) -> None:
        if "phase" in hp:
            for group in self.optimizer.param_groups:
                group["momentum"] = 0.9 if hp["phase"] == "warm" else 0.1


class Keeping(Net):
    """Keeps a value of its optimizer's in `self`."""

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        self.base_lr = self.hp["lr"]
        return super().make_optimizer(params)

    def metrics(self, model: Any, batch: Any) -> dict[str, Any]:
        return {"loss": self.loss(model, batch), "base_lr": self.base_lr}


class Telling(Net):
    """Tells of its optimizer in metrics."""

    def metrics(self, model: Any, batch: Any) -> dict[str, Any]:
        momentum = sum(float(entry["momentum_buffer"].norm()) for entry in self.optimizer.state.values())
        rate = self.optimizer.param_groups[0]["lr"]
        return {"loss": self.loss(model, batch), "lr": rate, "momentum": momentum}


class TellingOfATrunk(Telling):
    """What its trials have in common is computed once, in evaluations as well."""

    def make_model(self) -> nn.Module:
        trunk = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 16), nn.Tanh()).requires_grad_(False)
        return nn.Sequential(trunk, nn.Linear(16, 2))

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return super().make_optimizer([each for each in params if each.requires_grad])

    def metrics(self, model: Any, batch: Any) -> dict[str, Any]:
        return {"loss": self.loss(model, batch), "lr": self.optimizer.param_groups[0]["lr"]}


def study_of(trainer: type[hippo.Trainer], numerics: str, configs: list[Any], until: int = 5) -> hippo.Study:
    study = hippo.create_study(numerics, trainer=trainer, storage="memory://", checkpoints="memory://", metric="loss",
                               mode="min", numerics=numerics, engine=hippo.InlineEngine())  # fmt: skip
    study.optimize(hippo.GridSearch(configs, until=until))
    return study


@pytest.mark.parametrize(
    ("trainer", "is_fused"),
    [(SettingUp, False), (Keeping, False), (Telling, True), (TellingOfATrunk, True)],
    ids=lambda value: str(value),
)
def test_lanes_come_to_what_each_comes_to_alone(trainer: type[hippo.Trainer], is_fused: bool) -> None:
    late = {"phase": hippo.Piecewise(["warm", "late"], [3])} if trainer is SettingUp else {}
    rates = [
        hippo.Linear(rate, final=rate / 10, steps=5) if issubclass(trainer, Telling) else rate
        for rate in (0.1, 0.2, 0.5)
    ]
    configs = [{"lr": rate, "batch_size": 16, **late} for rate in rates]
    exact, fused = (study_of(trainer, numerics, configs) for numerics in ("exact", "fused"))
    for one, other in zip(exact.trials, fused.trials, strict=True):
        assert other.metrics == pytest.approx(one.metrics, rel=1e-4)
        assert other.last_train_metrics == pytest.approx(one.last_train_metrics, rel=1e-4)
    options = [study.trials[2].load_state()["optimizer"]["param_groups"][0] for study in (exact, fused)]
    assert options[0] == options[1]
    assert bool(fused.statistics().lane_steps_fused) >= is_fused


def test_a_lane_has_the_bits_of_its_optimizers_state_whatever_its_company() -> None:
    class Normed(Net):
        """The bias before a batch norm has a gradient of rounding errors alone."""

        def make_model(self) -> nn.Module:
            return nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))

        def train_set(self) -> Any:
            return self.points(0, 35)

    states = [
        study_of(Normed, "fused", [{"lr": 0.04 * (i + 1), "batch_size": 16} for i in range(size)], 2)
        .trials[0]
        .load_state()["optimizer"]["state"]
        for size in (6, 1)
    ]
    for number, entry in states[0].items():
        assert torch.equal(entry["momentum_buffer"], states[1][number]["momentum_buffer"])
