"""What lanes have in common, and is frozen, is there once and is computed once."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest
import torch
from torch import Tensor, nn
from torch.func import grad, vmap
from torch.nn import functional

from hippo.records import Fusion, Point
from hippo.testing.formations import HERE, AnyConfig, ConfigFormation, SoloConfig
from hippo.testing.fusible_trainers import NetTrainer
from hippo.testing.remembering_host import pieces_at
from hippo.training.bases import Bases
from hippo.training.codec import decode, state_hash
from hippo.training.fusion import fused_loss
from hippo.training.fusion.check import decide
from hippo.training.fusion.fused_walker import FusedWalker
from hippo.training.fusion.shared_products import SharedProducts
from hippo.training.fusion.stand_in import StandIn

pytestmark = pytest.mark.usefixtures("one_thread")

LANES: list[AnyConfig] = [{"lr": 0.1 * (1 + i)} for i in range(4)]


class Trunk(nn.Module):
    """Notes of each call whether it is of tensors that each lane has of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(6, 16)
        self.register_buffer("shift", torch.ones(16))
        self.seen: list[bool] = []

    def forward(self, samples: Tensor) -> Any:
        hidden = torch.tanh(self.layer(samples) + self.shift)
        self.seen.append(torch._C._functorch.is_batchedtensor(hidden))
        return hidden


class Probing(NetTrainer):
    """Trains a head on a frozen network."""

    trunk: Trunk

    def make_model(self) -> nn.Module:
        trunk = Trunk()
        trunk.layer.requires_grad_(False)
        return nn.Sequential(trunk, nn.Linear(16, 3)).to(self.dtype)

    def metrics(self, model: nn.Module, batch: Any) -> Mapping[str, Any]:
        samples, labels = batch
        logits = model(samples)
        right = (logits.argmax(dim=1) == labels).float().mean()
        return {"loss": functional.cross_entropy(logits, labels), "accuracy": right, "samples": len(labels)}


def calls(formation: ConfigFormation) -> list[bool]:
    """Return what the trunk has noted since the last look."""
    seen = formation.walker._trainer.model[0].seen  # type: ignore[index]
    found = list(seen)
    seen.clear()
    return found


def test_a_frozen_trunk_is_run_once_for_all_lanes() -> None:
    formation = ConfigFormation(Probing(), LANES)
    formation.train()
    calls(formation)
    formation.train()
    assert calls(formation) == [False] * 6  # batches


def test_gradients_of_what_a_trunk_feeds_are_one_product_where_lanes_are_walked_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[None] = []

    class Counting(SharedProducts):
        def __enter__(self) -> Any:
            begun.append(None)
            return super().__enter__()  # type: ignore[no-untyped-call]

    monkeypatch.setattr(fused_loss, "SharedProducts", Counting)
    ConfigFormation(Probing(), LANES).train()
    assert len(begun) == 6  # batches
    ConfigFormation(NetTrainer(), LANES).train()  # without a trunk
    ConfigFormation(Probing(), LANES, fusion=Fusion(is_fused=True, shares_products=False)).train()
    assert len(begun) == 6


class WideProbing(Probing):
    """Has features by the hundred."""

    def make_model(self) -> nn.Module:
        trunk, wide = Trunk(), nn.Linear(16, 768)
        trunk.layer.requires_grad_(False)
        wide.requires_grad_(False)
        return nn.Sequential(trunk, wide, nn.Linear(768, 3)).to(self.dtype)


@pytest.mark.parametrize(("trainer", "shares"), [(WideProbing(), True), (Probing(), False), (NetTrainer(), False)])
def test_lanes_are_walked_so_where_it_is_worth_it(trainer: NetTrainer, *, shares: bool) -> None:
    trainer.default_batch_size = 16
    fusion, _ = decide(
        trainer, step=0, pieces=pieces_at(LANES[0], 0), state=None, goal=Point(HERE, 1), numerics="fused"
    )
    assert fusion.shares_products is shares


def test_a_trunk_takes_the_memory_of_one() -> None:
    formation = ConfigFormation(Probing(), LANES)
    formation.train()
    assert formation.walker._state.tensors.stacked.keys() == {"1.weight", "1.bias"}


