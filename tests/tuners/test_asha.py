"""ASHA in its three forms: the jobs it gives out, one after another."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest

import hippo
from hippo.errors import BudgetError, TunerError
from hippo.hparams import Config, as_config
from hippo.records import Answer
from hippo.testing.fake_ask import FakeAsk
from hippo.tuners.asha import ASHA, promote
from hippo.tuners.rungs import make_rungs
from hippo.tuners.stopping_asha import StoppingASHA

#: the losses of trials, whatever the step
LOSSES = [0.5, 0.3, 0.4, 0.9, 0.8, 0.7, 0.2, 0.1, 0.6]


def rates(losses: list[float]) -> list[dict[str, float]]:
    return [{"lr": loss} for loss in losses]


def jobs(tuner: Any, *, slots: int = 1, curve: Callable[[Config, int], Any] | None = None) -> list[tuple[float, int]]:
    """Return what a tuner asks for: (loss of the trial, until)."""
    ask = FakeAsk(curve or (lambda config, step: config["lr"](0)), slots=slots)
    asyncio.run(tuner.tune(ask))
    return [(as_config(asked.config)["lr"](0), asked.until) for asked in ask.asked]


def test_one_slot_promotes_as_soon_as_a_third_of_a_rung_is_one() -> None:
    # Li et al. 2020, Alg. 2 with n = 9, r = 1, R = 9, eta = 3 (the bracket s = 0 of their Table 1)
    assert jobs(ASHA(rates(LOSSES), 1, 9, 3)) == [
        (0.5, 1),
        (0.3, 1),
        (0.4, 1),
        (0.3, 3),
        (0.9, 1),
        (0.8, 1),
        (0.7, 1),
        (0.4, 3),
        (0.2, 1),
        (0.2, 3),  # 7 in the rung, 2 of them may be promoted, and this one is among the best two
        (0.2, 9),  # 3 in the rung above: the higher rung goes first
        (0.1, 1),
        (0.1, 3),
        (0.1, 9),  # 4 in the rung above, and the best of them is another one now
        (0.6, 1),
    ]


def test_as_many_get_ahead_as_in_the_table_if_the_best_come_first() -> None:
    # Li et al. 2020, Table 1, s = 0: 9 trials to step 1, 3 to step 3, 1 to step 9
    asked = jobs(ASHA(rates(sorted(LOSSES)), 1, 9, 3))
    assert [sum(until == step for _, until in asked) for step in (1, 3, 9)] == [9, 3, 1]


def test_a_delayed_promotion_waits_until_eta_trials_came_for_each_one_promoted() -> None:
    asked = jobs(ASHA(rates(LOSSES), 1, 9, 3, delay=True))
    assert [sum(until == step for _, until in asked) for step in (1, 3, 9)] == [9, 3, 1]
    assert asked[:4] == [(0.5, 1), (0.3, 1), (0.4, 1), (0.3, 3)]
    assert asked[7] == (0.4, 3)
    assert asked[8:] == [(0.2, 1), (0.1, 1), (0.6, 1), (0.1, 3), (0.1, 9)]


def test_several_slots_are_kept_full() -> None:
    ask = FakeAsk(lambda config, step: config["lr"](0), slots=4)
    asyncio.run(ASHA(rates(LOSSES), 1, 9, 3).tune(ask))
    assert [asked.until for asked in ask.asked[:4]] == [1, 1, 1, 1]


def test_the_winner_is_the_best_of_the_highest_rung() -> None:
    def worse_later(config: Config, step: int) -> float:
        lr = float(config["lr"](0))
        return 1 - lr if step == 9 else lr

    ask = FakeAsk(worse_later)
    winner = asyncio.run(ASHA(rates(LOSSES), 1, 9, 3).tune(ask))
    at_the_end = [as_config(asked.config)["lr"](0) for asked in ask.asked if asked.until == 9]
    assert winner["lr"](0) == max(at_the_end)


def test_what_failed_or_is_nan_is_promoted_last_or_never() -> None:
    asked = jobs(
        ASHA(rates([0.3, 0.1, 0.2]), 1, 3, 3), curve=lambda config, step: {0.1: None}.get(config["lr"](0), 0.5)
    )
    assert asked[-1] == (0.3, 3)
    asked = jobs(
        ASHA(rates([0.3, 0.1, 0.2]), 1, 3, 3), curve=lambda config, step: {0.1: math.nan}.get(config["lr"](0), 0.5)
    )
    assert asked[-1] == (0.3, 3)
    assert jobs(ASHA(rates([0.3, 0.1, 0.2]), 1, 3, 3), curve=lambda config, step: None) == [
        (0.3, 1),
        (0.1, 1),
        (0.2, 1),
    ]


def test_equal_states_are_promoted_twice_unless_distinct_ones_go_first() -> None:
    configs = [{"lr": 0.1}, {"lr": 0.1}, {"lr": 0.2}, {"lr": 0.3}]
    first, distinct = (jobs(ASHA(configs, 1, 2, 2, ties=ties, delay=True)) for ties in ("first", "distinct"))
    assert [lr for lr, until in first if until == 2] == [0.1, 0.1]
    assert [lr for lr, until in distinct if until == 2] == [0.1, 0.2]


def test_many_trials_are_ranked_quickly() -> None:
    configs = rates([(number * 7919 % 3001) / 3001 for number in range(3000)])
    asked = jobs(ASHA(configs, 1, 81, 3), slots=8)
    assert sum(until == 1 for _, until in asked) == 3000
    assert sum(until == 81 for _, until in asked) >= 3000 // 81


def test_objectives_are_ranked_by_fronts() -> None:
    ask = FakeAsk(lambda config, step: (config["lr"](0), 1 - config["lr"](0)), num_objectives=2)
    asyncio.run(ASHA(rates(LOSSES), 1, 9, 3).tune(ask))
    assert {asked.until for asked in ask.asked} == {1, 3, 9}


def test_too_few_trials_for_the_last_rung_are_told_about() -> None:
    with pytest.warns(UserWarning, match=r"5 trials none need get beyond step 3; .* Take at least 27 trials") as warned:
        ASHA(rates(LOSSES[:5]), 1, 27, 3)
    assert warned[0].filename == __file__


@pytest.mark.parametrize("cls", [ASHA, StoppingASHA])
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"min_steps": 10}, BudgetError, "min_steps=10 is above max_steps=9"),
        ({"reduction": 1}, BudgetError, "reduction must be at least 2"),
        ({"extra_steps": -1}, BudgetError, "extra_steps must be at least 0, not -1"),
        ({"space": hippo.RandomSearchSpace({"lr": hippo.uniform(0, 1)})}, TunerError, "num_trials=..."),
        ({"ties": "last"}, TunerError, "ties must be one of"),
        ({"max_t": 3}, TunerError, r"both max_steps=9 and max_t=3"),
        ({"steps": 3}, TypeError, "unexpected keyword argument 'steps'"),
    ],
)
def test_what_cannot_be_is_explained(cls: Any, arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        cls(**{"space": rates(LOSSES), "min_steps": 1, "max_steps": 9, **arguments})


def test_stopping_lets_a_trial_go_on_if_it_is_among_the_best_that_came_so_far() -> None:
    assert jobs(StoppingASHA(rates(LOSSES), 1, 9, 3)) == [
        (0.5, 1),
        (0.5, 3),  # the first one to come is the best so far
        (0.5, 9),
        (0.3, 1),
        (0.3, 3),
        (0.3, 9),
        (0.4, 1),
        (0.9, 1),
        (0.8, 1),
        (0.7, 1),
        (0.2, 1),  # 7 came: the best two go on
        (0.2, 3),
        (0.2, 9),
        (0.1, 1),
        (0.1, 3),
        (0.1, 9),
        (0.6, 1),
    ]


def test_a_trial_that_failed_does_not_go_on() -> None:
    asked = jobs(StoppingASHA(rates([0.3, 0.1]), 1, 4, 2), curve=lambda config, step: None if step == 2 else 0.5)
    assert asked == [(0.3, 1), (0.3, 2), (0.1, 1)]


@pytest.mark.parametrize("cls", [ASHA, StoppingASHA])
def test_extra_steps_train_the_best_one_on(cls: Any) -> None:
    ask = FakeAsk(lambda config, step: config["lr"](0))
    winner = asyncio.run(cls(rates(LOSSES), 1, 9, 3, extra_steps=6).tune(ask))
    last = ask.asked[-1]
    assert (last.config, last.until, last.is_extension, last.final) == (winner, 15, True, True)
    assert not any(asked.final for asked in ask.asked[:-1])


def test_a_top_rung_is_asked_for_as_final_and_no_other() -> None:
    for tuner in (ASHA(rates(LOSSES), 1, 9, 3), StoppingASHA(rates(LOSSES), 1, 9, 3)):
        ask = FakeAsk(lambda config, step: config["lr"](0))
        asyncio.run(tuner.tune(ask))
        assert all(asked.final == (asked.until == 9) for asked in ask.asked)


def test_slots_do_not_change_how_many_get_to_the_end_by_more_than_the_late_comers() -> None:
    counts = [sum(until == 9 for _, until in jobs(ASHA(rates(LOSSES * 3), 1, 9, 3), slots=n)) for n in (1, 4, 27)]
    assert all(low <= high + 3 for low, high in itertools.permutations(counts, 2))
    assert min(counts) >= 3


def test_the_highest_rung_that_may_promote_goes_first() -> None:
    """Li et al. 2020, Alg. 2: `for k = log(R / r) - 1 down to 0`."""
    rungs = make_rungs(1, 9, 3, ties="first")
    for rung in rungs[:2]:
        for trial, loss in enumerate((0.3, 0.1, 0.2)):
            rung.add(Answer(config=Config(lr=loss), step=rung.step, trial=trial, metrics={}, losses=(loss,)))
    first, second = promote(rungs, 3), promote(rungs, 3)
    assert first is not None
    assert second is not None
    assert (first[1].step, second[1].step) == (9, 3)
    assert promote(rungs, 3) is None
