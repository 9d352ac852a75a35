"""A `train` of one's own that goes through the batches of a step more than once, or at some steps alone."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pytest
import torch
from torch.utils.data import Dataset

from hippo.hparams import Linear
from hippo.records import NodeId
from hippo.testing.remembering_host import pieces_at
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.training.feeding.samples import SampleSource
from hippo.training.torch_trainer import TorchTrainer
from hippo.training.walking.walker import UserCodeFailed, Walker

HERE = NodeId(0)
CONFIG = {"lr": Linear(0.0, 0.01), "batch_size": 16}


class Rates(BlobsTrainer):
    """Notes the learning rate of each batch."""

    def build(self) -> None:
        super().build()
        self.rates: list[float] = []

    def train_on_batch(self, batch: Any) -> Mapping[str, Any]:
        self.rates.append(self.optimizer.param_groups[0]["lr"])
        return super().train_on_batch(batch)


class OddSteps(Rates):
    """Leaves its even steps to something else."""

    def build(self) -> None:
        super().build()
        self.turn = 0

    def train(self) -> Mapping[str, Any]:
        self.turn += 1
        return {} if self.turn % 2 else super().train()


class Twice(Rates):
    """Makes a step of two passes."""

    def train(self) -> Mapping[str, Any]:
        super().train()
        return super().train()


class OwnLoop(BlobsTrainer):
    """Takes no batch of ours, and says which rate it trains at, and which it was told."""

    def build(self) -> None:
        super().build()
        self.rates: list[tuple[float, float]] = []

    def train(self) -> Mapping[str, Any]:
        self.model.train()
        for batch in torch.utils.data.DataLoader(self.train_set(), batch_size=16, shuffle=True):
            self.update(self.loss(self.model, batch))
        self.rates.append((self.optimizer.param_groups[0]["lr"], self.hp["lr"]))
        return {}


def walk(trainer: BlobsTrainer, steps: int) -> Any:
    walker = Walker(trainer, step=0, pieces=pieces_at(CONFIG, 0), state=None, goal=(HERE, 1))
    for step in range(steps):
        walker.train(HERE, pieces_at(CONFIG, step))
    return walker.settled(HERE)


def test_values_reach_the_optimizer_of_a_loop_that_takes_no_batch_of_ours() -> None:
    assert walk(OwnLoop(), 3).rates == [(0.01 * step, 0.01 * step) for step in range(3)]


@pytest.mark.parametrize(("name", "value"), [("ema_decay", 0.5), ("swa_from", 0), ("apply_hparams", "batch")])
def test_a_loop_that_takes_no_batch_of_ours_is_refused_what_is_done_beside_them(name: str, value: Any) -> None:
    trainer = OwnLoop()
    setattr(trainer, name, value)
    with pytest.raises(UserCodeFailed, match=rf"OwnLoop.{name} = {value!r} has no effect: .*batches_of_step"):
        walk(trainer, 1)


class ByHand(Rates):
    """Steps its optimizer itself."""

    def train_on_batch(self, batch: Any) -> Mapping[str, Any]:
        self.optimizer.zero_grad()
        loss = self.loss(self.model, batch)
        loss.backward()
        self.optimizer.step()
        return {"loss": loss}


class OwnUpdate(Rates):
    """Likewise."""

    def update(self, loss: torch.Tensor) -> None:
        loss.backward()
        self.optimizer.step()


class Clips(ByHand):
    """Likewise, and clips."""

    def train_on_batch(self, batch: Any) -> Mapping[str, Any]:
        assert self.clip_norm
        return super().train_on_batch(batch)


@pytest.mark.parametrize("trainer", [ByHand, OwnUpdate])
@pytest.mark.parametrize(("name", "value"), [("clip_norm", 0.5), ("accumulate", 2), ("precision", "fp16")])
def test_an_optimizer_that_is_stepped_by_hand_is_refused_what_an_update_sees_to(
    trainer: type[Rates], name: str, value: Any
) -> None:
    made = trainer()
    setattr(made, name, value)
    with pytest.raises(UserCodeFailed, match=rf"{trainer.__name__}.{name} = {value!r} has no effect: .*self.update"):
        walk(made, 1)


@pytest.mark.parametrize("trainer", [ByHand, OwnUpdate, Clips, OddSteps, Twice, OwnLoop, Rates])
def test_what_is_seen_to_or_not_asked_for_is_refused_to_nobody(trainer: type[BlobsTrainer]) -> None:
    made: Any = trainer()
    made.precision = "bf16"
    if trainer not in (ByHand, OwnUpdate):
        made.clip_norm = 0.5
    walk(made, 2)


class OwnAverage(OwnLoop):
    """Takes its average itself."""

    def update(self, loss: torch.Tensor) -> None:
        super().update(loss)
        self.kept = self.ema_decay


def test_a_loop_that_sees_to_its_average_itself_is_not_refused_one() -> None:
    trainer = OwnAverage()
    trainer.ema_decay = 0.5
    assert walk(trainer, 1).kept == 0.5


def test_values_by_batch_are_those_of_the_step_also_where_other_steps_took_no_batch() -> None:
    trainer = walk(OddSteps(apply_hparams="batch"), 4)
    assert trainer.rates == pytest.approx([0.01 * (step + i / 3) for step in (1, 3) for i in range(3)])


def test_an_average_of_weights_begins_at_its_step_also_where_other_steps_took_no_batch() -> None:
    trainer = OddSteps()
    trainer.swa_from = 3
    walked = walk(trainer, 4)
    state = walked.state_dict()
    assert torch.equal(state["average"]["model"]["0.weight"], state["model"]["0.weight"])


def test_a_second_pass_is_refused_only_where_something_goes_by_the_end_of_a_step() -> None:
    averaged = Twice()
    averaged.swa_from = 5
    assert len(walk(Twice(), 2).rates) == 2 * 6
    with pytest.raises(UserCodeFailed, match="step 0 again, and swa_from goes by where a step ends"):
        walk(averaged, 1)
    with pytest.raises(UserCodeFailed, match="samples_per_step, which may be several epochs"):
        walk(Twice(apply_hparams="batch"), 1)


def test_a_step_of_two_epochs_has_values_by_batch_that_go_through_it_once() -> None:
    trainer = walk(Rates(size=48, samples_per_step=96, apply_hparams="batch"), 2)
    assert trainer.rates == pytest.approx([0.01 * i / 6 for i in range(12)])


class OneByOne(Dataset[Any]):
    """Samples that are looked up one by one, so that loader workers fetch them."""

    def __init__(self, samples: Any) -> None:
        self.samples = samples

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, number: int) -> Any:
        return self.samples[number]


class Wrapping(BlobsTrainer):
    """Has a `train` of its own around ours."""

    def train_set(self) -> Any:
        return OneByOne(super().train_set())

    def train(self) -> Mapping[str, Any]:
        return {**super().train(), "extra": 1.0}


def test_values_that_change_do_not_have_loader_workers_begin_again(monkeypatch: pytest.MonkeyPatch) -> None:
    prefetch, started = SampleSource.prefetch, list[int]()

    def counted(source: SampleSource, batches: Any, num_workers: int) -> Any:
        started.append(num_workers)
        return prefetch(source, batches, num_workers)

    monkeypatch.setattr(SampleSource, "prefetch", counted)
    walker = Walker(Wrapping(num_workers=1), step=0, pieces=pieces_at(CONFIG, 0), state=None, goal=(HERE, 1))
    for step in range(3):
        walker.train(HERE, pieces_at(CONFIG, step))
    walker.close()
    assert started == [1]


class Standing(BlobsTrainer):
    """Puts its optimizer under a scheduler, as a loop of one's own would, and never steps that."""

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        optimizer = super().make_optimizer(params)
        torch.optim.lr_scheduler.StepLR(optimizer, 1)
        return optimizer


