"""The table of trials: a page of it, and all that a filter shows as a file.

It refuses to know the web.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hippo.collector import collector_paused
from hippo.dashboard.plain import plain_number
from hippo.dashboard.trial_answers import params_text, trial_row
from hippo.errors import OptionError
from hippo.plain_tables import csv_text, json_value, write_csv
from hippo.study import Study, StudyView, Trial
from hippo.study.results.trial_lines import TrialLine, some_trials, trial_lines
from hippo.study.results.trials import flat_params, table_of, value_columns
from hippo.views import filter_trials

#: rows of one page of trials
MOST_ROWS = 500
#: characters of what stands in one place of a page
_MOST_CHARACTERS = 300
#: column -> what trials are ordered by there, given the study's one objective; None: what no line of a trial says
_COLUMNS: Mapping[str, Callable[[TrialLine, str | None], Any] | None] = {
    "number": lambda line, metric: line.number,
    "state": lambda line, metric: line.state.value,
    "step": lambda line, metric: line.step,
    "value": lambda line, metric: plain_number(line.value(metric)),
    "seconds": None,
}
#: what a row of a page has without being asked: these, and all hyper-parameters as one text
_USUAL = ("number", "state", "step", "value", "seconds", "error")
PARAMS = "params"
#: columns of the table that belong to a study's own names
_KINDS = ("params_", "metrics_", "train_")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialChoice:
    """Which trials are shown, in which order, and what of them."""

    #: only trials of this state; empty: of all
    state: str = ""
    #: only trials whose hyper-parameters, written as a text, hold this one
    text: str = ""
    #: only trials for which this expression holds, as `hippo.views.filter_trials` reads it; empty: all
    filter: str = ""
    #: a column, with a "-" in front from large to small; trials that have no value there come last
    order: str = "number"
    #: names of columns of `Study.trials_dataframe`, and `PARAMS`; empty: the usual ones of a page, all of a file
    columns: tuple[str, ...] = ()


def trials_answer(study: Study, choice: TrialChoice, *, offset: int, limit: int) -> dict[str, Any]:
    """Return a page of the table of trials.

    Args:
      study: whose.
      choice: which of its trials.
      offset: rows before the page.
      limit: its rows, at most `MOST_ROWS`.

    Raises:
      OptionError: there is no such column, a number is out of bounds, or the filter cannot be read.
    """
    if offset < 0 or not 1 <= limit <= MOST_ROWS:
        raise OptionError(f"a page has 1 to {MOST_ROWS} rows and begins at 0 or later, not {limit} from {offset}")
    _check_columns(study, choice.columns)
    view = study.read()
    numbers, unknown = _chosen(study, view, choice)
    trials = some_trials(view, numbers[offset:][:limit])
    table = table_of(trials, value_columns(study.objectives), flat_params)
    cells = {name: table[name] for name in choice.columns if name in table and name not in _USUAL}
    rows = [
        {**trial_row(trial), "cells": {name: _cell(column[place]) for name, column in cells.items()}}
        for place, trial in enumerate(trials)
    ]
    offers = [name for name in [*table, *choice.columns] if name not in (*_USUAL, PARAMS)]
    return {
        "of": len(numbers),
        "offset": offset,
        "rows": rows,
        "unknown": [{"why": why, "count": count} for why, count in unknown.items()],
        "offers": list(dict.fromkeys(offers)),
    }


def trials_file(study: Study, choice: TrialChoice, form: str) -> str:
    """Return all trials that a choice shows, as CSV or JSON: columns and values of `Study.trials_dataframe`.

    Args:
      study: whose.
      choice: which of its trials, and columns.
      form: "csv" or "json".

    Raises:
      OptionError: there is no such form or column, or the filter cannot be read.
    """
    if form not in ("csv", "json"):
        raise OptionError(f"trials are written as csv or json, not as {form[:50]!r}")
    _check_columns(study, choice.columns)
    with collector_paused():
        view = study.read()
        numbers, _ = _chosen(study, view, choice)
        table = table_of(some_trials(view, numbers), value_columns(study.objectives), flat_params)
        if choice.columns:
            shown = {"number", *choice.columns}
            has_params = PARAMS in shown
            table = {
                name: column
                for name, column in table.items()
                if name in shown or (has_params and name.startswith("params_"))
            }
        rows = ([_known(value) for value in row] for row in zip(*table.values(), strict=True))
        if form == "json":
            return json.dumps([dict(zip(table, map(json_value, row), strict=True)) for row in rows])
        written = io.StringIO()
        write_csv(written, list(table), rows)
        return written.getvalue()


def _check_columns(study: Study, columns: Sequence[str]) -> None:
    known = [*_USUAL, PARAMS, "feasible", "call", *value_columns(study.objectives)]
    for name in columns:
        if name not in known and not name.startswith(_KINDS):
            names = ", ".join([*dict.fromkeys(known), *(f"{kind}NAME" for kind in _KINDS)])
            raise OptionError(f"a table of trials has no column {name[:50]!r}; it has {names}")


def _chosen(study: Study, view: StudyView, choice: TrialChoice) -> tuple[list[int], Mapping[str, int]]:
    """Return the numbers of the trials that are shown, in order, and of how many the filter says neither yes nor no."""
    column, is_falling = choice.order.removeprefix("-"), choice.order.startswith("-")
    if column not in _COLUMNS:
        raise OptionError(f"trials are ordered by one of {', '.join(_COLUMNS)}, not by {column!r}")
    metric = study.objectives[0].metric if len(study.objectives) == 1 else None
    lines = [line for line in trial_lines(view) if choice.state in ("", line.state.value)]
    of_column, known, unknown = _COLUMNS[column], dict[int, Trial](), dict[str, int]()
    if choice.text or choice.filter or of_column is None:
        known = {trial.number: trial for trial in view.trials}
    if choice.text:
        lines = [line for line in lines if choice.text in params_text(known[line.number])]
    if choice.filter:
        values = {line.number: line.value(metric) for line in lines}
        found = filter_trials([known[line.number] for line in lines], choice.filter, among=view.trials, values=values)
        held, unknown = {trial.number for trial in found.trials}, dict(found.unknown)
        lines = [line for line in lines if line.number in held]
    keyed = [
        (known[line.number].seconds if of_column is None else of_column(line, metric), line.number) for line in lines
    ]
    listed = [(key, number) for key, number in keyed if key is not None]
    listed.sort(key=lambda pair: pair[0], reverse=is_falling)
    return [number for _, number in listed] + [number for key, number in keyed if key is None], unknown


def _known(value: Any) -> Any:
    """Return a value of `table_of`; None for what a trial has not."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _cell(value: Any) -> Any:
    plain = json_value(_known(value))
    if plain is None or (isinstance(plain, int | float) and not isinstance(plain, bool)):
        return plain
    return csv_text(plain)[:_MOST_CHARACTERS]
