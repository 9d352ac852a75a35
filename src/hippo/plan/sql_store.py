"""Rows in an SQL database: every statement that hippo sends is in this module.

SQLite needs care (measured): `BEGIN IMMEDIATE` instead of the driver's own transactions, so that a writer queues
instead of failing when it upgrades; write-ahead logging, so that readers never wait; a long busy time-out.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import urllib.parse
import uuid as uuids
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.pool import PoolProxiedConnection

from hippo.errors import MissingStorageError, StorageError, StudyExistsError
from hippo.frozen import changed
from hippo.plan.locks import FileLock, PlanLock
from hippo.plan.pending import flush_pending
from hippo.plan.rows import ROW_TYPES, Change, Insert, PlanRow, Row, StudyPlanRow, StudyRow, Update
from hippo.plan.selecting import Among, AtMost, Known, Where
from hippo.plan.store import KEY_FIELDS, MUTABLE_FIELDS, Moment, key_of, members_of
from hippo.plan.tables import SCHEMA_VERSION, TABLES, database, metadata
from hippo.plan.urls import shown_url

R = TypeVar("R", bound=Row)


class SqlStore:
    """Rows in SQLite. The file is created, with its tables, when there is none; one that may only be read can be."""

    takes_groups = True
    opens_by_parts = True

    def __init__(self, url: str, *, must_exist: bool = False, any_version: bool = False) -> None:
        """Open the database.

        Args:
          url: where it is.
          must_exist: make none.
          any_version: open it whatever its schema, to upgrade it: its rows cannot be read then.

        Raises:
          StorageError: the URL is not one, the file cannot be opened or made, it is not hippo's, its schema is not that
            of this version of hippo, or (with `must_exist`) it is not there or empty.
        """
        self._path = _sqlite_path(url)
        # a relative path is resolved now: the script may change its folder later
        self.url = url if "file:" in url else f"sqlite:///{self._path}"
        if must_exist and not self._path.exists():
            raise MissingStorageError(
                f"there is no database {str(self._path)!r}; check --storage, or run a study first"
            )
        if must_exist and not self._path.stat().st_size:
            raise MissingStorageError(f"{str(self._path)!r} is an empty file: no study was ever kept in it")
        self._watch: PoolProxiedConnection | None = None
        self._watching = threading.Lock()
        self._engine = _make_engine(self.url) if _may_write(self._path) else _make_reading_engine(self._path)
        self.uuid, self.schema_version = self._open(must_exist)
        if not any_version:
            self._check_version()

    def commit(self, changes: Sequence[Change]) -> None:
        if not changes:
            return
        with self._writing() as connection:
            for statement, values in _statements(changes):
                connection.execute(statement, values)

    def rows(self, kind: type[R], **equal: Any) -> list[R]:
        with self.reading() as rows:
            return rows.rows(kind, **equal)

    @contextmanager
    def reading(self) -> Iterator[Moment]:
        flush_pending(self.uuid)
        with self.durable() as rows:
            yield rows

    @contextmanager
    def durable(self) -> Iterator[Moment]:
        with self._reading() as connection:
            yield _ConnectionRows(connection)

    def changes(self) -> object:
        flush_pending(self.uuid)
        with self._explained(), self._watching:  # SQLite tells a connection of the commits of all others
            if self._watch is None:
                self._watch = self._engine.raw_connection()
            return self._watch.cursor().execute("PRAGMA data_version").fetchone()

    def add_plan(self, row: PlanRow) -> PlanRow:
        table = TABLES[PlanRow]
        with self._writing() as connection:
            known = (
                connection.execute(sa.select(table).where(table.c.workload == row.workload, table.c.fork == row.fork))
                .mappings()
                .first()
            )
            if known is not None:
                return PlanRow(**known)
            row = changed(row, plan=_next_number(connection, table.c.plan))
            connection.execute(sa.insert(table), [_values(row)])
        return row

    def add_study(self, row: StudyRow, plans: Mapping[str, int]) -> StudyRow:
        table = TABLES[StudyRow]
        with self._writing() as connection:
            same = sa.select(table.c.study).where(
                table.c.name == row.name, table.c.generation == row.generation, sa.not_(table.c.deleted)
            )
            if connection.execute(same).first() is not None:
                raise StudyExistsError(f"there is a study {row.name!r} already in {self.url}")
            row = changed(row, study=_next_number(connection, table.c.study))
            connection.execute(sa.insert(table), [_values(row)])
            connection.execute(sa.insert(TABLES[StudyPlanRow]), list(map(_values, members_of(row.study, plans))))
        return row

    def lock(self, plan: int) -> PlanLock:
        path = self._path.with_name(f"{self._path.name}.plan{plan}.lock")
        return FileLock(path, f"plan {plan} of {self.url}")

    def close(self) -> None:
        with self._watching:
            if self._watch is not None:
                self._watch.close()
            self._watch = None
        self._engine.dispose()

    # --- opening

    def _open(self, must_exist: bool) -> tuple[str, int]:
        """Return what names the database, and the number of its schema; make its tables if there are none."""
        with self._reading() as connection:
            known = sa.inspect(connection).get_table_names()
            if database.name in known:
                return self._read_version(connection)
            if known:
                raise StorageError(
                    f"{self.url} holds {len(known)} tables ({', '.join(sorted(known)[:3])}, ...) that are not hippo's. "
                    "Give hippo a database of its own, for instance storage='sqlite:///hippo.db'."
                )
        if must_exist:
            raise MissingStorageError(f"{self.url} holds no table: no study was ever kept in it, or it was cut")
        with self._writing() as connection:
            # somebody may have been faster between the look and the lock
            if not sa.inspect(connection).has_table(database.name):
                metadata.create_all(connection)
                fresh = {"uuid": uuids.uuid4().hex, "schema_version": SCHEMA_VERSION}
                connection.execute(sa.insert(database), [fresh])
            return self._read_version(connection)

    def _read_version(self, connection: Connection) -> tuple[str, int]:
        row = connection.execute(sa.select(database)).first()
        if row is None:
            raise StorageError(f"{self.url} was left half made by another program; delete it, or use another file")
        return str(row.uuid), int(row.schema_version)

    def _check_version(self) -> None:
        if self.schema_version > SCHEMA_VERSION:
            raise StorageError(
                f"{self.url} is of schema version {self.schema_version}, and this hippo knows version "
                f"{SCHEMA_VERSION}: a newer hippo wrote it. Upgrade hippo (pip install -U hippo), or use another "
                "database."
            )
        if self.schema_version < SCHEMA_VERSION:
            raise StorageError(
                f"{shown_url(self.url)} is of schema version {self.schema_version}, and this hippo works with version "
                f"{SCHEMA_VERSION}. `hippo db upgrade --storage {shown_url(self.url)}` brings it there, with all that "
                "it knows (it needs: pip install 'hippo[alembic]')."
            )

    # --- upgrading

    def plan_numbers(self) -> list[int]:
        """Return the numbers of all plans, whatever the schema."""
        with self._reading() as connection:
            return list(connection.execute(sa.text("SELECT plan FROM hippo_plan ORDER BY plan")).scalars())

    @contextmanager
    def changing_tables(self) -> Iterator[Connection]:
        """Yield the connection of one transaction, for a migration: its tables are changed as a whole or not at all."""
        with self._writing() as connection:
            yield connection

    # --- transactions

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._explained(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._explained(), self._engine.connect().execution_options(hippo_reads_only=True) as connection:
            yield connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError as error:
            raise StorageError(f"{self.url}: recorded before, and facts do not change ({error.orig})") from error
        except DBAPIError as error:
            # From nothing: all that the driver said is in the message, and SQLAlchemy brings forty of its frames along.
            raise StorageError(f"{self.url} cannot be used: {error.orig}. {_advice(str(error.orig))}") from None
        except SQLAlchemyError as error:
            raise StorageError(f"{self.url} cannot be used: {error}") from error
        except StorageError:
            raise
        except Exception as error:  # drivers raise what they like: a text that is none, an integer that is too large
            raise StorageError(
                f"{self.url} cannot take this: {type(error).__name__}: {error}. {_advice('')}"
            ) from error


class _ConnectionRows:
    """Rows as one transaction sees them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def rows(self, kind: type[R], **equal: Any) -> list[R]:
        table = TABLES[kind]
        query = sa.select(table).order_by(*(table.c[name] for name in KEY_FIELDS[kind]))
        query = query.where(*_conditions(table, equal))
        return [kind(**row) for row in self._connection.execute(query).mappings()]

    def columns(
        self,
        kind: type[Row],
        names: Sequence[str],
        *,
        order: Sequence[str] = (),
        limit: int | None = None,
        after: int = 0,
        upto: int | None = None,
        **where: Any,
    ) -> list[tuple[Any, ...]]:
        table, found = TABLES[kind], list[tuple[Any, ...]]()
        for part in _parts(where):
            query = sa.select(*(table.c[name] for name in names)).where(*_inserted(table, after, upto, part))
            query = query.order_by(*(table.c[name] for name in order) if order else (_row_number,)).limit(limit)
            found += map(tuple, self._connection.execute(query).all())
        return found

    def totals(
        self, kind: type[Row], by: Sequence[str], of: str, *, after: int = 0, upto: int | None = None, **where: Any
    ) -> list[tuple[Any, ...]]:
        table = TABLES[kind]
        groups, field = [table.c[name] for name in by], table.c[of]
        sums = (sa.func.count(), sa.func.count(field), sa.func.coalesce(sa.func.sum(field), 0.0), sa.func.min(field))
        query = sa.select(*groups, *sums).where(*_inserted(table, after, upto, where))
        return list(map(tuple, self._connection.execute(query.group_by(*groups).order_by(*groups)).all()))

    def mark(self, kind: type[Row]) -> int:
        query = sa.select(sa.func.coalesce(sa.func.max(_row_number), 0)).select_from(TABLES[kind])
        return int(self._connection.execute(query).scalar_one())

    def largest(self, kind: type[Row], name: str, **where: Any) -> int | None:
        table = TABLES[kind]
        query = sa.select(sa.func.max(table.c[name])).where(*_conditions(table, where))
        found = self._connection.execute(query).scalar_one()
        return None if found is None else int(found)


