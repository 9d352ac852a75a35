"""Lanes that are ready, in groups of which a bundle can be made, and how many of a group make one.

It refuses to know which group comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from hippo.frozen import frozen, frozen_tuple
from hippo.records import AtResident, Point, SlotId, Stage
from hippo.schedulers.scheduler import StageBundle, StageChain
from hippo.stages import StageTree

#: what lanes of one bundle agree in; whoever makes the rules knows what it is
Shape = Hashable


@frozen_tuple
class LaneCost:
    """Seconds of a step of several lanes that are walked as one: `fixed` + `per_lane` x lanes, in any unit.

    As long as nothing is known of a shape, it is the worst of which lanes are walked as one at all: who takes it for
    better slows the longest way down by more than is made up for.
    """

    fixed: float = 0.1
    per_lane: float = 0.9

    def seconds(self, lanes: int) -> float:
        """Return what a step of so many lanes takes."""
        return self.fixed + self.per_lane * lanes

    def slowdown(self, lanes: int) -> float:
        """Return how many times as long a step of so many lanes takes as one of a lane alone."""
        return self.seconds(lanes) / self.seconds(1)


@frozen
class ShapeRule:
    """How lanes of one shape are packed."""

    #: in one bundle; 1 where they are walked one by one
    most_lanes: int = 1
    cost: LaneCost = LaneCost()
    #: how many bundles may begin; None: any number. Of a shape of which it is not decided yet how its lanes are walked
    #: one lease runs at a time, which decides: 1, and 0 while it runs
    most_bundles: int | None = None


@frozen
class PackingRules:
    """What packing needs to know of one tree besides its stages."""

    #: stage -> its shape where it begins, and the step up to which it is of that shape: its stop, or one before
    shape_of: Callable[[Stage], tuple[Shape, int]]
    rule_of: Callable[[Shape], ShapeRule]
    #: its tuners pull requests as slots get free
    is_pulled: bool = False
    #: the slots whose memory holds the state of a point that is in no file
    holders: Callable[[Point], frozenset[SlotId]] = lambda point: frozenset()
    #: whether no tuner has asked yet for what a chain makes; None: no chain is such
    is_speculative: Callable[[Sequence[Stage]], bool] | None = None


@frozen
class ReadyLane:
    """A stage that can start now."""

    stage: Stage
    #: the longest way from its beginning to a leaf, in seconds of a lane alone
    length: float
    is_speculative: bool = False

    @property
    def rank(self) -> tuple[bool, float, Point]:
        """What lanes of a tree are ordered by: the smaller, the sooner."""
        return (self.is_speculative, -self.length, self.stage.point)


@dataclass(slots=True, eq=False)
class LaneGroup:
    """Lanes of one tree and one shape that begin at one step, and in any slot, or in one that holds them all."""

    tree: int
    shape: Shape
    rule: ShapeRule
    is_pulled: bool
    is_bound: bool
    #: the most urgent last
    lanes: list[ReadyLane] = field(default_factory=list)

    @property
    def lead(self) -> ReadyLane:
        """The most urgent one."""
        return self.lanes[-1]

    def rank(self, lead: ReadyLane) -> tuple[bool, bool, int, float, int, Point]:
        """Return what groups are ordered by if this lane leads the bundle: the smaller, the sooner. See `packing`."""
        size = min(len(self.lanes), self.rule.most_lanes) if self.is_pulled else 0
        return (lead.is_speculative, self.is_pulled, -size, -lead.length, self.tree, lead.stage.point)


class ReadyWork:
    """All lanes that are ready, in groups.

    Args:
      trees, rules: what remains to be run, and how it may be packed; None: lanes of that tree are walked one by one.
      num_slots: how many slots there are, taken ones too.
      lanes_running: how many lanes are under way.
    """

    def __init__(
        self,
        trees: Sequence[StageTree],
        rules: Sequence[PackingRules | None],
        *,
        num_slots: int,
        lanes_running: int,
    ) -> None:
        self.trees = trees
        self._rules = rules
        self.groups = [group for number in range(len(trees)) for group in self._grouped(number)]
        lanes = lanes_running + sum(len(group.lanes) for group in self.groups)
        num_slots = max(num_slots, 1)  # slots open when there is work
        # Rounded down: where two slots share five lanes, one with three of them would end last. Up to one lane in each
        # slot that is behind all others cost 11 % of the makespan in one random tree of 2,400, and now 6 %.
        self._lanes_per_slot = lanes // num_slots
        self._seconds_per_slot = sum(tree.seconds for tree in trees) / num_slots
        # A lane has company only if two lanes come to a slot. There are never more lanes than ways down that are left.
        # Where these are too few, a chain that ended at a branch would give up its slot there, and win nothing by it:
        # it cost 17 % of the makespan in one random tree of 2,400.
        is_pulled = any(by is not None and by.is_pulled for by in rules)
        ways = lanes_running + sum(tree.num_leaves for tree in trees)
        self._may_have_company = is_pulled or ways // num_slots > 1
        self._bundles_left: dict[tuple[int, Shape], int] = {}

    def may_begin(self, group: LaneGroup) -> bool:
        """Tell whether there is a bundle to be had of a group."""
        most = group.rule.most_bundles
        return bool(group.lanes) and (most is None or self._bundles_left.get((group.tree, group.shape), most) > 0)

    def take(self, group: LaneGroup, lead: ReadyLane) -> tuple[list[ReadyLane], StageBundle]:
        """Take a bundle out of a group: this lane first, then the most urgent others; return these lanes as well."""
        count = self._num_lanes(group, lead)
        if lead is group.lead:
            group.lanes.pop()
        else:  # another one is more urgent, whose study must wait for its turn
            group.lanes.remove(lead)
        lanes = [lead, *(group.lanes.pop() for _ in range(count - 1))]
        if group.rule.most_bundles is not None:
            key = (group.tree, group.shape)
            self._bundles_left[key] = self._bundles_left.get(key, group.rule.most_bundles) - 1
        is_alone = group.rule.most_lanes == 1 or not (group.is_bound or self._may_have_company)
        way_down = self._whole_way if is_alone else self._straight_way
        return lanes, StageBundle(tuple(StageChain(group.tree, way_down(group.tree, lane.stage)) for lane in lanes))

    def _num_lanes(self, group: LaneGroup, lead: ReadyLane) -> int:
        """Return how many lanes of a group go together; see `packing` for the two bounds."""
        lanes = min(group.rule.most_lanes, len(group.lanes))
        busy_s = self._seconds_per_slot
        if group.is_bound:  # they wait for one slot, whatever the others do
            busy_s = max(busy_s, sum(lane.length for lane in group.lanes))
        else:
            lanes = min(lanes, self._lanes_per_slot)
        if not group.is_pulled:
            most_s = max(lead.length, busy_s)
            while lanes > 1 and group.rule.cost.slowdown(lanes) * lead.length > most_s:
                lanes -= 1
        return max(lanes, 1)

    # --- groups

    def _grouped(self, number: int) -> Iterable[LaneGroup]:
        """Return the groups of one tree."""
        tree, rules = self.trees[number], self._rules[number]
        groups: dict[Hashable, LaneGroup] = {}
        for stage in tree.all_ready():
            shape = None if rules is None else rules.shape_of(stage)[0]
            home = self._home(stage, rules)
            begin = stage.start if rules is not None else 0
            group = groups.get((shape, begin, home))
            if group is None:
                group = groups[shape, begin, home] = LaneGroup(
                    tree=number,
                    shape=shape,
                    rule=ShapeRule() if rules is None else rules.rule_of(shape),
                    is_pulled=rules is not None and rules.is_pulled,
                    is_bound=home is not None,
                )
            group.lanes.append(
                ReadyLane(
                    stage=stage,
                    length=tree.length(stage.point),
                    is_speculative=self._is_speculative(number, stage),
                )
            )
        for group in groups.values():
            group.lanes.sort(key=lambda lane: lane.rank, reverse=True)
        return groups.values()

    def _home(self, stage: Stage, rules: PackingRules | None) -> Hashable:
        """Return what names the slots in which a stage can begin; None: in any."""
        if not isinstance(stage.base, AtResident):
            return None
        point = Point(stage.base.node, stage.base.step)
        return (rules is not None and rules.holders(point)) or point

    def _is_speculative(self, number: int, stage: Stage) -> bool:
        rules = self._rules[number]
        if rules is None or rules.is_speculative is None:
            return False
        return rules.is_speculative(self._whole_way(number, stage))

    # --- the ways down

    def _whole_way(self, number: int, stage: Stage) -> tuple[Stage, ...]:
        """Return the longest way down, as far as the shape stays the same."""
        return self._of_one_shape(number, self.trees[number].longest_path(stage.point))

    def _straight_way(self, number: int, stage: Stage) -> tuple[Stage, ...]:
        """Return the way down to where the tree branches, as far as the shape stays the same."""
        tree = self.trees[number]
        way = [stage]
        while len(following := tree.followers(way[-1].point)) == 1:
            way += following
        return self._of_one_shape(number, way)

    def _of_one_shape(self, number: int, way: Sequence[Stage]) -> tuple[Stage, ...]:
        rules = self._rules[number]
        if rules is None:
            return tuple(way)
        of_first, _ = rules.shape_of(way[0])
        kept = []
        for stage in way:
            shape, until = rules.shape_of(stage)
            if shape != of_first:
                break
            if until < stage.stop:
                kept.append(replace(stage, stop=until))
                break
            kept.append(stage)
        return tuple(kept)
