"""Who tells of a node: the trial that walks it furthest, since whoever goes on in a child leaves it before its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hippo.study import TreeRow, Trial

#: a node, or a trial's number, with its member
Key = tuple[str, int]


def replicates_of(trials: Iterable[Trial]) -> Mapping[Key, Trial]:
    """Return (member, number) -> the trial of each seed, or of the only one."""
    return {(own.member, own.number): own for trial in trials for own in trial.replicates or (trial,)}


def averages_of(trials: Iterable[Trial]) -> Mapping[Key, Trial]:
    """Return (member, number) -> the trial with averages over its seeds, under the first of them; else nothing."""
    return {(trial.replicates[0].member, trial.number): trial for trial in trials if trial.replicates}


def walkers(rows: Sequence[TreeRow], trials: Mapping[Key, Trial]) -> Mapping[Key, Trial]:
    """Return (member, node) -> the trial that came furthest in it; nodes that none of the trials walks are left out.

    Args:
      rows: what `Study.tree` returns.
      trials: some, by member and number.
    """
    there = {
        (row.member, row.node): [number for number in row.trials if (row.member, number) in trials] for row in rows
    }
    left = {(row.member, row.parent, number): row.start for row in rows for number in there[row.member, row.node]}
    found: dict[Key, Trial] = {}
    for (member, node), numbers in there.items():

        def reached(number: int, member: str = member, node: int = node) -> tuple[int, int]:
            trial = trials[member, number]
            until = left.get((member, node, number), trial.until)
            return min(until, trial.step), until  # of two that are asked as far, the one that came there tells more

        if numbers:
            found[member, node] = trials[member, max(numbers, key=reached)]
    return found
