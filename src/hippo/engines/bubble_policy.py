"""When a guest may compute in the waits of a pipeline's rank: the decision, as a function of what was observed.

A bubble is a wait of a rank for its neighbours, known by its number in the step: schedules repeat themselves. How long
it will be is an average of how long it was; a slice of the guest's work runs if it will probably be over before the
bubble is. Steps of the large job are compared with steps that it took without a guest, and a guest that slows it down
is restrained, in the end for good. Hu et al. 2023, "Hydro", section 5.1, has the idea; the bound on slices is that of
"FreeRide" (arXiv 2409.06941), section 4. It refuses to know clocks, threads, torch and what a slice computes.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

#: how much the newest observation counts in averages of bubbles and of steps
_NEW = 0.1
#: by how many times what it may be slowed down a step counts at most: one in which the large job saves itself, or is
#: evaluated, is no trend
_MOST_SLOWER = 5.0
#: a bubble of less than this part of what was expected has changed, and not varied: the schedule, or the load, did
_VANISHED = 0.5


class Restraint(enum.IntEnum):
    """How much a guest that slowed the large job down is held back; each comes after the one before it."""

    NONE = 0
    WIDER_MARGIN = 1
    SHORTER_SLICES = 2
    STOPPED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class BubbleLimits:
    """What a guest has to keep to."""

    #: how much slower steps of the large job may become on average, as a fraction
    slowdown: float = 0.02
    #: the part of an expected bubble in which slices have to be over
    margin: float = 0.95
    #: the same, once the large job was slowed down
    wide_margin: float = 0.8
    #: the first steps, which the guest only observes
    observed_steps: int = 3
    #: from then on, one step in so many is observed only, so that it is known what the large job takes alone
    observed_every: int = 50
    #: steps with the guest that are looked at before it is restrained, or restrained further
    judged_steps: int = 10
    #: how many bytes the guest may add to the memory of its process; None: half of what is free when it comes, divided
    #: by the number of ranks
    max_bytes: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.slowdown < 1:
            raise ValueError(f"slowdown={self.slowdown} is no fraction: 0.02 lets the large job lose 2 %")
        if not 0 < self.wide_margin <= self.margin <= 1:
            raise ValueError(
                f"margin={self.margin} and wide_margin={self.wide_margin} have to be fractions of a bubble, "
                "the wide one at most the other"
            )
        if self.observed_steps < 1 or self.observed_every < 2 or self.judged_steps < 1:
            raise ValueError(
                f"observed_steps={self.observed_steps}, observed_every={self.observed_every} and "
                f"judged_steps={self.judged_steps} have to be at least 1, 2 and 1"
            )
        given: Any = self.max_bytes
        if given is not None and (type(given) is not int or given < 1):
            raise ValueError(f"max_bytes={self.max_bytes!r} is no number of bytes: 2**30 lets the guest have 1 GiB")


class BubblePolicy:
    """Decides in one rank; told of each step and each wait, in their order.

    Args:
      limits: of the guest.
    """

    def __init__(self, limits: BubbleLimits | None = None) -> None:
        self.limits = limits or BubbleLimits()
        self.restraint = Restraint.NONE
        #: seconds that a step takes without the guest, on average; None: not known yet
        self.alone_s: float | None = None
        #: how much slower steps with the guest are, on average since it was last restrained; 0.0: none is known yet
        self.slowdown = 0.0
        self._expected: dict[int, float] = {}
        self._steps = self._bubble = self._judged = 0

    @property
    def is_observing(self) -> bool:
        """Whether the guest stands still for all of this step."""
        beyond = self._steps - self.limits.observed_steps
        return beyond < 0 or beyond % self.limits.observed_every == self.limits.observed_every - 1

    def expected_s(self) -> float:
        """Return how long the next bubble of this step will probably be; 0.0 for one that was never seen."""
        return self._expected.get(self._bubble, 0.0)

    def may_run(self, elapsed_s: float, slice_s: float) -> bool:
        """Whether a slice may begin in the bubble.

        Args:
          elapsed_s: since the bubble began.
          slice_s: that the slice will probably take.
        """
        if self.is_observing or self.restraint is Restraint.STOPPED:
            return False
        if self.restraint is Restraint.SHORTER_SLICES:
            slice_s = 2 * slice_s  # slices cannot be cut further: only those of half the length go on
        margin = self.limits.margin if self.restraint is Restraint.NONE else self.limits.wide_margin
        return elapsed_s + slice_s < margin * self.expected_s()

    def end_bubble(self, lasted_s: float) -> None:
        """Take note of a bubble.

        Args:
          lasted_s: until its message had arrived, however long the guest went on.
        """
        before = self._expected.get(self._bubble)
        changed = before is None or lasted_s < _VANISHED * before
        self._expected[self._bubble] = lasted_s if changed else _average(before, lasted_s)
        self._bubble += 1

    def end_step(self, lasted_s: float) -> None:
        """Take note of a step of the large job, and begin the next one."""
        if self.is_observing:
            self.alone_s = lasted_s if self.alone_s is None else _average(self.alone_s, lasted_s)
        elif self.restraint is not Restraint.STOPPED:
            self._judge(lasted_s)
        self._steps += 1
        self._bubble = 0

    def _judge(self, lasted_s: float) -> None:
        assert self.alone_s is not None, "the first steps are observed"
        self._judged += 1
        slower = lasted_s / self.alone_s - 1 if self.alone_s > 0 else 0.0
        slower = min(slower, _MOST_SLOWER * self.limits.slowdown)
        self.slowdown += max(1 / self._judged, _NEW) * (slower - self.slowdown)
        if self._judged >= self.limits.judged_steps and self.slowdown > self.limits.slowdown:
            self.restraint = Restraint(self.restraint + 1)
            if self.restraint is not Restraint.STOPPED:  # what stopped it stays to be told
                self._judged, self.slowdown = 0, 0.0


def _average(before: float | None, now: float) -> float:
    return now if before is None else (1 - _NEW) * before + _NEW * now
