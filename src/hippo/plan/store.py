"""Where plans and studies are kept: what every store promises, and the one that keeps them in memory."""

from __future__ import annotations

import itertools
import threading
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import fields
from typing import Any, Protocol, TypeVar, cast

from hippo.errors import StorageError, StudyExistsError
from hippo.frozen import changed
from hippo.plan.locks import PlanLock, ProcessLock
from hippo.plan.rows import (
    FOLLOWED_TYPES,
    ROW_TYPES,
    CallRow,
    Change,
    Insert,
    PlanRow,
    Row,
    StudyPlanRow,
    StudyRow,
    TrialRow,
)
from hippo.plan.selecting import Where, fields_reader, matches, totals

R = TypeVar("R", bound=Row)


class Rows(Protocol):
    """Rows to be read."""

    def rows(self, kind: type[R], **equal: Any) -> list[R]:
        """Return the rows of a kind whose fields equal what is given, by primary key."""


class Moment(Rows, Protocol):
    """What a store holds at one moment, to be looked at in parts."""

    def columns(
        self,
        kind: type[Row],
        names: Sequence[str],
        *,
        order: Sequence[str] = (),
        limit: int | None = None,
        after: int = 0,
        upto: int | None = None,
        changed_after: int = 0,
        **where: Any,
    ) -> list[tuple[Any, ...]]:
        """Return fields of rows of a kind, as tuples.

        Args:
          kind: of which rows.
          names: of which fields.
          order: the fields to go by, ascending; none of them may be None. By default as rows were inserted.
          limit: at most so many, the first ones.
          after, upto: the marks between which rows were inserted.
          changed_after: only rows that were inserted or updated after this number of `last_change`; of
            `hippo.plan.rows.FOLLOWED_TYPES` alone.
          **where: a field's value, or a condition of `hippo.plan.selecting`.
        """

    def totals(
        self, kind: type[Row], by: Sequence[str], of: str, *, after: int = 0, upto: int | None = None, **where: Any
    ) -> list[tuple[Any, ...]]:
        """Return a tuple for each group of rows with equal fields `by`.

        Its values of `by`, how many rows it has, in how many of them the field `of` is known, its sum, and the least.
        """

    def mark(self, kind: type[Row]) -> int:
        """Return a number that grows whenever a row of a kind is inserted: see `columns`."""

    def last_change(self, kind: type[Row]) -> int:
        """Return a number that grows whenever a row of a kind is inserted or updated; of `FOLLOWED_TYPES` alone."""

    def largest(self, kind: type[Row], name: str, **where: Any) -> int | None:
        """Return the largest number that a field has in the rows that conditions ask for; None if there are none."""


class AbstractPlanStore(Rows, Protocol):
    """Keeps rows. One process at a time writes what belongs to a plan: the one that holds the plan's lock."""

    #: names the database for ever, so that checkpoints of two databases never meet
    uuid: str
    #: how a user would name it
    url: str
    #: a transaction costs so much that changes may wait for one another; readers then call `flush_pending`
    takes_groups: bool
    #: rows are found by an index, so that a plan is opened by what is touched of it; else it is loaded whole
    opens_by_parts: bool

    def commit(self, changes: Sequence[Change]) -> None:
        """Make all changes durable, or none.

        Raises:
          StorageError: the database cannot be written, or a row is inserted twice.
        """

    def reading(self) -> AbstractContextManager[Moment]:
        """Return rows that all belong to one moment, for as long as the block lasts."""

    def durable(self) -> AbstractContextManager[Moment]:
        """Return the same without the changes that this process holds back (`hippo.plan.pending`), nor writing them.

        For a plan's writer: what it holds back is of rows that it has in memory, and asks for no more.
        """

    def changes(self) -> object:
        """Return what is equal for as long as nothing is committed, by this store or any other on the same rows."""

    def add_plan(self, row: PlanRow) -> PlanRow:
        """Insert a plan under the next free number, unless there is one of this workload and fork; return it."""

    def add_study(self, row: StudyRow, plans: Mapping[str, int]) -> StudyRow:
        """Insert a study under the next free number, with its members.

        Args:
          row: the study; its number is given here.
          plans: name of each member -> number of its plan, in the order of the members.

        Raises:
          StudyExistsError: this name has this generation already.
        """

    def lock(self, plan: int) -> PlanLock:
        """Return the lock of the plan, not yet taken."""

    def close(self) -> None:
        """Let go of files and connections."""


def members_of(study: int, plans: Mapping[str, int]) -> list[StudyPlanRow]:
    """Return the rows of a study's members."""
    return [
        StudyPlanRow(study=study, member=member, plan=plan, position=position)
        for position, (member, plan) in enumerate(plans.items())
    ]


