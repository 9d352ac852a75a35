"""Which lanes are checked: early ones until the workload is proven, later ones at doubling distances.

Beyond the first few steps they take a small share of what is executed. This module refuses to know how a lane is
checked, and what that came to.
"""

from __future__ import annotations

from typing import NamedTuple

from hippo.records import Exactness, SlotId
from hippo.training.walking.check_rule import steps_wanted

#: steps that checks may run again, whatever a plan has executed
FREE_STEPS = 4
#: of a hundred executed steps, beyond that
SHARE_PERCENT = 2


class Checks(NamedTuple):
    """What a lane is to compare."""

    #: its first steps, and its last
    first: bool = False
    #: its last step
    last: bool = False
    #: the first step under changed values
    change: bool = False


_NO_CHECKS = Checks()


class CheckQuota:
    """Counts what a plan has executed and what it has checked, and says what the next lane may check.

    Args:
      executed, checked: steps so far.
      furthest: the latest step that was ever compared.
      is_wanted: two runs of a step are expected to agree, or it is worth telling that they do not.
      may_fuse: lanes may be walked as one.
    """

    def __init__(
        self,
        *,
        executed: int = 0,
        checked: int = 0,
        furthest: int = 0,
        is_wanted: bool = True,
        may_fuse: bool = False,
    ) -> None:
        self._is_wanted = is_wanted
        self._may_fuse = may_fuse
        self._executed = executed
        self._checked = checked
        self._furthest = furthest
        self._compared: set[SlotId] = set()
        #: whether a lane that walked through a change of values was compared there, since the plan was opened
        self.has_compared_change = False

    def note_executed(self, steps: int = 1) -> None:
        """Note steps that were executed for the first time."""
        self._executed += steps

    def note_checked(self, step: int) -> None:
        """Note that a step was run again to compare it."""
        self._checked += 1
        self._furthest = max(self._furthest, step)

    def checks_of(
        self, exactness: Exactness, *, first: int, stop: int, is_checking: bool, changes: bool = False
    ) -> Checks:
        """Return what a lane from `first` to `stop` is to compare.

        Args:
          exactness: what is known of the workload.
          first, stop: the lane's span of steps.
          is_checking: another lane compares something at this moment.
          changes: it walks through a change of values.
        """
        if is_checking or not self._is_wanted or exactness is Exactness.FAILED:
            return _NO_CHECKS
        wants_change = changes and not self.has_compared_change
        if exactness is Exactness.UNCHECKED:
            wanted = steps_wanted(first=first, stop=stop, may_fuse=self._may_fuse)
            is_first = wanted > 0 and (not self._checked or self._may_take(wanted))
            if (
                stop == 1 and not is_first
            ):  # where none goes further nothing else is ever compared, so it is walked anew
                return Checks(last=self._executed > 0 and not self._checked)
            return Checks(first=is_first, change=is_first and wants_change and self._may_take(wanted + 1))
        is_change = wants_change and self._may_take(1)
        is_far = stop >= 2 * max(self._furthest, 1) and stop - first >= 2
        return Checks(last=is_far and self._may_take(1 + is_change), change=is_change)

    def needs_look(self, slot: SlotId) -> bool:
        """Whether no state of this plan was compared there yet: a slot may be another process."""
        return slot not in self._compared

    def note_look(self, slot: SlotId) -> None:
        """Note that a state is compared there."""
        self._compared.add(slot)

    def look_again(self, slot: SlotId) -> None:
        """Compare the next state there, too: the last one did not pass."""
        self._compared.discard(slot)

    def _may_take(self, steps: int) -> bool:
        return self._checked + steps <= max(FREE_STEPS, self._executed * SHARE_PERCENT // 100)
