"""Where a trial stands, and which trials are compared when the best one is asked for."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Protocol


class TrialState(enum.Enum):
    """Where a trial stands, in Optuna's words."""

    WAITING = "WAITING"
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    COMPLETE = "COMPLETE"
    PRUNED = "PRUNED"
    FAIL = "FAIL"


#: those of trials that came to an end of which somebody decided how
ENDED_STATES = (TrialState.COMPLETE, TrialState.PRUNED)


class ComparedTrial(Protocol):
    """A trial, with all that decides whether it is compared when the best one is asked for."""

    @property
    def state(self) -> TrialState:
        """Where it stands."""

    @property
    def step(self) -> int:
        """Steps that were answered."""

    @property
    def call(self) -> int:
        """Which call of a tuner it belongs to."""


def may_be_best(trials: Iterable[tuple[TrialState, int, int]]) -> list[bool]:
    """Return of each trial, as (state, steps answered, call), whether it is compared when the best one is asked for.

    Complete trials are. A call that has not come to its end, since it runs or was stopped, has none yet: of its trials
    those count that came furthest, so that values after the same number of steps are compared.
    """
    listed = list(trials)
    complete, waiting = TrialState.COMPLETE, (TrialState.PAUSED, TrialState.RUNNING)
    furthest: dict[int, int] = {}
    for state, step, call in listed:
        if state in waiting:
            furthest[call] = max(furthest.get(call, 1), step)
    return [state is complete or (state in waiting and step == furthest[call]) for state, step, call in listed]
