"""Metrics as text: what is read is what was written, and a text with something behind it is none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.plan import metrics_from_text, metrics_to_text

METRICS = st.dictionaries(st.text(max_size=8), st.floats() | st.integers(-(2**53), 2**53), max_size=4)


@given(METRICS)
def test_metrics_come_back_bit_for_bit_whatever_their_order(metrics: dict[str, float]) -> None:
    text = metrics_to_text(metrics)
    assert repr(metrics_from_text(text)) == repr(dict(sorted(metrics.items())))
    assert metrics_to_text(dict(reversed(metrics.items()))) == text


@pytest.mark.parametrize("text", ['{"loss": 1.0} ,', '{"loss": 1.0}{"loss": 2.0}', '{"loss": 1.0', ""])
def test_a_text_that_is_not_whole_or_goes_on_is_refused(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        metrics_from_text(text)
