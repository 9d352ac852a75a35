"""The fusion check: what may be walked as one is, and nothing that would come to something else."""

from __future__ import annotations

import contextlib
import itertools
import random
import warnings
from collections.abc import Mapping
from typing import Any

import numpy
import pytest
import torch
from torch import Tensor, nn
from torch.func import vmap
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence

from hippo.hparams import Linear, Warmup
from hippo.records import Fusion, Point
from hippo.testing.formations import HERE, ConfigFormation, SoloConfig
from hippo.testing.fusible_trainers import NetTrainer
from hippo.testing.remembering_host import pieces_at
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.training import telling
from hippo.training.codec import state_hash
from hippo.training.fusion.changed_pieces import PieceChange, changed
from hippo.training.fusion.check import FusionCheck, decide
from hippo.training.fusion.outcomes import EvaluatedLanes, LaneOutcome, short_sizes
from hippo.training.fusion.stand_in import StandIn
from hippo.training.fusion.timed_lanes import foretold
from hippo.training.trainer import Trainer
from hippo.training.walking.walker import UserCodeFailed

pytestmark = pytest.mark.usefixtures("one_thread")


class CountingClock:
    """Shows as many seconds more at each look, so that any number of lanes takes as long as one."""

    def __init__(self, seconds: float = 1.0) -> None:
        self._count, self._seconds = itertools.count(), seconds

    def elapsed(self) -> float:
        return next(self._count) * self._seconds


def decided(trainer: Trainer, numerics: str = "fused", clock: Any = None, **config: Any) -> Fusion:
    fusion, seconds = decide(
        trainer,
        step=0,
        pieces=pieces_at({"lr": 0.05, **config}, 0),
        state=None,
        goal=Point(HERE, 1),
        numerics=numerics,
        clock=clock or CountingClock(),
    )
    assert seconds >= 0
    return fusion


def test_what_the_values_of_its_own_do_to_a_state_is_told_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer, config = NetTrainer("mlp"), {"lr": 0.05, "weight_decay": Linear(0.01, 0.01)}
    alone = SoloConfig(trainer, config)
    alone.train()
    monkeypatch.setattr(telling, "_told", set())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fusion, _ = decide(
            trainer, step=1, pieces=pieces_at(config, 1), state=alone.state(), goal=Point(HERE, 2), numerics="fused",
            clock=CountingClock(),
        )  # fmt: skip
    assert fusion.is_fused
    assert not telling._told


# ---------------------------------------------------------------------------------------------- what is sound is fused


@pytest.mark.slow
@pytest.mark.parametrize("net", ["mlp", "cnn", "transformer"])
@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
def test_sound_programs_are_fused(net: str, optimizer: str) -> None:
    fusion = decided(NetTrainer(net, optimizer))
    assert fusion.is_fused
    assert "depend on the lanes beside it" not in fusion.detail


@pytest.mark.slow
def test_what_rounding_leaves_of_a_gradient_that_is_zero_is_no_fault() -> None:
    # a bias before batch norm, by Adam: in float32 two sound programs part at once
    assert decided(BlobsTrainer(optimizer="adam", augment=False), batch_size=10).is_fused


def test_a_lane_that_says_nothing_yet_is_not_held_against_its_shape() -> None:
    assert decided(NetTrainer(), "fused-fast", lr=0.0).is_fused
    assert decided(NetTrainer(), "fused-fast", lr=Warmup(5, 0.1, initial=0.0)).is_fused
    assert decided(NetTrainer(), "fused-fast", lr=1e4).is_fused
    assert decided(NetTrainer(), "fused-fast", lr=1e30).is_fused


def test_names_that_split_lanes_do_not_keep_others_from_being_fused() -> None:
    assert decided(Smoothing(), "fused-fast", smoothing=0.2).is_fused


def test_a_value_that_leaves_zero_within_a_step_does_not_keep_lanes_from_being_fused() -> None:
    trainer = Smoothing(size=33)  # two batches are compared, and more are timed
    trainer.apply_hparams = "batch"
    warm = Warmup(1, 0.2, initial=0.0)
    assert decided(trainer, "fused-fast", clock=CountingClock(1e-3), smoothing=warm, batch_size=8).is_fused


def test_a_state_to_begin_from_is_gone_on_from() -> None:
    trainer = NetTrainer("mlp", "adamw")
    alone = SoloConfig(trainer, {"lr": 0.05})
    alone.train()
    pieces = pieces_at({"lr": 0.05}, 0)
    fusion, _ = decide(
        trainer,
        step=1,
        pieces=pieces,
        state=alone.state(),
        goal=Point(HERE, 2),
        numerics="fused",
        clock=CountingClock(),
    )
    assert fusion.is_fused


