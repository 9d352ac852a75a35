"""Lanes that are walked as one come to what each comes to alone."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from hippo.hparams import Exponential, Linear, Piecewise
from hippo.testing.formations import HERE, AnyConfig, ConfigFormation, SoloConfig, configs, weights
from hippo.testing.fusible_trainers import NetTrainer
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.training.codec import EncodedState, decode, state_hash
from hippo.training.fusion.fused_descent import FusedDescent
from hippo.training.fusion.refusals import NotFusible

pytestmark = pytest.mark.usefixtures("one_thread")


def off(one: EncodedState, other: EncodedState, before: EncodedState | None = None) -> float:
    """Return how far two states are apart, by how large the second is, or by how far it is from `before`."""
    expected = weights(other)
    return float((weights(one) - expected).norm() / (expected if before is None else expected - weights(before)).norm())


# --------------------------------------------------------------------------------------------------- fused and alone


#: recurrent nets take a second for what others take a tenth for: of them one number of lanes each will do
COMBINATIONS = [
    *itertools.product(["mlp", "cnn", "transformer"], ["sgd", "nesterov", "adam", "adamw", "groups"], [2, 5, 16]),
    *[("lstm", "nesterov", 5), ("lstm", "adamw", 16), ("gru", "nesterov", 16), ("gru", "adamw", 5)],
]


@pytest.mark.slow
@pytest.mark.parametrize(("net", "optimizer", "num_lanes"), COMBINATIONS)
def test_sixty_updates_as_one_come_to_what_each_lane_comes_to_alone(net: str, optimizer: str, num_lanes: int) -> None:
    trainer, lanes = NetTrainer(net, optimizer, double=True), configs(num_lanes)
    together = ConfigFormation(trainer, lanes)
    metrics = together.train(steps=10)
    states = together.states()

    for lane in {num_lanes // 2, num_lanes - 1}:
        alone = SoloConfig(trainer, lanes[lane])
        assert alone.train(steps=10) == pytest.approx(metrics[lane], rel=1e-10)
        assert off(states[lane], alone.state()) <= 1e-10  # float64, 60 updates


@pytest.mark.slow
@pytest.mark.parametrize(("net", "optimizer", "num_lanes"), COMBINATIONS)
def test_each_update_from_equal_states_ends_within_rounding(net: str, optimizer: str, num_lanes: int) -> None:
    trainer, lanes = NetTrainer(net, optimizer), configs(num_lanes)
    trainer.samples_per_step = trainer.default_batch_size
    alone = [SoloConfig(trainer, config) for config in lanes]
    for each in alone:
        each.train()
    for step in range(1, 4):
        before = [each.state() for each in alone]
        together = ConfigFormation(trainer, lanes, before, step)
        metrics = together.train()
        for lane, state in enumerate(together.states()):
            assert alone[lane].train() == pytest.approx(metrics[lane], rel=1e-5)
            # float32; how far a lane is off, by how far it walked: 2e-6 at most was seen
            assert off(state, alone[lane].state(), before[lane]) <= 1e-5


def test_lanes_with_a_chance_for_each_sample_draw_what_each_draws_alone() -> None:
    trainer, lanes = BlobsTrainer(), configs(3, batch_size=10)  # a short last batch, and noise from three generators
    together = ConfigFormation(trainer, lanes)
    metrics = together.train(steps=3)
    for lane, config in enumerate(lanes):
        alone = SoloConfig(trainer, config)
        assert alone.train(steps=3) == pytest.approx(metrics[lane], rel=1e-5)
        assert off(together.states()[lane], alone.state()) <= 1e-5


# ---------------------------------------------------------------------------- what attributes of a trainer ask for


def required_equal(trainer: NetTrainer, lanes: list[AnyConfig], *, steps: int = 3) -> list[EncodedState]:
    """Return the states of lanes, if they are what each comes to alone, and have the same structure."""
    together = ConfigFormation(trainer, lanes)
    together.train(steps)
    states = together.states()
    for lane, config in enumerate(lanes):
        alone = SoloConfig(trainer, config)
        alone.train(steps)
        _require_alike(decode(states[lane]), decode(alone.state()))
        evaluated = together.walker.evaluate(lane, HERE)
        assert evaluated == pytest.approx(alone.walker.evaluate(HERE), rel=1e-9)
    return states


def _require_alike(one: Any, other: Any) -> None:
    """Require one structure, and tensors that are equal but for rounding in float64."""
    assert type(one) is type(other)
    if isinstance(one, Mapping):
        assert list(one) == list(other)  # the order of entries is hashed, too
        assert vars(one) == vars(other) if hasattr(one, "__dict__") else True
        for name in one:
            _require_alike(one[name], other[name])
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            _require_alike(mine, theirs)
    elif isinstance(one, Tensor):
        assert one.stride() == other.stride()
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-12)
    else:
        assert one == other


@pytest.mark.parametrize(
    "attributes",
    [
        {"clip_norm": 0.05},
        {"ema_decay": 0.7},
        {"swa_from": 1},
        {"accumulate": 2},
        {"accumulate": 4, "clip_norm": 0.05},  # 6 batches a step: gradients wait where a state is taken
        {"apply_hparams": "batch"},
        {"samples_per_step": 20},
    ],
    ids=str,
)
def test_lanes_are_trained_as_the_attributes_say(attributes: Mapping[str, Any]) -> None:
    trainer = NetTrainer("cnn", double=True, size=45)
    vars(trainer).update(attributes)
    lanes: list[AnyConfig] = [
        {"lr": Exponential(0.1, 0.5)}, {"lr": 0.02, "momentum": 0.5}, {"lr": Linear(0.1, -0.03)}
    ]  # fmt: skip
    required_equal(trainer, [{"momentum": 0.9, **config} for config in lanes])


@pytest.mark.parametrize("steps", [2, 3])
def test_batches_of_several_sizes_make_one_step_as_alone(steps: int) -> None:
    trainer = NetTrainer("mlp", double=True, size=45)
    vars(trainer).update(accumulate=12)  # 6 batches, 3, and 9: after two steps 9 wait, of two sizes
    sizes = Piecewise([8, 20, 5], [1, 2])
    lanes: list[AnyConfig] = [{"lr": lr, "momentum": 0.9, "batch_size": sizes} for lr in (0.1, 0.02)]
    states = required_equal(trainer, lanes, steps=steps)
    assert decode(states[0])["gradients"].get("unit") == (8 if steps == 2 else None)

    alone = [SoloConfig(trainer, config) for config in lanes]
    for each in alone:
        each.train(steps)
    resumed = ConfigFormation(trainer, lanes, [each.state() for each in alone], steps)
    resumed.train()
    for each, state in zip(alone, resumed.states(), strict=True):
        each.train()
        _require_alike(decode(state), decode(each.state()))


class Freezing(NetTrainer):
    """Freezes its first layer as a hyper-parameter says."""

    def setup(self, hp: Any) -> None:
        if "frozen" in hp:
            self.model[0].requires_grad_(not hp["frozen"])  # type: ignore[operator, union-attr]


def test_gradients_that_wait_for_what_is_frozen_meanwhile_are_forgotten_as_alone() -> None:
    trainer = Freezing("mlp", double=True, size=45)
    vars(trainer).update(accumulate=4)  # 6 batches a step: two wait when it is frozen
    frozen = Piecewise([False, True], [1])
    lanes: list[AnyConfig] = [{"lr": lr, "momentum": 0.9, "frozen": frozen} for lr in (0.1, 0.02)]
    together = ConfigFormation(trainer, lanes)
    together.train(steps=2)
    for config, state in zip(lanes, together.states(), strict=True):
        alone = SoloConfig(trainer, config)
        alone.train(steps=2)
        assert off(state, alone.state()) <= 1e-10  # float64


def test_lanes_whose_waiting_batches_had_other_sizes_are_not_fused() -> None:
    states: list[dict[str, Any]] = [{"gradients": {"waiting": {"": [1, 1.0]}, "values": {}}}] * 2
    FusedDescent(accumulate=3).load_state_dicts(states, (), batch_sizes=[8, 8])
    with pytest.raises(NotFusible, match="batches of several sizes wait"):
        FusedDescent(accumulate=3).load_state_dicts(states, (), batch_sizes=[8, 16])


class OddNet(nn.Module):
    """Parameters that are tied, frozen and unused, and a buffer that is assigned and not written."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(6, 6), nn.Linear(6, 6)
        self.second.weight = self.first.weight
        self.frozen, self.unused, self.last = nn.Linear(6, 6), nn.Linear(3, 3), nn.Linear(6, 3)
        self.frozen.requires_grad_(False)
        self.register_buffer("mean", torch.zeros(6))
        self.register_buffer("scale", torch.full((6,), 0.5))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64), persistent=False)
        self.mean: Tensor
        self.scale: Tensor
        self.calls: Tensor

    def forward(self, samples: Tensor) -> Tensor:
        hidden = torch.tanh(self.second(torch.tanh(self.first(self.frozen(samples))))) * self.scale
        if self.training:
            self.mean = 0.9 * self.mean + 0.1 * hidden.detach().mean(dim=0)
            self.calls += 1
        result: Tensor = self.last(hidden - self.mean)
        return result


