"""What happens between two turns of the control loop that the next one has to look at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class TurnNotes:
    """Noted by calls and by the intake, read and crossed out by the coordinator."""

    #: a tuner withdrew a request: there may be stages under way that no request needs
    may_shorten: bool = False
    #: a tuner was told to end, and has not yet
    tuners_are_ending: bool = False
