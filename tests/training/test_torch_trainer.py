"""What TorchTrainer does with values, samples and metrics."""

from __future__ import annotations

import gc
import multiprocessing
import re
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.utils import prune
from torch.utils.data import IterableDataset

import hippo
from hippo.errors import HparamError, MetricError, StateError, TrainerError
from hippo.events import HparamsUnread, StageFailed
from hippo.hparams import Config, Constant, Exponential, Linear, MultiStep, Piecewise
from hippo.records import NodeId
from hippo.testing.remembering_host import along, pieces_at, resumed, spec_of
from hippo.testing.torch_trainers import CLASSES, FEATURES, Blobs, BlobsTrainer
from hippo.training.feeding.weighted_means import WeightedMeans
from hippo.training.walking.walker import UserCodeFailed, Walker

HERE = NodeId(0)


class Seen(BlobsTrainer):
    """Notes the options of the optimizer and the size of each batch."""

    def build(self) -> None:
        super().build()
        self.seen: list[tuple[int, dict[str, Any]]] = []

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        if model.training:
            self.seen.append((len(batch[1]), {**self.optimizer.param_groups[0]}))
        return super().loss(model, batch)


def walk(config: Mapping[str, Any], steps: int, trainer: BlobsTrainer | None = None) -> Any:
    """Train in this process and return the trainer."""
    walker = Walker(trainer or Seen(), step=0, pieces=pieces_at(config, 0), state=None, goal=(HERE, 1))
    for step in range(steps):
        walker.train(HERE, pieces_at(config, step))
    return walker.settled(HERE)


def sizes(trainer: Any) -> list[int]:
    return [size for size, _ in trainer.seen]


def options(trainer: Any, name: str) -> list[Any]:
    return [group[name] for _, group in trainer.seen]


# --------------------------------------------------------------------------------------------------------- samples


def test_a_batch_crosses_neither_a_steps_nor_an_epochs_end() -> None:
    trainer = walk({"batch_size": 16}, 3, Seen(size=48, samples_per_step=36, batch_norm=False))
    assert sizes(trainer) == [16, 16, 4, 12, 16, 8, 16, 8, 12]


def test_a_change_of_batch_size_keeps_the_order_of_samples() -> None:
    class Order(Blobs):
        fetched: tuple[int, ...] = ()

        def __getitem__(self, index: int) -> Any:
            type(self).fetched += (index,)
            return super().__getitem__(index)

    class Ordered(Seen):
        def train_set(self) -> Any:
            return Order(48, 0)

    orders = []
    for batch_size in (Constant(8), Piecewise([8, 12], [1])):
        Order.fetched = ()
        walk({"batch_size": batch_size}, 3, Ordered(samples_per_step=24))
        orders.append(Order.fetched)
    assert orders[0] == orders[1]
    assert sorted(orders[0][:48]) == list(range(48))
    assert len(orders[0]) == 72


def test_without_a_batch_size_it_is_32() -> None:
    assert sizes(walk({"lr": 0.1}, 1)) == [32, 16]


@pytest.mark.slow
def test_no_loader_worker_outlives_its_lane() -> None:
    along({"batch_size": MultiStep(8, [1], 2)}, 3, spec=spec_of(BlobsTrainer, num_workers=2))
    assert multiprocessing.active_children() == []


class Corrupt(Blobs):
    """Has a sample that cannot be read."""

    def __getitem__(self, index: int) -> Any:
        if index == 5:
            raise OSError("no such image")
        return super().__getitem__(index)


class CorruptBlobs(BlobsTrainer):
    def train_set(self) -> Any:
        return Corrupt(48, seed=0)


@pytest.mark.slow
def test_no_loader_worker_waits_for_the_garbage_collector_where_a_sample_cannot_be_read() -> None:
    pieces = pieces_at({"lr": 0.1}, 0)
    walker = Walker(CorruptBlobs(num_workers=1), step=0, pieces=pieces, state=None, goal=(HERE, 1))
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(UserCodeFailed) as failed, closing(walker):
            walker.train(HERE, pieces)
        assert str(failed.value) == "OSError: no such image (in DataLoader worker process 0)"
        assert multiprocessing.active_children() == []
    finally:
        gc.enable()


