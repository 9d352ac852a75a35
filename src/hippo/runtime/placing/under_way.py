"""Work that was given out, on whichever plan: in which slot it runs, and what was heard of it."""

from __future__ import annotations

from collections.abc import Sequence

from hippo.records import LeaseId, SlotId
from hippo.runtime.placing.shortage import Shortage
from hippo.runtime.placing.slots import SlotTable
from hippo.runtime.placing.stuck import StuckSteps
from hippo.runtime.plans.leases import RunningLease
from hippo.runtime.plans.plan_run import PlanRun
from hippo.runtime.timing.start_costs import StartCosts


class WorkUnderWay:
    """The engine's slots, and the leases that run there or did."""

    def __init__(self) -> None:
        self.slots = SlotTable()
        self.stuck = StuckSteps()
        self.shortage = Shortage()
        #: what starts take; nobody asks, and nothing is noted, where slots walk lanes by themselves only
        self.starts: StartCosts | None = None
        #: a lease beside which nothing else runs: there was not enough for both
        self.alone: LeaseId | None = None
        #: whose a lease is, or was: a worker that was given up may still speak
        self._run_of: dict[LeaseId, PlanRun] = {}

    def begin(self, lease: LeaseId, run: PlanRun, slot: SlotId, now: float, peers: Sequence[SlotId] = ()) -> None:
        """Note that a lease was given to a slot, and to others that take part."""
        self._run_of[lease] = run
        self.slots.take(slot, lease, peers)
        self.stuck.note(lease, now)
        if self.starts is not None:
            self.starts.note_begun(lease, now, width=1 + len(peers))

    def heard(self, lease: LeaseId, now: float) -> None:
        """Note that something was heard of a lease."""
        if lease in self._run_of:
            self.stuck.note(lease, now)

    def end(self, lease: LeaseId) -> None:
        """Note that a lease has ended, or was lost; its worker may still have something to say."""
        self.stuck.forget(lease)
        self.shortage.forget(lease)
        if self.starts is not None:
            self.starts.forget(lease)
        self.alone = None if self.alone == lease else self.alone

    def fall_silent(self, lease: LeaseId) -> None:
        """Note that a lease has said all that it will say."""
        self._run_of.pop(lease, None)

    def run_of(self, lease: LeaseId) -> PlanRun | None:
        """Return the plan of a lease; None for one that was never given out, or has fallen silent."""
        return self._run_of.get(lease)

    def running_lease(self, lease: LeaseId | None) -> RunningLease | None:
        """Return how far a lease is; None for none, or for one that has ended."""
        run = None if lease is None else self._run_of.get(lease)
        return None if run is None or lease is None else run.running.get(lease)

    def running(self) -> list[tuple[SlotId, PlanRun, RunningLease]]:
        """Return the work that slots do."""
        return [
            (slot, run, run.running[lease])
            for slot, lease in self.slots.leases()
            if (run := self._run_of.get(lease)) is not None and lease in run.running
        ]

    def forget(self, run: PlanRun) -> None:
        """Let go of a plan: what its leases still say is no longer heard."""
        self._run_of = {lease: each for lease, each in self._run_of.items() if each is not run}
