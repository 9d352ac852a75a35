"""Trials as runs of a tracker: what every tracker is told, when, and what happens where it cannot be reached.

A tracker never holds up a study: it is written to on a thread of its own, and what goes wrong there is said once. A
script that is run again goes on in the same runs and writes what is missing. This module refuses to know any tracker.
"""

from __future__ import annotations

import collections
import importlib
import math
import platform
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from hippo.clock import Clock, SystemClock
from hippo.errors import MissingExtraError, OptionError
from hippo.hparams import Config, Constant
from hippo.integrations.prefixes import Held, Kind, Prefixes, RowKey
from hippo.records import Metrics, TrialState
from hippo.runtime.studies.observers import (
    StepEvaluated,
    StepTrained,
    StudyBegun,
    TrialAnswered,
    TrialEnded,
    TrialFailed,
    study_of,
)
from hippo.saying import say
from hippo.study.options import check_flags, check_timeout
from hippo.study.watching.callbacks import Callback

#: rows of a run are sent when so many wait, or so many seconds after the last ones
_MANY_ROWS = 200
_SEND_EVERY_S = 5.0
#: of an error or a traceback, in characters: trackers refuse longer texts
_LONGEST_TEXT = 4000


class RunName(NamedTuple):
    """Names a run, in all studies and for all times."""

    #: of the study, and of one of its seeds, as people know it
    study: str
    #: what tells the study from all others
    identity: str
    trial: int

    @property
    def id(self) -> str:
        """The text that no other run has."""
        return f"{self.identity}/{self.study}/trial-{self.trial}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedRow:
    """What was measured after a step of a trial."""

    key: RowKey
    #: name -> value, as the tracker shall show it: "train/loss", "loss" of an evaluation, "hparams/lr"
    metrics: Metrics
    #: when it was told, in seconds since the epoch
    told_at: float


class Found(NamedTuple):
    """A run that an earlier time has left."""

    held: Held
    #: how its trial ended; empty while it has not
    state: str


class TrackedRuns(Protocol):
    """Where a tracker keeps its runs. Called on one thread; whatever it raises ends the tracking, not the study."""

    #: the tracker and its place, as people know them
    where: str

    def begin(self, study: str, identity: str, facts: Mapping[str, str]) -> None:
        """Make what holds the runs of a study, or find it. A study with several seeds begins once for each."""

    def find(self, run: RunName) -> Found | None:
        """Return what is left of a run from an earlier time; None: it is to be made anew, with all its rows."""

    def make(self, run: RunName, params: Mapping[str, str]) -> None:
        """Make a run."""

    def write(self, run: RunName, rows: Sequence[TrackedRow]) -> None:
        """Add rows to a run."""

    def link(self, run: RunName, parent: RunName, fork_step: int) -> None:
        """Note that the rows up to a step are in another run, or where that is linked to."""

    def describe(self, run: RunName, facts: Mapping[str, str]) -> None:
        """Add facts to a run."""

    def end(self, run: RunName, state: TrialState) -> None:
        """Note how a run's trial ended."""

    def close(self) -> None:
        """See that what was written is where it stays: a call of `optimize` ends."""


@dataclass(slots=True)
class _TrackedRun:
    name: RunName
    state: str
    rows: list[TrackedRow] = field(default_factory=list)
    sent_at: float = -math.inf
    #: the link that the tracker knows of
    linked: tuple[int | None, int] = (None, 0)


@dataclass(slots=True)
class _Study:
    begun: StudyBegun
    prefixes: Prefixes
    runs: dict[int, _TrackedRun] = field(default_factory=dict)


class _Flush(NamedTuple):
    done: threading.Event


_Told = StudyBegun | StepTrained | StepEvaluated | TrialAnswered | TrialFailed | TrialEnded | _Flush


