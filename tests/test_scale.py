"""What a scale is called, and what is none."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.errors import OptionError
from hippo.scale import PARAMETRIZATIONS, TARGET, Scale, surrogate_scale

NUMBERS = st.integers(1, 100)
SCALES = st.builds(Scale, NUMBERS, NUMBERS, st.none() | NUMBERS, st.sampled_from(PARAMETRIZATIONS))


@given(SCALES)
def test_a_scale_is_known_by_its_name(scale: Scale) -> None:
    assert Scale.named(str(scale)) == scale


@given(SCALES, SCALES)
def test_different_scales_have_different_names(one: Scale, other: Scale) -> None:
    assert (str(one) == str(other)) == (one == other)


@pytest.mark.parametrize(
    ("scale", "name"),
    [
        (TARGET, "1"),
        (Scale(8), "1/8"),
        (Scale(8, depth=2), "1/8, depth 1/2"),
        (Scale(rank=8), "1, rank 8"),
        (Scale(8, parametrization="standard"), "1/8, standard"),
    ],
)
def test_a_scale_is_called_as_people_say_it(scale: Scale, name: str) -> None:
    assert str(scale) == name


@pytest.mark.parametrize("name", ["", "8", "1/8 ", "2/8", "1/8, deep", "1/0", "1/8, mup, rank 2"])
def test_what_names_no_scale_is_refused(name: str) -> None:
    with pytest.raises(OptionError):
        Scale.named(name)


@pytest.mark.parametrize("value", [0, -1, 1.0, 3.5, True, "8", None])
def test_a_width_is_a_whole_number(value: Any) -> None:
    with pytest.raises(OptionError, match=re.escape(f"width={value!r} of a scale is no whole number of at least 1")):
        Scale(value)


def test_an_unknown_parametrization_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(OptionError, match="'mup', 'standard', 'completep'"):
        Scale(8, parametrization="ntk")


def test_a_number_is_a_width() -> None:
    assert surrogate_scale(8) == Scale(8)
    assert (
        surrogate_scale(8, "standard") == surrogate_scale(Scale(8), "standard") == Scale(8, parametrization="standard")
    )
    assert surrogate_scale(Scale(rank=8)) == Scale(rank=8)


@pytest.mark.parametrize("given", [0, 1, 3.5, True, "1/8", None, TARGET, Scale(parametrization="standard")])
def test_by_which_nothing_is_smaller_is_no_scale_of_a_surrogate(given: Any) -> None:
    with pytest.raises(OptionError, match=re.escape(f"scale={given!r}")):
        surrogate_scale(given)
