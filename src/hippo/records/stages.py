"""What is still to be run, and which state each stretch of it begins from."""

from __future__ import annotations

from dataclasses import field

from hippo.frozen import frozen, frozen_tuple
from hippo.records.ids import LeaseId, NodeId, Point


@frozen_tuple
class Fresh:
    """A stage that begins with a newly initialised state."""


@frozen_tuple
class AtCheckpoint:
    """A stage that begins from the recorded state of `node` after `step` steps."""

    node: NodeId
    step: int


@frozen_tuple
class AtResident:
    """A stage that begins from a state of `node` that is in the memory of slots only, so it can begin only there."""

    node: NodeId
    step: int


@frozen_tuple
class AfterStage:
    """A stage that begins where the stage ending at `point` ends."""

    point: Point


@frozen_tuple
class Underway:
    """A stage that a lease is walking already: not to be scheduled, but its end can be waited for."""

    lease: LeaseId


Base = Fresh | AtCheckpoint | AtResident | AfterStage | Underway


@frozen
class Stage:
    """A stretch (start, stop] of a node that is still to be run; `start == stop` means: only evaluate."""

    node: NodeId
    start: int
    stop: int
    base: Base
    #: where it ends, which names it within its tree; made once, for it is asked for many times
    point: Point = field(init=False, repr=False, compare=False)

    def __init__(self, *, node: NodeId, start: int, stop: int, base: Base) -> None:
        self.node, self.start, self.stop, self.base = node, start, stop, base  # type: ignore[misc] # set here alone
        self.point = Point(node, stop)  # type: ignore[misc]
