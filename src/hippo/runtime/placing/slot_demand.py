"""How many slots would have work: what an engine that can grow and shrink is told.

It refuses to know how many slots there are.
"""

from __future__ import annotations

from collections.abc import Sequence

from hippo.runtime.asking.participants import Participant
from hippo.runtime.placing.eligibility import Eligibility
from hippo.runtime.placing.slots import SlotTable
from hippo.runtime.plans.opening import OpenPlans


class SlotDemand:
    """How many slots the calls of an engine could use at this moment.

    Args:
      plans, slots: of the engine.
      participants: those who wait; others add to the list and take from it.
      eligibility: which slots plans may use.
    """

    def __init__(
        self, plans: OpenPlans, slots: SlotTable, participants: Sequence[Participant], eligibility: Eligibility
    ) -> None:
        self._plans = plans
        self._slots = slots
        self._eligibility = eligibility
        self._participants = participants
        #: None: as many as there are
        self.slots: int | None = 0

    def has_changed(self) -> bool:
        """Look again, and tell whether it is another number now."""
        before, self.slots = self.slots, self._now()
        return self.slots != before

    def _now(self) -> int | None:
        if any(participant.has_demand for participant in self._participants):
            return None  # whoever pulls finds something to do for every slot
        if self._eligibility.is_any_unserved or len(self._slots.environments) > 1:
            return None  # which of them can be used nobody knows before they are open
        if any(run.residency.pins.are_any for run in self._plans):
            return None  # what was asked to stay in memory stays there
        running = sum(len(run.running) for run in self._plans) + self._slots.num_helping
        return self._plans.ready_stages + running
