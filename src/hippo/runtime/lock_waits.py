"""Waiting for plans that another process writes to."""

from __future__ import annotations

import asyncio
from typing import Any

from hippo.errors import PlanLockedError, StudyStoppedError
from hippo.plan import AbstractPlanStore, StudyRow
from hippo.records import TrainerSpec
from hippo.runtime.plans.opening import OpenPlans
from hippo.runtime.plans.plan_run import PlanRun
from hippo.runtime.studies.warnings import say

#: how often a plan is tried that another process has
_LOOK_FOR_LOCK_S = 0.1


class LockWaits:
    """The calls of one engine that wait for the lock of a plan.

    Args:
      plans: of the engine.
    """

    def __init__(self, plans: OpenPlans) -> None:
        self._plans = plans
        #: who waits -> database and study
        self._waiting: dict[asyncio.Task[Any], tuple[str, int]] = {}
        self._ended: set[asyncio.Task[Any]] = set()

    def __bool__(self) -> bool:
        """Whether any call waits."""
        return bool(self._waiting)

    async def wait_for(
        self, store: AbstractPlanStore, study: StudyRow, plan: int, spec: TrainerSpec, *, wait: bool
    ) -> PlanRun:
        """Return a plan, with the right to write to it, when no other process has it any more.

        Args:
          store, plan: which.
          study: who wants it.
          spec: of the plan's workload.
          wait: False: do not wait.

        Raises:
          PlanLockedError: somebody has it, and the study does not wait; or it is another engine of this process.
          StudyStoppedError: its user stopped the study meanwhile.
        """
        is_told = False
        while True:
            try:
                return self._plans.take(store, plan, spec)
            except PlanLockedError as error:
                if error.is_held_here or not wait:
                    raise
                if not is_told:
                    is_told = True
                    holder = str(error).partition(". ")[0]
                    say(f"study {study.name!r} waits, since {holder}. It goes on when that one ends.")
            task = asyncio.current_task()
            assert task is not None, "calls run in tasks"
            self._waiting[task] = (store.uuid, study.study)
            try:
                # A thread that waits for the lock would notice at once, but could not be told to give up.
                await asyncio.sleep(_LOOK_FOR_LOCK_S)
            finally:
                del self._waiting[task]
            if task in self._ended:
                self._ended.discard(task)
                raise StudyStoppedError(f"study {study.name!r} was stopped while it waited for another process to end")

    def end(self, store: AbstractPlanStore, study: int) -> None:
        """End the calls of a study that wait: its user stopped it."""
        self._ended.update(task for task, whose in self._waiting.items() if whose == (store.uuid, study))

    def cancel(self) -> None:
        """End the calls that wait."""
        for task in self._waiting:
            task.cancel()
