"""Rows in an SQL database: transactions, what is read and written in them, and how a database is opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from hippo.errors import MissingStorageError, StorageError, StudyExistsError, UnreachableDatabaseError
from hippo.frozen import changed
from hippo.plan.locks import PlanLock
from hippo.plan.pending import flush_pending
from hippo.plan.rows import Change, Insert, PlanRow, Row, StudyRow
from hippo.plan.sql_rows import SqlRows, Tables
from hippo.plan.sql_statements import WriteStatements
from hippo.plan.store import FIELDS, Moment, members_of
from hippo.plan.tables import SCHEMA_VERSION, database
from hippo.plan.urls import words_about

R = TypeVar("R", bound=Row)
T = TypeVar("T")


class SqlDatabase(Protocol):
    """What differs between databases."""

    #: how a message names it: without a password
    url: str

    @property
    def tables(self) -> Tables:
        """Kind of row -> its table."""

    def check_exists(self) -> None:
        """Raise a `MissingStorageError` if it is known, before a connection is made, that there is none."""

    def connect(self) -> AbstractContextManager[Connection]:
        """Return a connection that only reads: what it reads is of one moment, that of its first look."""

    def create(self) -> None:
        """Make the tables, unless another process is faster."""

    def write(self, work: Callable[[Connection, int], T], changes: Sequence[Change] = ()) -> T:
        """Do work in one transaction, alone among all writers, and return what it returned.

        Args:
          work: takes the connection, and the mark of the first row that is inserted (0 where the database numbers rows
            itself). It is done again if the connection was lost before all was durable.
          changes: what the work inserts and updates.
        """

    def make_update(self, table: sa.Table, keys: Sequence[str], names: Sequence[str]) -> sa.Executable:
        """Return a statement that updates rows (`hippo.plan.sql_statements`)."""

    def execute(self, connection: Connection, statement: sa.Executable, values: Sequence[Mapping[str, Any]]) -> None:
        """Insert or update rows; the same statement always comes with values of the same names."""

    def mark_of(self, table: sa.Table) -> sa.ColumnElement[int]:
        """Return the column that numbers rows as they are inserted."""

    def changes(self) -> object:
        """Return what is equal for as long as nobody commits."""

    def lock(self, uuid: str, plan: int) -> PlanLock:
        """Return the lock of a plan, not yet taken."""

    def advice(self, problem: str) -> str:
        """Return what to do about a driver's message."""

    def is_away(self, error: DBAPIError) -> bool:
        """Tell whether that is an error of a database that does not answer for now."""

    def close(self) -> None:
        """Let go of files and connections."""


