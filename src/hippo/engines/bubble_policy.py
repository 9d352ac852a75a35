"""When a guest may compute in the waits of a pipeline's rank: the decision, as a function of what was observed.

A bubble is a wait of a rank for its neighbours, known by its number in the step: schedules repeat themselves. How long
it will be is an average of how long it was; a slice of the guest's work runs if it will probably be over before the
bubble is. Steps of the large job are compared with steps that it took without a guest. Where those with the guest seem
to be slower, they are taken in turns with others for a while, since all steps vary and the large job may have become
slower by itself; a guest that does slow it down is restrained, in the end for good. Hu et al. 2023, "Hydro", section
5.1, has the idea; the bound on slices is that of "FreeRide" (arXiv 2409.06941), section 4. It refuses to know clocks,
threads, torch and what a slice computes.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from numbers import Real
from typing import Any

from hippo.engines.step_comparison import StepMean, is_surely_slower, slower_by
from hippo.errors import OptionError

#: how much the newest observation counts in the average of a bubble
_NEW = 0.1
#: of how many steps averages of steps are, nearly
_RECENT = 10
#: pairs of steps, one with the guest and one without, that are looked at before a guest is restrained, at least; and
#: after which, at most, it is decided by what seems to be so
_LEAST_PAIRS, _MOST_PAIRS = 5, 100
#: by how many times what it may be slowed down a step counts as slower at most: one in which the large job saves
#: itself, or is evaluated, is no trend
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
    #: steps with the guest that are looked at before it is taken for one that slows the large job down; then steps with
    #: and without it are taken in turns, until it is known whether it does
    judged_steps: int = 10
    #: how many bytes the guest may add to the memory of its process; None: half of what is free when it comes, divided
    #: by the number of ranks
    max_bytes: int | None = None

    def __post_init__(self) -> None:
        for name in ("slowdown", "margin", "wide_margin", "observed_steps", "observed_every", "judged_steps"):
            value = getattr(self, name)
            if not isinstance(value, Real):
                raise OptionError(f"{name}={value!r} is no number")
            if name.endswith(("_steps", "_every")) and float(value) % 1:
                raise OptionError(f"{name}={value!r} is no number of steps, which is a whole one")
        if not 0 < self.slowdown < 1:
            raise OptionError(f"slowdown={self.slowdown} is no fraction: 0.02 lets the large job lose 2 %")
        if not 0 < self.wide_margin <= self.margin <= 1:
            raise OptionError(
                f"margin={self.margin} and wide_margin={self.wide_margin} have to be fractions of a bubble, "
                "the wide one at most the other"
            )
        if self.observed_steps < 1 or self.observed_every < 2 or self.judged_steps < 1:
            raise OptionError(
                f"observed_steps={self.observed_steps}, observed_every={self.observed_every} and "
                f"judged_steps={self.judged_steps} have to be at least 1, 2 and 1"
            )
        given: Any = self.max_bytes
        if given is not None and (type(given) is not int or given < 1):
            raise OptionError(f"max_bytes={self.max_bytes!r} is no number of bytes: 2**30 lets the guest have 1 GiB")


class BubblePolicy:
    """Decides in one rank; told of each step and each wait, in their order.

    Args:
      limits: of the guest.
    """

    def __init__(self, limits: BubbleLimits | None = None) -> None:
        self.limits = limits or BubbleLimits()
        self.restraint = Restraint.NONE
        #: how much slower steps with the guest are, on average since it was last restrained; 0.0: none is known yet
        self.slowdown = 0.0
        self._alone, self._beside = StepMean(_RECENT), StepMean(_RECENT)
        #: steps with the guest and without, taken in turns; None: nothing is in doubt
        self._turns: tuple[StepMean, StepMean] | None = None
        self._expected: dict[int, float] = {}
        self._steps = self._bubble = 0

    @property
    def alone_s(self) -> float | None:
        """Seconds that a step takes without the guest, on average; None: not known yet."""
        return self._alone.seconds if self._alone.count else None

    @property
    def is_observing(self) -> bool:
        """Whether the guest stands still for all of this step."""
        # not each second one: a large job may itself do something in each second step. This order (Thue 1906, Morse
        # 1921) is of pairs, of which each is the other way round than another one
        if self._turns is not None and self._steps.bit_count() % 2:
            return True
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

    def end_step(self, lasted_s: float, *, had_guest: bool = True) -> None:
        """Take note of a step of the large job, and begin the next one.

        Args:
          lasted_s: seconds.
          had_guest: whether there was anything that a guest could have done in it, if it was not observed only.
        """
        if self._alone.count >= self.limits.observed_steps:
            lasted_s = min(lasted_s, (1 + _MOST_SLOWER * self.limits.slowdown) * self._alone.seconds)
        if self.is_observing or not had_guest:
            self._alone.add(lasted_s)
            if self._turns is not None:
                self._turns[1].add(lasted_s)
        elif self.restraint is not Restraint.STOPPED:
            self._judge(lasted_s)
        if self._turns is not None:
            self._decide(*self._turns)
        self._steps += 1
        self._bubble = 0

    def _judge(self, lasted_s: float) -> None:
        if self._turns is not None:
            self._turns[0].add(lasted_s)
            return
        self._beside.add(lasted_s)
        self.slowdown = slower_by(self._beside, self._alone)
        if self._beside.count >= self.limits.judged_steps and self.slowdown > self.limits.slowdown:
            self._turns = StepMean(), StepMean()

    def _decide(self, beside: StepMean, alone: StepMean) -> None:
        """Restrain the guest, or let it be, as soon as steps that were taken in turns tell which."""
        pairs = min(beside.count, alone.count)
        if pairs < _LEAST_PAIRS:
            return
        self.slowdown = slower_by(beside, alone)
        is_slower = self.slowdown > self.limits.slowdown
        if is_surely_slower(beside, alone, self.limits.slowdown) or (is_slower and pairs >= _MOST_PAIRS):
            self.restraint = Restraint(self.restraint + 1)
            if self.restraint is not Restraint.STOPPED:  # what stopped it stays to be told
                self.slowdown = 0.0
        elif is_slower or pairs < self.limits.judged_steps:
            return
        self._beside, self._turns = StepMean(_RECENT), None


def _average(before: float | None, now: float) -> float:
    return now if before is None else (1 - _NEW) * before + _NEW * now
