"""The stage tree as the page draws it: of very many nodes those that most trials share.

This module refuses to know the web.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hippo.dashboard.plain import cut, last_value
from hippo.members import TARGET_NAME, scale_of
from hippo.study import TreeRow, WorkLeft
from hippo.study.results.remaining import what_remains
from hippo.study.results.walked_tree import NodeKey, WalkedTree
from hippo.views import NodeStates, StretchState, TreeLine, TreeStretch, freed_branches, tree_layout, tree_states

#: nodes of a tree, and those of which it is said what changed there
_MOST_NODES, _MOST_SAID = 10_000, 2_000
#: what a state is told as: its place among all
_STATES = {state: place for place, state in enumerate(StretchState)}
#: nobody works on what ends so, nor waits for it
_OVER = (StretchState.DONE, StretchState.DROPPED)


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeMoment:
    """A tree as it was when it was looked at: its nodes, and how far they were then."""

    left: WorkLeft
    #: a line for each node, or for several that are folded
    lines: tuple[TreeLine, ...]
    #: what the page is told of it, whatever its colours
    told: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _BranchGroup:
    """Branches of one node that are drawn as one line."""

    #: all that they span, with the number of the first
    row: TreeRow
    branches: tuple[TreeRow, ...]
    stretches: tuple[TreeStretch, ...]
    #: trained, if any step of them was
    end: StretchState

    @classmethod
    def of(cls, branches: Sequence[NodeStates]) -> _BranchGroup:
        """Return what stands for branches."""
        rows = tuple(each.row for each in branches)
        start, stop = min(row.start for row in rows), max(row.stop for row in rows)
        numbers = tuple(sorted({number for row in rows for number in row.trials}))
        row = replace(rows[0], start=start, stop=stop, values="", trials=numbers)
        parts = {part.state for each in branches for part in each.stretches}
        end = StretchState.DONE if StretchState.DONE in parts else StretchState.DROPPED
        return cls(row=row, branches=rows, stretches=(TreeStretch(start=start, stop=stop, state=end),), end=end)


def _with_folded(rows: Sequence[TreeRow], folded: Iterable[_BranchGroup]) -> list[TreeRow]:
    """Return rows, parents before children, with one row for the branches that are folded."""
    instead: dict[NodeKey, TreeRow | None] = {}
    for each in folded:
        instead |= {(row.member, row.node): None for row in each.branches}
        instead[each.row.member, each.row.node] = each.row
    return [row for old in rows if (row := instead.get((old.member, old.node), old)) is not None]


def drawn_tree(tree: WalkedTree, *, folds: bool = True) -> TreeMoment:
    """Return the nodes of a tree as they are drawn; of very many, the ones that most trials share.

    How far they are and which there are is of one moment: of a node that came later `WorkLeft` says nothing, which
    stands for being through with it.

    Args:
      tree: all its nodes.
      folds: draw several branches of a node of which nothing is left, and on which nobody works, as one line.
    """
    left = what_remains(tree.view)
    drawn = tree.most_shared(_MOST_NODES)
    if left.longest_trial is not None and len(drawn) < len(tree.nodes):
        drawn = tree.in_order({*drawn, *tree.walked_by({left.longest_trial})})
    tells = len(drawn) <= _MOST_SAID
    rows = tree.rows(drawn, with_values=tells)
    states = {(each.row.member, each.row.node): each for each in tree_states(rows, left)}
    # of very many a part is drawn: what looks like a leaf then may be none
    parents = tree.parents() if len(rows) < len(tree.nodes) else set()

    def may_fold(row: TreeRow) -> bool:
        return (row.member, row.node) not in parents and states[row.member, row.node].end in _OVER

    freed = freed_branches(rows, may_fold)
    folded = [_BranchGroup.of([states[row.member, row.node] for row in own]) for own in freed.values()] if folds else []
    layout = tree_layout(_with_folded(rows, folded))
    lines = layout.lines
    groups = {(each.row.member, each.row.node): each for each in folded}
    own = [groups.get((each.row.member, each.row.node)) or states[each.row.member, each.row.node] for each in lines]
    told = {
        "scales": _scales([each.row.member for each in lines]),
        "states": [state.value for state in StretchState],
        "left": _longest_answer(left),
        # a process that is killed writes nothing: whether it is there is looked at each time
        "runs": left.is_worked_on,
        "height": layout.height,
        "width": layout.width,
        "of": len(tree.nodes),
        "shown": len(rows),
        # whether they are drawn as one line or not
        "freed": sum(map(len, freed.values())),
        **_columns(lines, own),
        "said": [cut(each.row.values) for each in lines] if tells else None,
    }
    return TreeMoment(left=left, lines=lines, told=told)


def _columns(lines: Sequence[TreeLine], own: Sequence[NodeStates | _BranchGroup]) -> dict[str, list[Any]]:
    """Return what is told of each line of a tree, given the node, or the branches, that it stands for."""
    return {
        "state": [_STATES[each.end] for each in own],
        # of most nodes: one part, in the state of the end
        "parts": [
            None
            if len(each.stretches) == 1 and each.stretches[0].state is each.end
            else [[part.start, part.stop, _STATES[part.state]] for part in each.stretches]
            for each in own
        ],
        # of a line that stands for several nodes: how many
        "folded": [len(each.branches) if isinstance(each, _BranchGroup) else None for each in own],
        "node": [each.row.node for each in lines],
        "member": [each.row.member for each in lines],
        "line": [each.line for each in lines],
        "from": [each.from_line for each in lines],
        "start": [each.start for each in lines],
        "stop": [each.stop for each in lines],
        "trials": [len(each.row.trials) for each in lines],
        "first": [each.row.trials[0] if each.row.trials else None for each in lines],
        "kept": [list(each.row.checkpoints) for each in lines],
    }


def tree_answer(drawn: TreeMoment, metric: str | None) -> dict[str, Any]:
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
