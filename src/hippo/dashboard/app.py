"""The dashboard's web front: a page, its data as JSON, and a stream of changes.

By itself it reads, and changes nothing. Mounted by a service it asks for that one's tokens, and passes on what people
want done there. A token comes in a header alone: pages of others cannot send it, and no address shows it.
"""

from __future__ import annotations

import asyncio
import re
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from hippo.clock import Clock, SystemClock
from hippo.dashboard.answers import (
    lineage_answer,
    rungs_answer,
    schedules_answer,
    slots_answer,
    storage_answer,
    study_answer,
    tree_answer,
    trial_answer,
)
from hippo.dashboard.beside_optuna import has_optunas_dashboard, optuna_routes
from hippo.dashboard.comparing import history_answer, importance_answer, parallel_answer
from hippo.dashboard.comparing_front import ComparingFront
from hippo.dashboard.drawn_curves import curves_answer
from hippo.dashboard.nodes import node_answer
from hippo.dashboard.questions import study_of
from hippo.dashboard.read_studies import ReadStudies, ReadStudy
from hippo.dashboard.trial_tables import TrialChoice, trials_answer, trials_file
from hippo.dashboard.watching import ChangeWatcher
from hippo.errors import HippoError, OptionError, PlanLockedError, RefusedError, ServiceError, UnknownStudyError
from hippo.plan import AbstractPlanStore, PlanRow
from hippo.server.acting import NEEDS, ServiceActs
from hippo.server.bodies import parsed_body
from hippo.server.guard import Guard
from hippo.server.tokens import Right
from hippo.study import Study
from hippo.study.walked_tree import WalkedTree

PAGE = Path(__file__).parent / "page"
#: silence after which the stream of changes says that it is still there
_HEARTBEAT_S = 15.0
#: of a number in a question, and bytes of what is said to have something done
_MOST_DIGITS, _MOST_BYTES = 10, 1_000_000
#: characters of a study's name in that of a file
_MOST_NAME = 100
_ONLY_READS = (
    "this page only reads, in a process of its own: nothing can be done to a study here. `hippo serve` has a page at "
    "/dashboard/ that acts; elsewhere there are hippo retry, keep, delete, and the study's own script"
)
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


def make_dashboard(
    store: AbstractPlanStore,
    clock: Clock | None = None,
    *,
    guard: Guard | None = None,
    acts: ServiceActs | None = None,
    optuna_storage: str | None = None,
    price: float | None = None,
) -> Any:
    """Return the ASGI application that shows the studies of a database.

    Args:
      store: of which rows are read, and none is written.
      clock: by default the machine's.
      guard: knows who may look, and act; by default whoever sits at this machine may look.
      acts: does what people want done to studies; None: nothing can be done from the page.
      optuna_storage: URL of the same database, for Optuna's dashboard beside this one, if it is installed; None:
        without it. Only at the root of a server, where its page asks for what it needs.
      price: of a device-hour, in whatever money; None: whoever looks may give one.
    """
    guard = guard or Guard(None)
    has_optunas = optuna_storage is not None and has_optunas_dashboard()
    clock = clock or SystemClock()
    reads = ReadStudies(store, clock)
    front, comparing = DashboardFront(store, clock, guard, reads), ComparingFront(reads, price)
    acting = ActingFront(store, guard, acts, has_optunas=has_optunas)
    answers: dict[str, Callable[[Request], Any]] = {
        "overview": front.studies,
        "tree": front.tree,
        "curves": front.curves,
        "schedules": front.schedules,
        "savings": comparing.savings,
        "rungs": front.made_of(lambda read: rungs_answer(read.study)),
        "slots": front.slots,
        "lineage": front.made_of(_of_tree(lineage_answer)),
        "history": front.made_of(lambda read: history_answer(read.study)),
        "parallel": front.made_of(lambda read: parallel_answer(read.study)),
        "importance": front.importance,
        "pareto": comparing.pareto,
        "together": comparing.together,
        "storage": front.storage,
        "trials": front.trials,
        "trials-file": front.trials_file,
        "trial": front.trial,
        "node": front.node,
    }
    reading = {**answers, "rights": acting.rights, "acts": acting.acts}
    routes: list[BaseRoute] = [
        Route("/", _guarded(guard, None, front.page)),
        Route("/api/acts", _guarded(guard, Right.READ, acting.act), methods=["POST"]),
        *[Route(f"/api/{name}", _guarded(guard, Right.READ, _in_thread(answer))) for name, answer in reading.items()],
        Route("/api/changes", _guarded(guard, Right.READ, front.changes)),
        Mount("/page", _Guarded(guard, StaticFiles(directory=PAGE))),
    ]
    if optuna_storage is not None and has_optunas:
        routes += optuna_routes(optuna_storage, lambda request: _refusal(guard, request.headers, Right.READ))
    return Starlette(routes=routes)


