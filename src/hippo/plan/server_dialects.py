"""What PostgreSQL and MySQL (or MariaDB) do differently."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.engine import URL, Connection
from sqlalchemy.exc import DBAPIError, OperationalError

from hippo.errors import StorageError, StorageNameError, did_you_mean
from hippo.plan.poolers import check_session
from hippo.plan.urls import QUOTED_HINT

_CONNECT_S = 10
#: the longest that MySQL lets a session be idle, a year: a lock is held by an idle session
_LONGEST_IDLE_S = 31_536_000
#: after two minutes a line that was cut on the way is noticed, by client and server
_ALIVE = {"keepalives_idle": 60, "keepalives_interval": 20, "keepalives_count": 3}
#: what names a session: its number alone may be another's once the server was restarted
_POSTGRESQL_SESSION = "concat(pid, ' ', extract(epoch FROM backend_start))"
_MYSQL_SESSION = "concat(id, ' ', coalesce(host, ''))"


class Dialect(Protocol):
    """What has to be said in the words of one kind of server."""

    name: str
    is_mysql: bool
    #: texts cannot hold U+0000
    refuses_null: bool

    def check_driver(self) -> None:
        """Raise a `StorageError` that says what to install if the driver is missing."""

    def engine_options(self) -> dict[str, Any]:
        """Return arguments for `create_engine`."""

    def note_connected(self, connection: Any) -> None:
        """Lift what was limited while the driver made a connection."""

    def check_session(self, connection: Connection, connect: Callable[[], Connection], shown: str) -> None:
        """Raise a `StorageError` if the server's session is not this connection's own: it could hold no lock."""

    def collation(self, connection: Connection) -> str:
        """Return the collation that tells texts apart by every byte."""

    def reading(self, connection: Connection) -> Connection:
        """Return a connection whose transaction sees one moment."""

    def begin_creating(self, connection: Connection) -> None:
        """Wait until nobody else makes tables."""

    def end_creating(self, connection: Connection) -> None:
        """Let others make tables."""

    def count(self, connection: Connection, counter: sa.Table, numbers: int) -> int:
        """Wait for the writer before, count a commit, and return the first of so many numbers for its rows."""

    def upsert(self, table: sa.Table, keys: Sequence[str], names: Sequence[str]) -> sa.Executable:
        """Return a statement that updates many rows, which are all there, in one piece."""

    def keep_alive(self, connection: Connection) -> None:
        """Have the server end this session for nothing but a client that is gone, and notice that, if it can."""

    def session(self, connection: Connection) -> str:
        """Return what names this session in the server, and no other one, of before a restart, say."""

    def take_lock(self, connection: Connection, uuid: str, plan: int) -> bool:
        """Take a lock for the session, without waiting; tell whether it did."""

    def give_lock(self, connection: Connection, uuid: str, plan: int) -> None:
        """Give it back."""

    def lock_holder(self, connection: Connection, uuid: str, plan: int) -> str:
        """Return what names the session that holds a lock; nothing if it is free."""

    def end_session(self, connection: Connection, session: str) -> None:
        """End a session of this user, and with it its transaction and its locks."""

    def is_passing(self, error: BaseException) -> bool:
        """Tell whether the connection was lost, or the server is being started: trying again may help."""

    def advice(self, problem: str) -> str:
        """Return what to do about the driver's message."""


_READ_ONLY = (
    "This user may only read: results can be looked at all the same (load_study). To train, it must be allowed to "
    "insert and update."
)
_TAKES_NO_WRITES = (
    "The server is a standby, or lets nobody write for now, or this user's transactions only read by default: results "
    "can be looked at all the same (load_study). To train, name the server that takes writes."
)
_UNREACHABLE = "Is the server running, and are host and port right? It must be reachable from this machine."


#: what PostgreSQL says to whom it will not let in later either
_POSTGRESQL_REFUSES = (
    "authentication failed",
    "no password supplied",
    "does not exist",
    "pg_hba.conf",
    "to log in",
    "SSL was required",
    "certificate",
)


