"""Rows on standard output: a table for people, JSON or CSV for programs. Refuses to know what the rows mean."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

FORMATS = ("table", "json", "csv")
#: columns of a table that goes into a file or a pipe
WIDTH = 160

Row = Mapping[str, object]


def show(rows: Sequence[Row], form: str, *, title: str | None = None) -> None:
    """Print rows.

    Args:
      rows: one mapping per row; a row may lack columns that others have.
      form: one of `FORMATS`.
      title: a line above the table; programs do not get it.
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    if form == "json":
        print(json.dumps([{name: _plain(value) for name, value in row.items()} for row in rows], indent=2))
    elif form == "csv":
        writer = csv.DictWriter(sys.stdout, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _text(value) for name, value in row.items()} for row in rows)
    else:
        _print_table(rows, columns, title)


def _print_table(rows: Sequence[Row], columns: Sequence[str], title: str | None) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for name in columns:
        is_number = all(isinstance(row.get(name), int | float | None) for row in rows)
        table.add_column(name.replace("_", " "), justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(escape(_text(row.get(name), digits=6)) for name in columns))
    console().print(table if columns else "[dim]nothing to show[/dim]")


def console() -> Console:
    """Return where people read: as wide as their terminal, and wide enough where there is none."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else WIDTH)


def _plain(value: object) -> object:
    """What JSON can hold: JSON knows no NaN and no infinity, so these become text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | None) else str(value)


def _text(value: object, *, digits: int | None = None) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value) if digits is None else f"{value:.{digits}g}"
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(_plain(value))
    return str(value)
