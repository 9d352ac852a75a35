"""Rows as table, JSON and CSV."""

from __future__ import annotations

import csv
import errno
import io
import json
import sys

import pytest

from hippo.cli.output import Formula, for_people, say, short_numbers, show

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


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (0.010000000000000002, "0.01"),
        (1.0, "1.0"),
        (1, "1"),
        (123456.789, "123457"),
        (1e-05, "1e-05"),
        (1.2345678e-05, "1.23457e-05"),
        (float("nan"), "nan"),
        (Formula("MultiStep(0.010000000000000002, [10], 0.1)"), "MultiStep(0.01, [10], 0.1)"),
        ("v0.010000000000000002", "v0.010000000000000002"),
        ([0.30000000000000004, 2], "[0.3, 2]"),
        (None, ""),
    ],
)
def test_people_see_six_significant_digits_of_numbers_and_all_of_a_text(value: object, seen: str) -> None:
    assert for_people(value) == seen


def test_a_name_within_a_sequence_keeps_its_digits() -> None:
    assert short_numbers("name='v0.12345678', lr=0.12345678") == "name='v0.12345678', lr=0.123457"


def test_columns_and_titles_are_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    show([{"params_batch_size": 8, "k[red]": ":smile:"}], "table", title="[bold]x[/]")

    shown = capsys.readouterr().out
    assert all(text in shown for text in ("params_batch_size", "k[red]", ":smile:", "[bold]x[/]"))


class ClosedTerminal(io.StringIO):
    """Standard error of a process whose terminal was closed."""

    def write(self, text: str) -> int:
        raise OSError(errno.EIO, "Input/output error")


def test_who_is_told_something_in_a_terminal_that_was_closed_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", ClosedTerminal())
    say("stopping when the running steps end")
