"""The stage tree against brute force: every step that is missing once, nothing else, in an order that can be walked.

The oracle knows no nodes. To it a step is the tuple of all pieces, with their origins, at every step up to it.
"""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given, settings

from hippo.hparams import Config, Constant, Cosine, Exponential, MultiStep, Piecewise, Sequence, Warmup
from hippo.plan import PlanRow, SearchPlan
from hippo.records import AfterStage, AtCheckpoint, CheckpointRef, Fresh
from hippo.stages import IncrementalStageTree, StageTree, build_stage_tree
from hippo.testing.oracle import unit_steps

Step = tuple[str, ...]  # the pieces in force at 0, 1, ..., t: one string each

RATES: list[Sequence] = [
    Constant(0.1),
    MultiStep(0.1, [3], 0.1),
    MultiStep(0.1, [3, 7], 0.1),
    Piecewise([0.1, Exponential(0.1, 0.9)], [5]),
    Exponential(0.1, 0.9),
    Warmup(4, 0.1).then(Cosine(0.1, 5)),
    Warmup(4, 0.1).then(Constant(0.1)),
]
SIZES: list[Sequence] = [Constant(32), Piecewise([32, 64], [5]), Piecewise([32, 64], [3])]
requests_drawn = st.lists(
    st.tuples(st.sampled_from(RATES), st.sampled_from(SIZES), st.integers(1, 12)), min_size=1, max_size=8
)


def prefix(config: Config, until: int) -> Step:
    """Return the oracle's name for step `until` of a config."""
    return unit_steps(config, until)[-1]


class Drawn:
    """A plan with these requests, and with states at the drawn prefixes of their paths."""

    def __init__(self, requests: list[tuple[Sequence, Sequence, int]], kept: list[int]) -> None:
        self.plan = SearchPlan(PlanRow(plan=1, workload="w", declared="{}", fork=0), IncrementalStageTree())
        self.wanted = [(Config({"lr": lr, "bs": bs}), until) for lr, bs, until in requests]
        self.states: set[Step] = set()
        self.names: dict[tuple[int, int], Step] = {}
        for number, (config, until) in enumerate(self.wanted):
            path = self.plan.path(config)
            for step in range(1, until + 1):
                self.names[(path.node_at(step).id, step)] = prefix(config, step)
            self.plan.add_request(path.node_at(until), until, number)
            if number < len(kept) and 0 < kept[number] < until:
                self._keep(config, kept[number])

    def _keep(self, config: Config, step: int) -> None:
        node = self.plan.path(config).node_at(step)
        ref = CheckpointRef(key=f"{node.id}-{step}", size_bytes=1, sha256="", state_hash="")
        if step not in node.checkpoints:
            self.plan.facts.record_checkpoint(node, step, ref, 0.0, study=1)
        self.states.add(prefix(config, step))

    def missing(self) -> set[Step]:
        """Return every step that some request needs and that no kept state makes needless."""
        needed = set()
        for config, until in self.wanted:
            path = prefix(config, until)
            if path in self.states:
                needed.add(path)  # only to be evaluated
                continue
            last = max((t for t in range(1, until) if path[:t] in self.states), default=0)
            needed |= {path[:t] for t in range(last + 1, until + 1)}
        return needed

    def walked(self, tree: StageTree) -> list[Step]:
        return [
            self.names[(stage.node, step)]
            for stage in tree.stages.values()
            for step in range(stage.start + 1, stage.stop + 1)
        ]


@settings(max_examples=200, deadline=None)
@given(requests_drawn, st.lists(st.integers(0, 11), max_size=4))
def test_the_stages_are_disjoint_and_cover_exactly_the_missing_steps(requests, kept) -> None:  # type: ignore[no-untyped-def]
    drawn = Drawn(requests, kept)
    tree = build_stage_tree(drawn.plan.snapshot())
    walked = drawn.walked(tree)
    assert len(walked) == len(set(walked))
    evaluated_only = {drawn.names[stage.point] for stage in tree.stages.values() if stage.start == stage.stop}
    assert set(walked) | evaluated_only == drawn.missing()


@settings(max_examples=200, deadline=None)
@given(requests_drawn, st.lists(st.integers(0, 11), max_size=4))
def test_every_stage_begins_where_something_is_or_will_be(requests, kept) -> None:  # type: ignore[no-untyped-def]
    drawn = Drawn(requests, kept)
    tree = build_stage_tree(drawn.plan.snapshot())
    for stage in tree.stages.values():
        match stage.base:
            case Fresh():
                assert stage.start == 0
            case AfterStage(before):
                assert before in tree.stages
                assert before[1] == stage.start
            case AtCheckpoint(node, step):
                assert drawn.names[(node, step)] in drawn.states
                assert step == stage.start


@settings(max_examples=100, deadline=None)
@given(requests_drawn)
def test_walking_the_tree_in_any_order_that_it_allows_runs_each_distinct_step_once(requests) -> None:  # type: ignore[no-untyped-def]
    drawn = Drawn(requests, [])
    run: list[Step] = []
    while stages := list(build_stage_tree(drawn.plan.snapshot()).stages.values()):
        stage = next(stage for stage in stages if isinstance(stage.base, Fresh | AtCheckpoint))
        run += [drawn.names[(stage.node, step)] for step in range(stage.start + 1, stage.stop + 1)]
        node = drawn.plan.nodes[stage.node]
        ref = CheckpointRef(key=f"{stage.point}", size_bytes=1, sha256="", state_hash="")
        if stage.stop not in node.checkpoints:
            drawn.plan.facts.record_checkpoint(node, stage.stop, ref, 0.0, study=1)
        for number in list(node.requests.get(stage.stop, ())):
            drawn.plan.facts.record_metrics(node, stage.stop, {"loss": 1.0}, 0.0, study=1)
            drawn.plan.remove_request(node, stage.stop, number)
    distinct = {prefix(config, t) for config, until in drawn.wanted for t in range(1, until + 1)}
    assert len(run) == len(distinct)
    assert set(run) == distinct
