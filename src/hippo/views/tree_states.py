"""How far each stretch of a stage tree is: what was trained, what runs, what waits, what failed."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from hippo.study import StretchLeft, TreeRow, WorkLeft


class StretchState(enum.Enum):
    """How far a stretch of a tree is."""

    #: all of it was trained
    DONE = "done"
    #: a slot has been given it
    RUNNING = "running"
    #: somebody waits for it, and no slot has been given it
    WAITING = "waiting"
    #: it failed, or what it begins from did
    FAILED = "failed"
    #: it was asked for once, was not trained, and nobody waits for it now
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeStretch:
    """A part of a node that is in one state."""

    start: int
    stop: int
    state: StretchState


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStates:
    """A node's parts, in order, from where it begins to the last step that was asked of it."""

    row: TreeRow
    stretches: tuple[TreeStretch, ...]
    #: how it ends: the state of the last part, unless it failed
    end: StretchState


def tree_states(rows: Iterable[TreeRow], left: WorkLeft) -> list[NodeStates]:
    """Return of each node which part of it is in which state.

    Args:
      rows: what `Study.tree` returns, or a part that holds the parents of all its nodes; parents before children.
      left: what `Study.work_left` returns.
    """
    waiting: dict[tuple[str, int], list[StretchLeft]] = {}
    for each in left.stretches:
        waiting.setdefault((each.member, each.node), []).append(each)
    #: node -> the step from which on nothing comes of it, since something failed there or above
    broken: dict[tuple[str, int], int] = {}
    found = []
    for row in rows:
        key = (row.member, row.node)
        failed = left.failed.get(key)
        above = None if row.parent is None else broken.get((row.member, row.parent))
        if above is not None and above <= row.start:
            failed = row.start
        if failed is not None:
            broken[key] = failed
        found.append(_states_of(row, waiting.get(key, ()), left.reached.get(key), failed))
    return found


def _states_of(row: TreeRow, waiting: Iterable[StretchLeft], reached: int | None, failed: int | None) -> NodeStates:
    """Return a node's parts.

    Args:
      row: the node.
      waiting: what somebody waits for of it, in order.
      reached: the last step that was trained, or where it begins; None: all of it was.
      failed: from where on nothing comes of it; None: nothing failed.
    """
    parts: list[TreeStretch] = []
    has_failed = failed is not None and failed <= max(row.start, row.stop)
    rest = StretchState.FAILED if has_failed else StretchState.DROPPED
    asked = list(waiting)
    at = max(row.start, row.stop if reached is None else min(row.stop, reached))
    _add(parts, row.start, at, StretchState.DONE)
    for each in asked:
        _add(parts, at, each.start, rest)
        _add(parts, max(at, each.start), each.stop, _state_of(each))
        at = max(at, each.stop)
    _add(parts, at, row.stop, rest)
    if has_failed:
        end = StretchState.FAILED
    elif asked and asked[-1].stop >= row.stop:  # a state there is trained, and its metrics are waited for
        end = _state_of(asked[-1])
    else:
        end = parts[-1].state if parts else StretchState.DONE if row.start >= row.stop else rest  # a state alone
    return NodeStates(row=row, stretches=tuple(parts), end=end)


def _state_of(left: StretchLeft) -> StretchState:
    return StretchState.RUNNING if left.is_running else StretchState.WAITING


def _add(parts: list[TreeStretch], start: int, stop: int, state: StretchState) -> None:
    if start < stop:
        parts.append(TreeStretch(start=start, stop=stop, state=state))