class Stepping(Standing):
    """Steps one."""

    def build(self) -> None:
        super().build()
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 1)

    def train_on_batch(self, batch: Any) -> Mapping[str, Any]:
        metrics = super().train_on_batch(batch)
        self.scheduler.step()
        return metrics


def test_a_scheduler_that_nothing_steps_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="of Standing is under a scheduler of torch's, and nothing steps it"):
        walk(Standing(), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        walk(Stepping(), 1)


class Loop:
    """Is told of each batch."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        self.scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)

    def after_batch(self) -> None:
        self.scheduler.step()


class InLoop(BlobsTrainer):
    """Leaves its scheduler to a loop."""

    def build(self) -> None:
        super().build()
        self.loop = Loop(self.optimizer)

    def train_on_batch(self, batch: Any) -> Mapping[str, Any]:
        metrics = super().train_on_batch(batch)
        self.loop.after_batch()
        return metrics


#: a module of the user's
after_batches = ModuleType("after_batches")
vars(after_batches)["advance"] = lambda scheduler: scheduler.step()


class InModule(Standing):
    """Leaves its scheduler to a function of a module."""

    def build(self) -> None:
        super().build()
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 1)

    def train_on_batch(self, batch: Any) -> Mapping[str, Any]:
        metrics = super().train_on_batch(batch)
        after_batches.advance(self.scheduler)
        return metrics


class Hooked(torch.nn.Sequential):
    """Has hooks, as modules of Lightning do."""

    schedulers: tuple[torch.optim.lr_scheduler.LRScheduler, ...] = ()

    def on_batch_end(self) -> None:
        for each in self.schedulers:
            each.step()


#: found by name, as modules in configs are
MODELS = {"hooked": Hooked}


class InModel(Standing):
    """Leaves its scheduler to a hook of its model."""

    def make_model(self) -> torch.nn.Module:
        return MODELS["hooked"](super().make_model())

    def build(self) -> None:
        super().build()
        self.model.schedulers = (torch.optim.lr_scheduler.StepLR(self.optimizer, 1),)

    def train_on_batch(self, batch: Any) -> Mapping[str, Any]:
        metrics = super().train_on_batch(batch)
        self.model.on_batch_end()
        return metrics


class Loaded(BlobsTrainer):
    """Begins with an optimizer's state from elsewhere, where a scheduler had been."""

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        optimizer = super().make_optimizer(params)
        optimizer.param_groups[0]["initial_lr"] = 0.1
        return optimizer


@pytest.mark.parametrize("trainer", [InLoop, InModule, InModel, Loaded])
def test_no_scheduler_is_said_to_stand_that_something_else_steps_or_that_is_none(trainer: type[BlobsTrainer]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        walk(trainer(), 1)


class OwnEvaluate(Rates):
    """Measures the model itself."""

    ema_decay = 0.5

    def evaluate(self) -> Mapping[str, Any]:
        return {"loss": float(self.loss(self.model, next(iter(self.val_set()))))}


class Averaged(OwnEvaluate):
    """Measures the average."""

    def evaluate(self) -> Mapping[str, Any]:
        return {"loss": float(self.evaluated_model[0].weight.sum())}


def test_an_evaluation_of_another_model_than_is_taken_home_is_warned_of() -> None:
    with pytest.warns(UserWarning, match=r"OwnEvaluate.evaluate\(\) never asks for self.evaluated_model, .* ema_decay"):
        walk(OwnEvaluate(), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        walk(Averaged(), 1)
        plain = type("Plain", (OwnEvaluate,), {"ema_decay": None, "clip_norm": 0.5, "__module__": __name__})
        walk(plain(), 1)


def weight_of(model_of: TorchTrainer) -> float:
    return float(model_of.evaluated_model[0].weight.sum())  # type: ignore[index]


class Decorated(BlobsTrainer):
    """Does all of it behind decorators and in helpers, and nothing at its first step."""

    swa_from = 1
    clip_norm = 0.5

    def build(self) -> None:
        super().build()
        self.turn = 0

    @torch.enable_grad()
    def train(self) -> Mapping[str, Any]:
        self.turn += 1
        return {} if self.turn == 1 else super().train()

    @torch.enable_grad()
    def train_on_batch(self, batch: Any) -> Mapping[str, Any]:
        self.update(self.loss(self.model, batch))
        return {}

    @torch.no_grad()
    def evaluate(self) -> Mapping[str, Any]:
        return {"loss": weight_of(self)}


@pytest.mark.filterwarnings("error")
def test_what_is_seen_to_behind_a_decorator_or_in_a_helper_is_not_said_to_be_left_out() -> None:
    assert walk(Decorated(), 2).turn == 2
