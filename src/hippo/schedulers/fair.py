"""Whose work is next, where several studies want the same slots: priorities, then fair shares of device-seconds.

The critical path is blind to who asked: a study of long trials would keep one of short trials waiting. Here each free
slot goes to the study of the highest priority, and among equals to the one that has used least of its share; of that
study's work the longest way comes first, as in `critical_path`. Work that several studies share counts for each.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hippo.records import Point
from hippo.schedulers.scheduler import StageChain
from hippo.stages import StageTree


@dataclass(frozen=True, slots=True, kw_only=True)
class FairShare:
    """What part of the slots' time a study is to have, beside others."""

    #: larger comes first; a lower one gets what is left
    priority: int = 0
    #: part of the device-seconds, in proportion to the shares of others of the same priority
    share: float = 1.0
    #: whose study it is: all of one owner's studies have one part together; empty: a part of its own
    owner: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """A study's fair share, and the device-seconds it has used or been promised."""

    fair_share: FairShare
    used_s: float


class Turns:
    """Whose turn it is, while work is given out.

    Args:
      usages: of the studies, known by their places in it.
    """

    def __init__(self, usages: Sequence[Usage]) -> None:
        self._usages = usages
        first: dict[str, int] = {}
        #: study -> the first one of the same owner
        self._owners = [
            first.setdefault(usage.fair_share.owner, study) if usage.fair_share.owner else study
            for study, usage in enumerate(usages)
        ]
        self._used_s = [usage.used_s for usage in usages]
        self._used_by_owners_s = [0.0] * len(usages)
        for study, usage in enumerate(usages):
            self._used_by_owners_s[self._owners[study]] += usage.used_s

    def rank(self, study: int) -> tuple[float, float, float, int]:
        """Return what studies are ordered by, the smaller, the sooner: among those of one owner, who has had least."""
        fair_share, owner = self._usages[study].fair_share, self._owners[study]
        own_s = self._used_s[study] if fair_share.owner else 0.0
        return -fair_share.priority, self._used_by_owners_s[owner] / fair_share.share, own_s, study

    def promise(self, study: int, seconds: float) -> None:
        """Count work that a study is given."""
        self._used_s[study] += seconds
        self._used_by_owners_s[self._owners[study]] += seconds


#: (number of a tree, point) -> the numbers of the studies that asked for metrics there
StudiesAt = Callable[[int, Point], Iterable[int]]


def fair_lanes(
    trees: Sequence[StageTree], usages: Sequence[Usage], studies_at: StudiesAt, *, limit: int
) -> list[StageChain]:
    """Return up to `limit` whole chains, and as many more as are bound to slots, the most urgent first.

    Cost: linear in the stages of the trees.
    """
    limit += sum(tree.num_bound for tree in trees)
    queues: list[list[tuple[float, int, Point]]] = [[] for _ in usages]
    for index, tree in enumerate(trees):
        for stage in tree.all_ready():
            entry = (-tree.length(stage.point), index, stage.point)
            for study in studies_below(tree, index, stage.point, studies_at):
                heapq.heappush(queues[study], entry)
    turns = Turns(usages)
    taken: set[tuple[int, Point]] = set()
    chains: list[StageChain] = []
    while len(chains) < limit:
        for queue in queues:
            while queue and queue[0][1:] in taken:
                heapq.heappop(queue)
        waiting = [number for number, queue in enumerate(queues) if queue]
        if not waiting:
            break
        next_study = min(waiting, key=turns.rank)
        negative_length, index, point = heapq.heappop(queues[next_study])
        taken.add((index, point))
        turns.promise(next_study, -negative_length)
        chains.append(StageChain(index, trees[index].longest_path(point)))
    return chains


def studies_below(tree: StageTree, index: int, point: Point, studies_at: StudiesAt) -> set[int]:
    """Return the studies that asked for metrics at a point of a tree of this number, or on any way on from there."""
    found: set[int] = set()
    below = [point]
    while below:
        at = below.pop()
        found.update(studies_at(index, at))
        below += [stage.point for stage in tree.followers(at)]
    return found
