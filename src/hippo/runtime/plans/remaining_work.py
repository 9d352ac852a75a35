"""What remains to be run of one plan, and how long that should take.

Joins the stage tree with what is learned of the seconds that steps take. It refuses to know who waits for the work, and
what is given out of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hippo.hparams import Config
from hippo.plan import AbstractPlanStore, Node, PlanRow, SearchPlan
from hippo.records import LeaseId, NodeId, Span, Stage
from hippo.runtime.plans.leases import RunningLease
from hippo.runtime.timing.costs import StepCosts
from hippo.schedulers import StageBundle
from hippo.stages import IncrementalStageTree, StageTree

#: the nodes whose steps give the first estimates of what a step costs: those that were made last
_NODES_TO_LEARN_FROM = 200


class RemainingWork:
    """The stage tree of a plan, which is opened together with it, since the tree hears of its changes.

    Args:
      store, row: the plan.
    """

    def __init__(self, store: AbstractPlanStore, row: PlanRow) -> None:
        #: what steps take
        self.costs = StepCosts()
        #: seconds were learned since the tree was looked at last
        self._has_learned = False
        #: the tree as it follows the plan
        self.followed = IncrementalStageTree(self.seconds_of)
        self.plan = SearchPlan.open(store, row, self.followed)
        for node in self.plan.nodes.latest(_NODES_TO_LEARN_FROM):
            for step in node.training:
                self.learn_cost(node, node.seconds[step], lanes=node.lanes.get(step, 1))

    @property
    def tree(self) -> StageTree:
        """What remains to be run. After events it is brought up to date once, by the first one who looks."""
        tree = self.followed.tree
        if self._has_learned:
            self._has_learned = False
            if self.costs.have_moved(stages=len(tree)):
                self.costs.use()
                self.followed.recost(self.seconds_of)
        return tree

    def uncovered(self, config: Config, until: int, *, owner: str) -> int:
        """Return how many steps of a config up to `until` were neither trained nor asked for by any study.

        Args:
          config: which; no node is made for it.
          until: where to stop counting.
          owner: names the trial whose root is not shared; empty to share.
        """
        return until - self._covered(self.plan.known_spans(config, until, owner=owner))

    def missing_of(self, end: Node, until: int) -> int:
        """Return the same of a path whose nodes are there, given the last of them."""
        return until - self._covered(end.spans(until))

    def _covered(self, spans: Iterable[tuple[Node, int, int]]) -> int:
        covered = 0
        for node, _, stop in spans:
            # a node that is only there, since a request for it was withdrawn, covers nothing
            ends = (*node.training, *self.followed.ends(node.id))
            covered = max(covered, min(stop, max(ends, default=node.begins_at)))
        return covered

    def learn_cost(self, node: Node, seconds: float, *, lanes: int = 1, width: int = 1) -> None:
        """Take the device-seconds of one step into account: a lane's share, if several lanes were walked as one."""
        if width > 1:
            self.costs.learn_together(node.id, node.pieces, node.start, [seconds], width=width)
        else:
            self.costs.learn(node.id, node.pieces, node.start, seconds, lanes=lanes)
        self._has_learned = True

    def learn_costs(self, node: Node, seconds: Sequence[float], *, lanes: int = 1, width: int = 1) -> None:
        """Take the device-seconds of a run of steps into account, as `learn_cost` would one by one."""
        if width > 1:
            self.costs.learn_together(node.id, node.pieces, node.start, seconds, width=width)
        else:
            self.costs.learn_steps(node.id, node.pieces, node.start, seconds, lanes=lanes)
        self._has_learned = True

    def seconds_per_step(self, lease: RunningLease) -> float | None:
        """Return how long the step that a lease is at should take; None if no step was ever timed."""
        if not self.costs.are_known:
            return None
        node = self.plan.nodes[lease.at().node]
        fusion = lease.assignment.fusion
        is_fused = fusion is not None and fusion.is_fused
        mean_s = self.costs.mean(node.id, node.pieces, node.start, lanes=max(1, lease.num_going) if is_fused else 1)
        return mean_s / self.speedup(node.id, lease.assignment.width)

    def seconds_of(self, stage: Stage | Span) -> float:
        """Return how long a stage, or a part of one, should take."""
        node = self.plan.nodes[stage.node]
        return (stage.stop - stage.start) * self.costs.estimate(node.id, node.pieces, node.start)

    def seconds_below(self, bundle: StageBundle) -> float:
        """Return how long the chains of a bundle should take in a slot of speed 1, on to the last leaf behind them.

        Of one that is cut within its first stage, where its shape changes: as far as it goes.
        """
        longest = max(self._seconds_below(chain.stages) for chain in bundle.chains)
        lanes = len(bundle.chains)
        return longest if lanes == 1 else longest * self.slowdown(bundle.chains[0].stages[0].node, lanes)

    def _seconds_below(self, stages: Sequence[Stage]) -> float:
        first, tree = stages[0].point, self.tree
        return tree.length(first) if first in tree.stages else sum(map(self.seconds_of, stages))

    def slowdown(self, number: NodeId, lanes: int) -> float:
        """Return how many times as long a step of so many lanes takes as one of a lane alone, at a node."""
        node = self.plan.nodes[number]
        return self.costs.cost_at(node.id, node.pieces, node.start).slowdown(lanes)

    def speedup(self, number: NodeId, width: int) -> float:
        """Return how many times as fast so many slots together take a step of a node as one of them."""
        if width == 1:
            return 1.0
        node = self.plan.nodes[number]
        return self.costs.speedup(node.id, node.pieces, node.start, width=width)

    def share_of(self, stages: Sequence[Stage], lanes: int, *, width: int = 1) -> float:
        """Return how many device-seconds a lane should take along such stages.

        Args:
          stages: where it goes.
          lanes: how many are walked as one, it being one of them.
          width: how many slots walk it.
        """
        alone_s = sum(map(self.seconds_of, stages))
        if lanes == 1:
            return alone_s * width / self.speedup(stages[0].node, width)
        return alone_s * self.slowdown(stages[0].node, lanes) / lanes

    def left(self, running: Mapping[LeaseId, RunningLease]) -> tuple[int, float]:
        """Return the steps that remain, beyond those that leases have behind them, and their seconds on one device.

        Lanes are taken to have as much company as those before them.
        """
        tree = self.tree
        steps, seconds = tree.num_steps, tree.seconds
        for number, lease in running.items():
            for stage in (tree.stages[point] for point in tree.underway(number)):
                done = lease.steps_done(stage)
                steps -= done
                seconds -= self.seconds_of(replace(stage, stop=stage.start + done))
        return steps, max(0.0, seconds) * self.costs.share
