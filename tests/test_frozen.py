"""Values that nobody changes, and copies of them with other fields."""

from __future__ import annotations

from dataclasses import fields, replace

import hypothesis.strategies as st
import pytest
from hypothesis import given

from hippo.frozen import changed, frozen
from hippo.plan.rows import RequestRow, TrialRow

ROW = TrialRow(study=1, number=2, call=0, config="{}", occurrence=0)


@frozen
class Pair:
    """Two fields, one with a default."""

    one: int
    other: str = ""


@given(st.dictionaries(st.sampled_from([each.name for each in fields(TrialRow)]), st.integers(), max_size=4))
def test_a_copy_is_what_replace_makes(others: dict[str, int]) -> None:
    known = replace(ROW)
    assert changed(ROW, **others) == replace(ROW, **others)  # type: ignore[arg-type]
    assert known == ROW


def test_each_class_has_copies_of_its_own() -> None:
    row = RequestRow(study=1, request=1, call=0, trial=2, until=3, final=True)
    for value in (ROW, row, Pair(one=1), Pair(one=2, other="x")):
        copy = changed(value)
        assert copy == value
        assert copy is not value
        assert type(copy) is type(value)


def test_a_field_that_is_not_there_is_refused() -> None:
    with pytest.raises(AttributeError):
        changed(Pair(one=1), two=2)