class SqlStore:
    """Rows in an SQL database. Its tables are made when there are none; one that may only be read can be."""

    takes_groups = True
    opens_by_parts = True

    def __init__(self, database: SqlDatabase, *, must_exist: bool = False, any_version: bool = False) -> None:
        """Open the database.

        Args:
          database: which one.
          must_exist: make none.
          any_version: open it whatever its schema, to upgrade it: its rows cannot be read then.

        Raises:
          StorageError: it cannot be opened or made, it is not hippo's, its schema is not that of this version of hippo,
            or (with `must_exist`) it is not there or empty.
        """
        self._database = database
        self.url = database.url
        if must_exist:
            database.check_exists()
        self.uuid, self.schema_version = self._open(must_exist)
        if not any_version:
            self._check_version()

    def commit(self, changes: Sequence[Change]) -> None:
        if not changes:
            return
        with self._explained():
            self._database.write(lambda connection, first: self._execute(connection, changes, first), changes)

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
            yield SqlRows(connection, self._database.tables, self._database.mark_of)

    def changes(self) -> object:
        flush_pending(self.uuid)
        with self._explained():
            return self._database.changes()

    def add_plan(self, row: PlanRow) -> PlanRow:
        table = self._database.tables[PlanRow]

        def add(connection: Connection, first: int) -> PlanRow:
            same = sa.select(*_columns(table, PlanRow)).where(
                table.c.workload == row.workload, table.c.fork == row.fork
            )
            known = connection.execute(same).mappings().first()
            if known is not None:
                return PlanRow(**known)
            numbered = changed(row, plan=_next_number(connection, table.c.plan))
            self._execute(connection, [Insert(numbered)], first)
            return numbered

        with self._explained():
            return self._database.write(add, [Insert(row)])

    def add_study(self, row: StudyRow, plans: Mapping[str, int]) -> StudyRow:
        table = self._database.tables[StudyRow]
        changes = [Insert(row), *map(Insert, members_of(row.study, plans))]

        def add(connection: Connection, first: int) -> StudyRow:
            same = sa.select(table.c.study).where(
                table.c.name == row.name, table.c.generation == row.generation, sa.not_(table.c.deleted)
            )
            if connection.execute(same).first() is not None:
                raise StudyExistsError(f"there is a study {row.name!r} already in {self.url}")
            numbered = changed(row, study=_next_number(connection, table.c.study))
            members = map(Insert, members_of(numbered.study, plans))
            self._execute(connection, [Insert(numbered), *members], first)
            return numbered

        with self._explained():
            return self._database.write(add, changes)

    def _execute(self, connection: Connection, changes: Sequence[Change], first: int) -> None:
        for statement, values in self._statements.of(changes, first):
            self._database.execute(connection, statement, values)

    @cached_property
    def _statements(self) -> WriteStatements:
        # of a server, what tables are like is known once it was asked
        return WriteStatements(self._database.tables, self._database.make_update)

    def lock(self, plan: int) -> PlanLock:
        return self._database.lock(self.uuid, plan)

    def close(self) -> None:
        self._database.close()

    # --- opening

    def _open(self, must_exist: bool) -> tuple[str, int]:
        """Return what names the database, and the number of its schema; make its tables if there are none."""
        found = self._look()
        if found is None:
            if must_exist:
                raise MissingStorageError(f"{self.url} holds no table: no study was ever kept in it, or it was cut")
            with self._explained():
                self._database.create()
            found = self._look()
        if found is None:
            raise StorageError(f"{self.url} was left half made by another program; delete it, or use another file")
        return found

    def _look(self) -> tuple[str, int] | None:
        """Return what names the database, and the number of its schema; None if it has no tables."""
        with self._reading() as connection:
            known = sa.inspect(connection).get_table_names()
            if database.name in known:
                row = connection.execute(sa.select(database)).first()
                if row is not None:
                    return str(row.uuid), int(row.schema_version)
                if "hippo_plan" in known and connection.execute(sa.text("SELECT 1 FROM hippo_plan")).first():
                    raise StorageError(
                        f"{self.url} holds search plans, and its table {database.name} is empty: the row that names it "
                        "for its checkpoints is lost. Was it copied table by table? Copy all of them, or use a backup."
                    )
                return None
            foreign = [name for name in known if not name.startswith("hippo_")]
            if foreign:
                raise StorageError(
                    f"{self.url} holds {len(foreign)} tables ({', '.join(sorted(foreign)[:3])}, ...) that are not "
                    "hippo's. Give hippo a database of its own, for instance storage='sqlite:///hippo.db'."
                )
        return None

    def refuse_newer(self) -> None:
        """Refuse a database that a newer release wrote.

        Raises:
          StorageError: it is one.
        """
        if self.schema_version > SCHEMA_VERSION:
            raise StorageError(
                f"{self.url} is of schema version {self.schema_version}, and this hippo knows version "
                f"{SCHEMA_VERSION}: a newer hippo wrote it. Upgrade hippo (pip install -U hippo-tune), or use another "
                "database."
            )

    def _check_version(self) -> None:
        self.refuse_newer()
        if self.schema_version < SCHEMA_VERSION:
            raise StorageError(
                f"{self.url} is of schema version {self.schema_version}, and this hippo works with version "
                f"{SCHEMA_VERSION}. `hippo db upgrade --storage {self.url}` brings it there, with all that "
                "it knows (it needs: pip install 'hippo-tune[alembic]')."
            )

    # --- upgrading

    def plan_numbers(self) -> list[int]:
        """Return the numbers of all plans, whatever the schema."""
        with self._reading() as connection:
            return list(connection.execute(sa.text("SELECT plan FROM hippo_plan ORDER BY plan")).scalars())

    def change_tables(self, work: Callable[[Connection], T]) -> T:
        """Do the work of a migration in one transaction: tables are changed as a whole or not at all."""
        with self._explained():
            return self._database.write(lambda connection, _: work(connection))

    # --- transactions

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._explained(), self._database.connect() as connection:
            yield connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError as error:
            raise StorageError(f"{self.url}: recorded before, and facts do not change ({error.orig})") from error
        except DBAPIError as error:
            # From nothing: all that the driver said is in the message, and SQLAlchemy brings forty of its frames along.
            kind = UnreachableDatabaseError if self._database.is_away(error) else StorageError
            said = words_about(self.url, error.orig)
            raise kind(f"{self.url} cannot be used: {said}. {self._database.advice(said)}") from None
        except SQLAlchemyError as error:
            raise StorageError(f"{self.url} cannot be used: {words_about(self.url, error)}") from None
        except StorageError:
            raise
        except Exception as error:  # drivers raise what they like: a text that is none, an integer that is too large
            raise StorageError(
                f"{self.url} cannot take this: {type(error).__name__}: {error}. {self._database.advice('')}"
            ) from error


def _columns(table: sa.Table, kind: type[Row]) -> list[sa.ColumnElement[Any]]:
    return [table.c[name] for name in FIELDS[kind]]


def _next_number(connection: Connection, column: sa.ColumnElement[int]) -> int:
    return int(connection.execute(sa.select(sa.func.coalesce(sa.func.max(column), 0))).scalar_one()) + 1
