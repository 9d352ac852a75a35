"""What a `TorchTrainer` makes of its losses: steps of one optimizer or several, in parts, clipped, scaled, averaged."""

from __future__ import annotations

import collections
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
import torch
from torch import nn

import hippo
from hippo.errors import TrainerError
from hippo.hparams import Cosine, Exponential, MultiStep, Piecewise
from hippo.records import NodeId
from hippo.testing import kinds_of_trainers as kinds
from hippo.testing.remembering_host import pieces_at
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.training.codec import difference
from hippo.training.feeding.data import to_device
from hippo.training.walking.walker import UserCodeFailed, Walker

HERE = NodeId(0)
#: everything is a function of weights and samples: no chance, no running statistics
PLAIN: dict[str, Any] = {"batch_norm": False, "dropout": 0.0, "augment": False}


def walk(trainer: Any, config: Mapping[str, Any], steps: int = 1) -> Any:
    """Train in this process and return the trainer."""
    walker = Walker(trainer, step=0, pieces=pieces_at(config, 0), state=None, goal=(HERE, 1))
    for step in range(steps):
        walker.train(HERE, pieces_at(config, step))
    return walker.settled(HERE)


def weights(model: nn.Module) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


# ------------------------------------------------------------------------------------------------------- in parts


class InParts(BlobsTrainer):
    """Makes a step of `parts` batches."""

    def __init__(self, parts: int, clip: float | None = None, **options: Any) -> None:
        super().__init__(**{**PLAIN, **options})
        self.accumulate, self.clip_norm = parts, clip


def test_batches_that_make_one_step_count_by_their_samples() -> None:
    # 48 samples as 10 + 10 + 10 + 10 + 8: a mean of means would be another gradient
    for clip in (None, 0.1):
        whole, parts = (
            walk(InParts(number, clip), {"lr": 0.5, "momentum": 0.0, "batch_size": size})
            for number, size in ((1, 48), (5, 10))
        )
        # float32, sums of 48 numbers in another order
        torch.testing.assert_close(weights(parts.model), weights(whole.model), rtol=1e-5, atol=1e-6)


def test_gradients_belong_to_a_state_while_they_wait() -> None:
    waiting = walk(InParts(3), {"lr": 0.1, "batch_size": 12}).state_dict()["gradients"]
    assert waiting["waiting"] == {"": [1, 1.0]}
    assert waiting.keys() == {"waiting", "values"}
    assert waiting["values"].keys() == {"0.weight", "0.bias", "3.weight", "3.bias"}
    assert "gradients" not in walk(InParts(4), {"lr": 0.1, "batch_size": 12}).state_dict()


class Ramp(hippo.TorchTrainer):
    """Has one weight, whose gradient is the mean of the samples 1, 2, 3, ... that make a step of the optimizer."""

    accumulate = 2
    samples_per_step = 80

    def make_model(self) -> nn.Module:
        model = nn.Linear(1, 1, bias=False)
        nn.init.zeros_(model.weight)
        return model

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=1.0)

    def train_set(self) -> list[torch.Tensor]:
        return [torch.tensor([float(number)]) for number in range(1, 161)]

    def val_set(self) -> list[torch.Tensor]:
        return self.train_set()

    def sampler(self, epoch: int) -> list[int]:
        return list(range(160))

    def loss(self, model: nn.Module, batch: torch.Tensor) -> torch.Tensor:
        return model(batch).mean()


def test_batches_of_several_sizes_that_make_one_step_count_by_their_samples() -> None:
    # five batches of 16: the last waits, and with the first one of 40 makes a step: samples 65 to 120
    config = {"batch_size": Piecewise([16, 40], [1])}
    made = [-walk(Ramp(), config, steps).model.weight.item() for steps in (1, 2)]
    assert made == [16.5 + 48.5, 16.5 + 48.5 + 92.5]  # sums of whole numbers are exact


