"""Doing again what failed because a connection was lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import ClassVar, TypeVar

from hippo.clock import Clock, SystemClock
from hippo.plan.onlooker import ONLOOKER
from hippo.saying import say

T = TypeVar("T")

#: for so long a server is waited for: restarts after a crash took 13 s
PATIENCE_S = 60.0
#: for so long one that was not there in all of that time, until it answers: connections of before may fail first
SPENT_PATIENCE_S = 2.0
#: after that it is said that a server is waited for
_SAY_AFTER_S = 3.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 2.0


class Patience:
    """Waits for one server. Who ends after a minute asks it a few times more, to end in order: not a minute each time.

    Args:
      name: of the server, for people.
      clock: measures how long it is away.
      wait: waits so many seconds.
    """

    #: how often somebody in this process would wait no longer, for whatever server
    _times_given_up: ClassVar[int] = 0

    def __init__(self, name: str, *, clock: Clock | None = None, wait: Callable[[float], object] | None = None) -> None:
        self._name = name
        self._clock = clock or SystemClock()
        self._wait = wait or threading.Event().wait
        #: it was not there for all of the minute, and has not answered since
        self._is_spent = False
        #: it was said that it does not answer
        self._is_said = False

    @staticmethod
    def give_up() -> None:
        """Let all who wait in this process now have waited in vain: somebody presses Ctrl-C again."""
        Patience._times_given_up += 1

    def repeat(self, attempt: Callable[[], T], is_passing: Callable[[BaseException], bool]) -> T:
        """Return what an attempt returns, made again for up to a minute while its errors are ones that pass.

        Raises:
          Exception: the attempt's own, if it does not pass, or has not in a minute.
        """
        begun, pause = self._clock.elapsed(), _FIRST_PAUSE_S
        until = begun + (SPENT_PATIENCE_S if self._is_spent else PATIENCE_S)
        given_up = Patience._times_given_up
        while True:
            try:
                with ONLOOKER.looking_on(self._name):
                    result = attempt()
            except Exception as error:
                if not is_passing(error):
                    raise
                now = self._clock.elapsed()
                if now + pause > until or Patience._times_given_up > given_up:
                    self._is_spent = True
                    raise
                if not self._is_said and now - begun >= _SAY_AFTER_S:
                    self._is_said = True
                    # `here` alone: where a service keeps its studies is nothing for its clients
                    say("", here=f"{self._name} does not answer; it is waited for, for {PATIENCE_S:.0f} s")
            else:
                if self._is_said:
                    say("", here=f"{self._name} answers again")
                self._is_spent = self._is_said = False
                return result
            self._wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)
