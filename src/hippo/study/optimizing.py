"""Running tuners, on one study or on several at once."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hippo.study.looking import stop_if_only_looking
from hippo.study.options import make_standings
from hippo.study.progress import progress_bar
from hippo.study.resuming import say_how_to_resume
from hippo.study.study import Study

if TYPE_CHECKING:
    from hippo.study.replicated import ReplicatedStudy

    AnyStudy = Study | ReplicatedStudy


def optimize(
    pairs: Sequence[tuple[AnyStudy, Any]],
    *,
    priorities: Sequence[int] | None = None,
    shares: Sequence[float] | None = None,
) -> None:
    """Run tuners on several studies at once: whatever they have in common is trained once.

    Studies share if their trainers, arguments, data and seeds are equal, and their storage is. Unless priorities or
    shares are given, the longest remaining way goes first whoever asked for it, which ends the whole soonest.

    Args:
      pairs: studies, each with its tuner.
      priorities: one for each pair; work of a higher one goes first, by default all are 0.
      shares: one for each pair, above 0: among equal priorities device-seconds are shared in proportion, by default
        all are 1.

    Raises:
      HippoError: bad input, before anything is begun; or the first error that stopped one of them, after the others
        have ended.
      KeyboardInterrupt: Ctrl-C, after running steps were saved.
    """
    stop_if_only_looking("optimize")
    standings = make_standings(len(pairs), priorities, shares)
    records = [study._record_of(tuner) for study, tuner in pairs]
    futures = [
        (study, study._start(record, tuner.tune, standing))
        for (study, tuner), record, standing in zip(pairs, records, standings, strict=True)
    ]
    errors = []
    try:
        for study, future in futures:
            try:
                _wait(study, future)
            except Exception as error:
                errors.append(error)
    except KeyboardInterrupt as stop:
        say_how_to_resume([study for study, _ in futures], stop)
        raise
    finally:
        for study, _ in futures:
            study._flush_callbacks()
    if errors:
        raise errors[0]


def _wait(study: AnyStudy, future: concurrent.futures.Future[Any]) -> None:
    with progress_bar(study._progress, title=study.name):
        study._runtime().serve(future)
