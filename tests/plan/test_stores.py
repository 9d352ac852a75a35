"""Both stores keep the contract; a database is refused when it is not what it should be."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url

from hippo.errors import PlanLockedError, StorageError, StorageNameError
from hippo.plan import AbstractPlanStore, Insert, NodeRow, open_store
from hippo.plan.server_dialects import PostgreSql
from hippo.plan.sql_opening import with_driver
from hippo.plan.sqlite_file import write_ahead
from hippo.testing.database_contract import DatabaseContract
from hippo.testing.store_contract import NODE, PLAN, PlanStoreContract


class TestMemoryStore(PlanStoreContract):
    @pytest.fixture
    def store(self) -> AbstractPlanStore:
        return open_store("memory://")


class TestSqliteStore(DatabaseContract):
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return f"sqlite:///{tmp_path}/hippo.db"


@pytest.fixture(params=["memory", "sqlite"])
def any_store(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractPlanStore:
    return open_store("memory://" if request.param == "memory" else f"sqlite:///{tmp_path}/hippo.db")


def test_a_row_that_comes_twice_in_one_commit_is_refused_with_the_whole_commit(any_store: AbstractPlanStore) -> None:
    with pytest.raises(StorageError, match="facts do not change"):
        any_store.commit([Insert(NODE), Insert(NODE)])
    assert any_store.rows(NodeRow) == []


def test_a_lock_that_was_never_taken_gives_nothing_back(any_store: AbstractPlanStore) -> None:
    holder = any_store.lock(1)
    holder.acquire()
    any_store.lock(1).release()
    with pytest.raises(PlanLockedError):
        any_store.lock(1).acquire()
    holder.release()


def test_whoever_reads_sees_one_moment_though_others_write(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    with open_store(url).reading() as rows:
        assert rows.rows(NodeRow) == []
        open_store(url).commit([Insert(NODE)])
        assert rows.rows(NodeRow) == []
    assert open_store(url).rows(NodeRow) == [NODE]


def test_a_commit_of_another_store_on_the_same_file_is_noticed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    reader, writer = open_store(url), open_store(url)
    before = reader.changes()
    writer.commit([Insert(NODE)])
    assert reader.changes() != before
    assert reader.changes() == reader.changes()


def test_a_named_memory_store_is_the_same_within_the_process() -> None:
    assert open_store("memory://same") is open_store("memory://same")
    assert open_store("memory://") is not open_store("memory://")


def test_a_database_keeps_its_rows_and_its_name_for_ever(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    first = open_store(url)
    first.commit([Insert(NODE)])
    second = open_store(url)
    assert second.uuid == first.uuid
    assert second.rows(NodeRow) == [NODE]


def test_a_relative_path_is_resolved_when_the_store_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = open_store("sqlite:///hippo.db")
    monkeypatch.chdir("/")
    store.commit([Insert(NODE)])
    assert (tmp_path / "hippo.db").exists()


def test_a_reader_is_not_locked_out_by_a_writer(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    store = open_store(url)
    engine = sa.create_engine(url, isolation_level=None)
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        assert open_store(url).rows(NodeRow) == []
        connection.exec_driver_sql("ROLLBACK")
    store.close()


def test_writers_that_read_first_wait_for_each_other_instead_of_failing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    open_store(url).close()

    def add_plans(writer: int) -> list[int]:
        store = open_store(url)
        return [store.add_plan(replace(PLAN, workload=f"{writer}-{number}")).plan for number in range(20)]

    with ThreadPoolExecutor(4) as pool:
        numbers = [number for added in pool.map(add_plans, range(4)) for number in added]
    assert sorted(numbers) == list(range(1, 81))


def test_a_new_file_that_another_one_is_just_writing_is_waited_for(tmp_path: Path) -> None:
    first, second = (sqlite3.connect(tmp_path / "hippo.db", isolation_level=None) for _ in range(2))
    first.execute("begin immediate")
    first.execute("create table written (it integer)")
    second.set_trace_callback(lambda statement: first.execute("commit") if statement.startswith("BEGIN") else None)
    write_ahead(second)  # SQLite calls it locked at once, whatever the time-out
    assert second.execute("pragma journal_mode").fetchone() == ("wal",)
    first.close()
    second.close()


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("create table trials (id integer)")
    connection.commit()
    with pytest.raises(StorageError, match=r"holds 1 tables \(trials, ...\) that are not hippo's"):
        open_store(f"sqlite:///{tmp_path}/other.db")
    assert [row[0] for row in connection.execute("select name from sqlite_master")] == ["trials"]


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("dear diary, " * 100)
    with pytest.raises(StorageError, match="not an SQLite database"):
        open_store(f"sqlite:///{tmp_path}/notes.txt")


def test_a_database_of_a_newer_hippo_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    open_store(url).close()
    connection = sqlite3.connect(tmp_path / "hippo.db")
    connection.execute("update hippo_database set schema_version = 99")
    connection.commit()
    with pytest.raises(StorageError, match=r"version 99.*Upgrade hippo"):
        open_store(url)


def test_a_database_that_lost_its_name_is_not_given_another_one(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    store = open_store(url)
    store.add_plan(PLAN)
    store.close()
    with sqlite3.connect(tmp_path / "hippo.db") as connection:
        connection.execute("delete from hippo_database")
    with pytest.raises(StorageError, match=r"holds search plans, and its table hippo_database is empty.*Copy all"):
        open_store(url)


def test_a_read_only_database_can_be_read_and_says_so_when_written(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/hippo.db")
    store.commit([Insert(NODE)])
    read_only = open_store(f"sqlite:///file:{tmp_path}/hippo.db?mode=ro&uri=true")
    assert read_only.rows(NodeRow) == [NODE]
    with pytest.raises(StorageError, match="must be there and writable"):
        read_only.commit([Insert(NODE)])


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="must be there and writable"):
        open_store(f"sqlite:///{tmp_path}/nowhere/hippo.db")


@pytest.mark.parametrize(
    ("storage", "message"),
    [
        ("hippo.db", "is not a database URL; write for instance 'sqlite:///hippo.db'"),
        ("oracle://localhost/hippo", "keeps studies in SQLite"),
        ("sqlite://", "names no file"),
        (
            "postgresql://u:p@ss/w#rd@localhost/hippo",
            r"^storage='postgresql://u:\*\*\*@localhost/hippo': its password .* are written in percent",
        ),
        ("mysql://u:p@localhost", r"^storage='mysql://u:\*\*\*@localhost' names no database: write 'mysql://.../name'"),
        ("mysql://u:p@ss@localhost/hippo", r"^storage='mysql://u:\*\*\*@localhost/hippo': its password holds an '@'"),
        (
            "mysql://u:p@ss@localhost:33/hippo",
            r"^storage='mysql://u:\*\*\*@localhost:33/hippo': its password holds an '@'",
        ),
        ("mysql+x://u:pss@localhost:33/team@lab", r"'mysql\+x://u:\*\*\*@lab' names the driver 'x'"),
        ("mysql://u:p/ss@localhost:33x/hippo", r"mysql://u:\*\*\*@localhost:33x/hippo.* are written in percent"),
    ],
)
def test_a_storage_that_cannot_be_used_is_explained(storage: str, message: str) -> None:
    with pytest.raises(StorageError, match=message):
        open_store(storage)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("connect_timout=3", "has no option 'connect_timout'. Did you mean 'connect_timeout'"),
        ("ssl=true", "has no option 'ssl'"),
        ("connect_timeout=long", "cannot take the value of an option: invalid literal for int.*'long'"),
    ],
)
def test_an_option_that_pymysql_does_not_know_is_named_before_it_connects(options: str, message: str) -> None:
    pytest.importorskip("pymysql")
    with pytest.raises(StorageNameError, match=rf"^storage='mysql://u:\*\*\*@localhost/hippo\?{options}': .*{message}"):
        open_store(f"mysql://u:secret@localhost/hippo?{options}")


def test_options_that_pymysql_knows_are_taken() -> None:
    pytest.importorskip("pymysql")
    parsed = make_url(
        "mysql://u@h/d?connect_timeout=3&ssl_ca=/a&ssl_check_hostname=false&charset=utf8mb4&unix_socket=/s"
    )
    assert with_driver(parsed, "shown").query == parsed.query


def test_an_option_that_postgresql_does_not_know_is_told_with_what_stands_there() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StorageError, match=r'"sslmod"\. Behind the .\?. of a URL stand'):
        open_store("postgresql://u:secret@localhost:1/hippo?sslmod=require")


def test_a_postgresql_that_takes_no_writes_is_no_user_who_may_only_read() -> None:
    assert "a standby" in PostgreSql().advice("cannot execute INSERT in a read-only transaction")


def test_reading_a_database_that_is_not_there_does_not_make_one(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no database"):
        open_store(f"sqlite:///{tmp_path}/hippo.db", must_exist=True)
    assert list(tmp_path.iterdir()) == []


HOLD_THE_LOCK = """
import os, sys, time
from hippo.plan import open_store
open_store(sys.argv[1]).lock(1).acquire()
writer = os.getpid()
if os.fork() == 0:  # a child of the writer, such as a data loader, that outlives it
    print(writer, flush=True)  # only now is there a child of its own: until then a kill finds it within the fork
    os.close(1)