class OddTrainer(NetTrainer):
    def make_model(self) -> nn.Module:
        return OddNet().to(self.dtype)


def test_tied_frozen_and_unused_parameters_and_assigned_buffers_are_as_alone() -> None:
    states = required_equal(OddTrainer(double=True), configs(3))
    model = decode(states[0])["model"]
    assert torch.equal(model["first.weight"], model["second.weight"])
    assert float(model["mean"].norm()) > 0
    assert len(decode(states[0])["optimizer"]["state"]) == 5  # tied once, frozen and unused ones not at all


def test_a_model_that_is_called_twice_carries_its_buffers_from_call_to_call() -> None:
    class Twice(OddTrainer):
        def loss(self, model: nn.Module, batch: Any) -> Tensor:
            samples, labels = batch
            return functional.cross_entropy(model(samples) + model(-samples), labels)

    required_equal(Twice(double=True), configs(2))


class Unfreezing(OddTrainer):
    """Trains its frozen layer from the step on at which `thaw` says so."""

    def setup(self, hp: Mapping[str, Any]) -> None:
        if "thaw" in hp:
            self.model.frozen.requires_grad_(hp["thaw"])  # type: ignore[union-attr]


def test_setup_that_freezes_and_unfreezes_is_followed() -> None:
    states = required_equal(Unfreezing(double=True), configs(2, thaw=Piecewise([False, True], [1])), steps=3)
    assert "frozen" in decode(states[0])


