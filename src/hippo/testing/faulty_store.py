"""A plan's store in which commits fail, are slow, and are the last thing that a process does.

A commit that fails has written nothing: that is what every store promises, and where a kill comes in between, either
all of it is there or nothing. This module refuses to know what a row means.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from hippo.errors import StorageError
from hippo.plan import AbstractPlanStore, Change, Moment, PlanLock, PlanRow, StudyRow
from hippo.plan.rows import Row
from hippo.testing.fault_book import INJECTED, FaultBook, StudyLife
from hippo.testing.fault_plans import FaultKind, Seam
from hippo.testing.faulty_checkpoints import SLOW_S

R = TypeVar("R", bound=Row)


class FaultyStore:
    """Another store, with faults.

    Args:
      store: which.
      book: says what goes wrong.
      life: of the study.
    """

    def __init__(self, store: AbstractPlanStore, book: FaultBook, life: StudyLife) -> None:
        self._store = store
        self._book = book
        self._life = life
        self.uuid = store.uuid
        self.url = store.url
        self.takes_groups = store.takes_groups
        self.opens_by_parts = store.opens_by_parts

    def commit(self, changes: Sequence[Change]) -> None:
        self._refuse_the_dead()
        taken = self._book.take(Seam.COMMIT) if changes else None
        match taken.kind if taken is not None else None:
            case FaultKind.KILL_STUDY_BEFORE_COMMIT:
                self._life.end()
                self._refuse_the_dead()
            case FaultKind.FAIL_COMMIT:
                raise StorageError(f"{INJECTED} the database cannot be written")
            case FaultKind.SLOW_COMMIT if taken is not None:
                threading.Event().wait(SLOW_S * taken.amount)
        self._store.commit(changes)
        if taken is not None and taken.kind is FaultKind.KILL_STUDY_AFTER_COMMIT:
            self._life.end()
            self._refuse_the_dead()

    def rows(self, kind: type[R], **equal: Any) -> list[R]:
        return self._store.rows(kind, **equal)

    def reading(self) -> AbstractContextManager[Moment]:
        return self._store.reading()

    def durable(self) -> AbstractContextManager[Moment]:
        return self._store.durable()

    def changes(self) -> object:
        return self._store.changes()

    def add_plan(self, row: PlanRow) -> PlanRow:
        return self._store.add_plan(row)

    def add_study(self, row: StudyRow, plans: Mapping[str, int]) -> StudyRow:
        return self._store.add_study(row, plans)

    def lock(self, plan: int) -> PlanLock:
        return self._store.lock(plan)

    def close(self) -> None:
        self._store.close()

    def _refuse_the_dead(self) -> None:
        if self._life.is_over:
            raise StorageError(f"{INJECTED} the study was killed")
