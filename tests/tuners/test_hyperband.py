"""Hyperband's tables, as printed, and whom its brackets ask for."""

from __future__ import annotations

import asyncio
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import hippo
from hippo.errors import BudgetError, TunerError
from hippo.hparams import Config, as_config
from hippo.testing.fake_ask import FakeAsk
from hippo.testing.oracle import unit_steps
from hippo.tuners.hyperband import Hyperband, hyperband_brackets, infinite_hyperband_brackets

RATES = hippo.RandomSearchSpace({"lr": hippo.uniform(0.0, 1.0)})


def loss_is_lr(config: Config, step: int) -> float:
    return float(config["lr"](0))


def ran(tuner: Hyperband, ask: FakeAsk | None = None) -> tuple[FakeAsk, Any]:
    ask = ask or FakeAsk(loss_is_lr)
    return ask, asyncio.run(tuner.tune(ask))


def test_the_brackets_are_those_of_table_1() -> None:
    # Li et al. 2018, Table 1: R = 81, eta = 3
    assert [bracket.rungs for bracket in hyperband_brackets(81, 3)] == [
        ((1, 81), (3, 27), (9, 9), (27, 3), (81, 1)),
        ((3, 34), (9, 11), (27, 3), (81, 1)),
        ((9, 15), (27, 5), (81, 1)),
        ((27, 8), (81, 2)),
        ((81, 5),),
    ]


def test_brackets_of_powers_are_counted_with_integers() -> None:
    assert len(hyperband_brackets(243, 3)) == 6  # int(log(243) / log(3)) + 1 would be 5
    assert [bracket.rungs[0] for bracket in hyperband_brackets(8, 2)] == [(1, 8), (2, 6), (4, 4), (8, 4)]


def test_rungs_that_are_no_whole_steps_are_rounded_down() -> None:
    assert [step for step, _ in hyperband_brackets(100, 3)[0].rungs] == [1, 3, 11, 33, 100]


def test_no_rung_ends_before_the_smallest_number_of_steps() -> None:
    brackets = hyperband_brackets(81, 3, min_steps=9)
    assert [bracket.rungs for bracket in brackets] == [((9, 9), (27, 3), (81, 1)), ((27, 5), (81, 1)), ((81, 3),)]


def test_with_an_infinite_horizon_budgets_double_and_trials_with_them() -> None:
    assert [bracket.rungs for bracket in infinite_hyperband_brackets(4)] == [
        ((1, 2),),  # B = 2
        ((2, 2),),  # 4
        ((4, 2),),  # 8
        ((1, 4), (2, 2)),
        ((2, 4), (4, 2)),  # 16
    ]


