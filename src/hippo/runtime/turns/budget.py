"""How much the states of each database may take in the engine's store, and what follows when they take more.

Counted are the files that work under way writes; what there was before, and what other processes write meanwhile, is
read when it matters. What is over the budget is looked for once at a time, and not again before more has come: states
that work needs, and those that others train on, stay all the same, and users are told that they do.

It refuses to know which states go, and who removes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hippo.plan import AbstractPlanStore, CheckpointRow
from hippo.records import CheckpointRef
from hippo.runtime.asking.instructions import Instruction, Leaving, LookForRoom, RoomFound, Warn
from hippo.runtime.asking.participants import Participant
from hippo.runtime.studies.settings import bytes_as_text

#: after a look that freed too little: how much more must have come before the next one
_WORTH_LOOKING = 0.02
#: how much more than the budget may be needed for a while without a word
_WORTH_TELLING = 1.25


@dataclass(slots=True)
class _Held:
    """What the states of one database take."""

    size_bytes: int
    #: more than that is worth a look
    look_at: int = 0
    is_looking: bool = False
    #: the last budget that anybody named; None: there is no bound
    limit: int | None = None


class CheckpointBudget:
    """Watches over the budgets of all databases in use.

    Args:
      participants: those who take part now; their studies say what the budget is.
    """

    def __init__(self, participants: Sequence[Participant]) -> None:
        self._participants = participants
        self._of: dict[str, _Held] = {}
        self._told: set[str] = set()

    def note_written(self, store: AbstractPlanStore, ref: CheckpointRef) -> list[Instruction]:
        """Count a file that was written; return what is to be done about it."""
        held = self._of.get(store.uuid)
        if held is None:
            with store.durable() as rows:  # nothing was written yet by this process
                before = rows.totals(CheckpointRow, (), "size_bytes", gone="")
            held = self._of[store.uuid] = _Held(int(before[0][2] or 0) if before else 0)
        held.size_bytes += ref.size_bytes
        held.limit = limit = self._limit(store, held)
        if limit is None or held.size_bytes <= max(limit, held.look_at) or held.is_looking:
            return []
        held.is_looking = True
        told: list[Instruction] = [LookForRoom(store, limit)]
        if ref.size_bytes > limit:
            told += self._once(
                f"checkpoint_budget= of {bytes_as_text(limit)} is less than one state takes",
                f" ({bytes_as_text(ref.size_bytes)}): states are written where work goes on from them, and none is "
                "kept for long, so that load_model() trains its trial once more. Give create_study a larger one.",
            )
        return told

    def note_room(self, found: RoomFound, left: Sequence[Leaving]) -> list[Instruction]:
        """Note what went of what was found; return what users are to hear."""
        held = self._of[found.store]
        held.is_looking = False
        held.size_bytes = found.size_bytes - sum(one.file.size_bytes for one in left)
        held.look_at = 0
        limit = held.limit
        if limit is None or held.size_bytes <= limit:
            return []
        held.look_at = int(held.size_bytes + _WORTH_LOOKING * limit)
        if held.size_bytes <= limit * _WORTH_TELLING:
            return []  # what work needs now goes when the work is done
        return self._once(
            f"checkpoint_budget= of {bytes_as_text(limit)} is exceeded",
            f": states that work needs, or that other processes train on, take {bytes_as_text(held.size_bytes)}. None "
            "of them is removed, and none beside them is kept.",
        )

    def note_no_look(self, store: str) -> None:
        """Note that what is to go could not be found out: the next file that is written is worth another look."""
        self._of[store].is_looking = False

    def is_looking(self, store: AbstractPlanStore) -> bool:
        """Tell whether what is to go of a database's states is being found out."""
        held = self._of.get(store.uuid)
        return held is not None and held.is_looking

    def look_again(self, store: AbstractPlanStore) -> list[Instruction]:
        """Return what is to be done about a database's states when work on a plan has ended: less of them is needed."""
        held = self._of.get(store.uuid)
        if held is None or held.limit is None or held.size_bytes <= held.limit or held.is_looking:
            return []
        held.is_looking = True
        return [LookForRoom(store, held.limit)]

    def _limit(self, store: AbstractPlanStore, held: _Held) -> int | None:
        """Return the largest budget of the studies that use a database now, else the one that held last."""
        budgets = [
            participant.study.settings.checkpoint_budget
            for participant in self._participants
            if participant.study.store.uuid == store.uuid
        ]
        if not budgets:
            return held.limit
        known = [budget for budget in budgets if budget is not None]
        return max(known) if len(known) == len(budgets) else None

    def _once(self, what: str, more: str) -> list[Instruction]:
        if what in self._told:
            return []
        self._told.add(what)
        return [Warn(what + more)]
