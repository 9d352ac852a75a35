"""The order in which a call is given answers: recorded once, and kept whenever the call is run again."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """An answer as it was given."""

    trial: int
    until: int
    #: the seconds that it named: facts found out later may add to a path's, and a replay must not tell
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """What is written down of a call that ran before; empty for a new one."""

    #: number of the delivery -> the answers that were given then
    deliveries: dict[int, list[RecordedAnswer]] = field(default_factory=dict)
    #: number of the question how much is uncovered -> what it was told
    uncovered: dict[int, int] = field(default_factory=dict)
    #: (trial, until) -> how often it was asked for, whether it was answered or not
    asked: Counter[tuple[int, int]] = field(default_factory=Counter)


class DeliveryLog:
    """Numbers deliveries, and gives recorded ones again in their order.

    The replicates of a call are its members: they share one log, so that their answers come in one order. A number
    without answers is that of a pull (`Ask.stream`), which the first member makes.

    Args:
      recorded: for each member, number -> what was delivered to it then.
    """

    def __init__(self, recorded: Sequence[Mapping[int, list[RecordedAnswer]]]) -> None:
        member_of = {number: member for member, given in enumerate(recorded) for number in given}
        self._next_number = max(member_of, default=-1) + 1
        self._ahead: deque[tuple[int, list[RecordedAnswer]]] = deque()
        for number in range(self._next_number):
            member = member_of.get(number, 0)
            self._ahead.append((member, recorded[member].get(number, [])))
        self._left = Counter((member, answer.trial, answer.until) for member, given in self._ahead for answer in given)

    def __bool__(self) -> bool:
        """Whether something recorded is still to be given again."""
        return bool(self._ahead)

    def left(self, member: int, trial: int, until: int) -> int:
        """Return how often this is still to be answered again: a tuner may have asked it several times."""
        return self._left[member, trial, until]

    def next(self, member: int) -> list[RecordedAnswer] | None:
        """Return a member's next delivery, empty for a pull; None if it is not its turn, or nothing was recorded."""
        if not self._ahead or self._ahead[0][0] != member:
            return None
        return self._ahead[0][1]

    def advance(self) -> None:
        """The next delivery was given, or is no longer asked for."""
        member, given = self._ahead.popleft()
        self._left.subtract((member, answer.trial, answer.until) for answer in given)

    def take_number(self) -> int:
        """Return the number of a new delivery or pull."""
        self._next_number += 1
        return self._next_number - 1