@pytest.mark.parametrize("frozen_in", ["all", "states"])
def test_lanes_over_a_trunk_come_to_what_each_comes_to_alone(frozen_in: str) -> None:
    trainer = Probing(double=True)
    formation = ConfigFormation(trainer, LANES)
    formation.train(steps=2)
    if frozen_in == "states":
        formation = ConfigFormation(trainer, LANES, formation.states(), step=2)
        formation.train()
        assert not any(calls(formation)[1:]), "states that lie apart have one trunk, bit for bit"
    else:
        formation.train()
    for lane, config in enumerate(LANES):
        alone = SoloConfig(trainer, config)
        alone.train(steps=3)
        one, other = (decode(each)["model"] for each in (formation.states()[lane], alone.state()))
        for name in one:
            torch.testing.assert_close(one[name], other[name], rtol=1e-12, atol=1e-14)


def test_lanes_whose_frozen_parts_differ_have_each_their_own() -> None:
    trainer = Probing(double=True)
    first = [SoloConfig(trainer, config) for config in LANES[:2]]
    for each in first:
        each.train()
    with torch.no_grad():
        first[1].walker.settled(HERE).model[0].layer.weight.mul_(2)  # type: ignore[attr-defined]
    formation = ConfigFormation(trainer, LANES[:2], [each.state() for each in first], step=1)
    formation.train()
    assert all(calls(formation)[1:])
    for lane, alone in enumerate(first):
        alone.train()
        one, other = (decode(each)["model"] for each in (formation.states()[lane], alone.state()))
        for name in one:
            torch.testing.assert_close(one[name], other[name], rtol=1e-12, atol=1e-14)


def test_lanes_over_a_trunk_are_evaluated_together_where_metrics_allow_it() -> None:
    def decided(trainer: Probing) -> Fusion:
        ticks = iter(range(10_000))

        class Clock:
            def elapsed(self) -> float:
                return float(next(ticks))

        pieces = pieces_at(LANES[0], 0)
        clock: Any = Clock()
        return decide(trainer, step=0, pieces=pieces, state=None, goal=Point(HERE, 1), numerics="fused", clock=clock)[0]

    class Reading(Probing):
        def metrics(self, model: nn.Module, batch: Any) -> Mapping[str, Any]:
            return {name: float(value) for name, value in super().metrics(model, batch).items()}

    fusion = decided(Probing())
    assert fusion.evaluates_together
    assert not decided(Reading()).evaluates_together, "float() of what lanes come to is no lane's"
    assert not decided(NetTrainer()).evaluates_together  # type: ignore[arg-type]

    formation = ConfigFormation(Probing(), LANES, fusion=fusion)
    formation.train()
    calls(formation)
    metrics = [formation.walker.evaluate(lane, HERE) for lane in range(4)]
    assert calls(formation) == [False], "one batch of eleven samples, for all lanes"
    alone = [formation.walker.evaluate_alone(lane, HERE) for lane in range(4)]
    for one, other in zip(metrics, alone, strict=True):
        assert one == pytest.approx(other, rel=1e-6)
    assert len({each["loss"] for each in metrics}) == 4
    formation.keep([2])
    assert formation.walker.evaluate(0, HERE) == metrics[2]


def test_the_check_evaluates_the_last_batch_too_where_it_is_shorter() -> None:
    seen: list[int] = []

    class Listing(Probing):
        val_batch_size = 4  # of 11 samples

        def metrics(self, model: nn.Module, batch: Any) -> Mapping[str, Any]:
            if isinstance(model, StandIn):
                seen.append(len(batch[1]))
            return super().metrics(model, batch)

    decide(Listing(), step=0, pieces=pieces_at(LANES[0], 0), state=None, goal=Point(HERE, 1), numerics="fused")
    assert seen[:2] == [4, 3]


def test_a_layer_that_is_thawed_is_clipped_alike_after_a_resume() -> None:
    class Thawing(NetTrainer):
        clip_norm = 0.1

        def make_model(self) -> nn.Module:
            model: Any = super().make_model()
            model[0].requires_grad_(False)
            return cast(nn.Module, model)

        def setup(self, hp: Any) -> None:
            cast(Any, self.model)[0].requires_grad_(True)

    through = ConfigFormation(Thawing(), LANES)
    through.train()
    resumed = ConfigFormation(Thawing(), LANES, through.states(), step=1)
    hashes = []
    for formation in (through, resumed):
        formation.train()
        hashes.append([state_hash(state) for state in formation.states()])
    assert hashes[0] == hashes[1]


