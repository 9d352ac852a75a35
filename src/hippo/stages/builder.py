"""From a snapshot of the search plan to the tree of what remains: the specification.

Hippo section 3.2, Algorithm 1, corrected: the printed one drops roots, lets stages overlap and schedules what depends
on running work. The incremental twin (`incremental`) must equal this after every event.

Three rules decide everything. A state that can be loaded is never made again. What a lease is walking is waited for,
unless the boundary came too late for it. Otherwise a stage begins at the nearest state below its end: a checkpoint,
the end of a lease, the end of another stage of the same node, or, at the node's own start, the state of its parent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from hippo.records import AfterStage, AtCheckpoint, Base, Fresh, LeaseView, NodeId, NodeView, Snapshot
from hippo.stages.needs import LocalNeeds, Stretch
from hippo.stages.tree import StageTree


def build_stage_tree(snapshot: Snapshot) -> StageTree:
    """Return the stages that answer every pending request of the snapshot, and nothing else.

    Cost: linear in the pending requests and the nodes they touch (times a logarithm of a node's checkpoints), never in
    steps nor in the plan's history. Iterative: chains of nodes may be long.
    """
    stretches = stretches_by_node(snapshot.leases)
    needs = {
        node.id: LocalNeeds(node.id, node.start, node.checkpoints, stretches.get(node.id, ()))
        for node in snapshot.nodes.values()
    }
    demanded: dict[NodeId, set[int]] = {}
    tree = StageTree()
    for node in _children_first(snapshot.nodes):  # a parent's stages depend on what its children need of it
        known = set(node.metrics)
        stages, unsettled = needs[node.id].stages(
            metrics=(step for step in node.requests if step not in known),
            states={*node.states, *demanded.get(node.id, ())},
        )
        if unsettled is not None:
            owner = owner_of_start(node, snapshot.nodes)
            if owner is not None:
                demanded.setdefault(owner.id, set()).add(node.start)
            stages.append(replace(unsettled, base=base_at_start(node, owner, needs)))
        for stage in stages:
            tree.put(stage)
    return tree


def stretches_by_node(leases: Iterable[LeaseView]) -> dict[NodeId, list[Stretch]]:
    """Return what the leases walk, by node."""
    walking: dict[NodeId, list[Stretch]] = {}
    for lease in leases:
        for span in lease.spans:
            passed = frozenset(step for node, step in lease.passed if node == span.node)
            walking.setdefault(span.node, []).append(Stretch(span.start, span.stop, lease.id, passed))
    return walking


def owner_of_start(node: NodeView, nodes: Mapping[NodeId, NodeView]) -> NodeView | None:
    """Return the ancestor to which the state at the node's start belongs; None for a newly initialised one."""
    owner = node
    while owner.start == node.start:
        if owner.parent is None:
            return None
        owner = nodes[owner.parent]
    return owner


def base_at_start(node: NodeView, owner: NodeView | None, needs: Mapping[NodeId, LocalNeeds]) -> Base:
    """Return where the first stage of a node begins: fresh, at its owner's checkpoint, or after its owner's stage."""
    if owner is None:
        return Fresh()
    if needs[owner.id].has_state(node.start):
        return AtCheckpoint(owner.id, node.start)
    return AfterStage((owner.id, node.start))


def _children_first(nodes: Mapping[NodeId, NodeView]) -> list[NodeView]:
    depth: dict[NodeId, int] = {}
    for node in nodes.values():
        unknown = []
        above: NodeView | None = node
        while above is not None and above.id not in depth:
            unknown.append(above.id)
            above = nodes[above.parent] if above.parent is not None else None
        base = depth[above.id] + 1 if above is not None else 0
        for distance, node_id in enumerate(reversed(unknown)):
            depth[node_id] = base + distance
    return sorted(nodes.values(), key=lambda node: -depth[node.id])
