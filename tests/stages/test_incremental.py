"""The incremental tree equals the specification after every event, whatever the events."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, precondition, rule

from hippo.hparams import Config, Constant, Exponential, MultiStep, Piecewise
from hippo.plan import Cause, Node, PlanRow, SearchPlan
from hippo.records import CheckpointRef, LeaseId, Point, SlotId, Span
from hippo.schedulers import CriticalPath
from hippo.stages import IncrementalStageTree, build_stage_tree, steps_as_cost

CONFIGS = [
    Config({"lr": lr, "bs": bs})
    for lr in (
        Constant(0.1),
        MultiStep(0.1, [4], 0.1),
        MultiStep(0.1, [4, 8], 0.1),
        MultiStep(0.1, [6], 0.1),
        Exponential(0.1, 0.9),
    )
    for bs in (Constant(32), Piecewise([32, 64], [4]), Piecewise([32, 64, 128], [2, 8]))
]
STEPS = st.integers(1, 12)
SLOTS = st.sampled_from([SlotId("a"), SlotId("b")])


class TwinTrees(RuleBasedStateMachine):
    """A plan that anything may happen to, and the tree that follows it."""

    requests = Bundle("requests")
    leases = Bundle("leases")
    files = Bundle("files")
    held = Bundle("held")

    def __init__(self) -> None:
        super().__init__()
        self.twin = IncrementalStageTree()
        self.plan = SearchPlan(PlanRow(plan=1, workload="w", declared="{}", fork=0), self.twin)
        self.number = 0

    def _next(self) -> int:
        self.number += 1
        return self.number

    def _node(self, config: Config, step: int) -> Node:
        return self.plan.path(config).node_at(step)

    @rule(target=requests, config=st.sampled_from(CONFIGS), until=STEPS, evaluate=st.booleans())
    def ask(self, config: Config, until: int, evaluate: bool) -> tuple[Node, int, int]:
        node, number = self._node(config, until), self._next()
        self.plan.add_request(node, until, number, evaluate=evaluate)
        return node, until, number

    @rule(config=st.sampled_from(CONFIGS), step=STEPS)
    def train(self, config: Config, step: int) -> None:
        run = {"lease": LeaseId(1), "cause": Cause.FIRST, "study": 1}
        self.plan.facts.record_step(self._node(config, step), step, {}, 0.1, **run)  # type: ignore[arg-type]

    @rule(target=held, config=st.sampled_from(CONFIGS), step=STEPS, slot=SLOTS)
    def hold_state(self, config: Config, step: int, slot: SlotId) -> tuple[SlotId, Point]:
        point = Point(self._node(config, step).id, step)
        self.plan.residents.note(slot, added=[point])
        return slot, point

    @rule(state=consumes(held))
    def drop_state(self, state: tuple[SlotId, Point]) -> None:
        slot, point = state
        self.plan.residents.note(slot, dropped=[point])

    @rule(slot=SLOTS)
    def lose_slot(self, slot: SlotId) -> None:
        self.plan.residents.lose_slot(slot)

    @rule(request=consumes(requests))
    def withdraw(self, request: tuple[Node, int, int]) -> None:
        self.plan.remove_request(*request)

    @rule(config=st.sampled_from(CONFIGS), step=STEPS)
    def evaluate(self, config: Config, step: int) -> None:
        self.plan.facts.record_metrics(self._node(config, step), step, {"loss": 1.0}, 0.1, study=1)

    @rule(request=requests)
    def evaluate_where_asked(self, request: tuple[Node, int, int]) -> None:
        node, until, _ = request
        self.plan.facts.record_metrics(node, until, {"loss": 1.0}, 0.1, study=1)

    @rule(request=requests)
    def train_where_asked(self, request: tuple[Node, int, int]) -> None:
        node, until, _ = request
        run = {"lease": LeaseId(1), "cause": Cause.FIRST, "study": 1}
        self.plan.facts.record_step(node, until, {}, 0.1, **run)  # type: ignore[arg-type]

    @rule(target=files, config=st.sampled_from(CONFIGS), step=STEPS)
    def write_checkpoint(self, config: Config, step: int) -> tuple[Node, int]:
        node, key = self._node(config, step), str(self._next())
        ref = CheckpointRef(key=key, size_bytes=1, sha256="", state_hash="")
        self.plan.facts.record_checkpoint(node, step, ref, 0.1, study=1)
        return node, step

    @rule(file=consumes(files))
    def lose_checkpoint(self, file: tuple[Node, int]) -> None:
        node, step = file
        if step in node.checkpoints:
            self.plan.facts.forget_checkpoint(node, step, node.checkpoints[step].key, "evicted")

    @rule(config=st.sampled_from(CONFIGS), step=STEPS)
    def want_state(self, config: Config, step: int) -> None:
        self.plan.add_state_request(self._node(config, step), step)

    @precondition(lambda self: any(True for _ in self.twin.tree.all_ready()))
    @rule(target=leases, limit=st.integers(1, 3), walked=st.integers(1, 3))
    def begin_work(self, limit: int, walked: int) -> object:
        opened = []
        for chain in CriticalPath().lanes([self.twin.tree], limit=limit):
            stages = chain.stages[:walked]
            lease = LeaseId(self._next())
            spans = [Span(node=stage.node, start=stage.start, stop=stage.stop) for stage in stages]
            self.plan.leases.open(lease, spans, slot="a", started_at=0.0)
            opened.append(lease)
        return multiple(*opened)

    @precondition(lambda self: list(self.plan.leases.views()))
    @rule(data=st.data())
    def pass_boundary(self, data: st.DataObject) -> None:
        lease = data.draw(st.sampled_from(list(self.plan.leases.views())))
        span = data.draw(st.sampled_from(lease.spans))
        step = data.draw(st.integers(span.start, span.stop))
        self.plan.leases.mark_passed(lease.id, (span.node, step))

    @rule(lease=consumes(leases), how=st.sampled_from(["done", "lost"]))
    def end_work(self, lease: LeaseId, how: str) -> None:
        self.plan.leases.close(lease, how)

    @invariant()
    def the_twin_equals_the_specification(self) -> None:
        specification = build_stage_tree(self.plan.snapshot())
        assert self.twin.tree == specification
        if not len(specification) and not self.plan.leases.views():
            assert self.twin.num_nodes == 0
        lengths = {point: self.twin.tree.length(point) for point in self.twin.tree.stages}
        assert lengths == {point: specification.length(point) for point in specification.stages}

    @invariant()
    def the_ready_stages_come_longest_first(self) -> None:
        tree = self.twin.tree
        expected = sorted(tree.all_ready(), key=lambda stage: (-tree.length(stage.point), stage.point))
        assert tree.ready(limit=100) == expected
        assert tree.ready(limit=2) == expected[:2]


TestTwinTrees = TwinTrees.TestCase
TestTwinTrees.settings = settings(max_examples=150, stateful_step_count=30, deadline=None)


def test_new_costs_reorder_what_is_ready() -> None:
    twin = IncrementalStageTree()
    plan = SearchPlan(PlanRow(plan=1, workload="w", declared="{}", fork=0), twin)
    for number, (rate, until) in enumerate([(0.1, 10), (0.2, 4)]):
        node = plan.path(Config({"lr": rate})).node_at(until)
        plan.add_request(node, until, number)
    assert [stage.stop for stage in twin.tree.ready(2)] == [10, 4]
    twin.recost(lambda stage: 100.0 if stage.stop == 4 else steps_as_cost(stage))
    assert [stage.stop for stage in twin.tree.ready(2)] == [4, 10]
