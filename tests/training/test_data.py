"""Samples come in one order, fetched by whomever; a data set that follows hyper-parameters does so everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import ConcatDataset, Dataset, Subset, TensorDataset

import hippo
from hippo.errors import HparamError, TrainerError, TrialFailedError
from hippo.hparams import Piecewise
from hippo.testing.remembering_host import along, spec_of
from hippo.testing.solo import train_alone
from hippo.testing.torch_trainers import Blobs, BlobsTrainer
from hippo.training.declarative.trainer_data import SampleMethods, dataset_of, training_feed, validation_feed
from hippo.training.feeding.data import TrainingFeed, ValidationFeed
from hippo.training.feeding.sample_chance import SampleChance
from hippo.training.feeding.samples import SampleSource
from hippo.training.torch_trainer import TorchTrainer
from hippo.training.values import HparamValues


class Numbers(Dataset[int]):
    """The numbers from 0 on."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> int:
        return index


def feed(num_workers: int = 0, dataset: Any = None, seed: int = 0) -> TrainingFeed:
    dataset = Numbers(6) if dataset is None else dataset
    return TrainingFeed(dataset, seed=seed, samples_per_step=6, num_workers=num_workers)


def fetched(feed: TrainingFeed, step: int, batch_size: int = 4) -> list[int]:
    if feed.samples != 6 * step:
        feed.load_state_dict({"samples": 6 * step})
    return [int(number) for fed in feed.step(batch_size) for number in fed.batch]


# -------------------------------------------------------------------------------------------------------- the order


def test_the_order_of_two_epochs_never_changes() -> None:
    assert [fetched(feed(), step) for step in (0, 1)] == ORDERS


def test_epochs_and_seeds_differ_and_each_epoch_has_every_sample() -> None:
    orders = [tuple(fetched(feed(seed=seed), step)) for seed in (0, 1) for step in (0, 1)]
    assert len(set(orders)) == 4
    assert all(sorted(order) == list(range(6)) for order in orders)


# exactness 1; a change here needs a new number there
ORDERS = [[1, 0, 4, 3, 2, 5], [3, 2, 0, 5, 4, 1]]


def test_orders_are_the_same_whatever_device_tensors_are_made_on() -> None:
    data = TensorDataset(torch.arange(6))
    validation = ValidationFeed(data, seed=0, batch_size=4)
    with torch.device("meta"):  # as torch.set_default_device("cuda") in a trainer: whose generators are none of the CPU
        assert [int(number) for fed in feed(dataset=data).step(6) for number in fed.batch[0]] == ORDERS[0]
        indices = [int(number) for (batch,) in validation.batches() for number in batch]
    assert indices == list(range(6))


def test_samples_are_fetched_by_one_thread_however_many_there_are() -> None:
    class Threads(Numbers):
        def __getitem__(self, index: int) -> int:
            return torch.get_num_threads()

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        assert set(fetched(feed(dataset=Threads(6)), 0)) == {1}
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.slow
def test_fetching_ahead_draws_nothing_from_the_global_generators() -> None:
    torch.manual_seed(5)
    expected = torch.rand(())
    torch.manual_seed(5)
    ahead = feed(num_workers=1)
    assert fetched(ahead, 0) == fetched(feed(), 0)
    ahead.close()
    assert torch.rand(()) == expected


@pytest.mark.slow
def test_a_step_that_was_broken_off_is_begun_again_from_its_first_sample() -> None:
    ahead = feed(num_workers=1)
    next(ahead.step(4))
    assert fetched(ahead, 0) == fetched(feed(), 0)
    next(ahead.step(4))
    assert fetched(ahead, 1) == fetched(feed(), 1)
    ahead.close()


# -------------------------------------------------------------------------------------- data sets that follow values


class Scaled(Blobs):
    """Blobs, scaled by a hyper-parameter, which is kept where it cannot be seen from outside."""

    def __init__(self, size: int, seed: int) -> None:
        super().__init__(size, seed)
        self.scale = 1.0
        self.knob = {"scale": 1.0}
        self.tensor, self.array = torch.ones(1), np.ones(1, dtype=np.float32)

    def set_hparams(self, hp: Mapping[str, Any]) -> None:
        self.knob["scale"] = hp["scale"]

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        points, label = super().__getitem__(index)
        return points * self.scale * self.knob["scale"] * self.tensor * self.array[0], label


