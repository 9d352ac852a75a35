"""Branches of a tree of which nothing is left, counted instead of shown: a tuner that tries rates leaves many."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hippo.study import TreeRow

#: so many branches of one node are shown as their number
_LEAST_FOLDED = 2

#: a node of a member, None: where its roots hang
ParentKey = tuple[str, int | None]


def freed_branches(
    rows: Sequence[TreeRow], may_fold: Callable[[TreeRow], bool] = lambda row: True
) -> dict[ParentKey, list[TreeRow]]:
    """Return member and node -> its branches of which neither metrics nor a state are left, and that have none.

    Nodes with fewer than two of them are left out: a line that counts one says less than that one.

    Args:
      rows: what `Study.tree` returns, or a part of it.
      may_fold: tells whether a branch may be counted: one on which somebody works is worth a line of its own.
    """
    parents = {(row.member, row.parent) for row in rows}
    found: dict[ParentKey, list[TreeRow]] = {}
    for row in rows:
        if not (row.metrics or row.checkpoints or (row.member, row.node) in parents) and may_fold(row):
            found.setdefault((row.member, row.parent), []).append(row)
    return {key: branches for key, branches in found.items() if len(branches) >= _LEAST_FOLDED}
