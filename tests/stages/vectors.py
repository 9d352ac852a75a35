"""The search plan of Hippo's Figure 6, and how tests write plans down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hippo.records import LeaseId, LeaseView, NodeId, NodeView, Snapshot, Span, Stage

H1, H2, H3, H4 = (NodeId(n) for n in (1, 2, 3, 4))


def view(id_: int, start: int, parent: int | None = None, **facts: tuple[int, ...]) -> NodeView:
    """Return a node whose parent is known by its number only, until `linked` finds it.

    Its states are those at `checkpoints`, in files, and at `resident`, in memory.
    """
    above = None if parent is None else NodeView(id=NodeId(parent), parent=None, start=-1)
    resident = facts.pop("resident", ())
    facts["checkpoints"] = facts.get("checkpoints", ())
    states = tuple(sorted({*facts["checkpoints"], *resident}))
    return NodeView(id=NodeId(id_), parent=above, start=start, states=states, **facts)


def linked(nodes: Iterable[NodeView]) -> dict[NodeId, NodeView]:
    """Return the nodes by number, each with its parent, which comes before it."""
    found: dict[NodeId, NodeView] = {}
    for node in nodes:
        found[node.id] = node if node.parent is None else replace(node, parent=found[node.parent.id])
    return found


def lease(id_: int, *spans: tuple[int, int, int], passed: tuple[tuple[int, int], ...] = ()) -> LeaseView:
    return LeaseView(
        id=LeaseId(id_),
        spans=tuple(Span(node=NodeId(n), start=a, stop=b) for n, a, b in spans),
        passed=frozenset((NodeId(n), s) for n, s in passed),
    )


def plan(*nodes: NodeView, leases: tuple[LeaseView, ...] = ()) -> Snapshot:
    return Snapshot(nodes=linked(nodes), leases=leases)


def figure_6(**changes: tuple[int, ...]) -> Snapshot:
    """V4. `changes` replace the requests of a node: `h1=(15, 30, 20)`."""
    return plan(
        view(1, 0, checkpoints=(10, 20), metrics=(10, 20), requests=changes.get("h1", (15, 30))),
        view(2, 10, 1, checkpoints=(20,), metrics=(20,), requests=changes.get("h2", (25,))),
        view(3, 20, 1, checkpoints=(30,), metrics=(25, 30), requests=changes.get("h3", (35, 40))),
        view(4, 40, 3, requests=changes.get("h4", (50,))),
    )


def rows(stages: object) -> set[tuple[int, int, int, object]]:
    """Return stages as (node, start, stop, base), for sets in tests."""
    assert hasattr(stages, "stages")
    listed: list[Stage] = list(stages.stages.values())
    return {(stage.node, stage.start, stage.stop, stage.base) for stage in listed}