time.sleep(60)
"""


@pytest.mark.slow
def test_the_lock_names_its_holder_and_is_free_at_once_when_that_is_killed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    store = open_store(url)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD_THE_LOCK, url], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert holder.stdout is not None
        pid = holder.stdout.readline().strip()
        with pytest.raises(PlanLockedError, match=f"process {pid} on host"):
            store.lock(1).acquire()
        holder.kill()
        holder.wait()
        lock = store.lock(1)
        lock.acquire()  # although the killed writer's child still lives
        assert json.loads(next(tmp_path.glob("*.lock")).read_text())["pid"] == os.getpid()
        lock.release()
    finally:
        os.killpg(holder.pid, 9)


READ = """
import os, sys, urllib.parse
import sqlalchemy as sa
from hippo.errors import StorageError
from hippo.plan import Insert, NodeRow, open_store
from hippo.testing.database_contract import DatabaseContract
from hippo.testing.store_contract import NODE

sa.create_engine("sqlite://").connect().close()  # nobody may be unable to read what is imported late
if os.getuid() == 0:  # root may write everything
    os.setgroups([])
    os.setuid(65534)
try:
    store = open_store(sys.argv[1], must_exist=True)
    print("nodes", len(store.rows(NodeRow)))
    store.commit([Insert(NODE)])
