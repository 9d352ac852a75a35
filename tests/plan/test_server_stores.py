"""Databases in servers keep the contract of stores, and are refused when they are not what they should be."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url

import hippo
from hippo.errors import PlanTakenOverError, StorageError, UnreachableDatabaseError
from hippo.plan import AbstractPlanStore, Insert, NodeRow, PlanRow, StudyRow, Update, open_store
from hippo.plan.server_dialects import dialect_of
from hippo.plan.sql_opening import open_sql_store, with_driver
from hippo.testing.database_contract import DatabaseContract
from hippo.testing.servers import KINDS, DatabaseServer, wanted_server
from hippo.testing.store_contract import NODE, PLAN
from hippo.testing.trainers import ToyTrainer

pytestmark = pytest.mark.slow


@pytest.fixture
def server(database_server: DatabaseServer) -> DatabaseServer:
    return database_server


@pytest.fixture
def url(server_url: str) -> str:
    return server_url


class TestServerStore(DatabaseContract):
    """The fixture `url` is this module's."""


def end_sessions(server: DatabaseServer) -> None:
    """Do what an administrator does to all sessions of all users."""
    if server.kind == "postgresql":
        server.execute("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()")
        return
    for (number,) in server.execute("select id from information_schema.processlist where id <> connection_id()"):
        server.execute(f"kill {number}")


def take_over(store: AbstractPlanStore, writer: str) -> PlanRow:
    """Take the lock of plan 1, and begin an epoch in it."""
    store.lock(1).acquire()
    (row,) = store.rows(PlanRow, plan=1)
    row = replace(row, epoch=row.epoch + 1, writer=writer)
    store.commit([Update(row)])
    return row


def in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget which locks this process holds, as another one does not know it."""
    monkeypatch.setattr("hippo.plan.server_session.ServerLock._held_here", set())


def nodes(store: AbstractPlanStore) -> list[int]:
    return [row.node for row in store.rows(NodeRow)]


def test_a_writer_whose_session_was_ended_goes_on_if_nobody_took_its_plan(
    server: DatabaseServer, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(url)
    store.add_plan(PLAN)
    take_over(store, "first")
    end_sessions(server)
    store.commit([Insert(NODE)])
    assert nodes(store) == [1]
    other = open_store(url)
    with pytest.raises(StorageError, match="another engine"):
        other.lock(1).acquire()
    in_another_process(monkeypatch)
    with pytest.raises(StorageError, match="is being written by"):  # the new session has the lock, too
        other.lock(1).acquire()
    for each in (store, other):
        each.close()


@pytest.mark.parametrize("is_over", [False, True])
def test_a_writer_whose_plan_was_taken_over_writes_nothing_more(
    server: DatabaseServer, url: str, monkeypatch: pytest.MonkeyPatch, is_over: bool
) -> None:
    store, other = open_store(url), open_store(url)
    store.add_plan(PLAN)
    take_over(store, "first")
    end_sessions(server)
    in_another_process(monkeypatch)
    take_over(other, "second")
    if is_over:
        other.close()  # its lock is free again, and its epoch tells
    for _ in range(2):
        with pytest.raises(PlanTakenOverError, match=r"(?s)plan 1 of .*taken over by another process.*Run the script"):
            store.commit([Insert(NODE)])
    reader = open_store(url)
    assert nodes(reader) == []
    for each in (store, other, reader):
        each.close()


def test_a_writer_whose_lock_another_process_holds_writes_nothing_though_nothing_was_written_yet(
    server: DatabaseServer, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = open_store(url), open_store(url)
    store.add_plan(PLAN)
    take_over(store, "first")
    end_sessions(server)
    in_another_process(monkeypatch)
    other.lock(1).acquire()  # and begins its epoch in a moment
    with pytest.raises(PlanTakenOverError):
        store.commit([Insert(NODE)])
    assert nodes(other) == []
    for each in (store, other):
        each.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_is_killed_twice_loses_and_doubles_nothing(kind: str) -> None:
    with wanted_server(kind) as server:
        store = open_store(server.make_database("hippo_killed"))
        for number in range(1, 201):
            if number in (60, 140):
                server.kill()
                starting = threading.Thread(target=server.start)
                starting.start()
            store.commit([Insert(replace(NODE, node=number)), Update(replace(NODE, inexact=True))])
        starting.join()
        assert nodes(store) == list(range(1, 201))
        with store.reading() as rows:
            assert rows.mark(NodeRow) == 200  # a commit that was repeated was undone as a whole
        store.close()


def test_commits_whose_reply_was_lost_are_recognised(server: DatabaseServer, url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        cuts = CutCommits(door, server.port)
        port = door.getsockname()[1]
        store = open_store(url.replace(f":{server.port}/", f":{port}/"))
        for number in range(1, 31):
            cuts.is_next = number % 3 == 0
            node = replace(NODE, node=number)
            store.commit([Insert(node), *[Update(replace(node, inexact=True))] * (number % 2)])
        assert cuts.count == 10
        assert nodes(store) == list(range(1, 31))
        with store.reading() as rows:
            assert rows.mark(NodeRow) == 30
        cuts.is_next = True
        assert store.add_plan(PLAN).plan == 1
        cuts.is_next = True
        assert store.add_study(StudyRow(study=0, name="s", generation=1), {"": 1}).study == 1
        assert cuts.count == 12
        store.close()


def lose_the_first_commit(
    store: AbstractPlanStore, server: DatabaseServer, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], object]
) -> None:
    """End a store's session before its next commit, and let another process write before it comes again."""
    execute, is_lost = store._execute, list[bool]()

    def executed(connection: sa.Connection, *changes: object) -> None:
        execute(connection, *changes)
        if not is_lost:
            is_lost.append(True)
            if server.kind == "postgresql":
                server.execute(
                    f"select pg_terminate_backend({connection.exec_driver_sql('select pg_backend_pid()').scalar()})"
                )
            else:
                server.execute(f"kill {connection.exec_driver_sql('select connection_id()').scalar()}")
            meanwhile()

    monkeypatch.setattr(store, "_execute", executed)


