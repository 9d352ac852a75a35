"""A search plan at one moment: what the stage tree reads of its nodes, and of the work under way."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import field
from typing import Protocol

from hippo.frozen import frozen
from hippo.records.ids import LeaseId, NodeId, Point


class NodeFacts(Protocol):
    """What the stage tree reads of a node: the plan's own node, or a view of it at one moment."""

    @property
    def id(self) -> NodeId:
        """Its number."""

    @property
    def parent(self) -> NodeFacts | None:
        """The node that it goes on from; None for a root."""

    @property
    def start(self) -> int:
        """The step at which it begins; the state there belongs to an ancestor."""

    @property
    def states(self) -> Sequence[int]:
        """Steps whose state can be loaded, wherever it is, ascending, each in (start, ...]."""

    @property
    def checkpoints(self) -> Container[int]:
        """Those of them whose state is in a file; the others are resident only, in the memory of slots."""

    @property
    def training(self) -> Container[int]:
        """Steps of which is known that they were trained, and what `train` returned."""

    @property
    def metrics(self) -> Container[int]:
        """Steps whose metrics are known."""

    @property
    def requests(self) -> Collection[int]:
        """Steps whose metrics were asked for, known or not."""

    @property
    def step_requests(self) -> Collection[int]:
        """Steps that were asked for without their metrics: that they are trained is enough."""

    @property
    def state_requests(self) -> Collection[int]:
        """Steps whose state was asked for in a file: to load a model, not to answer a tuner."""


@frozen
class NodeView:
    """`NodeFacts` as they were at one moment."""

    id: NodeId
    #: compared and printed by the snapshot's other nodes: chains of nodes are long
    parent: NodeView | None = field(compare=False, repr=False)
    start: int
    states: tuple[int, ...] = ()
    checkpoints: tuple[int, ...] = ()
    training: tuple[int, ...] = ()
    metrics: tuple[int, ...] = ()
    requests: tuple[int, ...] = ()
    step_requests: tuple[int, ...] = ()
    state_requests: tuple[int, ...] = ()


@frozen
class Span:
    """A stretch (start, stop] of one node."""

    node: NodeId
    start: int
    stop: int


@frozen
class LeaseView:
    """Work under way: the spans of its lanes, and the boundaries that came too late for it."""

    id: LeaseId
    spans: tuple[Span, ...]
    #: boundaries inside its spans at which it leaves no state behind
    passed: frozenset[Point] = frozenset()


@frozen
class Snapshot:
    """A plan at one moment: every node that a pending request or a lease touches, with its ancestors."""

    nodes: Mapping[NodeId, NodeFacts]
    leases: tuple[LeaseView, ...] = ()
