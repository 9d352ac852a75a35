"""What runs, or sleeps, on behalf of those who take part in turns: a tuner's task, or the wait for a state.

The shell alone acts on them. This module refuses to know what is asked and answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Protocol

from hippo.errors import TunerError
from hippo.plan import CallState
from hippo.runtime.call_source import CallSource
from hippo.runtime.other_waits import OtherWaits


class Waiter(Protocol):
    """What runs, or sleeps, on behalf of a participant; the shell alone acts on it."""

    def grant(self, room: int) -> None:
        """Let the oldest of its streams that has demand pull so many more requests."""

    def fail(self, error: Exception) -> None:
        """End with this error, whatever else it is doing."""

    def cancel(self) -> None:
        """Cancel the tuner's coroutine, or the wait: its caller no longer needs it."""

    def end(self) -> None:
        """Cancel the tuner's coroutine, and count its call as interrupted, not as failed."""


def awaited_what_it_cancelled() -> TunerError:
    """Return what is told of a tuner that ended as one does that is told to, though nobody told it."""
    return TunerError(
        "the tuner awaited something that it, or what it calls, had cancelled (asyncio.CancelledError), and did not "
        "catch that: await it within try, or do not cancel it"
    )


class CallTask:
    """Runs the tuner of one call.

    Args:
      source: where the tuner asks.
      other_waits: takes note of what else it waits for.
    """

    def __init__(self, source: CallSource, other_waits: OtherWaits) -> None:
        #: the control loop was told to end it before its tuner came to an end
        self.was_ended = False
        self._source = source
        self._other_waits = other_waits
        self._task: asyncio.Task[Any] | None = None
        #: what ends the call, whatever its tuner makes of being cancelled
        self.error: Exception | None = None

    async def run(self, asking: Coroutine[Any, Any, Any]) -> Any:
        """Run a tuner to its end and return what it returns.

        Raises:
          Exception: the tuner's own, or what `fail` was told.
        """
        if not asyncio.iscoroutine(asking):
            raise TunerError(
                f"tune(self, ask) is no coroutine, but returned {asking!r}; write: async def tune(self, ask)"
            )
        self._task = asyncio.get_running_loop().create_task(asking, context=self._other_waits.context())
        try:
            result = await self._task
        except asyncio.CancelledError as cancelled:
            if self.error is not None:
                raise self.error from None
            if self.was_ended:
                return None
            if not self._task.cancelling():  # nobody told it to end
                raise awaited_what_it_cancelled() from cancelled
            raise
        if self.error is not None:  # the tuner kept it to itself
            raise self.error
        return result

    def close(self, state: CallState) -> None:
        """Withdraw whatever the tuner left waiting, and have the call end like this."""
        self.cancel()
        call = self._source.call
        self._source.withdraw(call.book.waiting())
        call.close(state)

    # --- what the shell asks of a waiter

    def grant(self, room: int) -> None:
        next(stream for stream in self._source.streams if stream.demand).grant(room)

    def cancel(self) -> None:
        """Cancel the tuner's coroutine; the call ends when that has."""
        if self._task is not None:
            self._task.cancel()

    def end(self) -> None:
        """Cancel the tuner's coroutine for its user, who stopped the study: the call counts as interrupted."""
        self.was_ended = True
        self.cancel()

    def fail(self, error: Exception) -> None:
        """Cancel the tuner's coroutine, and have the call raise this error; the first one counts."""
        self.error = self.error or error
        self.cancel()


class StateWaiter:
    """Sleeps until a state is there.

    Args:
      future: of the wait.
    """

    def __init__(self, future: asyncio.Future[None]) -> None:
        self.future = future

    def grant(self, room: int) -> None:
        """Not asked: it pulls nothing."""

    def fail(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)

    def cancel(self) -> None:
        self.future.cancel()

    end = cancel
