"""A study as tables of Parquet, which pandas, polars, DuckDB and Arrow read without hippo."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hippo.collector import collector_paused
from hippo.errors import HippoError, MissingExtraError
from hippo.study.results.trials import Trial, flat_params, table_of

if TYPE_CHECKING:
    from hippo.study.results.study_view import StudyView, TreeRow

#: rows of metrics that are in memory at a time
_ROWS_AT_ONCE = 200_000
#: columns that are text, and whole numbers, also where no row has anything to say
_TEXTS = ("state", "error", "traceback", "config")
_WHOLE = ("number", "step", "until", "call")


def write_tables(view: StudyView, values: Sequence[str], folder: Path) -> dict[str, Path]:
    """Write a study as it is at one moment; each table replaces an older one as a whole.

    Args:
      view: the moment.
      values: the names of the columns of its objectives.
      folder: made where there is none.

    Returns:
      Table -> its file.

    Raises:
      MissingExtraError: pyarrow is not installed.
      HippoError: the folder cannot be written.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("to_parquet() needs pyarrow: pip install 'hippo-tune[parquet]'") from None
    files = {name: folder / f"{name}.parquet" for name in ("trials", "metrics", "stages")}
    trials = view.trials
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, file in files.items():
            aside = folder / f".{name}.parquet.{os.getpid()}"
            with collector_paused():
                if name == "metrics":
                    _write_metrics(trials, aside)
                else:
                    pq.write_table(pa.table(_trials(trials, values) if name == "trials" else _stages(view)), aside)
            os.replace(aside, file)
    except OSError as error:
        raise HippoError(f"to_parquet({str(folder)!r}) cannot be written: {error.strerror or error}") from error
    return files


def _trials(trials: Sequence[Trial], values: Sequence[str]) -> dict[str, Any]:
    columns = table_of(trials, values, flat_params)
    columns["until"] = [trial.until for trial in trials]
    columns["traceback"] = [trial.traceback for trial in trials]
    columns["config"] = [json.dumps(trial.config.to_json()) for trial in trials]
    return {name: _column(name, column) for name, column in columns.items()}


def _column(name: str, values: Sequence[Any]) -> Any:
    """Return a column of one type: numbers as such, and text where a value is neither number nor truth value.

    So it is where a whole number would be rounded. What a trial has not is null; so is a metric that is NaN, for tables
    of trials do not tell these apart.
    """
    import pyarrow as pa

    known = [None if isinstance(value, float) and math.isnan(value) else value for value in values]
    kinds = {type(value) for value in known if value is not None}
    if name in _TEXTS:
        return pa.array(known, pa.string())
    if name in _WHOLE:
        return pa.array(known, pa.int64())
    if kinds <= {bool}:
        return pa.array(known, pa.bool_() if kinds else pa.float64())
    if kinds == {int} and all(abs(value) < 2**63 for value in known if value is not None):
        return pa.array(known, pa.int64())
    if kinds <= {int, float} and all(map(_fits_a_float, known)):
        return pa.array([None if value is None else float(value) for value in known], pa.float64())
    return pa.array([None if value is None else _text(value) for value in known], pa.string())


def _fits_a_float(value: float | None) -> bool:
    try:
        return value is None or float(value) == value
    except OverflowError:
        return False


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _write_metrics(trials: Sequence[Trial], file: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema(
        {"trial": pa.int64(), "member": names, "step": pa.int64(), "event": names, "name": names, "value": pa.float64()}
    )
    with pq.ParquetWriter(file, schema) as writer:
        rows: list[tuple[Any, ...]] = []
        for trial in trials:
            for one in trial.replicates or (trial,):
                rows += _metric_rows(one)
            if len(rows) >= _ROWS_AT_ONCE:
                writer.write_table(_as_table(rows, schema))
                rows = []
        writer.write_table(_as_table(rows, schema))


def _metric_rows(trial: Trial) -> Iterator[tuple[Any, ...]]:
    for event, by_step in (("train", trial.train_metrics), ("evaluate", trial.history)):
        for step, metrics in by_step.items():
            for name, value in metrics.items():
                yield trial.number, trial.member, step, event, name, float(value)


def _as_table(rows: Sequence[tuple[Any, ...]], schema: Any) -> Any:
    import pyarrow as pa

    columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [[]] * len(schema)
    return pa.table([pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema)


def _stages(view: StudyView) -> Mapping[str, Any]:
    import pyarrow as pa

    rows: Sequence[TreeRow] = view.tree()
    whole, numbers = pa.int64(), pa.list_(pa.int64())
    return {
        "member": pa.array([row.member for row in rows], pa.string()),
        "node": pa.array([row.node for row in rows], whole),
        "parent": pa.array([row.parent for row in rows], whole),
        "start": pa.array([row.start for row in rows], whole),
        "stop": pa.array([row.stop for row in rows], whole),
        "values": pa.array([row.values for row in rows], pa.string()),
        "trials": pa.array([list(row.trials) for row in rows], numbers),
        "checkpoints": pa.array([list(row.checkpoints) for row in rows], numbers),
        "twin_drift": pa.array([row.twin_drift for row in rows], pa.float64()),
    }
