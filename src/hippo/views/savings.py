"""What sharing was worth: where the steps that trials asked for came from, in numbers that add up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hippo.runtime import Statistics


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


def savings(statistics: Statistics) -> Savings:
    """Return what became of the steps that a study asked for."""
    executed = statistics.steps_executed - statistics.steps_repeated
    return Savings(
        asked=statistics.steps_asked,
        executed=executed,
        saved=statistics.steps_saved,
        to_come=statistics.steps_asked - statistics.steps_saved - executed,
        repeated=dict(statistics.repeated_by_cause),
        checked=statistics.steps_checked,
        speculative=statistics.steps_speculative,
        device_seconds=statistics.device_seconds,
        trial_seconds=statistics.trial_seconds,
    )