class DashboardFront:
    """Answers the page's questions.

    Args:
      store: to be read.
      clock: says until when what runs is shown.
      guard: knows who may go on listening.
      reads: the store's studies.
    """

    def __init__(self, store: AbstractPlanStore, clock: Clock, guard: Guard, reads: ReadStudies) -> None:
        self._store = store
        self._clock = clock
        self._guard = guard
        self._watcher = ChangeWatcher(store.changes)
        self._read = reads

    async def page(self, request: Request) -> Response:
        """Return the page."""
        return FileResponse(PAGE / "index.html")

    async def changes(self, request: Request) -> Response:
        """Tell the number of the database's state, now and whenever it changes, as server-sent events."""
        given = request.headers.get("last-event-id", "")
        known = int(given) if given.isdecimal() and len(given) < _MOST_DIGITS else -1
        return StreamingResponse(self._told(known, request.headers), media_type="text/event-stream")

    async def _told(self, known: int, headers: Mapping[str, str]) -> AsyncIterator[str]:
        while _refusal(self._guard, headers, Right.READ) is None:  # a token that was revoked meanwhile hears no more
            number = await self._watcher.next_after(known, timeout_s=_HEARTBEAT_S)
            yield ": still here\n\n" if number == known else f"id: {number}\ndata: {number}\n\n"
            known = number

    # --- on threads of their own

    def _read_of(self, request: Request) -> ReadStudy:
        return self._read.named(study_of(request))

    def _once(
        self,
        request: Request,
        answer: Callable[[ReadStudy], dict[str, Any]],
        keeps: Callable[[dict[str, Any]], bool] = lambda made: True,
    ) -> dict[str, Any]:
        """Return what is answered of a study: made once for as long as nothing is written, if that `keeps`."""
        read = self._read_of(request)
        return read.once(f"{request.url.path}?{request.url.query}", lambda: answer(read), keeps)

    def made_of(self, answer: Callable[[ReadStudy], dict[str, Any]]) -> Callable[[Request], dict[str, Any]]:
        """Return what answers a question that names a study, and nothing else."""
        return lambda request: self._once(request, answer)

    def studies(self, request: Request) -> dict[str, Any]:
        """List the studies."""
        with self._store.reading() as rows:
            exactness = dict(rows.columns(PlanRow, ("plan", "exactness")))
        return {
            "storage": self._store.url,
            "studies": [study_answer(self._read.named(name).study, exactness) for name in self._read.names()],
        }

    def tree(self, request: Request) -> dict[str, Any]:
        """Tell a study's tree."""
        metric = request.query_params.get("metric")
        answer = _of_tree(lambda study, tree: tree_answer(study, tree, metric))
        return self._once(request, answer, lambda made: not made["runs"])

    def curves(self, request: Request) -> dict[str, Any]:
        """Tell a metric over steps, or seconds."""
        asked = request.query_params
        metric, by, seeds = asked.get("metric"), asked.get("by", "steps"), asked.get("seeds", "")
        return self._once(request, _of_tree(lambda study, tree: curves_answer(study, tree, metric, by=by, seeds=seeds)))

    def schedules(self, request: Request) -> dict[str, Any]:
        """Tell hyper-parameters over steps."""
        chosen = request.query_params.get("trials", "")
        numbers = [_number(each, "trials") for each in chosen.split(",")] if chosen else None
        return self._once(request, lambda read: schedules_answer(read.study, numbers))

    def importance(self, request: Request) -> dict[str, Any]:
        """Tell which hyper-parameters matter."""
        read = self._read_of(request)
        return read.now_and_then("importance", lambda: importance_answer(read.study))

    def storage(self, request: Request) -> dict[str, Any]:
        """Tell what states take in files."""
        read = self._read_of(request)
        return read.now_and_then("storage", lambda: storage_answer(read.study))

    def slots(self, request: Request) -> dict[str, Any]:
        """Tell what each slot did when."""
        read = self._read_of(request)
        answer = _of_tree(lambda study, tree: slots_answer(study, tree, self._clock.now()))
        # what runs goes on while nothing is written
        return read.once("slots", lambda: answer(read), lambda made: not made["runs"])

    def trials(self, request: Request) -> dict[str, Any]:
        """Tell a page of the trials."""
        asked = request.query_params
        offset, limit = _number(asked.get("offset", "0"), "offset"), _number(asked.get("limit", "100"), "limit")
        choice = _trial_choice(request)
        return self._once(request, lambda read: trials_answer(read.study, choice, offset=offset, limit=limit))

    def trials_file(self, request: Request) -> Response:
        """Return all trials that a page shows a part of, as a file."""
        form, read = request.query_params.get("form", ""), self._read_of(request)
        # made for one who asks, and not kept: it may be large, and others should not wait for it
        text = trials_file(read.study, _trial_choice(request), form)
        name = re.sub(r"[^-.A-Za-z0-9]+", "_", read.study.name)[:_MOST_NAME]
        kind = "text/csv" if form == "csv" else "application/json"
        return Response(
            text, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}-trials.{form}"'}
        )

    def trial(self, request: Request) -> dict[str, Any]:
        """Tell all about one trial."""
        return trial_answer(self._read_of(request).study, _number(request.query_params.get("number", ""), "number"))

    def node(self, request: Request) -> dict[str, Any]:
        """Tell all about one stretch of the tree."""
        asked = request.query_params
        node, member = _number(asked.get("node", ""), "node"), asked.get("member", "")
        return self._once(request, _of_tree(lambda study, tree: node_answer(study, tree, self._store, node, member)))


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
        may = [act for act in possible if _refusal(self._guard, request.headers, NEEDS[act]) is None]
        return {"acts": may, "why": ""}

    async def act(self, request: Request) -> Response:
        """Have something done to a study, if whoever asks may do that, and tell what came of it."""
        if self._acts is None:
            raise RefusedError(_ONLY_READS)
        said = await _body_of(request)
        act, study = said.get("act"), said.get("study")
        if not isinstance(act, str) or act not in NEEDS or not isinstance(study, str):
            raise RefusedError(f"a request names a study, and one of the acts {list(NEEDS)}, not {str(act)[:50]!r}")
        refused = _refusal(self._guard, request.headers, NEEDS[act])
        if refused is not None:
            return refused
        entry = self._guard.entry(request.headers)
        return JSONResponse({"done": await asyncio.to_thread(self._acts.do, act, study, said, entry)})


