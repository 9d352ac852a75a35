"""Row changes that are not durable yet, in the order in which they were made."""

from __future__ import annotations

from collections.abc import Sequence

from hippo.plan.rows import Change


class ChangeLog(list[Change]):
    """The changes of one plan's rows, or of one study's, until their writer takes them.

    Who changes something in memory appends the row to it at once. The control loop takes all of them and makes them
    durable before anybody acts on them who outlives the process; what could not be written comes back to the front, so
    that the database hears of everything in the order in which it happened.
    """

    __slots__ = ()

    def take(self) -> list[Change]:
        """Return the changes since the last call."""
        taken = list(self)
        self.clear()
        return taken

    def put_back(self, changes: Sequence[Change]) -> None:
        """Take changes back that could not be made durable; they come again with the next ones."""
        self[:0] = changes
