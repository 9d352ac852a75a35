from __future__ import annotations

import enum
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.errors import HparamError
from hippo.hparams import canonical, canonical_text

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


class Colour(enum.IntEnum):
    RED = 1


@pytest.mark.parametrize(
    ("given_value", "expected"),
    [
        (np.float64(0.1), 0.1),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.array(2.5), 2.5),
        (Colour.RED, 1),
        ((1, (2,)), [1, [2]]),
        (-0.0, 0.0),
        ({"a": (1,)}, {"a": [1]}),
    ],
)
def test_values_take_their_canonical_form(given_value: Any, expected: Any) -> None:
    found = canonical(given_value)
    assert repr(found) == repr(expected)
    assert type(found) is type(expected)


@given(json_values)
def test_canonical_text_is_exact(value: Any) -> None:
    again = json.loads(canonical_text(canonical(value)))
    assert canonical_text(again) == canonical_text(canonical(value))
    assert again == value


def test_types_belong_to_values() -> None:
    assert len({canonical_text(value) for value in (1, 1.0, True, "1", [1])}) == 5


def test_a_canonical_value_is_a_copy() -> None:
    mine = {"a": [1]}
    copy = canonical(mine)
    mine["a"].append(2)
    assert copy == {"a": [1]}


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, [1, -math.inf], {"a": math.nan}, np.float64("nan"), np.array(np.inf)]
)
def test_nan_and_infinity_are_refused(value: Any) -> None:
    with pytest.raises(HparamError, match="compared and stored exactly"):
        canonical(value)


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        (np.zeros(3), "write array.tolist()"),
        (object(), "name it by a string"),
        (1j, "name it by a string"),
        ({1, 2}, "name it by a string"),
        ({1: 2}, "write '1'"),
    ],
)
def test_what_json_cannot_hold_is_refused_with_advice(value: Any, advice: str) -> None:
    with pytest.raises(HparamError) as caught:
        canonical(value)
    assert advice in str(caught.value)
