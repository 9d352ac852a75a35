"""What happens to some lanes of a formation, and leaves the others as they are."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import Dataset, TensorDataset

from hippo.hparams import Linear, Piecewise
from hippo.testing.formations import HERE, AnyConfig, ConfigFormation, SoloConfig
from hippo.testing.fusible_trainers import NetTrainer
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.training.codec import decode, state_hash
from hippo.training.fusion.fused_walker import FusedStepFailed
from hippo.training.fusion.refusals import LanesDifferIn, NotFusible
from hippo.training.walking.walker import UserCodeFailed

pytestmark = pytest.mark.usefixtures("one_thread")


def configs(num_lanes: int, **values: Any) -> list[AnyConfig]:
    return [{"lr": 0.02 * (1 + i), **values} for i in range(num_lanes)]


def hashes(formation: ConfigFormation) -> list[str]:
    return [state_hash(each) for each in formation.states()]


# ------------------------------------------------------------------------------------------------- lanes that leave


def test_a_lane_that_diverges_leaves_the_bits_of_the_others() -> None:
    trainer = NetTrainer("cnn")
    trainer.clip_norm, trainer.ema_decay = 1e9, 0.5
    sound, wild = configs(4), configs(4)
    wild[1] = {"lr": 1e30}
    formations = [ConfigFormation(trainer, lanes) for lanes in (sound, wild)]
    for each in formations:
        metrics = each.train(steps=2)
    assert metrics[1]["loss"] != metrics[1]["loss"], "it should have come to NaN"
    one, other = map(hashes, formations)
    assert [one[i] for i in (0, 2, 3)] == [other[i] for i in (0, 2, 3)]
    assert one[1] != other[1]


@pytest.mark.parametrize("stays", [[0, 1, 2], [3, 1], [2]])
def test_lanes_that_leave_leave_the_bits_of_the_others(stays: list[int]) -> None:
    trainer = NetTrainer("mlp", "adamw")
    trainer.accumulate, trainer.ema_decay = 4, 0.5
    whole, parted = (ConfigFormation(trainer, configs(4)) for _ in range(2))
    for each in (whole, parted):
        each.train()
    parted.keep(stays)
    for each in (whole, parted):
        metrics = each.train(steps=2)
    assert hashes(parted) == [hashes(whole)[lane] for lane in stays]
    assert len(metrics) == len(stays)


# --------------------------------------------------------------------------------------------- steps that cannot be


class Raising(BlobsTrainer):
    """Raises in the loss of batches of a length, once it is told to."""

    broken = ""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        loss = super().loss(model, batch)
        if len(batch[1]) == 8 and self.broken == "value":
            raise ValueError("a short batch")
        if len(batch[1]) == 8 and self.broken == "memory":
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        if len(batch[1]) == 8 and self.broken == "branch" and loss > 0:
            return 2 * loss
        return loss


@pytest.mark.parametrize(
    ("broken", "says", "is_resource"),
    [
        ("value", "ValueError: a short batch", False),
        ("memory", "out of memory", True),
        ("branch", "data-dependent control flow", False),
    ],
)
def test_a_step_that_raises_in_its_midst_leaves_all_as_it_was(broken: str, says: str, is_resource: bool) -> None:
    trainer, lanes = Raising(size=48), configs(3, batch_size=10)  # the last batch of a step has 8
    trainer.ema_decay = 0.5
    disturbed, undisturbed = (ConfigFormation(trainer, lanes) for _ in range(2))
    for each in (disturbed, undisturbed):
        each.train()
    before = hashes(disturbed)

    disturbed.walker._trainer.broken = broken  # type: ignore[attr-defined]
    with pytest.raises(FusedStepFailed) as failed:
        disturbed.train()
    assert says in failed.value.reason
    assert "test_disturbances.py" in failed.value.reason, "the line of the user's code"
    assert failed.value.is_resource is is_resource
    assert hashes(disturbed) == before
    assert disturbed.walker.step == 1

    disturbed.walker._trainer.broken = ""  # type: ignore[attr-defined]
    assert disturbed.train() == undisturbed.train()
    assert hashes(disturbed) == hashes(undisturbed)


def test_a_state_from_before_a_failed_step_goes_on_alone() -> None:
    trainer, lanes = Raising(size=48), configs(2, batch_size=10)
    together = ConfigFormation(trainer, lanes)
    together.train()
    together.walker._trainer.broken = "branch"  # type: ignore[attr-defined]
    with pytest.raises(FusedStepFailed):
        together.train()
    for config, state in zip(lanes, together.states(), strict=True):
        resumed, undisturbed = SoloConfig(trainer, config, state, step=1), SoloConfig(trainer, config)
        resumed.train()
        undisturbed.train(steps=2)
        for one, other in zip(
            *(decode(each.state())["model"].values() for each in (resumed, undisturbed)), strict=True
        ):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)  # float32, ten updates


def test_an_evaluation_that_raises_is_one_lanes() -> None:
    class Judging(NetTrainer):
        def metrics(self, model: nn.Module, batch: Any) -> Mapping[str, Any]:
            if self.hp["lr"] > 0.03:
                raise ValueError("too fast")
            return super().metrics(model, batch)

    together = ConfigFormation(Judging(), configs(3))
    together.train()
    with pytest.raises(UserCodeFailed, match="too fast"):
        together.walker.evaluate(1, HERE)
    assert together.walker.evaluate(0, HERE).keys() == {"loss"}


# ----------------------------------------------------------------------- values that lanes of one program agree in


class Reading(NetTrainer):
    """Looks at a hyper-parameter called "x", somewhere."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where

    def make_model(self) -> nn.Module:
        width = int(self.hp["x"] * 10) if self.where == "make_model" else 4
        return nn.Sequential(nn.Linear(6, width), nn.Linear(width, 3))

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        decay = self.hp["x"] if self.where == "make_optimizer" else 0.0
        return torch.optim.SGD(params, lr=self.hp["lr"], weight_decay=decay)

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        samples, labels = batch
        smoothing = self.hp["x"] if self.where == "loss" else 0.0
        return functional.cross_entropy(model(samples), labels, label_smoothing=smoothing)


