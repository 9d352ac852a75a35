"""Rows for people, in the width there is.

A table with lines; a tight one, its names and texts folded; or, where neither has room, one row below the other.
Refuses to know what the rows mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

#: a column of text may be folded to so many characters
_FOLDED = 16
#: between the columns of a tight table
_GAP = 2


def print_table(
    out: Console, columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[bool], title: str | None
) -> None:
    """Print rows of texts.

    Args:
      out: where; its width decides how.
      columns: their names, shown as they are.
      rows: a text for each column.
      numbers: which columns hold numbers: these stand at the right, and are never folded.
      title: a line above.
    """
    widths = [max(map(len, (name, *cells))) for name, cells in zip(columns, _turned(columns, rows), strict=True)]
    if sum(widths) + 3 * len(columns) + 1 <= out.width:
        _print_rich(out, columns, rows, numbers, title)
        return
    names = [_folded(name) for name in columns]
    tight = [
        min(_width(name, cells), _width(name, cells) if is_number else max(_FOLDED, _width(name, ())))
        for name, cells, is_number in zip(names, _turned(columns, rows), numbers, strict=True)
    ]
    if sum(tight) + _GAP * (len(columns) - 1) <= out.width:
        _print_rich(out, names, rows, numbers, title, widths=tight)
    else:
        _print_cards(columns, rows, title)


def fits(out: Console, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether rows have room in a table with nothing folded."""
    widths = [max(map(len, (name, *cells))) for name, cells in zip(columns, _turned(columns, rows), strict=True)]
    return sum(widths) + 3 * len(columns) + 1 <= out.width


def _turned(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    return list(zip(*rows, strict=True)) if rows else [()] * len(columns)


def _folded(name: str) -> str:
    """Return a name in lines, cut behind its underscores: that is how people read it aloud."""
    return name.replace("_", "_\n")


def _width(name: str, cells: Sequence[str]) -> int:
    return max(map(len, (*name.split("\n"), *cells)))


def _print_rich(
    out: Console,
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    numbers: Sequence[bool],
    title: str | None,
    *,
    widths: Sequence[int] | None = None,
) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(
        title=None if title is None else escape(title),
        title_justify="left",
        box=box.HEAVY_HEAD if widths is None else None,
        padding=(0, 1) if widths is None else (0, _GAP, 0, 0),
        pad_edge=widths is None,
    )
    for place, (name, is_number) in enumerate(zip(names, numbers, strict=True)):
        width = None if widths is None else widths[place]
        # a name that is no number's may be longer than what stands below it
        table.add_column(escape(name), justify="right" if is_number else "left", overflow="fold", min_width=width)
    for row in rows:
        table.add_row(*map(escape, row))
    out.print(table)


def _print_cards(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str | None) -> None:
    if title is not None:
        click.echo(title)
    for row in rows:
        for place, (name, text) in enumerate(zip(columns, row, strict=True)):
            if text:
                click.echo(f"{'' if place == 0 else '  '}{name} {text}")
