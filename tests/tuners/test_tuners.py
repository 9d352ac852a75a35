"""Tuners against learning curves: what they ask for, and whom they promote."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import Mapping
from typing import Any

import pytest

import hippo
from hippo.errors import BudgetError, TunerError, UnknownMetricError
from hippo.hparams import Config, as_config
from hippo.testing.fake_ask import FakeAsk
from hippo.tuners import metric
from hippo.tuners.budgets import rung_steps
from hippo.tuners.ranking import best
from hippo.tuners.tuner import record_text


def ask_by_rate(losses: Mapping[float, float | None] | None = None) -> FakeAsk:
    """Return what answers with a config's lr as its loss, unless it is told otherwise; None fails."""
    given = losses or {}
    return FakeAsk(lambda config, step: given.get(config["lr"](0), config["lr"](0)))


def questions(ask: FakeAsk) -> list[tuple[list[float], int, bool]]:
    """Return what was asked for together: rates, until, final."""
    together = itertools.groupby(ask.asked, key=lambda asked: (asked.until, asked.final))
    return [([as_config(asked.config)["lr"](0) for asked in group], until, final) for (until, final), group in together]


def rates(*values: float) -> hippo.GridSearchSpace:
    return hippo.GridSearchSpace({"lr": list(values)})


def tune(tuner: Any, ask: FakeAsk) -> Any:
    return asyncio.run(tuner.tune(ask))


@pytest.mark.parametrize(
    ("bounds", "rungs"),
    [
        ((15, 120, 4), [15, 60, 120]),  # Hippo, Table 1
        ((1, 81, 3), [1, 3, 9, 27, 81]),  # Li et al. 2018, Table 1, s = 4
        ((1, 243, 3), [1, 3, 9, 27, 81, 243]),  # int(log(243) / log(3)) would be 4
        ((5, 5, 2), [5]),
        ((4, 10, 2), [4, 8, 10]),
    ],
)
def test_rungs_are_powers_of_the_reduction_and_end_at_the_last_step(bounds: tuple[int, ...], rungs: list[int]) -> None:
    assert rung_steps(*bounds) == rungs


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((0, 9, 3), "min_steps must be at least 1, not 0"),
        ((10, 9, 3), "min_steps=10 is above max_steps=9"),
        ((1, 9, 1), "reduction must be at least 2, not 1"),
        ((1, 9.0, 3), "max_steps must be an integer of at least 1, not 9.0"),
    ],
)
def test_rungs_that_cannot_be_are_explained(bounds: tuple[Any, ...], message: str) -> None:
    with pytest.raises(BudgetError, match=message):
        hippo.SuccessiveHalving(rates(0.1), *bounds)


def test_grid_search_asks_for_all_at_once_and_for_the_last_time() -> None:
    ask = ask_by_rate()
    tune(hippo.GridSearch(rates(0.1, 0.2), until=7), ask)
    assert questions(ask) == [([0.1, 0.2], 7, True)]


def test_successive_halving_keeps_the_best_of_each_rung() -> None:
    ask = ask_by_rate()
    survivor = tune(hippo.SuccessiveHalving(rates(4, 2, 3, 1), min_steps=1, max_steps=4, reduction=2), ask)
    assert questions(ask) == [([4, 2, 3, 1], 1, False), ([1, 2], 2, False), ([1], 4, True)]
    assert survivor == Config({"lr": 1})


def test_ties_go_to_the_earlier_trial_and_nan_and_then_what_failed_ranks_last() -> None:
    ask = ask_by_rate({3.0: None, 4.0: 1.0, 5.0: 1.0, 6.0: math.nan})
    configs = [3.0, 6.0, 4.0, 5.0]
    answers = asyncio.run(ask.all([{"lr": lr} for lr in configs], until=1))
    assert best(configs, answers, keep=4) == [4.0, 5.0, 6.0, 3.0]


def test_random_search_draws_by_its_seed_alone() -> None:
    space = hippo.RandomSearchSpace({"lr": hippo.quniform(0.1, 1.0, 0.1)})
    asks = [ask_by_rate() for _ in range(3)]
    for ask, seed in zip(asks, (0, 0, 1), strict=True):
        tune(hippo.RandomSearch(space, num_trials=8, until=3, seed=seed), ask)
    assert asks[0].asked == asks[1].asked
    assert asks[0].asked != asks[2].asked
    assert len(questions(asks[0])[0][0]) == 8


@pytest.mark.parametrize("arguments", [{"num_trials": 0, "until": 3}, {"num_trials": 2, "until": 0}])
def test_random_search_of_nothing_is_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(BudgetError):
        hippo.RandomSearch(hippo.RandomSearchSpace({"lr": hippo.uniform(0, 1)}), **arguments)


def test_early_stopping_trains_eight_and_keeps_the_four_with_the_larger_metric() -> None:
    schedule = hippo.Schedule.from_milestones((5, 8), (10, 4))
    ask = ask_by_rate()
    space = rates(*(number / 10 for number in range(9, 0, -1)))
    tune(hippo.EarlyStopTuner(schedule, space, metric.ExtractSingleNumber("accuracy")), ask)
    assert questions(ask) == [
        ([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2], 5, False),
        ([0.2, 0.3, 0.4, 0.5], 10, True),
    ]


