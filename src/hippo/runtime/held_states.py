"""A state in a file that stays there until somebody has read it: what is over a budget would go at once."""

from __future__ import annotations

import concurrent.futures
import contextlib


class HeldState:
    """What a thread that wants a state, and the control loop that has it made, tell each other."""

    def __init__(self) -> None:
        #: it is written; or why it cannot be
        self.made: concurrent.futures.Future[None] = concurrent.futures.Future()
        #: it may go
        self.read: concurrent.futures.Future[None] = concurrent.futures.Future()
        #: its plan is no longer used for it
        self.ended: concurrent.futures.Future[None] | None = None

    def let_go(self) -> None:
        """Let the state go, and wait until its plan is free again."""
        with contextlib.suppress(concurrent.futures.InvalidStateError):  # the loop ended, and nobody waits for it
            self.read.set_result(None)
        if self.ended is not None:
            concurrent.futures.wait([self.ended])