class SetUp(Reading):
    def setup(self, hp: Mapping[str, Any]) -> None:
        if self.where == "setup" and "lr" in hp:
            self.rate = hp["lr"]


class Blurred(TensorDataset):
    def set_hparams(self, hp: Mapping[str, Any]) -> None:
        self.blur = hp["x"]


class Following(NetTrainer):
    def train_set(self) -> Dataset[Any]:
        samples: Any = super().train_set()
        return Blurred(*samples.tensors)


class Clipping(NetTrainer):
    @property
    def clip_norm(self) -> float:  # type: ignore[override]
        return float(self.hp["x"])


@pytest.mark.parametrize("where", ["make_model", "loss"])
def test_lanes_that_differ_in_what_the_program_reads_are_named(where: str) -> None:
    with pytest.raises(LanesDifferIn) as differ:
        ConfigFormation(Reading(where), [{"lr": 0.1, "x": 0.4}, {"lr": 0.2, "x": 0.5}]).train()
    assert differ.value.names == ("x",)
    ConfigFormation(Reading(where), [{"lr": 0.1, "x": 0.4}, {"lr": 0.2, "x": 0.4}]).train()


@pytest.mark.parametrize("trainer", [Following, Clipping])
def test_lanes_that_differ_in_what_data_or_attributes_read_are_named(trainer: Callable[[], NetTrainer]) -> None:
    with pytest.raises(LanesDifferIn) as differ:
        ConfigFormation(trainer(), [{"lr": 0.1, "x": 0.4}, {"lr": 0.1, "x": 0.5}]).train()
    assert differ.value.names == ("x",)


def test_lanes_may_differ_in_what_optimizers_read() -> None:
    together = ConfigFormation(Reading("make_optimizer"), [{"lr": 0.1, "x": 0.4}, {"lr": 0.2, "x": 0.5}])
    together.train()
    assert together.walker.unread == ((), ("lr", "x"))