#: SQLite numbers the rows of a table as they are inserted; nothing is ever removed, so that a number stays a row's own
_row_number: sa.ColumnClause[int] = sa.literal_column("rowid", sa.BigInteger())
#: values of `Among` in one statement, which may have 32,766 of them
_MOST_VALUES = 5_000


def _inserted(table: sa.Table, after: int, upto: int | None, where: Where) -> list[sa.ColumnElement[bool]]:
    """Return the conditions on rows that were inserted between two marks."""
    marks: list[sa.ColumnElement[bool]] = [_row_number > after] if after else []
    marks += [_row_number <= upto] if upto is not None else []
    return marks + _conditions(table, where, is_indexed=not after)


def _conditions(table: sa.Table, where: Where, *, is_indexed: bool = True) -> list[sa.ColumnElement[bool]]:
    """Return conditions on fields.

    Args:
      table: whose fields.
      where: what is asked for.
      is_indexed: False keeps numbers from being looked up in an index: SQLite would walk a whole plan to find the few
        rows that came last.
    """
    return [_condition(table.c[name], wanted, is_indexed) for name, wanted in where.items()]


def _condition(column: sa.ColumnElement[Any], wanted: Any, is_indexed: bool) -> sa.ColumnElement[bool]:
    found: sa.ColumnElement[bool]
    match wanted:
        case Among(values):
            found = column.in_(list(values))
        case AtMost(most):
            found = column <= most
        case Known():
            found = column.is_not(None)
        case int() if not is_indexed and not isinstance(wanted, bool):
            found = column + 0 == wanted
        case _:
            found = column == wanted
    return found


