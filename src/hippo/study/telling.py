"""How trials ended, told by whoever decides about them: an optimiser outside, which asked for one by one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from hippo.errors import OptionError
from hippo.members import TARGET_NAME, scale_of
from hippo.plan import Change, TrialRow, Update
from hippo.records import ENDED_STATES, TrialState
from hippo.study.plan_locks import locked_plans

if TYPE_CHECKING:
    from hippo.study.study import Study


def end_trials(study: Study, numbers: Iterable[int], state: TrialState) -> list[int]:
    """Give trials another state in which they are over; return the numbers of those that have it now.

    Trials that failed, or are on their way, stay what they are, and so do the trials of surrogates and branches that
    have the same numbers.

    Args:
      study: whose; nobody trains on its plans meanwhile.
      numbers: of the trials.
      state: complete or pruned.

    Raises:
      OptionError: there is no such trial, or the study is at a service; or trials cannot be given the state.
      PlanLockedError: the study is running.
    """
    if state not in ENDED_STATES:
        raise OptionError(f"trials can be told COMPLETE or PRUNED, not {state.value}")
    known = getattr(study, "_opened", None)
    if known is None:
        raise OptionError(f"study {study.name!r} is at a service, whose tuners tell how trials end")
    wanted = {study.trial(number).number for number in numbers}
    store, row = known.store, known.row
    with locked_plans(store, row.study):
        rows = [
            trial
            for trial in store.rows(TrialRow, study=row.study)
            if trial.number in wanted and scale_of(trial.member) == TARGET_NAME
        ]
        # of several seeds one may have failed, and the trial with it
        staying = {trial.number for trial in rows if TrialState(trial.state) not in ENDED_STATES}
        over = [trial for trial in rows if trial.number not in staying]
        changes: list[Change] = [Update(replace(trial, state=state.value)) for trial in over]
        store.commit(changes)
    return sorted({trial.number for trial in over})
