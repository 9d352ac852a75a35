"""Somebody who looks on while a server is asked, and says so where it lets one wait.

Who asks sleeps in the driver until there is an answer. A server that is stopped, or one in which somebody else's
transaction holds a lock, neither answers nor ends the connection: the study would stand still without a word.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hippo.clock import Clock, SystemClock
from hippo.saying import say

#: an answer that takes longer is worth a word
SAY_AFTER_S = 30.0
#: how often the thread looks, and how often it finds nothing before it ends
_LOOK_EVERY_S, _LOOKS_IN_VAIN = 5.0, 12


@dataclass(slots=True)
class _Asked:
    name: str
    since: float
    is_said: bool = False


class Onlooker:
    """Looks on at all that a process asks of servers, in a thread that is there while anything is asked.

    Args:
      clock: measures how long an answer takes.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._numbers = itertools.count()
        self._guard = threading.Lock()
        self._asked: dict[int, _Asked] = {}
        self._is_looking = False

    @contextmanager
    def looking_on(self, name: str) -> Iterator[None]:
        """Say it while a server takes long to answer what is asked in the block, and when it has answered.

        Args:
          name: of the server, for people.
        """
        number, asked = next(self._numbers), _Asked(name, self._clock.elapsed())
        with self._guard:
            self._asked[number] = asked
            if not self._is_looking:
                self._is_looking = True
                threading.Thread(target=self._look_on, name="hippo-onlooker", daemon=True).start()
        try:
            yield
        finally:
            with self._guard:
                self._asked.pop(number, None)
                is_said = asked.is_said
            if is_said:
                say("", here=f"{name} let us wait for {self._clock.elapsed() - asked.since:.0f} s")

    def look(self) -> bool:
        """Say it of each server that has taken long by now; tell whether anything is asked."""
        now = self._clock.elapsed()
        with self._guard:
            for asked in self._asked.values():
                if not asked.is_said and now - asked.since >= SAY_AFTER_S:
                    asked.is_said = True
                    say(
                        "",
                        here=f"{asked.name} has not answered for {now - asked.since:.0f} s, and is waited for: it may "
                        "be stopped, or another program's transaction holds a lock in it",
                    )
            return bool(self._asked)

    def _look_on(self) -> None:
        pause = threading.Event()
        in_vain = 0
        while True:
            pause.wait(_LOOK_EVERY_S)
            in_vain = 0 if self.look() else in_vain + 1
            with self._guard:
                if in_vain >= _LOOKS_IN_VAIN and not self._asked:
                    self._is_looking = False
                    return

    def begin_in_child(self) -> None:
        """Forget what the parent of a forked process asks: its thread is not here, and its lock may be held."""
        self._guard = threading.Lock()
        self._asked.clear()
        self._is_looking = False


#: of this process
ONLOOKER = Onlooker()
os.register_at_fork(after_in_child=ONLOOKER.begin_in_child)
