"""Who leads a search: the best of those that came furthest, while answers still come.

A rung's leader at step 3 says little beside one at step 27, so that nobody is better than a trial that came further.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from hippo.records import Answer
from hippo.tuners.rungs import Rung


class Leaders:
    """The answers of a search so far, in the order of who is best."""

    def __init__(self) -> None:
        #: step -> the answers there
        self._rungs: dict[int, Rung] = {}
        self._seen: set[tuple[int, int]] = set()
        self._trials: set[int] = set()
        #: those that failed, or came to what is no finite loss: whatever they were before, they lead nobody
        self._lost: set[int] = set()
        self._failed: set[int] = set()
        #: the largest step at which one was answered that leads, or might
        self.furthest = 0

    def note(self, answer: Answer) -> None:
        """Take in an answer."""
        self._trials.add(answer.trial)
        if answer.failure is not None:
            self._failed.add(answer.trial)
        if answer.failure is not None or not all(map(math.isfinite, answer.losses)):
            self._lost.add(answer.trial)
        elif answer.losses and (answer.trial, answer.step) not in self._seen:
            self._seen.add((answer.trial, answer.step))
            self.furthest = max(self.furthest, answer.step)
            self._rungs.setdefault(answer.step, Rung(answer.step)).add(answer)

    @property
    def num_trials(self) -> int:
        """How many trials were answered, at whatever step."""
        return len(self._trials)

    @property
    def have_all_failed(self) -> bool:
        """Whether there are trials, and none that did not fail."""
        return bool(self._trials) and self._failed == self._trials

    def best(self, count: int) -> list[Answer]:
        """Return the last answers of the best so many configs, best first; fewer if there are not so many."""
        found: dict[str, Answer] = {}
        for answer in self._ranked():
            if len(found) == count:
                break
            found.setdefault(answer.config.key, answer)
        return list(found.values())

    def _ranked(self) -> Iterator[Answer]:
        for step in sorted(self._rungs, reverse=True):
            yield from (each for each in self._rungs[step].best(len(self._rungs[step])) if each.trial not in self._lost)
