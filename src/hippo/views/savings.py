"""What sharing was worth: where the steps that trials asked for came from, in numbers that add up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hippo.errors import OptionError
from hippo.runtime import Statistics
from hippo.study import TreeRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Savings:
    """Steps and seconds of a study, by what became of them."""

    #: what trials asked for: `executed`, `saved` and `to_come` together
    asked: int
    #: run for this study for the first time
    executed: int
    #: had by trials, and not run for them: by other trials, other studies, or earlier runs
    saved: int
    #: asked for, and not had yet; of trials that failed or were withdrawn, never
    to_come: int
    #: cause -> steps that were run again, beside those asked for
    repeated: Mapping[str, int]
    #: run to prove that training resumes exactly, beside those asked for
    checked: int
    #: run ahead of time, beside those asked for
    speculative: int
    #: device-seconds that were spent, and what all trials alone would have taken
    device_seconds: float
    trial_seconds: float
    #: steps of the tree, each once: what is run for `asked` if nothing is had from elsewhere, and nothing run again, as
    #: `hippo plan` says before anything runs; None: nobody looked
    distinct: int | None = None

    @property
    def predicted_rate(self) -> float | None:
        """Steps asked for over those of the tree: the merge rate that its shape predicts; None: it is not known."""
        return self.asked / self.distinct if self.distinct else None

    @property
    def seen_rate(self) -> float | None:
        """Steps asked for over those that were run for the study for the first time; None: none was."""
        return self.asked / self.executed if self.executed else None

    def price(self, per_hour: float) -> SavingsPrice:
        """Return what the seconds cost at a price of a device-hour.

        Raises:
          OptionError: it is no price.
        """
        if not (math.isfinite(per_hour) and per_hour >= 0):
            raise OptionError(f"a price of a device-hour is a number, 0 or more, not {per_hour!r}")
        spent, alone = (per_hour * seconds / 3600 for seconds in (self.device_seconds, self.trial_seconds))
        return SavingsPrice(per_hour=per_hour, spent=spent, alone=alone)


@dataclass(frozen=True, slots=True, kw_only=True)
class SavingsPrice:
    """What device-seconds cost, in the money in which the price was given."""

    #: of a device-hour
    per_hour: float
    #: for all seconds that devices spent, and for those that all trials alone would have taken
    spent: float
    alone: float

    @property
    def saved(self) -> float:
        """What was not paid; below zero where sharing cost more than it saved."""
        return self.alone - self.spent


def distinct_steps(rows: Iterable[TreeRow]) -> int:
    """Return how many steps a tree has, each once, as far as trials ask for them."""
    return sum(row.stop - row.start for row in rows)


def savings(statistics: Statistics, distinct: int | None = None) -> Savings:
    """Return what became of the steps that a study asked for.

    Args:
      statistics: of the study.
      distinct: what `distinct_steps` says of its tree, of the same reading; None: nothing is predicted.
    """
    executed = statistics.steps_executed - statistics.steps_repeated
    saved = statistics.steps_saved + statistics.steps_repeated  # there, what was run again counts against it
    return Savings(
        asked=statistics.steps_asked,
        executed=executed,
        saved=saved,
        to_come=statistics.steps_asked - executed - saved,
        repeated=dict(statistics.repeated_by_cause),
        checked=statistics.steps_checked,
        speculative=statistics.steps_speculative,
        device_seconds=statistics.device_seconds,
        trial_seconds=statistics.trial_seconds,
        distinct=distinct,
    )