def test_an_iterable_or_empty_dataset_is_refused() -> None:
    class Stream(IterableDataset[int]):
        def __iter__(self) -> Any:
            return iter([1])

    for dataset, message in ((Stream(), "no map-style dataset"), (Blobs(0, 0), "is empty")):
        trainer = BlobsTrainer()
        trainer.train_set = lambda dataset=dataset: dataset  # type: ignore[method-assign]
        with pytest.raises(UserCodeFailed, match=message):
            walk({"lr": 0.1}, 1, trainer)


# ---------------------------------------------------------------------------------------------------------- values


def test_values_are_applied_at_each_step_and_the_state_is_kept() -> None:
    config = {
        "lr": MultiStep(0.1, [1], 0.5),
        "momentum": Piecewise([0.5, 0.9], [2]),
        "weight_decay": Exponential(0.1, 0.5),
    }
    trainer = walk(config | {"batch_size": 48}, 3)
    assert options(trainer, "lr") == [0.1, 0.05, 0.05]
    assert options(trainer, "momentum") == [0.5, 0.5, 0.9]
    assert options(trainer, "weight_decay") == [0.1, 0.05, 0.025]
    assert len(trainer.optimizer.state) == len(list(trainer.model.parameters()))


def test_values_are_applied_at_each_batch_if_so_wanted() -> None:
    trainer = walk({"lr": Linear(0.0, 1.0), "batch_size": 16}, 2, Seen(apply_hparams="batch"))
    assert options(trainer, "lr") == pytest.approx([0, 1 / 3, 2 / 3, 1, 4 / 3, 5 / 3], rel=1e-15)
    assert trainer.optimizer.param_groups[0]["lr"] == 1.0


def test_groups_keep_their_own_multiples_of_the_learning_rate() -> None:
    trainer = walk({"lr": MultiStep(0.1, [1], 0.5)}, 2, Seen(optimizer="adam"))
    assert [group["lr"] for group in trainer.optimizer.param_groups] == [0.1, 0.05]


def test_another_value_that_make_optimizer_reads_begins_the_optimizer_anew() -> None:
    trainer = walk({"lr": 0.1, "optimizer": Piecewise(["sgd", "adam"], [1])}, 2)
    assert isinstance(trainer.optimizer, torch.optim.Adam)
    assert {float(state["step"]) for state in trainer.optimizer.state.values()} == {2.0}


def test_an_optimizer_of_other_parameters_may_begin_anew_without_a_warning(recwarn: Any) -> None:
    class HeadFirst(Seen):
        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            *_, weight, bias = params = list(params)
            return torch.optim.SGD(params if self.hp["all"] else [weight, bias], lr=self.hp["lr"])

    walk({"lr": 0.1, "all": Piecewise([False, True], [1])}, 2, HeadFirst())
    assert [str(each.message) for each in recwarn if "began anew" in str(each.message)] == []


def test_an_optimizer_goes_on_where_its_making_takes_a_value_apart() -> None:
    class TakesApart(Seen):
        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            options = self.hp["opt"]
            kind = getattr(torch.optim, options.pop("name"))
            return kind(params, lr=self.hp["lr"], **options)  # type: ignore[no-any-return]

    config = {"lr": Piecewise([0.1, 0.01], [2]), "opt": {"name": "SGD", "momentum": 0.9}}
    apart, whole = walk(config, 4, TakesApart()), walk({"lr": config["lr"]}, 4)
    assert torch.equal(apart.model[0].weight, whole.model[0].weight)


class Wide(BlobsTrainer):
    def make_model(self) -> nn.Module:
        return nn.Linear(FEATURES, CLASSES) if self.hp["bias"] else nn.Linear(FEATURES, CLASSES, bias=False)


def test_a_value_that_make_model_read_must_not_change_behind_its_back() -> None:
    with pytest.raises(UserCodeFailed, match="make_model\\(\\) read 'bias' when it was True; now it is False"):
        walk({"bias": Piecewise([True, False], [1])}, 2, Wide())


def test_a_value_that_make_model_read_may_change_if_setup_takes_care() -> None:
    class Careful(Wide):
        def setup(self, hp: Mapping[str, Any]) -> None:
            if "bias" in hp:
                self.model.requires_grad_(hp["bias"])

    walk({"bias": Piecewise([True, True], [1])}, 2, Careful())


