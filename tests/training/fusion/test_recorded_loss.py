"""Updates are recorded once several were alike, and only where what is recorded is all that they are."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from hippo.hparams import Piecewise
from hippo.testing.formations import HERE, AnyConfig, ConfigFormation, configs
from hippo.testing.fusible_trainers import NetTrainer
from hippo.testing.quiet_trainers import (
    AliasTrainer,
    Caching,
    Counts,
    CountsInModel,
    Frozen,
    QuietNet,
    QuietTrainer,
    SetUpClass,
    ShiftTrainer,
    Smoothed,
    WritesBatch,
)
from hippo.testing.remembering_host import pieces_at
from hippo.testing.tapes import TapeRecorder
from hippo.training.codec import decode
from hippo.training.fusion import recorded_loss
from hippo.training.fusion.recorded_loss import COMPARISONS, UPDATES_BEFORE, LossRecorder
from hippo.training.fusion.refusals import LanesDifferIn
from hippo.training.process.environment import pinned
from hippo.training.recording_experience import RecordingExperience, RecordingListener

pytestmark = pytest.mark.usefixtures("one_thread")


class Recording:
    """A formation that is recorded, and one that is not."""

    def __init__(self, trainer: NetTrainer, configs: Sequence[AnyConfig]) -> None:
        self.told: list[str] = []
        self.outdated: list[str] = []
        self.on = TapeRecorder()
        listener = RecordingListener(self.told.append, self.outdated.append)
        recorder = LossRecorder(RecordingExperience(), listener, lambda device: self.on)
        self.recorded = ConfigFormation(trainer, configs, recorder=recorder)
        self.plain = ConfigFormation(trainer, configs)
        self.walker = self.recorded.walker

    def train(self, steps: int = 4) -> None:
        for _ in range(steps):
            assert self.recorded.train() == self.plain.train()

    def keep(self, lanes: list[int]) -> None:
        self.recorded.keep(lanes)
        self.plain.keep(lanes)

    def require_equal(self) -> None:
        for mine, its in zip(self.recorded.states(), self.plain.states(), strict=True):
            one, other = decode(mine)["model"], decode(its)["model"]
            assert one.keys() == other.keys()
            for name, tensor in other.items():
                assert torch.equal(one[name], tensor), name


CONFIGS = configs(3)
#: of NetTrainer's 48 samples in batches of 8
UPDATES_IN_STEP = 6


@pytest.mark.parametrize("optimizer", ["sgd", "nesterov", "adamw"])
def test_recorded_updates_have_the_bits_of_those_that_are_computed_one_by_one(optimizer: str) -> None:
    both = Recording(QuietTrainer(optimizer=optimizer), CONFIGS)
    both.train(steps=5)
    both.require_equal()
    assert both.told == []
    assert both.on.recorded == 1
    # two of those that are compared are played twice
    assert both.on.played == 5 * UPDATES_IN_STEP - UPDATES_BEFORE + COMPARISONS


def test_a_lone_lane_is_recorded() -> None:
    both = Recording(QuietTrainer(), configs(1))
    both.train(steps=4)
    both.require_equal()
    assert (both.told, both.on.recorded) == ([], 1)


def test_lanes_that_are_evaluated_and_encoded_meanwhile_go_on_as_recorded() -> None:
    both = Recording(QuietTrainer(), CONFIGS)
    for _ in range(4):
        both.train(steps=1)
        metrics = [[each.walker.evaluate(lane, HERE) for lane in range(3)] for each in (both.recorded, both.plain)]
        assert metrics[0] == metrics[1]
        both.require_equal()
    assert both.on.recorded == 1


def test_a_last_batch_that_is_smaller_is_computed_beside_the_recording() -> None:
    both = Recording(QuietTrainer(size=44), CONFIGS)
    both.train(steps=16)
    both.require_equal()
    assert (both.told, both.on.recorded) == ([], 1)
    # of six batches in a step five are full; eight are computed before, and two, and later one, are played twice
    assert both.on.played == 16 * 5 - UPDATES_BEFORE + COMPARISONS + 1


def test_batches_that_come_in_turns_are_recorded_where_they_are_of_the_first_form() -> None:
    both = Recording(QuietTrainer(size=12), CONFIGS)
    both.train(steps=60)
    both.require_equal()
    assert (both.told, both.on.recorded) == ([], 1)
    assert both.on.played == 60 - UPDATES_BEFORE + COMPARISONS


def test_a_form_that_is_not_met_any_more_makes_room_for_another() -> None:
    both = Recording(QuietTrainer(), CONFIGS)
    both.train(steps=20)
    for formation in (both.recorded, both.plain):
        loss = formation.walker._step._loss
        inner = loss.losses

        def doubled(batch: Any, inner: Any = inner) -> Any:
            return inner([torch.cat([each, each]) for each in batch])

        loss.losses = doubled  # type: ignore[method-assign]
    both.train(steps=20)
    both.require_equal()
    assert both.on.recorded == 2


def test_lanes_that_leave_are_recorded_anew() -> None:
    both = Recording(QuietTrainer(), CONFIGS)
    both.train(steps=3)
    both.keep([2, 0])
    played = both.on.played
    both.train(steps=1)
    assert both.on.played == played
    both.train(steps=2)
    both.require_equal()
    assert both.on.recorded == 2
    assert both.on.played > played


def test_a_step_that_failed_is_taken_again_from_where_it_began(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Recording(QuietTrainer(), CONFIGS)
    both.train(steps=3)

    def fail() -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    both.on.fault = fail
    both.train(steps=2)
    both.require_equal()
    assert both.told == ["memory ran out beside what was recorded"]
    assert both.on.recorded == 1


@pytest.mark.parametrize("order", [("now", "before"), ("before", "now")])
def test_buffers_that_are_assigned_to_one_another_are_what_they_are_one_by_one(order: Sequence[str]) -> None:
    both = Recording(ShiftTrainer(*order), CONFIGS)
    for _ in range(4):
        both.train(steps=1)
        both.require_equal()
    assert (both.told, both.on.recorded) == ([], 1)


def test_an_evaluation_for_which_memory_is_too_short_is_taken_again_without_a_recording(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = Recording(QuietTrainer(), CONFIGS)
    both.train(steps=3)
    evaluate = QuietTrainer.evaluate

    def short(trainer: QuietTrainer) -> Any:
        if both.walker._step._loss._recording is not None:  # type: ignore[union-attr]
            raise torch.OutOfMemoryError("CUDA out of memory")
        return evaluate(trainer)

    expected = both.plain.walker.evaluate(1, HERE)
    monkeypatch.setattr(NetTrainer, "evaluate", short)
    assert both.walker.evaluate(1, HERE) == expected
    assert both.told == ["memory ran out beside what was recorded"]
    both.train(steps=2)
    both.require_equal()


def test_whatever_fails_beside_a_recording_is_tried_again_without_one() -> None:
    both = Recording(QuietTrainer(), CONFIGS)
    both.train(steps=3)

    def fail() -> None:
        raise RuntimeError("an illegal instruction")

    both.on.fault = fail
    both.train(steps=2)
    both.require_equal()
    (told,) = both.told
    assert "an illegal instruction" in told


# --------------------------------------------------------------------------------------------------- what is looked at


def test_a_value_that_a_loss_looks_at_is_recorded_anew_when_it_changes() -> None:
    smoothing = Piecewise([0.0, 0.3], [3])
    both = Recording(Smoothed(), [{**config, "smoothing": smoothing} for config in CONFIGS])
    both.train(steps=6)
    both.require_equal()
    assert both.on.recorded == 2


def test_lanes_that_begin_to_differ_in_such_a_value_are_told_of() -> None:
    lanes = [{**config, "smoothing": Piecewise([0.0, 0.1 * lane], [4])} for lane, config in enumerate(CONFIGS)]
    both = Recording(Smoothed(), lanes)
    both.train(steps=4)
    pieces = [pieces_at(config, 4) for config in lanes]
    for walker in (both.walker, both.plain.walker):
        with pytest.raises(LanesDifferIn, match="smoothing"):
            walker.train([HERE] * 3, pieces)


def test_what_is_set_up_anew_is_recorded_anew() -> None:
    frozen = Piecewise([False, True], [3])
    both = Recording(Frozen(), [{**config, "frozen": frozen} for config in CONFIGS])
    both.train(steps=6)
    both.require_equal()
    assert both.on.recorded == 2


def test_what_was_frozen_in_a_step_that_failed_is_frozen_when_it_is_taken_again() -> None:
    both = Recording(Frozen(size=192), [{**config, "frozen": True} for config in CONFIGS])

    def fail() -> None:
        if both.on.played == COMPARISONS + 1:
            raise torch.OutOfMemoryError("CUDA out of memory")

    both.on.fault = fail
    both.train(steps=2)
    both.require_equal()
    assert both.told == ["memory ran out beside what was recorded"]


class SmoothedEarly(Smoothed):
    """Looks at the value only while another one says so."""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        if self.hp["early"]:
            return super().loss(model, batch)
        return QuietTrainer.loss(self, model, batch)


def test_a_value_that_a_later_recording_does_not_look_at_may_differ() -> None:
    early = Piecewise([True, False], [3])
    lanes = [
        {**config, "early": early, "smoothing": Piecewise([0.1, 0.1 * lane], [6])}
        for lane, config in enumerate(CONFIGS)
    ]
    both = Recording(SmoothedEarly(), lanes)
    both.train(steps=9)
    both.require_equal()
    assert (both.told, both.on.recorded) == ([], 2)


def test_a_table_of_the_model_that_an_evaluation_replaces_is_recorded_anew() -> None:
    both = Recording(Caching(), CONFIGS)
    for _ in range(3):
        both.train(steps=1)
        for formation in (both.recorded, both.plain):
            formation.walker.evaluate(0, HERE)
        both.require_equal()
    assert both.on.recorded == 2


class ScaledNet(QuietNet):
    """Multiplies what it comes to by an attribute."""

    scale = 1.0

    def forward(self, points: Tensor) -> Any:
        return self.scale * super().forward(points)


class SetUp(QuietTrainer):
    """Its `setup` puts a number into the model, and its loss looks at an attribute."""

    weight = 1.0

    def make_model(self) -> nn.Module:
        return ScaledNet().to(self.dtype)

    def setup(self, hp: Any) -> None:
        if "scale" in hp:
            self.model.scale = hp["scale"]

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        return super().loss(model, batch) * self.weight


def test_a_number_that_is_put_into_the_model_later_is_recorded_anew() -> None:
    scale = Piecewise([1.0, 0.5], [3])
    both = Recording(SetUp(), [{**config, "scale": scale} for config in CONFIGS])
    both.train(steps=6)
    both.require_equal()
    assert both.on.recorded == 2


class Held:
    """Something of the user's own."""

    value = 1.0