@pytest.mark.parametrize("step", [0, 1])
def test_the_lanes_that_are_compared_are_trained_at_two_rates_wherever_they_begin(step: int) -> None:
    trainer = NetTrainer("mlp")
    alone = SoloConfig(trainer, {"lr": 0.05})
    alone.train()
    state, goal, pieces = alone.state() if step else None, Point(HERE, step + 1), pieces_at({"lr": 0.05}, 0)
    check = FusionCheck(trainer, step, pieces, state, goal, CountingClock().elapsed)
    one, other = (check._run_alone(lane) for lane in check._lanes(Fusion(is_fused=True)).values())
    assert not one.has_bits_of(other)


def test_what_an_optimizer_has_as_options_changes_where_a_lane_begins_and_other_values_before() -> None:
    pieces = changed(pieces_at({"lr": 0.5, "smoothing": 0.5}, 0), PieceChange(factor=0.5), since=2)
    assert [(pieces["lr"].at(t), pieces["smoothing"].at(t)) for t in (1, 2)] == [(0.5, 0.25), (0.25, 0.25)]


class Bounded(NetTrainer):
    """Computes something that torch takes lanes for one after another."""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        samples, labels = batch
        return functional.multi_margin_loss(model(samples), labels)


def test_users_are_not_told_what_torch_lacks() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        decided(Bounded(), "fused")
    assert [str(each.message) for each in told if "performance drop" in str(each.message)] == []
    with pytest.warns(UserWarning, match="performance drop"):  # of what they compute themselves they are
        vmap(lambda scores: functional.multi_margin_loss(scores, torch.zeros(4, dtype=torch.long)))(torch.ones(2, 4, 3))


# ----------------------------------------------------------------------------------- silent errors, their remedies out


class Smoothing(NetTrainer):
    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        samples, labels = batch
        return functional.cross_entropy(model(samples), labels, label_smoothing=self.hp["smoothing"])


