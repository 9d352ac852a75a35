"""Updates of a model that is walked alone are recorded, to the bits that they have one by one; or why not is said."""

from __future__ import annotations

import copy
import gc
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import hippo
from hippo.errors import ExactnessError
from hippo.hparams import Piecewise
from hippo.records import Point
from hippo.testing.formations import HERE, AnyConfig, SoloConfig, configs
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
from hippo.training.fusion import model_updates, recorded_loss
from hippo.training.fusion.recorded_loss import COMPARISONS, UPDATES_BEFORE
from hippo.training.process.environment import pinned
from hippo.training.recording_experience import NO_MEMORY, RecordingExperience, RecordingListener
from hippo.training.torch_trainer import TorchTrainer
from hippo.training.walking.walker import RecordedStepFailed, UserCodeFailed

pytestmark = pytest.mark.usefixtures("one_thread")

(CONFIG,) = configs(1)
#: of NetTrainer's 48 samples in batches of 8
UPDATES_IN_STEP = 6


@pytest.fixture(autouse=True)
def tape(monkeypatch: pytest.MonkeyPatch) -> TapeRecorder:
    """What records, as a CUDA device would."""
    tape = TapeRecorder()
    monkeypatch.setattr(model_updates, "recorder_of", lambda device: tape)
    return tape


class Both:
    """A lane that is recorded, and one that is not."""

    def __init__(self, trainer: TorchTrainer, config: AnyConfig = CONFIG, *, is_asked: bool = True) -> None:
        self.told: list[str] = []
        self.recorded, self.plain = SoloConfig(trainer, config), SoloConfig(trainer, config)
        self.walker = self.recorded.walker
        self.outdated: list[str] = []
        listener = RecordingListener(self.told.append, self.outdated.append)
        self.walker.record(RecordingExperience(), listener, is_asked=is_asked)

    def train(self, steps: int = 4) -> None:
        for _ in range(steps):
            assert self.recorded.train() == self.plain.train()

    def trainers(self) -> list[Any]:
        return [lane.walker._trainer for lane in (self.recorded, self.plain)]

    def require_equal(self) -> None:
        one, other = decode(self.recorded.state()), decode(self.plain.state())
        assert one["model"].keys() == other["model"].keys()
        for name, tensor in other["model"].items():
            assert torch.equal(one["model"][name], tensor), name


@pytest.mark.parametrize("clip_norm", [None, 0.1])
@pytest.mark.parametrize("optimizer", ["sgd", "nesterov", "adamw", "groups"])
def test_recorded_updates_have_the_bits_of_those_that_are_computed_one_by_one(
    optimizer: str, clip_norm: float | None, tape: TapeRecorder
) -> None:
    trainer = QuietTrainer(optimizer=optimizer)
    trainer.clip_norm = clip_norm
    both = Both(trainer)
    both.train(steps=5)
    both.require_equal()
    assert (both.told, tape.recorded) == ([], 1)
    assert tape.played == 5 * UPDATES_IN_STEP - UPDATES_BEFORE + COMPARISONS


def test_updates_in_bfloat16_are_recorded() -> None:
    trainer = QuietTrainer()
    trainer.precision = "bf16"
    both = Both(trainer)
    both.train(steps=4)
    both.require_equal()
    assert both.told == []


def test_a_lane_that_is_evaluated_and_encoded_meanwhile_goes_on_as_recorded(tape: TapeRecorder) -> None:
    both = Both(QuietTrainer())
    for _ in range(4):
        both.train(steps=1)
        assert both.walker.evaluate(HERE) == both.plain.walker.evaluate(HERE)
        both.require_equal()
    assert tape.recorded == 1


def test_a_last_batch_that_is_smaller_is_computed_beside_the_recording(tape: TapeRecorder) -> None:
    both = Both(QuietTrainer(size=44))
    both.train(steps=16)
    both.require_equal()
    assert (both.told, tape.recorded) == ([], 1)
    assert tape.played == 16 * 5 - UPDATES_BEFORE + COMPARISONS + 1  # once it was compared again