def test_lanes_that_differ_only_within_a_step_are_noticed_there() -> None:
    trainer = Reading("loss")
    trainer.apply_hparams = "batch"
    together = ConfigFormation(trainer, [{"lr": 0.1, "x": 0.4}, {"lr": 0.1, "x": Linear(0.4, -0.1)}])
    before = hashes(together)
    with pytest.raises(LanesDifferIn):
        together.train()
    assert hashes(together) == before


def test_with_a_setup_lanes_agree_in_all_but_what_is_applied() -> None:
    with pytest.raises(LanesDifferIn) as differ:
        ConfigFormation(SetUp("nowhere"), [{"lr": 0.1, "x": 0.4}, {"lr": 0.1, "x": 0.5}]).train()
    assert differ.value.names == ("x",)
    ConfigFormation(SetUp("nowhere"), [{"lr": 0.1, "x": 0.4}, {"lr": 0.2, "x": 0.4}]).train()
    with pytest.raises(LanesDifferIn) as differ:
        ConfigFormation(SetUp("setup"), [{"lr": 0.1, "x": 0.4}, {"lr": 0.2, "x": 0.4}]).train()
    assert differ.value.names == ("lr",)


def test_lanes_have_one_batch_size_and_the_same_names() -> None:
    with pytest.raises(LanesDifferIn) as differ:
        ConfigFormation(NetTrainer(), [{"lr": 0.1, "batch_size": size} for size in (8, 16)]).train()
    assert differ.value.names == ("batch_size",)
    with pytest.raises(LanesDifferIn) as differ:  # "momentum" in self.hp leaves no trace
        ConfigFormation(NetTrainer(), [{"lr": 0.1}, {"lr": 0.1, "momentum": 0.9}]).train()
    assert differ.value.names == ("momentum",)


def test_a_value_that_the_model_was_made_for_may_not_change() -> None:
    lanes = [{"lr": rate, "x": Piecewise([0.4, 0.5], [1])} for rate in (0.1, 0.2)]
    together = ConfigFormation(Reading("make_model"), lanes)
    together.train()
    with pytest.raises(FusedStepFailed, match="a model is made only once"):
        together.train()


# --------------------------------------------------------------------------------------------- what cannot be fused


class Losing(NetTrainer):
    """Computes its loss in a way that no lane can."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        samples, labels = batch
        if self.way == "self.model":
            return functional.cross_entropy(self.model(samples), labels)
        loss = functional.cross_entropy(model(samples), labels)
        if self.way == "parameters":
            loss = loss + sum(each.norm() for each in model.parameters())
        if self.way == "item":
            self.last = loss.item()
        if self.way == "random":
            loss = loss + random.random()
        return loss if self.way != "none" else labels.double().mean()


@pytest.mark.parametrize(
    ("way", "says"),
    [
        ("self.model", "call the model given to loss(), not self.model"),
        ("parameters", "model.parameters: where lanes are walked as one, the model given to loss() may only be called"),
        ("item", "vmap: It looks like you're calling .item() on a Tensor"),
    ],
)
def test_a_loss_that_lanes_cannot_have_says_why_and_where(way: str, says: str) -> None:
    with pytest.raises(FusedStepFailed) as failed:
        ConfigFormation(Losing(way), configs(2)).train()
    assert says in failed.value.reason
    assert "test_disturbances.py" in failed.value.reason


def test_a_loss_without_a_gradient_is_refused() -> None:
    with pytest.raises(NotFusible, match="without a gradient"):
        ConfigFormation(Losing("none"), configs(2)).train()


def test_what_python_draws_is_the_same_in_all_lanes_as_in_each_alone() -> None:
    together, alone = ConfigFormation(Losing("random"), configs(2)), SoloConfig(Losing("random"), configs(2)[1])
    assert together.train()[1] == pytest.approx(alone.train(), rel=1e-6)


def test_a_trainer_of_its_own_way_is_refused_before_anything_is_built() -> None:
    class Updating(NetTrainer):
        def update(self, loss: Tensor) -> None:
            super().update(loss)

        def make_model(self) -> nn.Module:
            raise AssertionError("it was built")

    with pytest.raises(NotFusible, match=r"overrides update\(\)"):
        ConfigFormation(Updating(), configs(2))
