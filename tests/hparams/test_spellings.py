"""Hippo's paper prints sequences in spellings of its own: they are accepted, and are the sequences that we have."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

import hippo
from hippo import (
    Chain,
    Cosine,
    CosineAnnealingWarmRestarts,
    CosineWarmRestarts,
    Cyclic,
    CyclicLR,
    Exponential,
    Linear,
    MultiStep,
    Piecewise,
    Polynomial,
    Step,
    StepLR,
    Warmup,
    choice,
    merge_rate,
)
from hippo.errors import ArgumentError, HparamError
from hippo.hparams import Config, sequence_from_json, sequence_to_json

SAME = [
    (Exponential(init=0.1, gamma=0.95), Exponential(0.1, 0.95)),
    (MultiStep(init=0.1, milestones=[90, 135], factor=0.1), MultiStep(0.1, [90, 135], 0.1)),
    (MultiStep(values=(0.7, 0.8, 0.9), milestones=[40, 80]), Piecewise([0.7, 0.8, 0.9], [40, 80])),
    (Piecewise(values=(128, 256), milestones=[70]), Piecewise([128, 256], [70])),
    (Step(init=0.1, step_size=30, gamma=0.1), Step(0.1, 30, 0.1)),
    (Cosine(init=0.1, period=20), Cosine(0.1, 20)),
    (Polynomial(init=0.1, steps=20), Polynomial(0.1, 20)),
    (Warmup(duration=5, target=0.1), Warmup(5, 0.1)),
    (Warmup(duration=5, target=0.1, init=0.01), Warmup(5, 0.1, initial=0.01)),
    (Linear(init=3e-5, total_t=30000), Linear(3e-5, final=0.0, steps=30000)),
    (StepLR(init=0.1, gamma=0.1, milestones=[90, 135]), MultiStep(0.1, [90, 135], 0.1)),
    (StepLR(0.1, 30, 0.1), Step(0.1, 30, 0.1)),
    (StepLR(values=(128, 256), milestones=[70]), Piecewise([128, 256], [70])),
    (CyclicLR(0.001, 0.1, 10), Cyclic(0.001, 0.1, 10)),
    (CyclicLR(base=0.001, max=0.1, step_size_up=10, step_size_down=5), Cyclic(0.001, 0.1, 10, 5)),
    (CosineAnnealingWarmRestarts(0.1, t0=20, t_mult=2), CosineWarmRestarts(0.1, 20, 2)),
]


@pytest.mark.parametrize(("printed", "ours"), SAME, ids=str)
def test_a_printed_spelling_is_a_sequence_of_ours(printed: Any, ours: Any) -> None:
    assert printed == ours
    assert list(printed.pieces(200)) == list(ours.pieces(200))
    assert sequence_from_json(sequence_to_json(printed)) == ours
    assert pickle.loads(pickle.dumps(printed)) == ours
    assert merge_rate([{"lr": printed}, {"lr": ours}], until=150) == 2.0  # they share all their steps


def after(warmup: int, milestones: list[int]) -> list[int]:
    """Milestones of the paper count from a trial's first step, also behind a warm-up."""
    return [milestone - warmup for milestone in milestones]


def test_table_2_in_the_papers_spelling_has_the_papers_merge_rate() -> None:
    milestones = [[90, 135], [82, 123], [90, 110]]
    rates = [
        *(StepLR(init=0.1, gamma=g, milestones=m) for g in (0.1, 0.2, 0.5) for m in milestones),
        *(
            Chain(Warmup(duration=5, target=0.1), StepLR(init=0.1, gamma=g, milestones=after(5, m)))
            for g in (0.1, 0.2, 0.5)
            for m in milestones
        ),
        *(Chain(Warmup(duration=d, target=0.1), Exponential(init=0.1, gamma=g)) for d in (5, 10) for g in (0.95, 0.97)),
        *(
            Chain(Warmup(duration=10, target=0.1), CosineAnnealingWarmRestarts(init=0.1, t0=t0, t_mult=t_mult))
            for t0 in (20, 30)
            for t_mult in (1, 2)
        ),
        *(CyclicLR(0.001, 0.1, up) for up in (10, 20)),
    ]
    sizes = [128, MultiStep(values=(128, 256), milestones=[70])]
    momenta = [
        *({"optimizer": name, "momentum": 0.0} for name in ("adam", "sgd")),
        {"optimizer": "sgd_momentum", "momentum": 0.9},
        {"optimizer": "sgd_momentum", "momentum": StepLR(values=(0.7, 0.8, 0.9), milestones=[40, 80])},
    ]
    configs = [
        Config({"lr": lr, "batch_size": size, "weight_decay": decay, **momentum})
        for lr, size, momentum, decay in itertools.product(rates, sizes, momenta, (1e-4, 1e-3))
    ]
    assert len(configs) == 448
    assert merge_rate(configs, until=120) == 53_760 / 21_968


def test_a_printed_spelling_may_hold_distributions() -> None:
    template = StepLR(init=choice(0.1, 0.2), gamma=0.1, milestones=[choice(9, 12)])
    assert repr(template) == repr(MultiStep(choice(0.1, 0.2), [choice(9, 12)], 0.1))
    space = hippo.RandomSearchSpace({"lr": Exponential(init=choice(0.1, 0.2), gamma=0.9)})
    assert space.sample(np.random.default_rng(0))["lr"](0) in (0.1, 0.2)


@dataclass(frozen=True)
class Between(hippo.Sequence):
    """Has both names, and means two things by them."""

    init: float
    initial: float = 1.0

    def value(self, t: float) -> float:
        return self.init + self.initial * t


def test_a_sequence_of_ones_own_may_have_an_argument_of_the_papers_name() -> None:
    assert Between(init=2.0).arguments() == {"init": 2.0, "initial": 1.0}


@pytest.mark.parametrize(
    ("write", "error", "message"),
    [
        (lambda: Exponential(init=0.1, initial=0.1, gamma=0.9), ArgumentError, "unexpected keyword argument 'init'"),
        (lambda: Exponential(0.1, init=0.1, gamma=0.9), ArgumentError, "multiple values for argument 'initial'"),
        (lambda: Cyclic(init=0.1, peak=0.2, up=3), ArgumentError, "unexpected keyword argument 'init'"),
        (lambda: StepLR(0.1), HparamError, "StepLR is written StepLR"),
        (lambda: StepLR(0.1, 30, 0.1, milestones=[3]), HparamError, "StepLR is written StepLR"),
        (lambda: StepLR(0.1, values=[1, 2], milestones=[3]), HparamError, "StepLR is written StepLR"),
        (lambda: MultiStep(values=[1, 2], milestones=[3], gamma=0.1), HparamError, "either a first value and a factor"),
        (lambda: CyclicLR(base_lr=0.1, max_lr=0.2), ArgumentError, "it is called base here"),
        (lambda: Linear(init=0.1, total_t=10, slope=1), HparamError, "either a slope"),
        (lambda: StepLR(OPTIMIZER, 30), HparamError, "the scheduler is torch.optim.lr_scheduler.StepLR"),
        (lambda: CyclicLR(OPTIMIZER, 0.1, 3), HparamError, "the scheduler is torch.optim.lr_scheduler.CyclicLR"),
    ],
)
def test_a_wrong_spelling_is_refused(write: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        write()


OPTIMIZER = torch.optim.SGD([torch.zeros(1)], lr=0.1)
