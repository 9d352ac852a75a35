"""Who takes part in a turn of the control loop: calls of tuners, and users who wait for a state to load."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hippo.errors import TrialFailedError
from hippo.frozen import frozen_tuple
from hippo.records import NodeId

if TYPE_CHECKING:
    from hippo.runtime.plan_run import PlanRun
    from hippo.runtime.study_state import StudyState


@frozen_tuple
class Delivery:
    """Something that is said only when all it rests on is durable."""

    future: asyncio.Future[Any]
    value: Any = None
    #: said instead: why there is no value, and will not be
    error: Exception | None = None

    def tell(self) -> None:
        """Settle the future, unless it was cancelled: its tuner was told to end."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.value)


class Participant(Protocol):
    """A call of a tuner, or a wait for a state: what plans are to answer on behalf of a study."""

    @property
    def runs(self) -> Collection[PlanRun]:
        """The plans: one for each member of the study."""

    @property
    def study(self) -> StudyState:
        """The study that pays."""

    def deliver(self) -> Sequence[Delivery]:
        """Return what can be said now; asked only when all tuners are quiet."""

    @property
    def pulls_again(self) -> bool:
        """Whether the next thing to replay is that a request was pulled."""

    def replay_pull(self) -> None:
        """Let the stream that had pulled a request, in the recorded run, pull one now."""

    @property
    def has_demand(self) -> bool:
        """Whether a request would be pulled if there was room for one."""

    def grant(self, room: int) -> None:
        """Let its streams pull so many more requests, for slots that have nothing to do."""

    def fail(self, error: Exception) -> None:
        """End with this error, whatever else it is doing."""

    def cancel(self) -> None:
        """Cancel the tuner's coroutine, or the wait: its caller no longer needs it."""

    def end(self) -> None:
        """Cancel the tuner's coroutine, and count its call as interrupted, not as failed."""


class StateWait:
    """Waits until a state lies in the checkpoint store."""

    pulls_again = False
    has_demand = False

    def __init__(self, run: PlanRun, study: StudyState, node: NodeId, step: int) -> None:
        self._run = run
        self.runs: Collection[PlanRun] = (run,)
        self.study = study
        self._node = run.plan.nodes[node]
        self._step = step
        self.future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        run.waiting.want_state(study, self._node, step)

    def replay_pull(self) -> None:
        """Not asked: it pulls nothing."""

    def grant(self, room: int) -> None:
        """Not asked: it wants none."""

    def deliver(self) -> Sequence[Delivery]:
        if self._step in self._node.checkpoints:
            return [Delivery(self.future, None)]
        failure = self._node.failure_before(self._step) if self._run.plan.facts.has_failures else None
        if failure is None:
            return []
        # A delivery, so that the state is no longer wanted before work is given out: else it would be tried once more.
        error = TrialFailedError(f"{failure.method}() failed at step {failure.step}: {failure.error}")
        return [Delivery(self.future, error=error)]

    def fail(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)

    def cancel(self) -> None:
        self.future.cancel()

    end = cancel

    def close(self) -> None:
        """Withdraw the wish for the state, so that no stage is run for it alone."""
        self._run.waiting.unwant_state(self.study, self._node, self._step)
