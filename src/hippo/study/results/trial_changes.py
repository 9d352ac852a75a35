"""Which trials of a study changed between two looks at it: whoever keeps something of each trial asks, and goes on.

This module refuses to know what a trial is, and how it is read.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hippo.study.results.study_view import StudyView

#: number of a trial, and the member of the study that a row of it is of
TrialKey = tuple[int, str]
#: before the first look
NO_LOOK = 0


class TrialChanges:
    """The trials of one study by the look at which they were last found changed. For any thread."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        #: how many looks there were
        self.looks = NO_LOOK
        #: trial -> the look at which it was last found changed, in this order
        self._latest: dict[TrialKey, int] = {}

    def take(self, changed: Iterable[TrialKey]) -> None:
        """Learn of one look more, and of what had changed."""
        with self._guard:
            self.looks += 1
            for key in changed:
                self._latest.pop(key, None)
                self._latest[key] = self.looks

    def since(self, look: int) -> list[TrialKey]:
        """Return the trials that changed after this look, whatever came after; it costs what they are."""
        found: list[TrialKey] = []
        with self._guard:
            for key in reversed(self._latest):
                if self._latest[key] <= look:
                    break
                found.append(key)
        found.reverse()
        return found


def changed_since(view: StudyView, look: int) -> Collection[TrialKey]:
    """Return the trials of a view that changed since a look of its reader, or came; all since one that came later."""
    if look > view.look:
        return view.rows.keys()
    return [key for key in view._reader.changes.since(look) if key in view.rows]
