"""What a last state must be better than to be kept, where a study keeps those of its best trials alone.

Trials are compared after equal steps: a loss that was smaller at an earlier rung is no reason to let a state go, since
the best trial is one of those that came furthest. It refuses to know which states are kept in the end.
"""

from __future__ import annotations

import heapq

from sortedcontainers import SortedList


class RankedLosses:
    """The losses of trials, each where its trial was evaluated last."""

    def __init__(self) -> None:
        #: number -> step and loss
        self._of_trial: dict[int, tuple[int, float]] = {}
        #: of the few steps at which trials are evaluated
        self._at_step: dict[int, SortedList[float]] = {}

    def note(self, number: int, step: int, loss: float) -> None:
        """Remember the loss of a trial after so many steps, and forget what it had before."""
        self.forget(number)
        self._of_trial[number] = (step, loss)
        self._at_step.setdefault(step, SortedList()).add(loss)

    def forget(self, number: int) -> None:
        """Forget a trial: it failed."""
        if number in self._of_trial:
            step, loss = self._of_trial.pop(number)
            self._at_step[step].remove(loss)
            if not self._at_step[step]:
                del self._at_step[step]

    def to_beat(self, step: int, top: int) -> float | None:
        """Return the largest loss of the best so many trials that came to a step; None while there are fewer."""
        there = [loss for at, losses in self._at_step.items() if at >= step for loss in losses[:top]]
        return heapq.nsmallest(top, there)[-1] if len(there) >= top else None
