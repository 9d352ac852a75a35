"""A database in an SQLite file that this user may read and not write.

SQLite reads a journal by an index beside it, which it would have to make. Where neither is there the file is all there
is, and is read without locks (`immutable`); as soon as somebody writes they are. So each connection looks anew.
"""

from __future__ import annotations

import sqlite3
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import PoolProxiedConnection

from hippo.errors import StorageError

#: how often it is tried again to open a file whose journal came or went meanwhile, and how soon
_TRIES, _PAUSE_S = 5, 0.05
#: device, number, time of the last change and size
_Stamp = tuple[int, ...]


class FileReader:
    """Connections to such a database, each of one moment.

    Args:
      path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._journal, self._index = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
        self._journaled = self._make_engine("mode=ro")
        self._still = self._make_engine("mode=ro&immutable=1")
        self._watching = threading.Lock()
        self._watch: PoolProxiedConnection | None = None
        #: the files that are watched, and how often there were new ones
        self._watched: list[_Stamp] = []
        self._times_watched = 0

    @property
    def engine(self) -> Engine:
        """One for whoever wants to write: SQLite tells them that they may not."""
        return self._journaled if self._has_journal() else self._still

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Return a connection.

        Raises:
          StorageError: the latest changes lie in a journal that only somebody who may write can read; or the file was
            changed while it was read without locks.
        """
        connection, stamp = self._opened()
        try:
            with connection:
                yield connection
        except DBAPIError:  # half of a change, perhaps
            self._check_unchanged(stamp)
            raise
        self._check_unchanged(stamp)

    def changes(self) -> object:
        """Return what is equal for as long as nobody commits."""
        with self._watching:
            try:
                if self._has_journal():
                    return self._watched_changes()
            except (StorageError, sqlite3.OperationalError):  # a writer has just ended; who reads now learns what is so
                self._times_watched += 1
                return self._times_watched
            self._forget_watch()
            return _stamp(self._path)

    def _watched_changes(self) -> object:
        files = [_stamp(path)[:2] for path in (self._path, self._journal, self._index)]
        if self._watch is None or self._watched != files:
            self._forget_watch()
            self._watch, self._watched = self._journaled.raw_connection(), files
            self._times_watched += 1
        return self._times_watched, self._watch.cursor().execute("PRAGMA data_version").fetchone()

    def close(self) -> None:
        with self._watching:
            self._forget_watch()

    def _forget_watch(self) -> None:
        if self._watch is not None:
            self._watch.close()
        self._watch = None

    def _opened(self) -> tuple[Connection, _Stamp]:
        """Return a connection that has begun to read, and what the file was like; nothing where locks protect it."""
        tries = 0
        while True:
            tries += 1
            try:
                has_journal = self._has_journal()
                stamp = () if has_journal else _stamp(self._path)
                connection = (self._journaled if has_journal else self._still).connect()
                try:
                    connection.exec_driver_sql("SELECT 1 FROM sqlite_master")
                except BaseException:
                    connection.close()
                    raise
                return connection, stamp
            except (StorageError, DBAPIError) as error:
                if tries == _TRIES or (isinstance(error, DBAPIError) and "unable to open" not in str(error.orig)):
                    raise
            threading.Event().wait(_PAUSE_S)  # a writer has just begun, or ended

    def _check_unchanged(self, stamp: _Stamp) -> None:
        if stamp and _stamp(self._path) != stamp:
            raise StorageError(
                f"{str(self._path)!r} may only be read, and was written to meanwhile, so that what was read may be of "
                "two moments. Read it again."
            )

    def _has_journal(self) -> bool:
        """Tell whether there is a journal, with its index, that is to be read with the file."""
        if self._journal.exists() and self._index.exists():
            return True
        with suppress(FileNotFoundError):
            if self._journal.stat().st_size:
                raise StorageError(
                    f"{str(self._path)!r} may only be read, and its latest changes lie in {self._journal.name}, which "
                    "SQLite cannot read without writing beside it. Copy both files into a folder of yours, and name "
                    "the copy."
                )
        return False

    def _make_engine(self, options: str) -> Engine:
        name = f"file:{urllib.parse.quote(str(self._path))}?{options}"

        def connect() -> sqlite3.Connection:
            connection = sqlite3.connect(name, uri=True, check_same_thread=False, isolation_level=None)
            connection.execute("PRAGMA busy_timeout=60000")
            return connection

        engine = sa.create_engine("sqlite://", creator=connect, poolclass=sa.pool.NullPool)

        @sa.event.listens_for(engine, "begin")
        def _begin(connection: Any) -> None:
            connection.exec_driver_sql("BEGIN")  # else each statement sees a moment of its own

        return engine


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.stat()
    except FileNotFoundError:
        return ()
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size