def _parts(where: Where) -> Iterator[Where]:
    """Yield conditions that together ask for the same, none of them of more values than a statement may have."""
    name = next((name for name, wanted in where.items() if isinstance(wanted, Among)), None)
    values = [] if name is None else sorted(where[name].values)
    if name is None or len(values) <= _MOST_VALUES:
        yield where
        return
    for begin in range(0, len(values), _MOST_VALUES):
        yield {**where, name: Among(values[begin : begin + _MOST_VALUES])}


def _advice(problem: str) -> str:
    if "malformed" in problem or "corrupt" in problem:
        return (
            "The file is damaged: it was cut, or changed by another program. Put a copy of it back, or rescue what can "
            "be read: sqlite3 FILE .recover | sqlite3 NEW. Where checkpoints are left, a study that is run again in a "
            "new database trains again, but loses nothing else."
        )
    if "not a database" in problem:
        return "The file is not an SQLite database; give the study another file."
    if "readonly" in problem:
        return "To train, the file and its folder must be there and writable; its results can be read all the same."
    if "unable to open" in problem:
        return "The file and its folder must be there and writable; check the path and its permissions."
    if "locked" in problem:
        return "Another program holds the whole database; close it and run the script again: it goes on where it was."
    return "Nothing of this batch was recorded."


