"""Where each trial comes from: the earlier trial with which it shares most, where they part, and what changes there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from hippo.study import TreeRow, Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOrigin:
    """A trial of one member of a study, and where it comes from."""

    #: of the study, such as "seed 3"; empty for the only one
    member: str
    trial: int
    #: the trial with a smaller number with which it shares most steps, the smallest of several; None: it shares none
    parent: int | None
    #: steps that both share: its own begin there
    fork_step: int
    #: the largest step that it was asked for
    until: int
    #: the values that change in it where they part, for people; of one that shares nothing, those it begins with
    changed: str
    #: those that change in its parent there
    parent_changed: str
    #: from the top, 0 first: below its parent, before those that left the parent earlier
    line: int
    #: that of its parent
    from_line: int | None


@dataclass(slots=True)
class _Leaving:
    """How far the trials came that went through a node: those that came further than all before them."""

    leaves: list[int]
    #: each with the values that change where it leaves
    trials: list[tuple[int, str]]

    def add(self, leave: int, trial: int, changed: str) -> None:
        if not self.leaves or leave > self.leaves[-1]:
            self.leaves.append(leave)
            self.trials.append((trial, changed))

    def closest(self, leave: int) -> tuple[int, int, str]:
        """Return the first trial that shares most with one that leaves there, until where, and what changes there."""
        at = min(bisect_left(self.leaves, leave), len(self.leaves) - 1)
        trial, changed = self.trials[at]
        return trial, min(self.leaves[at], leave), changed if self.leaves[at] <= leave else ""


def lineage(rows: Iterable[TreeRow], trials: Iterable[Trial]) -> list[TrialOrigin]:
    """Return where the trials come from, parents before those that left them, line by line.

    No line of a trial lies on another one, and the way down to a trial from its parent crosses none.

    Args:
      rows: what `Study.tree` returns.
      trials: of the same reading.
    """
    asked_for = {(own.member, own.number): own.until for trial in trials for own in trial.replicates or (trial,)}
    ways: dict[tuple[str, int], list[TreeRow]] = {}
    for row in rows:
        for number in row.trials:
            if (row.member, number) in asked_for:
                ways.setdefault((row.member, number), []).append(row)
    passed: dict[tuple[str, int], _Leaving] = {}
    found: dict[tuple[str, int], TrialOrigin] = {}
    for (member, number), way in sorted(ways.items()):
        way.sort(key=lambda row: (row.start, row.node))
        until = asked_for[member, number]
        leaves = [following.start for _, following in pairwise(way)] + [until]
        found[member, number] = _origin(member, number, until, way, leaves, passed)
        changes = [following.values for following in way[1:]] + [""]
        for row, leave, changed in zip(way, leaves, changes, strict=True):
            passed.setdefault((member, row.node), _Leaving([], [])).add(leave, number, changed)
    return _in_lines(found)


def _origin(
    member: str,
    number: int,
    until: int,
    way: Sequence[TreeRow],
    leaves: Sequence[int],
    passed: dict[tuple[str, int], _Leaving],
) -> TrialOrigin:
    """Return where a trial comes from, given those with smaller numbers; of its line nothing is known yet."""
    parent, fork_step, changed, parent_changed = None, 0, way[0].values, ""
    for place in reversed(range(len(way))):
        before = passed.get((member, way[place].node))
        if before is not None:
            parent, fork_step, parent_changed = before.closest(leaves[place])
            is_change = place + 1 < len(way) and fork_step == leaves[place]
            changed = way[place + 1].values if is_change else ""
            break
    return TrialOrigin(
        member=member,
        trial=number,
        parent=parent,
        fork_step=fork_step,
        until=until,
        changed=changed,
        parent_changed=parent_changed,
        line=0,
        from_line=None,
    )


def _in_lines(found: dict[tuple[str, int], TrialOrigin]) -> list[TrialOrigin]:
    children: dict[tuple[str, int], list[TrialOrigin]] = {}
    todo: list[tuple[TrialOrigin, int | None]] = []
    for origin in found.values():
        if origin.parent is None:
            todo.append((origin, None))
        else:
            children.setdefault((origin.member, origin.parent), []).append(origin)
    todo.reverse()  # last in, first out: chains of a tuner that forks are long, and so not by recursion
    lined: list[TrialOrigin] = []
    while todo:
        origin, from_line = todo.pop()
        line = len(lined)
        lined.append(replace(origin, line=line, from_line=from_line))
        own = children.get((origin.member, origin.trial), [])
        todo += [(child, line) for child in sorted(own, key=lambda child: (child.fork_step, -child.trial))]
    return lined
