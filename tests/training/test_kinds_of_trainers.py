"""Trainers of every kind are exact: cut anywhere, evaluated or not, in any worker, after any trial."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import hippo
from hippo.events import StageFailed
from hippo.hparams import Cosine, MultiStep, Piecewise
from hippo.records import Boundary, Keep, Lane
from hippo.testing import kinds_of_trainers as kinds
from hippo.testing.remembering_host import RememberingHost, along, resumed, run_lanes, spec_of, stages
from hippo.testing.solo import train_alone
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.training import Trainers

pytestmark = pytest.mark.usefixtures("one_thread")

STEPS = 6
#: batch norm refuses a batch of one, which these leave nowhere
CONFIG = {"lr": MultiStep(0.05, [3], 0.5), "batch_size": Piecewise([12, 6], [4])}
KINDS: dict[str, tuple[type[BlobsTrainer], dict[str, Any], dict[str, Any]]] = {
    "two optimizers": (kinds.TwoOptimizers, {}, {"body_lr": Cosine(0.01, 6)}),
    "two optimizers, one loss": (kinds.SplitParameters, {"samples_per_step": 36}, {"body_lr": 0.01}),
    "two optimizers, bf16": (kinds.TwoInHalf, {}, {"body_lr": 0.01}),
    "L-BFGS": (kinds.SecondOrder, {"size": 24}, {"batch_size": 12}),
    "SAM": (kinds.Sharp, {}, {}),
    "accumulation": (kinds.Accumulating, {}, {}),
    "accumulation over epochs": (kinds.Accumulating, {"samples_per_step": 36}, {"momentum": 0.5}),
    "EMA": (kinds.Averaging, {}, {}),
    "EMA, accumulated": (type("Both", (kinds.Averaging, kinds.Accumulating), {}), {}, {}),
    "mean teacher": (kinds.AveragingAsked, {}, {}),
    "SWA": (kinds.AveragingAlike, {}, {}),
    "bf16": (kinds.HalfPrecision, {}, {}),
    "fp16": (kinds.ScaledLoss, {"batch_norm": False}, {}),
    "weighted": (kinds.Weighted, {"batch_norm": False}, {}),
    "weighted, in parts": (kinds.Weighted, {"batch_norm": False, "samples_per_step": 20}, {}),
    "weighted, fetched ahead": (kinds.Weighted, {"batch_norm": False, "num_workers": 1}, {}),
    "buckets": (kinds.Bucketed, {"batch_norm": False}, {}),
    "buckets, fetched ahead": (kinds.Bucketed, {"batch_norm": False, "samples_per_step": 17, "num_workers": 2}, {}),
    "stream": (kinds.Streaming, {}, {}),
    "stream that ends": (kinds.Streaming, {"ends": True, "batch_norm": False}, {}),
    "truncated": (kinds.Truncated, {}, {"batch_size": 8}),
    "scheduler": (kinds.Scheduled, {}, {}),
    "a loop of its own": (kinds.Looping, {}, {}),
}
some = pytest.mark.parametrize("name", KINDS)


def kind(name: str) -> tuple[Any, dict[str, Any]]:
    """Return how the trainer travels, and its config."""
    cls, arguments, values = KINDS[name]
    return spec_of(cls, **arguments), CONFIG | values


def facts(*hosts: RememberingHost) -> tuple[Any, ...]:
    for host in hosts:
        assert not host.of(StageFailed), host.one(StageFailed).failure.traceback
    metrics = {step: each for host in hosts for step, each in host.metrics.items()}
    training = {step: each for host in hosts for step, each in host.training.items()}
    return metrics, training, hosts[-1].hashes[STEPS]


@pytest.mark.slow
@some
def test_a_cut_anywhere_changes_no_bit(name: str) -> None:
    spec, config = kind(name)
    whole = facts(along(config, STEPS, spec=spec))
    dirty = Trainers()
    along({**config, "lr": 0.01}, 2, spec=replace(spec, workload="other"), trainers=dirty)
    along({**config, "lr": 0.01}, 1, spec=spec, trainers=dirty)
    for cut in range(1, STEPS):
        first = along(config, cut, spec=spec)
        assert facts(first, resumed(config, cut, STEPS, first, spec=spec, trainers=dirty)) == whole


@pytest.mark.slow
@some
def test_a_trainer_that_was_loaded_twice_and_never_evaluated_comes_to_the_same_state(name: str) -> None:
    spec, config = kind(name)
    whole = along(config, STEPS, spec=spec)
    first = along(config, 2, spec=spec)
    second = resumed(config, 2, 5, first, spec=spec)
    assert resumed(config, 5, STEPS, second, spec=spec).hashes[STEPS] == whole.hashes[STEPS]

    spec = replace(spec, evaluate_every=STEPS)
    unseen = tuple(
        replace(stage, boundary=Boundary(keep=Keep.WRITTEN, evaluate=False)) for stage in stages(config, 0, STEPS)
    )
    assert run_lanes(Lane(begin=None, stages=unseen), spec=spec).hashes[STEPS] == whole.hashes[STEPS]


@pytest.mark.slow
@some
def test_trials_that_share_a_prefix_equal_trials_alone(name: str) -> None:
    cls, arguments, values = KINDS[name]
    base = CONFIG | values
    configs = [base, {**base, "lr": MultiStep(0.05, [3], 0.1)}, {**base, "lr": MultiStep(0.05, [4], 0.5)}]
    study = hippo.create_study(
        name, trainer=cls, trainer_args=arguments, storage="memory://", engine=hippo.InlineEngine(), metric="loss",
        mode="min",
    )  # fmt: skip
    study.optimize(hippo.GridSearch(configs, until=STEPS))
    statistics = study.statistics()
    assert (statistics.steps_executed, statistics.steps_repeated) == (3 + 3 * 3, 0)
    for trial in study.trials:
        assert dict(trial.history) == train_alone(cls, trial.config, until=STEPS, trainer_args=arguments)
    study.close()
