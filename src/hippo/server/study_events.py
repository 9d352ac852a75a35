"""What happens to a study's trials, told to callbacks in a client's process, which is not where it happens."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from hippo.hparams import Config
from hippo.records import TrialState
from hippo.runtime.studies.observers import (
    StepEvaluated,
    StepTrained,
    StudyEvent,
    StudyWarned,
    TrialAnswered,
    TrialEnded,
    TrialFailed,
)
from hippo.server.wire import numbers_from_json, numbers_to_json

_KINDS: Mapping[str, type[Any]] = {
    cls.__name__: cls for cls in (StepTrained, StepEvaluated, TrialAnswered, TrialFailed, TrialEnded, StudyWarned)
}
#: fields that are not JSON by themselves -> what writes and what reads them
_CODECS: Mapping[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "config": (Config.to_json, Config.from_json),
    "metrics": (numbers_to_json, numbers_from_json),
    "train_metrics": (numbers_to_json, numbers_from_json),
    "state": (lambda state: state.value, TrialState),
}


def study_event_to_json(event: StudyEvent | StudyWarned) -> dict[str, Any]:
    """Return an event as JSON holds it."""
    said = {each.name: getattr(event, each.name) for each in fields(event)}
    written = {name: _CODECS[name][0](value) if name in _CODECS else value for name, value in said.items()}
    return {"kind": type(event).__name__, **written}


def study_event_from_json(data: Mapping[str, Any]) -> StudyEvent | StudyWarned:
    """Return the event that `study_event_to_json` wrote."""
    said = {name: _CODECS[name][1](value) if name in _CODECS else value for name, value in data.items()}
    event: StudyEvent | StudyWarned = _KINDS[said.pop("kind")](**said)
    return event


class PublishedEvents:
    """An observer at the service, which publishes all that it hears.

    Args:
      publish: hears events as (number, JSON), on the loop.
      loop: of the web front.
      failures_only: of events the client wants to hear of trials that fail, and of nothing else.
    """

    def __init__(
        self,
        publish: Callable[[Sequence[tuple[int, str]]], None],
        loop: asyncio.AbstractEventLoop,
        *,
        failures_only: bool,
    ) -> None:
        self.hears_failures_only = failures_only
        self._publish = publish
        self._loop = loop
        self._numbers = itertools.count(1)

    def observe(self, event: StudyEvent | StudyWarned) -> None:
        number = next(self._numbers)
        text = json.dumps({"event": number, "told": study_event_to_json(event)})
        with contextlib.suppress(RuntimeError):  # the service ends, and its loop with it
            self._loop.call_soon_threadsafe(self._publish, [(number, text)])
