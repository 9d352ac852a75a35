"""Tries of a database that change nothing in it: what is there, how far away it is, whether it locks and takes writes.

What is written is taken back in the same transaction, and locks have names that no plan has. It refuses to know who
asks.
"""

from __future__ import annotations

import os
import secrets
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import SQLAlchemyError

from hippo.clock import SystemClock
from hippo.errors import MissingStorageError, StorageError
from hippo.plan.locks import lock_file
from hippo.plan.server_dialects import Dialect, dialect_of
from hippo.plan.server_session import make_server_engine
from hippo.plan.sql_opening import open_sql_store, with_driver
from hippo.plan.sqlite_file import sqlite_path
from hippo.plan.tables import server_tables
from hippo.plan.urls import shown_url, told_url, words_about

#: round trips whose median is told
_TRIPS = 9
#: a writer that is at its commit is waited for so long
_WAIT_S = 5


class DatabaseProbe(Protocol):
    """Tries of one database; each returns what it found, or raises a `StorageError` that says what is wrong."""

    def contents(self) -> str:
        """Connect, and tell whose tables are there."""

    def latency_s(self) -> float:
        """Return how long a question takes."""

    def lock(self) -> str:
        """Take a lock that no plan has, and give it back."""

    def write(self) -> str:
        """Begin what a writer begins, and take it back."""

    def close(self) -> None:
        """Let connections go."""


def probe_database(url: str) -> DatabaseProbe:
    """Return tries of a database by its URL; nothing is opened yet.

    Raises:
      StorageError: it is no URL of a database that hippo knows, or its driver is not installed.
    """
    given = told_url(url)
    try:
        parsed = make_url(given)
    except (sa.exc.ArgumentError, ValueError):
        open_sql_store(given, must_exist=True).close()  # which says what is wrong with it
        raise
    if parsed.get_backend_name() == "sqlite":
        return _FileProbe(given)
    if parsed.get_backend_name() not in ("postgresql", "postgres", "mysql", "mariadb"):
        open_sql_store(given, must_exist=True).close()
    return _ServerProbe(given)


def _contents(url: str) -> str:
    try:
        store = open_sql_store(url, must_exist=True)
    except MissingStorageError:
        return "reached; no studies yet, the first one makes its tables"
    store.close()
    return f"reached; hippo's tables, schema {store.schema_version}"


class _FileProbe:
    """Tries of an SQLite file. One that is not there is not made."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._path: Path = sqlite_path(url)

    def contents(self) -> str:
        if self._path.exists() and self._path.stat().st_size:
            return _contents(self._url)
        if not self._path.parent.is_dir():
            raise StorageError(f"there is no folder {str(self._path.parent)!r} for the database. Make it first.")
        return "not there yet; the first study makes it"

    def latency_s(self) -> float:
        if not self._path.exists():
            return 0.0
        clock = SystemClock()
        begun = clock.elapsed()
        self._path.open("rb").close()
        return clock.elapsed() - begun

    def lock(self) -> str:
        try:
            with tempfile.TemporaryFile(dir=self._path.parent) as file:
                lock_file(file.fileno())
        except OSError as error:
            raise StorageError(
                f"no file can be made and locked beside {str(self._path)!r} ({error.strerror or error}). The folder "
                "must be writable and, on a network, keep locks; else results can only be read there (load_study)."
            ) from error
        return "files beside it can be locked"

    def write(self) -> str:
        if self._path.exists() and not os.access(self._path, os.W_OK):
            raise StorageError(f"{str(self._path)!r} may only be read: results can be looked at, and nothing trained.")
        return "may be written"

    def close(self) -> None:
        pass


class _ServerProbe:
    """Tries of a database in a server."""

    def __init__(self, url: str) -> None:
        self._url = url
        driven = with_driver(make_url(url), shown_url(url))
        self._dialect: Dialect = dialect_of(driven)
        self._dialect.check_driver()
        self._engine = make_server_engine(driven, self._dialect)
        self._is_empty = False

    def contents(self) -> str:
        with self._connected():  # says who answers before what is in there is looked at
            pass
        found = _contents(self._url)
        self._is_empty = "no studies yet" in found
        return f"{self._dialect.name} {found}"

    def latency_s(self) -> float:
        clock, seconds = SystemClock(), []
        with self._connected() as connection:
            for _ in range(_TRIPS):
                begun = clock.elapsed()
                connection.execute(sa.select(sa.literal(1))).all()
                seconds.append(clock.elapsed() - begun)
        return statistics.median(seconds)

    def lock(self) -> str:
        name = secrets.token_hex(16)
        with self._connected() as holder, self._connected() as rival:
            self._dialect.check_session(holder, self._engine.connect, shown_url(self._url))
            if not self._dialect.take_lock(holder, name, 0):
                raise StorageError(f"{shown_url(self._url)} refuses a lock that nobody holds.")
            try:
                holder.commit()
                if self._dialect.take_lock(rival, name, 0):
                    self._dialect.give_lock(rival, name, 0)
                    raise StorageError(
                        f"{shown_url(self._url)} gives one lock to two sessions: two processes would write to a plan "
                        "at once. Give the URL of the server itself, with no pooler in between."
                    )
            finally:
                self._dialect.give_lock(holder, name, 0)
                holder.commit()
        return "taken by one session and refused to another"

    def write(self) -> str:
        with self._connected() as connection:
            if not self._is_empty:
                tables = server_tables(self._dialect.collation(connection), is_mysql=self._dialect.is_mysql)
                wait = "innodb_lock_wait_timeout = {}" if self._dialect.is_mysql else "lock_timeout = '{}s'"
                connection.exec_driver_sql(f"SET SESSION {wait.format(_WAIT_S)}")
                self._dialect.count(connection, tables.counter, 0)
                connection.rollback()
                return "a commit was begun and taken back"
            if self._dialect.is_mysql:
                return "not tried: this server cannot take a table back"
            connection.exec_driver_sql(f"CREATE TABLE hippo_probe_{secrets.token_hex(8)} (one integer)")
            connection.rollback()
        return "a table was made and taken back"

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            problem = " ".join(words_about(self._url, getattr(error, "orig", None) or error).split())
            advice = self._dialect.advice(problem).removesuffix("What was being written is not recorded.")
            raise StorageError(f"{shown_url(self._url)}: {problem.rstrip('.?')}. {advice}".strip()) from None
