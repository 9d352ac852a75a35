"""Calls of tuners that run in other processes: what a service begins on behalf of its clients."""

from __future__ import annotations

import concurrent.futures
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hippo.errors import PlanLockedError, StudyDeletedError
from hippo.hparams import Config
from hippo.plan import Among, CallRow, StudyRow
from hippo.plan.rows import CallState
from hippo.runtime import Asking, Progress, check_config, check_known
from hippo.runtime.studies.observers import Observer
from hippo.schedulers import FairShare
from hippo.study.opened import identity_of
from hippo.study.study import Study
from hippo.tuners.tuner import record_text

#: begins the record of a call that was enqueued
_OF_ENQUEUED = '{"enqueue": '


def begin_remote_call(
    study: Study,
    position: int,
    record: str,
    asking: Asking,
    *,
    must_not_all_fail: bool,
    fair_share: FairShare | None = None,
    observers: Sequence[Observer] = (),
) -> concurrent.futures.Future[Any]:
    """Begin a call of a client's, or go on with it.

    The client outlives this process: `asking` writes what it is told before it passes it on.

    Args:
      study: whose call it is.
      position: number of the call in the client's script.
      record: identifies the tuner.
      asking: asks on the client's behalf.
      must_not_all_fail: end with an error if all trials failed.
      fair_share: of the client, beside others.
      observers: hear what happens to its trials, on the client's behalf; whoever runs the service hears of failures.
    """
    opened = study._opened
    row = opened.row
    if opened.store.rows(StudyRow, study=row.study)[0].deleted:
        raise StudyDeletedError(f"study {row.name!r} was deleted; create_study makes it again")
    job = study._calls.job()
    job = replace(
        job,
        must_not_all_fail=must_not_all_fail,
        fair_share=fair_share,
        observers=(*job.observers, *observers),
        is_remote=True,
    )
    return study._runtime().start_call(job, position, record, asking)


def end_remote_call(study: Study, *, has_optimized: bool) -> None:
    """Do what is done on behalf of the client when its call is over, as where it runs beside the engine; it may wait.

    Args:
      study: whose call it was.
      has_optimized: it was a tuner's, and came to its end.
    """
    study._flush_callbacks()
    if has_optimized:
        study._keep_only_best()


def begin_enqueued(
    study: Study, config: Config, until: int, *, occurrence: int, fair_share: FairShare | None = None
) -> concurrent.futures.Future[Any]:
    """Have a config trained as well, as a trial of its own, and return at once: `Study.enqueue` beside clients' calls.

    Those are counted by the scripts that make them; this one has a record that none of theirs has.

    Args:
      study: whose trial it becomes.
      config: checked by the trainer's own process.
      until: in steps.
      occurrence: how often the same was enqueued since this process began; that of an earlier process goes on.
      fair_share: of who asked for it.

    Raises:
      HippoError: the study was deleted, or cannot be trained with this config.
    """
    check_known(config, study._opened.settings.hparams)
    check_config(config, until)
    record = record_text({"enqueue": config.to_json(), "until": until})
    asking = study._calls.averaged(lambda ask: ask(config, until=until))
    return begin_remote_call(study, occurrence, record, asking, must_not_all_fail=False, fair_share=fair_share)


def is_of_enqueued(record: str) -> bool:
    """Whether a call's record is one that `begin_enqueued` writes; no script's own may look so."""
    return record.startswith(_OF_ENQUEUED)


def unfinished_enqueued(study: Study) -> list[tuple[Mapping[str, Any], int, int]]:
    """Return what `begin_enqueued` began for a study, here or in an earlier process, and did not come to its end.

    Returns:
      For each its config, as `Config.to_json` says it, until and occurrence.
    """
    opened = study._opened
    unfinished = Among([CallState.RUNNING.value, CallState.INTERRUPTED.value])
    with opened.store.reading() as rows:
        calls = rows.columns(CallRow, ("record", "position"), study=opened.row.study, state=unfinished)
    said = [(json.loads(record), occurrence) for record, occurrence in calls if is_of_enqueued(record)]
    return [(each["enqueue"], each["until"], occurrence) for each, occurrence in said]


def retry_at_service(study: Study) -> list[int]:
    """Let the trials of a study that failed be trained again; return their numbers.

    Raises:
      PlanLockedError: it runs, or another one on its plan.
    """
    try:
        return study.retry_failed()
    except PlanLockedError:  # which says what can be done beside a database
        raise PlanLockedError(
            f"study {study.name!r} runs at the service now, or another one on its plan; retry when that has ended"
        ) from None


def progress_of(study: Study) -> Progress | None:
    """Return how far a study is; None before its first call."""
    return study._progress()


def study_identity(study: Study) -> str:
    """Return what no other study has, wherever it is."""
    return identity_of(study._opened.store, study._opened.row)


def study_facts(study: Study) -> dict[str, Any]:
    """Return what a client has to know of a study to run tuners on it: plain values."""
    opened = study._opened
    return {
        "study": opened.row.study,
        "name": opened.row.name,
        "generation": opened.row.generation,
        "identity": study_identity(study),
        "settings": opened.settings.to_text(),
        "members": list(opened.members.target),
    }
