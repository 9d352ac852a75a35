"""The answers that a call was given before, delivery by delivery."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """An answer as it was given."""

    trial: int
    until: int
    #: the seconds that it named: facts found out later may add to a path's, and a replay must not tell
    seconds: float


class Replay:
    """Deliveries still to be given again, in their order."""

    def __init__(self, deliveries: Iterable[list[RecordedAnswer]]) -> None:
        self._ahead = deque(deliveries)
        self._known = {(answer.trial, answer.until): answer for delivery in self._ahead for answer in delivery}
        #: how many deliveries were recorded
        self.length = len(self._ahead)

    def __bool__(self) -> bool:
        return bool(self._ahead)

    def answer(self, trial: int, until: int) -> RecordedAnswer | None:
        """Return what was recorded of an answer."""
        return self._known.get((trial, until))

    def next(self) -> list[RecordedAnswer]:
        """Return the next delivery."""
        return self._ahead[0]

    def advance(self) -> None:
        """The next delivery was given, or is no longer asked for."""
        self._ahead.popleft()