class HoldingTrainer(QuietTrainer):
    """Has a factor of its loss in an object."""

    def make_model(self) -> nn.Module:
        self.held = Held()
        return super().make_model()

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        return super().loss(model, batch) * self.held.value


def test_what_an_object_of_the_trainer_holds_is_followed() -> None:
    both = Recording(HoldingTrainer(), CONFIGS)
    both.train(steps=3)
    for formation in (both.recorded, both.plain):
        formation.walker._trainer.held.value = 2.0  # type: ignore[attr-defined]
    both.train(steps=3)
    both.require_equal()
    assert (both.told, both.on.recorded) == ([], 2)


def test_what_nobody_sees_is_told_when_a_recording_is_compared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Recording(HoldingTrainer(), CONFIGS)
    both.train(steps=6)
    monkeypatch.setattr(Held, "value", 2.0)
    for _ in range(5):  # eight updates before, and 58 plays
        both.recorded.train()
    assert (both.told, both.outdated) == ([], [])
    both.recorded.train()
    (told,) = both.outdated
    assert "of it 63 updates ago" in told
    assert "Of the 61 updates before this one any may be wrong." in told
    assert both.told == ["what was recorded comes to something else than what it was recorded of"]


class HoldingNet(ScaledNet):
    """Has its factor in an object."""

    def __init__(self) -> None:
        super().__init__()
        self.held = Held()

    def forward(self, points: Tensor) -> Any:
        return self.held.value * super().forward(points)