def test_gradients_that_wait_for_batches_of_another_size_go_on_from_a_state() -> None:
    # 4 batches of 12, 2 of 24, and 3 of 16 make one step
    config = {"lr": 0.1, "batch_size": Piecewise([12, 24, 16], [1, 2])}
    assert "unit" not in walk(InParts(9), config, 1).state_dict()["gradients"]
    for steps, unit in ((1, None), (2, 12)):
        state, whole = walk(InParts(9), config, steps).state_dict(), walk(InParts(9), config, 3)
        assert state["gradients"].get("unit") == unit
        walker = Walker(InParts(9), step=steps, pieces=pieces_at(config, steps - 1), state=None, goal=(HERE, 3))
        again: Any = walker.settled(HERE)
        again.load_state_dict(state)
        assert difference(again.state_dict(), state) == []
        for step in range(steps, 3):
            walker.train(HERE, pieces_at(config, step))
        assert difference(again.state_dict(), whole.state_dict()) == []


def test_gradients_of_parameters_that_no_optimizer_has_belong_to_no_state() -> None:
    class HeadInParts(InParts):
        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            *_, weight, bias = params
            return torch.optim.SGD([weight, bias], lr=self.hp["lr"])

    config = {"lr": 0.1, "batch_size": 12}
    waiting = walk(HeadInParts(3), config).state_dict()["gradients"]
    assert waiting["values"].keys() == {"3.weight", "3.bias"}
    whole, resumed = walk(HeadInParts(3), config, 2), walk(HeadInParts(3), config)
    walker = Walker(HeadInParts(3), step=1, pieces=pieces_at(config, 0), state=None, goal=(HERE, 2))
    again: Any = walker.settled(HERE)
    again.load_state_dict(resumed.state_dict())
    walker.train(HERE, pieces_at(config, 1))
    assert difference(again.state_dict(), whole.state_dict()) == []


class BesideInParts(InParts):
    """Trains a weight of its loss, too, which the trainer keeps beside the model."""

    def build(self) -> None:
        self.weight = nn.Parameter(torch.zeros(()))
        super().build()

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD([*params, self.weight], lr=self.hp["lr"])

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return super().loss(model, batch) * (-self.weight).exp() + self.weight

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "weight": self.weight}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.weight.data.copy_(state["weight"])


def test_gradients_of_what_is_trained_beside_a_model_belong_to_a_state_while_they_wait() -> None:
    config = {"lr": 0.1, "batch_size": 12}
    whole, first = walk(BesideInParts(3), config, 2), walk(BesideInParts(3), config).state_dict()
    walker = Walker(BesideInParts(3), step=1, pieces=pieces_at(config, 0), state=None, goal=(HERE, 2))
    again: Any = walker.settled(HERE)
    again.load_state_dict(first)
    assert difference(again.state_dict(), first) == []
    walker.train(HERE, pieces_at(config, 1))
    assert difference(again.state_dict(), whole.state_dict()) == []


class Uncertain(BlobsTrainer):
    """Trains a weight of its loss, too, and leaves it to `TorchTrainer` what a state is."""

    def make_model(self) -> nn.Module:
        self.weights = {"loss": nn.Parameter(torch.zeros(()))}
        self.criterion = nn.PReLU()
        return super().make_model()

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD([*params, self.weights["loss"], *self.criterion.parameters()], lr=self.hp["lr"])


class Adding(BlobsTrainer):
    """The same, once the optimizer is made."""

    def build(self) -> None:
        super().build()
        self.weight = nn.Parameter(torch.zeros(()))
        self.optimizer.add_param_group({"params": [self.weight]})


@pytest.mark.parametrize(
    ("cls", "names"), [(Uncertain, "a tensor of shape (), self.criterion.weight"), (Adding, "self.weight")]
)
def test_what_is_trained_beside_a_model_and_is_in_no_state_is_refused(cls: Any, names: str) -> None:
    with pytest.raises(UserCodeFailed, match=f"{cls.__name__} trains {re.escape(names)} beside self.model: no state"):
        walk(cls(), {"lr": 0.1, "batch_size": 12})


