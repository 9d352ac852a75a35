from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.errors import SpaceError
from hippo.hparams import (
    Chain,
    Config,
    ConfigList,
    Constant,
    CosineWarmRestarts,
    Cyclic,
    Exponential,
    GridSearchSpace,
    Linear,
    MultiStep,
    Piecewise,
    Warmup,
    merge_rate,
    uniform,
)

from . import drawn


def brute_force(configs: Iterable[Config], until: int, weigh: Any = lambda values: 1) -> Fraction:
    """The definition itself: two steps are one iff all pieces agree at it and at every step before."""
    asked, distinct = Fraction(0), {}
    for config in configs:
        past: tuple[Any, ...] = ()
        for step in range(until):
            in_force = {
                name: [piece.key for start, piece in sequence.pieces(step + 1)][-1] for name, sequence in config.items()
            }
            past = (*past, tuple(in_force.items()))
            distinct[past] = Fraction(weigh(config.values_at(step)))
            asked += distinct[past]
    return asked / sum(distinct.values())


@given(st.lists(drawn.configs, min_size=1, max_size=6), st.integers(1, 20))
def test_the_merge_rate_is_that_of_its_definition(configs: list[Config], until: int) -> None:
    assert merge_rate(configs, until) == pytest.approx(float(brute_force(configs, until)), rel=1e-12)


@given(st.lists(drawn.configs, min_size=1, max_size=5), st.integers(1, 15))
def test_steps_may_be_weighted_by_their_seconds(configs: list[Config], until: int) -> None:
    def seconds(values: Any) -> float:
        return float(values["batch_size"] / 128 + (0.5 if values["lr"] else 0.0))

    expected = float(brute_force(configs, until, seconds))
    assert merge_rate(configs, until, seconds) == pytest.approx(expected, rel=1e-9)


def test_the_figures_of_the_paper() -> None:
    """PAPERS: V1, V2 and V3, from figures 1, 3 and 5 of the Hippo paper."""
    a, e = Constant(0.1), 0.01
    figure_3 = [
        Piecewise([a, e], [200]),
        Piecewise([a, 0.05, 0.02], [100, 200]),
        Piecewise([a, 0.05], [100]),
        Piecewise([a, 0.05, e], [100, 200]),
    ]
    configs = [Config(lr=lr) for lr in figure_3]
    assert merge_rate(configs, 300) == 12 / 7
    assert merge_rate([*configs, Config(lr=Piecewise([a, 0.03], [150]))], 300) == 1500 / 850
    figure_1 = [Config(lr=Piecewise([first, second], [100])) for first in (0.1, 0.01) for second in (0.001, 0.02)]
    assert merge_rate(figure_1, 100) == 2.0


def test_a_trial_that_ends_inside_another_ones_piece_shares_up_to_its_end() -> None:
    assert merge_rate([Config(lr=0.1), Config(lr=MultiStep(0.1, [90], 0.1))], 50) == 2.0


def test_equal_trials_are_asked_for_twice_and_run_once() -> None:
    assert merge_rate([{"lr": 0.1}, {"lr": 0.1}], 10) == 2.0


def test_a_missing_hyper_parameter_is_not_shared_with_a_given_one() -> None:
    assert merge_rate([{"lr": 0.1}, {"lr": 0.1, "momentum": 0.9}], 10) == 1.0


def test_of_several_spaces_it_is_q() -> None:
    one = GridSearchSpace({"lr": [0.1, MultiStep(0.1, [5], 0.1)]})
    two = ConfigList([{"lr": 0.1}])
    assert merge_rate([one, two], until=10) == 30 / 15
    assert one.merge_rate(until=10) == 20 / 15
    assert two.merge_rate(until=10) == 1.0


