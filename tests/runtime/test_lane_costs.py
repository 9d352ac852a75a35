"""What several lanes cost that are walked as one, and how many are tried next."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hippo import Config
from hippo.hparams import path
from hippo.records import NodeId
from hippo.runtime.timing.costs import StepCosts, shape_key
from hippo.runtime.timing.lane_costs import LaneCosts

NODE = NodeId(1)
((_, PIECES),) = path(Config({"lr": 0.1, "bs": 32}), 1)


def noted(seconds: Callable[[int], float], *lanes: int, steps: int = 3) -> LaneCosts:
    costs = LaneCosts()
    for number in lanes:
        for _ in range(steps):
            costs.note(number, seconds(number))
    return costs


def line(fixed: float, per_lane: float) -> Callable[[int], float]:
    return lambda lanes: fixed + per_lane * lanes


def test_the_line_through_steps_of_any_two_numbers_of_lanes_is_found() -> None:
    cost = noted(line(0.7, 0.3), 3, 16).cost
    assert (cost.fixed, cost.per_lane) == pytest.approx((0.7, 0.3))
    assert cost.slowdown(4) == pytest.approx(1.9)


def test_one_number_of_lanes_says_how_long_steps_take_and_not_what_others_would() -> None:
    cost = noted(line(7.0, 3.0), 4).cost
    assert cost.seconds(4) == pytest.approx(19.0)
    assert cost.slowdown(8) == pytest.approx(LaneCosts().cost.slowdown(8))


@pytest.mark.parametrize("seconds", [lambda lanes: 9.0 - lanes, lambda lanes: float(lanes**2)])
def test_neither_number_is_ever_below_zero(seconds: Callable[[int], float]) -> None:
    cost = noted(seconds, 2, 4, 8).cost
    assert cost.fixed >= 0.0
    assert cost.per_lane >= 0.0


def test_the_longest_step_is_left_out_since_a_process_imports_in_its_first_one() -> None:
    costs = noted(line(0.7, 0.3), 4, 8)
    costs.note(4, 60.0)
    assert costs.cost.seconds(4) == pytest.approx(1.9)


# --- how many


def tried(seconds: Callable[[int], float], most: int) -> list[int]:
    """Return the numbers of lanes that are tried, one after the other, until it stays at one."""
    costs, numbers = noted(seconds, 1), [0]
    while (lanes := costs.worth(most)) != numbers[-1]:
        numbers.append(lanes)
        for _ in range(3):
            costs.note(lanes, seconds(lanes))
    return numbers[1:]


@pytest.mark.parametrize(
    ("seconds", "most", "numbers"),
    [
        pytest.param(line(0.9, 0.1), 64, [4, 8, 16, 32, 64], id="as long as a share falls by a tenth"),
        pytest.param(line(0.7, 0.3), 64, [4, 8, 16, 32], id="and no longer"),
        pytest.param(line(0.9, 0.1), 24, [4, 8, 16, 24], id="up to the most"),
        pytest.param(line(0.9, 0.1), 3, [3], id="also where that is little"),
        pytest.param(line(0.0, 1.0), 64, [4, 16, 1], id="a lane alone where nothing is gained, after many were tried"),
        pytest.param(line(0.0, 1.0), 8, [4, 1], id="if many may be tried"),
        pytest.param(lambda lanes: max(2.0 + lanes, lanes**2 / 8), 64, [4, 8, 16, 8], id="back from a cliff"),
        pytest.param(
            lambda lanes: 1.0 * lanes if lanes < 9 else 8.0, 64, [4, 16, 32, 64], id="many where few are no better"
        ),
    ],
)
def test_twice_as_many_lanes_are_tried_as_long_as_that_pays(
    seconds: Callable[[int], float], most: int, numbers: list[int]
) -> None:
    assert tried(seconds, most) == numbers


def test_a_formation_that_was_not_full_has_not_tried_it() -> None:
    costs = noted(line(0.7, 0.3), 2)
    assert costs.worth(16) == 4
    assert noted(line(0.7, 0.3), 3).worth(16) == 8


def test_one_step_says_nothing() -> None:
    assert noted(line(0.7, 0.3), 4, steps=1).worth(16) == 4


# --- beside steps of lanes alone


def learned(*steps: tuple[float, int]) -> StepCosts:
    """Return what is learned of steps, each of so many seconds with so many lanes."""
    costs = StepCosts()
    for seconds, lanes in steps:
        for _ in range(3):
            costs.learn(NODE, PIECES, 0, seconds / lanes, lanes=lanes)
    return costs


def test_estimates_are_of_a_lane_alone_whatever_company_lanes_had() -> None:
    costs = learned((1.9, 4), (5.5, 16))
    costs.use()
    assert costs.estimate(NODE, PIECES, 0) == pytest.approx(1.0)
    assert costs.mean(NODE, PIECES, 0, lanes=8) == pytest.approx(3.1)


def test_steps_of_lanes_alone_count_as_well_before_and_after() -> None:
    key = shape_key(PIECES, 0)
    for steps in ([(1.0, 1), (5.5, 16)], [(5.5, 16), (1.0, 1)]):
        cost = learned(*steps).cost_of(key)
        assert (cost.fixed, cost.per_lane) == pytest.approx((0.7, 0.3))


def test_the_share_is_one_as_long_as_no_lane_had_company() -> None:
    assert learned((1.0, 1)).share == 1.0
    assert learned((1.0, 1), (1.9, 4)).share == pytest.approx((1.0 + 1.9 / 4) / 2)


def test_lanes_of_a_shape_that_was_never_walked_are_tried_a_few_at_first() -> None:
    costs = learned((1.9, 4))
    assert costs.lanes_worth((("bs", "64"),), 16) == 4
    assert costs.lanes_worth(shape_key(PIECES, 0), 16) == 8


def test_estimates_have_moved_when_lanes_turn_out_to_cost_more_together() -> None:
    costs = learned((1.0, 1))
    costs.use()
    costs.learn(NODE, PIECES, 0, 3.0, lanes=4)
    assert costs.have_moved(stages=1)
