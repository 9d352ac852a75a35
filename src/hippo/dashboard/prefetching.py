"""Asks a dashboard for what its page will ask next, while nobody waits: a first look at a large study reads all of it.

This module knows the questions of the page, and nothing of how they are answered.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: what the page asks about a study where nobody chose anything, as it asks it: first what is looked at first
QUESTIONS: Sequence[tuple[str, Mapping[str, str]]] = (
    ("tree", {}),
    ("trials", {"offset": "0", "limit": "100", "order": "number"}),
    ("slots", {}),
    ("curves", {}),
    ("schedules", {}),
    ("savings", {}),
    ("history", {}),
    ("parallel", {}),
    ("pareto", {}),
    ("rungs", {}),
    ("lineage", {}),
    ("together", {}),
    ("storage", {}),
)
_API = "/api/"
#: of which there is no answer, or none that ends
_NOT_ASKED = ("/api/acts", "/api/changes")
_LOCAL = [(b"host", b"127.0.0.1")]


class PrefetchingDashboard:
    """A dashboard that makes answers before they are wanted.

    That for its list of studies when it is started, then those about the newest study, and then about each one that
    somebody looks at. It asks one question at a time, and begins none while others wait for an answer. It needs its
    lifespan, and a server that answers this machine alone.

    Args:
      app: the dashboard; it keeps what it answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        #: questions of others under way, and set while there are none
        self._under_way = 0
        self._quiet = asyncio.Event()
        self._quiet.set()
        #: studies that were looked at, and those of them of which nothing was asked so far
        self._known: set[str] = set()
        self._waiting: list[str] = []
        self._looked = asyncio.Event()
        #: whether all was asked that there is to ask, so far
        self.is_done = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the dashboard does."""
        if scope["type"] == "lifespan":
            reading = asyncio.ensure_future(self._read())
            try:
                await self._app(scope, receive, send)
            finally:
                reading.cancel()
        elif scope["type"] != "http" or not scope["path"].startswith(_API) or scope["path"] in _NOT_ASKED:
            await self._app(scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        status = 0

        async def heard(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        self._under_way += 1
        self._quiet.clear()
        try:
            await self._app(scope, receive, heard)
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._quiet.set()
        if status == HTTPStatus.OK:  # there is such a study, and whoever looks may
            for study in QueryParams(scope["query_string"]).getlist("study"):
                self._look_at(study)

    def _look_at(self, study: str) -> None:
        if study not in self._known:
            self._known.add(study)
            self._waiting.append(study)
            self.is_done = False
            self._looked.set()

    async def _read(self) -> None:
        studies = json.loads(await self._asked("overview", {})).get("studies")
        if studies:
            self._look_at(studies[-1]["name"])
        while True:
            while self._waiting:
                study = self._waiting.pop()
                for name, more in QUESTIONS:
                    await self._asked(name, {"study": study, **more})
            self.is_done = True
            self._looked.clear()
            await self._looked.wait()

    async def _asked(self, name: str, asked: Mapping[str, str]) -> bytes:
        """Ask, once nobody else does; return the answer, whatever it says: who asks the same is told as much."""
        await self._quiet.wait()
        answer = bytearray()

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            answer.extend(message.get("body", b""))

        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": _API + name,
            "raw_path": (_API + name).encode(),
            "query_string": urlencode(asked).encode(),
            "root_path": "",
            "headers": _LOCAL,
        }
        await self._app(scope, receive, send)
        return bytes(answer)