def test_early_stopping_with_mode_min_keeps_the_smaller_ones() -> None:
    schedule = hippo.Schedule.from_milestones((1, 3), (2, 1))
    ask = ask_by_rate()
    tune(hippo.EarlyStopTuner(schedule, rates(3, 1, 2), metric.ExtractSingleNumber("loss"), mode="min"), ask)
    assert questions(ask)[-1] == ([1], 2, True)


@pytest.mark.parametrize("space", [{"lr": hippo.uniform(0, 1)}, hippo.Sampled("tpe", {"lr": hippo.uniform(0, 1)})])
def test_early_stopping_refuses_a_space_without_end(space: Any) -> None:
    schedule = hippo.Schedule.from_milestones((1, 3), (2, 1))
    with pytest.raises(TunerError, match=r"has no end: SuccessiveHalving\(space, num_trials=...\) draws"):
        hippo.EarlyStopTuner(schedule, space, metric.ExtractSingleNumber("loss"))


def test_early_stopping_returns_no_config_that_failed_on_its_way() -> None:
    schedule = hippo.Schedule.from_milestones((1, 3), (2, 1))
    tuner = hippo.EarlyStopTuner(schedule, rates(3, 1, 2), metric.ExtractSingleNumber("loss"), mode="min")
    ask = FakeAsk(lambda config, step: None if config["lr"](0) == 1 and step > 1 else config["lr"](0))
    assert tune(tuner, ask) == Config({"lr": 2})


def test_more_trials_than_the_space_has_are_all_of_them_with_a_warning() -> None:
    schedule = hippo.Schedule.from_milestones((1, 5), (2, 1))
    with pytest.warns(UserWarning, match="begins with 5 trials, and the space has 2") as warned:
        tuner = hippo.EarlyStopTuner(schedule, rates(1, 2), metric.ExtractSingleNumber("accuracy"))
    assert warned[0].filename == __file__
    ask = ask_by_rate()
    tune(tuner, ask)
    assert questions(ask) == [([1, 2], 1, False), ([1], 2, True)]


@pytest.mark.parametrize(
    ("milestones", "message"),
    [
        ((), "at least one milestone"),
        (((5, 8), (5, 4)), "step 5 comes after step 5"),
        (((5, 4), (10, 8)), "8 trials cannot survive to step 10: only 4 reach 5"),
        (((0, 4),), "the step of a milestone must be at least 1"),
        (((2.5, 4),), "must be an integer"),
    ],
)
def test_a_schedule_that_cannot_be_is_explained(milestones: Any, message: str) -> None:
    with pytest.raises(BudgetError, match=message):
        hippo.Schedule.from_milestones(*milestones)


def test_a_mode_that_is_none_is_refused() -> None:
    schedule = hippo.Schedule.from_milestones((1, 1))
    with pytest.raises(TunerError, match="'min' or 'max', not 'maximise'"):
        hippo.EarlyStopTuner(schedule, rates(1), metric.ExtractSingleNumber("loss"), mode="maximise")


def test_keeping_what_the_study_calls_worst_is_refused_before_anything_is_asked() -> None:
    schedule = hippo.Schedule.from_milestones((1, 2), (2, 1))
    study = hippo.create_study("s", trainer="hippo.testing.trainers:ToyTrainer", storage="memory://", metric="loss",
                               checkpoints="memory://", mode="min", engine=hippo.InlineEngine())  # fmt: skip
    with pytest.raises(TunerError, match=r"keeps the trials of the largest 'loss', .*: say mode='min'"):
        study.optimize(hippo.EarlyStopTuner(schedule, rates(0.1, 0.2), metric.ExtractSingleNumber("loss")))
    assert study.trials == []
    study.optimize(hippo.EarlyStopTuner(schedule, rates(0.1, 0.2), metric.ExtractSingleNumber("luck")))
    assert len(study.trials) == 2
    study.close()


def test_a_metric_that_is_missing_is_an_error_with_what_there_is() -> None:
    with pytest.raises(UnknownMetricError, match=r"only \['test_acc'\] in .* Did you mean 'test_acc'\?"):
        metric.ExtractSingleNumber("test_ac")({"test_acc": 0.5})
    with pytest.raises(UnknownMetricError, match="nothing in what evaluate"):
        metric.ExtractSingleNumber("test_ac")({})


def test_a_record_is_equal_for_equal_calls_and_differs_where_they_do() -> None:
    records = [
        record_text(tuner.record())
        for tuner in (
            hippo.GridSearch(rates(0.1, 0.2), until=5),
            hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=5),
            hippo.GridSearch(rates(0.1, 0.2), until=6),
            hippo.GridSearch(rates(0.2, 0.1), until=5),
            hippo.SuccessiveHalving(rates(0.1, 0.2), min_steps=1, max_steps=5),
        )
    ]
    assert records[0] == records[1]
    assert len(set(records)) == 4


def test_a_tuner_without_tune_says_what_to_write() -> None:
    with pytest.raises(NotImplementedError, match=r"write one"):
        asyncio.run(hippo.Tuner().tune(ask_by_rate()))