@pytest.mark.parametrize("order", [("now", "before"), ("before", "now")])
def test_buffers_that_are_assigned_to_one_another_are_what_they_are_one_by_one(
    order: Sequence[str], tape: TapeRecorder
) -> None:
    both = Both(ShiftTrainer(*order))
    for _ in range(4):
        both.train(steps=1)
        both.require_equal()
    assert (both.told, tape.recorded) == ([], 1)


def test_a_table_of_the_model_that_an_evaluation_replaces_is_recorded_anew(tape: TapeRecorder) -> None:
    both = Both(Caching())
    for _ in range(3):
        both.train(steps=1)
        for lane in (both.recorded, both.plain):
            lane.walker.evaluate(HERE)
        both.require_equal()
    assert tape.recorded == 2


def test_a_value_that_a_loss_looks_at_is_recorded_anew_when_it_changes(tape: TapeRecorder) -> None:
    both = Both(Smoothed(), {**CONFIG, "smoothing": Piecewise([0.0, 0.3], [3])})
    both.train(steps=6)
    both.require_equal()
    assert tape.recorded == 2


def test_a_rate_that_changes_needs_no_other_recording(tape: TapeRecorder) -> None:
    both = Both(QuietTrainer(), {"lr": Piecewise([0.1, 0.02, 0.3], [3, 4])})
    both.train(steps=6)
    both.require_equal()
    assert tape.recorded == 1


class Meter:
    """Counts."""

    calls = 0


class HoldingNet(nn.Module):
    """Has a factor in an object."""

    def __init__(self) -> None:
        super().__init__()
        self.last, self.factor = nn.Linear(6, 3), Meter()

    def forward(self, points: Tensor) -> Tensor:
        return self.last(points) * (1 + self.factor.calls)  # type: ignore[no-any-return]


class SetUpInside(QuietTrainer):
    """Its `setup` puts a number where nobody looks."""

    def make_model(self) -> nn.Module:
        return HoldingNet()

    def setup(self, hp: Any) -> None:
        if "calls" in hp:
            self.model.factor.calls = hp["calls"]


def test_whatever_setup_may_have_changed_is_recorded_anew(tape: TapeRecorder) -> None:
    both = Both(SetUpInside(), {"lr": Piecewise([0.1, 0.2], [1]), "calls": Piecewise([0, 1], [4])})
    both.train(steps=8)
    both.require_equal()
    assert (both.told, tape.recorded) == ([], 2)


def test_a_variable_that_setup_sets_is_followed(tape: TapeRecorder) -> None:
    both = Both(SetUpClass(), {**CONFIG, "factor": Piecewise([1.0, 2.0], [4])})
    both.train(steps=8)
    both.require_equal()
    assert (both.told, tape.recorded) == ([], 2)


def test_values_that_change_after_recordings_that_held_are_recorded_anew(
    tape: TapeRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded_loss, "MOST_BEGINNINGS", 3)
    smoothing = Piecewise([0.1 * i for i in range(6)], [4, 8, 12, 16, 20])
    both = Both(Smoothed(), {**CONFIG, "smoothing": smoothing})
    both.train(steps=24)
    both.require_equal()
    assert (both.told, tape.recorded) == ([], 6)


def test_what_is_frozen_later_is_recorded_anew(tape: TapeRecorder) -> None:
    both = Both(Frozen(), {**CONFIG, "frozen": Piecewise([False, True], [3])})
    both.train(steps=6)
    both.require_equal()
    assert tape.recorded == 2


class Renewed(QuietTrainer):
    """An optimizer that begins anew with other parameters, in the middle of a step."""

    apply_hparams = "batch"

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        own = self.model.last.parameters() if self.hp["last"] > 3.5 else params
        return torch.optim.SGD(own, lr=0.1, momentum=0.9)