@pytest.mark.parametrize(
    ("configs", "message"),
    [([], "no configs"), ({"lr": 1}, r"write \[config\]"), ([uniform(0, 1)], "cannot be enumerated")],
)
def test_bad_input_is_refused_with_advice(configs: Any, message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        merge_rate(configs, until=10)


# ------------------------------------------- the three grids of the paper's tables 2 to 4, as we reconstruct them


def warmed(warmup: int, lr: float, milestones: list[int], gamma: float) -> Chain:
    """A warm-up and then steps, at milestones that count from the trial's beginning."""
    return Chain(Warmup(warmup, lr), MultiStep(lr, [milestone - warmup for milestone in milestones], gamma))


def resnet56() -> GridSearchSpace:
    steps = [(milestones, g) for milestones in ([90, 135], [82, 123], [90, 110]) for g in (0.1, 0.2, 0.5)]
    lr = [
        *[MultiStep(0.1, m, g) for m, g in steps],
        *[warmed(5, 0.1, m, g) for m, g in steps],
        *[Chain(Warmup(n, 0.1), Exponential(0.1, g)) for n in (5, 10) for g in (0.95, 0.97)],
        *[Chain(Warmup(10, 0.1), CosineWarmRestarts(0.1, t0, m)) for t0 in (20, 30) for m in (1, 2)],
        *[Cyclic(0.001, 0.1, up) for up in (10, 20)],
    ]
    optimizers = ["adam", "sgd", ["sgd", 0.9], Piecewise([["sgd", 0.7], ["sgd", 0.8], ["sgd", 0.9]], [40, 80])]
    sizes = [128, Piecewise([128, 256], [70])]
    return GridSearchSpace({"lr": lr, "size": sizes, "optimizer": optimizers, "weight_decay": [1e-4, 1e-3]})


def mobilenet() -> GridSearchSpace:
    steps = [(lr, m, g) for lr in (0.1, 0.05) for m in ([100, 150], [90, 135]) for g in (0.1, 0.2)]
    lr = [
        *[MultiStep(*step) for step in steps],
        *[warmed(10, *step) for step in steps],
        *[Chain(Warmup(10, lr), Exponential(lr, g)) for lr in (0.1, 0.05) for g in (0.93, 0.95, 0.97)],
        *[Chain(Warmup(10, lr), CosineWarmRestarts(lr, 20, m)) for lr in (0.1, 0.05) for m in (1, 2)],
        *[Cyclic(0.001, peak, up) for peak in (0.1, 0.05) for up in (10, 20)],
    ]
    cutout = [16, Piecewise([16, 18, 20], [80, 100])]
    sizes = [128, Piecewise([128, 256], [100])]
    return GridSearchSpace({"lr": lr, "size": sizes, "cutout": cutout, "optimizer": ["sgd", "nesterov"]})


def bert() -> GridSearchSpace:
    lr = [
        *[Linear(lr, final=0, steps=30_000) for lr in (3e-5, 5e-5)],
        *[
            Chain(Warmup(3000, lr), Linear(lr, final=0, steps=total))
            for lr in (2e-5, 3e-5, 4e-5, 5e-5)
            for total in (27_000, 30_000)
        ],
    ]
    return GridSearchSpace({"lr": lr, "length": [384, *[Piecewise([384, 512], [m]) for m in (15_000, 18_000, 21_000)]]})


@pytest.mark.parametrize(
    ("space", "until", "total", "unique"),
    [(resnet56, 120, 53_760, 21_968), (mobilenet, 120, 28_800, 9_160), (bert, 27_000, 1_080_000, 528_000)],
)
def test_the_grids_of_the_paper_have_the_printed_merge_rates(space: Any, until: int, total: int, unique: int) -> None:
    grid = space()
    assert len(grid) * until == total
    assert grid.merge_rate(until) == total / unique


def test_who_waits_for_a_large_grid_is_told_how_far_it_is() -> None:
    told: list[int] = []
    space = GridSearchSpace({name: range(15) for name in "abcd"})
    assert space.merge_rate(3, progress=told.append) == 1
    assert told == [10_000, 20_000, 30_000, 40_000, 50_000]
