"""BOHB: which budget is modelled, and where the model looks."""

from __future__ import annotations

import asyncio
import statistics
import sys
from collections.abc import Callable
from typing import Any

import pytest

import hippo
from hippo.errors import BudgetError, TunerError
from hippo.hparams import Config
from hippo.records import Answer, Failure, NodeId
from hippo.testing.fake_ask import FakeAsk
from hippo.testing.oracle import unit_steps
from hippo.tuners.bohb import BOHB, Modelled, ModelProposer
from hippo.tuners.hyperband import hyperband_brackets
from hippo.tuners.tuner import record_text

pytest.importorskip("optuna")

MakeStudy = Callable[..., hippo.Study]

SPACE = hippo.RandomSearchSpace({"lr": hippo.uniform(0.0, 1.0), "momentum": hippo.uniform(0.0, 1.0)})


def far_from_best(config: Config, step: int = 1) -> float:
    return float((config["lr"](0) - 0.7) ** 2 + (config["momentum"](0) - 0.2) ** 2)


def proposer(space: Any = SPACE, *, seed: int = 0, num_trials: int | None = None, **options: Any) -> ModelProposer:
    options = {"random_fraction": 0.0, **options}
    return Modelled(space, **options).start(FakeAsk(far_from_best), num_trials=num_trials, until=9, seed=seed)


def told(made: ModelProposer, count: int, step: int = 1, first: int = 0) -> ModelProposer:
    for number in range(first, first + count):
        config = made.propose()
        assert config is not None
        made.tell(answer(config, step, number))
    return made


def answer(config: Config, step: int, trial: int, loss: float | None = None) -> Answer:
    value = far_from_best(config) if loss is None else loss
    failure = Failure(node=NodeId(1), step=1, method="train", error="boom") if value == float("inf") else None
    return Answer(config=config, step=step, trial=trial, metrics={}, losses=(value,), failure=failure)


def test_the_model_is_of_the_largest_budget_with_enough_observations() -> None:
    made = told(proposer(), 4)
    assert made.model_budget() is None  # two hyper-parameters: 2 + 1 points, and two more
    told(made, 1, first=4)
    assert made.model_budget() == 1
    told(made, 4, step=3, first=5)
    assert made.model_budget() == 1
    told(made, 1, step=3, first=9)
    assert made.model_budget() == 3


def test_fewer_points_may_be_enough() -> None:
    assert told(proposer(min_points=1), 3).model_budget() == 1


def test_a_trial_counts_once_at_each_budget() -> None:
    made = proposer()
    config = made.propose()
    assert config is not None
    for _ in range(10):
        made.tell(answer(config, 1, 0))
    assert made.model_budget() is None


def test_the_model_looks_where_losses_are_small() -> None:
    made = told(proposer(), 40)
    modelled = [far_from_best(made.propose() or Config()) for _ in range(10)]
    at_random = [far_from_best(proposer(seed=seed).propose() or Config()) for seed in range(40)]
    assert statistics.median(modelled) < statistics.median(at_random) / 2


def test_failures_are_the_worst_that_is_known() -> None:
    made = proposer()
    for number in range(40):
        config = made.propose()
        assert config is not None
        made.tell(answer(config, 1, number, float("inf") if config["lr"](0) > 0.5 else config["momentum"](0)))
    proposed = [config for config in [made.propose() for _ in range(20)] if config]
    assert sum(config["lr"](0) < 0.5 for config in proposed) > 16


def test_all_at_random_is_random_search() -> None:
    mine = told(proposer(random_fraction=1.0), 20)
    fresh = proposer(random_fraction=1.0)
    assert [mine.propose() for _ in range(3)] == [fresh.propose() for _ in range(23)][20:]


@pytest.mark.slow
def test_a_third_is_drawn_at_random_whatever_is_known() -> None:
    made = told(proposer(random_fraction=1 / 3), 30)
    fresh = proposer(random_fraction=1.0)
    drawn = [fresh.propose() for _ in range(90)][30:]
    equal = sum(made.propose() == config for config in drawn)
    assert 10 <= equal <= 30  # of 60; binomial with p = 1/3: outside with probability 0.01