def test_the_number_of_groups_must_not_depend_on_a_learning_rate() -> None:
    class Odd(BlobsTrainer):
        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            params = list(params)
            groups = [params] if self.hp["lr"] == 0.1 else [params[:1], params[1:]]
            return torch.optim.SGD([{"params": group} for group in groups], lr=self.hp["lr"])

    with pytest.raises(UserCodeFailed, match="made 1 parameter groups before and 2 now"):
        walk({"lr": MultiStep(0.1, [1], 0.5)}, 2, Odd())


def test_a_learning_rate_that_the_optimizer_ignores_is_told() -> None:
    class Fixed(BlobsTrainer):
        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            return torch.optim.SGD(params, lr=0.1)

    assert along({"lr": 0.5}, 1, spec=spec_of(Fixed)).one(HparamsUnread).names == ("lr",)


def test_the_datasets_are_made_once_for_all_trials_and_know_no_values() -> None:
    class Curious(BlobsTrainer):
        def train_set(self) -> Any:
            return Blobs(int(self.hp["size"]), 0)

    with pytest.raises(UserCodeFailed, match=r"train_set\(\) returns is made once per worker, for all trials alike"):
        walk({"size": 12}, 1, Curious())
    trainer = BlobsTrainer()
    assert walk({"lr": 0.1}, 1, trainer)._datasets["train_set"] is walk({"lr": 0.2}, 1, trainer)._datasets["train_set"]


class Shifted(Blobs):
    """Samples that are made by something that keeps the trainer."""

    def __init__(self, size: int, seed: int, shift: Any) -> None:
        super().__init__(size, seed)
        self._shift = shift

    def __getitem__(self, index: int) -> Any:
        inputs, label = super().__getitem__(index)
        return inputs + self._shift(), label


@pytest.mark.parametrize("method", ["train_set", "val_set"])
def test_a_data_set_that_keeps_the_trainer_has_no_values_of_the_first_trial_for_all_others(method: str) -> None:
    trainer: Any = type("Keeping", (BlobsTrainer,), {method: lambda self: Shifted(24, 0, lambda: self.hp["shift"])})()
    told = rf"what {method}\(\) returns is made once per worker.*set_hparams\(hp\)"
    with pytest.raises((UserCodeFailed, HparamError), match=told):
        walk({"lr": 0.1, "shift": 1.0}, 1, trainer).evaluate()


def test_what_train_set_keeps_on_the_trainer_stays_there() -> None:
    class Keeping(BlobsTrainer):
        def train_set(self) -> Any:
            self.known_size = 24
            return Blobs(self.known_size, 0)

    trainer: Any = Keeping()
    assert walk({"lr": 0.1}, 1, trainer).known_size == 24


GOOD_SIZES = [8, 8.0, Piecewise([8, 16.0], [5]), MultiStep(8, [5], 2), Linear(8.0, 2.0)]


@pytest.mark.parametrize("batch_size", GOOD_SIZES, ids=repr)
def test_whole_batch_sizes_are_accepted(batch_size: Any) -> None:
    BlobsTrainer.check_config(Config({"batch_size": batch_size}), 10)


BAD_SIZES = [
    (0, 0),
    (-8, 0),
    (True, 0),
    ("8", 0),
    (Piecewise([8, 12.5], [5]), 5),
    (MultiStep(8, [5], 0.1), 5),
    (Linear(8.0, 0.5), 1),
    (Exponential(8.0, 0.5), 4),
]


@pytest.mark.parametrize(("batch_size", "step"), BAD_SIZES, ids=repr)
def test_other_batch_sizes_are_refused_before_training(batch_size: Any, step: int) -> None:
    with pytest.raises(HparamError, match=f"batch_size at step {step}: it must be a whole number of at least 1"):
        BlobsTrainer.check_config(Config({"batch_size": batch_size}), 10)


def test_a_bad_batch_size_beyond_the_end_is_nobodys_business() -> None:
    BlobsTrainer.check_config(Config({"batch_size": Piecewise([8, 12.5], [5])}), 5)


# --------------------------------------------------------------------------------------------------------- metrics


def test_metrics_are_means_over_samples_and_not_over_batches() -> None:
    means = WeightedMeans()
    means.add({"loss": torch.tensor(1.0)}, samples=30)
    means.add({"loss": 4.0}, samples=10)
    assert means.result() == {"loss": 1.75}


def test_metrics_are_summed_in_double_precision() -> None:
    means = WeightedMeans()
    for _ in range(1000):
        means.add({"loss": torch.tensor(0.1)}, samples=7)
    assert means.result()["loss"] == pytest.approx(float(torch.tensor(0.1)), rel=1e-14)  # float64, 1,000 additions


