"""A database in a server: PostgreSQL, or MariaDB and MySQL.

One connection of a store writes, and that same connection holds the locks of its plans. So whoever can commit holds the
lock: a session that the server ended can neither, and before its successor writes, it takes the locks again and looks
whether anybody wrote to those plans meanwhile.

Writers of a database go one after the other, as in SQLite: each first changes the row of `hippo_counter`, which numbers
the rows that it inserts, and the updates that others follow. Numbers therefore ascend in the order of commits, which
readers of what is new rely on; and a commit whose reply was lost is recognised by its first row, under its number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.exc import DBAPIError

from hippo.errors import StorageError
from hippo.plan.locks import PlanLock
from hippo.plan.repeating import Patience
from hippo.plan.rows import FOLLOWED_TYPES, Change, Insert, PlanRow, Row, Update
from hippo.plan.server_dialects import Dialect, dialect_of
from hippo.plan.server_session import ServerLock, ServerSession, make_server_engine
from hippo.plan.sql_rows import Tables
from hippo.plan.sql_statements import TEXTS
from hippo.plan.store import FIELDS, key_of, updated
from hippo.plan.tables import ServerTables, fresh_database, server_tables
from hippo.plan.urls import remember_url

T = TypeVar("T")


class ServerDatabase:
    """What an SQL store must know of a database in a server.

    Args:
      url: as the user gave it.
      driven: the same, for the driver.
    """

    def __init__(self, url: str, driven: URL) -> None:
        self._dialect: Dialect = dialect_of(driven)
        self._dialect.check_driver()
        self._given = url
        self.url = shown = remember_url(url)
        self._engine: Engine = make_server_engine(driven, self._dialect)
        self._patience = Patience(f"the database {shown}")
        self._session = ServerSession(self._engine, self._dialect, shown, self._patience)
        self._password = driven.password
        self._tables: ServerTables | None = None
        self._is_open = False

    @property
    def tables(self) -> Tables:
        return self._server_tables.tables

    @property
    def _server_tables(self) -> ServerTables:
        if self._tables is None:
            with self._engine.connect() as connection:
                collation = self._dialect.collation(connection)
            self._tables = server_tables(collation, is_mysql=self._dialect.is_mysql)
            self._session.plans = self._tables.tables[PlanRow]
        return self._tables

    def check_exists(self) -> None:
        pass  # the server tells when it is asked

    def connect(self) -> Connection:
        """Return a connection that reads; a server that is restarted is waited for once it was there."""
        if not self._is_open:
            connection = self._engine.connect()
            self._is_open = True
        else:
            connection = self._patience.repeat(self._engine.connect, self._dialect.is_passing)
        return self._dialect.reading(connection)

    def create(self) -> None:
        with self._engine.connect() as connection:
            self._dialect.begin_creating(connection)
            try:
                self._create(connection)
                connection.commit()
            finally:
                self._dialect.end_creating(connection)

    def _create(self, connection: Connection) -> None:
        found = self._server_tables
        # MySQL commits at each table that is made: who was killed in the midst left some; the row comes last
        found.metadata.create_all(connection)
        if connection.execute(sa.select(found.counter.c.one)).first() is None:
            connection.execute(sa.insert(found.counter), [{"one": 1, "commits": 0, "inserted": 0}])
        if connection.execute(sa.select(found.database.c.uuid)).first() is None:
            connection.execute(sa.insert(found.database), [fresh_database()])

    def write(self, work: Callable[[Connection, int], T], changes: Sequence[Change] = ()) -> T:
        inserted = [change.row for change in changes if isinstance(change, Insert)]
        _check_texts(changes, self._dialect)
        followed = sum(isinstance(change, Update) and type(change.row) in FOLLOWED_TYPES for change in changes)
        attempts: list[tuple[int, T]] = []

        def attempt(connection: Connection) -> T:
            first = self._dialect.count(connection, self._server_tables.counter, len(inserted) + followed)
            attempts.append((first, result := work(connection, first)))
            return result

        def has_landed(connection: Connection) -> bool:
            """Tell whether the attempt before is in the database: one that only updates is harmless to repeat."""
            if not attempts or not inserted:
                return False
            # the attempt before may still be at its commit: it is waited for, as any other writer
            self._dialect.count(connection, self._server_tables.counter, 0)
            first, result = attempts[-1]
            # a plan and a study get their numbers within the transaction
            row = result if isinstance(result, Row) else _in_the_end(inserted[0], changes)
            return self._is_there(connection, row, first)

        written = [change.row for change in changes if isinstance(change.row, PlanRow)]
        self._session.write(attempt, has_landed, written)
        return attempts[-1][1]

    def _is_there(self, connection: Connection, row: Row, mark: int) -> bool:
        """Tell whether a row was inserted under a number: that of a transaction undone is given to another writer."""
        table, names = self.tables[type(row)], FIELDS[type(row)]
        query = sa.select(*(table.c[name] for name in names)).where(table.c.inserted == mark)
        return connection.execute(query).first() == tuple(getattr(row, name) for name in names)

    def make_update(self, table: sa.Table, keys: Sequence[str], names: Sequence[str]) -> sa.Executable:
        return self._dialect.upsert(table, keys, names)

    def execute(self, connection: Connection, statement: sa.Executable, values: Sequence[Mapping[str, Any]]) -> None:
        connection.execute(statement, values)

    def mark_of(self, table: sa.Table) -> sa.ColumnElement[int]:
        return table.c.inserted

    def changes(self) -> object:
        with self.connect() as connection:
            return connection.execute(sa.select(self._server_tables.counter.c.commits)).scalar_one()

    def lock(self, uuid: str, plan: int) -> PlanLock:
        assert self._server_tables.tables  # whoever takes the lock looks who wrote last
        return ServerLock(self._session, uuid, plan, f"plan {plan} of {self.url}")

    def advice(self, problem: str) -> str:
        return self._dialect.advice(problem)

    def is_away(self, error: DBAPIError) -> bool:
        return self._dialect.is_passing(error)

    def close(self) -> None:
        self._session.close()
        self._engine.dispose()


def _in_the_end(row: Row, changes: Sequence[Change]) -> Row:
    """Return a row that is inserted as the changes with it leave it."""
    for change in changes:
        if isinstance(change, Update) and type(change.row) is type(row) and key_of(change.row) == key_of(row):
            row = updated(row, change.row)
    return row


def _check_texts(changes: Sequence[Change], dialect: Dialect) -> None:
    """Raise a `StorageError` for a text that the server would refuse, or keep as another one."""
    for change in changes:
        row = change.row
        for name in TEXTS[type(row)]:
            value = getattr(row, name)
            if not value.isascii() or (dialect.refuses_null and "\0" in value):  # nearly none is
                _check_text(row, name, value, dialect)


def _check_text(row: Row, name: str, text: str, dialect: Dialect) -> None:
    where = f"{type(row).__name__}.{name}"
    if "\0" in text and dialect.refuses_null:
        raise StorageError(f"{where} holds the character U+0000 ({text[:40]!r}...), which {dialect.name} does not keep")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise StorageError(f"{where} holds a lone surrogate, which no database keeps: {error}") from None