def slope_of(model: nn.Module, samples: Tensor, labels: Tensor) -> Tensor:
    return grad(lambda each: functional.cross_entropy(model(each), labels))(samples)


def mapped_by(model: nn.Module, samples: Tensor, labels: Tensor) -> Tensor:
    return vmap(lambda each: model(each[None]))(samples)


@pytest.mark.parametrize("of", [slope_of, mapped_by])
def test_metrics_that_differentiate_or_map_the_model_are_evaluated_together(of: Callable[..., Tensor]) -> None:
    class Sloping(Probing):
        def metrics(self, model: nn.Module, batch: Any) -> Mapping[str, Any]:
            return {**super().metrics(model, batch), "norm": of(model, *batch).norm()}

    fusion, _ = decide(
        Sloping(), step=0, pieces=pieces_at(LANES[0], 0), state=None, goal=Point(HERE, 1), numerics="fused"
    )
    assert fusion.evaluates_together


def test_nobody_keeps_what_a_model_returned_in_a_loss() -> None:
    is_kept: list[bool] = []

    class Looping(NetTrainer):
        def loss(self, model: nn.Module, batch: Any) -> Tensor:
            with torch.no_grad():
                drawn = weakref.ref(model(batch[0]))
            is_kept.append(drawn() is not None)
            return super().loss(model, batch)

    ConfigFormation(Looping(), LANES).train()
    assert set(is_kept) == {False}


def test_where_one_lane_cannot_be_evaluated_each_is_by_itself() -> None:
    class Judging(Probing):
        def metrics(self, model: nn.Module, batch: Any) -> Mapping[str, Any]:
            return {**super().metrics(model, batch), "rate": self.hp["lr"]}

    formation = ConfigFormation(Judging(), LANES, fusion=Fusion(is_fused=True, evaluates_together=True))
    formation.train()
    assert [formation.walker.evaluate(lane, HERE)["rate"] for lane in range(4)] == [each["lr"] for each in LANES]


def test_a_buffer_that_is_never_written_is_common_and_one_that_is_written_is_not() -> None:
    formation = ConfigFormation(NetTrainer("cnn"), LANES)
    formation.train()
    assert "norm.running_mean" in formation.walker._state.tensors.stacked
    probing = ConfigFormation(Probing(), LANES)
    probing.train()
    assert "0.shift" not in probing.walker._state.tensors.stacked
    assert state_hash(probing.states()[0]) != state_hash(probing.states()[1])


class Scribbling(NetTrainer):
    """A loss that halves its batch where it lies, and counts how often."""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        batch[0].mul_(0.5)
        self.calls = getattr(self, "calls", 0) + 1
        return super().loss(model, batch) * (2 if self.calls == 2 else 1)


def test_looking_which_buffers_are_written_leaves_batch_and_trainer_as_they_were() -> None:
    lanes, alone = ConfigFormation(Scribbling("cnn"), LANES), SoloConfig(Scribbling("cnn"), LANES[0])
    assert lanes.train()[0] == pytest.approx(alone.train(), rel=1e-5)
    assert lanes.walker._trainer.calls == 6  # type: ignore[attr-defined]


def test_states_of_lanes_leave_out_what_they_have_of_their_base() -> None:
    class Large(Probing):
        def make_model(self) -> nn.Module:
            model = nn.Sequential(nn.Linear(6, 4096), nn.Linear(4096, 3))
            model[0].requires_grad_(False)
            return model

    bases, trainer = Bases(), Large()
    pieces = [pieces_at(config, 0) for config in LANES]
    goals, fusion = [Point(HERE, 1)] * 4, Fusion(is_fused=True)
    walker = FusedWalker(trainer, step=0, pieces=pieces, states=[None] * 4, goals=goals, fusion=fusion, bases=bases)
    walker.train([HERE] * 4, pieces)
    states = [walker.encode(lane, HERE) for lane in range(4)]
    for state in states:
        assert set(state.shared()) == {"state['model']['0.weight']", "state['model']['0.bias']"}
    assert len({id(state.base) for state in states}) == 1

    again = FusedWalker(trainer, step=1, pieces=pieces, states=states, goals=goals, fusion=fusion, bases=bases)
    assert again.encode(3, HERE).base is states[3].base
    assert state_hash(again.encode(3, HERE)) == state_hash(states[3])
