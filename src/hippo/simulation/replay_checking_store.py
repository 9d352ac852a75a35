"""A simulation run again from its beginning, and compared fact by fact with what was recorded.

The world that is simulated begins empty each time: it is shown nothing of an earlier run. Every row that it comes to
is looked up in the lasting store: one that is missing there is added, one that is there must be equal. So a simulation
that was stopped, by whatever, and is run again comes to what the undisturbed one would have, whatever its tuner does.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from hippo.errors import SimulationChangedError, StudyExistsError
from hippo.plan import AbstractPlanStore, MemoryStore, Moment, PlanLock
from hippo.plan.rows import (
    CallRow,
    Change,
    CheckpointRow,
    FailureRow,
    Insert,
    LeaseRow,
    MetricsRow,
    NodeRow,
    PlanRow,
    RequestRow,
    Row,
    StateRow,
    StepRow,
    StudyPlanRow,
    StudyRow,
    TrialRow,
    Update,
)
from hippo.plan.store import MUTABLE_FIELDS, key_of, members_of
from hippo.study.identity.members import target_plans

R = TypeVar("R", bound=Row)

#: rows of a plan, and rows of a study, that a run comes to
_OF_A_PLAN: tuple[type[Row], ...] = (NodeRow, StepRow, MetricsRow, StateRow, CheckpointRow, FailureRow, LeaseRow)
_OF_A_STUDY: tuple[type[Row], ...] = (StudyPlanRow, CallRow, TrialRow, RequestRow)

#: fields that rows of an older schema do not say, and are then not compared
_LATER: Mapping[type[Row], tuple[str, ...]] = {LeaseRow: ("lanes", "peers")}

_WHY = (
    "Something that decides is no function of its arguments: a tuner, a curve, a function of seconds; or hippo changed "
    "since. Give the simulation another name, or another storage."
)


class ReplayCheckingStore:
    """A store that holds a world from its beginning, and a lasting one that has seen some of it, or all, before.

    Args:
      lasting: where the facts are kept.
    """

    takes_groups = False
    opens_by_parts = False

    def __init__(self, lasting: AbstractPlanStore) -> None:
        self.uuid = lasting.uuid
        self.url = lasting.url
        self._lasting = lasting
        self._world = MemoryStore()
        self._seen: dict[type[Row], dict[tuple[Any, ...], Row]] = {}
        self._guard = threading.RLock()

    # --- what a run sees: its own world

    def rows(self, kind: type[R], **equal: Any) -> list[R]:
        return self._world.rows(kind, **equal)

    @contextmanager
    def reading(self) -> Iterator[Moment]:
        with self._world.reading() as rows:
            yield rows

    def durable(self) -> AbstractContextManager[Moment]:
        return self._world.durable()

    def changes(self) -> object:
        return self._world.changes()

    def lock(self, plan: int) -> PlanLock:
        return self._lasting.lock(plan)

    def close(self) -> None:
        self._lasting.close()

    # --- beginnings: plans and studies have the numbers of the lasting store

    def add_plan(self, row: PlanRow) -> PlanRow:
        with self._guard:
            known = self._lasting.add_plan(row)
            fresh = replace(known, environment="", exactness="unchecked", epoch=0, writer="", fusion="")
            if not self._world.rows(PlanRow, plan=known.plan):
                self._world.commit([Insert(fresh)])
                self._see(_OF_A_PLAN, plan=known.plan)
                self._seen.setdefault(PlanRow, {})[key_of(known)] = known
            return fresh

    def add_study(self, row: StudyRow, plans: Mapping[str, int]) -> StudyRow:
        with self._guard:
            others = self._lasting.rows(StudyRow, name=row.name, deleted=False)
            # surrogates join a study after it is added, and are compared when they do
            known = next((other for other in others if target_plans(self._lasting, other.study) == plans), None)
            if known is None:
                generation = max((other.generation for other in others), default=0) + 1
                known = self._lasting.add_study(replace(row, generation=generation), plans)
            elif self._world.rows(StudyRow, study=known.study):
                raise StudyExistsError(f"there is a study {row.name!r} in this simulation already")
            self._world.commit([Insert(known), *map(Insert, members_of(known.study, plans))])
            self._see(_OF_A_STUDY, study=known.study)
            return known

    def _see(self, kinds: Iterable[type[Row]], **equal: Any) -> None:
        for kind in kinds:
            known = {key_of(row): row for row in self._lasting.rows(kind, **equal)}
            self._seen.setdefault(kind, {}).update(known)

    # --- facts

    def commit(self, changes: Sequence[Change]) -> None:
        with self._guard:
            self._lasting.commit([change for change in changes if self._is_news(change)])
            self._world.commit(changes)

    def check_complete(self) -> None:
        """Compare the end of a run: it must have come to everything that was recorded.

        Raises:
          SimulationChangedError: something that an earlier run recorded did not happen.
        """
        for kind, known in self._seen.items():
            happened = {key_of(row) for row in self._world.rows(kind)}
            missing = [row for key, row in known.items() if key not in happened]
            if missing:
                raise SimulationChangedError(
                    f"the simulation was run again from its beginning and never came to {len(missing)} of the rows in "
                    f"{self.url}, such as {missing[0]}. {_WHY}"
                )

    def _is_news(self, change: Change) -> bool:
        """Tell whether the lasting store must hear of a change; refuse one that contradicts it."""
        known = self._seen.get(type(change.row), {}).get(key_of(change.row))
        if known is None or isinstance(change, Update):
            return True
        kind = type(change.row)
        unsaid = [name for name in _LATER.get(kind, ()) if getattr(known, name) is None]
        settled = {name: getattr(known, name) for name in (*MUTABLE_FIELDS[kind], *unsaid)}
        if replace(change.row, **settled) != known:
            raise SimulationChangedError(
                f"the simulation was run again from its beginning and came to {change.row}, where {self.url} has "
                f"{known}. {_WHY}"
            )
        return False
