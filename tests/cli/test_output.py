"""Rows as table, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json

import pytest

from hippo.cli.output import show

ROWS = [{"number": 0, "lr": 0.1 + 0.2, "state": "[COMPLETE]"}, {"number": 1, "lr": float("nan"), "note": [1, 2]}]


def test_json_is_valid_even_where_a_value_is_nan(capsys: pytest.CaptureFixture[str]) -> None:
    show(ROWS, "json")

    def refuse(text: str) -> float:
        raise AssertionError(text)

    assert json.loads(capsys.readouterr().out, parse_constant=refuse) == [
        ROWS[0],
        {"number": 1, "lr": "nan", "note": [1, 2]},
    ]


def test_csv_keeps_every_column_and_every_digit(capsys: pytest.CaptureFixture[str]) -> None:
    show(ROWS, "csv")

    first, second = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert float(first["lr"]) == ROWS[0]["lr"]
    assert second == {"number": "1", "lr": "nan", "state": "", "note": "[1, 2]"}


def test_a_table_shows_text_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    show(ROWS, "table")

    assert "[COMPLETE]" in capsys.readouterr().out


@pytest.mark.parametrize(("form", "shown"), [("json", "[]\n"), ("csv", "\n"), ("table", "nothing to show\n")])
def test_no_rows_are_shown_as_none(form: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    show([], form)

    assert capsys.readouterr().out == shown
