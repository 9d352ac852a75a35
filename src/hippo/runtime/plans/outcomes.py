"""What a batch of events came to, beyond facts: who can be answered, and who is to hear what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hippo.records import CheckpointRef
from hippo.runtime.studies.requests import Request

if TYPE_CHECKING:
    pass


@dataclass(slots=True)
class Outcome:
    """What a batch of events came to, beyond facts."""

    #: requests that can be answered now
    answerable: list[Request] = field(default_factory=list)
    #: states that were written
    written: list[CheckpointRef] = field(default_factory=list)
    #: what must stop the studies on this plan
    alarms: list[Exception] = field(default_factory=list)
    #: what users should hear
    warnings: list[str] = field(default_factory=list)
    #: what they may want to know; nothing is wrong
    news: list[str] = field(default_factory=list)
    #: what is equal for every trial of the plan, and ends the calls that use it; nothing is recorded of it
    errors: list[Exception] = field(default_factory=list)
