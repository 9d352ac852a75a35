"""Calls of tuners that run in other processes: what a service begins on behalf of its clients."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hippo.errors import StudyDeletedError
from hippo.plan import StudyRow
from hippo.runtime import Asking, Progress
from hippo.runtime.observers import Observer
from hippo.schedulers import FairShare
from hippo.study.study import Study, identity_of


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
      observers: hear what happens to its trials, on the client's behalf.
    """
    opened = study._opened
    row = opened.row
    if opened.store.rows(StudyRow, study=row.study)[0].deleted:
        raise StudyDeletedError(f"study {row.name!r} was deleted; create_study makes it again")
    job = replace(study._job(), must_not_all_fail=must_not_all_fail, fair_share=fair_share, observers=observers)
    return study._runtime().start_call(job, position, record, asking)


def progress_of(study: Study) -> Progress | None:
    """Return how far a study is; None before its first call."""
    return study._progress()


def study_facts(study: Study) -> dict[str, Any]:
    """Return what a client has to know of a study to run tuners on it: plain values."""
    opened = study._opened
    return {
        "study": opened.row.study,
        "name": opened.row.name,
        "generation": opened.row.generation,
        "identity": identity_of(opened.store, opened.row),
        "settings": opened.settings.to_text(),
        "members": list(opened.members.target),
    }
