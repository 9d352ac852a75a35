"""Fewer points look the same: ends stay, peaks stay, nothing is made up."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.views import thinned

heights = st.lists(st.floats(-1e9, 1e9) | st.just(math.nan), min_size=0, max_size=200)


@given(heights, st.integers(3, 50))
def test_what_is_left_are_points_of_the_curve_in_their_order_ends_included(values: list[float], most: int) -> None:
    points = list(enumerate(values))
    kept = thinned(points, most)
    assert len(kept) == min(most, len(points))
    steps = [step for step, _ in kept]
    assert steps == sorted(set(steps))
    assert all(points[step] is not None and points[step][0] == step for step in steps)
    if points:
        assert (steps[0], steps[-1]) == (0, len(points) - 1)


def test_a_single_peak_stays() -> None:
    points = [(step, 100.0 if step == 777 else 0.0) for step in range(2_000)]
    assert (777, 100.0) in thinned(points, 50)


def test_two_points_are_no_curve() -> None:
    with pytest.raises(ValueError, match="3 points or more"):
        thinned([(0, 1.0)], 2)
