"""The order in which a call is given answers: recorded once, and kept whenever the call is run again.

Answers of one delivery were there together when all tuners were quiet, and get one number. Requests that a stream
pulls (`Ask.stream`) take a number, too: where a number has no answers, there was a pull. So a re-run is given the same
answers, and pulls the same requests, at the same moments; whatever decides by them alone arrives where it was.

This module refuses to know plans and requests: it holds what was said, by its names.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hippo.errors import TunerError
from hippo.records import NodeId


class TrialPoint(NamedTuple):
    """What a request asks for: a trial after so many steps, under one member of the study."""

    trial: int
    until: int
    member: str = ""


class RecordedAnswer(NamedTuple):
    """An answer as it was given."""

    at: TrialPoint
    #: the seconds that it named: facts found out later may add to a path's, and a replay must not tell
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """What is written down of a call that ran before; empty for a new one."""

    #: number of the delivery -> the answers that were given then
    deliveries: dict[int, list[RecordedAnswer]] = field(default_factory=dict)
    #: (member, number of the query how many steps are missing) -> what it was told
    queries: dict[tuple[str, int], int] = field(default_factory=dict)
    #: how often each point was asked for, whether it was answered or not
    asked: Counter[TrialPoint] = field(default_factory=Counter)
    #: member -> the nodes of its plan at which its trials are
    nodes: defaultdict[str, set[NodeId]] = field(default_factory=lambda: defaultdict(set))


class DeliveryLog:
    """Numbers deliveries, and gives recorded ones again in their order.

    Args:
      recorded: number -> what was delivered then.
    """

    def __init__(self, recorded: Mapping[int, list[RecordedAnswer]]) -> None:
        self._next_number = max(recorded, default=-1) + 1
        #: what is recorded, and still to be given again; not to be changed from outside
        self.ahead = deque(recorded.get(number, []) for number in range(self._next_number))
        self._left = Counter(answer.at for given in self.ahead for answer in given)

    def left(self, at: TrialPoint) -> int:
        """Return how often this is still to be answered again: a tuner may have asked it several times."""
        return self._left[at]

    def next(self) -> list[RecordedAnswer] | None:
        """Return the next delivery, empty for a pull; None if nothing recorded is left."""
        return self.ahead[0] if self.ahead else None

    def advance(self) -> None:
        """Go on to the delivery after the next one: that was given, or the tuner no longer asks for any of it."""
        self._left.subtract(answer.at for answer in self.ahead.popleft())

    def take_number(self) -> int:
        """Return the number of a new delivery or pull."""
        self._next_number += 1
        return self._next_number - 1


class RecordedQueries:
    """How many steps were missing when a tuner asked (`Ask.uncovered`), told again to a re-run.

    That number changes with every event, and a re-run must decide as the first run did. So what is said is kept with
    the next request of the same member.

    A tuner that runs elsewhere outlives this: it numbers its queries, and brings along what it was told of them.

    Args:
      recorded: (member, number of the query) -> what it was told.
    """

    def __init__(self, recorded: Mapping[tuple[str, int], int]) -> None:
        self._told = dict(recorded)
        self._asked: Counter[str] = Counter()
        self._new: dict[str, list[int]] = {}

    def known(self, member: str, number: int | None = None) -> int | None:
        """Count a query; return what it was told before, or None if it is a new one: then `note` the answer.

        Args:
          member: whose trials it is about.
          number: of the query, 0, 1, ..., where one may come twice; None: it is the next one.

        Raises:
          TunerError: queries before it are missing.
        """
        coming = self._asked[member]
        if number is None:
            number = coming
        if number > coming:
            raise TunerError(f"queries {coming} to {number - 1} of this call have not come")
        self._asked[member] = max(coming, number + 1)
        return self._told.get((member, number))

    def note(self, member: str, missing_steps: int) -> None:
        """Note what a new query was told."""
        self._told[member, self._asked[member] - 1] = missing_steps
        self._new.setdefault(member, []).append(missing_steps)

    def restore(self, member: str, told: Sequence[int]) -> None:
        """Take in what the first queries were told, of which no request may have kept the last ones."""
        for number, missing_steps in enumerate(told):
            if self.known(member, number) is None:
                self.note(member, missing_steps)

    def take_new(self, member: str) -> list[int]:
        """Return what was told since the last request, behind the number of the first such query; empty if nothing."""
        told = self._new.pop(member, [])
        return [self._asked[member] - len(told), *told] if told else []