@pytest.mark.parametrize("value", [torch.ones(2), torch.tensor(1j), "high", None])
def test_a_metric_of_a_batch_that_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(MetricError, match="'loss' of a batch is"):
        WeightedMeans().add({"loss": value}, samples=1)


def test_training_is_in_training_mode_and_evaluation_is_not() -> None:
    class Modes(BlobsTrainer):
        def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
            assert model.training
            assert torch.is_grad_enabled()
            return super().loss(model, batch)

        def metrics(self, model: nn.Module, batch: Any) -> dict[str, Any]:
            assert not model.training
            assert not torch.is_grad_enabled()
            return super().metrics(model, batch)

    host = along({"lr": 0.1}, 2, spec=spec_of(Modes))
    assert not host.of(StageFailed)
    assert host.metrics[2].keys() == {"loss", "accuracy"}


def test_a_trainer_without_methods_is_told_which_are_missing() -> None:
    from hippo.training import TorchTrainer, resolve

    with pytest.raises(TrainerError, match=r"loss\(\), make_model\(\), make_optimizer\(\), train_set\(\), val_set\(\)"):
        resolve(TorchTrainer)


# ------------------------------------------------------------------------------------------- what belongs to a state


class Decaying(BlobsTrainer):
    """Has a scheduler of its own, made where many make it, and forgets to save it."""

    def build(self) -> None:
        super().build()
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 3, 0.1)

    def train(self) -> Mapping[str, Any]:
        metrics = super().train()
        self.scheduler.step()
        return {**metrics, "lr": self.optimizer.param_groups[0]["lr"]}


class Averaged(Decaying):
    """Has a scheduler that holds a function, which cannot be saved."""

    def build(self) -> None:
        super().build()
        self.averaging = torch.optim.swa_utils.SWALR(self.optimizer, swa_lr=0.01)
        self.averaging.anneal = lambda t: t  # type: ignore[attr-defined]


class SeveralSchedulers(BlobsTrainer):
    """Keeps its schedulers in a list and in a dictionary, beside what is none."""

    def build(self) -> None:
        super().build()
        self.schedulers = [torch.optim.lr_scheduler.StepLR(self.optimizer, 3, 0.1), None]
        self.by_name = {"plateau": torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, patience=1)}

    def train(self) -> Mapping[str, Any]:
        metrics = super().train()
        self.schedulers[0].step()  # type: ignore[union-attr]
        self.by_name["plateau"].step(1.0)
        return {**metrics, "lr": self.optimizer.param_groups[0]["lr"]}


class Unfreezing(BlobsTrainer):
    """Trains its first layer from the fourth step on, by a counter that is saved."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        model[0].requires_grad_(False)  # type: ignore[index, operator]
        return model

    def train(self) -> Mapping[str, Any]:
        if self._training.steps == 3:
            self.model[0].requires_grad_(True)  # type: ignore[index, operator]
        return super().train()


class FrozenByBuild(Unfreezing):
    """Makes all of it to be trained, and freezes it when it is built."""

    def make_model(self) -> nn.Module:
        return super().make_model().requires_grad_(True)

    def build(self) -> None:
        super().build()
        self.model[0].requires_grad_(False)  # type: ignore[index, operator]


@pytest.mark.slow
@pytest.mark.parametrize("trainer", [Decaying, Averaged, SeveralSchedulers, Unfreezing, FrozenByBuild])
def test_schedulers_and_what_is_frozen_come_back_with_a_state(trainer: type[BlobsTrainer]) -> None:
    config, spec = {"lr": 0.1}, spec_of(trainer)
    whole, first = along(config, 7, spec=spec), along(config, 5, spec=spec)
    rest = resumed(config, 5, 7, first, spec=spec)
    assert rest.training == {step: whole.training[step] for step in (6, 7)}
    assert rest.hashes[7] == whole.hashes[7]


def test_the_states_of_all_others_are_what_they_were() -> None:
    assert walk({"lr": 0.1}, 1).state_dict().keys() == {"model", "optimizer", "samples"}
    frozen = walk({"lr": 0.1}, 2, Unfreezing())
    assert frozen.state_dict().keys() == {"model", "optimizer", "samples"}
    assert walk({"lr": 0.1}, 4, Unfreezing()).state_dict()["frozen"] == []


class Counting(BlobsTrainer):
    """Counts its steps, and has its samples depend on that."""

    shift = 0

    def __init__(self) -> None:
        super().__init__()
        self.padding, self.weights, self.table = 0, torch.ones(48), np.full(3, np.nan)

    def train(self) -> Mapping[str, Any]:
        metrics = super().train()
        self.shift += 1
        return metrics

    def collate(self, samples: list[Any]) -> Any:
        points, labels = torch.utils.data.default_collate(samples)
        return self.shifted(points), labels

    def shifted(self, points: torch.Tensor) -> torch.Tensor:
        return points + self.shift


class Mining(BlobsTrainer):
    """Draws samples by weights that it makes anew as it trains."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = torch.ones(48)

    def sampler(self, epoch: int) -> Any:
        return [number for number, weight in enumerate(self.weights) if weight > 0]

    def train(self) -> Mapping[str, Any]:
        metrics = super().train()
        self.weights = self.weights * 2
        return metrics


