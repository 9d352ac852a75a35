"""Who is answered by the dashboard's web front, and how: errors as JSON, and headers that let nothing run.

A token comes in a header alone: pages of others cannot send it, and no address shows it.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from hippo.errors import HippoError, PlanLockedError, ServiceError, UnknownStudyError
from hippo.server.guard import Guard
from hippo.server.tokens import Right

#: nothing is loaded but what this server sends, and nothing that a user wrote can run
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

Answering = Callable[[Request], Awaitable[Response]]


def in_thread(answer: Callable[[Request], Any]) -> Answering:
    """Return what has a question answered on a thread of its own, as JSON unless it is a response already."""

    async def endpoint(request: Request) -> Response:
        answered = await asyncio.to_thread(answer, request)
        return answered if isinstance(answered, Response) else JSONResponse(answered)

    return endpoint


def guarded(guard: Guard, right: Right | None, answer: Answering) -> Answering:
    """Return what answers those who may ask that, and tells errors as JSON."""

    async def endpoint(request: Request) -> Response:
        response = refusal(guard, request.headers, right, has_body=request.method == "POST")
        if response is None:
            try:
                response = await answer(request)
            except HippoError as error:
                response = JSONResponse({"error": str(error)}, status_code=_status_of(error))
            except Exception:  # ours: the page is told that, and whoever started it what it was
                traceback.print_exc(file=sys.stderr)
                message = "the dashboard failed; its terminal says how"
                response = JSONResponse({"error": message}, status_code=500)
        response.headers.update(_HEADERS)
        return response

    return endpoint


def _status_of(error: HippoError) -> int:
    if isinstance(error, UnknownStudyError):
        return 404
    return 409 if isinstance(error, PlanLockedError) or type(error) is ServiceError else 400


def refusal(
    guard: Guard, headers: Mapping[str, str], right: Right | None, *, has_body: bool = False
) -> Response | None:
    """Return why a request is refused; of web pages, ours alone may ask: browsers name it for modules and streams."""
    own = f"http://{headers.get('host', '')}"
    asked = {name.lower(): value for name, value in headers.items() if (name.lower(), value) != ("origin", own)}
    refusal = guard.refusal(asked, right, has_body=has_body)
    return None if refusal is None else JSONResponse({"error": str(refusal.error)}, status_code=refusal.status)


class GuardedFiles:
    """Files of the page: no secret is in them, and what they show is asked for.

    Args:
      guard: knows which names and pages are refused.
      files: what is answered.
    """

    def __init__(self, guard: Guard, files: StaticFiles) -> None:
        self._guard = guard
        self._files = files

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        response = refusal(self._guard, Request(scope).headers, None)
        if response is not None:
            await response(scope, receive, send)
            return

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                more = {**_HEADERS, "Cache-Control": "no-cache"}
                message["headers"] = [
                    *message["headers"],
                    *((name.lower().encode(), value.encode()) for name, value in more.items()),
                ]
            await send(message)

        await self._files(scope, receive, with_headers)
