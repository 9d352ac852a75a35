"""A call's line to its service: what is said there, again while the service is away, and where it is begun anew.

A service that was restarted, or that let the call rest, knows nothing of it: the call is begun again there, and whoever
speaks is told that all must be said again. This module refuses to know what is said.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable, Mapping
from typing import Any

from hippo.clock import Clock
from hippo.errors import HippoError, UnknownStudyError
from hippo.saying import say
from hippo.server.link import AsyncConnection, ServiceLink, StaleCallError, UnreachableError

#: how long a service may be gone before the call ends; the script run again goes on
PATIENCE_S = 600.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0
#: for so long a service is told that a call is over
_LEAVE_S = 2.0


class CallLine:
    """One call, as often as it has to be begun; used on one event loop.

    Args:
      link: to the service.
      open_study: makes the study known to the service, unless it is by what the service said last; returns its number.
      said: what the call is begun with.
      clock: tells for how long the service is away.
      begun_anew: is called each time that the service knows nothing of the call any more.
    """

    def __init__(
        self,
        link: ServiceLink,
        open_study: Callable[[], int],
        said: Mapping[str, Any],
        clock: Clock,
        begun_anew: Callable[[], None],
    ) -> None:
        self._link = link
        self._open_study = open_study
        self._said = said
        self._clock = clock
        self._begun_anew = begun_anew
        self._client = secrets.token_hex(8)
        self._path = ""
        self._renewing = asyncio.Lock()
        #: a service that is told this number has begun the call so often
        self.times_begun = 0

    async def begin(self) -> None:
        """Begin the call; once, on the loop that it is used on."""
        self._connection: AsyncConnection = self._link.connection()
        self._note_begun(0, *await self._begun_by_loop())

    @property
    def is_renewing(self) -> bool:
        """Whether the call is being begun anew: what is said now would be said to nobody."""
        return self._renewing.locked()

    async def send(self, method: str, path: str, said: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
        """Return what the service answers about this call; None if the call was begun anew meanwhile.

        Raises:
          HippoError: it refused that, or was gone for too long.
        """
        begun, patience = self.times_begun, _ServicePatience(self._clock)
        while begun == self.times_begun:
            try:
                try:
                    return await self._connection.request(method, f"{self._path}{path}", said)
                except StaleCallError:
                    await self._renew(begun)
            except UnreachableError as error:
                await asyncio.sleep(patience.pause_s(error))
        return None

    def send_now(self, method: str, path: str, said: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
        """As `send`, for a tuner that asks in the midst of a step of its own: the loop waits for the answer."""
        begun, patience = self.times_begun, _ServicePatience(self._clock)
        while begun == self.times_begun:
            try:
                try:
                    return self._link.request(method, f"{self._path}{path}", said)
                except StaleCallError:
                    study = self._open_study()
                    self._note_begun(begun, study, self._link.request(*self._beginning(study)))
            except UnreachableError as error:
                threading.Event().wait(patience.pause_s(error))
        return None

    def look_up(self, path: str) -> dict[str, Any]:
        """Return what the service knows of this call, from any thread.

        Raises:
          StaleCallError: it knows nothing of the call.
          HippoError: it refused that, or was gone for too long.
        """
        patience = _ServicePatience(self._clock)
        while True:
            try:
                return self._link.request("GET", f"{self._path}{path}")
            except UnreachableError as error:
                threading.Event().wait(patience.pause_s(error))

    async def leave(self, state: str) -> None:
        """Tell the service that the tuner ended before its time, if it listens."""
        try:
            async with asyncio.timeout(_LEAVE_S):
                await self._connection.request("POST", f"{self._path}/close", {"state": state})
        except (HippoError, TimeoutError):
            pass  # it waits for the script to be run again, as after a kill

    async def close(self) -> None:
        """Let the connection go."""
        await self._connection.close()

    # --- beginnings

    async def _renew(self, begun: int) -> None:
        async with self._renewing:
            if begun == self.times_begun:
                self._note_begun(begun, *await self._begun_by_loop())

    async def _begun_by_loop(self) -> tuple[int, dict[str, Any]]:
        study = await asyncio.to_thread(self._open_study)
        try:
            return study, await self._connection.request(*self._beginning(study))
        except UnknownStudyError:  # the service was restarted since it said that the study is open
            study = await asyncio.to_thread(self._open_study)
            return study, await self._connection.request(*self._beginning(study))

    def _beginning(self, study: int) -> tuple[str, str, Mapping[str, Any]]:
        client = f"{self._client}-{self.times_begun}"  # equal where the same beginning is tried again
        return "POST", f"/v1/studies/{study}/calls", {**self._said, "client": client}

    def _note_begun(self, begun: int, study: int, answer: Mapping[str, Any]) -> None:
        if begun != self.times_begun:  # `send_now` was faster
            return
        self._path = f"/v1/studies/{study}/calls/{answer['call']}"
        self.times_begun += 1
        if begun:
            self._begun_anew()


class _ServicePatience:
    """Waits for a service that is away while something is said to it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since = clock.elapsed()
        self._pause_s = _FIRST_PAUSE_S

    def pause_s(self, error: UnreachableError) -> float:
        """Return how long to wait until it is said again.

        Raises:
          UnreachableError: this one, if the service is away for too long.
        """
        if self._clock.elapsed() - self._since > PATIENCE_S:
            raise error
        pause_s = self._pause_s
        if pause_s == _FIRST_PAUSE_S:
            say(f"{error}; trying again for {PATIENCE_S / 60:.0f} minutes")
        self._pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        return pause_s
