"""The web server itself."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from hippo.server.serving import WebServer


def answered_on(port: int) -> socket.socket:
    """Return the server's end of a connection of its own process that it has answered on."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 204")
        for name in os.listdir("/proc/self/fd"):
            try:
                end = socket.socket(fileno=os.dup(int(name)))
            except OSError:  # another kind of file
                continue
            try:
                if end.getpeername() == client.getsockname():
                    return end
            except OSError:
                pass
            end.close()
    raise AssertionError("nobody holds the other end")


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="there is no /proc")
def test_nothing_that_is_written_waits_for_what_was_written_before() -> None:
    async def empty(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    server = WebServer(empty, host="127.0.0.1", port=0)
    server.start()
    try:
        with answered_on(server.port) as end:
            assert end.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    finally:
        server.stop()


def test_a_process_that_only_serves_rarely_looks_for_garbage_and_never_among_what_it_began_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[int, bool]] = []
    before, began_with = gc.get_threshold(), [object()]
    server = WebServer(lambda *_: None, host="127.0.0.1", port=0)

    def look() -> None:
        seen.append((gc.get_threshold()[0], any(each is began_with for each in gc.get_objects())))

    monkeypatch.setattr(server, "_run", look)
    try:
        server.run()
    finally:
        gc.unfreeze()
        server.stop()
    assert seen == [(50_000, False)]
    assert gc.get_threshold() == before


@pytest.mark.parametrize(("begun", "status"), [([], 503), ([b"a"], 200)])
def test_who_still_waits_when_the_server_ends_is_told_to_come_again_and_of_no_error(
    begun: Sequence[bytes], status: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("hippo.server.serving._GOODBYE_S", 0.1)
    is_waiting = threading.Event()

    async def never(scope: Any, receive: Any, send: Any) -> None:
        for part in begun:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": part, "more_body": True})
        is_waiting.set()
        await asyncio.Event().wait()

    server = WebServer(never, host="127.0.0.1", port=0)
    server.start()
    with ThreadPoolExecutor(1) as thread:
        answer: Future[httpx.Response] = thread.submit(httpx.get, f"http://127.0.0.1:{server.port}/")
        assert is_waiting.wait(60)
        server.stop()
        response = answer.result()
    assert (response.status_code, response.content) == (status, b"".join(begun))
    assert caplog.records == []
