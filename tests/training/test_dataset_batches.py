"""`hippo.training.batches`: for a trainer that is written by hand, and still exact."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch.utils.data import IterableDataset, TensorDataset

import hippo
from hippo.errors import ArgumentError, HparamError, TrainerError
from hippo.hparams import MultiStep, Piecewise
from hippo.testing.kinds_of_trainers import Ending, Endless
from hippo.testing.remembering_host import along, resumed, spec_of
from hippo.testing.solo import train_alone
from hippo.testing.torch_trainers import Blobs
from hippo.training.values import HparamValues


class ByHand(hippo.Trainer):
    """Logistic regression by hand.

    Args:
      source: "map", "tensors", "sampled", "stream" or "shared stream", which is made but once.
    """

    def __init__(self, source: str = "map", num_workers: int = 0) -> None:
        self.source, self.num_workers = source, num_workers
        self.shared = Endless()

    def build(self) -> None:
        blobs = Blobs(40, 0)
        dataset = {
            "tensors": TensorDataset(blobs.points, blobs.labels),
            "stream": Ending(),
            "shared stream": self.shared,
        }.get(self.source, blobs)
        self.weight = torch.zeros(6, 3)
        self.data = hippo.training.batches(
            dataset,
            seed=self.seed,
            samples_per_step=28,
            num_workers=self.num_workers,
            sampler=self.order if self.source == "sampled" else None,
        )

    @staticmethod
    def order(epoch: int) -> Any:
        return torch.randint(40, (20 + epoch,))

    def train(self) -> dict[str, float]:
        total = 0.0
        for points, labels in self.data.step(self.hp["batch_size"]):
            logits = points @ self.weight
            error = logits.softmax(1) - torch.nn.functional.one_hot(labels, 3)
            self.weight = self.weight - self.hp["lr"] * points.T @ error / len(labels)
            total += float(error.square().sum())
        return {"total": total}

    def evaluate(self) -> dict[str, float]:
        return {"norm": float(self.weight.norm())}

    def state_dict(self) -> dict[str, Any]:
        return {"weight": self.weight, "data": self.data.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.weight = state["weight"]
        self.data.load_state_dict(state["data"])

    def close(self) -> None:
        self.data.close()


CONFIG = {"lr": MultiStep(0.1, [3], 0.5), "batch_size": Piecewise([8, 12], [2])}


@pytest.mark.slow
@pytest.mark.parametrize("source", ["map", "tensors", "sampled", "stream", "shared stream"])
def test_a_trainer_by_hand_is_exact(source: str) -> None:
    spec = spec_of(ByHand, source=source)
    whole = along(CONFIG, 5, spec=spec)
    for cut in range(1, 5):
        first = along(CONFIG, cut, spec=spec)
        rest = resumed(CONFIG, cut, 5, first, spec=spec)
        assert rest.hashes[5] == whole.hashes[5]
        assert first.training | rest.training == whole.training
    alone = train_alone(ByHand, CONFIG, until=5, trainer_args={"source": source})
    assert {step: dict(metrics) for step, metrics in whole.metrics.items()} == alone


@pytest.mark.slow
def test_trials_take_turns_with_a_stream_that_init_made() -> None:
    configs = [CONFIG, {**CONFIG, "lr": 0.1}, {**CONFIG, "lr": MultiStep(0.1, [1], 0.5)}]
    study = hippo.create_study(
        "turns", trainer=ByHand, trainer_args={"source": "shared stream"}, storage="memory://",
        engine=hippo.InlineEngine(), metric="norm", mode="min",
    )  # fmt: skip
    study.optimize(hippo.GridSearch(configs, until=4))
    for trial in study.trials:
        alone = train_alone(ByHand, trial.config, until=4, trainer_args={"source": "shared stream"})
        assert dict(trial.history) == alone
    assert study.statistics().steps_repeated == 0
    study.close()


@pytest.mark.slow
@pytest.mark.parametrize("source", ["map", "sampled"])
def test_loader_workers_change_no_bit(source: str) -> None:
    alone = along(CONFIG, 3, spec=spec_of(ByHand, source=source))
    assert along(CONFIG, 3, spec=spec_of(ByHand, source=source, num_workers=2)).hashes == alone.hashes


class Unseekable(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        return iter(range(9))


class Empty(Ending):
    def __iter__(self) -> Iterator[Any]:
        return iter(())


@dataclasses.dataclass(slots=True)
class Slotted:
    """A stream that has no hash, and cannot be held weakly."""

    position: int = 0
    length: int = 5

    def __iter__(self) -> Iterator[int]:
        while self.position < self.length:
            self.position += 1
            yield self.position
        self.position = 0

    def state_dict(self) -> dict[str, int]:
        return {"position": self.position}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.position = state["position"]


class Counting(Slotted):
    """It has no hash."""

    __hash__ = None  # type: ignore[assignment]


def test_feeds_take_turns_with_a_stream_without_a_hash() -> None:
    for stream in (Counting(), Slotted()):
        one, other = (hippo.training.batches(stream, seed=0, samples_per_step=3, collate=list) for _ in range(2))
        seen = [[each for feed in (one, other) for batch in feed.step(3) for each in batch] for _ in range(3)]
        assert seen == [[1, 2, 3, 1, 2, 3], [4, 5, 1, 4, 5, 1], [2, 3, 4, 2, 3, 4]]


@pytest.mark.parametrize("stream", [False, True])
def test_a_feed_that_is_zipped_behind_another_has_come_as_far(stream: bool) -> None:
    first = hippo.training.batches(range(8), seed=0, sampler=lambda _: range(8))
    ours = {"sampler": lambda _: range(8)}
    dataset, options = (Counting(length=8), {"samples_per_step": 8}) if stream else (range(8), ours)
    second = hippo.training.batches(dataset, seed=0, collate=list, **options)
    for _ in range(3):
        assert len(list(zip(first.step(4), second.step(4), strict=False))) == 2
    assert (first.steps, second.steps, second.state_dict()["samples"]) == (3, 3, 24)


def test_batches_cross_no_end_of_a_step_an_epoch_or_a_group() -> None:
    data = hippo.training.batches(range(10), seed=0, samples_per_step=7, sampler=lambda _: [[0, 1, 2], [3, 4, 5, 6, 7]])
    sizes = [[len(batch) for batch in data.step(batch_size)] for batch_size in (4, 4, 2)]
    assert sizes == [[3, 4], [1, 3, 3], [2, 2, 1, 2]]
    assert (data.samples, data.steps) == (21, 3)


def test_a_sampler_that_draws_gives_each_epoch_and_each_seed_an_order_of_its_own() -> None:
    orders = set()
    for seed in (0, 1):
        data = hippo.training.batches(range(20), seed=seed, collate=tuple, sampler=lambda _: torch.randperm(20))
        orders |= {next(iter(data.step(20))) for _ in range(2)}
    assert len(orders) == 4


def test_batches_are_collated_as_one_says() -> None:
    data = hippo.training.batches([1, 2, 3], seed=0, collate=sum, sampler=lambda epoch: [epoch, 2])
    assert [list(data.step(2)) for _ in range(2)] == [[4], [5]]


@pytest.mark.parametrize(
    ("dataset", "options", "error", "message"),
    [
        (
            Unseekable(),
            {},
            TrainerError,
            r"no map-style.*A stream to train on may instead have seek\(position\), or st",
        ),
        (Empty(), {"samples_per_step": 4}, TrainerError, r"the Empty of train_set\(\) gave no sample.*seek\(0\)"),
        (Ending(), {}, TrainerError, "a Ending has no length that could make a step: say how many samples do, by sam"),
        (Ending(), {"samples_per_step": 4, "sampler": range}, TrainerError, "a stream says its order itself"),
        (io.StringIO("1\n2\n"), {"samples_per_step": 4}, TrainerError, "a StringIO, which is no map-style dataset"),
        ([], {}, TrainerError, "is empty"),
        ([1], {"num_workers": -1}, TrainerError, "num_workers=-1: it is a number of processes"),
        ([1], {"samples_per_step": 1.5}, TrainerError, "samples_per_step: it must be a whole number of at least 1"),
        ([1], {"collate_fn": sum}, ArgumentError, "it is called collate here"),
        ([1], {"batch_size": 3}, ArgumentError, r"say it in .step\(batch_size\)"),
    ],
)
def test_wrong_arguments_are_refused(dataset: Any, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        next(hippo.training.batches(dataset, seed=0, **options).step(2))


@pytest.mark.parametrize("batch_size", [0, 1.5, "8", None])
def test_a_batch_size_is_a_whole_number(batch_size: Any) -> None:
    with pytest.raises(HparamError, match="batch_size: it must be a whole number of at least 1"):
        hippo.training.batches([1], seed=0).step(batch_size)


class Louder(Ending):
    """Follows a hyper-parameter."""

    def set_hparams(self, hp: Any) -> None:
        self.factor = hp["factor"]

    def __iter__(self) -> Iterator[Any]:
        return (points * self.factor for points, _ in super().__iter__())


def test_a_stream_may_follow_hyper_parameters() -> None:
    def first(factor: float) -> torch.Tensor:
        data = hippo.training.batches(Louder(), seed=0, samples_per_step=4)
        data.give(HparamValues({"factor": factor}))
        return next(data.step(4))

    assert torch.equal(first(2.0), 2 * first(1.0))


def test_a_stream_is_drawn_from_under_chance_of_its_own() -> None:
    torch.manual_seed(5)
    expected = torch.rand(())
    torch.manual_seed(5)
    one, other = (hippo.training.batches(Endless(), seed=seed, samples_per_step=4) for seed in (0, 1))
    assert not torch.equal(next(one.step(4))[0], next(other.step(4))[0])
    assert torch.rand(()) == expected