def test_an_optimizer_that_is_made_anew_within_a_step_is_followed(tape: TapeRecorder) -> None:
    both = Both(Renewed(), {"last": hippo.Linear(0.0, final=6.0, steps=6)})
    both.train(steps=6)
    both.require_equal()
    assert (both.told, tape.recorded) == ([], 2)


class Outside(QuietTrainer):
    """Parameters that are none of the model's."""

    def build(self) -> None:
        self.temperature, self.offset = nn.Parameter(torch.ones(())), nn.Parameter(torch.zeros(3))
        super().build()

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.SGD([*params, self.temperature, self.offset], lr=0.1)

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        points, labels = batch
        return functional.cross_entropy(self.temperature * model(points) + self.offset, labels)

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "outside": [self.temperature.detach().clone(), self.offset.detach().clone()]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        with torch.no_grad():
            for own, saved in zip((self.temperature, self.offset), state["outside"], strict=True):
                own.copy_(saved)


def test_parameters_outside_of_the_model_are_trained(tape: TapeRecorder) -> None:
    both = Both(Outside())
    both.train(steps=5)
    both.require_equal()
    one, other = both.trainers()
    assert tape.played > 0
    assert other.temperature != 1
    assert torch.equal(one.temperature, other.temperature)
    assert torch.equal(one.offset, other.offset)


def test_what_is_frozen_between_two_steps_stays_as_it_is(tape: TapeRecorder) -> None:
    both = Both(QuietTrainer())
    both.train(steps=3)
    for trainer in both.trainers():
        trainer.model.first.requires_grad_(False)
    both.train(steps=3)
    both.require_equal()
    assert tape.recorded == 2


class Zeroing(torch.optim.SGD):
    """Writes zeros into gradients, as optimizers did once."""

    def zero_grad(self, set_to_none: bool = True) -> None:
        super().zero_grad(set_to_none=False)


class Keeping(torch.optim.SGD):
    """Keeps the gradients of the step before."""

    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            for each in group["params"]:
                if each.grad is not None:
                    each.data.add_(2 * each.grad - self.state[each].get("before", each.grad), alpha=-group["lr"])
                    self.state[each]["before"] = each.grad


class OwnOptimizer(QuietTrainer):
    """An optimizer that is not torch's."""

    def __init__(self, cls: type[torch.optim.SGD]) -> None:
        super().__init__()
        self.cls = cls

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        return self.cls(params, lr=0.1)


@pytest.mark.parametrize("cls", [Zeroing, Keeping])
def test_gradients_that_an_optimizer_keeps_or_writes_are_its_own(
    cls: type[torch.optim.SGD], tape: TapeRecorder
) -> None:
    both = Both(OwnOptimizer(cls))
    both.train(steps=5)
    both.require_equal()
    assert (both.told, tape.recorded) == ([], 1)


class TwoOptimizers(Outside):
    """Two that share a parameter, which is none of the model's."""

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> dict[str, torch.optim.Optimizer]:  # type: ignore[override]
        return {
            "model": torch.optim.SGD([*params, self.temperature, self.offset], lr=0.1),
            "other": torch.optim.Adam([self.temperature, self.model.unused], lr=0.01),
        }


def test_a_parameter_of_two_optimizers_has_its_gradient_once(tape: TapeRecorder) -> None:
    both = Both(TwoOptimizers())
    both.train(steps=5)
    both.require_equal()
    one, other = both.trainers()
    assert torch.equal(one.temperature, other.temperature)
    assert tape.played > 0


class Replaced(QuietTrainer):
    """Its `setup` makes another model of the one that was built."""

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=0.1)

    def setup(self, hp: Any) -> None:
        if "wide" in hp and hp["wide"] and not hasattr(self, "was_replaced"):
            self.was_replaced = True
            self.model = copy.deepcopy(self.model)
            self.optimizer.param_groups[0]["params"] = list(self.model.parameters())