@pytest.mark.parametrize(
    ("trainer", "told"), [(Counting, r"collate\(\) reads self.shift"), (Mining, r"sampler\(\) reads self.weights")]
)
def test_what_makes_batches_does_not_miss_what_training_sets(trainer: type[BlobsTrainer], told: str) -> None:
    with pytest.raises(UserCodeFailed, match=told):
        walk({"lr": 0.1}, 2, trainer())


def test_what_makes_batches_may_read_what_stays_and_set_what_is_its_own() -> None:
    class Keeps(Counting):
        def train(self) -> Mapping[str, Any]:
            self.weights, self.padding, self.table = torch.ones(48), 0, np.full(3, np.nan)
            return BlobsTrainer.train(self)

        def collate(self, samples: list[Any]) -> Any:
            self.padding = max(
                self.padding, len(samples), *(int(self.weights[number]) for number in range(3)), len(self.table)
            )
            return super().collate(samples)

    walk({"lr": 0.1}, 2, Keeps())


class LeavesOutFrozen(BlobsTrainer):
    """Makes its optimizer anew, of what is not frozen by then."""

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(
            [each for each in params if each.requires_grad], self.hp["lr"], dampening=self.hp["slow"]
        )

    def setup(self, hp: Mapping[str, Any]) -> None:
        if "freeze" in hp:
            self.model[0].requires_grad_(not hp["freeze"])  # type: ignore[index, operator]


def test_an_optimizer_without_what_was_frozen_meanwhile_says_what_to_do() -> None:
    config = {"lr": 0.1, "freeze": Piecewise([False, True], [1]), "slow": Piecewise([0.0, 0.5], [2])}
    state = walk(config, 3, LeavesOutFrozen()).state_dict()
    new = walk({"lr": 0.1, "slow": 0.0}, 0, LeavesOutFrozen())

    with pytest.raises(StateError, match=r"has \[4\] parameters in its groups, and .* \[6\]. .* take all parameters"):
        new.load_state_dict(state)


def test_a_state_of_before_there_were_such_entries_is_accepted() -> None:
    trainer = walk({"lr": 0.1}, 2, Unfreezing())
    trainer.load_state_dict({name: trainer.state_dict()[name] for name in ("model", "optimizer", "samples")})
    assert not trainer.model[0].weight.requires_grad


def test_an_optimizer_that_draws_leaves_what_training_draws_as_it_is() -> None:
    class Drawing(Seen):
        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            torch.rand(3)
            return super().make_optimizer(params)

    spec = spec_of(Drawing, dropout=0.5)
    # at lr = 0 the two differ in nothing but that the optimizer is asked for its options once more
    for changing in (Piecewise([0.0, 0.5], [1]), Constant(0.0)):
        host = along({"lr": 0.0, "momentum": 0.0, "weight_decay": changing}, 2, spec=spec)
        assert host.training[2] == along({"lr": 0.0, "momentum": 0.0}, 2, spec=spec).training[2]


def test_what_make_optimizer_sets_on_the_trainer_is_not_replaced_when_values_change() -> None:
    class Scheduled(Seen):
        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            optimizer = super().make_optimizer(params)
            self.scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 5)
            return optimizer

    trainer = walk({"lr": MultiStep(0.1, [1], 0.5)}, 2, Scheduled())
    assert trainer.scheduler.optimizer is trainer.optimizer


