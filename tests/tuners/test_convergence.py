"""How fast losses fall: the vectors of the paper's formulas, and that nothing but losses and time decides."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest

from hippo.errors import TunerError
from hippo.tuners.convergence import DIVERGED, Label, has_settled, summarize

CONVERGING, UNSTABLE = Label.CONVERGING, Label.UNSTABLE
#: first blown up, and then falling from its own spike
SPIKE = [50, 40, *range(38, 23, -2)]


@pytest.mark.parametrize(
    ("losses", "duration", "start", "label", "speed"),
    [
        (range(20, 0, -1), 20, None, CONVERGING, 1.0),
        (range(20, 0, -1), 20, 20.5, CONVERGING, 19 / 19.5),
        (range(25, 0, -1), 25, None, CONVERGING, 1.0),
        ([10, 9, 8, 7.5, 7.6, 6, 5, 4, 3, 2], 10, None, CONVERGING, 7.9 / 9),
        ([10, 9, 8, 7, 8, 6, 5, 4, 3, 2], 10, None, UNSTABLE, 7 / 9),
        ([1.0] * 20, 20, None, UNSTABLE, 0.0),
        (range(20), 20, None, UNSTABLE, 0.0),
        ([3, 2, 1], 3, None, UNSTABLE, 1.0),
        ([1.0] * 9 + [math.nan], 10, None, Label.DIVERGED, 0.0),
        ([1.0] * 9 + [-math.inf], 10, None, Label.DIVERGED, 0.0),
        (SPIKE, 10, None, CONVERGING, 26 / 9),
        (SPIKE, 10, 2.3, Label.DIVERGED, 0.0),
        (SPIKE, 10, 2.5, UNSTABLE, 0.0),
        ([4.0], 1, None, UNSTABLE, 0.0),
        ([4.0], 2, 5.0, UNSTABLE, 0.5),
    ],
)
def test_labels_and_speeds(
    losses: Sequence[float], duration: float, start: float | None, label: Label, speed: float
) -> None:
    found = summarize(list(losses), duration, start)
    assert found.label is label
    assert found.speed == pytest.approx(speed, rel=1e-12)


def test_windows_take_every_loss() -> None:
    found = summarize(list(range(25)), 25)  # windows of two and three: 0.5, 3, ..., 23
    assert (found.drop, found.noise) == (-22.5, 2.5)
    assert summarize([5.0] * 24 + [0.0], 25).drop == pytest.approx(5 / 3)  # the last one counts


def test_a_rise_from_the_starting_point_is_noise() -> None:
    falling = [float(n) for n in range(20, 10, -1)]
    assert summarize(falling, 10, start=15.0).noise == 5.0
    assert summarize(falling, 10, start=21.0).is_converging


def test_fewer_losses_than_windows_are_never_converging() -> None:
    losses = [float(n) for n in range(10, 1, -1)]
    assert len(losses) == 9
    assert summarize(losses, 9).label is UNSTABLE
    assert summarize(losses, 9, windows=9).is_converging


def test_noise_of_a_windowth_of_the_drop_is_too_much() -> None:
    losses = [20.0, 18.0, 20.0, 10.0, 0.0]  # noise 2, drop 20
    assert summarize(losses, 5, windows=5).is_converging
    assert not summarize([20.0, 16.0, 20.0, 10.0, 0.0], 5, windows=5).is_converging  # 4 is a fifth of it


def test_no_speed_is_a_negative_zero() -> None:
    found = summarize([1.0] * 10, 10)
    assert [math.copysign(1, x) for x in (found.speed, found.drop, found.noise)] == [1, 1, 1]


@pytest.mark.parametrize(("losses", "windows"), [([1e308, 1e308, 1.0, 0.5], 2), ([1.7e308, 0.0, 0.0, -1.7e308], 4)])
def test_what_overflows_has_diverged(losses: list[float], windows: int) -> None:
    assert summarize(losses, 4, windows=windows) == DIVERGED


def test_twice_the_time_is_half_the_speed() -> None:
    losses = [float(n) for n in range(20, 0, -1)]
    slow, fast = summarize(losses, 40, start=21.0), summarize(losses, 20, start=21.0)
    assert fast.speed == 2 * slow.speed


def test_a_blow_up_is_only_known_of_losses_above_zero() -> None:
    assert summarize([-1.0] * 10, 10, start=-5.0).label is UNSTABLE  # ten times -5 is not far above it


def test_white_noise_is_not_seen_to_converge() -> None:
    rng = random.Random(0)
    traces = ([rng.gauss(0, 1) for _ in range(10)] for _ in range(4_000))
    # 4.4e-5 by the formula without a starting point: 0.2 of 4,000; three of them would be one case in a thousand
    assert sum(summarize(trace, 10).is_converging for trace in traces) <= 2


@pytest.mark.parametrize(("ratio", "least", "most"), [(8, 0.2, 0.4), (16, 0.85, 0.98), (32, 0.99, 1.0)])
def test_a_line_is_seen_to_converge_if_its_drop_is_many_times_its_noise(
    ratio: float, least: float, most: float
) -> None:
    rng = random.Random(1)
    drop = [ratio * (1 - i / 9) for i in range(10)]
    found = sum(summarize([x + rng.gauss(0, 1) for x in drop], 10).is_converging for _ in range(1_000))
    assert least <= found / 1_000 <= most  # 0.29, 0.92, 1.00 in four million traces


@pytest.mark.parametrize(
    ("speeds", "has"),
    [
        ([1, 1, 1, 1, 0.91], True),
        ([1, 1, 1, 1, 0.8], False),
        ([1, 1, 1, 1], False),
        ([1, 0, 1, 1, 1], False),
        ([5, 5, 4.8, 4.7, 4.6, 0, 1], True),
        ([1, 4.6, 5, 4.7, 5, 0, 4.8], True),
        ([0] * 9, False),
    ],
)
def test_a_search_has_settled_when_the_five_best_agree(speeds: list[float], has: bool) -> None:
    assert has_settled(speeds) is has


def test_nothing_says_nothing() -> None:
    with pytest.raises(TunerError, match="0 losses in 10 windows say nothing"):
        summarize([], 1)
    with pytest.raises(TunerError, match="5 losses in 1 windows"):
        summarize([1.0] * 5, 1, windows=1)
