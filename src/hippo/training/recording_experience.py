"""What is known in a process of recording updates, and who hears of it. It refuses to know torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

#: why nothing is recorded any more, where memory was short
NO_MEMORY = "memory ran out beside what was recorded"


@dataclass(slots=True)
class RecordingExperience:
    """What recording updates of one workload came to in this process."""

    #: why nothing is recorded any more; empty: something may be
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class RecordingListener:
    """Hears of recordings what a user should know."""

    #: once, why nothing is recorded any more
    refused: Callable[[str], None]
    #: what was recorded has become wrong, and was played since
    outdated: Callable[[str], None]
