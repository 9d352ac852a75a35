"""What happens while work runs, as values: from workers to the runtime.

Workers emit these in the order in which things happened; the runtime turns them into facts. Late, duplicated or
reordered events must do no harm, so each names its lease and its point. This module refuses to act on any of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hippo.records import CheckpointRef, Failure, LeaseId, Metrics, NodeId, Point, SlotId


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotOpened:
    """A slot is there and can take an assignment."""

    slot: SlotId
    #: name -> value of every field of the environment that decides about bits (DESIGN: workload)
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotLost:
    """A slot is gone, with whatever ran there; another one may open in its place."""

    slot: SlotId
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFailed:
    """The engine cannot go on at all; the study ends with this message."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerUnusable:
    """No worker can train this workload: its trainer does not arrive, or with other code than was recorded."""

    workload: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDone:
    """`node` was trained from step - 1 to `step`."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    #: what `train` returned
    training: Metrics
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """`node` was evaluated after `step` steps."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    metrics: Metrics
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointWritten:
    """The state of `node` after `step` steps lies in the checkpoint store, whole and flushed."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    checkpoint: CheckpointRef
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointFailed:
    """The state of `node` after `step` steps could not be written: a full disk, mostly. The lane goes on."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StateHashed:
    """The state of `node` after `step` steps has this hash, though it was not written."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    state_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryAnswered:
    """An `AddBoundary` was accepted, or came too late."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    accepted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StageFailed:
    """The user's code raised; the lane ends here."""

    lease: LeaseId
    lane: int
    failure: Failure
    #: memory, disk or a loader process ran out: what another attempt may have, and no fact about the trial
    is_resource: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactnessChecked:
    """Step [1, 2) was run twice. Its seconds count apart."""

    lease: LeaseId
    lane: int
    proven: bool
    #: if not proven: which parts of the state differ
    detail: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HparamsUnread:
    """After a lane's first step, these hyper-parameters had never been looked at by the trainer."""

    lease: LeaseId
    names: tuple[str, ...]
    read: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatesResident:
    """These states came into, or left, the memory of a slot."""

    slot: SlotId
    workload: str
    added: tuple[Point, ...] = ()
    dropped: tuple[Point, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentDone:
    """Every lane of the lease has ended, for whatever reason; the slot is free."""

    lease: LeaseId
    slot: SlotId


LaneEvent = (
    StepDone
    | Evaluated
    | CheckpointWritten
    | CheckpointFailed
    | StateHashed
    | CheckpointUnusable
    | BoundaryAnswered
    | StageFailed
    | ExactnessChecked
    | HparamsUnread
)
EngineEvent = LaneEvent | StatesResident | AssignmentDone | SlotOpened | SlotLost | TrainerUnusable | EngineFailed
