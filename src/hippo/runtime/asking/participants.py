"""Who takes part in a turn of the control loop: calls of tuners, and users who wait for a state to load.

To decisions they are what is asked for, and what can be said: values. How a tuner runs, and what it awaits, is the
shell's matter; what the shell needs of it is a `Waiter`, which it keeps beside each participant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hippo.errors import TrialFailedError
from hippo.frozen import frozen_tuple
from hippo.records import NodeId

if TYPE_CHECKING:
    from hippo.runtime.asking.instructions import EndBlock, Fail
    from hippo.runtime.plans.plan_run import PlanRun
    from hippo.runtime.studies.announcer import Announcer
    from hippo.runtime.studies.study_state import StudyState


@frozen_tuple
class Delivery:
    """Something that is said only when all it rests on is durable."""

    #: the number of the request, or of the wait, that it is said to
    to: int
    value: Any = None
    #: said instead: why there is no value, and will not be
    error: Exception | None = None


class Participant(Protocol):
    """A call of a tuner, or a wait for a state: what plans are to answer on behalf of a study."""

    @property
    def runs(self) -> Collection[PlanRun]:
        """The plans: one for each member of the study."""

    @property
    def study(self) -> StudyState:
        """The study that pays."""

    def deliver(self) -> Sequence[Delivery | EndBlock | Fail]:
        """Return what can be said now, or what ends the tuner instead; asked only when all tuners are quiet."""

    @property
    def pulls_again(self) -> bool:
        """Whether the next thing to replay is that a request was pulled."""

    def replay_pull(self) -> None:
        """Note that the stream which had pulled a request, in the recorded run, is given room for one now."""

    @property
    def has_demand(self) -> bool:
        """Whether a request would be pulled if there was room for one."""

    @property
    def pulled_runs(self) -> Collection[PlanRun]:
        """The plans that the next request to be pulled is for, as far as is known: all of them, if nothing is."""

    @property
    def is_pulling(self) -> bool:
        """Whether it pulls requests as slots get free, now or when it is answered: it keeps slots busy by itself."""


class StateWait:
    """Waits until a state lies in the checkpoint store.

    Args:
      number: to which it is said that the state is there.
      run: the plan at work.
      study: pays for the state.
      node, step: where the state is.
    """

    pulls_again = False
    has_demand = False
    is_pulling = False

    def __init__(self, number: int, run: PlanRun, study: StudyState, node: NodeId, step: int) -> None:
        self._number = number
        self._run = run
        self.runs: Collection[PlanRun] = (run,)
        self.pulled_runs = self.runs
        self.study = study
        self._node = run.plan.nodes[node]
        self._step = step
        run.waiting.want_state(study, self._node, step)

    def replay_pull(self) -> None:
        """Not asked: it pulls nothing."""

    def deliver(self) -> Sequence[Delivery]:
        if self._step in self._node.checkpoints:
            return [Delivery(self._number)]
        failure = self._node.failure_before(self._step) if self._run.plan.facts.has_failures else None
        if failure is None:
            return []
        # A delivery, so that the state is no longer wanted before work is given out: else it would be tried once more.
        error = TrialFailedError(f"{failure.method}() failed at step {failure.step}: {failure.error}")
        return [Delivery(self._number, error=error)]

    def close(self) -> None:
        """Withdraw the wish for the state, so that no stage is run for it alone."""
        self._run.waiting.unwant_state(self.study, self._node, self._step)


def announcers_on(run: PlanRun, participants: Iterable[Participant]) -> tuple[Announcer, ...]:
    """Return what tells the observers of those studies that use a plan."""
    return tuple(dict.fromkeys(participant.study.announcer for participant in participants if run in participant.runs))
