"""Changes that were taken in and are not durable yet, and the door that all who read go through.

A transaction costs more than the rows in it. So a process that writes many small changes may let them wait for one
another for a moment, as long as nobody can tell: they become durable in the order in which they were taken in, by one
writer for each database and engine, and each reader of a database in this process has them written first. A reader in
another process sees an earlier moment, which is a state that the database was in: that is all it was ever promised.

What waits is lost with the process. Who may be told of it before is decided elsewhere; this module refuses to know.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence

from hippo.plan.rows import Change, Insert, Row
from hippo.plan.store import AbstractPlanStore, key_of, updated


class PendingWrites:
    """Numbered writes on their way into one database, taken in on one thread and flushed on any.

    Args:
      store: the database.
    """

    def __init__(self, store: AbstractPlanStore) -> None:
        self._store = store
        self._guard = threading.RLock()
        self._waiting: list[Change] = []
        #: the number of the last write that waits; None: none does
        self._last: int | None = None
        #: the number up to which all is durable
        self.durable = 0

    def __bool__(self) -> bool:
        """Whether anything waits."""
        return self._last is not None

    def add(self, number: int, changes: Iterable[Change]) -> None:
        """Take in a write; numbers ascend."""
        with self._guard:
            if self._store.takes_groups and self._last is None:
                _note_waiting(self._store.uuid, self)
            self._waiting += changes
            self._last = number

    def flush(self) -> None:
        """Make all that waits durable, in one transaction.

        Raises:
          Exception: the store's, which may be anybody's; all of it waits on.
        """
        with self._guard:
            if self._last is None:
                return
            changes = merged(self._waiting) if self._store.takes_groups else self._waiting
            if changes:
                self._store.commit(changes)
            self.durable = self._last
            self._forget()

    def give_up(self) -> None:
        """Let go of all that waits: it could not be written, and comes again from where it came."""
        with self._guard:
            self._forget()

    def _forget(self) -> None:
        self._waiting, self._last = [], None
        if self._store.takes_groups:
            _note_written(self._store.uuid, self)


def merged(changes: Sequence[Change]) -> list[Change]:
    """Return changes that come to the same, one for each row; a row that is inserted twice stays two, and an error."""
    found: list[Change] = []
    places: dict[tuple[type[Row], object], int] = {}
    for change in changes:
        key = (type(change.row), key_of(change.row))
        place = places.get(key)
        if place is None or isinstance(change, Insert):
            places[key] = len(found)
            found.append(change)
        else:
            before = found[place]
            found[place] = type(before)(updated(before.row, change.row))
    return found


_registry = threading.Lock()
#: database, by uuid -> those that hold changes of it back
_waiting: dict[str, list[PendingWrites]] = {}


def flush_pending(uuid: str) -> None:
    """Make durable what this process holds back of a database: called before anything of it is read.

    Raises:
      Exception: it cannot be written, so that nothing up to date can be read.
    """
    if uuid in _waiting:  # nearly always it is not
        with _registry:
            writers = list(_waiting.get(uuid, ()))
        for writer in writers:
            writer.flush()


def _note_waiting(uuid: str, writer: PendingWrites) -> None:
    with _registry:
        known = _waiting.setdefault(uuid, [])
        if writer not in known:
            known.append(writer)


def _note_written(uuid: str, writer: PendingWrites) -> None:
    with _registry:
        known = _waiting.get(uuid, [])
        if writer in known:
            known.remove(writer)
        if not known:
            _waiting.pop(uuid, None)


def _forget_parents_writes() -> None:
    global _registry
    _registry = threading.Lock()  # another thread of the parent may have held it
    _waiting.clear()  # they are the parent's to write


os.register_at_fork(after_in_child=_forget_parents_writes)