class Following(BlobsTrainer):
    """Trains on blobs that follow `scale`; one data set is a view of others.

    Args:
      by: "hook": the data sets define `set_hparams`; "setup": `setup` changes them; "train": `train` does.
    """

    def __init__(self, by: str = "hook", **options: Any) -> None:
        super().__init__(samples_per_step=36, **options)
        self.by = by

    def train_set(self) -> Any:
        halves = [Scaled(24, 0), Scaled(24, 3)]
        if self.by != "hook":
            self.plain = [Plain(24, 0), Plain(24, 3)]
            return ConcatDataset(self.plain)
        return ConcatDataset(halves)

    def val_set(self) -> Any:
        return Subset(Scaled(30, 1), range(21)) if self.by == "hook" else Blobs(21, 1)

    def build(self) -> None:
        super().build()
        if self.by != "hook":
            self.plain = self._datasets["train_set"].datasets

    def setup(self, hp: Mapping[str, Any]) -> None:
        if self.by == "setup" and "scale" in hp:
            for part in self.plain:
                part.knob["scale"] = hp["scale"]

    def train(self) -> Mapping[str, Any]:
        for part in self.plain if self.by.startswith("train") else ():
            if self.by == "train":
                part.scale = self.hp["scale"]
            elif self.by == "train, in a dictionary":
                part.knob["scale"] = self.hp["scale"]
            elif self.by == "train, in a tensor":
                part.tensor.fill_(self.hp["scale"])
            elif self.by == "train, in an array":
                part.array[0] = self.hp["scale"]
        return super().train()


class Plain(Scaled):
    """Follows nothing by itself: others change it."""

    set_hparams = None  # type: ignore[assignment]


#: no constant one, which would be walked first, and leave to all changes a lane and workers of their own
CONFIGS = [{"lr": 0.05, "scale": scale} for scale in (Piecewise([1.0, 0.3], [2]), Piecewise([1.0, 0.3, 2.0], [2, 3]))]


@pytest.fixture
def make_study() -> Iterator[Any]:
    studies: list[hippo.Study] = []

    def make(**arguments: Any) -> hippo.Study:
        storage, engine = "memory://follow", hippo.InlineEngine()
        studies.append(
            hippo.create_study(
                f"follow {arguments}", trainer=Following, trainer_args=arguments, storage=storage, engine=engine
            )
        )
        return studies[-1]

    yield make
    for study in studies:
        study.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "by", ["hook", "setup", "train", "train, in a dictionary", "train, in a tensor", "train, in an array"]
)
def test_loader_workers_change_no_bit_where_a_data_set_follows_hyper_parameters(make_study: Any, by: str) -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    studies = [make_study(by=by, num_workers=workers) for workers in (0, 2)]
    for study in studies:
        study.optimize(hippo.GridSearch(CONFIGS, until=4))
    for trial, other in zip(studies[0].trials, studies[1].trials, strict=True):
        assert dict(trial.history) == dict(other.history)
        assert dict(trial.history) == train_alone(Following, trial.config, until=4, trainer_args={"by": by})
    torch.set_num_threads(threads)


@pytest.mark.slow
def test_what_was_fetched_ahead_is_kept_where_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    launched: list[int] = []
    original = SampleSource.prefetch
    monkeypatch.setattr(SampleSource, "prefetch", lambda *args: launched.append(1) or original(*args))
    ahead = feed(num_workers=1, dataset=Numbers(6))
    for step in range(3):
        ahead.give(HparamValues({"lr": 0.1 * step}))
        fetched(ahead, step)
    assert len(launched) == 1
    ahead.flush()
    fetched(ahead, 3)
    assert len(launched) == 2
    ahead.close()


def test_a_validation_set_follows_the_values_of_the_step_that_is_evaluated() -> None:
    def losses(scale: Any) -> list[float]:
        config = {"lr": 0.0, "scale": scale}
        host = along(config, 3, spec=spec_of(Following, batch_norm=False, dropout=0.0))
        return [host.metrics[step]["loss"] for step in (1, 2, 3)]

    one, other = losses(1.0), losses(0.3)
    assert one[0] != other[0]
    assert losses(Piecewise([1.0, 0.3], [2])) == [*one[:2], other[2]]


class Noted(Numbers):
    """Leaves alone what is not among the values, as `setup` does."""

    shown = 0

    def __init__(self, length: int) -> None:
        super().__init__(length)
        self.shift = 3

    def set_hparams(self, hp: Mapping[str, Any]) -> None:
        if "shift" in hp:
            self.shift = self.shown = hp["shift"]

    def __getitem__(self, index: int) -> int:
        return self.shift + self.shown


def test_a_trial_without_a_value_is_not_given_that_of_another_trial() -> None:
    dataset = Noted(6)
    one, other = (SampleSource(dataset, SampleChance(0, "sample")) for _ in range(2))
    seen = []
    for source, values in ((one, {"shift": 5}), (other, {}), (one, {"shift": 5}), (other, {}), (other, {})):
        source.give(HparamValues(values))
        seen.append(dataset[0])
    assert seen == [10, 3, 10, 3, 3]


def test_what_a_data_set_has_set_stays_while_values_come() -> None:
    class Counts(Noted):
        calls = 0

        def set_hparams(self, hp: Mapping[str, Any]) -> None:
            self.calls += hp["lr"]

    source = SampleSource(dataset := Counts(6), SampleChance(0, "sample"))
    for _ in range(3):
        source.give(HparamValues({"lr": 1}))
    assert dataset.calls == 3


def test_only_what_a_data_set_reads_throws_away_what_was_fetched_ahead() -> None:
    source = SampleSource(Scaled(6, 0), SampleChance(0, "sample"))
    given = [source.give(HparamValues({"lr": lr, "scale": scale})) for lr, scale in ((1, 1.0), (2, 1.0), (3, 2.0))]
    assert given == [True, False, True]


