"""Scales: where numbers lie between a distribution's bounds, and where they go when they are moved."""

from __future__ import annotations

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import hippo
from hippo.tuners.number_lines import NumberLine, line_of

RANGES = [
    hippo.uniform(-1.0, 3.0),
    hippo.loguniform(1e-4, 1.0),
    hippo.quniform(0.1, 0.9, 0.1),
    hippo.qloguniform(0.01, 10.0, 0.01),
    hippo.randint(-3, 8),
    hippo.qrandint(16, 256, 16),
    hippo.lograndint(1, 1000),
    hippo.qlograndint(8, 256, 8),
]


def scale(distribution: object) -> NumberLine:
    found = line_of(distribution)  # type: ignore[arg-type]
    assert found is not None
    return found


@pytest.mark.parametrize("distribution", RANGES, ids=repr)
def test_what_a_distribution_draws_stays_as_it_is(distribution: hippo.Sequence) -> None:
    for value in (distribution.sample(np.random.default_rng(seed)) for seed in range(20)):  # type: ignore[attr-defined]
        nearest = scale(distribution).nearest(value)
        assert (type(nearest), nearest) == (type(value), value)
        assert scale(distribution).from_unit(scale(distribution).to_unit(value)) == pytest.approx(value)


@pytest.mark.parametrize("distribution", RANGES, ids=repr)
@given(position=st.floats(0, 1), factor=st.sampled_from([0.5, 0.8, 1.2, 2.0]))
def test_whatever_is_moved_stays_within_the_bounds(distribution: object, position: float, factor: float) -> None:
    line = scale(distribution)
    moved = line.scaled(line.from_unit(position), factor)
    assert line.low <= moved <= line.high
    assert line.nearest(moved) == moved


@given(st.integers(2**60, 2**60 + 999))
def test_whole_numbers_of_any_size_stay_as_they_are(value: int) -> None:
    assert scale(hippo.randint(2**60, 2**60 + 1000)).nearest(value) == value


def test_the_middle_of_a_logarithmic_scale_is_the_geometric_mean() -> None:
    assert scale(hippo.loguniform(1e-4, 1.0)).from_unit(0.5) == pytest.approx(1e-2)
    assert scale(hippo.loguniform(1e-4, 1.0)).to_unit(1e-3) == pytest.approx(0.25)
    assert scale(hippo.uniform(0, 4)).from_unit(0.5) == 2.0


def test_multiples_move_by_at_least_one_of_them() -> None:
    assert scale(hippo.randint(1, 10)).scaled(2, 1.2) == 3  # 2.4 would be rounded to 2
    assert scale(hippo.randint(1, 10)).scaled(2, 0.8) == 1
    assert scale(hippo.quniform(0, 1, 0.1)).scaled(0.1, 1.2) == 0.2
    assert scale(hippo.qrandint(16, 256, 16)).scaled(32, 1.2) == 48
    assert scale(hippo.randint(-5, 6)).scaled(-2, 1.2) == -3
    assert scale(hippo.randint(0, 6)).scaled(0, 1.2) == 1


def test_a_factor_of_one_moves_nothing() -> None:
    for line, value in ((scale(hippo.randint(-5, 6)), -2), (scale(hippo.quniform(0, 1, 0.1)), 0.3)):
        assert line.scaled(value, 1) == line.scaled(value, 1.0) == value


def test_multiples_at_a_bound_stay_there() -> None:
    assert scale(hippo.randint(1, 10)).scaled(9, 1.2) == 9
    assert scale(hippo.quniform(0, 1, 0.1)).scaled(0.0, 0.8) == 0.0


def test_multiples_are_those_that_one_would_type() -> None:
    assert scale(hippo.quniform(0, 1, 0.1)).nearest(0.1 + 0.2) == 0.3
    assert not math.isclose(0.1 + 0.2, 0.3, rel_tol=0)


@pytest.mark.parametrize("distribution", [hippo.choice(1, 2), hippo.Exponential(hippo.uniform(0, 1), 0.9)])
def test_what_is_no_range_has_no_scale(distribution: object) -> None:
    assert line_of(distribution) is None  # type: ignore[arg-type]
