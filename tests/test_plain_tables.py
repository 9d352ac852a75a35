"""The same value is the same text, whoever writes a table for programs."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.plain_tables import csv_text, json_value, write_csv


@pytest.mark.parametrize(
    ("value", "as_json", "as_csv"),
    [
        (None, None, ""),
        (True, True, "True"),
        (3, 3, "3"),
        (0.1, 0.1, "0.1"),
        (math.inf, "inf", "inf"),
        (math.nan, "nan", "nan"),
        ("a, b", "a, b", "a, b"),
        ((1, math.inf), [1, "inf"], '[1, "inf"]'),
        ({1: [None]}, {"1": [None]}, '{"1": [null]}'),
        (frozenset([1]), "frozenset({1})", "frozenset({1})"),
    ],
)
def test_a_value_is_one_text(value: object, as_json: object, as_csv: str) -> None:
    assert (json_value(value), csv_text(value)) == (as_json, as_csv)
    json.dumps(json_value(value), allow_nan=False)


@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), st.floats())))
def test_a_table_is_read_as_it_was_written(rows: list[tuple[str, float]]) -> None:
    file = io.StringIO(newline="")
    write_csv(file, ["name, or text", "number"], rows)
    head, *read = csv.reader(io.StringIO(file.getvalue(), newline=""))
    assert head == ["name, or text", "number"]
    assert [(text, repr(float(number))) for text, number in read] == [(text, repr(number)) for text, number in rows]


def test_a_carriage_return_in_an_error_ends_no_row() -> None:
    file = io.StringIO(newline="")
    write_csv(file, ["number", "error"], [(1, "50 %\r100 %"), (2, "")])
    assert list(csv.reader(io.StringIO(file.getvalue(), newline=""))) == [
        ["number", "error"],
        ["1", "50 %\r100 %"],
        ["2", ""],
    ]