def _sqlite_path(url: str) -> Path:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # ValueError: a port that is no number
        raise StorageError(
            f"storage={shown_url(url)!r} is not a database URL; write for instance 'sqlite:///hippo.db', or "
            "'memory://' for none"
        ) from None
    if parsed.get_backend_name() != "sqlite":
        raise StorageError(
            f"storage={shown_url(url)!r}: this version of hippo keeps studies in SQLite ('sqlite:///file.db') or in "
            "memory ('memory://'); database servers come later"
        )
    if not parsed.database or parsed.database == ":memory:":
        raise StorageError(f"storage={shown_url(url)!r} names no file; use 'memory://' to keep nothing")
    return Path(parsed.database.removeprefix("file:").partition("?")[0]).resolve()


def _make_engine(url: str) -> Engine:
    engine = sa.create_engine(url)

    @sa.event.listens_for(engine, "connect")
    def _configure(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # the driver must not begin transactions by itself
        for pragma in ("busy_timeout=60000", "journal_mode=WAL", "synchronous=NORMAL"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        reads_only = connection.get_execution_options().get("hippo_reads_only")
        connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")

    return engine


def _may_write(path: Path) -> bool:
    """Tell whether a database may be written: SQLite writes files beside it, too. One that is not there is made."""
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


def _make_reading_engine(path: Path) -> Engine:
    """Return an engine for a database that this user may read and not write.

    Raises:
      StorageError: its latest changes lie in a journal that only somebody who may write can read.
    """
    journal, index = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    options = "mode=ro"
    if not (journal.exists() and index.exists()):
        # SQLite would make the index of the journal, which it may not. Without a journal the file is all there is.
        if journal.exists() and journal.stat().st_size:
            raise StorageError(
                f"{str(path)!r} may only be read, and its latest changes lie in {journal.name}, which SQLite cannot "
                "read without writing beside it. Copy both files into a folder of yours, and name the copy."
            )
        options = "mode=ro&immutable=1"
    name = f"file:{urllib.parse.quote(str(path))}?{options}"

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(name, uri=True, check_same_thread=False, isolation_level=None)
        connection.execute("PRAGMA busy_timeout=60000")
        return connection

    return sa.create_engine("sqlite://", creator=connect, poolclass=sa.pool.NullPool)


def _next_number(connection: Connection, column: sa.ColumnElement[int]) -> int:
    return int(connection.execute(sa.select(sa.func.coalesce(sa.func.max(column), 0))).scalar_one()) + 1


def _values(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _FIELDS[type(row)]}


_FIELDS = {kind: tuple(f.name for f in fields(kind)) for kind in ROW_TYPES}


def _statements(changes: Sequence[Change]) -> Iterator[tuple[sa.Executable, list[dict[str, Any]]]]:
    """Yield one statement for each table that is inserted into, then one for each that is updated."""
    inserts: dict[type[Row], list[dict[str, Any]]] = {}
    updates: dict[type[Row], dict[tuple[Any, ...], Row]] = {}
    for change in changes:
        match change:
            case Insert(row):
                inserts.setdefault(type(row), []).append(_values(row))
            case Update(row):
                updates.setdefault(type(row), {})[key_of(row)] = row  # the last one holds
    for kind, values in inserts.items():
        yield sa.insert(TABLES[kind]), values
    for kind, rows in updates.items():
        names = (*KEY_FIELDS[kind], *MUTABLE_FIELDS[kind])
        yield _update(kind), [{f"_{name}": getattr(row, name) for name in names} for row in rows.values()]


def _update(kind: type[Row]) -> sa.Update:
    table = TABLES[kind]
    return (
        sa.update(table)
        .where(*(table.c[name] == sa.bindparam(f"_{name}") for name in KEY_FIELDS[kind]))
        .values({name: sa.bindparam(f"_{name}") for name in MUTABLE_FIELDS[kind]})
    )
