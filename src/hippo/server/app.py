"""The web front of a service: paths, rights, bounds, and errors as JSON. The only module that knows Starlette.

Every request is checked for who asks before its body is read. It refuses to know what a study is.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from hippo.errors import (
    HippoError,
    HostLeftError,
    PlanLockedError,
    RefusedError,
    ServiceError,
    UnknownStudyError,
    UnreachableDatabaseError,
)
from hippo.schedulers import FairShare
from hippo.server.bodies import BodyTooLargeError, parsed_body
from hippo.server.entries import EntryReader
from hippo.server.guard import Guard
from hippo.server.joined_hosts import JoinedCluster, JoinedNode
from hippo.server.reading import progress_to_json, statistics_to_json, trials_to_json
from hippo.server.served_calls import ServedCall, UnknownCallError
from hippo.server.service import StudyService
from hippo.server.tokens import Right
from hippo.server.wire import MOST_BYTES, PROTOCOL, error_to_json
from hippo.study.remote_calls import retry_at_service

T = TypeVar("T")

#: how long a client may wait for events in one request
MOST_WAIT_S = 60.0
#: events of trials in one answer: a script that is run again is told all of a study's
MOST_TOLD = 1_000
#: bytes of what a host says at once: events of thousands of steps, each with metrics
MOST_HOST_BYTES = 16 * MOST_BYTES
#: silence after which a stream of events says that it is still there
_HEARTBEAT_S = 15.0

Answering = Callable[[Request], Awaitable[Response]]


class PathNumber(IntegerConvertor):
    """Whole numbers in paths: of thousands of digits Python makes none, and raises before anybody can answer."""

    regex = "[0-9]{1,18}"


register_url_convertor("number", PathNumber())


def make_app(
    service: StudyService,
    guard: Guard,
    *,
    most_steps: int = 1_000_000,
    beside: Mapping[str, Any] | None = None,
    hosts: JoinedCluster | None = None,
) -> Any:
    """Return the ASGI application of a service.

    Args:
      service: what it serves.
      guard: who may do what.
      most_steps: the largest `until` that is taken.
      beside: path -> another application that answers there, and guards itself.
      hosts: where machines that join it are; None: none may.
    """
    front = ServiceFront(service, guard, EntryReader(custom=service.custom_sequences, most_steps=most_steps))
    there = HostFront(hosts)
    call = "/v1/studies/{study:number}/calls/{call}"
    routes = [
        ("/v1/version", "GET", None, front.version),
        ("/v1/studies", "GET", Right.READ, front.names),
        ("/v1/studies", "POST", Right.WRITE, front.create),
        ("/v1/studies/open", "POST", Right.READ, front.load),
        ("/v1/studies/{study:number}/trials", "GET", Right.READ, front.trials),
        ("/v1/studies/{study:number}/trials/{trial:number}/traceback", "GET", Right.READ, front.traceback),
        ("/v1/studies/{study:number}/retry", "POST", Right.WRITE, front.retry),
        ("/v1/studies/{study:number}/statistics", "GET", Right.READ, front.statistics),
        ("/v1/studies/{study:number}/progress", "GET", Right.READ, front.progress),
        ("/v1/studies/{study:number}/calls", "POST", Right.WRITE, front.begin),
        (f"{call}/entries", "POST", Right.WRITE, front.take),
        (f"{call}/answers", "GET", Right.WRITE, front.answers),
        (f"{call}/told", "GET", Right.WRITE, front.told),
        (f"{call}/traces/{{entry:number}}", "GET", Right.WRITE, front.traces),
        (f"{call}/close", "POST", Right.WRITE, front.close),
        ("/v1/hosts", "POST", Right.JOIN, there.join),
        ("/v1/hosts/{host}/calls", "POST", Right.JOIN, there.calls),
        ("/v1/hosts/{host}/answers", "POST", Right.JOIN, there.answers),
        ("/v1/hosts/{host}/leave", "POST", Right.JOIN, there.leave),
    ]
    return Starlette(
        routes=[
            *[Route(path, _guarded(guard, right, answer), methods=[method]) for path, method, right, answer in routes],
            *[Mount(path, app) for path, app in (beside or {}).items()],
        ],
        exception_handlers={HTTPException: _no_such_place},
    )


def _guarded(guard: Guard, right: Right | None, answer: Answering) -> Answering:
    """Return what answers a request whose sender may ask that, and tells errors as JSON."""

    async def endpoint(request: Request) -> Response:
        try:
            refusal = guard.refusal(request.headers, right, has_body=request.method == "POST")
            if refusal is not None:
                return _failed(refusal.status, refusal.error)
            return await answer(request)
        except UnreachableDatabaseError:  # where it is, is no business of clients
            return _failed(503, ServiceError("its database does not answer for now"))
        except HippoError as error:
            return _failed(_status_of(error), error)
        except Exception:  # ours: the client is told that, and whoever runs the service what it was
            traceback.print_exc(file=sys.stderr)
            return _failed(500, ServiceError("the service failed; its standard error says how"))

    return endpoint


async def _no_such_place(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "it is called for no other"
    why = f"nothing answers {request.method[:10]} {request.url.path[:100]!r} here; is it of another version of hippo?"
    return _failed(error.status_code, RefusedError(why))


def _failed(status: int, error: HippoError) -> Response:
    return JSONResponse({"error": error_to_json(error)}, status_code=status)


def _status_of(error: HippoError) -> int:
    if isinstance(error, UnknownCallError | UnknownStudyError):
        return 404
    if isinstance(error, BodyTooLargeError):
        return 413
    if isinstance(error, ValueError | TypeError | KeyError):
        return 400
    return 409 if isinstance(error, PlanLockedError) or type(error) is ServiceError else 500


async def _body_of(request: Request) -> dict[str, Any]:
    """Return the body of a request; what is too large is not even read."""
    return await asyncio.to_thread(parsed_body, await _bytes_of(request))


async def _bytes_of(request: Request, *, most: int = MOST_BYTES) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            break
    return bytes(body)


class ServiceFront:
    """Answers requests.

    Args:
      service: what they are about.
      guard: knows whose request it is.
      reader: reads what is said in calls.
    """

    def __init__(self, service: StudyService, guard: Guard, reader: EntryReader) -> None:
        self._service = service
        self._guard = guard
        self._reader = reader

    async def version(self, request: Request) -> Response:
        """Tell which protocol is spoken here: clients of another one end with a message that says so."""
        return JSONResponse({"protocol": PROTOCOL})

    # --- studies

    async def names(self, request: Request) -> Response:
        """List studies."""
        return JSONResponse({"studies": await asyncio.to_thread(self._service.names)})

    async def create(self, request: Request) -> Response:
        """Make a study, or go on with it."""
        return JSONResponse(await self._service.create(await _body_of(request)))

    async def load(self, request: Request) -> Response:
        """Open a study to read it."""
        asked = await _body_of(request)
        return JSONResponse(await self._service.load(asked.get("name"), asked.get("generation")))

    async def trials(self, request: Request) -> Response:
        """Tell a study's trials."""
        study = self._service.study(request.path_params["study"]).study
        return JSONResponse(await asyncio.to_thread(trials_to_json, study))

    async def traceback(self, request: Request) -> Response:
        """Tell what made a trial fail."""
        study = self._service.study(request.path_params["study"]).study
        number = request.path_params["trial"]
        return JSONResponse({"traceback": await asyncio.to_thread(lambda: study.trial(number).traceback)})

    async def retry(self, request: Request) -> Response:
        """Let the trials that failed be trained again."""
        study = self._service.study(request.path_params["study"]).study
        return JSONResponse({"retried": await asyncio.to_thread(retry_at_service, study)})

    async def statistics(self, request: Request) -> Response:
        """Tell what a study cost."""
        study = self._service.study(request.path_params["study"]).study
        return JSONResponse(await asyncio.to_thread(statistics_to_json, study))

    async def progress(self, request: Request) -> Response:
        """Tell how far a study is."""
        study = self._service.study(request.path_params["study"]).study
        return JSONResponse(await asyncio.to_thread(progress_to_json, study))

    # --- calls

    async def begin(self, request: Request) -> Response:
        """Begin a call."""
        asked = await _body_of(request)
        entry = self._guard.entry(request.headers)
        fair_share = None
        if entry is not None:
            fair_share = FairShare(owner=entry.name, share=entry.share, priority=entry.priority)
        return JSONResponse({"call": await self._service.begin(request.path_params["study"], asked, fair_share)})

    def _call(self, request: Request) -> ServedCall:
        return self._service.call(request.path_params["study"], request.path_params["call"])

    async def take(self, request: Request) -> Response:
        """Take in a batch of entries, and answer a question that may come with it."""
        call, asked = self._call(request), await _body_of(request)
        with call.silence.broken():  # who never ends a request does not speak
            return await self._take(call, asked)

    async def _take(self, call: ServedCall, asked: dict[str, Any]) -> Response:
        first, seen, is_quiet = asked.get("first"), asked.get("seen"), asked.get("quiet")
        if type(first) is not int or first < 0 or type(seen) is not int or type(is_quiet) is not bool:
            raise RefusedError("a batch says first (a number), seen (a number), quiet (true or false) and entries")
        entries = await asyncio.to_thread(self._reader.read, asked.get("entries"))
        refused = await self._service.take(call, first, entries, seen=seen, is_quiet=is_quiet)
        answer: dict[str, Any] = {
            "taken": first + len(entries) if refused is None else call.session.num_entries,
            "refused": {str(number): error_to_json(error) for number, error in (refused or {}).items()},
        }
        if (question := asked.get("uncovered")) is not None and refused is not None:
            proposal = await asyncio.to_thread(self._reader.proposal, question)
            number = asked.get("query")
            if number is not None and (type(number) is not int or number < 0):
                raise RefusedError(f"query is the number of the question, 0, 1, ..., not {str(number)[:40]!r}")
            answer["uncovered"] = await call.on_loop(lambda: call.session.uncovered(proposal, number))
        return JSONResponse(answer)

    async def answers(self, request: Request) -> Response:
        """Tell events as they come: as server-sent events, or those of a while, for those who poll."""
        call = self._call(request)
        if "text/event-stream" in request.headers.get("accept", ""):
            after = _number(request.headers.get("last-event-id", "0"), "Last-Event-ID")
            return StreamingResponse(_server_sent(call, after), media_type="text/event-stream")
        after, wait_s = _polled(request)
        with call.silence.broken():
            await self._service.seen(call, after)
            return _events(await call.events.wait(after, wait_s))

    async def told(self, request: Request) -> Response:
        """Tell what happened to the study's trials, for those who poll."""
        call = self._call(request)
        if call.told is None:
            raise RefusedError("this call was not begun to hear what happens to trials: say hears, true or false")
        after, wait_s = _polled(request)
        # that breaks no silence: the client of a script that sleeps has left this request open, and asks for no answer
        call.told.forget(after)
        return _events((await call.told.wait(after, wait_s))[:MOST_TOLD])

    async def traces(self, request: Request) -> Response:
        """Tell what training said along the way to an answer."""
        call, entry = self._call(request), request.path_params["entry"]
        found = await call.on_loop(lambda: call.session.traces(entry))
        if found is None:
            raise UnknownCallError(f"entry {entry} of this call has no answer yet")
        return JSONResponse(found)

    async def close(self, request: Request) -> Response:
        """End a call."""
        call, asked = self._call(request), await _body_of(request)
        if asked.get("state") not in ("complete", "failed", "interrupted"):
            raise RefusedError("a call ends complete, failed or interrupted")
        await self._service.close(call, asked["state"])
        return JSONResponse({})


