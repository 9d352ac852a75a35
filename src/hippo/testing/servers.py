"""Database servers of one's own for tests: on a free port, in a new folder, for as long as a block lasts.

PostgreSQL refuses to run as root. Who is root runs both servers as the users that their packages made.
"""

from __future__ import annotations

import glob
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hippo.clock import SystemClock
from hippo.plan.sql_opening import open_sql_store
from hippo.plan.tables import TABLES
from hippo.testing.ports import free_port

#: special characters, so that every test tells whether they are quoted
PASSWORD = "p%40ss%25/word"
_SQL_PASSWORD = "p@ss%/word"
_START_S = 60.0
#: kinds of servers: the second is MariaDB, which stands for MySQL, too
KINDS = ("postgresql", "mysql")
_numbers = itertools.count(1)


@dataclass
class DatabaseServer:
    """A server, and how it is started again after it was killed."""

    #: "postgresql" or "mysql"
    kind: str
    folder: Path
    port: int
    #: who runs it; None for whoever runs the tests
    user: str | None
    #: what starts it
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def url(self, database: str) -> str:
        """Return the URL of one of its databases, with the password."""
        return f"{self.kind}://{self.admin}:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    @property
    def admin(self) -> str:
        return "postgres" if self.kind == "postgresql" else "root"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(self.command, user=self.user, stdout=log, stderr=log, cwd=self.folder)
        clock, pause = SystemClock(), threading.Event()
        deadline = clock.elapsed() + _START_S
        while not self._answers():
            if self.process.poll() is not None or clock.elapsed() > deadline:
                raise RuntimeError(f"{self.kind} did not start: {(self.folder / 'log').read_text()[-2000:]}")
            pause.wait(0.05)

    def kill(self) -> None:
        """End it without a chance to tidy up."""
        assert self.process is not None
        if self.kind == "postgresql":
            self.process.send_signal(signal.SIGQUIT)  # "immediate": its own children end, too; nothing is written
        else:
            self.process.kill()
        self.process.wait(30)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT if self.kind == "postgresql" else signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:  # its disk is slow, and nobody needs what it writes
                self.process.kill()
                self.process.wait(30)

    def execute(self, statement: str, database: str = "") -> list[tuple[object, ...]]:
        """Execute a statement as the administrator, outside of transactions."""
        if self.kind == "postgresql":
            import psycopg

            with psycopg.connect(
                host="127.0.0.1",
                port=self.port,
                user=self.admin,
                password=_SQL_PASSWORD,
                dbname=database or "postgres",
                autocommit=True,
                connect_timeout=5,
            ) as connection:
                cursor = connection.execute(statement)
                return cursor.fetchall() if cursor.description else []
        import pymysql

        with pymysql.connect(
            host="127.0.0.1",
            port=self.port,
            user=self.admin,
            password=_SQL_PASSWORD if self._has_password else "",
            database=database or None,
            autocommit=True,
            connect_timeout=5,
        ) as connection:
            cursor = connection.cursor()
            cursor.execute(statement)
            return list(cursor.fetchall())

    _has_password = True

    def make_database(self, name: str) -> str:
        """Make a database, and return its URL."""
        quoted = f'"{name}"' if self.kind == "postgresql" else f"`{name}` character set utf8mb4"
        self.execute(f"create database {quoted}")
        return self.url(name)

    @property
    def sql_password(self) -> str:
        """The administrator's password, as it is."""
        return _SQL_PASSWORD

    def new_database(self) -> str:
        """Make a database with a name that no other has, and return its URL."""
        return self.make_database(f"hippo_{next(_numbers)}")

    def _answers(self) -> bool:
        try:
            self.execute("select 1")
        except Exception as error:
            return "1045" in str(error)  # it answers, though not to us
        return True


