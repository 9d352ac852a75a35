"""The plans that this engine writes to: their locks, taking them over, and forgetting them.

A plan has one writer. Whoever holds its lock raises its epoch, which voids every lease of the writer before. When the
last call that uses a plan has left and its last work has ended, the lock goes, and from then on any process may write
there: what this one still knows is worth keeping only while the epoch in the database is the one it wrote.

An engine may serve thousands of studies one after another. So plans in use are kept apart from those that are only
known, no turn walks over the latter, and only the last few of them are known at all.

This module refuses to know tuners, engines and what is decided about a plan; who waits for a lock does so elsewhere
(`lock_waits`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping

from hippo.clock import Clock
from hippo.errors import StorageError
from hippo.plan import WORTH_WRITING, AbstractPlanStore, ChangeLog, PlanRow
from hippo.plan.urls import are_copies
from hippo.records import LeaseId, TrainerSpec
from hippo.runtime.plans.plan_run import PlanRun
from hippo.runtime.studies.announcer import Announcer
from hippo.runtime.studies.open_studies import MOST_IDLE, OpenStudies, PlanKey


class OpenPlans:
    """The plans and studies of one engine.

    Args:
      clock: tells when leases begin.
      environment: says what the engine's slots will be like; None if they are to say it.
      remove_unfinished: removes what killed workers left half written under names that begin alike.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        environment: Callable[[], Mapping[str, str] | None],
        remove_unfinished: Callable[[str], None] = lambda prefix: None,
    ) -> None:
        self._remove_unfinished = remove_unfinished
        self._clock = clock
        self._environment = environment
        self._stores: dict[str, AbstractPlanStore] = {}
        #: all that are known; of those that no call uses, the one used last comes last
        self._runs: dict[PlanKey, PlanRun] = {}
        #: those whose lock is held
        self._used: dict[PlanKey, PlanRun] = {}
        self.studies = OpenStudies()
        self._leases = 0

    def __iter__(self) -> Iterator[PlanRun]:
        """The plans in use, in the order in which they were taken over."""
        return iter(list(self._used.values()))

    def known(self) -> Iterator[PlanRun]:
        """Return those in use, and those that were and may be again, as they are known."""
        return iter(list(self._runs.values()))

    @property
    def are_idle(self) -> bool:
        """Whether no plan is in use."""
        return not self._used

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
        """Return the one handle of a database: each study opened it by itself, and what they change goes together.

        Raises:
          StorageError: this is a copy of another database that is known.
        """
        known = self._stores.setdefault(store.uuid, store)
        if known is not store and are_copies(known.url, store.url):
            raise StorageError(
                f"{store.url} is a copy of {known.url}, which this engine writes to: it would take one for the other. "
                "Give studies of the copy an engine of their own, and another folder for states: engine=, checkpoints="
            )
        return known

    def take(self, store: AbstractPlanStore, plan: int, spec: TrainerSpec) -> PlanRun:
        """Return a plan, with the right to write to it.

        Args:
          store, plan: which.
          spec: of the plan's workload.

        Raises:
          PlanLockedError: somebody else has it; or it is another engine of this process.
        """
        run = self._runs.get((store.uuid, plan))
        return run if run is not None and run.is_used else self._take_over(store, plan, spec, run)

    def _take_over(self, store: AbstractPlanStore, plan: int, spec: TrainerSpec, run: PlanRun | None) -> PlanRun:
        """Take a plan's lock, and the plan as it is now; `run` is how we knew it."""
        lock = store.lock(plan)
        lock.acquire()
        try:
            row = store.rows(PlanRow, plan=plan)[0]
            if run is None or run.plan.row.epoch != row.epoch:  # somebody else has written since
                run = PlanRun(store, row, spec, self._clock)
                self.studies.forget_on((store.uuid, plan))
                self._remove_unfinished(f"{store.uuid}/p{plan}")
            run.lock = lock
            if (environment := self._environment()) is not None:  # else the first slot to open says it
                run.check_environment(environment)
            run.take_over()
        except BaseException:
            lock.release()
            raise
        self._runs[store.uuid, plan] = self._used[store.uuid, plan] = run
        self._leases = max(self._leases, run.plan.leases.last)
        return run

    def knows_store(self, uuid: str) -> bool:
        """Tell whether any plan of a database is known."""
        return uuid in self._stores

    # --- what is to be written

    def sources(self) -> Iterator[tuple[AbstractPlanStore, ChangeLog, Announcer | None]]:
        """Yield what may hold changes: plans before the studies that speak of their nodes.

        Returns:
          For each the database, the changes, and, of a study, who tells its observers of them.
        """
        for run in self._used.values():
            yield run.store, run.plan.changes, None
        for study in self.studies:
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
        forgotten = idle[: max(0, len(idle) - MOST_IDLE)]
        if run.plan.changes or any(study.changes for study in self.studies.on(key)):
            forgotten.append(key)
        return [self._forget(key) for key in dict.fromkeys(forgotten)]

    def release_all(self) -> None:
        """Give back every lock: this engine ends."""
        for run in self._used.values():
            run.lock.release()

    def _forget(self, plan: PlanKey) -> PlanRun:
        self.studies.forget_on(plan)
        gone = self._runs.pop(plan)
        if not any(uuid == plan[0] for uuid, _ in self._runs):
            self._stores.pop(plan[0], None)
        return gone
