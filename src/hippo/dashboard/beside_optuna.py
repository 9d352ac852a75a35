"""Optuna's own dashboard at the same address, where it is installed: /optuna leads to it.

Its page has all it needs at the root: /dashboard, /static, /api, /csv. Of these paths hippo's page uses none, so that
both stand beside each other and nothing of Optuna's is rewritten. It only reads: whatever changes something is refused.
This module refuses to know what Optuna shows.
"""

from __future__ import annotations

import asyncio
import importlib.util
import io
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

#: where Optuna's page is, and what it asks for
_PLACES = ("/dashboard", "/static", "/csv", "/favicon.ico", "/api/meta", "/api/studies")
_READING = frozenset({"GET", "HEAD"})


def has_optunas_dashboard() -> bool:
    """Tell whether Optuna's dashboard is installed; it is imported when somebody looks at it, which takes seconds."""
    return importlib.util.find_spec("optuna_dashboard") is not None


def optuna_routes(storage: str, refused: Callable[[Request], Response | None]) -> list[BaseRoute]:
    """Return where Optuna's dashboard is found.

    Args:
      storage: URL of the database.
      refused: tells why a request is not answered; None: it is.
    """
    pages = _OptunaPages(storage, refused)
    return [
        Route("/optuna", lambda request: RedirectResponse("/dashboard")),
        *[Route(f"{place}{{rest:path}}", pages) for place in _PLACES],
    ]


class _OptunaPages:
    """Optuna's application, made when it is first asked for: to open the database once more takes a moment.

    Args:
      storage: URL of the database.
      refused: tells why a request is not answered; None: it is.
    """

    def __init__(self, storage: str, refused: Callable[[Request], Response | None]) -> None:
        self._storage = storage
        self._refused = refused
        self._guard = threading.Lock()
        self._made: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope)
        response = self._refused(request)
        if response is None and request.method not in _READING:
            said = "studies of hippo are shown here, never written: this page only reads"
            response = JSONResponse({"reason": said}, status_code=405)
        if response is None:
            response = await asyncio.to_thread(self._answer, request)
        await response(scope, receive, send)

    def _answer(self, request: Request) -> Response:
        """Have Optuna's application, which is one of WSGI, answer a request that has no body."""
        started: list[Any] = []

        def start(status: str, headers: Sequence[tuple[str, str]], error: Any = None) -> None:
            started[:] = [int(status.split()[0]), headers]

        parts = self._application()(_environ(request), start)
        try:
            body = b"".join(parts)
        finally:
            if hasattr(parts, "close"):
                parts.close()
        status, headers = started
        response = Response(body, status_code=status)
        for name, value in headers:
            response.headers[name] = value
        return response

    def _application(self) -> Any:
        with self._guard:
            if self._made is None:
                import optuna_dashboard

                from hippo.integrations.optuna import HippoStorage

                self._made = optuna_dashboard.wsgi(HippoStorage(self._storage))
            return self._made


def _environ(request: Request) -> dict[str, Any]:
    """Return a request as WSGI has it (PEP 3333)."""
    url = request.url
    return {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote(url.path).encode().decode("latin-1"),
        "QUERY_STRING": url.query,
        "SERVER_NAME": url.hostname or "localhost",
        "SERVER_PORT": str(url.port or 80),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": url.scheme,
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in request.headers.items()},
    }