class Tracker(Callback):
    """Hands what happens to trials to a tracker's runs, in its own time.

    Args:
      runs: where they are.
      whole_curves: write steps that trials share into the run of each; False: once, and link the others to it.
      wait_s: how long the end of a call waits for a tracker that is slow; None: for ever.
    """

    def __init__(
        self, runs: TrackedRuns, *, whole_curves: bool, wait_s: float | None, clock: Clock | None = None
    ) -> None:
        check_flags(whole_curves=whole_curves)
        self._runs = runs
        self._whole_curves = whole_curves
        self._wait_s = check_timeout("wait_s", wait_s)
        self._clock = clock or SystemClock()
        self._told: collections.deque[tuple[float, _Told]] = collections.deque()
        self._lock = threading.Lock()
        self._is_working = False
        #: by identity; and by that and the name, for each seed has one
        self._begun: dict[str, StudyBegun] = {}
        self._studies: dict[tuple[str, str], _Study] = {}
        self._has_given_up = False

    def on_begin(self, event: StudyBegun) -> None:
        self._tell(event)

    def on_step(self, event: StepTrained) -> None:
        self._tell(event)

    def on_evaluated(self, event: StepEvaluated) -> None:
        self._tell(event)

    def on_answered(self, event: TrialAnswered) -> None:
        self._tell(event)

    def on_failure(self, event: TrialFailed) -> None:
        self._tell(event)

    def on_trial_end(self, event: TrialEnded) -> None:
        self._tell(event)

    def flush(self) -> None:
        flush = _Flush(threading.Event())
        self._tell(flush)
        if not flush.done.wait(self._wait_s):
            say(
                f"{self._runs.where} has not taken everything within wait_s={self._wait_s:g} seconds. It is told the "
                f"rest while this process lives; run the script again, and what is missing then is written."
            )

    def _tell(self, event: _Told) -> None:
        with self._lock:
            self._told.append((self._clock.now(), event))
            if self._is_working:
                return
            self._is_working = True
        threading.Thread(target=self._work, name="hippo-tracker", daemon=True).start()

    # ------------------------------------------------------------------------------------ on the tracker's thread

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._told:
                    self._is_working = False
                    return
                told_at, event = self._told.popleft()
            try:
                if not self._has_given_up:
                    self._hear(event, told_at)
            except Exception as error:
                self._has_given_up = True
                said = " ".join(str(error).split())[:500]
                say(
                    f"{self._runs.where} cannot be written to ({type(error).__name__}: {said}). The study goes on and "
                    f"tells it nothing more; run the script again when that is mended, and what is missing is written."
                )
            if isinstance(event, _Flush):
                event.done.set()

    def _hear(self, event: _Told, told_at: float) -> None:
        match event:
            case StudyBegun():
                self._begun[event.identity] = event
            case StepTrained():
                self._add(event, told_at, _train_row(event))
            case StepEvaluated():
                self._add(event, told_at, dict(event.metrics))
            case TrialAnswered():
                self._send(*self._run_of(event))
            case TrialFailed():
                study, run = self._run_of(event)
                self._send(study, run)
                failed = f"{event.method}() at step {event.step}: {event.error}"
                texts = {"failure": failed, "traceback": event.traceback}
                self._runs.describe(run.name, {key: text[-_LONGEST_TEXT:] for key, text in texts.items() if text})
            case TrialEnded():
                study, run = self._run_of(event)
                self._send(study, run)
                if run.state != event.state.value:
                    run.state = event.state.value
                    self._runs.end(run.name, event.state)
            case _Flush():
                for study in self._studies.values():
                    for run in study.runs.values():
                        self._send(study, run)
                self._runs.close()

    def _run_of(
        self, event: StepTrained | StepEvaluated | TrialAnswered | TrialFailed | TrialEnded
    ) -> tuple[_Study, _TrackedRun]:
        name = study_of(event)
        key = (event.identity, name)
        if key not in self._studies:
            begun = self._begun[event.identity]
            facts = {"generation": str(begun.generation), "storage": begun.storage, **_SYSTEM}
            self._runs.begin(name, begun.identity, facts)
            self._studies[key] = _Study(begun, Prefixes(sharing=begun.sharing and not self._whole_curves))
        study = self._studies[key]
        if event.trial in study.runs and study.runs[event.trial].state and not isinstance(event, TrialEnded):
            del study.runs[event.trial]  # a failed trial is tried again, and told from its beginning
        if event.trial not in study.runs and not self._adopted(study, name, event.trial):
            run = RunName(name, study.begun.identity, event.trial)
            self._runs.make(run, _params(event.config))
            study.prefixes.adopt(event.trial)
            study.runs[event.trial] = _TrackedRun(run, "")
        return study, study.runs[event.trial]

    def _adopted(self, study: _Study, name: str, trial: int | None) -> bool:
        """Take over a run of an earlier time, and those that it is linked to; tell whether there is one."""
        is_there = False
        while trial is not None and trial not in study.runs:
            run = RunName(name, study.begun.identity, trial)
            found = self._runs.find(run)
            if found is None:
                break
            is_there = True
            study.prefixes.adopt(trial, found.held)
            linked = (found.held.parent, found.held.fork_step)
            study.runs[trial] = _TrackedRun(run, found.state, linked=linked)
            trial = found.held.parent
        return is_there

    def _add(self, event: StepTrained | StepEvaluated, told_at: float, metrics: Metrics) -> None:
        study, run = self._run_of(event)
        kind: Kind = "train" if isinstance(event, StepTrained) else "evaluate"
        key = RowKey(kind, event.step)
        if not metrics or not study.prefixes.claim(event.trial, event.config, key):
            return
        run.rows.append(TrackedRow(key=key, metrics=metrics, told_at=told_at))
        if len(run.rows) >= _MANY_ROWS or told_at >= run.sent_at + _SEND_EVERY_S:
            self._send(study, run, told_at)

    def _send(self, study: _Study, run: _TrackedRun, now: float | None = None) -> None:
        held = study.prefixes.held(run.name.trial)
        link = (held.parent, held.fork_step)
        if held.parent is not None and link != run.linked:  # before rows that are read as what follows it
            self._runs.link(run.name, run.name._replace(trial=held.parent), held.fork_step)
            run.linked = link
        if run.rows:
            self._runs.write(run.name, run.rows)
            run.rows = []
        run.sent_at = self._clock.now() if now is None else now


def _train_row(event: StepTrained) -> dict[str, float]:
    """Return what `train` returned, and the values that its step had of hyper-parameters which are no constants."""
    row = {f"train/{name}": value for name, value in event.train_metrics.items()}
    for name, sequence in event.config.sequences:
        if not isinstance(sequence, Constant):
            value = sequence(event.step - 1)
            if isinstance(value, int | float) and not isinstance(value, bool):
                row[f"hparams/{name}"] = float(value)
    return row


def _params(config: Config) -> dict[str, str]:
    return {name: str(value) for name, value in sorted(config.flat_params.items())}


def check_texts(tracker: str, **texts: Any) -> None:
    """Refuse arguments that are no texts, or empty ones.

    Raises:
      OptionError: says which.
    """
    for name, text in texts.items():
        if not isinstance(text, str) or not text:
            raise OptionError(f"{tracker}: {name} must be a text that is not empty, not {text!r}")


def needed(module: str, tracker: str, extra: str) -> ModuleType:
    """Return the package of a tracker.

    Raises:
      MissingExtraError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(f"{tracker}(...) needs {module}: pip install 'hippo-tune[{extra}]' ({error})") from None


_SYSTEM = {
    "python": platform.python_version(),
    "host": platform.node(),
    "platform": platform.platform(),
}
