"""What all lanes of an assignment have in common where they run. It refuses to know how any of them is walked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hippo.events import BoundaryAnswered, Check, ExactnessChecked, RecordingRefused, SettingsLeft
from hippo.lanes import AssignmentProgress
from hippo.records import Assignment, LeaseCommand, SlotId, TrainerSpec
from hippo.training.recording_experience import RecordingListener
from hippo.training.trainers import Trainers
from hippo.training.walking.checks import Verdict
from hippo.training.walking.lane_host import LaneHost


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

    def recording_listener(self, number: int) -> RecordingListener:
        """Return what tells of recordings of a lane's updates, alone or with others."""
        emit, lease = self.host.emit, self.assignment.lease

        def tell_outdated(detail: str) -> None:
            emit(
                ExactnessChecked(
                    lease=lease, lane=number, which=Check.RECORDING, proven=False, detail=detail, seconds=0.0
                )
            )

        return RecordingListener(lambda why: emit(RecordingRefused(lease=lease, reason=why)), tell_outdated)

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
