"""The plans that this engine writes to: their locks, taking them over, waiting for them, and forgetting them.

A plan has one writer. Whoever holds its lock raises its epoch, which voids every lease of the writer before. When the
last call that uses a plan has left and its last work has ended, the lock goes, and from then on any process may write
there: what this one still knows is worth keeping only while the epoch in the database is the one it wrote.

An engine may serve thousands of studies one after another. So plans in use are kept apart from those that are only
known, no turn walks over the latter, and only the last few of them are known at all.

This module refuses to know tuners, engines and what is decided about a plan.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore, open_checkpoints
from hippo.clock import Clock
from hippo.errors import CheckpointError, PlanLockedError, StorageError
from hippo.plan import WORTH_WRITING, AbstractPlanStore, ChangeLog, PlanRow, StudyRow
from hippo.records import LeaseId, TrainerSpec
from hippo.runtime.announcer import Announcer
from hippo.runtime.plan_run import PlanRun
from hippo.runtime.settings import Settings
from hippo.runtime.study_state import StudyState
from hippo.runtime.warnings import say

#: how often a plan is tried that another process has
_LOOK_FOR_LOCK_S = 0.1

#: plans, and studies, that no call uses and that are known all the same: the next call may be theirs
_MOST_IDLE = 8

#: names a plan: the database by its uuid, and the plan's number in it
PlanKey = tuple[str, int]
#: names a study, likewise
StudyKey = tuple[str, int]


class OpenPlans:
    """The plans and studies of one engine.

    Args:
      checkpoints: where the engine keeps states.
      clock: tells when leases begin.
      environment: says what the engine's slots will be like.
    """

    def __init__(
        self,
        *,
        checkpoints: str | AbstractCheckpointStore,
        clock: Clock,
        environment: Callable[[], Mapping[str, str]],
    ) -> None:
        self._checkpoints = checkpoints
        self._clock = clock
        self._environment = environment
        self._stores: dict[str, AbstractPlanStore] = {}
        #: all that are known; of those that no call uses, the one used last comes last
        self._runs: dict[PlanKey, PlanRun] = {}
        self._studies: dict[StudyKey, StudyState] = {}
        #: those whose lock is held
        self._used: dict[PlanKey, PlanRun] = {}
        #: by how many calls a study is used, if by any
        self._users: Counter[StudyKey] = Counter()
        self._waiting: set[asyncio.Task[Any]] = set()
        self._leases = 0

    def __iter__(self) -> Iterator[PlanRun]:
        """The plans in use, in the order in which they were taken over."""
        return iter(list(self._used.values()))

    def known(self) -> Iterator[PlanRun]:
        """Return those in use, and those that were and may be again, as they are known."""
        return iter(list(self._runs.values()))

    @property
    def are_idle(self) -> bool:
        """Whether no plan is in use, and none is waited for."""
        return not self._used and not self._waiting

    def next_lease(self) -> LeaseId:
        """Return a number for a lease, larger than any that one of the plans ever had."""
        self._leases += 1
        return LeaseId(self._leases)

    @property
    def ready_stages(self) -> int:
        """How many stages could start now."""
        return sum(run.remaining.tree.num_ready for run in self)

    # --- opening

    def store_of(self, store: AbstractPlanStore) -> AbstractPlanStore:
        """Return the one handle of a database: each study opened it by itself, and what they change goes together."""
        return self._stores.setdefault(store.uuid, store)

    async def wait_for(
        self, store: AbstractPlanStore, study: StudyRow, plan: int, spec: TrainerSpec, *, wait: bool
    ) -> PlanRun:
        """Return a plan, with the right to write to it; wait for another process that has it.

        Args:
          store, plan: which.
          study: who wants it.
          spec: of the plan's workload.
          wait: False: do not wait.

        Raises:
          PlanLockedError: somebody has it, and the study does not wait; or it is another engine of this process.
        """
        is_told = False
        while True:
            run = self._runs.get((store.uuid, plan))
            if run is not None and run.is_used:
                return run
            try:
                return self._take_over(store, plan, spec, run)
            except PlanLockedError as error:
                if error.is_held_here or not wait:
                    raise
                if not is_told:
                    is_told = True
                    holder = str(error).partition(". ")[0]
                    say(f"study {study.name!r} waits, since {holder}. It goes on when that one ends.")
            task = asyncio.current_task()
            assert task is not None, "calls run in tasks"
            self._waiting.add(task)
            try:
                # A thread that waits for the lock would notice at once, but could not be told to give up.
                await asyncio.sleep(_LOOK_FOR_LOCK_S)
            finally:
                self._waiting.discard(task)

    def _take_over(self, store: AbstractPlanStore, plan: int, spec: TrainerSpec, run: PlanRun | None) -> PlanRun:
        """Take a plan's lock, and the plan as it is now; `run` is how we knew it."""
        lock = store.lock(plan)
        lock.acquire()
        try:
            row = store.rows(PlanRow, plan=plan)[0]
            if run is None or run.plan.row.epoch != row.epoch:  # somebody else has written since
                run = PlanRun(store, row, spec, self._clock)
                self._forget_studies((store.uuid, plan))
                self._remove_unfinished(f"{store.uuid}/p{plan}")
            run.lock = lock
            run.check_environment(self._environment())
            run.take_over()
        except BaseException:
            lock.release()
            raise
        self._runs[store.uuid, plan] = self._used[store.uuid, plan] = run
        self._leases = max(self._leases, run.plan.leases.last)
        return run

    def _remove_unfinished(self, prefix: str) -> None:
        """Remove what killed workers of this plan left half written; nobody writes there while we hold its lock."""
        if isinstance(self._checkpoints, str) and not self._checkpoints.startswith("memory:"):
            with contextlib.suppress(CheckpointError):  # whoever writes there next is told
                open_checkpoints(self._checkpoints).remove_unfinished(prefix)

    @contextmanager
    def study(self, store: AbstractPlanStore, row: StudyRow, settings: Settings) -> Iterator[StudyState]:
        """Use a study of an open plan, read from the database if it is not known, while the block lasts."""
        key = (store.uuid, row.study)
        if key not in self._studies:
            self._studies[key] = StudyState(store, row, settings)
        study = self._studies[key]
        study.settings = settings
        self._users[key] += 1
        try:
            yield study
        finally:
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key]
                if self._studies.get(key) is study:
                    self._studies[key] = self._studies.pop(key)  # the last to be forgotten
                self._forget_idle_studies()

    def known_study(self, store: AbstractPlanStore, study: int) -> StudyState | None:
        """Return a study if it is known."""
        return self._studies.get((store.uuid, study))

    def knows_store(self, uuid: str) -> bool:
        """Tell whether any plan of a database is known."""
        return uuid in self._stores

    def cancel_waiting(self) -> None:
        """End the calls that wait for another process."""
        for task in self._waiting:
            task.cancel()

    # --- what is to be written

    def sources(self) -> Iterator[tuple[AbstractPlanStore, ChangeLog, Announcer | None]]:
        """Yield what may hold changes: plans before the studies that speak of their nodes.

        Returns:
          For each the database, the changes, and, of a study, who tells its observers of them.
        """
        for run in self._used.values():
            yield run.store, run.plan.changes, None
        for study in self._studies.values():
            yield study.store, study.changes, study.announcer

    # --- letting go

    def let_go(self, run: PlanRun) -> list[PlanRun]:
        """Let others write to a plan; return the plans that are forgotten now.

        This one is if memory knows more of it than the database, since that could never be written; others are if
        there are too many that no call uses.
        """
        if run.plan.facts.num_recorded >= WORTH_WRITING and not run.plan.changes:
            with contextlib.suppress(StorageError):  # whoever opens the plan next adds up what we could not
                run.sum_up()
        run.lock.release()
        key = (run.store.uuid, run.plan.row.plan)
        if self._used.get(key) is not run:
            return []
        del self._used[key]
        self._runs[key] = self._runs.pop(key)
        idle = [each for each in self._runs if each not in self._used]
        forgotten = idle[: max(0, len(idle) - _MOST_IDLE)]
        if run.plan.changes or any(study.changes for study in self._studies_on(key)):
            forgotten.append(key)
        return [self._forget(key) for key in dict.fromkeys(forgotten)]

    def release_all(self) -> None:
        """Give back every lock: this engine ends."""
        for run in self._used.values():
            run.lock.release()

    def _forget(self, plan: PlanKey) -> PlanRun:
        self._forget_studies(plan)
        gone = self._runs.pop(plan)
        if not any(uuid == plan[0] for uuid, _ in self._runs):
            self._stores.pop(plan[0], None)
        return gone

    def _forget_idle_studies(self) -> None:
        idle = [key for key, study in self._studies.items() if key not in self._users and not study.changes]
        for key in idle[: max(0, len(idle) - _MOST_IDLE)]:
            del self._studies[key]

    def _studies_on(self, plan: PlanKey) -> list[StudyState]:
        uuid, number = plan
        return [s for s in self._studies.values() if s.store.uuid == uuid and number in s.plans.values()]

    def _forget_studies(self, plan: PlanKey) -> None:
        for study in self._studies_on(plan):
            del self._studies[study.store.uuid, study.row.study]