def plans_of(rows: Rows, study: int) -> dict[str, int]:
    """Return name of each member of a study -> number of its plan, in the order of the members."""
    members = sorted(rows.rows(StudyPlanRow, study=study), key=lambda row: row.position)
    return {row.member: row.plan for row in members}


def _marked(mark: str) -> dict[type[Row], tuple[str, ...]]:
    return {kind: tuple(f.name for f in fields(kind) if f.metadata.get(mark)) for kind in ROW_TYPES}


#: all fields
FIELDS = {kind: tuple(f.name for f in fields(kind)) for kind in ROW_TYPES}
#: the fields that make up the primary key
KEY_FIELDS = _marked("key")
#: the fields that may change
MUTABLE_FIELDS = _marked("mutable")
#: the fields by which rows are found, besides the first of the key
INDEXED_FIELDS = _marked("indexed")


_read_key = {kind: fields_reader(names) for kind, names in KEY_FIELDS.items()}
_read_unchanging = {
    kind: fields_reader([f.name for f in fields(kind) if not f.metadata.get("mutable")]) for kind in ROW_TYPES
}

_read_indexed = {kind: fields_reader((KEY_FIELDS[kind][0], *names)) for kind, names in INDEXED_FIELDS.items() if names}


def key_of(row: Row) -> tuple[Any, ...]:
    """Return the primary key of a row."""
    return _read_key[type(row)](row)


class MemoryStore:
    """Rows in dictionaries: as durable as the process."""

    takes_groups = False
    opens_by_parts = False

    def __init__(self, name: str = "") -> None:
        self.uuid = uuid.uuid4().hex
        self.url = f"memory://{name}"
        self._tables: dict[type[Row], dict[tuple[Any, ...], Row]] = {kind: {} for kind in ROW_TYPES}
        self._commits = 0
        #: kind of row -> key -> number of the commit that changed it last, in the order of these
        self._changed: dict[type[Row], dict[tuple[Any, ...], int]] = {kind: {} for kind in FOLLOWED_TYPES}
        #: kind of row -> (first key field, indexed field) -> keys
        self._indexes: dict[type[Row], dict[tuple[Any, ...], list[tuple[Any, ...]]]] = {
            kind: {} for kind in ROW_TYPES if INDEXED_FIELDS[kind]
        }
        self._held: set[int] = set()
        self._guard = threading.RLock()

    def commit(self, changes: Sequence[Change]) -> None:
        keyed = [
            (type(change) is Insert, row, kind, _read_key[kind](row))
            for change in changes
            for row in [change.row]
            for kind in [type(row)]
        ]
        with self._guard:
            self._refuse_duplicates(keyed)
            self._commits += 1
            tables, indexes, followed = self._tables, self._indexes, self._changed
            for is_new, row, kind, key in keyed:
                table = tables[kind]
                if is_new:
                    table[key] = row
                    if kind in indexes:
                        indexes[kind].setdefault(_read_indexed[kind](row), []).append(key)
                elif (known := table.get(key)) is None:
                    continue
                else:
                    table[key] = updated(known, row)
                if kind in followed:
                    self._note_change(followed[kind], key)

    def _note_change(self, changed: dict[tuple[Any, ...], int], key: tuple[Any, ...]) -> None:
        changed.pop(key, None)  # a key that is known would keep its place
        changed[key] = self._commits

    def rows(self, kind: type[R], **equal: Any) -> list[R]:
        with self._guard:
            found = [row for row in self._candidates(kind, equal) if matches(row, equal)]
        return cast("list[R]", sorted(found, key=key_of))

    def columns(
        self,
        kind: type[Row],
        names: Sequence[str],
        *,
        order: Sequence[str] = (),
        limit: int | None = None,
        after: int = 0,
        upto: int | None = None,
        changed_after: int = 0,
        **where: Any,
    ) -> list[tuple[Any, ...]]:
        found = list(self._inserted(kind, after, upto, where, changed_after))
        if order:
            found.sort(key=fields_reader(order))
        return list(map(fields_reader(names), found[:limit]))

    def totals(
        self, kind: type[Row], by: Sequence[str], of: str, *, after: int = 0, upto: int | None = None, **where: Any
    ) -> list[tuple[Any, ...]]:
        return totals(self._inserted(kind, after, upto, where), by, of)

    def mark(self, kind: type[Row]) -> int:
        return len(self._tables[kind])

    def largest(self, kind: type[Row], name: str, **where: Any) -> int | None:
        return max((getattr(row, name) for row in self._inserted(kind, 0, None, where)), default=None)

    def last_change(self, kind: type[Row]) -> int:
        return next(reversed(self._changed[kind].values()), 0)

    def _inserted(
        self, kind: type[Row], after: int, upto: int | None, where: Where, changed_after: int = 0
    ) -> Iterator[Row]:
        with self._guard:  # a dictionary keeps the order of insertion, and an update its row's place
            if changed_after:
                assert not after, "whoever asks for what changed asks for what was inserted with it"
                latest = reversed(self._changed[kind].items())
                keys = [key for key, _ in itertools.takewhile(lambda item: item[1] > changed_after, latest)]
                rows = [self._tables[kind][key] for key in reversed(keys)]
            else:
                rows = list(itertools.islice(self._tables[kind].values(), after, upto))
        return (row for row in rows if matches(row, where))

    def _candidates(self, kind: type[Row], equal: Mapping[str, Any]) -> Iterable[Row]:
        """Return rows among which those that equal what is given are: few, where an index names them."""
        names = (KEY_FIELDS[kind][0], *INDEXED_FIELDS[kind])
        if kind not in self._indexes or not equal.keys() >= set(names):
            return self._tables[kind].values()
        keys = self._indexes[kind].get(tuple(equal[name] for name in names), [])
        return [self._tables[kind][key] for key in keys]

    @contextmanager
    def reading(self) -> Iterator[Moment]:
        with self._guard:
            yield self

    @contextmanager
    def durable(self) -> Iterator[Moment]:
        with self._guard:
            yield self

    def changes(self) -> object:
        return self._commits

    def add_plan(self, row: PlanRow) -> PlanRow:
        with self._guard:
            for known in self.rows(PlanRow, workload=row.workload, fork=row.fork):
                return known
            row = changed(row, plan=len(self._tables[PlanRow]) + 1)
            self.commit([Insert(row)])
            return row

    def add_study(self, row: StudyRow, plans: Mapping[str, int]) -> StudyRow:
        with self._guard:
            if self.rows(StudyRow, name=row.name, generation=row.generation, deleted=False):
                raise StudyExistsError(f"there is a study {row.name!r} already in {self.url}")
            row = changed(row, study=len(self._tables[StudyRow]) + 1)
            self.commit([Insert(row), *map(Insert, members_of(row.study, plans))])
            return row

    def lock(self, plan: int) -> PlanLock:
        return ProcessLock(plan, self._held, f"plan {plan} of {self.url}")

    def close(self) -> None:
        pass  # a study may be opened again in the same process

    def _refuse_duplicates(self, keyed: Iterable[tuple[bool, Row, type[Row], tuple[Any, ...]]]) -> None:
        seen: set[tuple[type[Row], tuple[Any, ...]]] = set()
        for is_new, _, kind, key in keyed:
            if not is_new:
                continue
            if (kind, key) in seen or key in self._tables[kind]:
                raise StorageError(f"{kind.__name__} {key} was recorded before, and facts do not change")
            seen.add((kind, key))


