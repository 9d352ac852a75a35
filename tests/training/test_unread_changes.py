"""A schedule that a trainer ignores is told of; one that it follows, by whatever way, is not."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import hippo
from hippo.events import ChangeUnread
from hippo.records import Lane
from hippo.testing.remembering_host import RememberingHost, along, run_lanes, spec_of, stages, start_at
from hippo.testing.trainers import ToyTrainer

MakeStudy = Callable[..., hippo.Study]
FALLS = {"lr": hippo.MultiStep(0.5, [2], 0.1)}


class OnlyInBuild(hippo.Trainer):
    """Makes what trains it at the first learning rate, and never looks again."""

    def build(self) -> None:
        self.weight = torch.nn.Parameter(torch.ones(()))
        self.optimizer = torch.optim.SGD([self.weight], lr=self.hp["lr"])

    def train(self) -> None:
        self.optimizer.zero_grad()
        self.weight.square().backward()
        self.optimizer.step()

    def evaluate(self) -> dict[str, Any]:
        return {"loss": self.weight.item()}

    def state_dict(self) -> dict[str, Any]:
        return {"weight": self.weight.detach().clone(), "optimizer": self.optimizer.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.weight.data.copy_(state["weight"])
        self.optimizer.load_state_dict(state["optimizer"])


class InTrain(OnlyInBuild):
    def train(self) -> None:
        self.optimizer.param_groups[0]["lr"] = self.hp["lr"]
        super().train()


class InEvaluate(OnlyInBuild):
    def evaluate(self) -> dict[str, Any]:
        return {"loss": self.weight.item() * self.hp["lr"]}


class InSetup(OnlyInBuild):
    def setup(self, hp: Any) -> None:
        self.optimizer.param_groups[0]["lr"] = hp["lr"] if "lr" in hp else self.hp["lr"]


class KeepsValues(OnlyInBuild):
    """Looks at the values that `build` had, step for step."""

    def build(self) -> None:
        super().build()
        self.values = self.hp

    def train(self) -> None:
        self.optimizer.param_groups[0]["lr"] = self.values["lr"]
        super().train()


def told(config: dict[str, Any], until: int, trainer: Any, **options: Any) -> list[tuple[str, int, str, str]]:
    host = along(config, until, spec=spec_of(trainer, **options))
    return [(each.name, each.step, each.before, each.after) for each in host.of(ChangeUnread)]


@pytest.fixture
def make_study() -> Iterator[MakeStudy]:
    studies: list[hippo.Study] = []

    def make(trainer: Any, **options: Any) -> hippo.Study:
        options = {"storage": "memory://", "engine": hippo.InlineEngine(), "metric": "loss", "mode": "min", **options}
        studies.append(hippo.create_study(f"changes {len(studies)}", trainer=trainer, **options))
        return studies[-1]

    yield make
    for study in studies:
        study.close()


def test_a_study_says_once_that_a_schedule_is_ignored(make_study: MakeStudy) -> None:
    grid = hippo.GridSearch({"lr": [0.5, hippo.MultiStep(0.5, [2], 0.1), hippo.Exponential(0.5, 0.5)]}, until=4)
    study = make_study(OnlyInBuild)
    with pytest.warns(
        UserWarning, match=r"'lr' changed from 0\.5 to .* has not looked at it since.*Write setup"
    ) as all:
        study.optimize(grid)
    assert sum("has not looked at it since" in str(each.message) for each in all) == 1
    assert len({trial.value for trial in study.trials}) == 1  # what nobody would notice


@pytest.mark.parametrize("trainer", [InTrain, InEvaluate, InSetup, ToyTrainer])
def test_a_study_of_a_trainer_that_follows_its_values_says_nothing(make_study: MakeStudy, trainer: Any) -> None:
    study = make_study(trainer)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.optimize(hippo.GridSearch({"lr": [0.1, *[hippo.MultiStep(0.1, [at], 0.5) for at in (1, 2)]]}, until=4))


@pytest.mark.parametrize("trainer", [OnlyInBuild, KeepsValues])
def test_a_change_is_told_with_step_and_values(trainer: Any) -> None:
    assert told(FALLS, 4, trainer) == [("lr", 2, "0.5", "0.05")]


def test_a_change_between_evaluations_is_told_at_the_next_one() -> None:
    assert told({"lr": hippo.Exponential(0.5, 0.5)}, 3, OnlyInBuild, evaluate_every=3) == [("lr", 1, "0.5", "0.25")]
    assert told({"lr": hippo.Exponential(0.5, 0.5)}, 3, InEvaluate, evaluate_every=3) == []


def test_one_look_is_enough_however_late_the_evaluation_is_and_between_two_steps() -> None:
    class Once(OnlyInBuild):
        def build(self) -> None:
            super().build()
            self.calls = 0

        def train(self) -> None:
            self.calls += 1
            if self.calls == 3:
                self.optimizer.param_groups[0]["lr"] = self.hp.at(2.5)["lr"]
            super().train()

    assert told(FALLS, 6, Once, evaluate_every=6) == []


def test_a_value_that_stays_what_build_had_is_not_told() -> None:
    assert told({"lr": 0.5}, 4, OnlyInBuild) == []


def test_a_lane_that_begins_where_a_value_changes_tells_it_too() -> None:
    spec = spec_of(OnlyInBuild)
    first = along(FALLS, 2, spec=spec)
    begin = start_at(FALLS, 2, first.checkpoint(2))
    host = RememberingHost()
    host.checkpoints = first.checkpoints
    run_lanes(Lane(begin=begin, stages=stages(FALLS, 2, 4)), spec=spec, host=host, lease=2)
    assert host.one(ChangeUnread).step == 2


class Declared(hippo.TorchTrainer):
    """Has its learning rate, momentum and batch size applied by `TorchTrainer`; reads more where it makes itself."""

    samples_per_step = 8

    def make_model(self) -> torch.nn.Module:
        return torch.nn.Linear(1, 1)

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=self.hp["lr"], momentum=self.hp["momentum"], nesterov=self.hp["nesterov"])

    def train_set(self) -> Any:
        return torch.utils.data.TensorDataset(torch.ones(8, 1))

    def val_set(self) -> Any:
        return self.train_set()

    def loss(self, model: Any, batch: Any) -> torch.Tensor:
        return model(batch[0]).square().mean()  # type: ignore[no-any-return]


class DeclaredPerBatch(Declared):
    apply_hparams = "batch"


@pytest.mark.parametrize("trainer", [Declared, DeclaredPerBatch])
def test_what_a_torch_trainer_applies_by_itself_is_not_told(trainer: Any) -> None:
    config = {
        "lr": hippo.Exponential(0.1, 0.5),
        "momentum": hippo.Piecewise([0.9, 0.5], [2]),
        "nesterov": hippo.Piecewise([True, False], [3]),
        "batch_size": hippo.Piecewise([4, 8], [1]),
    }
    assert told(config, 5, trainer) == []


def test_what_a_torch_trainer_does_not_apply_is_told() -> None:
    class Wide(Declared):
        def make_model(self) -> torch.nn.Module:
            return torch.nn.Linear(1, 1, bias=self.hp["bias"])

        def setup(self, hp: Any) -> None:
            pass

    config = {"lr": 0.1, "momentum": 0.9, "nesterov": True, "bias": hippo.Piecewise([True, False], [2])}
    assert told(config, 4, Wide) == [("bias", 2, "True", "False")]