def _of_tree(answer: Callable[[Study, WalkedTree], dict[str, Any]]) -> Callable[[ReadStudy], dict[str, Any]]:
    """Return what answers of a study as it is read what is answered of its tree."""

    def answered(read: ReadStudy) -> dict[str, Any]:
        with read.tree() as tree:
            return answer(read.study, tree)

    return answered


def _trial_choice(request: Request) -> TrialChoice:
    """Return which trials a question is about; names of columns are escaped once more, since commas part them."""
    asked = request.query_params
    return TrialChoice(
        state=asked.get("state", ""),
        text=asked.get("text", ""),
        filter=asked.get("filter", ""),
        order=asked.get("order", "number"),
        columns=tuple(unquote(each) for each in asked.get("columns", "").split(",") if each),
    )


def _number(text: str, what: str) -> int:
    if not text.isdecimal() or len(text) >= _MOST_DIGITS:
        raise OptionError(f"{what}={text[:50]!r} is no number")
    return int(text)


Answering = Callable[[Request], Awaitable[Response]]


def _in_thread(answer: Callable[[Request], Any]) -> Answering:
    async def endpoint(request: Request) -> Response:
        answered = await asyncio.to_thread(answer, request)
        return answered if isinstance(answered, Response) else JSONResponse(answered)

    return endpoint


def _guarded(guard: Guard, right: Right | None, answer: Answering) -> Answering:
    """Return what answers those who may ask that, and tells errors as JSON."""

    async def endpoint(request: Request) -> Response:
        response = _refusal(guard, request.headers, right, has_body=request.method == "POST")
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


def _refusal(
    guard: Guard, headers: Mapping[str, str], right: Right | None, *, has_body: bool = False
) -> Response | None:
    """Return why a request is refused; of web pages, ours alone may ask: browsers name it for modules and streams."""
    own = f"http://{headers.get('host', '')}"
    asked = {name.lower(): value for name, value in headers.items() if (name.lower(), value) != ("origin", own)}
    refusal = guard.refusal(asked, right, has_body=has_body)
    return None if refusal is None else JSONResponse({"error": str(refusal.error)}, status_code=refusal.status)


async def _body_of(request: Request) -> dict[str, Any]:
    """Return what a request says; what is too large is not even read."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BYTES:
            raise RefusedError(f"what is said here has {_MOST_BYTES} bytes at most")
    return await asyncio.to_thread(parsed_body, bytes(body))


class _Guarded:
    """Files of the page: no secret is in them, and what they show is asked for.

    Args:
      guard: knows which names and pages are refused.
      files: what is answered.
    """

    def __init__(self, guard: Guard, files: StaticFiles) -> None:
        self._guard = guard
        self._files = files

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        response = _refusal(self._guard, Request(scope).headers, None)
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