# ------------------------------------------------------------------------------------- attributes that cannot be meant

REFUSED = [
    ("samples_per_step", 0, "must be a whole number of samples, at least 1, or None"),
    ("samples_per_step", 2.5, "must be a whole number of samples, at least 1, or None"),
    ("num_workers", -1, "must be a number of processes, 0 for none"),
    ("num_workers", 1.5, "must be a number of processes, 0 for none"),
    ("apply_hparams", "epoch", "must be 'step' or 'batch'"),
    ("val_batch_size", 0, "must be a whole number of samples, at least 1"),
    ("default_batch_size", float("nan"), "must be a whole number of samples, at least 1"),
    ("device", "gpu", "must be a device that torch knows"),
]


@pytest.mark.parametrize(("attribute", "value", "message"), REFUSED)
def test_an_attribute_that_cannot_be_meant_is_refused_before_anything_is_trained(
    attribute: str, value: Any, message: str
) -> None:
    import hippo

    class Wrong(BlobsTrainer):
        def __init__(self) -> None:
            raise AssertionError("nobody builds it")

    setattr(Wrong, attribute, value)
    study = hippo.create_study("wrong", trainer=Wrong, storage="memory://", engine=hippo.InlineEngine())
    with pytest.raises(TrainerError, match=f"Wrong.{attribute} = .*{message}"):
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    assert study.statistics().steps_executed == 0
    study.close()


@pytest.mark.parametrize(("attribute", "value", "message"), REFUSED)
def test_one_that_init_sets_is_refused_when_the_trainer_is_built(attribute: str, value: Any, message: str) -> None:
    trainer = Seen()
    setattr(trainer, attribute, value)
    with pytest.raises(UserCodeFailed, match=f"Seen.{attribute} = .*{message}"):
        walk({"lr": 0.1}, 1, trainer)


def test_whole_numbers_and_properties_are_accepted() -> None:
    class Good(BlobsTrainer):
        samples_per_step = 24.0  # type: ignore[assignment]

        @property
        def val_batch_size(self) -> int:  # type: ignore[override]
            return 7

    Good.check_config(Config({"lr": 0.1}), 1)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("samples_per_step", 24),
        ("val_batch_size", 7),
        ("num_workers", 1),
        ("accumulate", 2),
        ("shards", 2),
        ("ema_decay", 0.9),
        ("swa_from", 1),
        ("elastic_blocks", (nn.Linear,)),
        ("precision", "bf16"),
        ("device", "meta"),
    ],
)
def test_one_that_only_build_reads_is_refused_where_setup_sets_it(attribute: str, value: Any) -> None:
    class Late(Seen):
        def setup(self, hp: Any) -> None:
            setattr(self, attribute, value)

    with pytest.raises(UserCodeFailed, match=re.escape(f"Late.{attribute} is {value!r} after setup(), but was ")):
        walk({"lr": 0.1}, 1, Late(samples_per_step=36))


def test_one_that_only_build_reads_does_not_follow_a_value_that_changes() -> None:
    class Follows(Seen):
        @property
        def accumulate(self) -> int:  # type: ignore[override]
            return int(self.hp["rate"])

    walk({"lr": 0.1, "rate": 2}, 2, Follows())
    with pytest.raises(UserCodeFailed, match=r"accumulate is 2 after setup\(\), but was 1 in build\(\)"):
        walk({"lr": 0.1, "rate": Piecewise([1, 2], [1])}, 2, Follows())


def test_those_that_each_step_reads_may_be_set_in_setup() -> None:
    class Clips(Seen):
        swa_from = 1

        def setup(self, hp: Any) -> None:
            self.clip_norm, self.swa_from, self.device = 0.1, 2, torch.device("cpu")

    assert walk({"lr": 0.1}, 1, Clips()).clip_norm == 0.1


class CountingSGD(torch.optim.SGD):
    """Counts its steps in its groups, as optimizers do that estimate their own learning rate."""

    def __init__(self, parameters: Any, lr: float) -> None:
        super().__init__(parameters, lr=lr)
        for group in self.param_groups:
            group["count"], group["twice"] = 0, 2 * lr

    def step(self, closure: Any = None) -> Any:
        for group in self.param_groups:
            group["count"] += 1
        return super().step(closure)


