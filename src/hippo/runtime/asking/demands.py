"""What a stream of a tuner wants, as decisions see it: room for another request, or nothing.

The stream itself (`streams`) keeps it up to date; this module refuses to know how a stream waits.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class StreamDemand:
    """Whether one `Ask.stream` would pull a request if there was room."""

    #: its tuner waits, and neither room nor an answer has come that it has not looked at
    is_waiting: bool = False
    #: its tuner had nothing more to ask when it was offered room last
    is_exhausted: bool = False
    #: the members that it has asked so far
    members: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        """Whether there is any."""
        return self.is_waiting and not self.is_exhausted
