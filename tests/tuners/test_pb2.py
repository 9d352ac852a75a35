"""Population based bandits: the process that models progress, and what it chooses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hippo
from hippo.errors import BudgetError, TunerError
from hippo.hparams import Config
from hippo.records import Answer
from hippo.testing.fake_ask import FakeAsk
from hippo.testing.oracle import unit_steps
from hippo.tuners.exploring import Lineage
from hippo.tuners.pb2 import PB2, Bandit
from hippo.tuners.time_varying_gp import Kernel, most_likely_kernel, posterior_deviation, posterior_mean

MakeStudy = Callable[..., hippo.Study]

SPACE = hippo.RandomSearchSpace({"lr": hippo.uniform(0.0, 1.0), "augment": hippo.choice("none", "flip", "crop")})
CONFIG = Config({"lr": 0.5, "augment": "none"})


# --------------------------------------------------------------------------------------------- the Gaussian process


@pytest.mark.slow
def test_the_posterior_is_that_of_scikit_learn() -> None:
    gaussian_process = pytest.importorskip("sklearn.gaussian_process")
    rng = np.random.default_rng(0)
    x, y, at = rng.random((12, 2)), rng.normal(size=12), rng.random((5, 2))
    kernel = Kernel(length_scale=0.4, epsilon=0.1, noise=0.03)
    same_time, same_time_at = np.zeros(12), np.zeros(5)

    theirs = gaussian_process.GaussianProcessRegressor(
        gaussian_process.kernels.RBF(0.4), alpha=0.03, optimizer=None
    ).fit(x, y)
    mean, deviation = theirs.predict(at, return_std=True)

    # 1e-9: the condition of a 12 x 12 matrix with 0.03 on its diagonal is below 1e3
    assert posterior_mean(kernel, x, same_time, y, at, same_time_at) == pytest.approx(mean, rel=1e-9, abs=1e-9)
    assert posterior_deviation(kernel, x, same_time, at, same_time_at) == pytest.approx(deviation, rel=1e-9)


def test_what_was_seen_fades_with_time() -> None:
    kernel = Kernel(length_scale=0.4, epsilon=0.19, noise=0.0)
    point, now = np.zeros((1, 1)), np.zeros(1)
    correlations = [kernel(point, now, point, np.full(1, age))[0, 0] for age in (0, 2, 4, -2)]
    assert correlations == pytest.approx([1, 0.81, 0.81**2, 0.81])


def test_the_most_likely_kernel_forgets_what_has_changed_and_keeps_what_has_not() -> None:
    t = np.repeat(np.arange(10.0), 6)
    x = np.tile(np.linspace(0, 1, 6), 10)[:, None]
    steady = np.sin(6 * x[:, 0])
    drifting = np.sin(6 * x[:, 0] + 1.5 * t)
    assert most_likely_kernel(x, t, steady).epsilon < most_likely_kernel(x, t, drifting).epsilon


# ------------------------------------------------------------------------------------------------------- the bandit


def answer(step: int, loss: float, config: Config = CONFIG) -> Answer:
    return Answer(config=config, step=step, trial=0, metrics={}, losses=(loss,))


def bandit(observed: dict[float, float], space: Any = SPACE, *, at: int = 10) -> Bandit:
    """Return one that has seen by how much the loss fell per step, for some values of lr, in the same interval."""
    made = PB2(space, 4, interval=5, max_steps=20)._explorer()
    for lr, fell in observed.items():
        made.note(answer(at, 100.0), answer(at + 5, 100.0 - 5 * fell), Config({"lr": lr, "augment": "none"}))
    return made


def chosen(made: Bandit, others: list[float], seed: int = 0, at: int = 15) -> float:
    configs = [Config({"lr": lr, "augment": "none"}) for lr in others]
    values = made.explore(Lineage.begin(CONFIG), at, configs, np.random.default_rng(seed))
    return float(values["lr"])


BUMP = {lr: -((lr - 0.7) ** 2) for lr in np.linspace(0, 1, 21).tolist()}


def test_the_bandit_goes_where_losses_fell_most() -> None:
    assert [chosen(bandit(BUMP), [], seed) for seed in range(5)] == pytest.approx([0.7] * 5, abs=0.15)


@pytest.mark.parametrize("fell", [-1e3, -1e9])
def test_one_interval_that_diverged_does_not_hide_all_others(fell: float) -> None:
    assert [chosen(bandit({**BUMP, 0.02: fell}), [], seed) for seed in range(5)] == pytest.approx([0.7] * 5, abs=0.15)


def test_the_bandit_leaves_to_others_what_they_try() -> None:
    few = {0.1: 0.0, 0.5: 1.0, 0.9: 0.9}
    alone = chosen(bandit(few), [])
    assert abs(chosen(bandit(few), [alone] * 4) - alone) > 0.05


def test_what_failed_is_avoided() -> None:
    observed = {**BUMP, **{lr: float("inf") for lr in np.linspace(0.6, 1.0, 9).tolist()}}
    made = bandit({lr: -fell if fell == float("inf") else fell for lr, fell in observed.items()})
    assert chosen(made, []) < 0.65


def test_as_long_as_little_is_known_values_are_perturbed() -> None:
    assert {0.4, 0.6} <= {chosen(bandit({0.1: 1.0}), [], seed) for seed in range(12)}
    drawn = {chosen(bandit({0.1: 1.0, 0.2: 0.9}), [], seed) for seed in range(12)}
    assert not drawn & {0.4, 0.6}


def test_an_interval_after_a_failure_says_nothing() -> None:
    made = bandit({})
    made.note(answer(5, float("inf")), answer(10, 1.0), CONFIG)
    made.note(answer(5, float("inf")), answer(10, 2.0), CONFIG)
    assert {0.4, 0.6} <= {chosen(made, [], seed) for seed in range(12)}


def test_what_is_no_number_goes_to_a_neighbour() -> None:
    values = bandit(BUMP).explore(Lineage.begin(CONFIG), 15, [], np.random.default_rng(3))
    assert values["augment"] in ("flip", "none", "crop")
    assert set(values) == {"lr", "augment"}


def test_multiples_are_chosen_among_themselves_and_the_filter_is_kept() -> None:
    space = hippo.RandomSearchSpace(
        {"lr": hippo.quniform(0.0, 1.0, 0.25), "augment": hippo.choice("none", "flip")}, filter=is_below_a_half
    )
    found = [chosen(bandit(BUMP, space), [], seed) for seed in range(5)]
    assert set(found) <= {0.0, 0.25, 0.5}


def is_below_a_half(config: Config) -> bool:
    return bool(config["lr"](0) <= 0.5)


# -------------------------------------------------------------------------------------------------------- the tuner


def drifting_best(config: Config, step: int) -> float:
    """The best rate falls from 0.9 to 0.1; the loss sums up how far a schedule was from it."""
    return sum(abs(config["lr"](t) - (0.9 - 0.02 * t)) - 1 for t in range(step))


def best_loss(tuner: Any) -> float:
    ask = FakeAsk(drifting_best, slots=4)
    return drifting_best(asyncio.run(tuner.tune(ask)), 40)


@pytest.mark.slow
def test_a_drifting_optimum_is_followed_better_than_by_constants() -> None:
    space = hippo.RandomSearchSpace({"lr": hippo.uniform(0.0, 1.0)})
    tuned = sorted(best_loss(PB2(space, 8, interval=4, max_steps=40, seed=seed)) for seed in range(7))
    constant = min(drifting_best(Config({"lr": lr}), 40) for lr in np.linspace(0, 1, 101).tolist())
    assert tuned[3] < constant  # the median of 7 seeds; the best constant of all is 0.5


@pytest.mark.parametrize("synchronous", [False, True])
def test_the_past_is_shared(make_study: MakeStudy, synchronous: bool) -> None:
    study = make_study()
    study.optimize(PB2(SPACE, 5, interval=3, max_steps=12, synchronous=synchronous))
    distinct = {key for trial in study.trials for key in unit_steps(trial.config, trial.step)}
    assert study.statistics().steps_executed == len(distinct)
    assert study.statistics().steps_repeated == 0


def test_what_is_asked_depends_on_the_seed_and_on_nothing_else() -> None:
    asked = []
    for seed in (1, 1, 2):
        ask = FakeAsk(drifting_best, slots=3)
        asyncio.run(PB2(SPACE, 5, interval=3, max_steps=15, seed=seed).tune(ask))
        asked.append([(proposal.config, proposal.until) for proposal in ask.asked])
    assert asked[0] == asked[1]
    assert asked[0] != asked[2]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"space": hippo.RandomSearchSpace({"a": hippo.choice(1, 2)})}, TunerError, r"none of \['a'\] is one; use PBT"),
        ({"population": 1}, TunerError, "nobody to copy"),
        ({"interval": 30}, BudgetError, "interval=30 is above max_steps=20"),
        ({"quantile": 0.7}, TunerError, "at most 0.5, not 0.7"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        PB2(**{"space": SPACE, "population": 4, "interval": 5, "max_steps": 20, **arguments})
