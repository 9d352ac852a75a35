"""How much room streams are offered: for slots that have nothing to do, and for lanes beside those that wait.

Where lanes are walked one by one, a slot has room for one request, and only while nothing waits to be given out. Where
several are walked as one, it has room for as many as are worth it, and that is offered before work is given out: what
streams pull then joins what waits, and goes in one large group with it.

It refuses to know what streams are, and what is given out.
"""

from __future__ import annotations

from collections.abc import Sequence

from hippo.runtime.asking.instructions import Grant
from hippo.runtime.asking.participants import Participant
from hippo.runtime.placing.eligibility import Eligibility
from hippo.runtime.placing.fair_shares import share_room
from hippo.runtime.placing.slots import SlotTable
from hippo.runtime.plans.opening import OpenPlans


class StreamRoom:
    """Offers the streams of one engine's calls room for requests.

    Args:
      plans, slots: of the engine.
      participants: those who may want it; others add to the list and take from it.
      eligibility: which slots their plans may use.
      max_lanes: of the engine.
    """

    def __init__(
        self,
        plans: OpenPlans,
        slots: SlotTable,
        participants: Sequence[Participant],
        eligibility: Eligibility,
        *,
        max_lanes: int | None,
    ) -> None:
        self._plans = plans
        self._slots = slots
        self._participants = participants
        self._eligibility = eligibility
        self._max_lanes = max_lanes
        #: lanes were offered, and nothing was given out since
        self._has_offered = False

    def beside_what_waits(self) -> list[Grant]:
        """Return what streams may pull now to fill the lanes of free slots, before work is given out.

        They may once: where what they pull is not ready itself, since it goes on from work under way or shares its
        beginning with what waits, that is not made up for by pulling more and more of it.
        """
        if self._has_offered or not self._slots.num_free_of(None):
            self._has_offered = False
            return []
        wanting = [
            participant
            for participant in self._participants
            if participant.has_demand
            and any(run.formations.may_fuse for run in participant.pulled_runs)
            and not self._has_work_elsewhere(participant)
        ]
        if not wanting:
            return []
        offered = [
            Grant(participant, room)
            for kind, those in self._eligibility.pullers_by_kind(wanting)
            for participant, slots in share_room(those, self._plans, self._slots.num_free_of(kind))
            if (room := self._room(participant, slots)) > 0
        ]
        self._has_offered = bool(offered)
        return offered

    def _has_work_elsewhere(self, participant: Participant) -> bool:
        """Tell whether work of a call waits for these slots on plans that its stream does not ask.

        What is pulled could not join its lanes, and would come beside it, or before: a surrogate's target, say, that
        is to be trained ahead of time only where slots would be idle.
        """
        pulled = participant.pulled_runs
        return any(
            run.remaining.tree.num_ready and any(self._eligibility.compete(run, own) for own in pulled)
            for run in participant.runs
            if run not in pulled
        )

    def _room(self, participant: Participant, num_free: int) -> int:
        """Return how many requests fit into free slots; each is one for every member that is asked, on its own plan."""
        return min(
            run.formations.room(num_free, num_ready=run.remaining.tree.num_ready, max_lanes=self._max_lanes)
            for run in participant.pulled_runs
            if run.formations.may_fuse
        )

    def for_nothing_to_do(self) -> list[Grant]:
        """Return what streams may pull for slots that have nothing to do, now that nothing waits."""
        wanting = [participant for participant in self._participants if participant.has_demand]
        if not wanting:
            return []
        ready = {
            kind: sum(run.remaining.tree.num_ready for run in runs)
            for kind, runs in self._eligibility.plans_by_kind(list(self._plans))
        }
        if not len(self._slots) and not any(run.waiting.requests or run.running for run in self._plans):
            return self._shared(wanting, 1)  # slots open when there is work
        return [
            grant
            for kind, those in self._eligibility.pullers_by_kind(wanting)
            if not ready.get(kind)
            for grant in self._shared(those, self._slots.num_free_of(kind))
        ]

    def _shared(self, wanting: Sequence[Participant], room: int) -> list[Grant]:
        return [Grant(participant, share) for participant, share in share_room(wanting, self._plans, room)]
