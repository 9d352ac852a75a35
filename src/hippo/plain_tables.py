"""Rows as programs read them, JSON or CSV: the same text for the same value, whoever writes it.

It refuses to know what rows mean, and how people see them.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import IO


def json_value(value: object) -> object:
    """Return a value as JSON can hold it: that knows no NaN and no infinity, so these become text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    return value if isinstance(value, str | int | float | None) else str(value)


def csv_text(value: object) -> str:
    """Return a value as it stands in a CSV file: nothing for None, numbers exactly, what has parts as JSON."""
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(json_value(value))
    return str(value)


class CSVRows:
    """Writes rows of a CSV file.

    Args:
      file: where to; opened with `newline=""`.
    """

    def __init__(self, file: IO[str]) -> None:
        self._writer = csv.writer(file, lineterminator="\n")
        # before Python 3.13 a carriage return alone, as progress bars leave it in errors, is not quoted, and ends a row
        self._quoting = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)

    def write(self, row: Iterable[object]) -> None:
        """Write a row; None is a value that it has not."""
        texts = [csv_text(value) for value in row]
        (self._quoting if any("\r" in text for text in texts) else self._writer).writerow(texts)


def write_csv(file: IO[str], columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write rows below a line with the names of their columns.

    Args:
      file: where to.
      columns: their names.
      rows: of each row a value for each column.
    """
    writer = CSVRows(file)
    writer.write(columns)
    for row in rows:
        writer.write(row)