@pytest.mark.parametrize("max_steps", [8, 27, 100])
def test_a_bracket_of_an_infinite_horizon_stays_within_its_budget(max_steps: int) -> None:
    for bracket in infinite_hyperband_brackets(max_steps):
        costs = [step * count for step, count in bracket.rungs]
        budget = 1
        while budget < sum(costs):
            budget *= 2
        assert all(cost <= budget // len(costs) for cost in costs)
        assert bracket.rungs[-1][0] <= max_steps


def test_each_bracket_promotes_its_best_and_all_take_the_best_one() -> None:
    ask, winner = ran(Hyperband(RATES, max_steps=9))
    asked = Counter(request.until for request in ask.asked)
    assert asked == {1: 9, 3: 3 + 5, 9: 1 + 1 + 3}
    rates = {as_config(request.config)["lr"](0) for request in ask.asked}
    assert len(rates) == 17
    finals = [as_config(request.config)["lr"](0) for request in ask.asked if request.final]
    assert winner["lr"](0) == min(finals)
    assert len(finals) == 5


def test_equal_draws_are_trials_of_their_own() -> None:
    ask, _ = ran(Hyperband(hippo.RandomSearchSpace({"lr": hippo.choice(0.1)}), max_steps=9))
    assert len({request.occurrence for request in ask.asked}) == 17


def test_a_space_with_fewer_configs_shrinks_all_brackets_alike() -> None:
    space = hippo.GridSearchSpace({"lr": [number / 10 for number in range(9)]})
    with pytest.warns(UserWarning, match="want 17 trials, and the space has 9 configs") as warned:
        tuner = Hyperband(space, 9)
    assert warned[0].filename == __file__
    assert [bracket.num_trials for bracket in tuner.brackets()] == [5, 2, 2]
    ask, winner = ran(tuner)
    assert len({as_config(request.config).key for request in ask.asked}) == 9
    assert any(request.until == 9 and request.config == winner for request in ask.asked)


def test_a_collection_is_dealt_in_a_random_order_that_the_seed_decides() -> None:
    space = [{"lr": number / 100} for number in range(17)]
    first = [[request.config for request in ran(Hyperband(space, 9, seed=seed))[0].asked] for seed in (0, 0, 1)]
    assert first[0] == first[1]
    assert first[0] != first[2]
    assert first[0][:9] != space[:9]


def test_fewer_configs_than_brackets_are_refused() -> None:
    with pytest.raises(BudgetError, match=r"3 brackets with max_steps=9.*and 2 configs"):
        Hyperband([{"lr": 0.1}, {"lr": 0.2}], 9)


def test_extra_steps_train_the_best_one_on() -> None:
    ask, winner = ran(Hyperband(RATES, max_steps=9, extra_steps=4))
    assert [(request.until, request.is_extension) for request in ask.asked][-1] == (13, True)
    assert ask.asked[-1].config == winner
    assert not any(request.final for request in ask.asked[:-1])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"max_steps": 0}, BudgetError, "max_steps must be at least 1, not 0"),
        ({"max_steps": 9, "reduction": 1}, BudgetError, "reduction must be at least 2, not 1"),
        ({"max_steps": 9, "min_steps": 10}, BudgetError, "min_steps=10 is above max_steps=9"),
        ({"max_steps": 9, "extra_steps": -1}, BudgetError, "extra_steps must be at least 0, not -1"),
        ({"max_steps": 9, "num_trials": 0}, BudgetError, "num_trials must be at least 1, not 0"),
        ({"max_steps": 9, "horizon": "infinit"}, TunerError, "not 'infinit'. Did you mean 'infinite'"),
        ({"max_steps": 9, "ties": "all"}, TunerError, "ties must be one of"),
    ],
)
def test_what_cannot_be_is_explained(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Hyperband(RATES, **arguments)


def test_more_trials_than_the_brackets_take_are_not_dropped_without_a_word() -> None:
    space = hippo.RandomSearchSpace({"lr": hippo.uniform(0, 1)})
    with pytest.warns(UserWarning, match="take 17 trials, and not num_trials=100"):
        ask, _ = ran(Hyperband(space, max_steps=9, num_trials=100))
    assert len({asked.config for asked in ask.asked}) == 17
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Hyperband(space, max_steps=9, num_trials=17)


class Learning:
    """A space that writes down in which order it is asked and told."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def start(self, ask: Any, *, num_trials: int | None, until: int, seed: int) -> Any:
        self.log.append(f"start {num_trials} {until} {seed}")
        self.drawn = 0
        return self

    def propose(self) -> Config:
        self.log.append("propose")
        self.drawn += 1
        return Config({"lr": self.drawn / 100})

    def tell(self, answer: hippo.Answer) -> None:
        self.log.append(f"tell {answer.step}")


def test_a_space_that_learns_is_told_of_each_answer_before_the_next_question() -> None:
    space = Learning()
    ran(Hyperband(space, max_steps=3))
    bracket = ["propose", "tell 1"] * 3 + ["tell 3"]
    assert space.log == ["start 5 3 0", *bracket, *["propose", "tell 3"] * 2]


@pytest.mark.slow
@pytest.mark.parametrize(("horizon", "reduction"), [("finite", 3), ("infinite", 2)])
def test_brackets_share_what_they_have_in_common(
    make_study: Callable[..., hippo.Study], horizon: str, reduction: int
) -> None:
    study = make_study()
    decay = hippo.MultiStep(hippo.choice(0.1, 0.2), [hippo.choice(2, 4, 5)], 0.1)
    space = hippo.RandomSearchSpace({"lr": decay, "momentum": hippo.choice(0.0, 0.9)})
    study.optimize(Hyperband(space, max_steps=9, horizon=horizon, reduction=reduction))
    statistics = study.statistics()
    distinct = {step for trial in study.trials for step in unit_steps(trial.config, trial.step)}
    assert statistics.steps_executed - statistics.steps_repeated == len(distinct) < statistics.steps_asked
    assert statistics.steps_repeated <= len(distinct) // 10


def test_one_bracket_repeats_nothing(make_study: Callable[..., hippo.Study]) -> None:
    study = make_study()
    decays = hippo.GridSearchSpace(
        {"lr": [hippo.MultiStep(lr, [at], 0.1) for lr in (0.1, 0.2) for at in (2, 4, 5)], "momentum": [0.0, 0.5, 0.9]}
    )
    study.optimize(hippo.SuccessiveHalving(decays, 1, 9, 3))
    assert study.statistics().steps_repeated == 0
