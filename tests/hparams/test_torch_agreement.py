"""Where PyTorch's scheduler of the same kind is defined, ours agrees with it to 1e-12 of its largest value.

The tolerance is for PyTorch's repeated products: 1,000 factors, each rounded by at most 2^-53.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

from hippo.hparams import (
    WSD,
    Chain,
    Constant,
    Cosine,
    CosineWarmRestarts,
    Cyclic,
    Exponential,
    Linear,
    MultiStep,
    OneCycle,
    Piecewise,
    Polynomial,
    Sequence,
    Step,
    Warmup,
)

torch = pytest.importorskip("torch")
schedulers = torch.optim.lr_scheduler
Optimizer = Any


def torch_values(make: Callable[[Optimizer], object], steps: int, lr: float = 0.1) -> list[float]:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr, momentum=0.9)
    values = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "lr_scheduler.step() before optimizer.step()": nothing is trained here
        scheduler: Any = make(optimizer)
        for _ in range(steps - 1):
            values.append(float(optimizer.param_groups[0]["lr"]))
            scheduler.step()
    return [*values, float(optimizer.param_groups[0]["lr"])]


def sequential(o: Optimizer) -> object:
    parts = [
        schedulers.ConstantLR(o, factor=0.1, total_iters=20),
        schedulers.ExponentialLR(o, gamma=0.99),
        schedulers.StepLR(o, step_size=10, gamma=0.5),
    ]
    return schedulers.SequentialLR(o, schedulers=parts, milestones=[20, 300])


CASES: dict[str, tuple[Sequence, Callable[[Optimizer], object], int]] = {
    "StepLR": (Step(0.1, 30, 0.9), lambda o: schedulers.StepLR(o, 30, 0.9), 1000),
    "MultiStepLR": (
        MultiStep(0.1, [90, 135, 800], 0.1),
        lambda o: schedulers.MultiStepLR(o, [90, 135, 800], 0.1),
        1000,
    ),
    "MultiStepLR, twice at once": (
        MultiStep(0.1, [90, 90], 0.3),
        lambda o: schedulers.MultiStepLR(o, [90, 90], 0.3),
        99,
    ),
    "ExponentialLR": (Exponential(0.1, 0.99), lambda o: schedulers.ExponentialLR(o, 0.99), 1000),
    "LinearLR": (
        Linear(0.1 / 3, final=0.1, steps=700),
        lambda o: schedulers.LinearLR(o, start_factor=1 / 3, total_iters=700),
        1000,
    ),
    "CosineAnnealingLR": (
        Cosine(0.1, 1000, final=0.001),
        lambda o: schedulers.CosineAnnealingLR(o, 1000, eta_min=0.001),
        1000,
    ),
    "CosineAnnealingWarmRestarts": (
        CosineWarmRestarts(0.1, 30, final=1e-4),
        lambda o: schedulers.CosineAnnealingWarmRestarts(o, 30, eta_min=1e-4),
        1000,
    ),
    "CosineAnnealingWarmRestarts, growing": (
        CosineWarmRestarts(0.1, 10, t_mult=3),
        lambda o: schedulers.CosineAnnealingWarmRestarts(o, 10, T_mult=3),
        1000,
    ),
    "CyclicLR": (
        Cyclic(0.001, 0.1, 20),
        lambda o: schedulers.CyclicLR(o, 0.001, 0.1, step_size_up=20),
        1000,
    ),
    "CyclicLR, uneven": (
        Cyclic(0.001, 0.1, 7, down=31),
        lambda o: schedulers.CyclicLR(o, 0.001, 0.1, step_size_up=7, step_size_down=31),
        1000,
    ),
    "PolynomialLR": (Polynomial(0.1, 900), lambda o: schedulers.PolynomialLR(o, 900), 1000),
    "PolynomialLR, cubic": (Polynomial(0.1, 900, power=3.0), lambda o: schedulers.PolynomialLR(o, 900, 3.0), 1000),
    "ConstantLR": (Piecewise([0.1 * 0.25, 0.1], [40]), lambda o: schedulers.ConstantLR(o, 0.25, 40), 1000),
    "SequentialLR": (
        Chain(Constant(0.01).take(20), Exponential(0.1, 0.99).take(280), Step(0.1, 10, 0.5)),
        sequential,
        1000,
    ),
    "LambdaLR as a warm-up": (
        Warmup(50, 0.1),
        lambda o: schedulers.LambdaLR(o, lambda t: min(t + 1, 50) / 50),
        1000,
    ),
    "LambdaLR as warm-up, stable, decay": (
        WSD(0.1, 50, 1000, 200),
        lambda o: schedulers.LambdaLR(o, lambda t: min(min(t + 1, 50) / 50, (1000 - t) / 200)),
        1000,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_sequence_agrees_with_its_scheduler_of_pytorch(name: str) -> None:
    sequence, make, steps = CASES[name]
    theirs = torch_values(make, steps)
    ours = [sequence(t) for t in range(steps)]
    assert ours == pytest.approx(theirs, rel=0, abs=1e-12 * max(theirs))


@pytest.mark.parametrize("anneal", ["cos", "linear"])
@pytest.mark.parametrize("three_phase", [False, True])
@pytest.mark.parametrize("pct_start", [0.0, 0.25, 0.3, 0.337, 0.5])
@pytest.mark.parametrize("total", [10, 137, 1000])
def test_one_cycle_agrees_with_pytorch(anneal: str, three_phase: bool, pct_start: float, total: int) -> None:
    options = {"pct_start": pct_start, "div_factor": 20.0, "final_div_factor": 1e3, "three_phase": three_phase}
    strategy = {"anneal_strategy": anneal}
    theirs = torch_values(lambda o: schedulers.OneCycleLR(o, 0.1, total_steps=total, **strategy, **options), total)
    sequence = OneCycle(0.1, total, anneal=anneal, **options)  # type: ignore[arg-type]
    assert [sequence(t) for t in range(total)] == pytest.approx(theirs, rel=0, abs=1e-12 * max(theirs))


@pytest.mark.parametrize(
    ("total", "pct_start", "three_phase"), [(10, 1.0, False), (5, 0.6, True), (10, 0.9, True), (10, 1.0, True)]
)
def test_one_cycle_agrees_with_pytorch_where_its_last_phase_has_no_step(
    total: int, pct_start: float, three_phase: bool
) -> None:
    options = {"pct_start": pct_start, "three_phase": three_phase}
    theirs = torch_values(lambda o: schedulers.OneCycleLR(o, 0.1, total_steps=total, **options), total)
    sequence = OneCycle(0.1, total, **options)  # type: ignore[arg-type]
    assert [sequence(t) for t in range(total)] == pytest.approx(theirs, rel=0, abs=1e-12 * max(theirs))
    assert sequence(total) == sequence(total - 1)


def test_past_its_end_a_cosine_stays_at_its_final_value_where_pytorch_rises_again() -> None:
    theirs = torch_values(lambda o: schedulers.CosineAnnealingLR(o, 10, eta_min=0.01), 20)
    assert theirs[15] > 0.01
    assert [Cosine(0.1, 10, final=0.01)(t) for t in (10, 15, 10**6)] == [0.01, 0.01, 0.01]
