"""Those who `await study.ask(...)` beside each other begin together: what they have in common is trained once."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable
from typing import Any

from hippo.runtime import Runtime

Call = concurrent.futures.Future[Any]


class AskedTogether:
    """Begins all calls that the tasks of an event loop make in one turn of it at one moment.

    One by one, the first would be at work when the second comes: it may have passed the step at which they part, and
    left no state there.
    """

    def __init__(self, runtime: Callable[[], Runtime]) -> None:
        self._runtime = runtime
        #: of each loop, what begins at the end of its turn
        self._waiting: dict[asyncio.AbstractEventLoop, list[tuple[Callable[[], Call], asyncio.Future[Call]]]] = {}

    async def begin(self, begin: Callable[[], Call]) -> Call:
        """Return what `begin` returns, once all tasks that are about to ask have come to do so."""
        loop = asyncio.get_running_loop()
        if loop not in self._waiting:
            self._waiting[loop] = []
            loop.call_soon(self._begin_all, loop)
        begun: asyncio.Future[Call] = loop.create_future()
        self._waiting[loop].append((begin, begun))
        return await begun

    def _begin_all(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._runtime().beginning():
            for begin, begun in self._waiting.pop(loop):
                if begun.cancelled():
                    continue
                try:
                    begun.set_result(begin())
                except Exception as error:
                    begun.set_exception(error)
