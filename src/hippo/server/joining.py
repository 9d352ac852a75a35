"""A host's side of a service that it joined: it asks for calls, makes them, and sends what came of them.

Whatever becomes of the service, its host goes on asking: it joins again where a service was started anew, and ends its
workers where it has not heard of the service for so long that that has given it up. This module refuses to know what a
host trains with.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import secrets
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Protocol

from hippo.errors import EngineError, HippoError
from hippo.server.host_wire import METHODS, arguments_from_json, result_to_json
from hippo.server.joined_hosts import PATIENCE_S, SILENCE_S
from hippo.server.link import AsyncConnection, ServiceLink, StaleCallError, UnreachableError
from hippo.training.process.environment import versions

#: pause before a service that was not reached is asked again
_AGAIN_S = 0.5
#: work that is to end when the host leaves may take so long to come to its step's end
_LEAVE_S = 60.0

#: makes a host of its name and the place of states
MakeHost = Callable[[str, str], "Host"]


class Host(Protocol):
    """Something like a `NodeHost`: it has the `METHODS` of one."""

    def dispose(self) -> None:
        """End all work at once."""


class Joining:
    """A process that is a host of a service. All methods but `leave_soon` on one event loop.

    Args:
      link: to the service.
      make_host: makes the host that it is told to be.
      name: of this machine, for people.
      workers: that the host is going to have.
      environment: of these.
      joined: called when a service has taken it in.
      tell: is handed what users should know beside that.
    """

    def __init__(
        self,
        link: ServiceLink,
        make_host: MakeHost,
        *,
        name: str,
        workers: int,
        environment: Mapping[str, str],
        joined: Callable[[], None] = lambda: None,
        tell: Callable[[str], None],
    ) -> None:
        self._link, self._make_host, self._joined, self._tell = link, make_host, joined, tell
        self._said = {
            "name": name,
            "workers": workers,
            "environment": dict(environment),
            "versions": versions(),
        }
        self._host: Host | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        #: it was told to leave, perhaps before it ran; and the event, which is its loop's
        self.is_leaving = False
        self._leaving = asyncio.Event()
        self._answers: list[dict[str, Any]] = []
        self._has_answers = asyncio.Event()
        self._calls: set[asyncio.Task[None]] = set()
        self._is_away = False

    @property
    def has_host(self) -> bool:
        """Whether a study has made it a host, and has not let it go."""
        return self._host is not None

    async def run(self) -> None:
        """Be a host of the service until told to leave, or cancelled.

        Raises:
          HippoError: the service does not take it in.
        """
        self._loop = asyncio.get_running_loop()
        if self.is_leaving:
            return
        connection = self._link.connection()
        try:
            while not self._leaving.is_set():
                path = await self._join(connection)
                if path is not None:
                    await self._serve(connection, path)
        finally:
            self._end_host()
            await connection.close()

    def leave_soon(self) -> None:
        """Have its work end at the next step's end, and `run` after that; from any thread, or a signal's handler."""
        self._leave_by(self._leaving.set)

    def leave_now(self) -> None:
        """Have its work end where it is, and `run` after that; from any thread."""

        def leave() -> None:
            self._end_host()
            self._leaving.set()

        self._leave_by(leave)

    def _leave_by(self, act: Callable[[], None]) -> None:
        self.is_leaving = True  # first: else one that begins to run at this moment would not see it
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # it has left
                self._loop.call_soon_threadsafe(act)

    # --- the service

    async def _join(self, connection: AsyncConnection) -> str | None:
        """Join, and return where its calls are; None: it is to leave."""
        me = self._said | {"host": secrets.token_hex(16)}
        while not self._leaving.is_set():
            try:
                joined = await connection.request("POST", "/v1/hosts", me, timeout_s=SILENCE_S)
            except (UnreachableError, StaleCallError):  # the latter of one that is about to end
                self._say_away()
                await self._pause()
            else:
                self._is_away = False
                self._joined()
                return f"/v1/hosts/{joined['host']}"
        return None

    async def _serve(self, connection: AsyncConnection, path: str) -> None:
        """Make calls until it has left, or the service knows it no longer."""
        asking, sending = _begin(self._ask(connection, path)), _begin(self._send(connection, path))
        leaving = _begin(self._leave(connection, path))
        tasks = {asking, sending, leaving}
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        self._end_host()
        for task in done:
            error = task.exception()
            if isinstance(error, StaleCallError):
                if not self._leaving.is_set():
                    self._tell(f"the service at {self._link.url} has no such host any more, which joins again")
            elif error is not None:
                raise error

    async def _ask(self, connection: AsyncConnection, path: str) -> None:
        seen, heard_at = 0, _now()
        while True:
            said = {"seen": seen, "wait": PATIENCE_S}
            try:
                answer = await connection.request("POST", f"{path}/calls", said, timeout_s=SILENCE_S)
            except UnreachableError:
                self._say_away()
                if _now() - heard_at > SILENCE_S:  # by now, somebody else has its work
                    raise StaleCallError("the service was not heard of for too long") from None
                await asyncio.sleep(_AGAIN_S)
                continue
            heard_at, self._is_away = _now(), False
            for call in answer["calls"]:
                seen, arguments = call["call"], arguments_from_json(call["arguments"])
                if call["method"] == "refuse":
                    raise EngineError(f"the service at {self._link.url} does without this machine: {arguments[0]}")
                self._make(seen, call["method"], arguments)

    async def _send(self, connection: AsyncConnection, path: str) -> None:
        while True:
            await self._has_answers.wait()
            self._has_answers.clear()
            answers, self._answers = self._answers, []
            while answers:
                try:
                    said = {"answers": answers}
                    await connection.request("POST", f"{path}/answers", said, timeout_s=SILENCE_S, finite=False)
                    answers = []
                except UnreachableError:
                    await asyncio.sleep(_AGAIN_S)

    async def _leave(self, connection: AsyncConnection, path: str) -> None:
        """Say that it leaves once it is to, and return when its work has ended."""
        await self._leaving.wait()
        try:
            await connection.request("POST", f"{path}/leave", {"is_gone": False}, timeout_s=SILENCE_S)
            give_up_at = _now() + _LEAVE_S
            while self._host is not None and _now() < give_up_at:
                await asyncio.sleep(0.05)
            await connection.request("POST", f"{path}/leave", {"is_gone": True}, timeout_s=SILENCE_S)
        except (StaleCallError, UnreachableError):
            pass  # it has left, then

    def _say_away(self) -> None:
        if not self._is_away:
            self._is_away = True
            self._tell(f"the service at {self._link.url} cannot be reached for now; this host goes on asking")

    async def _pause(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._leaving.wait(), _AGAIN_S)

    # --- the host

    def _make(self, number: int, method: str, arguments: tuple[Any, ...]) -> None:
        if method == "begin":
            self._end_host()
            name, checkpoints = arguments
            self._host = self._make_host(name, checkpoints)
        elif method == "kill":
            self._end_host()
        elif self._host is not None and method in METHODS:
            call = _begin(self._call(number, getattr(self._host, method), arguments))
            self._calls.add(call)
            call.add_done_callback(self._calls.discard)
        else:
            self._answer({"call": number, "error": f"there is no host here (any more) that could {method[:40]!r}"})

    async def _call(self, number: int, method: Callable[..., Coroutine[Any, Any, Any]], arguments: Any) -> None:
        try:
            answer = {"call": number, "result": result_to_json(await method(*arguments))}
        except Exception as error:  # the study hears it, and gives this host up
            answer = {"call": number, "error": f"{type(error).__name__}: {error}"}
        self._answer(answer)

    def _answer(self, answer: dict[str, Any]) -> None:
        self._answers.append(answer)
        self._has_answers.set()

    def _end_host(self) -> None:
        host, self._host = self._host, None
        for call in self._calls:
            call.cancel()
        self._answers.clear()
        if host is not None:
            host.dispose()


def _begin(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    return asyncio.get_running_loop().create_task(work, context=contextvars.Context())


def _now() -> float:
    return asyncio.get_running_loop().time()


def check_joins(link: ServiceLink) -> None:
    """Refuse a service that is of another kind; one that is not there yet may come.

    Raises:
      HippoError: it is.
    """
    try:
        link.check_version()
    except UnreachableError:
        pass
    except HippoError:
        link.close()
        raise
