"""Two kinds of steps of a large job compared: whether one takes longer, or only seems to, since all of them vary.

Values in, values out. It refuses to know what the kinds are, and what follows from the answer.
"""

from __future__ import annotations

import math

#: how many standard errors a difference has to be beyond a bound: it is looked at again and again, for days perhaps
_ERRORS = 3.0


class StepMean:
    """The mean of some steps' seconds, and how much these vary.

    Args:
      memory: how many steps it is of at most, nearly: the newest count alike, older ones less and less. None: all.
    """

    def __init__(self, memory: int | None = None) -> None:
        self._memory = memory
        self.count = 0
        self.seconds = 0.0
        #: mean square of the differences from the mean
        self._spread = 0.0

    def add(self, seconds: float) -> None:
        """Take note of a step."""
        self.count += 1
        part = 1 / self.count if self._memory is None else max(1 / self.count, 1 / self._memory)
        off = seconds - self.seconds
        self.seconds += part * off
        self._spread = (1 - part) * (self._spread + part * off * off)

    def steps(self) -> float:
        """Return of how many independent steps it is worth the mean."""
        # weights that fall by (1 - a) each step are worth (2 - a) / a equal ones
        return self.count if self._memory is None else min(self.count, 2 * self._memory - 1)

    def variance(self) -> float:
        """Return that of one step, estimated."""
        count = self.steps()
        return self._spread * count / (count - 1) if count > 1 else 0.0


def slower_by(steps: StepMean, alone: StepMean) -> float:
    """Return by which fraction steps take longer than others; 0.0 where these take no time."""
    return steps.seconds / alone.seconds - 1 if alone.seconds > 0 else 0.0


def is_surely_slower(steps: StepMean, alone: StepMean, bound: float) -> bool:
    """Whether steps take longer than others by more than a fraction, beyond what varies from step to step."""
    if alone.seconds <= 0:
        return False
    variance = max(steps.variance(), alone.variance())  # of few steps it is hardly known: the larger one
    error = math.sqrt(variance * (1 / steps.steps() + 1 / alone.steps())) / alone.seconds
    return slower_by(steps, alone) - _ERRORS * error > bound
