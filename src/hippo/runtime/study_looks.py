"""What watchers of a study see while it runs: how far it is, and what it counted.

A look at its trials adds up what changed since the one before, and all trials at the first one: who needs less, asks
for less. Everything here runs on the loop's thread.
"""

from __future__ import annotations

from hippo.plan import AbstractPlanStore
from hippo.runtime.asking.calls import Call
from hippo.runtime.asking.participants import Participant
from hippo.runtime.plans.opening import OpenPlans
from hippo.runtime.plans.plan_run import PlanRun
from hippo.runtime.studies.settings import Progress, Statistics
from hippo.runtime.studies.study_state import StudyState
from hippo.runtime.turns.coordinator import Coordinator


class StudyLooks:
    """Looks at the studies of one engine.

    Args:
      plans: those that are open, and their studies.
      coordinator: knows who takes part.
    """

    def __init__(self, plans: OpenPlans, coordinator: Coordinator) -> None:
        self._plans = plans
        self._coordinator = coordinator

    def statistics(self, store: AbstractPlanStore, study: int) -> Statistics | None:
        """Return what a study counted, but for `trial_seconds`; None before its first call."""
        state = self._plans.studies.known(store, study)
        return None if state is None else state.statistics([run.plan for run in self._runs_of(state)])

    def steps_executed(self, store: AbstractPlanStore, study: int) -> int | None:
        """Return how many steps a study has executed; None before its first call."""
        state = self._plans.studies.known(store, study)
        return None if state is None else state.counters.steps_executed

    def progress(self, store: AbstractPlanStore, study: int) -> Progress | None:
        """Return how far a study is; None before its first call."""
        state = self._plans.studies.known(store, study)
        if state is None:
            return None
        own, runs = self._own(state), self._runs_of(state)
        remaining = [run.remaining.left(run.running) for run in runs]
        return state.progress(
            steps_left=sum(steps for steps, _ in remaining),
            seconds_left=sum(seconds for _, seconds in remaining) / max(1, len(self._coordinator.work.slots)),
            lanes=sum(run.formations.num_lanes(state) for run in runs),
            may_ask_more=any(isinstance(participant, Call) and participant.may_ask_more for participant in own),
            plans=[run.plan for run in runs],
            shown="; ".join(
                participant.shown for participant in own if isinstance(participant, Call) and participant.shown
            ),
        )

    def _own(self, state: StudyState) -> list[Participant]:
        return [participant for participant in self._coordinator.participants if participant.study is state]

    def _runs_of(self, state: StudyState) -> list[PlanRun]:
        return list({id(run): run for participant in self._own(state) for run in participant.runs}.values())
