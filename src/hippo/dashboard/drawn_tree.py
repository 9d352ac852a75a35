"""The stage tree as the page draws it: of very many nodes those that most trials share.

This module refuses to know the web.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hippo.dashboard.plain import cut, last_value
from hippo.members import TARGET_NAME, scale_of
from hippo.study import WorkLeft
from hippo.study.remaining import what_remains
from hippo.study.walked_tree import WalkedTree
from hippo.views import StretchState, TreeLine, tree_layout, tree_states

#: nodes of a tree, and those of which it is said what changed there
_MOST_NODES, _MOST_SAID = 10_000, 2_000
#: what a state is told as: its place among all
_STATES = {state: place for place, state in enumerate(StretchState)}


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnTree:
    """A tree as it was when it was looked at: its nodes, and how far they were then."""

    left: WorkLeft
    lines: tuple[TreeLine, ...]
    #: what the page is told of it, whatever its colours
    told: Mapping[str, Any]


def drawn_tree(tree: WalkedTree) -> DrawnTree:
    """Return the nodes of a tree as they are drawn; of very many, the ones that most trials share.

    How far they are and which there are is of one moment: of a node that came later `WorkLeft` says nothing, which
    stands for being through with it.
    """
    left = what_remains(tree.view)
    drawn = tree.most_shared(_MOST_NODES)
    if left.longest_trial is not None and len(drawn) < len(tree.nodes):
        drawn = tree.in_order({*drawn, *tree.walked_by({left.longest_trial})})
    rows = tree.rows(drawn)
    layout, states = tree_layout(rows), {(each.row.member, each.row.node): each for each in tree_states(rows, left)}
    lines = layout.lines
    own = [states[each.row.member, each.row.node] for each in lines]
    told = {
        "scales": _scales([each.row.member for each in lines]),
        "states": [state.value for state in StretchState],
        "state": [_STATES[each.end] for each in own],
        # of most nodes: one part, in the state of the end
        "parts": [
            None
            if len(each.stretches) == 1 and each.stretches[0].state is each.end
            else [[part.start, part.stop, _STATES[part.state]] for part in each.stretches]
            for each in own
        ],
        "left": _longest_answer(left),
        # a process that is killed writes nothing: whether it is there is looked at each time
        "runs": left.is_worked_on,
        "height": layout.height,
        "width": layout.width,
        "of": len(tree.nodes),
        "node": [each.row.node for each in lines],
        "member": [each.row.member for each in lines],
        "line": [each.line for each in lines],
        "from": [each.from_line for each in lines],
        "start": [each.start for each in lines],
        "stop": [each.stop for each in lines],
        "trials": [len(each.row.trials) for each in lines],
        "first": [each.row.trials[0] if each.row.trials else None for each in lines],
        "kept": [list(each.row.checkpoints) for each in lines],
        "said": [cut(each.row.values) for each in lines] if len(lines) <= _MOST_SAID else None,
    }
    return DrawnTree(left=left, lines=lines, told=told)


def tree_answer(drawn: DrawnTree, metric: str | None) -> dict[str, Any]:
    """Return the stage tree as columns, an entry for each node.

    Args:
      drawn: its nodes.
      metric: that the page colours ends by.
    """
    values = [last_value(each.row.metrics, metric) for each in drawn.lines]
    return {**drawn.told, "metric": metric, "value": values}


def _longest_answer(left: WorkLeft) -> dict[str, Any] | None:
    """Return what is left of what was asked for, and the longest chain of it; None where nothing is."""
    if not left.stretches:
        return None
    return {
        "steps": left.steps,
        "seconds": left.seconds,
        "slots": left.slots,
        "is_worked_on": left.is_worked_on,
        "longest": [[each.member, each.node, each.start, each.stop] for each in left.longest],
        "longest_steps": sum(each.stop - each.start for each in left.longest),
        "longest_seconds": left.longest_seconds,
        "longest_trial": left.longest_trial,
    }


def _scales(members: Iterable[str]) -> list[dict[str, Any]]:
    """Return the scales that are drawn, the target first, with the members of each."""
    found: dict[str, list[str]] = {}
    for member in dict.fromkeys(members):
        found.setdefault(scale_of(member), []).append(member)
    return [
        {"scale": scale, "is_target": scale == TARGET_NAME, "members": own}
        for scale, own in sorted(found.items(), key=lambda item: item[0] != TARGET_NAME)
    ]