class Assigning(NetTrainer):
    """Keeps a mean in a buffer that it assigns, and takes it off."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(6, 8), nn.Tanh())
            self.last = nn.Linear(8, 3)
            self.register_buffer("mean", torch.zeros(8))

        def forward(self, samples: Tensor) -> Any:
            hidden = self.layers(samples)
            self.mean = 0.5 * self.mean + 0.5 * hidden.detach().mean(dim=0)
            return self.last(hidden - self.mean)

    def make_model(self) -> nn.Module:
        return self.Net()


def test_buffers_that_are_lost_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    assert decided(Assigning(), "fused-fast").is_fused
    monkeypatch.setattr("hippo.training.fusion.fused_loss.assigned_by", lambda _: {})
    fusion = decided(Assigning(), "fused-fast")
    assert not fusion.is_fused
    assert "most in 'mean'" in fusion.detail


def test_masks_of_transposed_tensors_that_are_drawn_otherwise_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hippo.training.fusion.fused_loss.DrawAsSolo", contextlib.nullcontext)
    fusion = decided(NetTrainer("transformer"), "fused-fast")
    assert not fusion.is_fused
    assert "of the way that it walks alone" in fusion.detail


def test_a_value_of_one_lane_that_reaches_another_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hippo.training.fusion.lane_values.LaneValues.require_common", lambda *_: None)
    fusion = decided(Smoothing(), "fused-fast", smoothing=0.2)
    assert not fusion.is_fused


# ------------------------------------------------------------------------------------------- what walks solo, and why


class Packed(NetTrainer):
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell, self.last = nn.LSTM(8, 4, batch_first=True), nn.Linear(4, 3)

        def forward(self, texts: Tensor) -> Any:
            packed = pack_padded_sequence(texts, torch.full((len(texts),), 4), batch_first=True)
            return self.last(self.cell(packed)[1][0][0])

    def __init__(self) -> None:
        super().__init__("transformer")

    def make_model(self) -> nn.Module:
        return self.Net()


class Reporting(NetTrainer):
    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        loss = super().loss(model, batch)
        self.last = loss.item()
        return loss


class Rooted(NetTrainer):
    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.RMSprop(params, lr=self.hp["lr"])


class Updating(NetTrainer):
    def update(self, loss: Tensor) -> None:
        super().update(loss)


class Hooked(NetTrainer):
    def make_model(self) -> nn.Module:
        model = super().make_model()
        self.hook(model)
        return model

    def hook(self, model: nn.Module) -> None:
        next(model.parameters()).register_hook(torch.clone)


class HookedAfter(Hooked):
    def hook(self, model: nn.Module) -> None:
        next(model.parameters()).register_post_accumulate_grad_hook(lambda parameter: None)


class HookedModule(Hooked):
    def hook(self, model: nn.Module) -> None:
        list(model.modules())[-1].register_full_backward_hook(lambda *_: None)


class HookedBefore(Hooked):
    def hook(self, model: nn.Module) -> None:
        list(model.modules())[-1].register_full_backward_pre_hook(lambda *_: None)


class HookedTensor(NetTrainer):
    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        logits = model(batch[0])
        if logits.requires_grad:  # of a lane's tensor, too
            logits.register_hook(torch.clone)
        return nn.functional.cross_entropy(logits, batch[1])


class Shapeless(NetTrainer):
    def make_model(self) -> nn.Module:
        return nn.Sequential(nn.Flatten(), nn.LazyLinear(3))


class Growing(NetTrainer):
    """Has an observer, as quantization-aware training has, whose buffers get their shape from what it sees first."""

    class Observer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("largest", torch.zeros(0))

        def forward(self, x: Tensor) -> Tensor:
            self.largest = x.detach().amax(0)
            return x

    def make_model(self) -> nn.Module:
        return nn.Sequential(super().make_model(), self.Observer())


class Failing(NetTrainer):
    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        raise ValueError("no loss today")


@pytest.mark.parametrize(
    ("cls", "says"),
    [
        (Packed, "Batching rule not implemented for aten::lstm.data"),
        (Reporting, "It looks like you're calling .item() on a Tensor"),
        (Rooted, "RMSprop"),
        (Updating, "overrides update()"),
        (Hooked, "has a hook that is called with its gradient;"),
        (HookedAfter, "has a hook that is called with its gradient;"),
        (HookedModule, "has a hook that is called with its gradients;"),
        (HookedBefore, "has a hook that is called with its gradients;"),
        (HookedTensor, "registers a hook that is called with a tensor's gradient;"),
        (Shapeless, "'1.weight' of the model has no shape before its first batch"),
        (Growing, "an update changes the shape of '1.largest' of the model;"),
    ],
)
def test_what_cannot_be_fused_says_why_in_a_line(cls: type[NetTrainer], says: str) -> None:
    fusion = decided(cls())
    assert not fusion.is_fused
    assert says in fusion.detail
    assert "\n" not in fusion.detail


def test_what_raises_alone_says_nothing_of_lanes() -> None:
    with pytest.raises(UserCodeFailed, match="no loss today"):
        decided(Failing())


class Timed(NetTrainer):
    """Takes so many seconds, on its own clock, for a batch of one lane, and for one of a formation.

    Between two moments something else is computed, too, and all takes longer.
    """

    def __init__(self, together_s: float, *, alone_s: float = 1.0, busy: tuple[float, float] = (0.0, 0.0)) -> None:
        super().__init__()
        self.seconds, self.alone_s, self.together_s, self.busy = [0.0], alone_s, together_s, busy

    def elapsed(self) -> float:
        return self.seconds[0]

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        is_busy = self.busy[0] <= self.seconds[0] < self.busy[1]
        self.seconds[0] += (self.together_s if isinstance(model, StandIn) else self.alone_s) * (1.4 if is_busy else 1.0)
        return super().loss(model, batch)


@pytest.mark.parametrize(
    ("together_s", "lanes_at_first", "says"),
    [
        (0.01, 64, "64 lanes take as long as 0.0 one by one"),
        (
            2.0,
            64,
            "16 lanes take as long as 2.0 one by one",
        ),  # to time more would take long, but they cost no more
        (6.0, 64, "16 lanes take as long as 6.0 one by one"),  # 4 lanes are dear, but 16 are cheap
        (14.0, 16, "16 lanes take as long as 14.0 one by one"),  # they save little
        (17.0, None, "16 lanes take as long as 17.0 one by one: walking them together gains nothing"),
    ],
)
def test_lanes_that_take_as_long_together_are_walked_one_by_one(
    together_s: float, lanes_at_first: int | None, says: str
) -> None:
    trainer = Timed(together_s)
    fusion = decided(trainer, "fused-fast", clock=trainer)
    assert (fusion.is_fused, fusion.detail) == (lanes_at_first is not None, says)
    assert lanes_at_first in (None, fusion.lanes_at_first)


def test_the_longer_batches_are_the_fewer_are_timed() -> None:
    spent = {}
    for alone_s in (1.0, 0.004):
        trainer = Timed(2 * alone_s, alone_s=alone_s)
        fusion = decided(trainer, "fused-fast", clock=trainer)
        assert (fusion.lanes_at_first, "take as long as 2.0 one by one" in fusion.detail) == (64, True)
        spent[alone_s] = trainer.elapsed() / alone_s
    # before that, 8 of one lane; then one of each number once or twice, or four of one and of 4 lanes, four times
    assert spent == pytest.approx({1.0: 8 + 2 + 2 * 2, 0.004: 8 + 20 + 4 * 4 * 2 + 2 * 4 * 2})


def test_an_update_is_timed_however_many_batches_it_takes() -> None:
    trainer = Timed(2.0)
    trainer.accumulate = 3
    decided(trainer, "fused-fast", clock=trainer)
    assert trainer.elapsed() == 21 + 3 * (2 + 2 * 2)  # before it is timed, two updates of one lane and of several


@pytest.mark.parametrize(("numerics", "keeps_bits"), [("fused", True), ("fused-fast", False)])
def test_a_verdict_says_whether_bits_are_promised(numerics: str, keeps_bits: bool) -> None:
    assert decided(NetTrainer(), numerics).keeps_bits is keeps_bits


def test_what_nobody_timed_is_foretold_on_a_line() -> None:
    assert foretold({4: 2.0, 16: 5.0}, 64) == 5.0 + 48 * 0.25
    assert foretold({4: 3.0, 16: 2.0}, 64) == 2.0  # more lanes never take less


@pytest.mark.parametrize(
    ("together_s", "busy", "is_fused"),
    [
        (17.0, (0.0, 56.0), False),  # one lane alone was timed then, and 16 lanes later
        (13.0, (33.0, 60.0), True),  # and the other way round
    ],
)
def test_what_else_is_computed_for_a_while_decides_nothing(
    together_s: float, busy: tuple[float, float], is_fused: bool
) -> None:
    trainer = Timed(together_s, busy=busy)
    fusion = decided(trainer, "fused-fast", clock=trainer)
    assert (fusion.is_fused, f"as long as {together_s} one by one" in fusion.detail) == (is_fused, True)


# ------------------------------------------------------------------------------------------------------- no trace


def test_the_check_leaves_no_trace_in_the_process() -> None:
    def trace() -> list[Any]:
        return [
            random.getstate(),
            numpy.random.get_state()[1].tolist(),  # type: ignore[index,union-attr]
            torch.get_rng_state().tolist(),
            torch.get_num_threads(),
            torch.is_grad_enabled(),
            torch.get_deterministic_debug_mode(),
            torch.backends.cuda.flash_sdp_enabled(),
            torch.get_default_dtype(),
        ]

    trainer = BlobsTrainer()  # noise of three generators for each sample
    attributes = set(vars(trainer))
    before = trace()
    assert decided(trainer, batch_size=10).is_fused
    assert trace() == before
    assert set(vars(trainer)) == attributes


# --------------------------------------------------------------------------------------------------- a lone lane


@pytest.mark.slow
@pytest.mark.parametrize("net", ["cnn", "transformer"])
def test_a_lone_lane_is_walked_as_the_check_found_it_to_have_its_own_bits(net: str) -> None:
    trainer = NetTrainer(net, width=5)
    fusion = decided(trainer)
    config: Mapping[str, Any] = {"lr": 0.05}
    together = ConfigFormation(trainer, [{"lr": 0.01}, config, {"lr": 0.1}], fusion=fusion)
    lone = ConfigFormation(trainer, [config], fusion=fusion)
    assert together.train(steps=2)[1] == lone.train(steps=2)[0]
    assert together.walker.evaluate(1, HERE) == lone.walker.evaluate(0, HERE)


class Normed(NetTrainer):
    """Has biases before batch norm, whose gradients are nothing but what rounding leaves of zero."""

    def make_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 3))


def test_bits_of_gradients_count_however_little_weights_move_by_them() -> None:
    assert decided(Normed(size=45), lr=1e-6, momentum=0.0).is_aligned


def test_a_lone_lane_is_walked_beside_a_twin_where_it_needs_one() -> None:
    trainer, config, fusion = NetTrainer(), {"lr": 0.05}, Fusion(is_fused=True, has_twin=True)
    lone = ConfigFormation(trainer, [config], fusion=fusion)
    left = ConfigFormation(trainer, [{"lr": 0.1}, config], fusion=fusion)
    together = ConfigFormation(trainer, [{"lr": 0.1}, config], fusion=fusion)
    metrics = [each.train() for each in (lone, left, together)]
    left.keep([1])
    assert [len(each) for each in metrics] == [1, 2, 2]
    assert [each.walker._state.tensors.num_lanes for each in (lone, left, together)] == [2, 2, 2]
    assert lone.train()[0] == left.train()[0] == together.train()[1]
    assert [state_hash(each) for each in lone.states()] == [state_hash(together.walker.encode(1, HERE))]


@pytest.mark.parametrize(("size", "sizes"), [(48, [8, 8, 8, 8]), (45, [8, 7, 5]), (49, [8, 7, 1]), (55, [8, 7, 8])])
def test_the_check_looks_at_a_short_batch_and_the_shortest_where_there_may_be_one(size: int, sizes: list[int]) -> None:
    found: list[int] = []

    class Counting(NetTrainer):
        def loss(self, model: nn.Module, batch: Any) -> Tensor:
            if isinstance(model, StandIn):
                found.append(len(batch[1]))
            return super().loss(model, batch)

    assert decided(Counting(size=size), "fused-fast").is_fused
    assert found[: len(sizes)] == sizes


@pytest.mark.parametrize(("accumulate", "samples_per_step"), [(1, 8), (4, 16)])
@pytest.mark.parametrize("net", ["mlp", "cnn"])  # whose running statistics move also where no weight does
def test_the_check_looks_at_two_updates_however_few_batches_a_step_has(
    net: str, accumulate: int, samples_per_step: int
) -> None:
    trainer = NetTrainer(net)
    trainer.accumulate, trainer.samples_per_step = accumulate, samples_per_step
    found: list[LaneOutcome] = []

    class Looking(FusionCheck):
        def _together(self, lanes: Any, fusion: Fusion) -> list[LaneOutcome]:
            found.extend(outcomes := super()._together(lanes, fusion))
            return outcomes

    pieces = pieces_at({"lr": 0.05}, 0)
    check = Looking(trainer, 0, pieces, None, Point(HERE, 1), CountingClock().elapsed)
    assert check.decide(keeps_bits=False).is_fused
    assert all("gradient 1 of" in " ".join(outcome.optimizer) for outcome in found)


@pytest.mark.parametrize(
    ("length", "samples", "batch_size", "sizes"),
    [
        (32, 32, 16, set()),
        (33, 33, 16, {1}),
        (40, 16, 5, {1, 3}),
        (12, 40, 10, {2, 4, 8}),
        (7, 10**9 + 1, 5, {2}),
        (10**9 + 5, 10, 5, set()),
        (10**9 + 4, 10, 5, {1, 2, 3, 4}),
    ],
)
def test_batches_are_short_where_steps_and_epochs_end(
    length: int, samples: int, batch_size: int, sizes: set[int]
) -> None:
    assert short_sizes(length, samples, batch_size) == sizes


class Spread(BlobsTrainer):
    """Keeps the losses of a batch's samples alike: of one sample that is NaN."""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        losses = nn.functional.cross_entropy(model(batch[0]), batch[1], reduction="none")
        return losses.mean() + 0.1 * losses.std()


@pytest.mark.filterwarnings("ignore:std")
@pytest.mark.parametrize("batch_size", [16, 2])  # the odd batch that is looked at in place of the shortest may be that
@pytest.mark.parametrize("is_told", [True, False])
def test_a_batch_that_is_too_short_to_be_trained_keeps_no_lanes_from_being_fused(
    batch_size: int, *, is_told: bool
) -> None:
    trainer = (BlobsTrainer if is_told else Spread)(
        size=641, samples_per_step=64, augment=False, batch_norm=is_told
    )  # a batch of one, at step 11
    assert decided(trainer, "fused-fast", batch_size=batch_size).is_fused


def test_metrics_that_are_equal_hide_no_last_bit_of_what_a_model_returns() -> None:
    def evaluated(*logits: float) -> EvaluatedLanes:
        return EvaluatedLanes([{"accuracy": 1.0}], [], [[torch.tensor([each]) for each in logits]])

    assert evaluated(1.0).has_bits_of(0, evaluated(1.0), 0)
    assert not evaluated(1.0).has_bits_of(0, evaluated(1.0 + 2**-23), 0)
    assert not evaluated(1.0).has_bits_of(0, evaluated(1.0, 2.0), 0)  # the model was called more often
