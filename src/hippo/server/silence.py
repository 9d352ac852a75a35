"""When a client was silent for so long that what it asked is withdrawn, if whoever runs the service wants that.

Everything here runs on the web front's loop. It refuses to know what a call is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Silence:
    """Notices that nobody speaks any more.

    Args:
      after_s: how long nobody has spoken then; None: that may be for ever.
      notice: is called then, once.
    """

    def __init__(self, after_s: float | None, notice: Callable[[], None]) -> None:
        self._after_s = after_s
        self._notice = notice
        self._timer: asyncio.TimerHandle | None = None
        #: requests that are being answered: a client that waits for an answer is there
        self._num_heard = 0
        self._is_over = False
        self._wait()

    @contextmanager
    def broken(self) -> Iterator[None]:
        """Say that somebody speaks while the block lasts."""
        self._num_heard += 1
        self._stop()
        try:
            yield
        finally:
            self._num_heard -= 1
            self._wait()

    def end(self) -> None:
        """Notice nothing any more."""
        self._is_over = True
        self._stop()

    def _wait(self) -> None:
        if self._after_s is not None and not self._num_heard and not self._is_over:
            self._timer = asyncio.get_running_loop().call_later(self._after_s, self._notice)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
