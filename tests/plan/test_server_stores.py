"""Databases in servers keep the contract of stores, and are refused when they are not what they should be."""

from __future__ import annotations

import itertools
import os
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from hippo.errors import PlanTakenOverError, StorageError
from hippo.plan import AbstractPlanStore, Insert, NodeRow, PlanRow, Update, open_store
from hippo.testing.database_contract import DatabaseContract
from hippo.testing.servers import DatabaseServer, missing_server, running_server
from hippo.testing.store_contract import NODE, PLAN

pytestmark = pytest.mark.slow
KINDS = ("postgresql", "mysql")
_numbers = itertools.count(1)


def _server(kind: str) -> Iterator[DatabaseServer]:
    if why := missing_server(kind):
        if os.environ.get("HIPPO_TEST_SERVERS") == "1":
            pytest.fail(f"HIPPO_TEST_SERVERS=1, and there is {why}")
        pytest.skip(why)
    with running_server(kind) as server:
        yield server


@pytest.fixture(scope="module", params=KINDS)
def server(request: pytest.FixtureRequest) -> Iterator[DatabaseServer]:
    yield from _server(request.param)


@pytest.fixture
def url(server: DatabaseServer) -> str:
    return server.make_database(f"hippo_{next(_numbers)}")


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


def nodes(store: AbstractPlanStore) -> list[int]:
    return [row.node for row in store.rows(NodeRow)]


def test_a_writer_whose_session_was_ended_goes_on_if_nobody_took_its_plan(server: DatabaseServer, url: str) -> None:
    store = open_store(url)
    store.add_plan(PLAN)
    take_over(store, "first")
    end_sessions(server)
    store.commit([Insert(NODE)])
    assert nodes(store) == [1]
    other = open_store(url)
    with pytest.raises(StorageError, match="another engine"):
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
    # as in another process: that this one holds the lock is not known there
    monkeypatch.setattr("hippo.plan.server_session.ServerLock._held_here", set())
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


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_is_killed_twice_loses_and_doubles_nothing(kind: str) -> None:
    for server in _server(kind):
        store = open_store(server.make_database("hippo_killed"))
        for number in range(1, 201):
            if number in (60, 140):
                server.kill()
                threading.Thread(target=server.start).start()
            store.commit([Insert(replace(NODE, node=number)), Update(replace(NODE, inexact=True))])
        assert nodes(store) == list(range(1, 201))
        with store.reading() as rows:
            assert rows.mark(NodeRow) == 200  # a commit that was repeated was undone as a whole
        store.close()


def test_commits_whose_reply_was_lost_are_recognised(server: DatabaseServer, url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        cuts = _CutCommits(door, server.port)
        port = door.getsockname()[1]
        store = open_store(url.replace(f":{server.port}/", f":{port}/"))
        for number in range(1, 31):
            cuts.is_next = number % 3 == 0
            store.commit([Insert(replace(NODE, node=number))])
        assert cuts.count == 10
        assert nodes(store) == list(range(1, 31))
        with store.reading() as rows:
            assert rows.mark(NodeRow) == 30
        store.close()


class _CutCommits:
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
        while data := _received(client):
            if self.is_next and data.rstrip(b"\0").endswith(b"COMMIT"):
                self.is_next, self.count = False, self.count + 1
                cut.set()
            server.sendall(data)
        server.close()

    def _downwards(self, server: socket.socket, client: socket.socket, cut: threading.Event) -> None:
        while data := _received(server):
            if cut.is_set():
                break
            client.sendall(data)
        client.shutdown(socket.SHUT_RDWR)
        server.close()


def _received(line: socket.socket) -> bytes:
    try:
        return line.recv(65536)
    except OSError:
        return b""
