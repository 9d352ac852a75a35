"""Doing again what failed because a connection was lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from hippo.clock import Clock, SystemClock

T = TypeVar("T")

#: for so long a server is waited for: restarts after a crash took 13 s
PATIENCE_S = 60.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 2.0


def repeated(
    attempt: Callable[[], T],
    is_passing: Callable[[BaseException], bool],
    *,
    clock: Clock | None = None,
    wait: Callable[[float], object] | None = None,
) -> T:
    """Return what an attempt returns, made again for up to a minute while its errors are ones that pass.

    Raises:
      Exception: the attempt's own, if it does not pass, or has not in a minute.
    """
    clock, wait = clock or SystemClock(), wait or threading.Event().wait
    until, pause = clock.elapsed() + PATIENCE_S, _FIRST_PAUSE_S
    while True:
        try:
            return attempt()
        except Exception as error:
            if not is_passing(error) or clock.elapsed() + pause > until:
                raise
        wait(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)