def test_a_setup_that_writes_tensors_is_refused() -> None:
    class Writing(NetTrainer):
        def setup(self, hp: Mapping[str, Any]) -> None:
            with torch.no_grad():
                next(self.model.parameters()).zero_()

    with pytest.raises(NotFusible, match=r"setup\(\) writes tensors"):
        ConfigFormation(Writing(), configs(2)).train()


def test_a_setup_that_registers_a_hook_on_gradients_is_refused() -> None:
    class Hooking(NetTrainer):
        def setup(self, hp: Mapping[str, Any]) -> None:
            next(self.model.parameters()).register_hook(torch.clone)

    with pytest.raises(NotFusible, match="has a hook that is called with its gradient"):
        ConfigFormation(Hooking(), configs(2)).train()


def test_a_model_that_asks_whether_gradients_are_wanted_is_told_what_it_is_told_alone() -> None:
    class Asking(NetTrainer):
        def loss(self, model: nn.Module, batch: Any) -> Tensor:
            logits, samples = model(batch[0]), batch[0]
            assert (logits.requires_grad, logits.detach().requires_grad) == (torch.is_grad_enabled(), False)
            assert not samples.requires_grad
            return functional.cross_entropy(logits, batch[1])

    required_equal(Asking(double=True), configs(2))


