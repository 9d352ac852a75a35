"""What happens to trials, as rows of a CSV file, appended as it happens."""

from __future__ import annotations

import csv
import io
import json
import os
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from hippo.arguments import explain_calls
from hippo.errors import HippoError
from hippo.plain_tables import CSVRows
from hippo.runtime.studies.observers import StepEvaluated, StepTrained, StudyEvent, TrialEnded, TrialFailed
from hippo.study.options import checked_path
from hippo.study.watching.callbacks import GenerationCallback

COLUMNS = ("study", "trial", "event", "step", "name", "value")


class CSVLog(GenerationCallback):
    """Appends a row for each metric of each step of each trial, and for how each trial ended.

    In a study with several seeds, the study is called "name (seed 0)" and so on, and each seed has rows of its own; so
    has a later generation, "name (generation 2)". Columns: study, trial, event ("train", "evaluate", "config", "failed"
    or "ended"), step, name, value. A long table needs no column that is only known later. A script that is run again
    adds what is missing, and nothing twice. What is no more what it was, such as how a trial ended that was tried
    again, is added below: the last of several rows that differ in their value counts.

    Args:
      path: the file; made, with its header, where there is none.

    Raises:
      HippoError: the file cannot be written, or is another table.
    """

    @explain_calls()
    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self._path = Path(checked_path("path", path)).absolute()
        #: all of a row but its value -> the value that was written last
        self._written: dict[tuple[str, ...], str] = {}
        try:
            self._file: IO[str] = open(self._path, "a+", newline="", encoding="utf-8")  # noqa: SIM115
            known = self._path.read_bytes()
        except OSError as error:
            raise HippoError(f"CSVLog({str(path)!r}) cannot be written: {error.strerror}") from error
        weakref.finalize(self, self._file.close).atexit = False  # else Python warns of it, in whatever is running then
        self._rows = CSVRows(self._file)
        if ",".join(COLUMNS).encode().startswith(known.rstrip()):  # nothing, or not all of the header
            self._file.truncate(0)
            self._rows.write(COLUMNS)
        else:
            self._read(known)

    def _read(self, known: bytes) -> None:
        whole = known[: _end_of_rows(known)]
        rows = csv.reader(io.StringIO((whole or known).decode("utf-8", "replace"), newline=""))
        header = tuple(next(rows, ()))
        if header != COLUMNS:
            raise HippoError(f"{self._path} is another table: its columns are {list(header)}. Name another file.")
        self._file.truncate(len(whole))
        self._written = {tuple(row[:-1]): row[-1] for row in rows if len(row) == len(COLUMNS)}

    def on_step(self, event: StepTrained) -> None:
        self._add_metrics(event, "train", event.train_metrics)

    def on_evaluated(self, event: StepEvaluated) -> None:
        self._add_metrics(event, "evaluate", event.metrics)

    def on_failure(self, event: TrialFailed) -> None:
        self._add(event, "failed", event.step, event.method, event.error)
        self.flush()

    def on_trial_end(self, event: TrialEnded) -> None:
        for name, value in sorted(event.config.params.items()):
            self._add(event, "config", 0, name, value)
        self._add(event, "ended", "", "state", event.state.value)
        self.flush()

    def flush(self) -> None:
        try:
            self._file.flush()
        except OSError:  # what a full disk did not take would come when this is closed, amid the rows of a later log
            with open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), self._file.fileno(), inheritable=False)
            raise

    def _add_metrics(self, event: StepTrained | StepEvaluated, kind: str, metrics: Mapping[str, float]) -> None:
        for name, value in sorted(metrics.items()):
            self._add(event, kind, event.step, name, value)
        self.flush()

    def _add(self, event: StudyEvent, kind: str, step: object, name: str, value: Any) -> None:
        key = (self.study_of(event), str(event.trial), kind, str(step), name)
        text = value if isinstance(value, str) else json.dumps(value)
        if self._written.get(key) != text:
            self._written[key] = text
            self._rows.write([*key, text])


def _end_of_rows(table: bytes) -> int:
    """Return where the last whole row ends: one that was being written when its process was killed is torn."""
    end = len(table)
    while end and not (table.endswith(b"\n", 0, end) and table.count(b'"', 0, end) % 2 == 0):
        end = table.rfind(b"\n", 0, end - 1) + 1
    return end
