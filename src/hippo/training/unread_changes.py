"""Changes of hyper-parameters that a trainer has not looked at.

A trainer that makes its optimizer in `build()` and defines no `setup()` trains on at the first learning rate, whatever
the config says: nothing raises, and trials that differ in their schedules alone come out alike. What gives it away is
that nobody read the new value. This module refuses to know trainers and steps: a walker says what changed and when,
and asks once the trainer had every occasion to look.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from hippo.training.values import HparamValues

#: names that a trainer never looked at, and those that it did
UnreadNames = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A hyper-parameter is another one from a step on."""

    name: str
    step: int
    before: object
    after: object


class UnreadChanges:
    """Those of one trainer since it was built."""

    def __init__(self) -> None:
        self._unread: dict[str, ValueChange] = {}
        #: names looked at among the values in force. A look at older values, which a trainer may have kept, is none.
        self._looked_at: set[str] = set()

    def watch(self, before: HparamValues, values: HparamValues, step: int) -> HparamValues:
        """Note what changed as `values` come into force at `step`; return them as the trainer is to have them."""
        self.note_looks(self._looked_at)
        for name, value in values.changed_since(before).items():
            self._unread.setdefault(name, ValueChange(name, step, before.raw.get(name), value))
        if not self._unread:
            return values  # nobody needs to know what is looked at
        self._looked_at = set()
        return values.recording(self._looked_at)

    def note_looks(self, names: Set[str]) -> None:
        """Note that the trainer looked at the values in force of these names."""
        for name in self._unread.keys() & names:
            del self._unread[name]

    def take(self) -> list[ValueChange]:
        """Return, once, the changes that nobody looked at until now."""
        self.note_looks(self._looked_at)
        found, self._unread = [self._unread[name] for name in sorted(self._unread)], {}
        return found
