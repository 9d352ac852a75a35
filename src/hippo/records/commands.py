"""What is said to running leases, and to slots, while they work."""

from __future__ import annotations

from dataclasses import dataclass

from hippo.frozen import frozen
from hippo.records.ids import LeaseId, NodeId, Point, SlotId
from hippo.records.lanes import Boundary


@frozen
class AddBoundary:
    """Leave metrics and a state at (node, step), if the lane has not passed it; answered by `BoundaryAnswered`."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int
    boundary: Boundary


@frozen
class Shorten:
    """End the lane once it is at or beyond (node, step): no request needs the rest."""

    lease: LeaseId
    lane: int
    node: NodeId
    step: int


@frozen
class Stop:
    """End every lane of the lease at its current step's end, leaving a checkpoint there."""

    lease: LeaseId


LeaseCommand = AddBoundary | Shorten | Stop


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """Keep these states in a slot's memory, even if others must go for them, or as soon as it comes to hold them."""

    slot: SlotId
    #: `Assignment.states_of`
    workload: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpin:
    """Let these states leave a slot's memory again, as others do when there is no room."""

    slot: SlotId
    #: `Assignment.states_of`
    workload: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """Remove these states from a slot's memory, but those that are pinned; it says by `StatesResident` what is gone."""

    slot: SlotId
    #: `Assignment.states_of`
    workload: str
    points: tuple[Point, ...]


SlotCommand = Pin | Unpin | Drop
Command = LeaseCommand | SlotCommand