class TrainedBuffer(BlobsTrainer):
    """Trains a buffer of its model, and nothing that is frozen, wherever that is."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        model.register_buffer("temperature", torch.ones(1, requires_grad=True))
        return model

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        frozen = nn.Parameter(torch.zeros(1), requires_grad=False)
        return torch.optim.SGD([*params, self.model.temperature, frozen], lr=self.hp["lr"])


def test_a_buffer_may_be_trained_and_what_is_frozen_may_lie_anywhere() -> None:
    assert walk(TrainedBuffer(), {"lr": 0.1, "batch_size": 12}).state_dict()


def test_the_norm_of_all_gradients_together_is_clipped() -> None:
    before = weights(walk(InParts(1), {"lr": 0.0}).model)
    config = {"lr": 1.0, "momentum": 0.0, "batch_size": 48}
    free = (weights(walk(InParts(1), config).model) - before).norm()
    clipped = (weights(walk(InParts(1, clip=0.01), config).model) - before).norm()
    assert free > 0.02
    assert float(clipped) == pytest.approx(0.01, rel=1e-3)  # float32; torch divides by the norm + 1e-6


# ----------------------------------------------------------------------------------------------- several optimizers


def test_sparse_gradients_cannot_be_clipped_which_is_said() -> None:
    class Looking(BlobsTrainer):
        def make_model(self) -> nn.Module:
            return nn.Sequential(nn.EmbeddingBag(2, 3, sparse=True))

        def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
            return nn.functional.cross_entropy(model((batch[0] > 0).long()), batch[1])

    trainer = Looking(**PLAIN)
    trainer.clip_norm = 1.0
    with pytest.raises(UserCodeFailed, match=r"gradient is sparse, .* make the embedding with sparse=False"):
        walk(trainer, {"lr": 0.1})


def test_each_of_several_optimizers_follows_its_own_values_and_keeps_its_state() -> None:
    config = {"lr": MultiStep(0.1, [1], 0.5), "body_lr": Exponential(0.01, 0.5), "batch_size": 12}
    trainer = walk(kinds.TwoOptimizers(), config, 3)
    body, head = trainer.optimizers["body"], trainer.optimizers["head"]
    assert (body.param_groups[0]["lr"], head.param_groups[0]["lr"]) == (0.0025, 0.05)
    assert {float(state["step"]) for state in body.state.values()} == {12.0}
    assert head.state


@pytest.mark.parametrize("name", ["body_lr", "lr_body", "body.lr"])
def test_a_name_that_says_option_and_optimizer_is_applied_and_any_other_begins_anew(name: str) -> None:
    class Named(kinds.SplitParameters):
        def make_optimizer(self, params: Any) -> Any:
            return {
                "body": torch.optim.Adam(self.model[0].parameters(), lr=self.hp[name]),
                "head": torch.optim.Adam(self.model[3].parameters(), lr=self.hp["tail_lr"]),
            }

    changing, constant = Cosine(0.01, 5), 0.01
    kept = walk(Named(), {name: changing, "tail_lr": constant, "batch_size": 48}, 3)
    assert {float(each["step"]) for each in kept.optimizers["body"].state.values()} == {3.0}
    anew = walk(Named(), {name: constant, "tail_lr": changing, "batch_size": 48}, 3)
    assert {float(each["step"]) for each in anew.optimizers["body"].state.values()} == {1.0}


def test_momentum_that_is_lost_for_another_learning_rate_is_told_of_once() -> None:
    class Grouped(BlobsTrainer):
        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            return torch.optim.SGD(params, lr=self.hp["head_lr"], momentum=0.9)

    with pytest.warns(UserWarning, match=r"'head_lr' changed, which Grouped.make_optimizer\(\) reads") as caught:
        walk(Grouped(), {"head_lr": Exponential(0.1, 0.9)}, 4)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        walk(BlobsTrainer(), {"lr": 0.1, "optimizer": Piecewise(["sgd", "adam"], [1])}, 2)


class Head(nn.Linear):
    """Begins at constants, so that no other one differs from it."""

    def reset_parameters(self) -> None:
        nn.init.constant_(self.weight, 0.1)
        nn.init.zeros_(self.bias)


def test_parameters_that_setup_puts_into_the_model_and_no_optimizer_has_are_told_of_once() -> None:
    class Replacing(BlobsTrainer):
        def setup(self, hp: Mapping[str, Any]) -> None:
            if "width" in hp:
                self.model.add_module("head", Head(self.model[-1].out_features, 3))

    with pytest.warns(
        UserWarning, match=r"Replacing.setup\(\) has put head.weight, head.bias into the model"
    ) as caught:
        walk(Replacing(**PLAIN), {"lr": 0.1, "width": 1}, 2)
    assert len(caught) == 1


def test_parameters_that_setup_thaws_are_told_of_unless_an_optimizer_has_them() -> None:
    class Thawing(BlobsTrainer):
        takes_all = False

        def make_model(self) -> nn.Module:
            model = super().make_model()
            model[0].requires_grad_(False)
            return model

        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            return torch.optim.SGD([each for each in params if each.requires_grad or self.takes_all], lr=self.hp["lr"])

        def setup(self, hp: Mapping[str, Any]) -> None:
            if "thaws" in hp:
                self.model[0].requires_grad_(hp["thaws"])

    class ThawingAll(Thawing):
        takes_all = True

    config = {"lr": 0.1, "thaws": Piecewise([False, True], [1])}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        walk(ThawingAll(**PLAIN), config, 2)
        walk(Thawing(**PLAIN), config, 1)
    with pytest.warns(UserWarning, match="or had it need gradients, but no optimizer has it"):
        walk(Thawing(**PLAIN), config, 2)


def test_a_schedulers_rate_that_is_replaced_is_told_of_once() -> None:
    class ScheduledTwice(kinds.Scheduled):  # a name of its own: each is told of once in a process
        pass

    with pytest.warns(UserWarning, match="a scheduler had made .* is set to what make_optimizer.. says, 0.1") as caught:
        walk(ScheduledTwice(), {"lr": 0.1, "weight_decay": Exponential(0.1, 0.9)}, 4)
    assert len(caught) == 1


def test_a_rate_that_was_set_by_hand_and_is_replaced_is_told_of_once() -> None:
    class Halves(BlobsTrainer):
        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            return torch.optim.SGD(params, lr=self.hp["lr"], weight_decay=self.hp["weight_decay"])

        def train(self) -> Mapping[str, Any]:
            metrics = super().train()
            self.optimizer.param_groups[0]["lr"] *= 0.5
            return metrics

    message = "'weight_decay' changed.* 'lr', which something has set to 0.05, becomes what make_optimizer.. says, 0.1"
    with pytest.warns(UserWarning, match=message) as caught:
        walk(Halves(), {"lr": 0.1, "weight_decay": Piecewise([0.0, 0.1, 0.2], [1, 2])}, 3)
    assert len(caught) == 1


def test_nobody_is_told_of_values_that_a_config_changes() -> None:
    class Follows(BlobsTrainer):
        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            return torch.optim.AdamW(params, lr=self.hp["lr"], betas=[0.9, 0.99], weight_decay=self.hp["weight_decay"])

        def train(self) -> Mapping[str, Any]:
            for group in self.optimizer.param_groups:  # anew in each step
                group["lr"] = self.hp["lr"] / 2
            return super().train()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        walk(Follows(), {"lr": Exponential(0.1, 0.9), "weight_decay": Exponential(0.1, 0.9)}, 3)


def test_a_scheduler_whose_optimizer_was_made_anew_is_told_of_once() -> None:
    class Orphaned(kinds.Scheduled):
        def make_optimizer(self, params: Any) -> Any:
            return torch.optim.SGD(params, lr=0.1, momentum=0.9, nesterov=self.hp["nesterov"])

    config = {"nesterov": Piecewise([False, True, False], [2, 3])}
    message = r"'nesterov' changed.*self.scheduler goes on with the one before it"
    with pytest.warns(UserWarning, match=message) as caught:
        walk(Orphaned(), config, 4)
    assert len(caught) == 1


def test_one_of_several_gives_no_gradient_to_the_others() -> None:
    class Descending(kinds.TwoOptimizers):
        def train_on_batch(self, batch: Any) -> Mapping[str, Any]:
            self.descend("head", self.loss(self.model, batch))
            return {"has_gradient": self.model[0].weight.grad is not None}  # type: ignore[index, union-attr]

    trainer = Descending()
    walker = Walker(trainer, step=0, pieces=pieces_at({"lr": 0.1, "body_lr": 0.1}, 0), state=None, goal=(HERE, 1))
    assert walker.train(HERE, pieces_at({"lr": 0.1, "body_lr": 0.1}, 0)) == {"has_gradient": 0.0}


def test_which_optimizer_is_meant_must_be_said() -> None:
    trainer = walk(kinds.TwoOptimizers(), {"lr": 0.1, "body_lr": 0.1})
    with pytest.raises(TrainerError, match=r"several optimizers, \['body', 'head'\].*self.optimizers\['body'\]"):
        _ = trainer.optimizer
    with pytest.raises(TrainerError, match=r"there is no optimizer 'tail'; make_optimizer\(\) made \['body', 'head'\]"):
        trainer.descend("tail", torch.zeros(()))


def test_which_optimizers_there_are_must_not_depend_on_a_learning_rate() -> None:
    class Odd(kinds.SplitParameters):
        def make_optimizer(self, params: Any) -> Any:
            made = super().make_optimizer(params)
            return made if self.hp["lr"] == 0.1 else {"body": made["body"]}

    with pytest.raises(UserCodeFailed, match=r"made the optimizers \['body', 'head'\] before and \['body'\] now"):
        walk(Odd(), {"lr": MultiStep(0.1, [1], 0.5), "body_lr": 0.1}, 2)


def test_an_attribute_of_ones_own_may_be_called_optimizers() -> None:
    class Own(BlobsTrainer):
        def build(self) -> None:
            super().build()
            self.optimizers = {"mine": self.optimizer}

    assert walk(Own(), {"lr": 0.1}).optimizers.keys() == {"mine"}


# --------------------------------------------------------------------------------------------------------- closures


def test_a_loss_that_is_computed_again_draws_the_same_chance_and_the_next_batch_another() -> None:
    class Drawing(kinds.SecondOrder):
        def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
            drawn[len(batch[1]), self._training.samples].append(float(torch.rand(())))
            return super().loss(model, batch)

    drawn: dict[Any, list[float]] = collections.defaultdict(list)
    walk(Drawing(), {"lr": 0.1, "batch_size": 24})
    assert len(drawn) == 2
    assert all(len(numbers) > 1 and len(set(numbers)) == 1 for numbers in drawn.values())
    assert len({numbers[0] for numbers in drawn.values()}) == 2


def test_several_optimizers_of_which_one_wants_a_closure_need_a_method_of_their_own() -> None:
    class Mixed(kinds.SplitParameters):
        def make_optimizer(self, params: Any) -> Any:
            made = super().make_optimizer(params)
            return {**made, "head": torch.optim.LBFGS(self.model[3].parameters())}

    with pytest.raises(UserCodeFailed, match=r"override train_on_batch\(\), and call its step\(closure\) there"):
        walk(Mixed(), {"lr": 0.1, "body_lr": 0.1})


# --------------------------------------------------------------------------------------------------- half precision


class Typed(BlobsTrainer):
    """Notes in which type its model computes."""

    def __init__(self, precision: Any, **options: Any) -> None:
        super().__init__(**options)
        self.precision = precision
        self.types: set[Any] = set()

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        self.types.add((model.training, model(batch[0]).dtype))
        return super().loss(model, batch)

    def metrics(self, model: nn.Module, batch: Any) -> dict[str, Any]:
        return {"loss": self.loss(model, batch)}


@pytest.mark.parametrize(("precision", "dtype"), [(None, torch.float32), ("bf16", torch.bfloat16)])
def test_losses_and_metrics_are_computed_in_the_precision_that_is_asked_for(precision: Any, dtype: Any) -> None:
    trainer = walk(Typed(precision), {"lr": 0.1})
    trainer.evaluate()
    assert trainer.types == {(True, dtype), (False, dtype)}


def test_a_method_of_ones_own_computes_in_it_and_sees_weights_that_a_step_changed() -> None:
    class Twice(kinds.TwoInHalf):
        def train_on_batch(self, batch: Any) -> Mapping[str, Any]:
            first = self.model(batch[0])
            self.descend("head", nn.functional.cross_entropy(first, batch[1]))
            with torch.no_grad():
                self.model[3].weight.zero_()  # type: ignore[index, union-attr, operator]
                self.model[3].bias.zero_()  # type: ignore[index, union-attr, operator]
            second = self.model(batch[0])
            return {"is_half": first.dtype == torch.bfloat16, "second": second.float().abs().max()}

    config = {"lr": 0.1, "body_lr": 0.1}
    walker = Walker(Twice(), step=0, pieces=pieces_at(config, 0), state=None, goal=(HERE, 1))
    assert walker.train(HERE, pieces_at(config, 0)) == {"is_half": 1.0, "second": 0.0}


def test_a_loss_that_overflows_takes_no_step_and_halves_the_scale() -> None:
    class Overflowing(BlobsTrainer):
        precision = "fp16"

        def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
            return super().loss(model, batch) * (1e38 if self.hp["huge"] else 1.0)

    trainer = walk(Overflowing(batch_norm=False), {"lr": 0.1, "huge": True, "batch_size": 48})
    before = weights(walk(Overflowing(batch_norm=False), {"lr": 0.0, "huge": False, "batch_size": 48}).model)
    assert torch.equal(weights(trainer.model), before)
    assert trainer.state_dict()["scaler"]["scale"] == 2.0**15


# --------------------------------------------------------------------------------------------------------- averages


class Following(BlobsTrainer):
    """Keeps the weights after each optimizer step, to be averaged by hand."""

    def __init__(self, ema_decay: float | None = None, swa_from: int | None = None) -> None:
        super().__init__()
        self.ema_decay, self.swa_from = ema_decay, swa_from
        self.past: list[Any] = []

    def update(self, loss: torch.Tensor) -> None:
        super().update(loss)
        self.past.append(weights(self.model))

    def metrics(self, model: nn.Module, batch: Any) -> dict[str, Any]:
        self.measured = model
        return super().metrics(model, batch)


CONFIG = {"lr": 0.1, "batch_size": 16}  # three batches to a step


def test_an_exponential_average_is_that_of_the_weights_after_each_optimizer_step() -> None:
    trainer = walk(Following(ema_decay=0.75), CONFIG, 3)
    expected = trainer.past[0]
    for each in trainer.past[1:]:
        expected = 0.75 * expected + 0.25 * each
    torch.testing.assert_close(weights(trainer.evaluated_model), expected)
    assert len(trainer.past) == 9
    trainer.evaluate()
    assert trainer.measured is trainer.evaluated_model
    assert not torch.equal(weights(trainer.model), weights(trainer.evaluated_model))
    for own, average in zip(trainer.model.buffers(), trainer.evaluated_model.buffers(), strict=True):
        assert torch.equal(own, average)


def test_weights_are_averaged_alike_from_a_step_on_and_counters_are_the_last_ones() -> None:
    trainer = walk(Following(swa_from=2), CONFIG, 2)
    assert trainer.evaluated_model is trainer.model
    trainer = walk(Following(swa_from=2), CONFIG, 5)
    torch.testing.assert_close(weights(trainer.evaluated_model), torch.stack(trainer.past[8::3]).mean(0))
    assert trainer.evaluated_model[1].num_batches_tracked == 15
    assert not torch.equal(trainer.evaluated_model[1].running_mean, trainer.model[1].running_mean)


def test_parts_of_an_optimizer_step_are_not_averaged() -> None:
    trainer = walk(Following(ema_decay=0.5), CONFIG)
    trainer.accumulate = 3
    trainer = walk(trainer, CONFIG)
    torch.testing.assert_close(weights(trainer.evaluated_model), weights(trainer.model))


@pytest.mark.parametrize("options", [{"ema_decay": 0.9}, {"swa_from": 1}])
def test_the_average_is_evaluated_loaded_and_exported(options: Any, tmp_path: Any) -> None:
    from hippo.cli.export import _model_of

    study = hippo.create_study(
        "average", trainer=Following, trainer_args=options, storage="memory://", engine=hippo.InlineEngine(),
        metric="accuracy",
    )  # fmt: skip
    study.optimize(hippo.GridSearch([CONFIG], until=3))
    (trial,) = study.trials
    state, model = trial.load_state(), trial.load_model()
    assert not torch.equal(state["model"]["0.weight"], state["average"]["model"]["0.weight"])
    assert torch.equal(model[0].weight, state["average"]["model"]["0.weight"])
    assert not model.training
    assert _model_of(state).keys() == state["model"].keys()
    assert torch.equal(_model_of(state)["0.weight"], model[0].weight)
    study.close()


def test_before_there_is_an_average_the_model_itself_is_loaded_and_exported() -> None:
    from hippo.cli.export import _model_of

    trainer = walk(Following(swa_from=5), CONFIG, 3)
    state = trainer.state_dict()
    assert state["average"]["updates"] == 0
    assert torch.equal(_model_of(state)["0.weight"], trainer.model[0].weight)


# ------------------------------------------------------------------------------------------------- loops, and batches


def test_a_loop_that_leaves_a_step_before_its_end_is_told_so() -> None:
    class Leaving(BlobsTrainer):
        def train(self) -> Any:
            for batch in self.batches_of_step():
                self.update(self.loss(self.model, batch))
                break

    trainer = walk(Leaving(), {"lr": 0.1})
    with pytest.raises(TrainerError, match=r"Leaving.train\(\) left batches_of_step\(\) before its end"):
        trainer.state_dict()
    with pytest.raises(UserCodeFailed, match="before its end"):
        walk(Leaving(), {"lr": 0.1}, 2)


def test_collate_and_sampler_know_nothing_of_a_trial() -> None:
    class Curious(BlobsTrainer):
        def sampler(self, epoch: int) -> Any:
            return range(int(self.hp["samples"]))

    with pytest.raises(UserCodeFailed, match=r"'samples' here: collate\(\) and sampler\(\) are the same for all"):
        walk(Curious(), {"samples": Piecewise([8, 4], [1])})


class Remembering(Ramp):
    """Has an order that depends on how often it was asked for one."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way, self.asked = way, 0
        self.kept = torch.utils.data.RandomSampler(range(160), generator=torch.Generator().manual_seed(1))

    def sampler(self, epoch: int) -> Any:
        self.asked += 1
        if self.way == "groups":
            return [[0, 1, 2], [3]] if self.asked == 1 else [[0, 1], [2, 3]]
        return self.kept if self.way == "generator" else [(each + self.asked) % 160 for each in range(160)]


