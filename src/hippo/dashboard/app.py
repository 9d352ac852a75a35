"""The dashboard's web front: a page, its data as JSON, and a stream of changes. It reads, and changes nothing."""

from __future__ import annotations

import asyncio
import sys
import threading
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from hippo.clock import Clock, SystemClock
from hippo.dashboard.answers import (
    curves_answer,
    lineage_answer,
    rungs_answer,
    savings_answer,
    schedules_answer,
    slots_answer,
    storage_answer,
    study_answer,
    tree_answer,
    trial_answer,
    trials_answer,
)
from hippo.dashboard.comparing import history_answer, importance_answer, parallel_answer
from hippo.dashboard.watching import ChangeWatcher
from hippo.errors import HippoError, OptionError, UnknownStudyError
from hippo.plan import AbstractPlanStore
from hippo.server.guard import Guard
from hippo.study import Study, StudyView, TreeRow, load_study
from hippo.study.managing import study_names

PAGE = Path(__file__).parent / "page"
#: silence after which the stream of changes says that it is still there
_HEARTBEAT_S = 15.0
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


def make_dashboard(store: AbstractPlanStore, clock: Clock | None = None) -> Any:
    """Return the ASGI application that shows the studies of a database.

    Args:
      store: of which rows are read, and none is written.
      clock: by default the machine's.
    """
    front = DashboardFront(store, clock or SystemClock())
    answers: dict[str, Callable[[Request], Any]] = {
        "studies": front.studies,
        "tree": front.tree,
        "curves": front.curves,
        "schedules": front.schedules,
        "savings": front.savings,
        "rungs": front.rungs,
        "slots": front.slots,
        "lineage": front.lineage,
        "history": front.history,
        "parallel": front.parallel,
        "importance": front.importance,
        "storage": front.storage,
        "trials": front.trials,
        "trial": front.trial,
    }
    routes = [
        Route("/", _guarded(front.page)),
        *[Route(f"/api/{name}", _guarded(_in_thread(answer))) for name, answer in answers.items()],
        Route("/api/changes", _guarded(front.changes)),
        Mount("/page", _Guarded(StaticFiles(directory=PAGE))),
    ]
    return Starlette(routes=routes)


class ReadStudies:
    """Studies that the page asked for: the next look at one costs what changed since.

    Args:
      store: to be read.
    """

    def __init__(self, store: AbstractPlanStore) -> None:
        self._store = store
        self._guard = threading.Lock()
        self._studies: dict[str, Study] = {}
        #: of each the reading that a tree is of, and the tree
        self._trees: dict[str, tuple[StudyView, Sequence[TreeRow]]] = {}

    def names(self) -> Sequence[str]:
        """Return the names of all studies."""
        return study_names(self._store)

    def asked(self, request: Request) -> Study:
        """Return the study that a question is about.

        Raises:
          OptionError: it names none.
        """
        name = request.query_params.get("study")
        if not name:
            raise OptionError("which study? Name it: ?study=NAME")
        return self.named(name)

    def named(self, name: str) -> Study:
        """Return a study as it is read; one that was made anew, or deleted, is looked for again."""
        fresh = load_study(name, self._store)
        with self._guard:
            known = self._studies.get(name)
            if known is None or known.generation != fresh.generation:
                known = self._studies[name] = fresh
            return known

    def tree(self, study: Study) -> Sequence[TreeRow]:
        """Return a study's tree: the same for as long as nothing was written."""
        view = study.read()
        known = self._trees.get(study.name)
        if known is None or known[0] is not view:
            known = self._trees[study.name] = (view, view.tree())
        return known[1]


