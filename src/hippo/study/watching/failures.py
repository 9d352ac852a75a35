"""Failures told as they happen: a line on standard error for each trial, and the standard logger "hippo".

A trial that fails takes nothing else with it, which is why nobody would notice if nobody said so.
"""

from __future__ import annotations

import collections
import logging

from hippo.members import scale_of
from hippo.runtime.studies.observers import TrialAnswered, TrialEnded, TrialFailed
from hippo.runtime.studies.shell_lines import where_traceback
from hippo.saying import say
from hippo.study.watching.callbacks import Callback

LOGGER = logging.getLogger("hippo")
LOGGER.addHandler(logging.NullHandler())  # silent unless somebody asks: the lines are on standard error already

#: trials that fail alike are told one by one up to here; after a hundred equal lines nobody sees the one that differs
_MOST_ALIKE = 10
#: characters of an error in a line
_ERROR_WIDTH = 200


class FailureLines(Callback):
    """Says on standard error which trial failed, where and why, and where its traceback is.

    Args:
      storage: URL of the study's storage, for the command that shows more.
    """

    def __init__(self, storage: str) -> None:
        self._storage = storage
        self._alike: collections.Counter[tuple[str, str]] = collections.Counter()
        self._known: list[TrialFailed] = []
        self._untold = 0

    def on_failure(self, event: TrialFailed) -> None:
        if event.is_known:
            self._known.append(event)
            return
        error = first_line(event.error)
        self._alike[event.method, error] += 1
        count = self._alike[event.method, error]
        if count <= _MOST_ALIKE:
            say(f"{failure_line(event)} ({how_to_see(event, self._storage)})")
        else:
            self._untold += 1
        if count == _MOST_ALIKE:
            say(f"more trials that fail in {event.method}() with this error are counted, and no longer told")

    def flush(self) -> None:
        if self._known:
            first = self._known[0]
            say(
                f"{_trials(len(self._known))} of study {first.study!r} failed in an earlier run, the first: "
                f"{failure_line(first)} ({how_to_see(first, self._storage)})"
            )
        if self._untold:
            say(f"{_trials(self._untold)} more failed like those above")
        self._known, self._untold = [], 0
        self._alike.clear()


class LogLines(Callback):
    """Tells the standard logger "hippo": failures as warnings, with their tracebacks; answers for debugging."""

    @property
    def hears_failures_only(self) -> bool:
        return not LOGGER.isEnabledFor(logging.DEBUG)

    def on_answered(self, event: TrialAnswered) -> None:
        metrics = ", ".join(f"{name} {value:.6g}" for name, value in sorted(event.metrics.items()))
        known = " (known)" if event.is_known else ""
        LOGGER.debug("trial %d of %r after %d steps: %s%s", event.trial, event.study, event.step, metrics, known)

    def on_failure(self, event: TrialFailed) -> None:
        if not event.is_known:
            LOGGER.warning("%s\n%s", failure_line(event), event.traceback)

    def on_trial_end(self, event: TrialEnded) -> None:
        LOGGER.debug("trial %d of %r is %s", event.trial, event.study, event.state.value)


def failure_line(event: TrialFailed) -> str:
    """Return who failed, where and why."""
    where = f"{event.method}() at step {event.step}"
    member = f" ({event.member})" if event.member else ""
    return f"trial {event.trial} of {event.study!r}{member} failed in {where}: {first_line(event.error)}"


def how_to_see(event: TrialFailed, storage: str) -> str:
    """Return how to get at the whole traceback of a trial."""
    return f"{where_traceback(event.study, event.trial, scale_of(event.member), storage=storage)} shows more"


def first_line(error: str) -> str:
    """Return the beginning of an error that may be long, in one line."""
    text = " ".join(error.split())
    return text if len(text) <= _ERROR_WIDTH else text[: _ERROR_WIDTH - 3] + "..."


def _trials(count: int) -> str:
    return "1 trial" if count == 1 else f"{count} trials"