class CountsSteps(BlobsTrainer):
    """Trains with such an optimizer."""

    def make_optimizer(self, parameters: Any) -> torch.optim.Optimizer:
        return CountingSGD(parameters, self.hp["lr"])

    def train(self) -> Mapping[str, Any]:
        metrics, (group,) = super().train(), self.optimizer.param_groups
        return {**metrics, "count": group["count"], "lr": group["lr"], "twice": group["twice"]}


@pytest.mark.parametrize("apply_hparams", ["step", "batch"])
def test_what_an_optimizer_keeps_in_its_groups_is_its_own_where_values_change(apply_hparams: str) -> None:
    trainer_class = type("Counts", (CountsSteps,), {"apply_hparams": apply_hparams, "__module__": __name__})
    study = hippo.create_study(
        "counts", trainer=trainer_class, storage="memory://", checkpoints="memory://", engine=hippo.InlineEngine(),
        metric="loss", mode="min", evaluate_every=6,
    )  # fmt: skip
    rates = [0.01, hippo.Cosine(0.01, 100), hippo.Piecewise([0.01, 0.02, 0.01], [3, 5])]
    study.optimize(hippo.GridSearch([{"lr": rate, "batch_size": 16} for rate in rates], until=6))
    one, *others = ([told[step] for step in sorted(told)] for told in (each.train_metrics for each in study.trials))
    per_step = one[0]["count"]
    assert per_step >= 1
    for steps in (one, *others):
        assert [step["count"] for step in steps] == [per_step * number for number in range(1, 7)]
        assert all(step["twice"] == 2 * step["lr"] for step in steps)  # what follows a value goes on following it
    assert len({step["lr"] for step in others[0]}) > 1
    study.close()


@pytest.mark.parametrize("start", [2, 3, 4])
def test_who_goes_on_from_a_state_takes_the_values_that_change_and_nothing_else(start: int) -> None:
    config, spec = {"lr": Piecewise([0.01, 0.02, 0.01], [3, 5]), "batch_size": 16}, spec_of(CountsSteps)
    whole, first = along(config, 7, spec=spec), along(config, start, spec=spec)
    rest = resumed(config, start, 7, first, spec=spec)
    assert rest.training == {step: whole.training[step] for step in range(start + 1, 8)}
    assert rest.hashes[7] == whole.hashes[7]


def test_who_stands_and_takes_over_a_state_follows_the_values_from_there() -> None:
    rates = {"lr": Piecewise([0.01, 0.02], [2]), "batch_size": 16}
    earlier, standing = walk(rates, 1, CountsSteps()), walk(rates, 3, CountsSteps())
    (saved,) = earlier.optimizer.param_groups
    assert (saved["lr"], saved["twice"]) == (0.01, 0.02)
    standing.load_state_dict(earlier.state_dict())
    standing._live.note_values(earlier.hp)
    standing._live.apply(standing)
    (group,) = standing.optimizer.param_groups
    assert (group["lr"], group["twice"], group["count"]) == (0.02, 0.04, saved["count"])


# ----------------------------------------------------------------------------------------------------------- states


class Pruned(BlobsTrainer):
    """Leaves half of a layer's weights out, from its second step on."""

    def prune(self) -> None:
        prune.l1_unstructured(self.model[0], "weight", amount=0.5)

    def train(self) -> Mapping[str, Any]:
        self.steps = getattr(self, "steps", 0) + 1
        if self.steps == 2:
            self.prune()
        return super().train()


class PrunedAgain(Pruned):
    """Does that again for a state that has it."""

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if "0.weight_mask" in state["model"]:
            self.prune()
            self.steps = 2
        super().load_state_dict(state)


def test_a_model_that_changes_while_it_is_trained_is_told_where_to_change_it_again() -> None:
    config = {"lr": 0.1}
    spec = spec_of(Pruned)
    (failed,) = resumed(config, 3, 4, along(config, 3, spec=spec), spec=spec).of(StageFailed)
    error = failed.failure.error
    assert "another model than make_model() makes: 0.weight, 0.weight_mask, 0.weight_orig of one alone" in error
    assert "before super().load_state_dict(state)" in error


def test_a_model_that_is_changed_again_before_its_state_is_loaded_goes_on() -> None:
    config, spec = {"lr": 0.1}, spec_of(PrunedAgain)
    whole, first = along(config, 4, spec=spec), along(config, 3, spec=spec)
    assert resumed(config, 3, 4, first, spec=spec).hashes[4] == whole.hashes[4]