def updated(known: Row, new: Row) -> Row:
    """Return a row with the mutable fields of another one."""
    kind = type(known)
    if _read_unchanging[kind](known) == _read_unchanging[kind](new):
        return new
    return changed(known, **{name: getattr(new, name) for name in MUTABLE_FIELDS[kind]})


class LeanStore:
    """Keeps who asked for what, and forgets every fact: for simulations of millions of trials.

    Nothing can be read back but studies, calls and trials; nobody can go on with them in another process.
    """

    takes_groups = False
    opens_by_parts = False

    _KEPT = (PlanRow, StudyRow, StudyPlanRow, CallRow, TrialRow)

    def __init__(self) -> None:
        self._kept = MemoryStore("lean")
        self.uuid = self._kept.uuid
        self.url = self._kept.url

    def commit(self, changes: Sequence[Change]) -> None:
        self._kept.commit([change for change in changes if isinstance(change.row, self._KEPT)])

    def rows(self, kind: type[R], **equal: Any) -> list[R]:
        return self._kept.rows(kind, **equal)

    def reading(self) -> AbstractContextManager[Moment]:
        return self._kept.reading()

    def durable(self) -> AbstractContextManager[Moment]:
        return self._kept.durable()

    def changes(self) -> object:
        return self._kept.changes()

    def add_plan(self, row: PlanRow) -> PlanRow:
        return self._kept.add_plan(row)

    def add_study(self, row: StudyRow, plans: Mapping[str, int]) -> StudyRow:
        return self._kept.add_study(row, plans)

    def lock(self, plan: int) -> PlanLock:
        return self._kept.lock(plan)

    def close(self) -> None:
        pass


_named: dict[str, MemoryStore] = {}
_unnamed = itertools.count(1)


def open_memory_store(name: str) -> MemoryStore:
    """Return the store of this name in this process; a new one for no name."""
    if not name:
        return MemoryStore(f"unnamed-{next(_unnamed)}")
    return _named.setdefault(name, MemoryStore(name))
