"""How sharing grew with the number of trials: what the first ones asked for, over what of it is distinct."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from hippo.study import TreeRow, Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class SharingPoint:
    """The trials of a study, or of one member of it, up to a number."""

    #: of the study, such as "seed 3"; empty for the only one
    member: str
    #: number of the last of them
    trial: int
    #: steps asked for by each of them, and the distinct ones among these
    asked: int
    distinct: int

    @property
    def merge_rate(self) -> float:
        """Steps asked for, by distinct steps."""
        return self.asked / self.distinct


def merge_rates(rows: Iterable[TreeRow], trials: Iterable[Trial]) -> list[SharingPoint]:
    """Return the merge rate of each member's first trial, first two, and so on; by member, and by number.

    Steps count whether they are run already, and whoever ran them: it is the tree that shares. What was run for the
    study alone is told by `Statistics.merge_rate`.

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
    found: list[SharingPoint] = []
    covered: dict[tuple[str, int], int] = {}
    for (member, number), way in sorted(ways.items()):
        way.sort(key=lambda row: (row.start, row.node))
        # a trial leaves a node where the next one of its way begins, whatever others do with the node
        leaves = [following.start for _, following in pairwise(way)] + [asked_for[member, number]]
        distinct = 0
        for row, stop in zip(way, leaves, strict=True):
            before = covered.get((member, row.node), row.start)
            distinct += max(0, stop - before)
            covered[member, row.node] = max(before, stop)
        last = found[-1] if found and found[-1].member == member else None
        found.append(
            SharingPoint(
                member=member,
                trial=number,
                asked=asked_for[member, number] + (last.asked if last else 0),
                distinct=distinct + (last.distinct if last else 0),
            )
        )
    return found