class HostFront:
    """Answers the hosts that join.

    Args:
      hosts: those that have; None: none may.
    """

    def __init__(self, hosts: JoinedCluster | None) -> None:
        self._cluster = hosts
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="hippo-hosts")

    @property
    def _hosts(self) -> JoinedCluster:
        if self._cluster is None:
            raise RefusedError("this service trains on its own machine alone; `hippo serve --hosts` lets others join")
        return self._cluster

    async def _in_thread(self, do: Callable[..., T], *given: Any, **named: Any) -> T:
        """Return what `do` returns, in a thread that waits for no client's question: a host's work hangs on it."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(do, *given, **named))

    async def _body_of(self, request: Request) -> dict[str, Any]:
        return await self._in_thread(parsed_body, await _bytes_of(request))

    def _node(self, request: Request) -> JoinedNode:
        return self._hosts.joined(request.path_params["host"])

    async def join(self, request: Request) -> Response:
        """Take a host in."""
        return JSONResponse({"host": self._hosts.join(await self._body_of(request)).id})

    async def calls(self, request: Request) -> Response:
        """Tell a host what to do, as soon as there is something."""
        node, asked = self._node(request), await self._body_of(request)
        with node.silence.broken():  # who never ends a request, since the network is gone, does not speak
            seen, wait_s = asked.get("seen"), asked.get("wait")
            if type(seen) is not int or not isinstance(wait_s, int | float) or not 0 <= wait_s <= MOST_WAIT_S:
                raise RefusedError("a host that asks for calls says seen (a number) and wait (seconds)")
            calls = await node.wait(seen, wait_s)
        return Response(f'{{"calls": [{", ".join(text for _, text in calls)}]}}', media_type="application/json")

    async def answers(self, request: Request) -> Response:
        """Take in what came of calls."""
        node, body = self._node(request), await _bytes_of(request, most=MOST_HOST_BYTES)
        with node.silence.broken():
            asked = await self._in_thread(parsed_body, body, finite=False, most=MOST_HOST_BYTES)
            answers = asked.get("answers")
            if not isinstance(answers, list) or not all(_is_answer(answer) for answer in answers):
                raise RefusedError("a host's answers are a list, each with its call (a number) and a result, or error")
            for answer in answers:
                await self._in_thread(
                    node.take_answer, answer["call"], result=answer.get("result"), error=answer.get("error")
                )
        return JSONResponse({})

    async def leave(self, request: Request) -> Response:
        """Hear that a host is about to go, or gone."""
        node, asked = self._node(request), await self._body_of(request)
        if type(asked.get("is_gone")) is not bool:
            raise RefusedError("a host that leaves says is_gone, true or false")
        if asked["is_gone"]:
            self._hosts.forget(node.id, HostLeftError("it left"))
        else:
            node.is_leaving = True
        return JSONResponse({})


def _is_answer(data: object) -> bool:
    return isinstance(data, dict) and type(data.get("call")) is int and isinstance(data.get("error"), str | None)


async def _server_sent(call: ServedCall, after: int) -> AsyncIterator[str]:
    with call.silence.broken():
        while True:
            events = await call.events.wait(after, _HEARTBEAT_S)
            for after, text in events:
                yield f"id: {after}\ndata: {text}\n\n"
            if not events:
                yield ": still here\n\n"
            if call.ended.is_set() and after >= call.events.last:
                return


def _polled(request: Request) -> tuple[int, float]:
    """Return the event that a client has heard last, and for how long it waits for the next one."""
    after = _number(request.query_params.get("after", "0"), "after")
    return after, min(float(_number(request.query_params.get("wait", "0"), "wait")), MOST_WAIT_S)


def _events(found: Sequence[tuple[int, str]]) -> Response:
    return Response(f'{{"events": [{", ".join(text for _, text in found)}]}}', media_type="application/json")


def _number(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise RefusedError(f"{name} must be a number, not {text[:40]!r}")
    return int(text)
