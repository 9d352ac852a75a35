"""Steps of one stage under way in virtual time: when each ends, and which one is being run now."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from hippo.simulation.paths import Segment
from hippo.simulation.workload import SimulatedWorkload

#: a moment that is this close to a step's end, in steps, is that end: sums of floats differ by less
_ROUNDING = 1e-9


class StepTimes:
    """The steps from `start` to `stop`, the first of which begins at `began_s`.

    Args:
      workload: what steps cost.
      segments: of the paths of all lanes that take these steps, as one program if there are several.
      start, stop: from where to where.
      began_s: when.
      speed: of the slot.
      slowdown: how many times as long a step takes as one of a lane by itself.
    """

    __slots__ = ("_ends", "_step_s", "began_s", "start", "stop")

    def __init__(
        self,
        workload: SimulatedWorkload,
        segments: Sequence[Segment],
        start: int,
        stop: int,
        began_s: float,
        speed: float,
        *,
        slowdown: float = 1.0,
    ) -> None:
        self.start = start
        self.stop = stop
        self.began_s = began_s
        steady = [workload.steady_seconds(segment) for segment in segments]
        self._step_s = None if None in steady else _mean(steady) * slowdown / speed  # type: ignore[arg-type]
        self._ends: list[float] = []
        if self._step_s is None:
            seconds = (
                _mean([workload.step_seconds(segment, step) for segment in segments]) * slowdown / speed
                for step in range(start, stop)
            )
            self._ends = list(accumulate(seconds))

    def ends_at(self, step: int) -> float:
        """Return when the state after `step` steps is there."""
        if step == self.start:
            return self.began_s
        if self._step_s is not None:
            return self.began_s + (step - self.start) * self._step_s
        return self.began_s + self._ends[step - self.start - 1]

    def step_seconds(self, step: int) -> float:
        """Return the seconds of the step that ends with `step`."""
        if self._step_s is not None:
            return self._step_s
        before = self._ends[step - self.start - 2] if step - self.start >= 2 else 0.0
        return self._ends[step - self.start - 1] - before

    def seconds_of(self, start: int, stop: int) -> list[float]:
        """Return the seconds of each step from `start` to `stop`."""
        if self._step_s is not None:
            return [self._step_s] * (stop - start)
        return [self.step_seconds(step) for step in range(start + 1, stop + 1)]

    def step_under_way(self, now_s: float) -> int:
        """Return the step whose end comes next, or is now; `start` if the first one has not begun."""
        since_s = now_s - self.began_s
        if since_s <= 0.0:
            return self.start
        if self._step_s is not None:
            done = math.ceil(since_s / self._step_s - _ROUNDING)
        else:
            done = bisect_left(self._ends, since_s * (1.0 - _ROUNDING)) + 1
        return min(self.start + done, self.stop)

    def next_stop(self, target: int, at_least: int, *, due_s: float) -> int:
        """Return the step at whose end more than a step is due.

        Args:
          target: something is due there in any case.
          at_least: none before this one.
          due_s: from this moment on a checkpoint is due wherever a step ends.
        """
        if self.ends_at(target) <= due_s:
            return target
        return min(target, max(self.step_under_way(due_s), at_least))


def _mean(seconds: Sequence[float]) -> float:
    """Return the mean; of equal numbers exactly that number."""
    return seconds[0] if len(seconds) == 1 else math.fsum(seconds) / len(seconds)