class PostgreSql:
    """PostgreSQL, by psycopg 3."""

    name = "PostgreSQL"
    is_mysql = False
    refuses_null = True

    def check_driver(self) -> None:
        _check_driver("psycopg", "psycopg", "postgresql")

    def engine_options(self) -> dict[str, Any]:
        # a database that knows no encoding, as a server makes them where no language is set, would give bytes for texts
        arguments = {"client_encoding": "utf8", "connect_timeout": _CONNECT_S, **_ALIVE}
        return {"isolation_level": "READ COMMITTED", "connect_args": arguments}

    def note_connected(self, connection: Any) -> None:
        pass

    def check_session(self, connection: Connection, connect: Callable[[], Connection], shown: str) -> None:
        check_session(connection, connect, shown)

    def collation(self, connection: Connection) -> str:
        return "C"

    def reading(self, connection: Connection) -> Connection:
        return connection.execution_options(isolation_level="REPEATABLE READ")

    def begin_creating(self, connection: Connection) -> None:
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(*_lock_numbers(b"hippo".hex(), 0))))

    def end_creating(self, connection: Connection) -> None:
        pass  # the transaction does

    def count(self, connection: Connection, counter: sa.Table, numbers: int) -> int:
        change = sa.update(counter).values(commits=counter.c.commits + 1, inserted=counter.c.inserted + numbers)
        last = connection.execute(change.returning(counter.c.inserted)).scalar_one()
        return int(last) - numbers + 1

    def upsert(self, table: sa.Table, keys: Sequence[str], names: Sequence[str]) -> sa.Executable:
        insert = postgresql.insert(table)
        new = {name: insert.excluded[name] for name in names}
        return insert.on_conflict_do_update(index_elements=[table.c[name] for name in keys], set_=new)

    def keep_alive(self, connection: Connection) -> None:
        # a role may have limits of its own, and another writer is waited for as long as it takes; what a server's
        # version does not know (the first before 14, the last before 17), it does not do
        limits = ("idle_session", "statement", "lock", "idle_in_transaction_session", "transaction")
        wanted = {f"{name}_timeout": 0 for name in limits} | {f"tcp_{name}": number for name, number in _ALIVE.items()}
        rows = ", ".join(f"('{name}', '{number}')" for name, number in wanted.items())
        connection.exec_driver_sql(
            f"SELECT set_config(name, wanted, false) FROM (VALUES {rows}) AS option (name, wanted) "
            "JOIN pg_settings USING (name)"
        )

    def session(self, connection: Connection) -> str:
        query = f"SELECT {_POSTGRESQL_SESSION} FROM pg_stat_activity WHERE pid = pg_backend_pid()"
        return str(connection.exec_driver_sql(query).scalar_one())

    def take_lock(self, connection: Connection, uuid: str, plan: int) -> bool:
        return bool(connection.execute(sa.select(sa.func.pg_try_advisory_lock(*_lock_numbers(uuid, plan)))).scalar())

    def give_lock(self, connection: Connection, uuid: str, plan: int) -> None:
        connection.execute(sa.select(sa.func.pg_advisory_unlock(*_lock_numbers(uuid, plan))))

    def lock_holder(self, connection: Connection, uuid: str, plan: int) -> str:
        query = sa.text(
            f"SELECT {_POSTGRESQL_SESSION} FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE granted "
            "AND locktype = 'advisory' AND database = datid AND datname = current_database() "
            "AND CAST(classid AS bigint) = :high AND CAST(objid AS bigint) = :plan AND objsubid = 2"
        )
        # what is signed where a lock is taken is shown without a sign
        high = (int(uuid[:8], 16) - 2**31) % 2**32
        return str(connection.execute(query, {"high": high, "plan": plan}).scalar() or "")

    def end_session(self, connection: Connection, session: str) -> None:
        connection.execute(sa.select(sa.func.pg_terminate_backend(int(session.partition(" ")[0]))))

    def is_passing(self, error: BaseException) -> bool:
        if not isinstance(error, DBAPIError):
            return False
        # what has no code is no answer to a statement: nobody could be reached, in one of many ways, or a server said
        # in its own language that it is being started, or has no room for another connection
        is_unanswered = isinstance(error, OperationalError) and getattr(error.orig, "sqlstate", "") is None
        is_refused = any(sign in str(error.orig) for sign in _POSTGRESQL_REFUSES)
        return error.connection_invalidated or (is_unanswered and not is_refused)

    def advice(self, problem: str) -> str:
        if "authentication failed" in problem or "no password supplied" in problem:
            return _wrong_password()
        if "does not exist" in problem and "database" in problem:
            return "Make the database first (createdb NAME): hippo makes the tables in it, and not more."
        if "no schema has been selected" in problem:
            return "Make the schema first that search_path names in the URL: create schema NAME."
        if "SSL was required" in problem or "certificate" in problem:
            return "What sslmode= in the URL asks for is not what the server has: change one of them."
        if "permission denied" in problem:
            return _READ_ONLY
        if "read-only" in problem:
            return _TAKES_NO_WRITES
        if "invalid connection option" in problem:
            return "Behind the '?' of a URL stand connection parameters of PostgreSQL's, such as sslmode=require."
        if "statement timeout" in problem:
            return "The server gives this user's statements less time than they need (statement_timeout): give it more."
        if any(sign in problem for sign in ("refused", "timeout", "timed out", "resolve", "not known", "unreachable")):
            return _UNREACHABLE
        return "What was being written is not recorded."


