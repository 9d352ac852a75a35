"""The median stopping rule, on curves made by hand."""

from __future__ import annotations

import asyncio
import math
import statistics
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.errors import BudgetError
from hippo.hparams import Config, as_config
from hippo.testing.fake_ask import FakeAsk
from hippo.tuners.median_stopping import MedianStopping, RunningMedian, running_averages

#: trial -> loss after 1, 2, 3 steps
CURVES: dict[int, list[float]] = {
    0: [3.0, 2.0, 1.0],  # running averages 3, 2.5, 2
    1: [5.0, 4.0, 3.0],  # 5, 4.5, 4
    2: [7.0, 6.0, 5.0],  # 7, 6.5, 6
    3: [6.0, 4.0, 1.0],  # best so far 6 > 5, the median of 3, 5, 7
    4: [5.0, 4.6, 1.0],  # 5 is not worse than 5, but 4.6 > 4.5
    5: [5.0, 4.5, 9.0],  # goes through: best by step 3 is 4.5, and the median is 4; but that is its end
}


def asked(tuner: MedianStopping, curves: dict[int, list[float]] | None = None) -> list[tuple[int, int]]:
    """Return what a tuner asks for: (trial, until)."""
    known = CURVES if curves is None else curves

    def curve(config: Config, step: int) -> float | None:
        loss = known[int(config["trial"](0))][step - 1]
        return None if loss == -math.inf else loss

    ask = FakeAsk(curve)
    asyncio.run(tuner.tune(ask))
    return [(as_config(request.config)["trial"](0), request.until) for request in ask.asked]


def trials(*numbers: int) -> list[dict[str, int]]:
    return [{"trial": number} for number in numbers]


def test_a_trial_worse_than_the_median_of_the_averages_of_complete_ones_is_stopped() -> None:
    requests = asked(MedianStopping(trials(*CURVES), 1, 3))
    reached = {trial: max(until for other, until in requests if other == trial) for trial in CURVES}
    assert reached == {0: 3, 1: 3, 2: 3, 3: 1, 4: 2, 5: 3}


def test_nobody_is_stopped_before_enough_are_complete() -> None:
    assert (3, 3) in asked(MedianStopping(trials(0, 1, 3), 1, 3))
    assert (3, 3) not in asked(MedianStopping(trials(0, 1, 3), 1, 3, min_trials=2))


def test_nobody_is_looked_at_before_the_first_look() -> None:
    tuner = MedianStopping(trials(*CURVES), 2, 3)
    assert tuner.looks == [2, 3]
    assert (3, 3) in asked(tuner)


def test_looks_come_at_intervals_and_at_the_end() -> None:
    assert MedianStopping(trials(0), 3, 12, interval=4).looks == [3, 7, 11, 12]
    assert MedianStopping(trials(0), 3, 9).looks == [3, 6, 9]
    assert MedianStopping(trials(0), 5, 5).looks == [5]


def test_what_failed_is_stopped_and_counts_for_nobody() -> None:
    curves = {0: [1.0, -math.inf, 1.0], 1: [2.0, 2.0, 2.0], 2: [1.0, 1.0, 1.0]}
    assert asked(MedianStopping(trials(0, 1, 2), 1, 3, min_trials=1), curves) == [
        (0, 1),
        (0, 2),
        (1, 1),
        (1, 2),
        (1, 3),
        (2, 1),
        (2, 2),
        (2, 3),
    ]


@given(st.lists(st.floats(allow_nan=True), min_size=1, max_size=20))
def test_the_median_runs_along(values: list[float]) -> None:
    running = RunningMedian()
    for count, value in enumerate(values, start=1):
        running.add(value)
        plain = statistics.median([math.inf if math.isnan(one) else one for one in values[:count]])
        assert running.median == plain or (math.isnan(running.median) and math.isnan(plain))


def test_averages_run() -> None:
    assert running_averages([3.0, 2.0, 1.0]) == [3.0, 2.5, 2.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"min_steps": 4}, "min_steps=4 is above max_steps=3"),
        ({"interval": 0}, "interval must be at least 1, not 0"),
        ({"min_trials": 0}, "min_trials must be at least 1, not 0"),
        ({"max_steps": 2.5}, "max_steps must be an integer"),
    ],
)
def test_what_cannot_be_is_explained(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BudgetError, match=message):
        MedianStopping(**{"space": trials(0), "min_steps": 1, "max_steps": 3, **arguments})


def test_a_trial_that_was_good_once_is_not_stopped_for_a_bad_step() -> None:
    curves = {**CURVES, 6: [1.0, 9.0, 0.5]}  # the median of the averages at step 2 is 4.5
    assert (6, 3) in asked(MedianStopping(trials(0, 1, 2, 6), 1, 3), curves)
