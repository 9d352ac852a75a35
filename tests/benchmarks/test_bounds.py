"""The bounds of the paper's evaluation, counted by hand where that can be done."""

from __future__ import annotations

import pytest
from bounds import distinct_steps, free_bounds, rung_bounds
from spaces import SINGLE, single_space

import hippo
from hippo import Config, MultiStep


def trial(*milestones: int) -> Config:
    return Config({"lr": MultiStep(0.1, milestones, 0.1)})


def test_steps_are_the_same_where_all_steps_before_them_are() -> None:
    # 0 to 10 together; the first two to 20; then each its own way
    assert distinct_steps([(trial(20), 30), (trial(20, 25), 30), (trial(10), 30)]) == 20 + 10 + 5 + 20


def test_a_trial_that_ends_earlier_is_the_beginning_of_another() -> None:
    assert distinct_steps([(trial(), 10), (trial(20), 30), (trial(20), 15)]) == 30


@pytest.mark.parametrize("name", SINGLE)
def test_two_ways_to_count_distinct_steps_agree(name: str) -> None:
    space, until = single_space(name)

    assert until * len(space) / distinct_steps((config, until) for config in space) == hippo.merge_rate(space, until)


def test_a_rung_lasts_as_long_as_its_chain_or_its_work() -> None:
    reached = [(trial(1), 10), (trial(2), 10), (trial(3), 10), (trial(4), 30)]

    bounds = rung_bounds(reached, [10, 30], slots=2)

    first_rung = 4 + 9 + 8 + 7 + 6  # the trunk, and what each trial does after it has left it
    alone = 1  # until the first of them leaves the trunk, one of the two slots has nothing to do
    assert bounds.end_to_end == alone + (first_rung - alone) / 2 + 20
    assert bounds.steps_distinct == first_rung + 20
    assert bounds.merge_rate == 60 / 54


def test_without_barriers_the_longest_trial_or_all_work_decides() -> None:
    reached = [(trial(1), 10), (trial(2), 10), (trial(3), 30)]

    assert free_bounds(reached, [10, 30], slots=40).end_to_end == 30
    assert free_bounds(reached, [10, 30], slots=1).end_to_end == 9 + 8 + 30
