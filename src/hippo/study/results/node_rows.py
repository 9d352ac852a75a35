"""What is looked up of a plan's nodes for a picture of many: no more of each than the picture shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Set
from typing import Any

from hippo.plan import AbstractPlanStore, Among, CheckpointRow, NodeRow


def piece_values(store: AbstractPlanStore, plan: int, nodes: Iterable[Any]) -> Mapping[int, Mapping[str, Any]]:
    """Return node -> the pieces in force as they are written, name -> what `Piece.from_json` takes."""
    with store.reading() as rows:
        found = rows.columns(NodeRow, ("node", "pieces"), plan=plan, node=Among(list(nodes)))
    return {node: json.loads(text) for node, text in found}


def kept_steps(store: AbstractPlanStore, plan: int, nodes: Iterable[int]) -> Mapping[int, Set[int]]:
    """Return node -> the steps of which a state can be loaded now, for some nodes; a state may be in two files."""
    with store.reading() as rows:
        found = rows.columns(CheckpointRow, ("node", "step"), plan=plan, node=Among(list(nodes)), gone="")
    kept: dict[int, set[int]] = {}
    for node, step in found:
        kept.setdefault(node, set()).add(step)
    return kept