class SetUpInside(SetUp):
    """Its `setup` puts the number where nobody looks."""

    def make_model(self) -> nn.Module:
        return HoldingNet().to(self.dtype)

    def setup(self, hp: Any) -> None:
        if "scale" in hp:
            self.model.held.value = hp["scale"]


def test_whatever_setup_may_have_changed_is_recorded_anew() -> None:
    scale = Piecewise([1.0, 0.5], [3])
    both = Recording(SetUpInside(), [{**config, "scale": scale} for config in CONFIGS])
    both.train(steps=6)
    both.require_equal()
    assert both.on.recorded == 2


def test_a_variable_of_the_class_that_setup_sets_is_followed() -> None:
    both = Recording(SetUpClass(), [{**config, "factor": Piecewise([1.0, 2.0], [4])} for config in CONFIGS])
    both.train(steps=8)
    both.require_equal()
    assert (both.told, both.on.recorded) == ([], 2)


def test_tensors_that_lie_elsewhere_are_recorded_anew() -> None:
    both = Recording(QuietTrainer(), CONFIGS)
    both.train(steps=3)
    tensors = both.walker._state.tensors
    before = dict(tensors.stacked)  # so that nothing else comes to lie there
    tensors.restore(tensors.snapshot())
    both.train(steps=3)
    both.require_equal()
    assert both.on.recorded == 2
    assert before.keys() == tensors.stacked.keys()