class MySql:
    """MySQL from version 8, or MariaDB from version 10.6, by PyMySQL."""

    name = "MySQL"
    is_mysql = True
    refuses_null = False

    def check_driver(self) -> None:
        _check_driver("pymysql", "PyMySQL", "mysql")

    def engine_options(self) -> dict[str, Any]:
        # strict: what does not fit is an error instead of being cut
        arguments = {"sql_mode": "STRICT_ALL_TABLES", "charset": "utf8mb4"}
        # the driver's limit for connecting ends where the server is to speak first: one that never does would be
        # waited for without end
        limits = {"connect_timeout": _CONNECT_S, "read_timeout": _CONNECT_S}
        return {"isolation_level": "REPEATABLE READ", "connect_args": {**arguments, **limits}}

    def note_connected(self, connection: Any) -> None:
        connection._read_timeout = None  # a commit may wait for another writer as long as it takes

    def check_session(self, connection: Connection, connect: Callable[[], Connection], shown: str) -> None:
        pass  # no pooler of MySQL's that is known to us gives sessions away unasked

    def collation(self, connection: Connection) -> str:
        is_mariadb = bool(getattr(connection.dialect, "is_mariadb", False))
        return "utf8mb4_nopad_bin" if is_mariadb else "utf8mb4_0900_bin"

    def reading(self, connection: Connection) -> Connection:
        return connection

    def begin_creating(self, connection: Connection) -> None:
        connection.execute(sa.select(sa.func.get_lock("hippo-create", 60)))

    def end_creating(self, connection: Connection) -> None:
        connection.execute(sa.select(sa.func.release_lock("hippo-create")))

    def count(self, connection: Connection, counter: sa.Table, numbers: int) -> int:
        # the reply to a statement with last_insert_id(x) names x: one trip less
        last = sa.func.last_insert_id(counter.c.inserted + numbers)
        found = connection.execute(sa.update(counter).values(commits=counter.c.commits + 1, inserted=last))
        return int(found.lastrowid) - numbers + 1

    def upsert(self, table: sa.Table, keys: Sequence[str], names: Sequence[str]) -> sa.Executable:
        insert = mysql.insert(table)  # an UPDATE of many rows would go to the server one by one
        return insert.on_duplicate_key_update({name: insert.inserted[name] for name in names})

    def keep_alive(self, connection: Connection) -> None:
        limits = [f"wait_timeout = {_LONGEST_IDLE_S}"]
        if getattr(connection.dialect, "is_mariadb", False):  # a user may have a limit; see above
            limits.append("max_statement_time = 0")
        connection.exec_driver_sql(f"SET SESSION {', '.join(limits)}")

    def session(self, connection: Connection) -> str:
        query = f"SELECT {_MYSQL_SESSION} FROM information_schema.processlist WHERE id = connection_id()"
        return str(connection.exec_driver_sql(query).scalar_one())

    def take_lock(self, connection: Connection, uuid: str, plan: int) -> bool:
        return connection.execute(sa.select(sa.func.get_lock(f"hippo-{uuid}-{plan}", 0))).scalar() == 1

    def give_lock(self, connection: Connection, uuid: str, plan: int) -> None:
        connection.execute(sa.select(sa.func.release_lock(f"hippo-{uuid}-{plan}")))

    def lock_holder(self, connection: Connection, uuid: str, plan: int) -> str:
        query = sa.text(
            f"SELECT {_MYSQL_SESSION} FROM (SELECT is_used_lock(:name) AS id) AS used "
            "LEFT JOIN information_schema.processlist USING (id)"  # which shows no session of other users
        )
        return str(connection.execute(query, {"name": f"hippo-{uuid}-{plan}"}).scalar() or "")

    def end_session(self, connection: Connection, session: str) -> None:
        connection.exec_driver_sql(f"KILL {int(session.partition(' ')[0])}")

    def is_passing(self, error: BaseException) -> bool:
        if not isinstance(error, DBAPIError):
            return False
        code = error.orig.args[0] if error.orig is not None and error.orig.args else None
        # no room for another connection (of anybody, of this user), shut down, waited for too long, waited for each
        # other, killed, could not be reached, gone, lost
        passing = (0, 1040, 1203, 1053, 1205, 1213, 1927, 2002, 2003, 2006, 2013)
        return error.connection_invalidated or code in passing

    def advice(self, problem: str) -> str:
        if "1045" in problem:
            return _wrong_password()
        if "1049" in problem or "1044" in problem:
            return (
                "Make the database first (create database NAME character set utf8mb4), and grant it to the user: hippo "
                "makes the tables in it, and not more."
            )
        if "1142" in problem:
            return _READ_ONLY
        if "read-only" in problem:
            return _TAKES_NO_WRITES
        if "2003" in problem or "timed out" in problem:
            return _UNREACHABLE
        return "What was being written is not recorded."


