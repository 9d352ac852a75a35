"""What all lanes of an assignment have in common where they run. It refuses to know how any of them is walked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hippo.events import BoundaryAnswered, ExactnessChecked, RecordingRefused, SettingsLeft
from hippo.lanes import AssignmentProgress
from hippo.records import Assignment, LeaseCommand, SlotId, TrainerSpec
from hippo.training.checks import Verdict
from hippo.training.lane_host import LaneHost
from hippo.training.trainers import Trainers


class LaneSetting:
    """Where the lanes of one assignment run, and who hears of them.

    Args:
      assignment: whose they are.
      commanded: how far each is: a command may be for any.
      spec, trainers: the trainer.
      host, slot: where.
    """

    def __init__(
        self,
        assignment: Assignment,
        commanded: AssignmentProgress,
        spec: TrainerSpec,
        trainers: Trainers,
        host: LaneHost,
        slot: SlotId,
    ) -> None:
        self.assignment = assignment
        self.commanded = commanded
        self.spec = spec
        self.trainers = trainers
        self.host = host
        self.slot = slot

    def follow(self, commands: Sequence[LeaseCommand], emit: Callable[[BoundaryAnswered], None]) -> None:
        """Let commands change what is ahead, and answer them."""
        for answer in self.commanded.take(commands):
            emit(answer)

    def tell_left(self, number: int, where: str, changes: Sequence[str]) -> None:
        """Tell of settings of the process that a lane left changed."""
        lease = self.assignment.lease
        self.host.emit(SettingsLeft(lease=lease, lane=number, where=where, changes=tuple(changes)))

    def tell_not_recorded(self, reason: str) -> None:
        """Tell why updates are not recorded."""
        self.host.emit(RecordingRefused(lease=self.assignment.lease, reason=reason))

    def said_of(self, number: int, verdict: Verdict) -> ExactnessChecked:
        """Return what tells that a lane was compared."""
        return ExactnessChecked(
            lease=self.assignment.lease,
            lane=number,
            which=verdict.which,
            proven=verdict.proven,
            detail=verdict.detail,
            seconds=verdict.seconds,
            steps=verdict.steps,
        )
