from __future__ import annotations

import enum
import json
import math
import re
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
    "value",
    [math.nan, math.inf, [1, -math.inf], {"a": math.nan}, np.float64("nan"), np.array(np.inf), np.ma.masked],
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
        ({1, 2}, "write a list, whose order is known"),
        ({1: 2}, "write '1'"),
    ],
)
def test_what_json_cannot_hold_is_refused_with_advice(value: Any, advice: str) -> None:
    with pytest.raises(HparamError) as caught:
        canonical(value)
    assert advice in str(caught.value)


def test_what_cannot_be_written_as_text_is_refused() -> None:
    with pytest.raises(HparamError, match=r"an integer of 16,610 bits.*Name it by a string"):
        canonical(10**5000)
    assert canonical(10**4000) == 10**4000
    holding_itself: list[Any] = []
    holding_itself.append(holding_itself)
    with pytest.raises(HparamError, match="nested more than 100 deep, or holds itself"):
        canonical(holding_itself)
    with pytest.raises(HparamError, match="nested more than 100 deep"):
        canonical({"a": holding_itself})


class Uniform:
    """Looks as one of Ray Tune's samplers do."""


def rays(kind: str, **attributes: Any) -> Any:
    return type(kind, (), {"__module__": "ray.tune.search.sample", **attributes})()


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (rays("Float", lower=0.1, upper=1.0, sampler=rays("_Uniform")), r"write hippo.uniform\(0.1, 1.0\)"),
        (rays("Float", lower=0.1, upper=1.0, sampler=rays("_LogUniform")), r"hippo.loguniform\(0.1, 1.0\)"),
        (rays("Integer", lower=1, upper=9, sampler=rays("_LogUniform")), r"hippo.lograndint\(1, 9\)"),
        (
            rays("Integer", lower=2, upper=8, sampler=rays("Quantized", q=2, sampler=rays("_Uniform"))),
            r"hippo.qrandint\(2, 8, 2\)",
        ),
        (rays("Float", lower=None, upper=None, sampler=rays("_Normal", mean=0, sd=1)), r"hippo.randn\(0, 1\)"),
        (
            rays("Float", lower=None, upper=None, sampler=rays("Q", q=0.5, sampler=rays("_Normal", mean=0, sd=1))),
            r"hippo.qrandn\(0, 1, 0.5\)",
        ),
        (rays("Categorical", categories=["a", 1], sampler=None), r"hippo.choice\('a', 1\)"),
        (rays("Function"), "one value decides about others"),
        (lambda spec: 0.1, "hippo has no sample_from"),
        (len, "hippo has no sample_from"),
    ],
)
def test_what_others_put_in_the_place_of_a_value_is_answered_by_our_word(value: Any, hint: str) -> None:
    with pytest.raises(HparamError, match=hint):
        canonical(value)


def test_optunas_distributions_are_answered_by_our_words() -> None:
    d = pytest.importorskip("optuna").distributions
    for value, hint in (
        (d.FloatDistribution(1e-4, 0.1, log=True), "hippo.loguniform(0.0001, 0.1)"),
        (d.FloatDistribution(0.0, 1.0, step=0.5), "hippo.quniform(0.0, 1.0, 0.5)"),
        (d.IntDistribution(1, 9), "hippo.randint(1, 10)"),
        (d.IntDistribution(1, 9, log=True), "hippo.lograndint(1, 10)"),
        (d.IntDistribution(2, 8, step=2), "hippo.qrandint(2, 8, 2)"),
        (d.IntDistribution(1, 10, step=3), "hippo.choice([1 + 3 * i for i in range(4)])"),
        (d.FloatDistribution(0.05, 0.35, step=0.1), "hippo.choice([round(0.05 + 0.1 * i, 12) for i in range(4)])"),
        (d.FloatDistribution(0.5, 2.5, step=1), "hippo.choice([round(0.5 + 1.0 * i, 12) for i in range(3)])"),
        (d.CategoricalDistribution(["a", 1]), "hippo.choice('a', 1)"),
    ):
        with pytest.raises(HparamError, match=re.escape(f"is Optuna's; write {hint}.")):
            canonical(value)