def dialect_of(url: URL) -> Dialect:
    """Return the dialect of a database's URL."""
    return PostgreSql() if url.get_backend_name() == "postgresql" else MySql()


def _lock_numbers(uuid: str, plan: int) -> tuple[Any, Any]:
    """Return the two 32-bit numbers that name a lock."""
    high = int(uuid[:8], 16) - 2**31
    return sa.cast(high, sa.Integer), sa.cast(plan, sa.Integer)


def _wrong_password() -> str:
    return f"Check user and password in the URL. {QUOTED_HINT}"


def _check_driver(module: str, package: str, extra: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise StorageError(f"this database needs {package}: pip install 'hippo-tune[{extra}]'")


def check_mysql_options(driven: URL, shown: str) -> None:
    """Raise what explains an option of a URL that PyMySQL would trip over when it connects.

    Raises:
      StorageNameError: it knows no such option, or cannot take its value.
    """
    if importlib.util.find_spec("pymysql") is None:
        return  # which is told later
    kind: Any = driven.get_dialect()
    module = kind.import_dbapi()
    known = set(inspect.signature(module.Connection).parameters) | {"ssl_capath", "ssl_cipher", "ssl_check_hostname"}
    known -= {"ssl"}  # a dictionary, which no URL can hold
    for name in sorted(set(driven.query) - known):
        raise StorageNameError(f"storage={shown!r}: PyMySQL has no option {name!r}.{did_you_mean(name, sorted(known))}")
    try:
        kind(dbapi=module).create_connect_args(driven)
    except ValueError as error:
        raise StorageNameError(f"storage={shown!r}: PyMySQL cannot take the value of an option: {error}") from None