def missing_server(kind: str) -> str:
    """Return why there can be no server of a kind on this machine; empty if there can."""
    if kind == "postgresql":
        return "" if _postgres_bin() else "no PostgreSQL here (apt-get install postgresql)"
    if shutil.which("mariadbd", path=_PATH) and shutil.which("mariadb-install-db", path=_PATH):
        return ""
    return "no MariaDB here (apt-get install mariadb-server)"


def emptied(url: str) -> str:
    """Remove all rows from a hippo database in a server, but for what names and counts it; return its URL."""
    store = open_sql_store(url)
    store.change_tables(
        lambda connection: [connection.exec_driver_sql(f"DELETE FROM {table.name}") for table in TABLES.values()]
    )
    store.close()
    return url


@contextmanager
def wanted_server(kind: str) -> Iterator[DatabaseServer]:
    """Start a server of a kind; skip the test where there is none, or fail it where `HIPPO_TEST_SERVERS` is 1."""
    import pytest

    if why := missing_server(kind):
        if os.environ.get("HIPPO_TEST_SERVERS") == "1":
            pytest.fail(f"HIPPO_TEST_SERVERS=1, and there is {why}")
        pytest.skip(why)
    with running_server(kind) as server:
        yield server


@contextmanager
def running_server(kind: str) -> Iterator[DatabaseServer]:
    """Start a server of a kind, "postgresql" or "mysql" (MariaDB), with one administrator."""
    folder = Path(tempfile.mkdtemp(prefix=f"hippo-{kind}-"))
    server = None
    try:
        server = (_new_postgresql if kind == "postgresql" else _new_mariadb)(folder)
        yield server
    finally:
        if server is not None:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


_PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))


def _postgres_bin() -> Path | None:
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(map(Path, glob.glob("/usr/lib/postgresql/*/bin")), reverse=True)
    return next((place for place in places if (place / "initdb").exists() and (place / "postgres").exists()), None)


def _new_postgresql(folder: Path) -> DatabaseServer:
    user, port, place = owner_of(folder, "postgres"), free_port(), _postgres_bin()
    assert place is not None
    secret, data = folder / "password", folder / "data"
    secret.write_text(_SQL_PASSWORD)
    if user:
        shutil.chown(secret, user)
    _call(
        [place / "initdb", "-D", data, "-A", "scram-sha-256", f"--pwfile={secret}", "-U", "postgres", "-N"],
        folder,
        user,
    )
    options = f"-D {data} -p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    server = DatabaseServer("postgresql", folder, port, user, [str(place / "postgres"), *options.split()])
    server.start()
    return server


def _new_mariadb(folder: Path) -> DatabaseServer:
    user, port, data = owner_of(folder, "mysql"), free_port(), folder / "data"
    install = shutil.which("mariadb-install-db", path=_PATH)
    server = shutil.which("mariadbd", path=_PATH)
    assert install is not None
    assert server is not None
    options = ["--no-defaults", f"--datadir={data}"]
    _call([install, *options, "--auth-root-authentication-method=normal"], folder, user)
    command = [server, *options, f"--port={port}", "--bind-address=127.0.0.1", f"--socket={folder}/s"]
    made = DatabaseServer("mysql", folder, port, user, [*command, f"--pid-file={folder}/pid"])
    made._has_password = False
    made.start()
    # it is called by two names, "localhost" and "127.0.0.1", and each has a root of its own
    made.execute(f"alter user root@localhost identified by '{_SQL_PASSWORD}'")
    made._has_password = True
    made.execute("select 1")
    return made


def owner_of(folder: Path, package_user: str) -> str | None:
    """Give a folder to the user that a package made, if this one is root; return that user's name."""
    if os.getuid():
        return None
    try:
        pwd.getpwnam(package_user)
    except KeyError:
        return None
    shutil.chown(folder, package_user)
    return package_user


def _call(command: Sequence[object], folder: Path, user: str | None) -> None:
    done = subprocess.run([*map(str, command)], user=user, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stdout[-1000:]} {done.stderr[-1000:]}")
