"""What is known in a process of recording updates. It refuses to know torch."""

from __future__ import annotations

from dataclasses import dataclass

#: why nothing is recorded any more, where memory was short
NO_MEMORY = "memory ran out beside what was recorded"


@dataclass(slots=True)
class RecordingExperience:
    """What recording updates of one workload came to in this process."""

    #: why nothing is recorded any more; empty: something may be
    refusal: str = ""