def test_a_commit_that_was_undone_is_not_taken_for_that_of_another_process(
    server: DatabaseServer, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = open_store(url), open_store(url)
    store.add_plan(PLAN)
    other.add_plan(replace(PLAN, workload="other"))
    lose_the_first_commit(store, server, monkeypatch, lambda: other.commit([Insert(replace(NODE, plan=2, node=1))]))
    store.commit([Insert(NODE), Insert(replace(NODE, node=2))])
    assert sorted((row.plan, row.node) for row in store.rows(NodeRow)) == [(1, 1), (1, 2), (2, 1)]
    for each in (store, other):
        each.close()


def test_a_study_that_was_undone_is_not_taken_for_one_of_another_process(
    server: DatabaseServer, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = open_store(url), open_store(url)
    store.add_plan(PLAN)
    ours, theirs = (StudyRow(study=0, name=name, generation=1) for name in ("ours", "theirs"))
    lose_the_first_commit(store, server, monkeypatch, lambda: other.add_study(theirs, {"": 1}))
    assert store.add_study(ours, {"": 1}).study == 2
    assert [(row.study, row.name) for row in store.rows(StudyRow)] == [(1, "theirs"), (2, "ours")]
    for each in (store, other):
        each.close()


PASSWORD = "p%40ss%25/word"


@pytest.mark.parametrize(
    ("part", "instead", "kind", "way_out"),
    [
        (PASSWORD, "wr0ng%40secret", StorageError, "Check user and password in the URL"),
        ("/nowhere", "/nowhere", StorageError, "Make the database first"),
        ("PORT", "1", UnreachableDatabaseError, "Is the server running"),
    ],
)
def test_a_server_that_refuses_is_explained_and_no_password_is_shown(
    server: DatabaseServer, part: str, instead: str, kind: type[StorageError], way_out: str
) -> None:
    url = server.url("nowhere").replace(str(server.port) if part == "PORT" else part, instead)
    with pytest.raises(StorageError, match=way_out) as told:
        open_store(url)
    assert type(told.value) is kind
    for secret in (PASSWORD, "p@ss%/word", "wr0ng"):
        assert secret not in str(told.value)
    assert ":***@127.0.0.1" in str(told.value)


@pytest.mark.parametrize("setting", ["encoding 'SQL_ASCII'", "encoding 'UTF8'", "encoding 'LATIN1'"])
def test_texts_are_texts_whatever_encoding_a_database_has(server: DatabaseServer, setting: str) -> None:
    if server.kind == "mysql":
        pytest.skip("its tables say their encoding themselves")
    name = f"encoded_{setting[10:-1].lower()}"
    server.execute(f"create database {name} {setting} template template0 lc_collate 'C' lc_ctype 'C'")
    server.execute(f"alter database {name} set client_encoding = 'SQL_ASCII'")
    for _ in range(2):
        store = open_store(server.url(name))
    store.commit([Insert(replace(NODE, owner="dr\u00f6hnt"))])
    assert [row.owner for row in store.rows(NodeRow)] == ["dr\u00f6hnt"]
    store.close()


@pytest.mark.parametrize(
    ("asked", "way_out"),
    [("sslmode=require", "change one of them"), ("options=-csearch_path=nowhere", "create schema NAME")],
)
def test_what_a_url_asks_of_postgresql_that_is_not_there_is_explained(
    server: DatabaseServer, asked: str, way_out: str
) -> None:
    if server.kind == "mysql":
        pytest.skip("of PostgreSQL alone")
    with pytest.raises(StorageError, match=f"(?s){way_out}") as told:
        open_store(f"{server.new_database()}?{asked}")
    assert type(told.value) is StorageError


def test_what_a_store_shows_has_no_password(url: str) -> None:
    store = open_store(url)
    assert PASSWORD in url
    assert (PASSWORD in store.url, ":***@" in store.url) == (False, True)
    with pytest.raises(StorageError) as told:
        store.commit([Insert(NODE), Insert(NODE)])
    assert "word@" not in str(told.value)
    store.close()


def test_another_programs_database_is_refused_and_left_alone(server: DatabaseServer, url: str) -> None:
    server.execute("create table trials (id integer)", url.rpartition("/")[2])
    with pytest.raises(StorageError, match=r"holds 1 tables \(trials, ...\) that are not hippo's"):
        open_store(url)


def test_a_database_that_lost_its_name_is_not_given_another_one(server: DatabaseServer, url: str) -> None:
    store = open_store(url)
    store.add_plan(PLAN)
    store.close()
    server.execute("delete from hippo_database", url.rpartition("/")[2])
    with pytest.raises(StorageError, match=r"holds search plans, and its table hippo_database is empty.*Copy all"):
        open_store(url)


@pytest.mark.parametrize(("version", "way_out"), [(99, "Upgrade hippo"), (4, "hippo db upgrade --storage")])
def test_a_database_of_another_schema_is_refused(server: DatabaseServer, url: str, version: int, way_out: str) -> None:
    open_store(url).close()
    server.execute(f"update hippo_database set schema_version = {version}", url.rpartition("/")[2])
    with pytest.raises(StorageError, match=f"(?s)version {version}.*{way_out}"):
        open_store(url)


def test_who_may_only_read_reads_and_is_told_so_on_writing(server: DatabaseServer, url: str) -> None:
    name = url.rpartition("/")[2]
    store = open_store(url)
    store.commit([Insert(NODE)])
    store.close()
    if server.kind == "postgresql":
        server.execute("drop role if exists reader")
        server.execute("create role reader login password 'reader'")
        server.execute("grant select on all tables in schema public to reader", name)
    else:
        server.execute("create or replace user reader@localhost identified by 'reader'")
        server.execute(f"grant select on `{name}`.* to reader@localhost")
    reader = open_store(f"{server.kind}://reader:reader@127.0.0.1:{server.port}/{name}")
    assert nodes(reader) == [1]
    with pytest.raises(StorageError, match="This user may only read"):
        reader.commit([Insert(replace(NODE, node=2))])
    reader.close()
    if server.kind == "postgresql":
        server.execute("drop owned by reader", name)


def test_a_server_that_takes_no_writes_is_told_apart_from_a_user_who_may_not(server: DatabaseServer, url: str) -> None:
    name = url.rpartition("/")[2]
    store = open_store(url)
    store.commit([Insert(NODE)])
    store.close()
    given = url
    if server.kind == "postgresql":
        server.execute(f'alter database "{name}" set default_transaction_read_only = on')
    else:
        server.execute("create or replace user writer@localhost identified by 'writer'")
        server.execute(f"grant select, insert, update on `{name}`.* to writer@localhost")
        server.execute("set global read_only = 1")
        given = f"{server.kind}://writer:writer@127.0.0.1:{server.port}/{name}"
    try:
        reader = open_store(given)
        assert nodes(reader) == [1]
        with pytest.raises(StorageError, match=r"a standby, or .*name the server that takes writes"):
            reader.commit([Insert(replace(NODE, node=2))])
        reader.close()
    finally:
        if server.kind != "postgresql":
            server.execute("set global read_only = 0")


@pytest.mark.parametrize(("scheme", "extra"), [("postgres", "postgresql"), ("mariadb", "mysql")])
def test_a_driver_that_is_missing_is_named_with_what_installs_it(
    scheme: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(StorageError, match=rf"pip install 'hippo-tune\[{extra}\]'"):
        open_store(f"{scheme}://u:secret@localhost/hippo")


def test_a_study_runs_on_a_server_and_is_opened_again_by_what_it_shows(url: str, tmp_path: Path) -> None:
    options = {"engine": hippo.InlineEngine(), "checkpoints": str(tmp_path), "metric": "loss", "mode": "min"}
    study = hippo.create_study("toy", trainer=ToyTrainer, storage=url, **options)
    study.optimize(hippo.GridSearch({"lr": [0.1, 0.2]}, until=3))
    assert "***" in study.storage
    again = hippo.load_study("toy", study.storage)
    assert [trial.value for trial in again.trials] == [trial.value for trial in study.trials]
    assert len(again.trials) == 2


@pytest.mark.parametrize(
    "said",
    [
        "connection timeout expired",
        'connection to server at "10.0.0.1", port 5432 failed: No route to host',
        "failed to resolve host 'db': [Errno -3] Temporary failure in name resolution",
        "FATAL:  das Datenbanksystem startet",
        "FATAL:  sorry, too many clients already",
    ],
)
def test_whoever_cannot_connect_for_whatever_reason_may_try_again(said: str) -> None:
    import psycopg

    dialect = dialect_of(make_url("postgresql://h/d"))
    assert dialect.is_passing(sa.exc.OperationalError("", {}, psycopg.OperationalError(said)))
    for refused in ('FATAL:  role "ada" is not permitted to log in', 'FATAL:  database "d" does not exist'):
        assert not dialect.is_passing(sa.exc.OperationalError("", {}, psycopg.OperationalError(refused)))
    assert not dialect.is_passing(sa.exc.OperationalError("", {}, psycopg.errors.DiskFull("no space left")))


@pytest.mark.parametrize("limit", ["statement_timeout", "lock_timeout", "max_statement_time"])
def test_a_writer_waits_for_another_one_though_its_users_statements_have_a_limit(
    url: str, server: DatabaseServer, limit: str
) -> None:
    if (limit == "max_statement_time") != (server.kind == "mysql"):
        pytest.skip("a limit of the other kind of server")
    set_limit = "set global {}" if server.kind == "mysql" else "alter role postgres set {}"
    open_store(url).close()
    engine = sa.create_engine(with_driver(make_url(url), ""))
    with engine.connect() as other:
        other.execute(sa.text("SELECT * FROM hippo_counter FOR UPDATE"))
        server.execute(set_limit.format(f"{limit} = {0.4 if server.kind == 'mysql' else 400}"))
        try:
            store = open_store(url)
            ended = threading.Timer(1.0, other.rollback)
            ended.start()
            store.commit([Insert(NODE)])
            ended.join()
        finally:
            server.execute(set_limit.format(f"{limit} = 0"))
    assert nodes(store) == [1]
    store.close()
    engine.dispose()


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_a_server_that_never_speaks_is_given_up(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hippo.plan.server_dialects._CONNECT_S", 2)  # the least that PostgreSQL's driver knows
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        with pytest.raises(StorageError, match="Is the server running"):
            open_store(f"{scheme}://u:secret@127.0.0.1:{silent.getsockname()[1]}/hippo")
    assert time.monotonic() - began < 20  # of a busy machine; without a limit it waits for ever


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_a_server_is_given_ten_seconds_to_speak(scheme: str) -> None:
    limits = dialect_of(make_url(f"{scheme}://h/d")).engine_options()["connect_args"]
    assert {limits[name] for name in limits if name.endswith("_timeout")} == {10}


def test_a_statement_may_take_longer_than_connecting_may(
    url: str, server: DatabaseServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hippo.plan.server_dialects._CONNECT_S", 2)
    store = open_sql_store(url)
    sleep = "SELECT pg_sleep(3)" if server.kind == "postgresql" else "SELECT sleep(3)"
    store.change_tables(lambda connection: connection.exec_driver_sql(sleep))
    store.commit([Insert(NODE)])
    assert nodes(store) == [1]
    store.close()


class CutCommits:
    """A line to a server that is cut once a COMMIT was carried out, before the reply to it comes through."""

    def __init__(self, door: socket.socket, port: int) -> None:
        self.is_next, self.count = False, 0
        self._door, self._port = door, port
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._door.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._port))
            cut = threading.Event()
            threading.Thread(target=self._upwards, args=(client, server, cut), daemon=True).start()
            threading.Thread(target=self._downwards, args=(server, client, cut), daemon=True).start()

    def _upwards(self, client: socket.socket, server: socket.socket, cut: threading.Event) -> None:
        with contextlib.suppress(OSError), server:  # either side may have hung up
            while data := _received(client):
                if self.is_next and data.rstrip(b"\0").endswith(b"COMMIT"):
                    self.is_next, self.count = False, self.count + 1
                    cut.set()
                server.sendall(data)

    def _downwards(self, server: socket.socket, client: socket.socket, cut: threading.Event) -> None:
        with contextlib.suppress(OSError), client:
            while data := _received(server):
                if cut.is_set():
                    break
                client.sendall(data)
            client.shutdown(socket.SHUT_RDWR)


def _received(line: socket.socket) -> bytes:
    try:
        return line.recv(65536)
    except OSError:
        return b""