class Part(Blobs):
    """So many of its samples as a hyper-parameter says."""

    used = 24

    def set_hparams(self, hp: Mapping[str, Any]) -> None:
        self.used = hp["used"]

    def __len__(self) -> int:
        return self.used


class OfParts(BlobsTrainer):
    def train_set(self) -> Any:
        return Part(24, 0)

    def val_set(self) -> Any:
        return Part(24, 1)


class Told(Numbers):
    """Has as many samples as it is told, and no length before."""

    def __init__(self) -> None: ...

    def set_hparams(self, hp: Mapping[str, Any]) -> None:
        self.length = hp["used"]


@pytest.mark.parametrize("method", ["train_set", "val_set"])
def test_a_data_set_may_have_its_length_from_the_first_values(method: str) -> None:
    trainer: Any = BlobsTrainer()
    setattr(trainer, method, Told)
    told = dataset_of(trainer, method)
    feed_of = {"train_set": training_feed, "val_set": validation_feed}[method]
    for used in (3, 5):
        trainer.hp = HparamValues({"used": used})
        assert feed_of(trainer, told, SampleMethods(trainer, TorchTrainer))._of == used
    trainer.hp = HparamValues({"used": 0})
    with pytest.raises(TrainerError, match=rf"the Told of {method}\(\) is empty"):
        feed_of(trainer, told, SampleMethods(trainer, TorchTrainer))


def test_a_data_set_is_as_long_as_its_own_trial_says_whatever_was_trained_before() -> None:
    study = hippo.create_study("parts", trainer=OfParts, storage="memory://", checkpoints="memory://", metric="loss",
                               mode="min", engine=hippo.InlineEngine())  # fmt: skip
    for used in (24, 12, 18, 6):
        config = {"lr": 0.1, "used": used}
        study.optimize(hippo.GridSearch([config], until=3))
        assert dict(study.trials[-1].history) == train_alone(OfParts, config, until=3)
    with pytest.raises(TrialFailedError, match=r"a data set has 12 samples .* It had 24"):
        study.evaluate({"lr": 0.1, "used": Piecewise([24, 12], [1])}, until=2)
    study.close()


def test_values_cannot_be_read_behind_our_back_after_set_hparams() -> None:
    class Keeping(Numbers):
        def set_hparams(self, hp: Mapping[str, Any]) -> None:
            self.hp = hp

        def __getitem__(self, index: int) -> int:
            return int(self.hp["shift"]) + index

    keeping = feed(dataset=Keeping(6))
    keeping.give(HparamValues({"shift": 1}))
    with pytest.raises(HparamError, match="'shift' was read after set_hparams"):
        fetched(keeping, 0)


@pytest.mark.parametrize("num_workers", [0, 1])
def test_a_data_set_of_another_length_than_its_batches_were_made_for_is_refused(num_workers: int) -> None:
    numbers = Numbers(6)
    growing = feed(num_workers, numbers)
    assert sorted(fetched(growing, 0)) == list(range(6))
    numbers.length = 12
    with pytest.raises(TrainerError, match=r"has 12 samples now. It had 6 .*set_hparams\(hp\), which is called before"):
        fetched(growing, 1)
    growing.close()


def test_a_validation_set_of_another_length_than_its_batches_were_made_for_is_refused() -> None:
    numbers = Numbers(6)
    validating = ValidationFeed(numbers, seed=0, batch_size=4)
    assert [len(batch) for batch in validating.batches()] == [4, 2]
    numbers.length = 5
    with pytest.raises(TrainerError, match=r"has 5 samples now\. It had 6"):
        validating.batches()


def test_where_a_sampler_says_what_an_epoch_is_a_data_set_may_grow() -> None:
    numbers = Numbers(6)
    growing = TrainingFeed(numbers, seed=0, sampler=lambda epoch: [5, 3])
    numbers.length = 12
    assert [fed.batch.tolist() for fed in growing.step(2)] == [[5, 3]]


class Sized(BlobsTrainer):
    """Has as many samples as `size`, which `setup` sees to: too late, for batches are made of what is there before."""

    def __init__(self) -> None:
        super().__init__()
        self.blobs = Blobs(48, 0)

    def train_set(self) -> Any:
        return self.blobs

    def setup(self, hp: Any) -> None:
        if "size" in hp:
            self.blobs.labels = Blobs(48, 0).labels[: hp["size"]]


def test_no_trial_is_trained_on_as_many_samples_as_the_one_before_it() -> None:
    study = hippo.create_study(
        "sized", trainer=Sized, storage="memory://", checkpoints="memory://", engine=hippo.InlineEngine(),
        metric="loss", mode="min",
    )  # fmt: skip
    study.optimize(hippo.GridSearch([{"size": 48}, {"size": 24}], until=2))
    whole, cut = study.trials
    assert whole.state.name == "COMPLETE"
    assert "train() at step 1: hippo.errors.TrainerError: a data set has 24 samples now. It had 48" in cut.error
    study.close()
