"""The web server itself."""

from __future__ import annotations

import os
import socket
from typing import Any

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
