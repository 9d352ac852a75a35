"""Answers in order, best first, kept so as they come: what `hippo.tuners.ranking.order` says, without sorting anew.

`order` is the specification: a leaderboard is at any time what it would return for all answers so far, the oldest trial
first. That is a function of *which* answers came, not of when they came or were looked at, and has to be: a replay
brings the same answers, but may look at other moments.

With one objective an answer's place is its own, whatever the others are, and never changes (`place_of`). Where one
trial of each state goes first ("distinct"), only the places of a state's other trials change when a better one comes.
With several objectives all may change; see `hippo.tuners.fronts`.

An answer *waits* until its trial is promoted; one that failed never does.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from typing import Protocol

from hippo.records import Answer
from hippo.tuners.fronts import Fronts, RankedKeys
from hippo.tuners.ranking import Place, distinct_first, place_of, point_of, state_of, violation


class Leaderboard(Protocol):
    """Answers, best first; at most one for each trial."""

    def add(self, answer: Answer) -> None:
        """Put an answer in its place."""

    def is_among(self, answer: Answer, count: int) -> bool:
        """Tell whether an answer that is on it is one of the `count` best."""

    def promote(self, count: int) -> Answer | None:
        """Return the best answer that waits, if it is one of the `count` best; it waits no longer."""

    def __iter__(self) -> Iterator[Answer]:
        """Yield the answers, best first."""

    def __len__(self) -> int:
        """Return how many there are."""


def make_leaderboard(num_objectives: int, ties: str) -> Leaderboard:
    """Return an empty leaderboard.

    Args:
      num_objectives: losses of an answer.
      ties: see `hippo.tuners.ranking.order`.
    """
    return ByPlace(ties) if num_objectives == 1 else ByFront(ties)


class ByPlace:
    """Answers with one loss.

    Each question costs a logarithm, so that a million trials do not mean a million times sorting them. "distinct" costs
    one for each better trial of the same state, too, which has the same loss and is older: usually there is none that
    comes later.

    Args:
      ties: see `hippo.tuners.ranking.order`.
    """

    def __init__(self, ties: str) -> None:
        self._is_distinct = ties == "distinct"
        self._answers: dict[int, Answer] = {}
        #: (how many trials of its state are better: 0 where ties go by age, its place)
        self._ranked = RankedKeys()
        self._waiting: set[int] = set()
        #: the places of a state's trials, best first
        self._places: defaultdict[object, list[Place]] = defaultdict(list)

    def add(self, answer: Answer) -> None:
        self._answers[answer.trial] = answer
        place = place_of(answer)
        if answer.failure is None:
            self._waiting.add(answer.trial)
        if not self._is_distinct:
            self._put(0, place)
            return
        places = self._places[state_of(answer)]
        copy = bisect_left(places, place)
        for later in range(copy, len(places)):
            self._ranked.remove((later, places[later]))
        places.insert(copy, place)
        for later in range(copy, len(places)):
            self._put(later, places[later])

    def is_among(self, answer: Answer, count: int) -> bool:
        place = place_of(answer)
        copy = bisect_left(self._places[state_of(answer)], place) if self._is_distinct else 0
        return self._ranked.rank((copy, place)) < count

    def promote(self, count: int) -> Answer | None:
        key = self._ranked.first_waiting
        if key is None or self._ranked.rank(key) >= count:
            return None
        _, (_, _, trial) = key
        self._ranked.settle(key)
        self._waiting.remove(trial)
        return self._answers[trial]

    def __iter__(self) -> Iterator[Answer]:
        return (self._answers[trial] for _, (_, _, trial) in self._ranked)

    def __len__(self) -> int:
        return len(self._answers)

    def _put(self, copy: int, place: Place) -> None:
        self._ranked.add((copy, place), waits=place[-1] in self._waiting)


class ByFront:
    """Answers with several losses: those that keep the constraints by fronts, behind them those that break them least.

    Where ties go by age, what is promoted is found without looking at what was promoted before. "distinct" looks at all
    better ones, one by one.

    Args:
      ties: see `hippo.tuners.ranking.order`.
    """

    def __init__(self, ties: str) -> None:
        self._is_distinct = ties == "distinct"
        self._answers: dict[int, Answer] = {}
        self._fronts = Fronts()
        #: (violation, trial) of the answers that break a constraint, and of those that failed
        self._broken = RankedKeys()
        #: trials that wait, and the state of each, where ties do not go by age
        self._waiting: set[int] = set()
        self._states: dict[int, object] = {}

    def add(self, answer: Answer) -> None:
        self._answers[answer.trial] = answer
        waits = answer.failure is None
        if self._is_distinct:
            self._states[answer.trial] = state_of(answer)
            if waits:
                self._waiting.add(answer.trial)
        if broken := violation(answer):
            self._broken.add((broken, answer.trial), waits=waits)
        else:
            self._fronts.add(point_of(answer), answer.trial, waits=waits)

    def is_among(self, answer: Answer, count: int) -> bool:
        if self._is_distinct:
            return any(one.trial == answer.trial for one in itertools.islice(self, count))
        if broken := violation(answer):
            return len(self._fronts) + self._broken.rank((broken, answer.trial)) < count
        return self._fronts.is_among(point_of(answer), answer.trial, count)

    def promote(self, count: int) -> Answer | None:
        trial = self._promote_distinct(count) if self._is_distinct else self._promote_oldest(count)
        return None if trial is None else self._answers[trial]

    def __iter__(self) -> Iterator[Answer]:
        ranked = map(self._answers.__getitem__, self._trials())
        return distinct_first(ranked, state_of) if self._is_distinct else ranked

    def __len__(self) -> int:
        return len(self._answers)

    def _trials(self) -> Iterator[int]:
        yield from self._fronts.ranked()
        yield from (trial for _, trial in self._broken)

    def _promote_oldest(self, count: int) -> int | None:
        if self._fronts.num_waiting:
            return self._fronts.take_first(count)
        key = self._broken.first_waiting
        if key is None or len(self._fronts) + self._broken.rank(key) >= count:
            return None
        self._broken.settle(key)
        return int(key[1])

    def _promote_distinct(self, count: int) -> int | None:
        trial = self._first_of_its_state(count)
        if trial is not None:
            self._waiting.remove(trial)
        return trial

    def _first_of_its_state(self, count: int) -> int | None:
        """Return the best trial that waits, if it is among the `count` best, where one of each state goes first."""
        seen: set[object] = set()
        for trial in self._trials():  # the first ones of their states: most questions end among them, so no detours
            state = self._states[trial]
            if state in seen:
                continue
            if len(seen) == count:
                return None
            if trial in self._waiting:
                return trial
            seen.add(state)
        others = itertools.islice(self, len(seen), max(count, len(seen)))
        return next((answer.trial for answer in others if answer.trial in self._waiting), None)
