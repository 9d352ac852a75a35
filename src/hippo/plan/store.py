"""Where plans and studies are kept: what every store promises, and the one that keeps them in memory."""

from __future__ import annotations

import itertools
import threading
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import fields, replace
from typing import Any, Protocol, TypeVar, cast

from hippo.errors import StorageError, StudyExistsError
from hippo.plan.locks import PlanLock, ProcessLock
from hippo.plan.rows import ROW_TYPES, Change, Insert, PlanRow, Row, StudyRow

R = TypeVar("R", bound=Row)


class Rows(Protocol):
    """Rows to be read."""

    def rows(self, kind: type[R], **equal: Any) -> list[R]:
        """Return the rows of a kind whose fields equal what is given, by primary key."""


class AbstractPlanStore(Rows, Protocol):
    """Keeps rows. One process at a time writes what belongs to a plan: the one that holds the plan's lock."""

    #: names the database for ever, so that checkpoints of two databases never meet
    uuid: str
    #: how a user would name it
    url: str

    def commit(self, changes: Sequence[Change]) -> None:
        """Make all changes durable, or none.

        Raises:
          StorageError: the database cannot be written, or a row is inserted twice.
        """

    def reading(self) -> AbstractContextManager[Rows]:
        """Return rows that all belong to one moment, for as long as the block lasts."""

    def add_plan(self, row: PlanRow) -> PlanRow:
        """Insert a plan under the next free number, unless there is one of this workload and fork; return it."""

    def add_study(self, row: StudyRow) -> StudyRow:
        """Insert a study under the next free number.

        Raises:
          StudyExistsError: this name has this generation already.
        """

    def lock(self, plan: int) -> PlanLock:
        """Return the lock of the plan, not yet taken."""

    def close(self) -> None:
        """Let go of files and connections."""


def _marked(mark: str) -> dict[type[Row], tuple[str, ...]]:
    return {kind: tuple(f.name for f in fields(kind) if f.metadata.get(mark)) for kind in ROW_TYPES}


#: the fields that make up the primary key
KEY_FIELDS = _marked("key")
#: the fields that may change
MUTABLE_FIELDS = _marked("mutable")


def key_of(row: Row) -> tuple[Any, ...]:
    """Return the primary key of a row."""
    return tuple(getattr(row, name) for name in KEY_FIELDS[type(row)])


class MemoryStore:
    """Rows in dictionaries: as durable as the process."""

    def __init__(self, name: str = "") -> None:
        self.uuid = uuid.uuid4().hex
        self.url = f"memory://{name}"
        self._tables: dict[type[Row], dict[tuple[Any, ...], Row]] = {kind: {} for kind in ROW_TYPES}
        self._held: set[int] = set()
        self._guard = threading.RLock()

    def commit(self, changes: Sequence[Change]) -> None:
        with self._guard:
            self._refuse_duplicates(changes)
            for change in changes:
                table, key = self._tables[type(change.row)], key_of(change.row)
                if isinstance(change, Insert):
                    table[key] = change.row
                elif key in table:
                    new = {name: getattr(change.row, name) for name in MUTABLE_FIELDS[type(change.row)]}
                    table[key] = replace(table[key], **new)

    def rows(self, kind: type[R], **equal: Any) -> list[R]:
        with self._guard:
            found = [row for row in self._tables[kind].values() if _matches(row, equal)]
        return cast("list[R]", sorted(found, key=key_of))

    @contextmanager
    def reading(self) -> Iterator[Rows]:
        with self._guard:
            yield self

    def add_plan(self, row: PlanRow) -> PlanRow:
        with self._guard:
            for known in self.rows(PlanRow, workload=row.workload, fork=row.fork):
                return known
            row = replace(row, plan=len(self._tables[PlanRow]) + 1)
            self.commit([Insert(row)])
            return row

    def add_study(self, row: StudyRow) -> StudyRow:
        with self._guard:
            if self.rows(StudyRow, name=row.name, generation=row.generation, deleted=False):
                raise StudyExistsError(f"there is a study {row.name!r} already in {self.url}")
            row = replace(row, study=len(self._tables[StudyRow]) + 1)
            self.commit([Insert(row)])
            return row

    def lock(self, plan: int) -> PlanLock:
        return ProcessLock(plan, self._held, f"plan {plan} of {self.url}")

    def close(self) -> None:
        pass  # a study may be opened again in the same process

    def _refuse_duplicates(self, changes: Iterable[Change]) -> None:
        new = [change.row for change in changes if isinstance(change, Insert)]
        seen: set[tuple[type[Row], tuple[Any, ...]]] = set()
        for row in new:
            key = (type(row), key_of(row))
            if key in seen or key[1] in self._tables[key[0]]:
                raise StorageError(f"{type(row).__name__} {key[1]} was recorded before, and facts do not change")
            seen.add(key)


def _matches(row: Row, equal: dict[str, Any]) -> bool:
    return all(getattr(row, name) == value for name, value in equal.items())


_named: dict[str, MemoryStore] = {}
_unnamed = itertools.count(1)


def open_memory_store(name: str) -> MemoryStore:
    """Return the store of this name in this process; a new one for no name."""
    if not name:
        return MemoryStore(f"unnamed-{next(_unnamed)}")
    return _named.setdefault(name, MemoryStore(name))
