"""How lanes of one plan are walked: which are of one shape, what is decided of each shape, and how many go together.

Lanes of one program cost the same, so they agree in the values that decide that: the shape that costs are learned by
(`hippo.runtime.timing.costs`). Whether lanes of a shape are walked as one is decided once, since their last bits
depend on it: the first worker that is given some finds out, and until it has said so, no other one is given any of that
shape. From then on it is a fact of the plan. Names that only workers find out of, in which lanes of one program may not
differ, part a shape further; a verdict holds for all its parts.

This module refuses to know how lanes are walked, and which are the most urgent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from hippo.frozen import frozen_tuple
from hippo.plan import FusionFacts, Node, SearchPlan, Shape
from hippo.records import FUSED, MOST_LANES, MOST_LANES_OF_GPU, Fusion, LeaseId, Point, SlotId, Stage, may_fuse
from hippo.runtime.plans.leases import RunningLease
from hippo.runtime.plans.lost_attempts import LostAttempts
from hippo.runtime.studies.study_state import StudyState
from hippo.runtime.timing.costs import StepCosts, shape_key
from hippo.runtime.timing.lane_costs import FIRST_LANES
from hippo.schedulers import PackingRules, ShapeRule, room_in_lanes

#: under which name is noted that users heard that bits may depend on the lanes beside a lane, for whatever reason
COMPANY = "bits may depend on company"


@frozen_tuple
class LaneShape:
    """What the lanes of one bundle agree in."""

    shape: Shape
    #: (name, key of its piece) of each name in which lanes of one program may not differ
    parts: tuple[tuple[str, str], ...] = ()
    #: of a stage that must be walked without company: where it ends
    alone: Point | None = None


class _ShapeAt(NamedTuple):
    """The shape at a step of a node."""

    shape: Shape
    #: names whose values are no numbers that are trained with, and may change within the node
    moving: tuple[str, ...]


class Formations:
    """Which lanes of one plan may be walked as one.

    Args:
      plan: holds what is decided.
      costs: say how many lanes are worth it.
      losses: where work was lost: what kills its worker again and again shall take no other lane along.
      running: the leases under way.
      numerics: of the workload.
    """

    def __init__(
        self,
        plan: SearchPlan,
        costs: StepCosts,
        losses: LostAttempts,
        running: Mapping[LeaseId, RunningLease],
        *,
        numerics: str,
    ) -> None:
        self.may_fuse = may_fuse(numerics)
        #: whether slots are a GPU's, once it is known
        self.is_on_gpu = False
        self._plan = plan
        self._costs = costs
        self._losses = losses
        self._running = running
        self._known: dict[tuple[int, int], _ShapeAt] = {}
        self._parts: dict[tuple[int, tuple[str, ...]], tuple[tuple[str, str], ...]] = {}

    @property
    def facts(self) -> FusionFacts:
        """What is known of walking lanes as one."""
        return self._plan.fusion_facts

    # --- what a lane is

    def shape_of(self, stage: Stage) -> tuple[LaneShape, int]:
        """Return the shape of a lane that begins with a stage, and the step up to which it stays so."""
        node = self._plan.nodes[stage.node]
        shape, until = self._shape_at(node, stage.start), stage.stop
        if self._known[node.id, stage.start].moving:
            steps = range(stage.start + 1, stage.stop)
            until = next((step for step in steps if self._shape_at(node, step) != shape), stage.stop)
        alone = stage.point if self._losses.is_suspect(stage) else None
        return LaneShape(shape, self._parts_of(node), alone), until

    def _shape_at(self, node: Node, step: int) -> Shape:
        known = self._known.get((node.id, step))
        if known is None:
            shape = shape_key(node.pieces, step)
            # a piece of a user's own is a function of the step, whatever it returns
            moving = tuple(name for name, _ in shape if node.pieces[name].kind == "custom")
            known = self._known[node.id, step] = _ShapeAt(shape, moving)
        return known.shape

    def _parts_of(self, node: Node) -> tuple[tuple[str, str], ...]:
        names = self.facts.splitting
        if not names:
            return ()
        parts = self._parts.get((node.id, names))
        if parts is None:
            parts = tuple((name, node.pieces[name].key) for name in names if name in node.pieces)
            self._parts[node.id, names] = parts
        return parts

    # --- what is decided

    def fusion_of(self, stage: Stage) -> Fusion | None:
        """Return how lanes that begin with a stage are walked; None: not decided, or there is nothing to decide."""
        if not self.may_fuse:
            return None
        return self.facts.verdicts.get(self._shape_at(self._plan.nodes[stage.node], stage.start))

    def settle(self, stage: Stage, fusion: Fusion) -> None:
        """Have lanes that begin with a stage, and all of their shape, walked so from now on, unless that is known."""
        shape = self._shape_at(self._plan.nodes[stage.node], stage.start)
        self._plan.set_fusion_facts(self.facts.decided(shape, fusion))

    def shape_of_lease(self, lease: RunningLease) -> Shape:
        """Return the shape that all lanes of a lease have."""
        first = lease.assignment.lanes[0].stages[0]
        return self._shape_at(self._plan.nodes[first.node], first.start)

    def is_deciding(self, lease: RunningLease) -> bool:
        """Tell whether a lease is to decide how lanes of its shape are walked, and has not said so yet."""
        is_open = self.may_fuse and lease.assignment.fusion is None
        return is_open and self.shape_of_lease(lease) not in self.facts.verdicts

    def is_walked_alone(self, fusion: Fusion | None, lane: int) -> bool:
        """Tell whether a lane of an assignment is walked without company, so that what it does twice can be compared.

        Where it is not decided yet, the worker that decides takes the first lane alone before.
        """
        return not self.may_fuse or (lane == 0 if fusion is None else not fusion.is_fused)

    # --- how many go together

    def num_lanes(self, study: StudyState) -> int:
        """Return how many lanes are under way on a study's account, if they may be walked as one; else 0."""
        leases = self._running.values() if self.may_fuse else ()
        return sum(lease.num_going_of(study) for lease in leases)

    def rules(
        self, *, max_lanes: int | None, is_pulled: bool, is_speculative: Callable[[Sequence[Stage]], bool]
    ) -> PackingRules:
        """Return how lanes are packed now, where the plan's numerics allow that they are walked as one.

        Args:
          max_lanes: of the engine.
          is_pulled: tuners pull requests as slots get free.
          is_speculative: tells whether no tuner has asked yet for what a chain makes.
        """
        deciding = {self.shape_of_lease(lease) for lease in self._running.values() if lease.assignment.fusion is None}
        #: undecided -> the part of it of which a bundle may begin now
        chosen: dict[Shape, LaneShape] = {}

        def rule_of(lane: object) -> ShapeRule:
            assert isinstance(lane, LaneShape)
            if lane.shape not in self.facts.verdicts:
                is_next = lane.shape not in deciding and chosen.setdefault(lane.shape, lane) == lane
                return ShapeRule(most_bundles=int(is_next))
            most = 1 if lane.alone is not None else self.most_lanes(lane.shape, max_lanes)
            return ShapeRule(most_lanes=most, cost=self._costs.cost_of(lane.shape))

        return PackingRules(
            shape_of=self.shape_of,
            rule_of=rule_of,
            is_pulled=is_pulled,
            holders=self._holders,
            is_speculative=is_speculative,
        )

    def most_lanes(self, shape: Shape, max_lanes: int | None) -> int:
        """Return how many lanes of a shape are worth walking in one slot."""
        verdict = self.facts.verdicts.get(shape)
        if verdict is not None and not verdict.is_fused:
            return 1
        usual = MOST_LANES_OF_GPU if self.is_on_gpu else MOST_LANES
        most = usual if max_lanes is None else max_lanes
        first = FIRST_LANES if verdict is None else verdict.lanes_at_first
        return self._costs.lanes_worth(shape, min(most, self.facts.most_lanes.get(shape, most)), first)

    def room(self, num_free: int, *, num_ready: int, max_lanes: int | None) -> int:
        """Return how many lanes free slots can walk beside those that are ready, as far as that is known.

        Until it is decided how the first lanes are walked, one slot can; and while it finds out, no other.
        """
        shapes = list(self.facts.verdicts)
        if not shapes:
            shapes, num_free = [()], 0 if self._running else 1
        lanes = max(self.most_lanes(shape, max_lanes) for shape in shapes)
        return room_in_lanes(num_free=num_free, lanes_per_slot=lanes, num_ready=num_ready)

    def _holders(self, point: Point) -> frozenset[SlotId]:
        return frozenset(self._plan.nodes[point.node].residents.get(point.step, ()))


def bits_depend_on_company(numerics: str, environment: Mapping[str, str]) -> bool:
    """Tell whether a lane's last bits may depend on the lanes that are walked beside it.

    Products of many matrices are split among threads by their number; and a GPU's kernels are chosen by it.
    """
    return numerics != FUSED or environment.get("threads") != "1" or is_gpu(environment)


def is_gpu(environment: Mapping[str, str]) -> bool:
    """Tell whether slots of this environment are a GPU's."""
    device = environment.get("device", "")
    return device.startswith("NVIDIA") or "GPU" in device
