"""A database in an SQLite file.

SQLite needs care (measured): `BEGIN IMMEDIATE` instead of the driver's own transactions, so that a writer queues
instead of failing when it upgrades; write-ahead logging, so that readers never wait; a long busy time-out.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import PoolProxiedConnection

from hippo.errors import MissingStorageError, PlanTakenOverError, StorageError, StorageNameError
from hippo.plan.file_reader import FileReader
from hippo.plan.held_plans import HeldPlans
from hippo.plan.locks import FileLock, PlanLock
from hippo.plan.rows import Change, PlanRow
from hippo.plan.sql_rows import Tables
from hippo.plan.sql_statements import StatementTexts, plain_update
from hippo.plan.tables import TABLES, database, fresh_database, metadata
from hippo.plan.urls import shown_url

T = TypeVar("T")


class SqliteFile:
    """What an SQL store must know of a file: how it is opened, written and locked."""

    tables: Tables = TABLES

    def __init__(self, url: str) -> None:
        self._path = sqlite_path(url)
        # a relative path is resolved now: the script may change its folder later
        self.url = url if "file:" in url else f"sqlite:///{self._path}"
        self._watch: PoolProxiedConnection | None = None
        self._times_watched = 0
        self._watching = threading.Lock()
        self._engine: Engine | None = None
        #: the first of a database that may be written, the second of one that may only be read
        self._file: _OpenedFile | None = None
        self._reader: FileReader | None = None
        self._held = HeldPlans()
        self._statements = StatementTexts()

    def check_exists(self) -> None:
        if not self._path.exists():
            raise MissingStorageError(
                f"there is no database {str(self._path)!r}; check --storage, or run a study first"
            )
        if not self._path.stat().st_size:
            raise MissingStorageError(f"{str(self._path)!r} is an empty file: no study was ever kept in it")

    @property
    def engine(self) -> Engine:
        if (reader := self._found_reader()) is not None:
            return reader.engine
        if self._engine is None:
            self._file = _OpenedFile(self._path)
            self._engine = _make_engine(self.url, self._file)
        return self._engine

    def _found_reader(self) -> FileReader | None:
        """Return who reads a database that this user may not write, which is found out once; None if they may."""
        if self._engine is None and self._reader is None and not _may_write(self._path):
            self._reader = FileReader(self._path)
        return self._reader

    def mark_of(self, table: sa.Table) -> sa.ColumnElement[int]:
        return _row_number  # SQLite numbers the rows of a table as they are inserted

    def connect(self) -> AbstractContextManager[Connection]:
        if (reader := self._found_reader()) is not None:
            return reader.connect()
        return self.engine.connect().execution_options(hippo_reads_only=True)

    def make_update(self, table: sa.Table, keys: Sequence[str], names: Sequence[str]) -> sa.Executable:
        return plain_update(table, keys, names)

    def execute(self, connection: Connection, statement: sa.Executable, values: Sequence[Mapping[str, Any]]) -> None:
        self._statements.execute(connection, statement, values)

    def write(self, work: Callable[[Connection, int], T], changes: Sequence[Change] = ()) -> T:
        plans = [change.row for change in changes if type(change.row) is PlanRow]
        with self.engine.begin() as connection:
            self._check_writers(connection)
            result = work(connection, 0)
            self._held.expect(plans)
        self._held.settle(plans)
        return result

    def _check_writers(self, connection: Connection) -> None:
        """Refuse to write where another process took over a plan that is locked here: its lock file was removed, say.

        Rows are read only if anybody has committed elsewhere since this connection looked: that costs half a commit.
        """
        if not (held := self._held.all()):
            return
        driver: Any = connection.connection.driver_connection
        seen = (driver.execute("PRAGMA data_version").fetchone(), held)
        if connection.info.get("hippo_seen") == seen:
            return
        table = TABLES[PlanRow]
        query = sa.select(table.c.plan, table.c.epoch, table.c.writer).where(table.c.plan.in_(held))
        for plan, epoch, writer in connection.execute(query):
            if not self._held.is_as_known(plan, (epoch, writer)):
                raise PlanTakenOverError(
                    f"plan {plan} of {self.url} was taken over by another process, though this one holds its lock: the "
                    "lock file was removed or replaced, or the file system does not keep locks. This process writes "
                    "nothing more; run the script again to go on where the other one is."
                )
        connection.info["hippo_seen"] = seen

    def changes(self) -> object:
        if (reader := self._found_reader()) is not None:
            return reader.changes()
        with self._watching:
            if self._watch is None:
                self._watch = self.engine.raw_connection()
                self._times_watched += 1
            if self._file is not None:
                self._file.check()
            # SQLite tells a connection of the commits of all others, and each one by numbers of its own
            return self._times_watched, self._watch.cursor().execute("PRAGMA data_version").fetchone()

    def create(self) -> None:
        self.write(lambda connection, _: self._create(connection))

    def lock(self, uuid: str, plan: int) -> PlanLock:
        path = self._path.with_name(f"{self._path.name}.plan{plan}.lock")
        return _PlanFileLock(FileLock(path, f"plan {plan} of {self.url}"), self._held, plan)

    def _create(self, connection: Connection) -> None:
        # somebody may have been faster between the look and the lock
        if not sa.inspect(connection).has_table(database.name):
            metadata.create_all(connection)
            connection.execute(sa.insert(database), [fresh_database()])

    def close(self) -> None:
        with self._watching:
            if self._watch is not None:
                self._watch.close()
            self._watch = None
        if self._reader is not None:
            self._reader.close()
        if self._engine is not None:
            self._engine.dispose()

    def advice(self, problem: str) -> str:
        if "malformed" in problem or "corrupt" in problem:
            return (
                "The file is damaged: it was cut, or changed by another program. Put a copy of it back, or rescue what "
                "can be read: sqlite3 FILE .recover | sqlite3 NEW. Where checkpoints are left, a study that is run "
                "again in a new database trains again, but loses nothing else."
            )
        if "not a database" in problem:
            return "The file is not an SQLite database; give the study another file."
        if "readonly" in problem:
            return "To train, the file and its folder must be there and writable; its results can be read all the same."
        if "unable to open" in problem:
            return "The file and its folder must be there and writable; check the path and its permissions."
        if "is full" in problem:
            return "Make room on its disk and run the script again: it goes on where it was."
        if "disk I/O error" in problem:  # what SQLite says where a quota is used up, too
            return (
                "Its disk is away or failing, or a quota of it or a limit of the file's size is reached: mend that and "
                "run the script again: it goes on where it was."
            )
        if "locked" in problem:
            return (
                "Another program holds the whole database; close it and run the script again: it goes on where it was."
            )
        return "What was being written is not recorded."

    def is_away(self, error: DBAPIError) -> bool:
        return "locked" in str(error.orig)


_row_number: sa.ColumnClause[int] = sa.literal_column("rowid", sa.BigInteger())


def sqlite_path(url: str) -> Path:
    """Return the file that a URL names.

    Raises:
      StorageError: it names none, or says how it is to be opened where that would be ignored.
    """
    parsed = make_url(url)
    if parsed.query and not str(parsed.database).startswith("file:"):
        raise StorageNameError(
            f"storage={shown_url(url)!r}: {', '.join(sorted(parsed.query))} would be ignored. SQLite takes options of "
            f"a file as 'sqlite:///file:{parsed.database}?mode=ro&uri=true'"
        )
    if not parsed.database or parsed.database == ":memory:":
        raise StorageNameError(f"storage={shown_url(url)!r} names no file; use 'memory://' to keep nothing")
    try:
        return Path(parsed.database.removeprefix("file:").partition("?")[0]).resolve()
    except FileNotFoundError:
        raise StorageNameError(
            f"storage={shown_url(url)!r} lies in the current folder, which is gone: name it from the root, as in "
            "'sqlite:////home/me/hippo.db', or start the script elsewhere"
        ) from None


class _PlanFileLock:
    """The lock of a plan, and the knowledge that it is held."""

    def __init__(self, lock: FileLock, held: HeldPlans, plan: int) -> None:
        self._lock = lock
        self._held = held
        self._plan = plan

    def acquire(self) -> None:
        self._lock.acquire()
        self._held.hold(self._plan)

    def release(self) -> None:
        if self._lock.is_held:
            self._held.let_go(self._plan)
        self._lock.release()


class _OpenedFile:
    """Sees to it that a path leads to the file that was opened.

    SQLite goes on with an open file that has no name any more, or another one: what is written there is lost, or its
    journal is applied to the file that took its place.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        #: device and number of the file that was opened; None: none was yet
        self._opened: tuple[int, int] | None = None

    def note_opened(self) -> None:
        """Note which file it is, when the first connection has made or opened it."""
        if self._opened is None:
            self._opened = self._there()

    def check(self) -> None:
        """Refuse to go on with a file that is no longer there.

        Raises:
          StorageError: it was removed, or another one lies in its place.
        """
        there = self._there()
        if self._opened is not None and there != self._opened:
            what = "was removed" if there is None else "was replaced by another one"
            raise StorageError(
                f"the database file {str(self._path)!r} {what} while it was in use. Nothing is read from what is there "
                "now, and nothing more is recorded; the training states are where they were. Put the file back, or "
                f"begin with the new one, and start this again.{self._journal_hint()}"
            )

    def _journal_hint(self) -> str:
        """Return what to do with the journal of the file that was opened, if it lies there still."""
        beside = [path.name for end in ("-wal", "-shm") if (path := Path(f"{self._path}{end}")).exists()]
        if not beside:
            return ""
        return (
            f" {' and '.join(beside)} beside it belong to the file that was there: move them away with it, before "
            "anything opens the new one, or SQLite writes their content into that."
        )

    def _there(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._path)
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino


def _make_engine(url: str, file: _OpenedFile) -> Engine:
    engine = sa.create_engine(url)

    @sa.event.listens_for(engine, "do_connect")
    def _look(*_: Any) -> None:
        file.check()  # a connection would make a new file

    @sa.event.listens_for(engine, "connect")
    def _configure(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # the driver must not begin transactions by itself
        connection.execute("PRAGMA busy_timeout=60000")
        write_ahead(connection)
        connection.execute("PRAGMA synchronous=NORMAL")
        file.note_opened()

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        file.check()
        reads_only = connection.get_execution_options().get("hippo_reads_only")
        connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")

    return engine


#: one that finds the file locked has met another that went ahead, and each goes ahead once
_MOST_MET = 100


def write_ahead(connection: Any) -> None:
    """Have a file's changes logged ahead: of a new one with others who are just opening it.

    SQLite does not wait for these, whatever the busy time-out: it calls the file locked. A transaction does wait.
    """
    for _ in range(_MOST_MET):
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    connection.execute("PRAGMA journal_mode=WAL")


def _may_write(path: Path) -> bool:
    """Tell whether a database may be written: SQLite writes files beside it, too. One that is not there is made."""
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))