@pytest.mark.parametrize("way", ["generator", "count", "groups"])
def test_an_order_that_depends_on_what_was_asked_before_is_refused(way: str) -> None:
    for _ in range(2):
        with pytest.raises(UserCodeFailed, match=r"sampler\(0\) gave another order when it was asked again"):
            walk(Remembering(way), {"batch_size": 16}, 1)


def test_a_stream_has_no_sampler() -> None:
    class Sampled(kinds.Streaming):
        def sampler(self, epoch: int) -> Any:
            return range(3)

    with pytest.raises(UserCodeFailed, match=r"Sampled.sampler\(\) has no effect: a stream says its order itself"):
        walk(Sampled(), {"lr": 0.1})


class Pair(NamedTuple):
    one: Any
    other: Any


@dataclass(frozen=True)
class Labelled:
    """A batch as a frozen record."""

    inputs: Any
    name: str


class Encoding(collections.UserDict[str, Any]):
    """Moves itself, as a tokenizer's batch does."""

    def to(self, device: torch.device) -> Encoding:
        return Encoding({name: value.to(device) for name, value in self.items()})


class InPlace:
    """Moves itself, and returns nothing."""

    def __init__(self, inputs: Any) -> None:
        self.inputs = inputs

    def to(self, device: torch.device) -> None:
        self.inputs = self.inputs.to(device)


def test_tensors_are_found_wherever_a_batch_keeps_them() -> None:
    meta, one = torch.device("meta"), torch.ones(2)
    packed = nn.utils.rnn.pack_sequence([torch.ones(2), torch.ones(1)])
    batch = [one, {"a": (one, Pair(one, "x"))}, Labelled(one, "y"), Encoding(b=one), InPlace(one), packed, 3, "z"]
    moved = to_device(batch, meta)
    nested = moved[1]["a"]
    found = [moved[0], nested[0], nested[1].one, moved[2].inputs, moved[3]["b"], moved[4].inputs, moved[5].data]
    assert {each.device.type for each in found} == {"meta"}
    assert (nested[1].other, moved[2].name, moved[6], moved[7]) == ("x", "y", 3, "z")
    assert type(moved[2]) is Labelled
    assert batch[2].inputs is one
