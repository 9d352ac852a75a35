"""What happens while work runs, as values: from workers to the runtime.

Workers emit these in the order in which things happened; the runtime turns them into facts. Late, duplicated or
reordered events must do no harm, so each names its lease and its point. This module refuses to act on any of them.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TypedDict

from hippo.frozen import frozen
from hippo.records import CheckpointRef, Failure, Fusion, LeaseId, Metrics, NodeId, Point, SlotId


@frozen
class SlotOpened:
    """A slot is there and can take an assignment."""

    slot: SlotId
    #: name -> value of every field of the environment that decides about bits (DESIGN: workload)
    environment: Mapping[str, str] = field(default_factory=dict)
    #: names the machine that it is on; empty: all are on one
    node: str = ""
    #: how many GPUs or the like it has; 1 where it is a part of a machine's processors
    devices: int = 1


@frozen
class SlotLeaving:
    """A slot is about to be taken away: what runs there is to end at its next step, and nothing is to begin."""

    slot: SlotId
    reason: str


@frozen
class SlotLost:
    """A slot is gone, with whatever ran there; another one may open in its place."""

    slot: SlotId
    reason: str
    #: it was to go whatever ran there: no work is to blame
    announced: bool = False


@frozen
class EngineFailed:
    """The engine cannot go on at all; the study ends with this message."""

    reason: str


@frozen
class TrainerUnusable:
    """No worker can train this workload: its trainer does not arrive, or with other code than was recorded."""

    workload: str
    reason: str


class LanePoint(TypedDict):
    """The fields with which most events of a lane begin."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int


def at_point(lease: LeaseId, lane: int, point: Point) -> LanePoint:
    """Return the fields of an event that say where it happened."""
    return LanePoint(lease=lease, lane=lane, node=point.node, step=point.step)


@frozen
class StepDone:
    """`node` was trained from step - 1 to `step`."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    #: what `train` returned
    training: Metrics
    #: of this lane: its share, if several were walked as one
    seconds: float
    #: how many were walked as one
    lanes: int = 1
    #: among how many processes its trainer was divided, where bits depend on that; else 1
    ranks: int = 1


@frozen
class StepsDone:
    """A run of steps: `node` was trained from first - 1 to `last`, and nothing else happened to the lane meanwhile.

    It says no more than a `StepDone` for each step, in their order, and is to be taken as these are; it costs its
    reader a fraction of what they cost.
    """

    lease: LeaseId
    lane: int
    node: NodeId
    #: the ends of its steps
    first: int
    last: int
    #: of each step in turn, what `train` returned
    training: tuple[Metrics, ...]
    #: of each step in turn
    seconds: tuple[float, ...]
    #: how many were walked as one, and among how many ranks, the same in all steps
    lanes: int = 1
    ranks: int = 1

    def one_by_one(self) -> Iterator[StepDone]:
        """Yield what it stands for."""
        for step, training, seconds in zip(range(self.first, self.last + 1), self.training, self.seconds, strict=True):
            yield StepDone(
                lease=self.lease,
                lane=self.lane,
                node=self.node,
                step=step,
                training=training,
                seconds=seconds,
                lanes=self.lanes,
                ranks=self.ranks,
            )


@frozen
class Evaluated:
    """`node` was evaluated after `step` steps."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    metrics: Metrics
    seconds: float


@frozen
class CheckpointWritten:
    """The state of `node` after `step` steps lies in the checkpoint store, whole and flushed."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    checkpoint: CheckpointRef
    seconds: float


@frozen
class CheckpointFailed:
    """The state of `node` after `step` steps could not be written, or read where it is recorded.

    The lane waits for the store, or goes on; one that cannot read where it begins ends.
    """

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    reason: str
    #: the store is full or cannot be reached: the lane tries again until that has changed or it is told to stop; what
    #: it waits for may also be the state that it begins from
    is_waiting: bool = False


@frozen
class StateHashed:
    """The state of `node` after `step` steps has this hash, though it was not written."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    state_hash: str


@frozen
class CheckpointUnusable:
    """The checkpoint that a lane was to start from is missing, corrupt or of no use; the lane did not start."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    key: str
    #: the bytes are not those that were written; False: there are none
    corrupt: bool
    reason: str
    #: it is in the nature of the trainer, and nobody needs to be told
    is_expected: bool = False


@frozen
class BoundaryAnswered:
    """An `AddBoundary` was accepted, or came too late."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    accepted: bool


@frozen
class StageFailed:
    """The user's code raised; the lane ends here."""

    lease: LeaseId
    lane: int
    failure: Failure
    #: memory, disk or a loader process ran out: what another attempt may have, and no fact about the trial
    is_resource: bool = False


