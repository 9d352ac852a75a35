"""Slopes, and the verdict on them."""

from __future__ import annotations

import math

import pytest

from hippo.surrogates import CoordinateCheck, ModuleSlope, log_slope


@pytest.mark.parametrize(
    ("sizes", "slope"),
    [
        ((1, 1, 1), 0),
        ((1, 2, 4), 1),
        ((4, 2, 1), -1),
        ((1, 2**0.5, 2), 0.5),
        ((0, 0, 0), 0),
        ((1, math.inf, 1), math.inf),
    ],
)
def test_the_slope_is_of_logarithms(sizes: tuple[float, ...], slope: float) -> None:
    assert log_slope([8, 4, 2], sizes) == pytest.approx(slope)


def test_one_that_is_nan_grew_without_bounds() -> None:
    assert log_slope([8, 4], [1.0, math.nan]) == math.inf


def test_one_width_has_no_slope() -> None:
    with pytest.raises(ValueError, match="two widths"):
        log_slope([8, 8], [1.0, 2.0])


def check(*slopes: float) -> CoordinateCheck:
    found = tuple(
        ModuleSlope(module=f"layer{number}", update=1, sizes=(1.0, 1.0), slope=slope)
        for number, slope in enumerate(slopes)
    )
    return CoordinateCheck(
        trainer="Net", parametrization="mup", scales=(8, 4), num_seeds=3, num_updates=4, rate_factor=2.0, slopes=found
    )


def test_what_stays_or_shrinks_passes_and_what_grows_is_named() -> None:
    passed, failed = check(0.25, -2.0), check(0.1, 0.26)

    assert passed.is_passed
    assert not failed.is_passed
    assert failed.steepest.module == "layer1"
    assert "coordinate check passed at 1/8, 1/4 of the target" in str(passed)
    assert "FAILED" in str(failed)
    assert "steepest: layer1 after 1 updates, slope 0.26, above 0.25" in str(failed)
