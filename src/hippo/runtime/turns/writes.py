"""The writes of a turn: what was changed, gathered and numbered, and who has to wait for it.

This is where it is decided who may hear before a write is durable; `hippo.runtime.turns.coordinator` says why. It
refuses to know how anything is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hippo.plan import AbstractPlanStore, Change, ChangeLog
from hippo.runtime.asking.instructions import Announce, Instruction, Instructions, Write, WriteId
from hippo.runtime.plans.opening import OpenPlans
from hippo.runtime.studies.announcer import Announcer
from hippo.runtime.studies.observers import StudyEvent

Part = tuple[ChangeLog, tuple[Change, ...]]


class Writes:
    """Numbers the writes of each database.

    Args:
      plans: where changes gather.
      may_lag: writes may wait for one another. Not on virtual time, which stands still meanwhile.
    """

    def __init__(self, plans: OpenPlans, *, may_lag: bool) -> None:
        self._plans = plans
        self._may_lag = may_lag
        #: database -> the number of its last write
        self._written: dict[str, int] = {}
        #: databases that refused the last write: tried again when there is news, and not in every turn until then
        self._refusing: set[str] = set()

    def after(self, store: AbstractPlanStore) -> WriteId:
        """Return the write that will hold what is changed in a database now, and what was changed before."""
        return WriteId(store.uuid, self._written.get(store.uuid, 0) + 1)

    def for_this_process(self, store: AbstractPlanStore) -> WriteId | None:
        """Return what somebody has to wait for who forgets all that was heard when this process ends.

        That is nothing, where writes may lag: what is lost with the process then, facts and answers that rest on them,
        was heard by nobody who is still there.
        """
        return None if self._may_lag and store.takes_groups else self.after(store)

    def before(self, out: Sequence[Instruction], *, has_news: bool, of: Iterable[str] = ()) -> Instructions:
        """Return instructions behind the writes of all that was changed until now.

        Args:
          out: the instructions.
          has_news: something happened, so that a database which refused its last write is worth another try.
          of: databases, by uuid, that are written to in any case.
        """
        must = set(of)
        for one in out:
            if (after := getattr(one, "after", None)) is not None:
                must.add(after.store)
        gathered: dict[str, tuple[AbstractPlanStore, list[Part]]] = {}
        told: list[tuple[str, Announcer, tuple[StudyEvent, ...]]] = []
        for store, changes, announcer in self._plans.sources():
            uuid = store.uuid
            known = gathered.get(uuid)
            if known is None:
                known = gathered[uuid] = (store, [])
            if changes and (has_news or uuid not in self._refusing or uuid in must):
                known[1].append((changes, tuple(changes.take())))
            if announcer is not None and (events := announcer.take_events()):
                told.append((uuid, announcer, events))
        writes = []
        for uuid, (store, parts) in gathered.items():
            if parts or uuid in must:
                writes.append(self._write(store, parts, may_wait=uuid not in must))
        if not (writes or told):
            return tuple(out)
        # observers wait for all that was written so far to the database of their study
        heard = [
            Announce(announcer, events, WriteId(uuid, self._written.get(uuid, 0))) for uuid, announcer, events in told
        ]
        return (*writes, *out, *heard)

    def failed(self, writes: Sequence[Write]) -> None:
        """Take writes back: their changes come again with the next one, before all that is newer."""
        for write in reversed(writes):
            self._refusing.add(write.id.store)
            for log, changes in reversed(write.parts):
                log.put_back(changes)

    def _write(self, store: AbstractPlanStore, parts: Sequence[Part], *, may_wait: bool) -> Write:
        id = self.after(store)
        self._written[store.uuid] = id.number
        self._refusing.discard(store.uuid)
        return Write(id, store, tuple(parts), may_wait=may_wait and self._may_lag and store.takes_groups)