def test_an_attribute_that_is_other_later_is_recorded_anew() -> None:
    both = Recording(SetUp(), [{**config, "scale": 1.0} for config in CONFIGS])
    both.train(steps=3)
    for formation in (both.recorded, both.plain):
        formation.walker._trainer.weight = 0.5  # type: ignore[attr-defined]
    both.train(steps=3)
    both.require_equal()
    assert both.on.recorded == 2


# ----------------------------------------------------------------------------------------------- what is not recorded


class DrawsInPython(QuietTrainer):
    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        return super().loss(model, batch) * (1 + random.random())


class DrawsInNumpy(QuietTrainer):
    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        return super().loss(model, batch) * (1 + float(np.random.rand()))


class CountsInDict(QuietTrainer):
    """What it holds in a dictionary decides about its loss."""

    def __init__(self) -> None:
        super().__init__()
        self.meter = {"calls": 0}

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        self.meter["calls"] += 1
        return super().loss(model, batch)


class DrawsItself(QuietTrainer):
    """Draws from a generator of its own, and seldom minds what it drew."""

    def __init__(self, kind: str = "python") -> None:
        super().__init__()
        self.kind = kind

    def draw(self) -> float:
        if self.kind == "torch":
            return float(torch.rand((), generator=self.own))
        return float(self.own.random())

    def make_model(self) -> nn.Module:
        made = {"python": random.Random, "numpy": np.random.default_rng, "torch": torch.Generator().manual_seed}
        self.own: Any = made[self.kind](1)
        return super().make_model()

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        return super().loss(model, batch) * (2 if self.draw() < 0.1 else 1)


@pytest.mark.parametrize(
    ("trainer", "why"),
    [
        (NetTrainer(), "loss() draws from the generator of torch, and what it drew would be drawn for ever"),
        (DrawsInPython(), "loss() draws from the generator of python, and what it drew would be drawn for ever"),
        (DrawsInNumpy(), "loss() draws from the generator of numpy, and what it drew would be drawn for ever"),
        (Counts(), "loss() sets attributes of the trainer, or what they hold"),
        (CountsInDict(), "loss() sets attributes of the trainer, or what they hold"),
        (DrawsItself(), "loss() draws from a generator of the trainer's own"),
        (DrawsItself("numpy"), "loss() draws from a generator of the trainer's own"),
        (DrawsItself("torch"), "loss() draws from a generator of the trainer's own"),
        (WritesBatch(), "loss() writes its batch"),
        (AliasTrainer(), "the model assigns another tensor of its own to its buffer 'last_bias'"),
        (CountsInModel(), "the model sets attributes of its modules when it is called"),
    ],
)
def test_what_python_does_between_kernels_keeps_updates_from_being_recorded(trainer: NetTrainer, why: str) -> None:
    both = Recording(trainer, CONFIGS)
    both.train(steps=4)
    both.require_equal()
    assert (both.told, both.on.played) == ([why], 0)


def test_what_cannot_be_recorded_is_said_once_and_computed_one_by_one() -> None:
    both = Recording(QuietTrainer(), CONFIGS)

    both.on.refusal = "operation not permitted when stream is capturing"
    both.train(steps=4)
    both.require_equal()
    assert len(both.told) == 1
    assert "operation not permitted when stream is capturing" in both.told[0]


@pytest.mark.parametrize("place", ["losses", "gradients", "buffers", "chance"])
def test_a_recording_that_comes_to_something_else_does_not_count(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    both = Recording(QuietTrainer(), CONFIGS)
    made: list[Any] = []
    real = recorded_loss._RecordedUpdate

    def noted(*given: Any) -> Any:
        made.append(real(*given))
        return made[-1]

    monkeypatch.setattr(recorded_loss, "_RecordedUpdate", noted)

    def spoil() -> None:
        if place == "losses":
            made[-1].losses[0] += 1e-6
        elif place == "gradients":
            made[-1].gradients[-1][0] += 1e-6
        elif place == "buffers":
            both.walker._state.tensors.own_buffers()["norm.running_mean"][1] += 1e-6
        else:
            torch.rand(1)

    both.on.fault = spoil
    with pinned(1):  # operations are deterministic: then every bit counts
        both.train(steps=4)
    both.require_equal()
    assert both.told == ["what was recorded comes to something else than what it was recorded of"]
    assert both.on.played == 1
    assert both.walker.num_lanes == 3


def test_gradients_of_several_batches_are_not_recorded() -> None:
    trainer = QuietTrainer()
    trainer.accumulate = 2
    both = Recording(trainer, CONFIGS)
    both.train(steps=4)
    both.require_equal()
    assert both.on.recorded == 0
