"""The studies of one engine that calls use, and the last few that they used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from hippo.plan import AbstractPlanStore, StudyRow
from hippo.runtime.studies.settings import Settings
from hippo.runtime.studies.study_state import StudyState

#: plans, and studies, that no call uses and that are known all the same: the next call may be theirs
MOST_IDLE = 8

#: names a plan: the database by its uuid, and the plan's number in it
PlanKey = tuple[str, int]
#: names a study, likewise
StudyKey = tuple[str, int]


class OpenStudies:
    """The studies that are known: those in use, and of the others those that were used last."""

    def __init__(self) -> None:
        #: of those that no call uses, the one used last comes last
        self._studies: dict[StudyKey, StudyState] = {}
        #: by how many calls a study is used, if by any
        self._users: Counter[StudyKey] = Counter()

    def __iter__(self) -> Iterator[StudyState]:
        """All that are known."""
        return iter(self._studies.values())

    def known(self, store: AbstractPlanStore, study: int) -> StudyState | None:
        """Return a study if it is known."""
        return self._studies.get((store.uuid, study))

    @contextmanager
    def use(self, store: AbstractPlanStore, row: StudyRow, settings: Settings) -> Iterator[StudyState]:
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
                self._forget_idle()

    def on(self, plan: PlanKey) -> list[StudyState]:
        """Return the studies that are trained on a plan."""
        uuid, number = plan
        return [s for s in self._studies.values() if s.store.uuid == uuid and number in s.plans.values()]

    def forget_on(self, plan: PlanKey) -> None:
        """Forget the studies that are trained on a plan: others may write to them.

        Not to one in use: its calls hold another of its plans, and what they change is written from here.
        """
        for study in self.on(plan):
            key = (study.store.uuid, study.row.study)
            if key not in self._users:
                del self._studies[key]

    def _forget_idle(self) -> None:
        idle = [key for key, study in self._studies.items() if key not in self._users and not study.changes]
        for key in idle[: max(0, len(idle) - MOST_IDLE)]:
            del self._studies[key]
