"""What a last state must be better than to be kept, where a study keeps those of its best trials alone.

Trials are compared after equal steps: a loss that was smaller at an earlier rung is no reason to let a state go, since
the best trial is one of those that came furthest. Of other calls' trials only complete ones count: no other is sure to
be compared when the best one is asked for. It refuses to know which states are kept in the end.
"""

from __future__ import annotations

import heapq
import math

from sortedcontainers import SortedList

#: the call of a trial, None for a complete one, and its step
_Place = tuple[int | None, int]


class RankedLosses:
    """The losses of trials, each where its trial was evaluated last."""

    def __init__(self) -> None:
        #: number -> its call and its step, and its loss
        self._of_trial: dict[int, tuple[_Place, float]] = {}
        #: losses and numbers, of the few steps at which trials are evaluated
        self._at: dict[_Place, SortedList[tuple[float, int]]] = {}

    def note(self, number: int, step: int, loss: float, *, call: int | None) -> None:
        """Remember the loss of a trial after so many steps, and forget what it had before.

        Args:
          number, step, loss: which, and what it came to.
          call: whose trial it is while that is open; None: it is complete.
        """
        self.forget(number)
        self._of_trial[number] = ((call, step), loss)
        self._at.setdefault((call, step), SortedList()).add((loss, number))

    def complete(self, number: int) -> None:
        """Have a trial count for other calls, too, since its own has ended."""
        if number in self._of_trial:
            (_, step), loss = self._of_trial[number]
            self.note(number, step, loss, call=None)

    def forget(self, number: int) -> None:
        """Forget a trial: it failed, or its call ended without it."""
        if number in self._of_trial:
            place, loss = self._of_trial.pop(number)
            self._at[place].remove((loss, number))
            if not self._at[place]:
                del self._at[place]

    def to_beat(self, number: int, step: int, top: int, *, call: int) -> float | None:
        """Return what a trial's loss must be below to be among those of the best so many; None while there are fewer.

        Of equal trials the one with the smaller number is better.

        Args:
          number: which is to be among them.
          step, top: how far it comes, and how many they are.
          call: whose trial it is.
        """
        there = [one for (of, at), own in self._at.items() if at >= step and of in (None, call) for one in own[:top]]
        if len(there) < top:
            return None
        loss, last = heapq.nsmallest(top, there)[-1]
        return loss if last < number else math.nextafter(loss, math.inf)
