"""A service as a running web server: on a socket of its own, until it is told to stop. The only module with uvicorn."""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import socket
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn

from hippo.collector import few_collections
from hippo.errors import OptionError

#: connections beyond this many are told to come again
_MOST_CONNECTIONS = 1_000
#: how long requests under way may take when the service ends
_GOODBYE_S = 2
#: objects between two looks for young garbage: a request leaves 90 that are there to stay, and 500 of them took 12 ms
_YOUNG = 50_000


def check_host(host: str, *, has_tokens: bool) -> None:
    """Refuse an address that others reach, where nobody asks them who they are.

    Raises:
      OptionError: it is such an address.
    """
    if has_tokens or host == "localhost":
        return
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise OptionError(
            f"host={host!r} can be reached from other machines, and without tokens everybody there could train here. "
            "Make tokens (`hippo token add NAME --tokens FILE`) and give --tokens FILE; or stay with 127.0.0.1"
        )


class _InterruptionAnswer:
    """Answers those who still wait when the server ends: that it is not there for now, and not that it failed.

    Args:
      app: what answers.
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        is_begun = is_over = False

        async def send_and_note(message: Any) -> None:
            nonlocal is_begun, is_over
            is_begun = True
            is_over = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        except asyncio.CancelledError:
            if scope["type"] != "http":
                raise
            if not is_begun:
                await send({"type": "http.response.start", "status": 503, "headers": [(b"content-length", b"0")]})
            if not is_over:
                await send({"type": "http.response.body", "body": b""})


class _Server(uvicorn.Server):
    """Says goodbye before it stops to answer."""

    def __init__(self, goodbye: Callable[[], Awaitable[None]] | None, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._goodbye = goodbye

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._goodbye is not None:
            saying = asyncio.ensure_future(self._goodbye())
            while not saying.done() and not self.force_exit:  # a second Ctrl-C
                await asyncio.wait([saying], timeout=0.1)
        # who waits for something to happen may do so for a minute; left to uvicorn, each would be told of an error
        asyncio.get_running_loop().call_later(_GOODBYE_S, self._cut_off)
        await super().shutdown(sockets)

    def _cut_off(self) -> None:
        for task in self.server_state.tasks:
            task.cancel()


class WebServer:
    """Serves one ASGI application.

    Args:
      app: what answers.
      host: the address to listen at.
      port: its port; 0 for one that is free.
      goodbye: awaited when it is about to end, while it still answers, so that whoever waits for answers is given one.
      has_lifespan: the application does something from the beginning to the end, beside answering.

    Raises:
      OptionError: nobody can listen there.
    """

    def __init__(
        self,
        app: Any,
        *,
        host: str,
        port: int,
        goodbye: Callable[[], Awaitable[None]] | None = None,
        has_lifespan: bool = False,
    ) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # asyncio sends what is written at once only on sockets that say that they are TCP; else the end of an answer
        # waits for the client to acknowledge its beginning, which that puts off for 40 ms
        self._socket = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((host, port))
            self._socket.listen(1024)  # who comes before the server looks is kept waiting, not turned away
        except OSError as error:
            self._socket.close()
            raise OptionError(
                f"nobody can listen at {host}:{port}: {error.strerror or error}; give another --host or --port"
            ) from None
        self.port: int = self._socket.getsockname()[1]
        self._server = _Server(
            goodbye,
            uvicorn.Config(
                _InterruptionAnswer(app),
                log_config=None,
                access_log=False,  # nobody has to clean a log of what must not stand in it
                limit_concurrency=_MOST_CONNECTIONS,
                timeout_graceful_shutdown=2 * _GOODBYE_S,  # of who does not even let himself be cut off
                lifespan="on" if has_lifespan else "off",
                server_header=False,
            ),
        )
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        """Serve until Ctrl-C or SIGTERM, in a process that does nothing else.

        The collector never looks again at what is there when it begins, imported modules most of all: it would walk
        over all of it whenever trials are read, and none of it is garbage. Nor is nearly all of what requests leave.
        """
        gc.collect()
        gc.freeze()
        with few_collections(_YOUNG):
            self._run()

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])

    def start(self) -> None:
        """Serve on a thread of its own, until `stop`."""
        self._thread = threading.Thread(target=self._run, name="hippo-web", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop what `start` began."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()
        self._socket.close()
