"""The states that the tuner of one call has pinned: taken back when its blocks end, and at the latest with the call."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hippo.errors import TunerError
from hippo.hparams import Config
from hippo.records import Point
from hippo.runtime.studies.asked_trials import AskedTrials

if TYPE_CHECKING:
    from hippo.runtime.plans.plan_run import PlanRun


class CallPins:
    """What a call has pinned.

    Args:
      trials: those that the call asked about.
      runs: name of each member -> its plan at work.
    """

    def __init__(self, trials: AskedTrials, runs: Mapping[str, PlanRun]) -> None:
        self._trials = trials
        self._runs = runs
        self._numbers = itertools.count()
        #: number of a pin -> where it is
        self._pins: dict[int, tuple[PlanRun, Point]] = {}

    def pin(self, config: Config, until: int | None, *, occurrence: int, member: str) -> int:
        """Pin a state of a member's plan, and return the number of the pin.

        Args:
          config, until: whose, and after how many steps; None: where its trial was answered last.
          occurrence: which of the trials of equal configs.
          member: on whose plan.

        Raises:
          TunerError: the config has no state yet of which `until` need not be said.
        """
        if until is None:
            until = self._trials.answered_until(config, occurrence, member)
            if until is None:
                raise TunerError(
                    f"{config!r} was not answered yet, or was released, so it has no last state to pin; say which one: "
                    "ask.pin(config, until=...)"
                )
        run, number = self._runs[member], next(self._numbers)
        point = self._trials.point_of(config, until, occurrence, member)
        run.residency.pins.pin(point)
        self._pins[number] = (run, point)
        return number

    def unpin(self, number: int) -> None:
        """Take a pin back, unless the call did so as it ended."""
        pinned = self._pins.pop(number, None)
        if pinned is not None:
            run, point = pinned
            run.residency.pins.unpin(point)

    def close(self) -> None:
        """Take all pins back: a task that the tuner left behind may never come to the end of its block."""
        for number in list(self._pins):
            self.unpin(number)