def test_a_model_that_is_replaced_is_recorded_anew(tape: TapeRecorder) -> None:
    both = Both(Replaced(), {**CONFIG, "wide": Piecewise([False, True], [3])})
    both.train(steps=6)
    both.require_equal()
    assert (both.told, tape.recorded) == ([], 2)


class Strided(QuietTrainer):
    """Assigns its buffer in another order of memory, now and then."""

    def make_model(self) -> nn.Module:
        return Turning()


class Turning(nn.Module):
    """A buffer that lies the other way round after each call in training."""

    seen: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.last = nn.Linear(6, 3)
        self.register_buffer("seen", torch.arange(12.0).reshape(3, 4) / 7)

    def forward(self, points: Tensor) -> Tensor:
        out: Tensor = self.last(points) + (self.seen * 1.1).sum()
        if self.training:
            self.seen = (self.seen * 0.99).t().contiguous().t()
        return out


def test_a_buffer_that_comes_to_lie_otherwise_is_what_it_is_without(tape: TapeRecorder) -> None:
    both = Both(Strided())
    both.train(steps=5)
    both.require_equal()
    one, other = both.trainers()
    assert one.model.seen.stride() == other.model.seen.stride()


# ----------------------------------------------------------------------------------------------- what is not recorded


class Decays(QuietTrainer):
    """A loss that writes a parameter."""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        with torch.no_grad():
            model.last.weight.data.mul_(0.9)  # type: ignore[union-attr, operator]
        return super().loss(model, batch)


class OwnBatches(QuietTrainer):
    """More than one step down one loss."""

    def train_on_batch(self, batch: Any) -> Any:
        return super().train_on_batch(batch)


class OwnUpdate(QuietTrainer):
    """Another step."""

    def update(self, loss: Tensor) -> None:
        super().update(2 * loss)


class OwnTrain(QuietTrainer):
    """Something between batches."""

    def train(self) -> Any:
        return super().train()


class Hooked(QuietTrainer):
    """Hears of a gradient."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        model.last.weight.register_post_accumulate_grad_hook(lambda parameter: None)  # type: ignore[union-attr, operator]
        return model


class ByClosure(QuietTrainer):
    """An optimizer that computes its losses itself."""

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.LBFGS(params, lr=0.1, max_iter=2)


class Plain(QuietTrainer):
    """Without a norm over the batch."""

    def make_model(self) -> nn.Module:
        return nn.Linear(6, 3)


class ReadsGradients(QuietTrainer):
    """A loss that depends on the gradients of the update before."""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        loss, gradient = super().loss(model, batch), self.model.last.weight.grad
        return loss if gradient is None else loss * (1 + gradient.detach().abs().mean())


class CountsInside(QuietTrainer):
    """Counts in an object of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.meters = [{"loss": Meter()}]

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        self.meters[0]["loss"].calls += 1
        return super().loss(model, batch)


class ReadsRate(QuietTrainer):
    """A loss that looks at its optimizer."""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        return super().loss(model, batch) * (1 + self.optimizer.param_groups[0]["lr"])


class Teacher(QuietTrainer):
    """A network of its own, whose norm is written."""

    def make_model(self) -> nn.Module:
        self.teacher = QuietNet()
        return super().make_model()

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        with torch.no_grad():
            target = self.teacher(batch[0])
        return super().loss(model, batch) + functional.mse_loss(model(batch[0]), target)


class Penalised(QuietTrainer):
    """A loss that takes the gradient by its batch."""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        points, labels = batch
        if self.model.training:
            points.requires_grad_()
        return super().loss(model, [points, labels])


class SparseBuffer(QuietTrainer):
    """A buffer that has no memory of its own."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        model.register_buffer("graph", torch.eye(2).to_sparse(), persistent=False)
        return model


class ExpandedBuffer(QuietTrainer):
    """A buffer of one number, three times."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        model.register_buffer("offset", torch.zeros(1).expand(3), persistent=False)
        return model


