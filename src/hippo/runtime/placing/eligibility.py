"""Which slots a plan may use: those of the environment that it was begun in.

An engine of one machine has slots of one environment, and says so before any is open: that another one comes is an
error. On a cluster nodes may differ. There a slot of another environment gets no work of the plan, and other plans may
use it; a plan for which no slot is open waits a while, since nodes come one after the other. This module refuses to
know what is given to slots.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from hippo.clock import Clock
from hippo.errors import EnvironmentChangedError
from hippo.runtime.asking.participants import Participant
from hippo.runtime.placing.slots import SlotTable
from hippo.runtime.plans.environments import Kind
from hippo.runtime.plans.plan_run import PlanRun

#: so long a plan waits for a slot that it may use while others are open
PATIENCE_S = 30.0


class Eligibility:
    """Which slots of an engine each plan may use.

    Args:
      slots: of the engine.
      clock: of the engine.
      may_differ: whether slots may be of several environments.
    """

    def __init__(self, slots: SlotTable, clock: Clock, *, may_differ: bool) -> None:
        self._slots = slots
        self._clock = clock
        self._may_differ = may_differ
        #: plans for which no slot is open though others are, since when, and why not
        self._unserved: dict[PlanRun, tuple[float, EnvironmentChangedError]] = {}

    @property
    def is_any_unserved(self) -> bool:
        """Whether any plan waits for a slot that it may use."""
        return bool(self._unserved)

    def meet(self, run: PlanRun) -> str | None:
        """Have a plan look at the slots that are open; return what is to be said of it.

        Raises:
          EnvironmentChangedError: one is of another environment, which cannot be right on this engine.
        """
        unfit: EnvironmentChangedError | None = None
        for environment in self._slots.environments:
            try:
                run.check_environment(environment)
            except EnvironmentChangedError as error:
                if not self._may_differ:
                    raise
                unfit = unfit or error
        if unfit is None or self._slots.num_of(run.kind):
            self._unserved.pop(run, None)
            is_news = unfit is not None and run.is_news("slots of another environment")
            return f"some slots get none of its work, and other plans may use them: {unfit}" if is_news else None
        is_new = run not in self._unserved
        self._unserved.setdefault(run, (self._clock.elapsed(), unfit))
        if not is_new:
            return None
        return f"no slot is open in which its work may run; others are waited for, for {PATIENCE_S:.0f} s: {unfit}"

    def welcome(self, run: PlanRun) -> str | None:
        """Have a plan that one more call uses look at the slots that are open; return what that call is to be told.

        It joins those that wait already, on their terms; what earlier calls waited for is none of its business.

        Raises:
          EnvironmentChangedError: one is of another environment, which cannot be right on this engine.
        """
        if run.users == 1:
            self._unserved.pop(run, None)
        said = self.meet(run)
        if said is not None or run not in self._unserved:
            return said
        _, unfit = self._unserved[run]
        return f"no slot is open in which its work may run; other calls on its plan wait for one, too: {unfit}"

    def miss(self, run: PlanRun) -> str | None:
        """Have a plan look at the slots that are left where one was lost; return what is to be said of it.

        It had slots, and they may come again: no call is ended, however long that takes.
        """
        if not self._may_differ or run in self._unserved:
            return None
        said = self.meet(run)
        if run not in self._unserved:
            return said
        _, unfit = self._unserved[run]
        self._unserved[run] = math.inf, unfit
        return f"no slot is left in which its work may run; it waits until one opens: {unfit}"

    def overdue(self) -> Iterator[tuple[PlanRun, EnvironmentChangedError]]:
        """Yield, once, plans that have waited for a slot long enough, and what their calls are told."""
        now = self._clock.elapsed()
        for run, (since, error) in list(self._unserved.items()):
            if not run.is_used or self._slots.num_of(run.kind) or not len(self._slots):
                del self._unserved[run]
            elif now - since >= PATIENCE_S:
                del self._unserved[run]
                yield run, error

    def plans_by_kind(self, runs: Sequence[PlanRun]) -> list[tuple[Kind | None, list[PlanRun]]]:
        """Return plans in groups of those that may use the same slots; None: all slots."""
        if not self._may_differ:
            return [(None, list(runs))]
        groups: dict[Kind | None, list[PlanRun]] = {}
        for run in runs:
            groups.setdefault(run.kind, []).append(run)
        return list(groups.items())

    def compete(self, one: PlanRun, other: PlanRun) -> bool:
        """Whether two plans may use the same slots."""
        return not self._may_differ or one.kind == other.kind

    def pullers_by_kind(self, participants: Sequence[Participant]) -> list[tuple[Kind | None, list[Participant]]]:
        """Return those who may pull requests in groups of those whose plans may use the same slots."""
        if not self._may_differ:
            return [(None, list(participants))]
        groups: dict[Kind | None, list[Participant]] = {}
        for participant in participants:
            kind = next((run.kind for run in participant.pulled_runs), None)
            groups.setdefault(kind, []).append(participant)
        return list(groups.items())
