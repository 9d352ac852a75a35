"""Rows in terminals of every width."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from hippo.cli.tables import fits, print_table

COLUMNS = ["number", "steps_executed", "batch_size", "error"]
ROWS = [["0", "17", "Piecewise([8, 16], [3])", "train() at step 4: no"], ["1", "1234567", "8", ""]]
NUMBERS = [True, True, False, False]


def printed(width: int, capsys: pytest.CaptureFixture[str]) -> list[str]:
    out = io.StringIO()
    print_table(Console(file=out, width=width), COLUMNS, ROWS, NUMBERS, "digits")
    return [line.rstrip() for line in (out.getvalue() + capsys.readouterr().out).splitlines()]


def test_where_there_is_room_every_row_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(80, capsys)
    assert len(lines) == 1 + 3 + 2 + 1  # title, heading, rows, end
    assert "│      1 │        1234567 │ 8" in lines[-2]
    assert fits(Console(width=80), COLUMNS, ROWS)


def test_where_there_is_less_names_are_cut_behind_underscores_and_texts_are_folded(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = printed(56, capsys)
    assert lines[1].split() == ["steps_", "batch_"]
    assert lines[2].split() == ["number", "executed", "size", "error"]
    assert not fits(Console(width=56), COLUMNS, ROWS)
    assert max(map(len, lines)) <= 56


def test_where_there_is_none_rows_stand_below_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(30, capsys) == [
        "digits",
        "number 0",
        "  steps_executed 17",
        "  batch_size Piecewise([8, 16], [3])",
        "  error train() at step 4: no",
        "number 1",
        "  steps_executed 1234567",
        "  batch_size 8",
    ]
