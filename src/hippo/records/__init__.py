"""The values that rooms hand to each other: ids, work to do, and what is known. Frozen, without behaviour.

Steps are absolute, counted from initialisation; a span of steps `(start, stop]` leads from the state after `start`
steps to the state after `stop` steps, and the state at a boundary belongs to the span that ends there.
This room refuses to know SQL, torch, time and processes.
"""

from hippo.records.answers import Answer, Failure, no_losses
from hippo.records.assignments import Assignment, Fusion, Slot
from hippo.records.commands import AddBoundary, Command, Drop, LeaseCommand, Pin, Shorten, SlotCommand, Stop, Unpin
from hippo.records.ids import CallId, LeaseId, NodeId, PlanId, Point, RequestId, SlotId, StudyId, TrialId
from hippo.records.lanes import Boundary, CheckpointRef, Keep, Lane, LaneStage, LaneStart
from hippo.records.objectives import Constraint, Metrics, Mode, Objective, losses_of, mode_sign
from hippo.records.snapshots import LeaseView, NodeFacts, NodeView, Snapshot, Span
from hippo.records.stages import AfterStage, AtCheckpoint, AtResident, Base, Fresh, Stage, Underway
from hippo.records.trial_states import ENDED_STATES, ComparedTrial, TrialState, may_be_best
from hippo.records.workloads import (
    ASYNC,
    ELASTIC,
    FUSED,
    FUSED_FAST,
    MOST_LANES,
    MOST_LANES_OF_GPU,
    NUMERICS,
    Exactness,
    TrainerSpec,
    Workload,
    may_fuse,
)

__all__ = [
    "ASYNC",
    "ELASTIC",
    "ENDED_STATES",
    "FUSED",
    "FUSED_FAST",
    "MOST_LANES",
    "MOST_LANES_OF_GPU",
    "NUMERICS",
    "AddBoundary",
    "AfterStage",
    "Answer",
    "Assignment",
    "AtCheckpoint",
    "AtResident",
    "Base",
    "Boundary",
    "CallId",
    "CheckpointRef",
    "Command",
    "ComparedTrial",
    "Constraint",
    "Drop",
    "Exactness",
    "Failure",
    "Fresh",
    "Fusion",
    "Keep",
    "Lane",
    "LaneStage",
    "LaneStart",
    "LeaseCommand",
    "LeaseId",
    "LeaseView",
    "Metrics",
    "Mode",
    "NodeFacts",
    "NodeId",
    "NodeView",
    "Objective",
    "Pin",
    "PlanId",
    "Point",
    "RequestId",
    "Shorten",
    "Slot",
    "SlotCommand",
    "SlotId",
    "Snapshot",
    "Span",
    "Stage",
    "Stop",
    "StudyId",
    "TrainerSpec",
    "TrialId",
    "TrialState",
    "Underway",
    "Unpin",
    "Workload",
    "losses_of",
    "may_be_best",
    "may_fuse",
    "mode_sign",
    "no_losses",
]

# The fingerprint of a trainer whose code names one of these says in which module it was defined, and stays what it was.
Answer.__module__ = TrialState.__module__ = __name__
