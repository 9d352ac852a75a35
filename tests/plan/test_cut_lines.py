"""A line that is cut on the way to a server ends no session there, and is no other process that takes over."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy.engine import make_url

from hippo.errors import PlanLockedError
from hippo.plan import AbstractPlanStore, Insert, NodeRow, open_store
from hippo.plan.server_session import ServerLock
from hippo.testing.store_contract import NODE, PLAN

pytestmark = pytest.mark.slow


class Line:
    """What stands between a client and its server, and forgets the client."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._door = socket.create_server(("127.0.0.1", 0))
        self._clients: list[socket.socket] = []
        self._servers: list[socket.socket] = []
        self.port = self._door.getsockname()[1]
        #: as where a machine is being started: who connects hears nothing
        self.is_silent = False
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._door.accept()
                if self.is_silent:
                    self._servers.append(client)
                    continue
                server = socket.create_connection(("127.0.0.1", self._server_port))
                self._clients.append(client)
                self._servers.append(server)
                for ends in ((client, server), (server, client)):
                    threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while said := one.recv(65536):
                other.sendall(said)

    def cut(self) -> None:
        """End connections towards the client alone."""
        while self._clients:
            client = self._clients.pop()
            client.shutdown(socket.SHUT_RDWR)
            client.close()

    def close(self) -> None:
        for end in (self._door, *self._servers):
            end.close()


@pytest.fixture
def line(server_url: str) -> Iterator[Line]:
    line = Line(make_url(server_url).port or 0)
    yield line
    line.close()


@pytest.fixture
def store(server_url: str, line: Line) -> Iterator[AbstractPlanStore]:
    url = make_url(server_url).set(port=line.port)
    store = open_store(url.render_as_string(hide_password=False))
    store.add_plan(PLAN)
    yield store
    store.close()


def test_a_writer_whose_line_was_cut_ends_its_former_session_and_goes_on(
    line: Line, store: AbstractPlanStore, server_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.lock(1).acquire()
    for number in (1, 2):
        line.cut()
        store.commit([Insert(replace(NODE, node=number))])
    assert [row.node for row in store.rows(NodeRow)] == [1, 2]
    monkeypatch.setattr(ServerLock, "_held_here", set())  # as in another process
    other = open_store(server_url)
    with pytest.raises(PlanLockedError):
        other.lock(1).acquire()
    other.close()


def test_a_server_whose_machine_is_away_without_a_word_is_waited_for(
    server_url: str, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hippo.plan.server_dialects._CONNECT_S", 2)  # the least that PostgreSQL's driver knows
    store = open_store(make_url(server_url).set(port=line.port).render_as_string(hide_password=False))
    store.add_plan(PLAN)
    line.is_silent = True
    line.cut()
    threading.Timer(0.5, lambda: setattr(line, "is_silent", False)).start()
    store.commit([Insert(NODE)])
    assert [row.node for row in store.rows(NodeRow)] == [1]
    store.close()


def test_a_lock_that_could_not_be_given_back_is_taken_again(line: Line, store: AbstractPlanStore) -> None:
    lock = store.lock(1)
    lock.acquire()
    line.cut()
    lock.release()
    lock.acquire()
    lock.release()