except StorageError as error:
    print(error)
"""


def read_as_somebody_who_may_not_write(path: Path) -> str:
    for file in path.parent.iterdir():
        file.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        program = [sys.executable, "-c", READ, f"sqlite:///{path}"]
        ended = subprocess.run(program, capture_output=True, text=True)
        return ended.stdout + ended.stderr
    finally:
        path.parent.chmod(0o755)


@pytest.fixture
def foreign() -> Iterator[Path]:
    """A database, with its journal, in a folder that everybody can get at (pytest's folders are the user's own)."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = Path(folder) / "my #%hippo.db"
        store = open_store(f"sqlite:///{path}")
        store.commit([Insert(NODE)])
        yield path
        store.close()


@pytest.mark.slow
def test_a_database_that_one_may_not_write_can_be_read(foreign: Path) -> None:
    said = read_as_somebody_who_may_not_write(foreign)
    assert "nodes 1" in said
    assert "To train, the file and its folder must be there and writable" in said


@pytest.mark.slow
def test_a_database_without_its_journal_can_be_read_by_whoever_may_not_write(foreign: Path) -> None:
    copy = foreign.with_name("copy.db")
    sqlite3.connect(foreign).execute(f"vacuum into '{copy}'")
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        connection.execute("pragma journal_mode=wal")  # as every database of hippo; gone when the last one closes it
    assert not copy.with_name("copy.db-wal").exists()
    for file in foreign.parent.glob("my*"):
        file.unlink()
    assert "nodes 1" in read_as_somebody_who_may_not_write(copy)


@pytest.mark.slow
def test_changes_that_only_a_writer_could_read_are_not_left_out_silently(foreign: Path) -> None:
    copy = foreign.with_name("copy.db")
    for end in ("", "-wal"):  # as a copy without the index of the journal has it
        shutil.copy(f"{foreign}{end}", f"{copy}{end}")
    for file in foreign.parent.glob("my*"):
        file.unlink()
    assert "its latest changes lie in copy.db-wal" in read_as_somebody_who_may_not_write(copy)


def test_an_empty_file_holds_no_studies_and_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "hippo.db").touch()
    with pytest.raises(StorageError, match="is an empty file"):
        open_store(f"sqlite:///{tmp_path}/hippo.db", must_exist=True)
    assert not (tmp_path / "hippo.db").stat().st_size


def test_a_truncated_database_names_a_way_out(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/hippo.db")
    store.commit([Insert(replace(NODE, node=number)) for number in range(1, 500)])
    store.close()
    whole = (tmp_path / "hippo.db").read_bytes()
    (tmp_path / "hippo.db").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StorageError, match=r"The file is damaged.*\.recover"):
        open_store(f"sqlite:///{tmp_path}/hippo.db").rows(NodeRow)


@pytest.mark.parametrize(
    "url", ["postgresql://u:secret@host/db", "postgresql://u:secret@host:port/db", "mysql+x://u:se@cret@h/db"]
)
def test_a_password_is_never_shown(url: str) -> None:
    with pytest.raises(StorageError) as told:
        open_store(url)
    assert "***" in str(told.value)
    assert "secret" not in str(told.value)
    assert "cret@" not in str(told.value)