# ------------------------------------------------------------------------------------------------- states, evaluation


@pytest.mark.parametrize("net", ["mlp", "cnn", "transformer"])
def test_a_lane_is_evaluated_to_the_bits_that_its_state_is_evaluated_to_alone(net: str) -> None:
    trainer, lanes = NetTrainer(net, width=7), configs(3)
    together = ConfigFormation(trainer, lanes)
    together.train(steps=2)
    for lane, config in enumerate(lanes):
        alone = SoloConfig(trainer, config, together.states()[lane], step=2)
        assert together.walker.evaluate(lane, HERE) == alone.walker.evaluate(HERE)


@pytest.mark.parametrize("optimizer", ["sgd", "adamw", "groups"])
def test_a_state_goes_from_one_to_alone_and_back(optimizer: str) -> None:
    trainer, lanes = NetTrainer("cnn", optimizer, double=True), configs(3)
    together = ConfigFormation(trainer, lanes)
    together.train()
    alone = [SoloConfig(trainer, config, state, 1) for config, state in zip(lanes, together.states(), strict=True)]
    for each in alone:
        each.train()
    again = ConfigFormation(trainer, lanes, [each.state() for each in alone], step=2)
    assert [state_hash(each) for each in again.states()] == [state_hash(each.state()) for each in alone]
    again.train()
    for lane, config in enumerate(lanes):
        undisturbed = SoloConfig(trainer, config)
        undisturbed.train(steps=3)
        assert off(again.states()[lane], undisturbed.state()) <= 1e-12


def test_siblings_decode_the_state_that_they_begin_from_once(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = NetTrainer()
    parent = SoloConfig(trainer, {"lr": 0.1})
    parent.train()
    state = parent.state()
    decoded: list[EncodedState] = []

    def counted(encoded: EncodedState) -> Any:
        decoded.append(encoded)
        return decode(encoded)

    monkeypatch.setattr("hippo.training.fusion.fused_state.decode", counted)
    lanes = [{"lr": Piecewise([0.1, 0.1 / (i + 2)], [1])} for i in range(4)]
    children = ConfigFormation(trainer, lanes, [state] * 4, step=1)
    assert decoded == [state]
    children.train()
    assert len({state_hash(each) for each in children.states()}) == 4


def test_names_that_nobody_read_and_changes_that_nobody_saw_are_told() -> None:
    lanes: list[AnyConfig] = [{"lr": Exponential(0.1, 0.5), "unread": rate} for rate in (0.1, Exponential(0.2, 0.5))]
    together = ConfigFormation(NetTrainer(), lanes)
    together.train()
    assert together.walker.take_unread_changes() == []
    together.train()
    (change,) = together.walker.take_unread_changes()
    assert (change.name, change.step, change.before, change.after) == ("unread", 1, 0.2, 0.1)
    assert together.walker.take_unread_changes() == []
    assert together.walker.unread == (("unread",), ("lr",))


class HeadOnly(NetTrainer):
    """Has an optimizer of its last layer alone; the others are not frozen, so that they have gradients, too."""

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        *_, weight, bias = params
        return torch.optim.SGD([weight, bias], lr=self.hp["lr"], momentum=0.9)


@pytest.mark.parametrize("attributes", [{"clip_norm": 0.05}, {"accumulate": 4, "clip_norm": 0.05}], ids=str)
def test_parameters_that_no_optimizer_has_count_as_little_as_alone(attributes: Mapping[str, Any]) -> None:
    trainer = HeadOnly("mlp", double=True)
    vars(trainer).update(attributes)
    states = required_equal(trainer, configs(3))
    if "accumulate" in attributes:  # 6 batches a step
        assert decode(states[0])["gradients"]["values"].keys() == {"3.weight", "3.bias"}