def test_what_is_proposed_does_not_depend_on_who_was_answered_first() -> None:
    proposed = []
    for order in (range(12), reversed(range(12))):
        made = proposer(seed=5)
        configs = [made.propose() for _ in range(12)]
        for number in order:
            made.tell(answer(configs[number] or Config(), 1, number))
        proposed.append([made.propose() for _ in range(3)])
    assert proposed[0] == proposed[1]


def test_options_and_hparams_that_depend_on_them_are_modelled_too() -> None:
    space = hippo.RandomSearchSpace(
        {
            "lr": hippo.choice(hippo.Exponential(hippo.uniform(0.0, 1.0), 0.9), hippo.loguniform(1e-3, 1.0)),
            "momentum": hippo.quniform(0.0, 0.9, 0.1),
        }
    )
    made = told(proposer(space), 30)
    assert isinstance(made.propose(), Config)


@pytest.mark.slow
def test_what_the_filter_refuses_is_never_proposed() -> None:
    space = hippo.RandomSearchSpace({"lr": hippo.uniform(0, 1), "momentum": hippo.uniform(0, 1)}, filter=is_small)
    made = told(proposer(space), 10)
    proposed = [made.propose() for _ in range(5)]
    assert all(config is not None and is_small(config) for config in proposed)


def is_small(config: Config) -> bool:
    return bool(config["lr"](0) + config["momentum"](0) < 0.8)


def test_it_ends_after_as_many_proposals_as_were_wanted() -> None:
    made = proposer(num_trials=2)
    assert [made.propose() is None for _ in range(3)] == [False, False, True]


def test_the_brackets_are_hyperbands() -> None:
    ask = FakeAsk(far_from_best, slots=4)
    tuner = BOHB(SPACE, max_steps=9)
    asyncio.run(tuner.tune(ask))
    assert tuner.brackets() == hyperband_brackets(9, 3)
    assert len({(asked.config, asked.occurrence) for asked in ask.asked}) == 9 + 5 + 3
    assert max(asked.until for asked in ask.asked) == 9


@pytest.mark.slow
def test_the_best_config_is_nearer_than_random_ones_of_the_same_brackets() -> None:
    def best(random_fraction: float, seed: int) -> float:
        tuner = BOHB(SPACE, max_steps=27, random_fraction=random_fraction, seed=seed)
        return far_from_best(asyncio.run(tuner.tune(FakeAsk(far_from_best))))

    modelled = [best(1 / 3, seed) for seed in range(9)]
    at_random = [best(1.0, seed) for seed in range(9)]
    assert statistics.median(modelled) < statistics.median(at_random)


@pytest.mark.slow
def test_no_step_of_a_real_study_is_repeated(make_study: MakeStudy) -> None:
    study = make_study()
    study.optimize(BOHB(SPACE, max_steps=9))
    distinct = {key for trial in study.trials for key in unit_steps(trial.config, trial.step)}
    assert study.statistics().steps_executed == len(distinct)
    assert study.statistics().steps_repeated == 0


def test_names_of_ray_tune_make_an_equal_record() -> None:
    ours = BOHB(SPACE, max_steps=9, min_steps=1, reduction=3)
    theirs = BOHB(SPACE, max_t=9, grace_period=1, reduction_factor=3)  # type: ignore[call-arg]
    assert record_text(ours.record()) == record_text(theirs.record())


def test_without_optuna_the_line_to_type_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(TunerError, match=r"pip install 'hippo-tune\[optuna\]'"):
        BOHB(SPACE, max_steps=9)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"space": [{"lr": 0.1}]}, TunerError, "a list does not have; give a RandomSearchSpace"),
        ({"random_fraction": 1.1}, TunerError, "between 0 and 1, not 1.1"),
        ({"min_points": 0}, BudgetError, "min_points must be at least 1"),
        ({"min_steps": 10}, BudgetError, "min_steps=10 is above max_steps=9"),
        ({"reduction": 1}, BudgetError, "reduction must be at least 2"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        BOHB(**{"space": SPACE, "max_steps": 9, **arguments})
