"""Which chains go to one slot together, to be walked there as lanes of one program.

Lanes of one bundle begin at one step and are of one shape. They are chains of stages that end where the tree branches,
and where the shape changes: what is ready together there is packed anew. Two bounds say how many lanes a bundle has,
besides what a slot can hold:

1. *No slot is idle for fusion's sake*: no more lanes than come to a slot if all that are ready or under way are dealt
   out evenly.
2. *The longest way is slowed only as far as all slots are busy anyway*: lanes in a bundle take `slowdown` times as long
   as a lane alone. Where tuners have asked for all at once, the lead's longest way may come to no more than itself, or
   an even share of all that remains.

Which group of lanes comes first depends on who asks. What is asked for at once has an end, which the longest way
decides, so its group is next. Tuners that pull requests as slots get free keep all slots busy by themselves: what
counts is how much gets done, and the largest group is next, behind what has an end. A lane that is speculative may fill
a bundle, and leads one only when nothing else is left.

Pure and without memory, as every scheduler. It refuses to know what a shape is, and how anything is walked.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from hippo.frozen import frozen
from hippo.schedulers.fair import StudiesAt, Turns, Usage, studies_below
from hippo.schedulers.lane_groups import LaneGroup, PackingRules, ReadyLane, ReadyWork
from hippo.schedulers.scheduler import StageBundle
from hippo.stages import StageTree


@frozen
class Claims:
    """Studies that have fair shares, and what each of them asked for: see `hippo.schedulers.fair`."""

    usages: Sequence[Usage]
    studies_at: StudiesAt


def pack(
    trees: Sequence[StageTree],
    rules: Sequence[PackingRules | None],
    *,
    limit: int,
    num_slots: int,
    lanes_running: int,
    claims: Claims | None = None,
) -> list[StageBundle]:
    """Return up to `limit` bundles, and as many more as are bound to slots, the most urgent first.

    No two share a stage, and nothing is changed: asked twice, it says the same. Cost: linear in what is ready.

    Args:
      trees: what remains to be run.
      rules: of each tree; None where lanes are walked one by one: its chains are those of the critical path.
      limit: how many slots are free.
      num_slots: how many there are.
      lanes_running: how many lanes are under way in the others.
      claims: the study whose turn it is by its fair share has its most urgent lane lead the next bundle, which others
        fill. None: whoever asked.
    """
    work = ReadyWork(trees, rules, num_slots=num_slots, lanes_running=lanes_running)
    leads = UrgentLeads(work) if claims is None else FairLeads(work, claims)
    bundles: list[StageBundle] = []
    while (lead := leads.next(is_free=limit > 0)) is not None:
        lanes, bundle = work.take(*lead)
        leads.note(lanes)
        bundles.append(bundle)
        limit -= not bundle.is_bound
    return bundles


def room_in_lanes(*, num_free: int, lanes_per_slot: int, num_ready: int) -> int:
    """Return how many requests tuners that pull may make, before work is given out.

    They are offered room while lanes wait, as long as more fit into the free slots: those that wait are then joined by
    others at their step, and go in one large group. If room came only where nothing is ready, as where lanes are walked
    one by one, each promotion of ASHA would be walked almost alone, which takes twice as long.

    Args:
      num_free: slots that are free.
      lanes_per_slot: the most lanes that are worth walking in a slot at once.
      num_ready: lanes that are ready.
    """
    return max(0, num_free * lanes_per_slot - num_ready)


class UrgentLeads:
    """Says which lane leads the next bundle: the most urgent one, whoever asked for it."""

    def __init__(self, work: ReadyWork) -> None:
        self._work = work
        self._heap = [(group.rank(group.lead), number, group) for number, group in enumerate(work.groups)]
        heapq.heapify(self._heap)
        self._led: tuple[int, LaneGroup] | None = None

    def next(self, *, is_free: bool) -> tuple[LaneGroup, ReadyLane] | None:
        """Return the next one with its group; None if there is none.

        Args:
          is_free: a slot is left for lanes that are not bound to one.
        """
        while self._heap:
            _, number, group = heapq.heappop(self._heap)
            if self._work.may_begin(group) and (is_free or group.is_bound):
                self._led = number, group
                return group, group.lead
        return None

    def note(self, lanes: Sequence[ReadyLane]) -> None:
        """Take into account that these lanes are in the bundle of the one that was returned last."""
        assert self._led is not None
        number, group = self._led
        if group.lanes:
            heapq.heappush(self._heap, (group.rank(group.lead), number, group))


class FairLeads:
    """Says which lane leads the next bundle: of the study whose turn it is, the most urgent one.

    Each lane's share of a bundle's seconds is promised to a study of its own: of those that fill the bundle, to the
    first of those that asked for them.
    """

    def __init__(self, work: ReadyWork, claims: Claims) -> None:
        self._work = work
        self._turns = Turns(claims.usages)
        #: of each study and each group, its lanes that are left, the most urgent last
        self._lanes: list[list[tuple[LaneGroup, list[ReadyLane]]]] = [[] for _ in claims.usages]
        self._studies: dict[int, tuple[int, ...]] = {}
        self._taken: set[int] = set()
        self._led: tuple[int, LaneGroup] | None = None
        for group in work.groups:
            of_studies: dict[int, list[ReadyLane]] = {}
            for lane in group.lanes:
                studies = studies_below(work.trees[group.tree], group.tree, lane.stage.point, claims.studies_at)
                self._studies[id(lane)] = tuple(sorted(studies))
                for study in studies:
                    of_studies.setdefault(study, []).append(lane)
            for study, lanes in of_studies.items():
                self._lanes[study].append((group, lanes))

    def next(self, *, is_free: bool) -> tuple[LaneGroup, ReadyLane] | None:
        """Return the next one with its group; None if there is none. See `UrgentLeads`."""
        for study in sorted(range(len(self._lanes)), key=self._turns.rank):
            leads = [
                (group.rank(lead), number)
                for number, (group, _) in enumerate(self._lanes[study])
                if (lead := self._first(study, number)) is not None
                and self._work.may_begin(group)
                and (is_free or group.is_bound)
            ]
            if leads:
                _, number = min(leads)
                group, lanes = self._lanes[study][number]
                self._led = study, group
                return group, lanes[-1]
        return None

    def note(self, lanes: Sequence[ReadyLane]) -> None:
        """Take into account that these lanes are in the bundle of the one that was returned last."""
        assert self._led is not None
        study, group = self._led
        share = group.rule.cost.slowdown(len(lanes)) / len(lanes)
        for number, lane in enumerate(lanes):
            self._taken.add(id(lane))
            payers = self._studies[id(lane)] if number else (study,)
            for payer in payers[:1]:
                self._turns.promise(payer, lane.length * share)

    def _first(self, study: int, number: int) -> ReadyLane | None:
        """Return the most urgent lane of a study in one of its groups that is left."""
        _, lanes = self._lanes[study][number]
        while lanes and id(lanes[-1]) in self._taken:
            lanes.pop()
        return lanes[-1] if lanes else None
