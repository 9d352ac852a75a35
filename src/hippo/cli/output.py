"""Rows on standard output: a table for people, JSON or CSV for programs. Refuses to know what the rows mean."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import textwrap
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from hippo.plain_tables import csv_text, json_value, write_csv
from hippo.saying import write_line
from hippo.short_numbers import DIGITS, short, short_numbers
from hippo.training.telling import ANY_LINE

if TYPE_CHECKING:
    from rich.console import Console

FORMATS = ("table", "json", "csv")
#: columns of a table that goes into a file or a pipe
WIDTH = 160
#: until somebody is told what takes so long, and again
_SIGN_OF_LIFE_S = 3.0

Row = Mapping[str, object]


class Formula(str):
    """The text of a sequence, in which people see numbers as short as elsewhere."""


def show(
    rows: Sequence[Row],
    form: str,
    *,
    title: str | None = None,
    nothing: str = "nothing to show",
    columns: Sequence[str] = (),
) -> None:
    """Print rows.

    Args:
      rows: one mapping per row; a row may lack columns that others have.
      form: one of `FORMATS`.
      title: a line above the table; programs do not get it.
      nothing: what people are told if there are no rows.
      columns: what programs are told that there would be: CSV has a line of names even so.
    """
    columns = _columns(rows) or columns
    if form == "json":
        show_json([dict(row) for row in rows])
    elif form == "csv":
        _write_as_it_is()
        write_csv(sys.stdout, columns, ([row.get(name) for name in columns] for row in rows))
    elif rows:
        _print_table(rows, columns, title)
    else:
        click.echo(nothing)


def prepare_output() -> None:
    """Let standard output be there, closed as it may be, and write what its encoding has no sign for by its number."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _write_as_it_is() -> None:
    """Have signs that the output's encoding does not know refused: programs must not read something else."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="strict")


def show_json(value: object) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(json_value(value), indent=2))


def say(message: str) -> None:
    """Tell people something that is no result, if their terminal is still there."""
    write_line(f"hippo: {message}")


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Say what is warned of meanwhile: in a command there is no line of the user's that a warning could name."""

    def say_warning(message: Warning | str, *_: Any, **__: Any) -> None:
        say(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)  # others, of libraries, are for who writes code
        warnings.showwarning = say_warning  # at once: what is warned of may take long
        yield


@contextmanager
def blaming_only_users() -> Iterator[None]:
    """Say what is warned of meanwhile where the line that is blamed is hippo's or click's; others are shown as ever."""
    shown = warnings.showwarning
    not_the_users = (ANY_LINE, os.path.dirname(click.__file__))

    def show_or_say(
        message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        if file is None and filename.startswith(not_the_users):
            say(str(message))
        else:
            shown(message, category, filename, lineno, file, line)

    with warnings.catch_warnings():
        warnings.showwarning = show_or_say
        yield


@contextmanager
def sign_of_life(what: str) -> Iterator[None]:
    """Say on standard error what is being done, if it takes longer than a few seconds."""
    done = threading.Event()

    def watch() -> None:
        wait_s = _SIGN_OF_LIFE_S
        while not done.wait(wait_s):
            say(f"{what} ...")
            wait_s = 10 * _SIGN_OF_LIFE_S

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def for_people(value: object) -> str:
    """Return a value as people read it: numbers with six significant digits."""
    if isinstance(value, float):
        return short(value, DIGITS)
    text = csv_text(value)
    return short_numbers(text, DIGITS) if isinstance(value, Formula | Mapping | list | tuple) else text


def table_fits(rows: Sequence[Row]) -> bool:
    """Tell whether people's terminal has room for rows as a table."""
    from hippo.cli.tables import fits

    columns = _columns(rows)
    return fits(console(), columns, _texts(rows, columns))


def show_text(text: str) -> None:
    """Print sentences as wide as people's terminal is, each line's continuation under its first word.

    Lines of a traceback stay as they are, so that they can be copied.
    """
    width, is_traceback = console().width, False
    for line in text.splitlines():
        is_traceback = line.lstrip().startswith("Traceback ") or (is_traceback and line.startswith(" "))
        if is_traceback or len(line) <= width:
            click.echo(line)
            continue
        beginning = _BEGINNING.match(line)
        indent = len(beginning[0]) if beginning else 0
        options: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
        click.echo(textwrap.fill(line, width, subsequent_indent=" " * indent, **options))


#: spaces, and the number of an item or the word that begins a line of a list
_BEGINNING = re.compile(r" *(\d+\. |note: |[A-Za-z]+ {2,}|not compared {2,})?")


def _print_table(rows: Sequence[Row], columns: Sequence[str], title: str | None) -> None:
    from hippo.cli.tables import print_table

    numbers = [all(isinstance(row.get(name), int | float | None) for row in rows) for name in columns]
    print_table(console(), columns, _texts(rows, columns), numbers, title)


def _columns(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _texts(rows: Sequence[Row], columns: Sequence[str]) -> list[list[str]]:
    return [[for_people(row.get(name)) for name in columns] for row in rows]


def console() -> Console:
    """Return where people read: as wide as their terminal, and wide enough where there is none."""
    from rich.console import Console

    # names and values are no smileys: ":smile:" is what somebody called a study
    return Console(width=None if sys.stdout.isatty() else WIDTH, emoji=False, highlight=False)