class DashboardFront:
    """Answers the page's questions.

    Args:
      store: to be read.
      clock: says until when what runs is shown.
    """

    def __init__(self, store: AbstractPlanStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._watcher = ChangeWatcher(store.changes)
        self._read = ReadStudies(store)

    async def page(self, request: Request) -> Response:
        """Return the page."""
        return FileResponse(PAGE / "index.html")

    async def changes(self, request: Request) -> Response:
        """Tell the number of the database's state, now and whenever it changes, as server-sent events."""
        known = request.headers.get("last-event-id", "")
        return StreamingResponse(self._told(int(known) if known.isdecimal() else -1), media_type="text/event-stream")

    async def _told(self, known: int) -> AsyncIterator[str]:
        while True:
            number = await self._watcher.next_after(known, timeout_s=_HEARTBEAT_S)
            yield ": still here\n\n" if number == known else f"id: {number}\ndata: {number}\n\n"
            known = number

    # --- on threads of their own

    def studies(self, request: Request) -> dict[str, Any]:
        """List the studies."""
        return {
            "storage": self._store.url,
            "studies": [study_answer(self._read.named(name)) for name in self._read.names()],
        }

    def tree(self, request: Request) -> dict[str, Any]:
        """Tell a study's tree."""
        study = self._read.asked(request)
        return tree_answer(study, self._read.tree(study), request.query_params.get("metric"))

    def curves(self, request: Request) -> dict[str, Any]:
        """Tell a metric over steps."""
        study = self._read.asked(request)
        return curves_answer(study, self._read.tree(study), request.query_params.get("metric"))

    def schedules(self, request: Request) -> dict[str, Any]:
        """Tell hyper-parameters over steps."""
        chosen = request.query_params.get("trials", "")
        numbers = [_number(each, "trials") for each in chosen.split(",")] if chosen else None
        return schedules_answer(self._read.asked(request), numbers)

    def savings(self, request: Request) -> dict[str, Any]:
        """Tell what sharing is worth."""
        return savings_answer(self._read.asked(request))

    def rungs(self, request: Request) -> dict[str, Any]:
        """Tell who went on at which step."""
        return rungs_answer(self._read.asked(request))

    def history(self, request: Request) -> dict[str, Any]:
        """Tell what trials came to, one after the other."""
        return history_answer(self._read.asked(request))

    def parallel(self, request: Request) -> dict[str, Any]:
        """Tell the trials side by side."""
        return parallel_answer(self._read.asked(request))

    def importance(self, request: Request) -> dict[str, Any]:
        """Tell which hyper-parameters matter."""
        return importance_answer(self._read.asked(request))

    def lineage(self, request: Request) -> dict[str, Any]:
        """Tell which trial each one left."""
        study = self._read.asked(request)
        return lineage_answer(study, self._read.tree(study), study.trials)

    def storage(self, request: Request) -> dict[str, Any]:
        """Tell what states take in files."""
        return storage_answer(self._read.asked(request))

    def slots(self, request: Request) -> dict[str, Any]:
        """Tell what each slot did when."""
        study = self._read.asked(request)
        return slots_answer(study, self._read.tree(study), self._clock.now())

    def trials(self, request: Request) -> dict[str, Any]:
        """Tell a page of the trials."""
        asked = request.query_params
        return trials_answer(
            self._read.asked(request),
            offset=_number(asked.get("offset", "0"), "offset"),
            limit=_number(asked.get("limit", "100"), "limit"),
            state=asked.get("state", ""),
            order=asked.get("order", "number"),
            text=asked.get("text", ""),
        )

    def trial(self, request: Request) -> dict[str, Any]:
        """Tell all about one trial."""
        return trial_answer(self._read.asked(request), _number(request.query_params.get("number", ""), "number"))


def _number(text: str, what: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise OptionError(f"{what}={text[:50]!r} is no number")
    return int(text)


Answering = Callable[[Request], Awaitable[Response]]


def _in_thread(answer: Callable[[Request], Any]) -> Answering:
    async def endpoint(request: Request) -> Response:
        return JSONResponse(await asyncio.to_thread(answer, request))

    return endpoint


def _guarded(answer: Answering) -> Answering:
    """Return what answers this machine's own browser alone, and tells errors as JSON."""

    async def endpoint(request: Request) -> Response:
        response = _refusal(request.headers)
        if response is None:
            try:
                response = await answer(request)
            except HippoError as error:
                status = 404 if isinstance(error, UnknownStudyError) else 400
                response = JSONResponse({"error": str(error)}, status_code=status)
            except Exception:  # ours: the page is told that, and whoever started it what it was
                traceback.print_exc(file=sys.stderr)
                message = "the dashboard failed; its terminal says how"
                response = JSONResponse({"error": message}, status_code=500)
        response.headers.update(_HEADERS)
        return response

    return endpoint


def _refusal(headers: Mapping[str, str]) -> Response | None:
    """Return why a request is refused; of web pages, ours alone may ask: browsers name it for modules and streams."""
    own = f"http://{headers.get('host', '')}"
    asked = {name.lower(): value for name, value in headers.items() if (name.lower(), value) != ("origin", own)}
    refusal = Guard(None).refusal(asked, None, has_body=False)
    return None if refusal is None else JSONResponse({"error": str(refusal.error)}, status_code=refusal.status)


class _Guarded:
    """Files, for this machine's own browser alone."""

    def __init__(self, files: StaticFiles) -> None:
        self._files = files

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        response = _refusal(Request(scope).headers)
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
