"""Passes on what people want done to studies from the page, where the studies run; elsewhere it says who does."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hippo.dashboard.guarding import refusal
from hippo.dashboard.questions import study_of
from hippo.errors import RefusedError
from hippo.plan import AbstractPlanStore
from hippo.server.acting import NEEDS, ServiceActs
from hippo.server.bodies import parsed_body
from hippo.server.guard import Guard

#: bytes of what is said to have something done
_MOST_BYTES = 1_000_000
_ONLY_READS = (
    "this page only reads, in a process of its own: nothing can be done to a study here. `hippo serve` has a page at "
    "/dashboard/ that acts; elsewhere there are hippo retry, keep, delete, and the study's own script"
)


class ActingFront:
    """Passes on what people want done to studies, if they may.

    Args:
      store: of whose studies.
      guard: knows whose request it is.
      acts: does what they want; None: nobody does.
      has_optunas: Optuna's dashboard is at /optuna.
    """

    def __init__(
        self, store: AbstractPlanStore, guard: Guard, acts: ServiceActs | None, *, has_optunas: bool = False
    ) -> None:
        self._store = store
        self._guard = guard
        self._acts = acts
        self._has_optunas = has_optunas

    def rights(self, request: Request) -> dict[str, Any]:
        """Tell who is asking, and whether anything can be done from here."""
        entry = self._guard.entry(request.headers)
        return {
            "storage": self._store.url,
            "has_tokens": self._guard.has_tokens,
            "name": None if entry is None else entry.name,
            "right": None if entry is None else entry.right,
            "acts": self._acts is not None,
            "optuna": self._has_optunas,
        }

    def acts(self, request: Request) -> dict[str, Any]:
        """Tell what whoever asks can do to a study now."""
        if self._acts is None:
            return {"acts": [], "why": _ONLY_READS}
        possible = self._acts.possible(study_of(request))
        may = [act for act in possible if refusal(self._guard, request.headers, NEEDS[act]) is None]
        return {"acts": may, "why": ""}

    async def act(self, request: Request) -> Response:
        """Have something done to a study, if whoever asks may do that, and tell what came of it."""
        if self._acts is None:
            raise RefusedError(_ONLY_READS)
        said = await _body_of(request)
        act, study = said.get("act"), said.get("study")
        if not isinstance(act, str) or act not in NEEDS or not isinstance(study, str):
            raise RefusedError(f"a request names a study, and one of the acts {list(NEEDS)}, not {str(act)[:50]!r}")
        refused = refusal(self._guard, request.headers, NEEDS[act])
        if refused is not None:
            return refused
        entry = self._guard.entry(request.headers)
        return JSONResponse({"done": await asyncio.to_thread(self._acts.do, act, study, said, entry)})


async def _body_of(request: Request) -> dict[str, Any]:
    """Return what a request says; what is too large is not even read."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BYTES:
            raise RefusedError(f"what is said here has {_MOST_BYTES} bytes at most")
    return await asyncio.to_thread(parsed_body, bytes(body))
