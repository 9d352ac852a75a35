"""Trials that people enqueue at a service, beside what scripts ask for.

Each is a call of its own, which is written down as a script's calls are. So what a service did not get to, because it
was stopped, killed, or cut off from its database, is still there when the study's script runs again.
"""

from __future__ import annotations

import concurrent.futures
import json
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any

from hippo.errors import HippoError, UnreachableDatabaseError
from hippo.hparams import Config
from hippo.saying import say
from hippo.schedulers import FairShare
from hippo.server.served_calls import ServedStudy
from hippo.study.remote_calls import begin_enqueued, unfinished_enqueued

#: number of a study, config as text, until
_Kind = tuple[int, str, int]


class EnqueuedTrials:
    """What was enqueued at a service, and has not ended; for any thread.

    Args:
      custom: import modules of sequences that were enqueued by an earlier process.
    """

    def __init__(self, *, custom: bool) -> None:
        self._custom = custom
        #: they begin one at a time; ends are heard of on a control loop, which waits for no beginning
        self._beginning = threading.Lock()
        #: (study, config, until) -> how often it was enqueued, or went on
        self._times: Counter[_Kind] = Counter()
        #: what was cut off from the database, which may not even know of it
        self._cut_off: set[tuple[_Kind, int]] = set()
        #: what runs, by its occurrence
        self._running: dict[tuple[_Kind, int], concurrent.futures.Future[None]] = {}

    def runs(self, study: int) -> bool:
        """Tell whether anything that was enqueued for a study has not ended."""
        return any(number == study for (number, _, _), _ in list(self._running))

    def add(self, served: ServedStudy, config: Config, until: int, share: FairShare | None) -> None:
        """Begin a trial.

        Raises:
          HippoError: the study was deleted, or cannot be trained with this config.
        """
        with self._beginning:
            self._begin(served, config, until, self._times[_kind(served, config.to_json(), until)], share)

    def go_on(self, served: ServedStudy, share: FairShare | None) -> None:
        """Go on with what is written down of a study as enqueued, has not ended, and does not run.

        What cannot be trained any more, as the trainer is another one now, is told of.

        Raises:
          UnreachableDatabaseError: try again later.
        """
        with self._beginning:
            left = {
                (_kind(served, config, until), occurrence)
                for config, until, occurrence in unfinished_enqueued(served.study)
            }
            left |= {at for at in list(self._cut_off) if at[0][0] == _number(served)}
            for at in sorted(at for at in left if at not in self._running):
                (_, text, until), occurrence = at
                try:
                    config = Config.from_json(json.loads(text), custom=self._custom)
                    self._begin(served, config, until, occurrence, share)
                except UnreachableDatabaseError:
                    raise
                except HippoError as error:
                    say("", here=f"of what was enqueued for study {served.study.name!r}, one does not go on: {error}")
                self._cut_off.discard(at)

    def _begin(self, served: ServedStudy, config: Config, until: int, occurrence: int, share: FairShare | None) -> None:
        future = begin_enqueued(served.study, config, until, occurrence=occurrence, fair_share=share)
        kind = _kind(served, config.to_json(), until)
        self._times[kind] = max(self._times[kind], occurrence + 1)
        self._running[kind, occurrence] = future

        def end(done: concurrent.futures.Future[None]) -> None:
            if not done.cancelled() and isinstance(done.exception(), UnreachableDatabaseError):
                self._cut_off.add((kind, occurrence))
            self._running.pop((kind, occurrence), None)
            if not done.cancelled() and (raised := done.exception()) is not None:  # nobody waits for it
                _tell(served.study.name, config, until, raised)

        future.add_done_callback(end)


def _kind(served: ServedStudy, config: Mapping[str, Any], until: int) -> _Kind:
    return _number(served), json.dumps(config, sort_keys=True), until


def _number(served: ServedStudy) -> int:
    return served.study._opened.row.study


def _tell(study: str, config: Config, until: int, raised: BaseException) -> None:
    if isinstance(raised, UnreachableDatabaseError):
        say(
            "",
            here=f"what was enqueued for study {study!r}, {config!r} until {until}, goes on when the study's script "
            f"runs, or finds the database again: {raised}",
        )
    else:
        sys.excepthook(type(raised), raised, raised.__traceback__)
