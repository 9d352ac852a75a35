"""From a snapshot of the search plan to the tree of what remains: the specification.

Hippo section 3.2, Algorithm 1, corrected: the printed one drops roots, lets stages overlap and schedules what depends
on running work. The incremental twin (`incremental`) must equal this after every event.

Three rules decide everything. A state that can be loaded is never made again. What a lease is walking is waited for,
unless the boundary came too late for it. Otherwise a stage begins at the nearest state below its end: one that can be
loaded, the end of a lease, the end of another stage of the same node, or, at the node's own start, the state of its
parent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hippo.records import Fresh, LeaseView, NodeFacts, NodeId, Snapshot, Stage
from hippo.stages.needs import LeasedSpan, LocalNeeds, base_at_end, owner_of_start
from hippo.stages.tree import StageTree


def build_stage_tree(snapshot: Snapshot) -> StageTree:
    """Return the stages that answer every pending request of the snapshot, and nothing else.

    Cost: linear in the pending requests and the nodes they touch (times a logarithm of a node's states), never in
    steps nor in the plan's history. Iterative: chains of nodes may be long.
    """
    spans = spans_by_node(snapshot.leases)
    demanded: dict[NodeId, set[int]] = {}
    tree = StageTree()
    for node in _children_first(snapshot.nodes):  # a parent's stages depend on what its children need of it
        stages, unsettled = LocalNeeds(node, spans.get(node.id, ())).stages(demanded.get(node.id, ()))
        if unsettled is not None:
            owner = owner_of_start(node)
            if owner is not None:
                demanded.setdefault(owner.id, set()).add(node.start)
            base = Fresh() if owner is None else base_at_end(owner, node.start)
            stages.append(Stage(node=node.id, start=node.start, stop=unsettled, base=base))
        for stage in stages:
            tree.put(stage)
    return tree


def spans_by_node(leases: Iterable[LeaseView]) -> dict[NodeId, list[LeasedSpan]]:
    """Return what the leases walk, by node."""
    walking: dict[NodeId, list[LeasedSpan]] = {}
    for lease in leases:
        for span in lease.spans:
            passed = frozenset(step for node, step in lease.passed if node == span.node)
            walking.setdefault(span.node, []).append(LeasedSpan(span.start, span.stop, lease.id, passed))
    return walking


def _children_first(nodes: Mapping[NodeId, NodeFacts]) -> list[NodeFacts]:
    depth: dict[NodeId, int] = {}
    for node in nodes.values():
        unknown = []
        above: NodeFacts | None = node
        while above is not None and above.id not in depth:
            unknown.append(above.id)
            above = above.parent
        base = depth[above.id] + 1 if above is not None else 0
        for distance, node_id in enumerate(reversed(unknown)):
            depth[node_id] = base + distance
    return sorted(nodes.values(), key=lambda node: -depth[node.id])
