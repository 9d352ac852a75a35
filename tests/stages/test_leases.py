"""The stage tree beside running work, against brute force: what leases will leave is waited for, the rest is run.

As in `test_oracle` the oracle knows no nodes: a state is the tuple of all pieces at every step up to it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from hippo import Config, Constant, MultiStep, Piecewise
from hippo.plan import NullListener, PlanRow, SearchPlan
from hippo.records import (
    AfterStage,
    AtCheckpoint,
    CheckpointRef,
    Fresh,
    LeaseId,
    NodeId,
    Snapshot,
    Span,
    Stage,
    Underway,
)
from hippo.stages import IncrementalStageTree, StageTree, build_stage_tree
from hippo.stages.needs import LeasedSpan, LocalNeeds, has_state
from hippo.testing.oracle import unit_steps

from .vectors import H1, H2, linked, rows, view

State = tuple[str, ...]  # the pieces in force at 0, 1, ..., t: one string each
LAST = 9
CONFIGS = [
    Config({"lr": lr, "bs": bs})
    for lr in (Constant(0.1), MultiStep(0.1, [3], 0.1), MultiStep(0.1, [3, 6], 0.1))
    for bs in (Constant(32), Piecewise([32, 64], [5]))
]
configs, steps = st.sampled_from(CONFIGS), st.integers(1, LAST)
walks = st.tuples(configs, st.integers(0, LAST), steps, st.frozensets(steps, max_size=3))


class World:
    """A plan with requests, states and leases, and what brute force says must be done about it."""

    def __init__(self, wanted: list, kept: list, leases: list) -> None:  # type: ignore[type-arg]
        self.plan = SearchPlan(PlanRow(plan=1, workload="w", declared="{}", fork=0), NullListener())
        self.names: dict[tuple[int, int], State] = {}
        #: where values change on the way to a state
        self.joints: dict[State, set[State]] = {}
        for config in CONFIGS:
            nodes = self.plan.path(config)
            path = unit_steps(config, LAST)[-1]
            for step in range(1, LAST + 1):
                node = nodes.node_at(step)
                state = self.names[node.id, step] = tuple(path[:step])
                self.joints[state] = {state[: above.start] for above in node.lineage() if above.start}
        self.wanted = {self._ask(config, until, number) for number, (config, until) in enumerate(wanted)}
        self.states = {self._keep(config, step) for config, step in kept}
        self.reached: set[State] = set()
        self.ends: set[State] = set()
        #: of these, those that a lease only evaluates, and those that one comes by
        self.evaluated: set[State] = set()
        self.walked: set[State] = set()
        for number, (config, begin, end, passed) in enumerate(leases, start=1):
            self._walk(number, config, min(begin, end), end, passed)

    def _ask(self, config: Config, until: int, number: int) -> State:
        node = self.plan.path(config).node_at(until)
        self.plan.add_request(node, until, number)
        return self.names[node.id, until]

    def _keep(self, config: Config, step: int) -> State:
        node = self.plan.path(config).node_at(step)
        if step not in node.checkpoints:
            ref = CheckpointRef(key=f"{node.id}-{step}", size_bytes=1, sha256="", state_hash="")
            self.plan.facts.record_checkpoint(node, step, ref, 0.0, study=1)
        return self.names[node.id, step]

    def _walk(self, number: int, config: Config, begin: int, end: int, passed: frozenset[int]) -> None:
        spans = [
            Span(node=node.id, start=max(start, begin), stop=stop)
            for node, start, stop in self.plan.path(config).node_at(end).spans(end)
            if stop > begin or stop == begin == end
        ]
        self.plan.leases.open(LeaseId(number), spans, slot="a", started_at=0.0)
        for span in spans:
            left = range(span.start + 1, span.stop + 1) if span.start < span.stop else [span.stop]
            for step in left:
                if step in passed:
                    self.plan.leases.mark_passed(LeaseId(number), (span.node, step))
                    continue
                state = self.names[span.node, step]
                self.reached.add(state)
                (self.evaluated if span.start == span.stop else self.walked).add(state)
                if step == span.stop:
                    self.ends.add(state)

    def expected(self) -> dict[State, str | int]:
        """Return what must be done: the end of each stage, with "evaluate", "wait" or the step to run from."""
        ends: set[State] = set()
        while set(found := self._stages_if_others_end_at(ends)) != ends:
            ends = set(found)
        return found

    def _stages_if_others_end_at(self, ends: set[State]) -> dict[State, str | int]:
        found: dict[State, str | int] = {}
        needed = list(self.wanted)
        while needed:
            state = needed.pop()
            if state in self.states and state not in self.evaluated:
                found[state] = "evaluate"
            elif state in self.reached:
                found[state] = "wait"
            else:
                ready = self.states | self.ends | self.wanted | self.joints[state] | ends
                source = next(state[:at] for at in range(len(state) - 1, -1, -1) if not at or state[:at] in ready)
                found[state] = len(source)
                needed += [source] if source and source not in self.states else []
        return found

    def done(self, tree: StageTree) -> dict[State, str | int]:
        return {self.names[point]: _what(stage) for point, stage in tree.stages.items()}


def _what(stage: Stage) -> str | int:
    if isinstance(stage.base, Underway):
        return "wait"
    return "evaluate" if stage.start == stage.stop else stage.start


def _in_order(tree: StageTree) -> Iterator[tuple[Stage, Stage]]:
    """Yield the stages of each node, two by two as they follow each other."""
    stages = sorted(tree.stages.values(), key=lambda stage: stage.point)
    yield from ((a, b) for a, b in itertools.pairwise(stages) if a.node == b.node)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.tuples(configs, steps), min_size=1, max_size=5),
    st.lists(st.tuples(configs, steps), max_size=3),
    st.lists(walks, max_size=3),
)
def test_what_leases_will_leave_is_waited_for_and_the_rest_is_run_from_the_nearest_state(  # type: ignore[no-untyped-def]
    wanted, kept, leases
) -> None:
    world = World(wanted, kept, leases)
    tree = build_stage_tree(world.plan.snapshot())
    assert world.done(tree) == world.expected()
    assert all(before.stop <= after.start for before, after in _in_order(tree))
    for stage in tree.stages.values():
        match stage.base:
            case AfterStage(before):
                assert before in tree.stages
                assert before[1] == stage.start
            case AtCheckpoint(node, step):
                assert world.names[node, step] in world.states
                assert step == stage.start
            case Fresh():
                assert stage.start == 0


# --- one node by itself


def needs(*spans: LeasedSpan, **facts: tuple[int, ...]) -> LocalNeeds:
    return LocalNeeds(view(1, 2, **facts), spans)


def test_a_state_at_the_start_of_a_node_is_its_parents_though_the_node_claims_one() -> None:
    assert not has_state(view(1, 2, checkpoints=(2,)), 2)
    assert needs(requests=(5,), checkpoints=(2,)).stages(()) == ([], 5)


def test_an_evaluation_under_way_is_waited_for_and_not_begun_again() -> None:
    evaluating = needs(LeasedSpan(5, 5, LeaseId(1)), requests=(5,), checkpoints=(5,))
    assert evaluating.stages(())[0] == [Stage(node=H1, start=5, stop=5, base=Underway(LeaseId(1)))]
    passing = needs(LeasedSpan(2, 9, LeaseId(1)), requests=(5,), checkpoints=(5,))
    (stage,), _ = passing.stages(())
    assert stage.base == AtCheckpoint(H1, 5)


def test_of_several_leases_below_the_one_that_comes_nearest_is_waited_for() -> None:
    nearest = needs(LeasedSpan(2, 4, LeaseId(1)), LeasedSpan(4, 6, LeaseId(2)), requests=(9,))
    assert nearest.stages(())[0] == [
        Stage(node=H1, start=4, stop=6, base=Underway(LeaseId(2))),
        Stage(node=H1, start=6, stop=9, base=AfterStage((H1, 6))),
    ]


# --- nodes that begin where their parent does


def test_the_state_where_several_nodes_begin_belongs_to_the_one_that_leads_there() -> None:
    nodes = linked([view(1, 0, checkpoints=(4,)), view(2, 4, 1), view(3, 4, 2, requests=(6,))])
    twin = IncrementalStageTree()
    twin.touched(nodes[NodeId(3)], 6)
    assert rows(twin.tree) == {(3, 4, 6, AtCheckpoint(H1, 4))}
    assert twin.tree == build_stage_tree(Snapshot(nodes=nodes))


# --- the incremental tree, by what it is asked


class Followed:
    """A plan of one node, asked for step 9, which a lease walks; and the tree that follows it."""

    def __init__(self) -> None:
        self.twin = IncrementalStageTree()
        self.plan = SearchPlan(PlanRow(plan=1, workload="w", declared="{}", fork=0), self.twin)
        self.node = self.plan.path(CONFIGS[0]).node_at(LAST)
        self.ask(9)
        self.lend(7, 9)

    def ask(self, step: int) -> None:
        self.plan.add_request(self.node, step, step)

    def lend(self, number: int, stop: int) -> None:
        spans = [Span(node=self.node.id, start=0, stop=stop)]
        self.plan.leases.open(LeaseId(number), spans, slot="a", started_at=0.0)


@pytest.fixture
def followed() -> Followed:
    return Followed()


def test_where_the_stages_of_a_node_end_is_known_without_a_look_at_the_tree(followed: Followed) -> None:
    assert followed.twin.ends(H1) == (9,)
    followed.ask(4)
    assert followed.twin.ends(H1) == (4, 9)
    assert followed.twin.ends(H2) == ()


def test_stages_under_way_are_taken_once_and_again_when_their_node_is_touched(followed: Followed) -> None:
    assert [stage.stop for stage in followed.twin.take_underway()] == [9]
    assert followed.twin.take_underway() == []
    followed.ask(4)
    assert sorted(stage.stop for stage in followed.twin.take_underway()) == [4, 9]


def test_a_stage_that_is_gone_before_anybody_took_it_is_not_taken(followed: Followed) -> None:
    followed.ask(4)
    assert len(followed.twin.tree) == 2
    followed.plan.remove_request(followed.node, 4, 4)
    assert [stage.stop for stage in followed.twin.take_underway()] == [9]


def test_a_boundary_that_one_lease_has_passed_another_may_still_reach(followed: Followed) -> None:
    followed.plan.leases.mark_passed(LeaseId(7), (H1, 4))
    followed.lend(8, 4)
    followed.ask(3)
    followed.plan.leases.mark_passed(LeaseId(7), (H1, 3))
    assert followed.twin.tree.underway(LeaseId(8)) == {(H1, 3)}


def test_a_node_of_which_nothing_is_wanted_any_more_demands_nothing_of_its_parent(followed: Followed) -> None:
    plan, twin = followed.plan, followed.twin
    plan.leases.close(LeaseId(7), "done")
    branch = plan.path(CONFIGS[2]).node_at(6)
    plan.add_request(branch, 6, 1)
    assert twin.ends(H1) == (3, 9)
    plan.remove_request(branch, 6, 1)
    assert twin.ends(H1) == (9,)


def test_the_tree_forgets_a_node_when_it_is_through_with_it(followed: Followed) -> None:
    followed.plan.remove_request(followed.node, 9, 9)
    followed.plan.leases.close(LeaseId(7), "done")
    assert len(followed.twin.tree) == followed.twin.num_nodes == 0
