"""What a training state walks without leaving its device, and what is done and kept at the end of each stage."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass

from hippo.frozen import frozen
from hippo.hparams import Piece
from hippo.records.ids import NodeId, Point
from hippo.records.objectives import Metrics, Objective


class Keep(enum.IntEnum):
    """How well the state at a boundary is kept: the larger, the better."""

    #: not at all: nothing goes on from it
    NOTHING = 0
    #: in memory only, as long as there is room, and not even hashed: it dies with its slot
    TRANSIENT = 1
    #: in memory only, as long as there is room, and its hash is told
    RESIDENT = 2
    #: written to the checkpoint store if its objective beats `Boundary.threshold`
    IF_BEST = 3
    #: written
    WRITTEN = 4


@frozen
class Boundary:
    """What is done when a lane reaches the end of one of its stages."""

    #: take metrics here even where `evaluate_every` would not
    evaluate: bool = True
    keep: Keep = Keep.WRITTEN
    #: with `Keep.IF_BEST`: the objective that decides
    objective: Objective | None = None
    #: with `Keep.IF_BEST`: what the loss must be below (smaller is better), None if any is good enough
    threshold: float | None = None

    def is_written(self, metrics: Metrics | None) -> bool:
        """Tell whether the state is to be written, given the metrics there; an objective that is NaN is never best."""
        if self.keep is not Keep.IF_BEST:
            return self.keep is Keep.WRITTEN
        if self.objective is None or metrics is None or self.objective.metric not in metrics:
            return False
        if math.isnan(metrics[self.objective.metric]):
            return False
        return self.threshold is None or self.objective.loss(metrics) < self.threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointRef:
    """Where a state lies, and how to tell that it is whole."""

    #: name within the checkpoint store, never used twice
    key: str
    size_bytes: int
    #: what tells that the file is whole, by a SHA-256, hexadecimal: of its bytes, or of those beneath which it has
    #: digests of all others
    sha256: str
    #: SHA-256 of the canonical state, hexadecimal: equal for equal states whatever their bytes on disk
    state_hash: str


@frozen
class LaneStart:
    """The state that a lane starts from: the one after `step` steps on `node`."""

    node: NodeId
    step: int
    #: None: only resident in the worker's memory
    checkpoint: CheckpointRef | None
    #: pieces in force just before the resume point
    pieces: Mapping[str, Piece]
    #: what an evaluation of this state once said, if the one who loads it is to compare; else None
    metrics: Metrics | None = None


@frozen
class LaneStage:
    """One stage of a lane, with the pieces in force in it and what happens at its end."""

    node: NodeId
    start: int
    stop: int
    pieces: Mapping[str, Piece]
    boundary: Boundary

    @property
    def point(self) -> Point:
        """Where it ends."""
        return Point(self.node, self.stop)


@frozen
class Lane:
    """A chain of stages that one training state walks without leaving the device."""

    #: None: a freshly initialised state
    begin: LaneStart | None
    #: in order, each beginning where the one before it ended
    stages: tuple[LaneStage, ...]
    #: run early steps, and the last one, a second time, and compare; see `hippo.training.walking.check_rule`
    check: bool = False
    #: run the last step a second time, and compare
    audit: bool = False
    #: run the step that ends here a second time, from its checkpoint, and compare: values change where it begins
    change: int | None = None
    #: a recorded state, with its metrics, to be evaluated and compared before the lane begins, and then forgotten
    look: LaneStart | None = None

    @property
    def is_watched(self) -> bool:
        """Whether any of its steps is run a second time."""
        return self.check or self.audit or self.change is not None
