"""Where the nodes of a stage tree are drawn: a step's place is known, so that only the lines' order is to be found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hippo.study import TreeRow


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeLine:
    """A node, drawn as a horizontal line from its first step to the last one that a trial reached."""

    row: TreeRow
    #: from the top, 0 first; no two lines lie on one another
    line: int
    #: that of its parent, where it begins; None of a root
    from_line: int | None
    #: steps; a node that was asked for and never reached is as long as nothing
    start: int
    stop: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeLayout:
    """All nodes of a study's tree; parents stand before their children."""

    lines: tuple[TreeLine, ...]
    #: how many lines there are, one below the other
    height: int
    #: the last step of all
    width: int


def tree_layout(rows: Iterable[TreeRow]) -> TreeLayout:
    """Return where nodes are drawn, so that no line lies on another one, and no branch crosses a line.

    A node goes on in the line of its parent where that ends; of several, the first. Others get lines of their own
    below, and of these the ones that part last come first: the way down to the next one passes nothing.

    Args:
      rows: what `Study.tree` returns, or a part that holds the parents of all its nodes.

    Raises:
      ValueError: a node's parent is missing, or stands behind it.
    """
    known = list(rows)
    children: dict[tuple[str, int], list[int]] = {}
    positions: dict[tuple[str, int], int] = {}
    roots: list[int] = []
    for position, row in enumerate(known):
        if row.parent is None:
            roots.append(position)
        elif (row.member, row.parent) in positions:
            children[row.member, row.parent].append(position)
        else:
            raise ValueError(f"node {row.node} stands before its parent {row.parent}, or without it")
        positions[row.member, row.node] = position
        children[row.member, row.node] = []
    for own in children.values():
        own.sort(key=lambda position: (-known[position].start, position))
    lines: list[TreeLine] = []
    below = 0
    # as deep as a tuner continues from other trials' states, so not by recursion; last in, first out
    todo: list[tuple[int, int | None, bool]] = [(position, None, False) for position in reversed(roots)]
    while todo:
        position, from_line, goes_on = todo.pop()
        row = known[position]
        if goes_on:
            assert from_line is not None, "only children go on in a line"
            line = from_line
        else:
            line, below = below, below + 1
        stop = max(row.start, row.stop)
        lines.append(TreeLine(row=row, line=line, from_line=from_line, start=row.start, stop=stop))
        own = children[row.member, row.node]
        first_goes_on = bool(own) and known[own[0]].start >= stop > row.start
        branches = [(child, line, first_goes_on and child == own[0]) for child in own]
        todo += reversed(branches)
    width = max((each.stop for each in lines), default=0)
    return TreeLayout(lines=tuple(lines), height=below, width=width)
