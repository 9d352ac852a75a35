"""Floats that `make_model` puts into modules are each lane's own, where they are all in which its models differ."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import hippo
from hippo.hparams import Piecewise
from hippo.records import Fusion, Point
from hippo.testing.formations import HERE, AnyConfig, ConfigFormation, SoloConfig
from hippo.testing.fusible_trainers import NetTrainer
from hippo.testing.remembering_host import pieces_at
from hippo.training.codec import decode, state_hash
from hippo.training.fusion.check import decide
from hippo.training.fusion.float_places import ModelsDiffer, float_places, holder_of
from hippo.training.fusion.fused_walker import FusedStepFailed
from hippo.training.fusion.refusals import LanesDifferIn
from hippo.training.walking.walker import UserCodeFailed

pytestmark = pytest.mark.usefixtures("one_thread")


class Branch(nn.Module):
    """A residual branch whose factors are floats, one by itself and one in a dictionary, as adapters have it."""

    def __init__(self, width: int, factor: float) -> None:
        super().__init__()
        self.inner, self.temperature = nn.Linear(width, width), 1.0 + factor
        self.scaling = {"adapter": factor / width}

    def forward(self, samples: Tensor) -> Tensor:
        hidden = torch.tanh(self.inner(samples) / self.temperature)
        return samples + self.scaling["adapter"] * hidden


class ResidualTrainer(NetTrainer):
    def make_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(6, 7), Branch(7, self.hp["alpha"]), nn.Linear(7, 3)).to(self.dtype)


OWN = Fusion(is_fused=True, own_floats=(("1", "scaling", "adapter"), ("1", "temperature")))
ALPHAS = (0.5, 16.0, 4.0, 4.0)


def lanes_of(*alphas: float) -> list[AnyConfig]:
    return [{"lr": 0.05 * (1 + lane), "alpha": alpha} for lane, alpha in enumerate(alphas)]


@cache
def decided(trainer: type[NetTrainer], alpha: float = 4.0) -> Fusion:
    clock: Any = SimpleNamespace(elapsed=map(float, itertools.count()).__next__)
    pieces = pieces_at({"lr": 0.05, "alpha": alpha}, 0)
    return decide(
        trainer(), step=0, pieces=pieces, state=None, goal=Point(HERE, 1), numerics="fused", clock=clock
    )[0]  # fmt: skip


# ----------------------------------------------------------------------------------------------- as each comes to alone


@pytest.mark.parametrize("ema_decay", [None, 0.5])
def test_lanes_with_floats_of_their_own_come_to_what_each_comes_to_alone(ema_decay: float | None) -> None:
    trainer, lanes = ResidualTrainer(double=True), lanes_of(*ALPHAS)
    trainer.ema_decay = ema_decay
    together = ConfigFormation(trainer, lanes, fusion=OWN)
    losses = [metrics["loss"] for metrics in together.train(steps=3)]
    assert len(set(losses)) == len(losses)
    for lane, config in enumerate(lanes):
        alone = SoloConfig(trainer, config)
        assert alone.train(steps=3)["loss"] == pytest.approx(losses[lane], rel=1e-10)  # float64, 18 updates
        state = together.states()[lane]
        for name, tensor in decode(alone.state())["model"].items():
            torch.testing.assert_close(decode(state)["model"][name], tensor, rtol=1e-10, atol=1e-12)
        resumed = SoloConfig(trainer, config, state, step=3)
        assert together.walker.evaluate(lane, HERE) == resumed.walker.evaluate(HERE)  # its own float, bit for bit
        assert state_hash(resumed.state()) == state_hash(state)


def test_lanes_that_leave_take_their_floats_along() -> None:
    trainer, lanes = ResidualTrainer(double=True), lanes_of(*ALPHAS)
    together = ConfigFormation(trainer, lanes, fusion=OWN)
    together.train()
    together.keep([2, 1])
    together.train()
    for place, lane in enumerate([2, 1]):
        alone = SoloConfig(trainer, lanes[lane])
        alone.train(steps=2)
        assert together.walker.evaluate(place, HERE) == pytest.approx(alone.walker.evaluate(HERE), rel=1e-10)


def test_a_lanes_bits_do_not_depend_on_whether_others_have_its_float() -> None:
    fusion, own = decided(ResidualTrainer), {"lr": 0.05, "alpha": 4.0}
    found = set()
    for others in [(), (4.0,), (16.0, 0.5), (4.0, 4.0, 4.0, 0.25)]:
        together = ConfigFormation(ResidualTrainer(), [own, *lanes_of(*others)], fusion=fusion)
        together.train(steps=2)
        found.add(state_hash(together.states()[0]))
    assert len(found) == 1


def test_a_trunk_evaluated_once_for_all_lanes_leads_to_the_float_of_each() -> None:
    class Probes(ResidualTrainer):
        def make_model(self) -> nn.Module:
            model = super().make_model()
            next(iter(model.children())).requires_grad_(False)
            return model

    lanes = lanes_of(*ALPHAS)
    fusion = Fusion(is_fused=True, evaluates_together=True, own_floats=OWN.own_floats)
    together = ConfigFormation(Probes(double=True), lanes, fusion=fusion)
    together.train()
    for lane in range(len(lanes)):
        metrics = together.walker.evaluate(lane, HERE)
        assert metrics == pytest.approx(together.walker.evaluate_alone(lane, HERE), rel=1e-12)
    assert together.walker.was_evaluated_together


# ------------------------------------------------------------------------------------------------------ how it is found


def test_the_check_finds_the_floats_and_sees_that_lanes_are_right() -> None:
    fusion = decided(ResidualTrainer)
    assert fusion.is_fused
    assert fusion.own_floats == OWN.own_floats


def test_without_their_places_lanes_are_walked_apart_by_what_their_models_are_made_for() -> None:
    with pytest.raises(LanesDifferIn, match="'alpha'"):
        ConfigFormation(ResidualTrainer(), lanes_of(4.0, 8.0))


class Width(ResidualTrainer):
    def make_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(6, round(self.hp["alpha"])), Branch(round(self.hp["alpha"]), self.hp["alpha"]))


class Initial(ResidualTrainer):
    def make_model(self) -> nn.Module:
        model = super().make_model()
        nn.init.constant_(list(model.parameters())[-1], self.hp["alpha"])
        return model


class Left(ResidualTrainer):
    """Keeps the float in itself, where its loss reads it."""

    def make_model(self) -> nn.Module:
        self.alpha = self.hp["alpha"]
        return super().make_model()

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        return super().loss(model, batch) * self.alpha


class Closure(ResidualTrainer):
    def make_model(self) -> nn.Module:
        model, alpha = super().make_model(), self.hp["alpha"]
        model.scaled = lambda samples: alpha * samples  # type: ignore[assignment]
        return model


class Dropping(ResidualTrainer):
    def make_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(6, 7), nn.Dropout(self.hp["alpha"] / 64), nn.Linear(7, 3))


class Choosing(ResidualTrainer):
    """Asks, in its forward, how large the float is, which one program cannot."""

    class Net(nn.Module):
        def __init__(self, alpha: float) -> None:
            super().__init__()
            self.alpha, self.last = alpha, nn.Linear(6, 3)

        def forward(self, samples: Tensor) -> Tensor:
            return self.last(samples * self.alpha if self.alpha > 1 else samples)  # type: ignore[no-any-return]

    def make_model(self) -> nn.Module:
        return self.Net(self.hp["alpha"])


class Annealing(ResidualTrainer):
    """Changes the float at each call."""

    class Net(Choosing.Net):
        def forward(self, samples: Tensor) -> Tensor:
            self.alpha = self.alpha * 0.9
            return self.last(samples * self.alpha)  # type: ignore[no-any-return]

    def make_model(self) -> nn.Module:
        return self.Net(self.hp["alpha"])


class InLoss(ResidualTrainer):
    """Its loss, too, reads what the model was made for."""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        samples, labels = batch
        return functional.cross_entropy(model(samples) / self.hp["alpha"], labels)


class SettingUp(ResidualTrainer):
    def setup(self, hp: Mapping[str, Any]) -> None:
        if "alpha" in hp:
            self.model[1].temperature = 1.0 + hp["alpha"]  # type: ignore[index,union-attr]


@pytest.mark.parametrize(
    ("trainer", "says"),
    [
        (Width, ""),
        (Initial, ""),
        (Left, ""),
        (Closure, ""),
        (Dropping, "walked apart: "),
        (Choosing, "walked apart: "),
        (Annealing, "walked apart: the model writes its attribute 'alpha'"),
        (InLoss, ""),
        (SettingUp, ""),
    ],
)
def test_models_that_differ_in_more_or_cannot_take_a_tensor_part_lanes(trainer: type[NetTrainer], says: str) -> None:
    fusion = decided(trainer, 8.0)
    assert fusion.is_fused
    assert fusion.own_floats == ()
    assert says in fusion.detail


@pytest.mark.parametrize("trainer", [Initial, Left, Width])
def test_lanes_whose_models_differ_in_more_than_known_floats_are_walked_apart(trainer: type[NetTrainer]) -> None:
    with pytest.raises(LanesDifferIn, match="'alpha'"):
        ConfigFormation(trainer(), lanes_of(4.0, 8.0), fusion=OWN)


def test_a_model_that_reads_a_name_for_some_values_only_parts_lanes() -> None:
    class Sometimes(ResidualTrainer):
        def make_model(self) -> nn.Module:
            model = super().make_model()
            if self.hp["alpha"] > 5:
                self.hp["lr"]
            return model

    with pytest.raises(LanesDifferIn, match="'alpha'"):
        ConfigFormation(Sometimes(), lanes_of(4.0, 8.0), fusion=OWN)


def test_an_attribute_that_looks_at_such_a_value_parts_lanes() -> None:
    class Accumulating(ResidualTrainer):
        @property
        def accumulate(self) -> int:  # type: ignore[override]
            return 2 if self.hp["alpha"] > 5 else 1

    with pytest.raises(LanesDifferIn, match="'alpha'"):
        ConfigFormation(Accumulating(), lanes_of(4.0, 8.0), fusion=OWN)


def test_an_attribute_that_has_been_read_is_refused_where_setup_sets_it() -> None:
    class Late(ResidualTrainer):
        def setup(self, hp: Any) -> None:
            self.accumulate = 2

    with pytest.raises(FusedStepFailed, match=r"Late.accumulate is 2 after setup\(\), but was 1"):
        ConfigFormation(Late(), [{"lr": 0.1, "alpha": 4.0}, {"lr": 0.2, "alpha": 4.0}], fusion=OWN).train()


def test_a_value_that_changes_after_the_model_was_made_is_refused_as_alone() -> None:
    lanes: list[AnyConfig] = [{"lr": 0.1, "alpha": 4.0}, {"lr": 0.1, "alpha": Piecewise([4.0, 8.0], [1])}]
    together = ConfigFormation(ResidualTrainer(), lanes, fusion=OWN)
    together.train()
    with pytest.raises(FusedStepFailed, match="a model is made only once"):
        together.train()
    alone = SoloConfig(ResidualTrainer(), lanes[1])
    alone.train()
    with pytest.raises(UserCodeFailed):
        alone.train()


def test_lanes_of_one_place_that_was_known_and_is_not_there_are_walked_all_the_same() -> None:
    gone = Fusion(is_fused=True, own_floats=(("1", "no_such"), ("9", "scaling")))
    together = ConfigFormation(ResidualTrainer(), lanes_of(4.0, 4.0), fusion=gone)
    assert len(together.train()) == 2


# ------------------------------------------------------------------------------------------------- what is a difference


class Holder(nn.Module):
    def __init__(self, **held: Any) -> None:
        super().__init__()
        vars(self).update(held)


def _scaled(by: float) -> Any:
    return lambda x: by * x


@pytest.mark.parametrize(
    ("one", "other", "places"),
    [
        (1.0, 1.0, ()),
        (1.0, 2.0, (("", "held"),)),
        (0.0, -0.0, (("", "held"),)),
        (float("nan"), float("nan"), ()),
        ({"a": 1.0, "b": [2.0, 3.0]}, {"a": 1.0, "b": [2.0, 4.0]}, (("", "held", "b", "1"),)),
        (SimpleNamespace(rate=1.0), SimpleNamespace(rate=2.0), (("", "held", "rate"),)),
        ({1: 2.0}, {1: 2.0}, ()),
        (_scaled(1.0), _scaled(1.0), ()),
        (partial(pow, 2.0), partial(pow, 2.0), ()),
        (torch.ones(2), torch.ones(2), ()),
        ({"a", "b"}, {"b", "a"}, ()),
    ],
)  # fmt: skip
def test_floats_are_found_where_they_are(one: object, other: object, places: object) -> None:
    assert float_places(Holder(held=one), Holder(held=other)) == places


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 2),
        (1, 1.0),
        (True, False),
        ("a", "b"),
        (None, 1.0),
        ((1.0,), (2.0,)),  # a tuple cannot be written to
        ({1: 2.0}, {1: 3.0}),  # nor is a key that is no text kept
        ({"a": 1}, {"b": 1}),
        ([1.0], [1.0, 2.0]),
        (_scaled(1.0), _scaled(2.0)),
        (partial(pow, 2.0), partial(pow, 3.0)),
        (torch.ones(2), torch.zeros(2)),
        (nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2), requires_grad=False)),
        (torch.Generator().manual_seed(1), torch.Generator().manual_seed(2)),
        (len, repr),
    ],
)  # fmt: skip
def test_all_other_differences_are_too_many(one: object, other: object) -> None:
    with pytest.raises(ModelsDiffer, match=r"the model\.held"):
        float_places(Holder(held=one), Holder(held=other))


def test_modules_that_know_each_other_are_compared_where_they_stand() -> None:
    def made(factor: float) -> nn.Module:
        torch.manual_seed(0)
        branch = Branch(3, factor)
        branch.inner.register_forward_hook(lambda *_: None)
        return nn.Sequential(Holder(others=(branch,)), branch)

    assert float_places(made(1.0), made(2.0)) == (("1", "scaling", "adapter"), ("1", "temperature"))


def test_a_place_that_has_no_float_is_refused() -> None:
    for place in [("", "held", "a"), ("", "other"), ("gone", "held")]:
        with pytest.raises(LookupError):
            holder_of(Holder(held={"a": 1}), place)


# ----------------------------------------------------------------------------------------------------- in a whole study


def test_a_grid_of_floats_in_modules_is_walked_as_one_program() -> None:
    study = hippo.create_study(
        "floats", trainer=ResidualTrainer, engine=hippo.InlineEngine(), storage="memory://", metric="loss", mode="min",
        numerics="fused",
    )  # fmt: skip
    space = hippo.GridSearchSpace({"lr": [0.05, 0.1], "alpha": [0.5, 2.0, 4.0, 16.0]})
    study.optimize(hippo.GridSearch(space, until=2))
    assert study.statistics().mean_lanes > 2  # by rates alone it would be 2
    for trial in study.trials:
        alone = SoloConfig(ResidualTrainer(), trial.params)
        alone.train(steps=2)
        assert trial.value == pytest.approx(alone.walker.evaluate(HERE)["loss"], rel=1e-4)  # float32, 12 updates