class Check(enum.Enum):
    """Which comparison of a lane with itself, or with what is recorded, was made."""

    #: the first steps, run again
    FIRST_STEPS = "first steps"
    #: the last step, run again
    LAST_STEP = "last step"
    #: the first step under changed values, run again from its checkpoint
    CHANGED_VALUES = "changed values"
    #: the evaluation of a state that was loaded, against the recorded one
    LOADED_STATE = "loaded state"
    #: an update that was launched as a recording, against what it was recorded of
    RECORDING = "recording"


@frozen
class ExactnessChecked:
    """Steps of a lane were run a second time and compared, beside it. Their seconds count apart."""

    lease: LeaseId
    lane: int
    which: Check
    #: None: no verdict, since the trainer raised in the second run
    proven: bool | None
    #: if not proven: what differs, which method is to blame and what to do about it; or what was raised
    detail: str
    seconds: float
    #: the steps that were run again, each by its end; one that was run twice comes twice
    steps: tuple[Point, ...] = ()


@frozen
class SettingsLeft:
    """The trainer changed settings of its whole process and left them so; they were set back."""

    lease: LeaseId
    lane: int
    #: the method in question, or "its lane" for whatever ran after `__init__`
    where: str
    #: name and change of each
    changes: tuple[str, ...]


@frozen
class HparamsUnread:
    """Where a new lane was first evaluated, or ended, the trainer had never looked at these hyper-parameters."""

    lease: LeaseId
    names: tuple[str, ...]
    read: tuple[str, ...]
    #: that the lane had behind it
    steps: int = 1


@frozen
class SurrogateTold:
    """What users should know of a surrogate that was made; each worker says it once, and a study tells it once."""

    lease: LeaseId
    message: str


@frozen
class FusionChecked:
    """It is decided how lanes of the shape that this lease has are walked; none of its own is."""

    lease: LeaseId
    fusion: Fusion
    seconds: float


@frozen
class LanesDiffer:
    """Lanes of a lease differ in hyper-parameters that cannot differ within one program; they were walked apart."""

    lease: LeaseId
    names: tuple[str, ...]


@frozen
class LanesLimited:
    """No more lanes than these, of the shape that this lease has, fit into the memory of its slot at once."""

    lease: LeaseId
    lanes: int
    reason: str


@frozen
class UpdatesCompiled:
    """It was tried to compile the updates of this lease's lanes, or to go on with what was compiled."""

    lease: LeaseId
    #: that it took
    seconds: float
    #: why updates are not compiled, now and later; empty: they are
    refusal: str = ""


@frozen
class RecordingRefused:
    """The updates of this lease's lanes cannot be recorded on their device, or not any more."""

    lease: LeaseId
    reason: str


@frozen
class TwinDrifted:
    """A twin of this lane, moved by one unit in the last place of one weight, was walked beside it up to `step`."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    #: for so many steps
    steps: int
    #: how far it is from the lane in the end, by the way that the lane walked meanwhile
    drift: float


@frozen
class ChangeUnread:
    """A hyper-parameter changed, and was not looked at until the trainer had trained under it and was evaluated."""

    lease: LeaseId
    name: str
    #: from which on it is another one
    step: int
    #: as Python writes them
    before: str
    after: str


@frozen
class StatesResident:
    """These states came into, or left, the memory of a slot."""

    slot: SlotId
    #: `Assignment.states_of`
    workload: str
    added: tuple[Point, ...] = ()
    dropped: tuple[Point, ...] = ()


@frozen
class AssignmentWaits:
    """No step of it takes so long: another thread of its process trains, or a state is being written."""

    lease: LeaseId


@frozen
class AssignmentDone:
    """Every lane of the lease has ended, for whatever reason; the slot is free."""

    lease: LeaseId
    slot: SlotId


LaneEvent = (
    StepDone
    | StepsDone
    | Evaluated
    | CheckpointWritten
    | CheckpointFailed
    | StateHashed
    | CheckpointUnusable
    | BoundaryAnswered
    | StageFailed
    | ExactnessChecked
    | SettingsLeft
    | HparamsUnread
    | ChangeUnread
    | SurrogateTold
    | FusionChecked
    | LanesDiffer
    | LanesLimited
    | TwinDrifted
    | UpdatesCompiled
    | RecordingRefused
    | AssignmentWaits
)
EngineEvent = (
    LaneEvent | StatesResident | AssignmentDone | SlotOpened | SlotLeaving | SlotLost | TrainerUnusable | EngineFailed
)