class SparseGradients(QuietTrainer):
    """Gradients of few rows."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        model.words = nn.Embedding(4, 3, sparse=True)
        return model

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=0.1)

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        return super().loss(model, batch) + self.model.words(batch[1]).square().mean()


def changed(trainer: QuietTrainer, **attributes: Any) -> QuietTrainer:
    for name, value in attributes.items():
        setattr(trainer, name, value)
    return trainer


@pytest.mark.parametrize(
    ("trainer", "why"),
    [
        (NetTrainer(), "loss() draws from the generator of torch, and what it drew would be drawn for ever"),
        (Counts(), "loss() sets attributes of the trainer, or what they hold"),
        (CountsInside(), "loss() changes what objects of the trainer or of its model hold"),
        (CountsInModel(), "the model sets attributes of its modules when it is called"),
        (WritesBatch(), "loss() writes its batch"),
        (Decays(), "loss() writes a tensor that is no buffer of the model's"),
        (AliasTrainer(), "the model assigns another tensor of its own to its buffer 'last_bias'"),
        (OwnBatches(), "OwnBatches has its own train_on_batch(), which may do more than a step down a loss"),
        (OwnUpdate(), "OwnUpdate has its own update(), which may do more than a step down a loss"),
        (OwnTrain(), "OwnTrain has its own train(), which may do more than a step down a loss"),
        (
            changed(QuietTrainer(), update=lambda loss: None),
            "QuietTrainer has its own update()",
        ),
        (ReadsRate(), "loss() looks at optimizers of the trainer, or at its average of weights"),
        (Teacher(), "loss() writes a tensor that is no buffer of the model's"),
        (Penalised(), "loss() wants gradients of its batch"),
        (ExpandedBuffer(), "several numbers of 'offset' of the model lie in one place"),
        (SparseBuffer(), "'graph' of the model has no memory that stays"),
        (Hooked(), "'last.weight' has a hook that is called with its gradient"),
        (ByClosure(), "an optimizer computes the loss as often as it likes"),
        (changed(QuietTrainer(), accumulate=2), "accumulate = 2: gradients of several batches make one step"),
        (changed(Plain(), precision="fp16"), "precision = 'fp16' scales losses anew as it goes"),
        (changed(Plain(), shards=2), "a batch is computed in parts"),
    ],
)
def test_what_is_more_than_kernels_is_computed_one_by_one(trainer: NetTrainer, why: str, tape: TapeRecorder) -> None:
    both = Both(trainer)
    both.train(steps=4)
    both.require_equal()
    (told,) = both.told
    assert told.startswith(why)
    assert tape.played == 0


@pytest.mark.parametrize("trainer", [ReadsGradients(), SparseGradients()])
def test_what_shows_when_a_recording_is_compared_changes_no_bit(trainer: NetTrainer) -> None:
    both = Both(trainer)
    both.train(steps=4)
    both.require_equal()
    assert both.told == ["what was recorded comes to something else than what it was recorded of"]


class CountsBatches(QuietTrainer):
    """Sees to something between two updates, and so before each recording."""

    seen = 0

    @property
    def clip_norm(self) -> None:  # type: ignore[override]
        self.seen += 1


def test_recordings_that_never_hold_for_long_are_given_up(tape: TapeRecorder) -> None:
    both = Both(CountsBatches())
    both.train(steps=4)
    assert (both.told, tape.recorded) == ([], 2)  # before each there are eight more
    both.train(steps=8)
    both.require_equal()
    assert both.told == ["what a recording depends on changes again and again"]
    assert tape.recorded == 4


class Moving(QuietTrainer):
    """Has weights elsewhere for each update."""

    @property
    def clip_norm(self) -> None:  # type: ignore[override]
        if hasattr(self, "model"):
            self.model.last.weight.data = self.model.last.weight.data.clone()


def test_tensors_that_lie_elsewhere_each_time_are_told_of(tape: TapeRecorder) -> None:
    both = Both(Moving())
    both.train(steps=12)
    both.require_equal()
    assert both.told == ["tensors of the model lie elsewhere at each update, or values are others"]
    assert tape.recorded == 0


def test_what_was_recorded_goes_when_another_lane_found_that_nothing_can_be() -> None:
    both = Both(QuietTrainer())
    both.train(steps=3)
    updates = both.walker._trainer._updates  # type: ignore[attr-defined]
    assert updates._loss._recording is not None
    updates._surroundings.experience.refusal = "found by another lane"
    both.train(steps=1)
    both.require_equal()
    assert updates._loss._recording is None


def test_a_trainer_that_records_goes_with_its_walker() -> None:
    both = Both(QuietTrainer())
    both.train(steps=4)
    model = weakref.ref(both.walker._trainer.model)  # type: ignore[attr-defined]
    gc.disable()
    try:
        del both
        assert model() is None
    finally:
        gc.enable()


def test_a_recording_that_comes_to_something_else_does_not_count(tape: TapeRecorder) -> None:
    both = Both(QuietTrainer())
    model: Any = both.walker._trainer.model  # type: ignore[attr-defined]

    def spoil() -> None:
        model.norm.running_mean[1] += 1e-6

    tape.fault = spoil
    with pinned(1):
        both.train(steps=4)
    both.require_equal()
    assert both.told == ["what was recorded comes to something else than what it was recorded of"]
    assert tape.played == 1


# ----------------------------------------------------------------------------------------------------- who asks for it


@pytest.mark.parametrize(
    ("says", "is_asked", "expected"), [(None, False, 0), (None, True, 1), (True, False, 1), (False, True, 0)]
)
def test_a_trainer_has_the_last_word(says: bool | None, is_asked: bool, expected: int, tape: TapeRecorder) -> None:
    trainer = QuietTrainer()
    trainer.record_updates = says
    both = Both(trainer, is_asked=is_asked)
    both.train(steps=3)
    assert (both.told, tape.recorded) == ([], expected)


def test_where_nothing_records_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_updates, "recorder_of", lambda device: None)
    trainer = OwnUpdate()
    trainer.record_updates = True
    both = Both(trainer)
    both.train(steps=1)
    assert both.told == []


# --------------------------------------------------------------------------------------------------- where memory ends


def fail() -> None:
    raise torch.OutOfMemoryError("CUDA out of memory")


def test_a_step_beside_a_recording_for_which_memory_is_too_short_is_to_be_begun_again(tape: TapeRecorder) -> None:
    both = Both(QuietTrainer())
    both.train(steps=3)
    tape.fault = fail
    with pytest.raises(RecordedStepFailed):
        both.recorded.train()
    assert both.told == [NO_MEMORY]
    assert not both.walker.can_stand()


def test_whatever_else_fails_beside_a_recording_is_to_be_begun_again_too(tape: TapeRecorder) -> None:
    both = Both(QuietTrainer())
    both.train(steps=3)

    def break_down() -> None:
        raise RuntimeError("an illegal instruction")

    tape.fault = break_down
    with pytest.raises(RecordedStepFailed):
        both.recorded.train()
    assert both.told == ["a step failed beside a recording: RuntimeError: an illegal instruction"]


def test_a_trainer_that_stands_goes_on_with_its_recording_from_another_state(tape: TapeRecorder) -> None:
    both = Both(Plain())
    both.train(steps=2)
    before = both.recorded.state()
    both.train(steps=2)
    both.walker.close()
    assert both.walker.can_stand()
    pieces = pieces_at(CONFIG, 1)
    assert both.walker.fork(step=2, pieces=pieces, state=before, goal=Point(HERE, 3))
    heard: list[str] = []
    both.walker.record(RecordingExperience(), RecordingListener(heard.append, heard.append), is_asked=True)
    both.plain = SoloConfig(Plain(), CONFIG, before, 2)
    both.train(steps=2)
    both.require_equal()
    assert tape.recorded == 1
    assert both.walker._trainer._stop_recording("enough")
    assert (both.told, heard) == ([], ["enough"])


def test_memory_that_is_too_short_without_a_recording_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Both(QuietTrainer())
    monkeypatch.setattr(QuietTrainer, "loss", lambda *_: fail())
    with pytest.raises(UserCodeFailed, match="out of memory"):
        both.recorded.train()
    assert both.told == []


def test_an_evaluation_for_which_memory_is_too_short_is_taken_again_without_a_recording(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = Both(QuietTrainer())
    both.train(steps=3)
    evaluate = QuietTrainer.evaluate

    def short(trainer: Any) -> Any:
        if trainer._updates is not None and trainer._updates._loss._recording is not None:
            fail()
        return evaluate(trainer)

    expected = both.plain.walker.evaluate(HERE)
    monkeypatch.setattr(NetTrainer, "evaluate", short)
    assert both.walker.evaluate(HERE) == expected
    assert both.told == [NO_MEMORY]
    both.train(steps=2)
    both.require_equal()


class Recorded(QuietTrainer):
    """Asks for it."""

    record_updates = True


def study_of(path: Path, trainer: type[TorchTrainer], **options: Any) -> hippo.Study:
    return hippo.create_study(
        "recorded", trainer=trainer, storage=f"sqlite:///{path}/study.db", checkpoints=f"{path}/states",
        engine=hippo.InlineEngine(), metric="loss", mode="min", **options,
    )  # fmt: skip


GRID = hippo.GridSearch([{"lr": 0.1}, {"lr": Piecewise([0.1, 0.01], [4])}, {"lr": 0.02}], until=6)


def results(study: hippo.Study) -> list[Any]:
    return [(trial.state, trial.value) for trial in study.trials]


def test_a_study_of_exact_lanes_comes_to_the_same_with_recordings(tmp_path: Path, tape: TapeRecorder) -> None:
    found = []
    for name, trainer in (("one", Recorded), ("other", QuietTrainer)):
        (tmp_path / name).mkdir()
        study = study_of(tmp_path / name, trainer)
        study.optimize(GRID)
        found.append(results(study))
        study.close()
    assert found[0] == found[1]
    assert tape.played > 0


def test_a_study_in_which_memory_runs_out_beside_a_recording_goes_on_without(
    tmp_path: Path, tape: TapeRecorder, capsys: pytest.CaptureFixture[str]
) -> None:
    def late() -> None:
        if tape.played == COMPARISONS + 5:
            fail()

    tape.fault = late
    study = study_of(tmp_path, Recorded)
    study.optimize(GRID)
    assert {trial.state for trial in study.trials} == {hippo.TrialState.COMPLETE}
    study.close()
    assert NO_MEMORY in capsys.readouterr().err
    assert tape.recorded == 1


class Late(Recorded):
    """From its sixth evaluation on, a variable of its class decides about its loss."""

    factor = 1

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        return super().loss(model, batch) * Late.factor

    def metrics(self, model: nn.Module, batch: Any) -> dict[str, Tensor]:
        return {"loss": super().loss(model, batch)}

    def evaluate(self) -> Any:
        if self._training.steps >= 6:
            Late.factor = 2
        return super().evaluate()


@pytest.mark.parametrize("numerics", ["exact", "fused"])  # where lanes of such a trainer are walked alone
def test_a_study_whose_recordings_become_wrong_stops(
    numerics: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Late, "factor", 1)  # and to that it goes back
    study = study_of(tmp_path, Late, numerics=numerics)
    with pytest.raises(ExactnessError, match="Of the 61 updates before this one any may be wrong"):
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=14))
    study.close()
