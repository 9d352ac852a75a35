"""A plan opened by parts answers, and gives work out, as one that was loaded whole, whatever happened before."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippo.events import Check, CheckpointUnusable, ExactnessChecked, StageFailed, StepDone
from hippo.hparams import Config, Piecewise
from hippo.plan import (
    AbstractPlanStore,
    Insert,
    MemoryStore,
    Moment,
    NodeRow,
    NullListener,
    PlanRow,
    SearchPlan,
    open_store,
)
from hippo.records import Failure, LeaseId, NodeId
from hippo.runtime.plans.plan_run import PlanRun
from hippo.runtime.studies.requests import Request
from hippo.simulation.clock import VirtualClock
from hippo.testing.servers import emptied

from ..plan.plans import CONFIGS, PLAN, new_plan, run_step
from ..plan.test_loading import facts, facts_of
from .runs import SPEC, Bench


class CountingStore(MemoryStore):
    """Rows in memory, of which plans are opened by parts."""

    opens_by_parts = True

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0

    @contextlib.contextmanager
    def durable(self) -> Iterator[Moment]:
        self.looks += 1
        yield self


class Half(Bench):
    """A plan at work that is opened again and again, always in the same way."""

    def __init__(self, store: Any) -> None:
        super().__init__()
        self.store = store
        store.uuid = "u"
        self.row = store.add_plan(PlanRow(plan=0, workload="w", declared="{}", fork=0))
        self.leases = itertools.count(1)
        self.study = self.new_study()
        self.reopen()

    def reopen(self) -> Any:
        changes = self.run.plan.changes.take()
        self.store.commit(changes)
        self.run = PlanRun(self.store, self.store.rows(PlanRow)[0], SPEC, VirtualClock())
        self.run.plan.take_over("me")
        self.requests: list[Request] = []
        return changes

    # --- what may happen; each returns what could be seen of it

    def ask_for(self, config: Config, until: int, evaluate: bool) -> Any:
        request = self.request(config, until, evaluate=evaluate)
        is_answered = self.run.waiting.add(request)
        self.requests.append(request)
        return (
            is_answered,
            request.failure,
            request.node.id,
            facts_of(self.run.plan, request.node) if is_answered else None,
        )

    def withdraw(self, number: int) -> None:
        if self.requests:
            self.run.waiting.remove(self.requests.pop(number % len(self.requests)))

    def missing(self, config: Config, until: int) -> int:
        return self.run.remaining.uncovered(config, until, owner="")

    def lend(self) -> Any:
        if not self.run.remaining.tree.num_ready:
            return None
        assignment = self.give_out(next(self.leases) + self.run.plan.leases.last)
        return replace(assignment, plan="", lease=LeaseId(0))

    def work(self, number: int, steps: int) -> Any:
        """Let a worker run some steps of its lane, and end if it comes to the lane's end."""
        if not self.run.running:
            return None
        lease = sorted(self.run.running)[number % len(self.run.running)]
        (lane,) = self.run.running[lease].assignment.lanes
        said: list[Any] = []
        for stage in lane.stages:
            ran = [step for step in range(stage.start + 1, stage.stop + 1) if not self._ran(stage.node, step, lease)]
            for step in ran[:steps]:
                said.append(self._causes(stage.node, step))
                self.say(StepDone(lease=lease, lane=0, node=stage.node, step=step, training={}, seconds=1.0 + step / 9))
            steps -= min(steps, len(ran))
            if steps <= 0 and ran:
                return said
            self.evaluated(stage.node, stage.stop, 1.0, lease=lease)
            self.written(stage.node, stage.stop, key=f"{lease}-{stage.node}-{stage.stop}", lease=lease)
        self.end(lease)
        return said

    def _ran(self, node: NodeId, step: int, lease: LeaseId) -> bool:
        return self.run.plan.facts.is_told_again(self.run.plan.nodes[node], step, lease)

    def _causes(self, node: NodeId, step: int) -> Any:
        return self.run.plan.cause_of(self.run.plan.nodes[node], step, resumed_at=0)

    def lose(self, number: int) -> None:
        if self.run.running:
            self.end(sorted(self.run.running)[number % len(self.run.running)], how="lost")

    def forget(self, number: int, step: int, corrupt: bool) -> Any:
        """Let a worker of any time say that a state cannot be loaded."""
        node = self._some_node(number)
        if node is None or step not in self.run.plan.nodes[node].checkpoints:
            return None
        key = self.run.plan.nodes[node].checkpoints[step].key
        self.say(
            CheckpointUnusable(
                lease=LeaseId(0), lane=0, node=node, step=step, key=key, corrupt=corrupt, reason="x", is_expected=True
            )
        )
        return key

    def fail(self, number: int, step: int) -> Any:
        node = self._some_node(number)
        if node is None:
            return None
        failure = Failure(node=node, step=step, method="train", error="no")
        outcome = self.say(StageFailed(lease=LeaseId(0), lane=0, failure=failure))
        return [request.id for request in outcome.answerable]

    def check(self) -> None:
        for lease, running in sorted(self.run.running.items()):
            stage = running.assignment.lanes[0].stages[0]
            points = ((stage.node, stage.stop),)
            which = Check.FIRST_STEPS
            self.say(
                ExactnessChecked(lease=lease, lane=0, which=which, proven=True, detail="", steps=points, seconds=1.0)
            )

    def _some_node(self, number: int) -> NodeId | None:
        count = self.store.largest(NodeRow, "node") if isinstance(self.store, MemoryStore) else None
        if count is None:
            with self.store.reading() as rows:
                count = rows.largest(NodeRow, "node")
        return None if not count else NodeId(1 + number % count)

    def seen(self) -> Any:
        """Return all that a scheduler, an engine or a tuner could tell it by."""
        return (
            dict(self.run.remaining.tree.stages),
            self.run.remaining.left(self.run.running),
            self.run.plan.snapshot(),
            [replace(row, plan=0) for row in [self.run.plan.row]],
            self.run.plan.leases.last,
            self.run.plan.facts.has_failures,
        )


_number, _step = st.integers(0, 50), st.integers(1, 12)
_config = st.sampled_from(CONFIGS)
happenings = st.one_of(
    st.tuples(st.just("ask_for"), _config, _step, st.booleans()),
    st.tuples(st.just("ask_for"), _config, _step, st.booleans()),
    st.tuples(st.just("withdraw"), _number),
    st.tuples(st.just("missing"), _config, _step),
    st.tuples(st.just("lend")),
    st.tuples(st.just("lend")),
    st.tuples(st.just("work"), _number, _step),
    st.tuples(st.just("work"), _number, _step),
    st.tuples(st.just("lose"), _number),
    st.tuples(st.just("forget"), _number, _step, st.booleans()),
    st.tuples(st.just("fail"), _number, _step),
    st.tuples(st.just("check")),
    st.tuples(st.just("reopen")),
    st.tuples(st.just("reopen")),
)


def run_both(whole: Half, parts: Half, history: Sequence[tuple[Any, ...]]) -> None:
    for name, *arguments in (*history, ("reopen",)):
        assert getattr(whole, name)(*arguments) == getattr(parts, name)(*arguments)
        assert whole.seen() == parts.seen()
    assert len(list(parts.run.plan.nodes)) <= len(whole.run.plan.nodes)
    with parts.store.reading() as rows:
        again = SearchPlan.load(rows, parts.store.rows(PlanRow)[0], NullListener())
    assert {**facts(again), "row": None} == {**facts(whole.run.plan), "row": None}


@settings(max_examples=60, deadline=None)
@given(st.lists(happenings, max_size=40))
def test_whole_and_by_parts_give_the_same_nodes_facts_tree_and_assignments(history: list[tuple[Any, ...]]) -> None:
    run_both(Half(MemoryStore()), Half(CountingStore()), history)


long_histories = st.lists(happenings, min_size=20, max_size=60)
_one_folder = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])


@pytest.mark.slow
@settings(_one_folder, max_examples=25)
@given(long_histories)
def test_so_do_a_plan_in_memory_and_one_in_a_file(tmp_path: Path, history: list[tuple[Any, ...]]) -> None:
    store = open_store(f"sqlite:///{tmp_path}/{next(_files)}.db")
    run_both(Half(MemoryStore()), Half(store), history)
    store.close()


_files = itertools.count()


@pytest.mark.slow
@settings(_one_folder, max_examples=15)
@given(long_histories)
def test_so_do_a_plan_in_memory_and_one_in_a_server(server_url: str, history: list[tuple[Any, ...]]) -> None:
    store = open_store(emptied(server_url))
    run_both(Half(MemoryStore()), Half(store), history)
    store.close()


# --- what it costs


def grid(count: int) -> list[Config]:
    return [Config({"lr": 0.3 + number / 1e6, "bs": 32}) for number in range(count)]


def trained(configs: Sequence[Config], store: CountingStore | None = None) -> CountingStore:
    """Return a store with a plan on which each config is trained for two steps."""
    store = store or CountingStore()
    store.add_plan(replace(PLAN, plan=0))
    plan = new_plan()
    for config in configs:
        for step in (1, 2):
            run_step(plan, plan.path(config).node_at(step), step)
    store.commit(plan.changes.take())
    return store


def opened(store: CountingStore) -> SearchPlan:
    plan = SearchPlan.open(store, store.rows(PlanRow)[0], NullListener())
    store.looks = 0
    return plan


def test_of_a_new_plan_nothing_is_ever_looked_up() -> None:
    plan = opened(store := trained([]))
    for config in CONFIGS:
        plan.path(config).node_at(12)
        list(plan.known_spans(config, 12))
    assert (plan.nodes.is_in_parts, store.looks) == (False, 0)


def test_below_a_node_that_this_process_made_nothing_is_looked_up() -> None:
    plan = opened(store := trained(grid(1000)))
    plan.path(CONFIGS[0]).node_at(1)
    before = store.looks
    for config in CONFIGS[:6]:  # they all begin alike
        plan.path(config).node_at(12)
    assert store.looks == before


def test_what_was_found_missing_is_not_looked_up_again_and_what_was_made_since_is_found() -> None:
    plan = opened(store := trained(grid(1000)))
    assert list(plan.known_spans(CONFIGS[0], 12)) == []
    before = store.looks
    assert list(plan.known_spans(CONFIGS[0], 12)) == []
    node = plan.path(CONFIGS[0]).node_at(12)
    assert list(plan.known_spans(CONFIGS[0], 12)) == [(node, 0, 12)]
    assert store.looks == before
    assert node.id == 1001


def test_nothing_comes_into_memory_but_what_is_asked_for() -> None:
    plan = opened(trained([*grid(1000), *CONFIGS]))
    plan.path(CONFIGS[-1]).node_at(12)
    assert len(plan.nodes) <= 2  # its own


def test_a_thousand_configs_that_are_expected_come_with_a_handful_of_statements() -> None:
    configs = grid(3000)
    plan = opened(store := trained(configs))
    paths = [plan.path(config) for config in configs[::3]]
    plan.nodes.expect(way for path in paths if (way := path.ahead(2)) is not None)
    assert store.looks <= 2
    assert [sorted(path.node_at(2).training) for path in paths] == [[1, 2]] * 1000
    assert (store.looks <= 2, len(plan.nodes)) == (True, 1000)


def test_configs_that_are_asked_one_by_one_in_the_order_of_their_nodes_are_read_ahead() -> None:
    configs = grid(3000)
    plan = opened(store := trained(configs))
    for config in configs[500:]:
        plan.path(config).node_at(2)
    assert store.looks < 100


def test_nodes_that_are_looked_up_one_by_one_are_listed_when_that_is_cheaper() -> None:
    plan = opened(store := trained(grid(1000)))
    for config in (Config({"lr": 9.0 + number, "bs": 32}) for number in range(500)):
        plan.path(config).node_at(2)
    assert store.looks < 15


def test_a_node_that_is_named_by_its_number_comes_with_its_ancestors_and_one_that_is_not_there_does_not() -> None:
    plan = opened(trained([]))
    with pytest.raises(KeyError):
        plan.nodes[NodeId(1)]
    store = CountingStore()
    store.add_plan(replace(PLAN, plan=0))
    chain = Config({"lr": 0.1, "bs": 32})
    before = new_plan()
    for step in range(1, 30):
        chain = chain.switch(at=step, lr=0.1 + step)
    leaf = before.path(chain).node_at(30)
    store.commit(before.changes.take())
    plan = opened(store)
    node = plan.nodes[leaf.id]
    assert store.looks == 1
    assert [each.id for each in node.lineage()] == [each.id for each in leaf.lineage()]
    with pytest.raises(KeyError):
        plan.nodes[NodeId(leaf.id + 1)]


def test_a_config_that_is_known_comes_whole_and_with_two_statements_however_often_its_values_change() -> None:
    config = Config({"lr": Piecewise([0.1, 0.2, 0.3, 0.4], [3, 6, 9]), "bs": 32})
    plan = opened(store := trained([*grid(1000), config]))
    node = plan.path(config).node_at(2)
    assert (store.looks, sorted(node.training)) == (2, [1, 2])
    store.commit(opened_elsewhere(store, config).changes.take())
    plan = opened(store)
    assert plan.path(config).node_at(12).start == 9
    assert (store.looks, len(plan.nodes)) == (2, 4)


def opened_elsewhere(store: CountingStore, config: Config) -> SearchPlan:
    """Return a plan to which somebody added the nodes of a config."""
    plan = opened(store)
    plan.path(config).node_at(12)
    return plan


def test_equal_pieces_that_begin_at_other_steps_are_other_nodes() -> None:
    early, late = (Config({"lr": Piecewise([0.1, 0.2], [at]), "bs": 32}) for at in (3, 6))
    store = trained([early])
    store.commit(opened_elsewhere(store, early).changes.take())
    plan = opened(store)
    assert [plan.path(late).node_at(12).start, plan.path(early).node_at(12).start] == [6, 3]


def test_roots_of_their_owners_are_told_apart() -> None:
    store = CountingStore()
    store.add_plan(replace(PLAN, plan=0))
    before = new_plan()
    made = [before.path(CONFIGS[0], owner=owner).node_at(1).id for owner in ("", "1/0", "1/1")]
    store.commit(before.changes.take())
    plan = opened(store)
    assert [plan.path(CONFIGS[0], owner=owner).node_at(1).id for owner in ("", "1/0", "1/1", "1/2")] == [*made, 4]


def test_what_this_process_holds_back_is_not_missed(tmp_path: Path) -> None:
    """Nodes that were made here are in memory, whether they are durable or not."""
    store = open_store(f"sqlite:///{tmp_path}/hippo.db")
    store.add_plan(replace(PLAN, plan=0))
    store.commit([Insert(replace(NODE, digest="d"))])
    plan = SearchPlan.open(store, store.rows(PlanRow)[0], NullListener())
    one = plan.path(CONFIGS[0]).node_at(12)
    other = plan.path(CONFIGS[0]).node_at(12)
    assert one is other
    assert [change.row.node for change in plan.changes.take()] == [2]  # type: ignore[union-attr]


NODE = NodeRow(plan=1, node=1, parent=None, start=0, pieces="{}")


# --- what it costs in a server


@pytest.mark.slow
def test_a_plan_in_a_server_is_opened_and_asked_with_as_many_statements_however_large_it_is(server_url: str) -> None:
    store, counts = open_store(server_url), list[tuple[int, int]]()
    for first, count in ((0, 200), (200, 2800)):
        write_trained(store, grid(3000)[first : first + count])
        with counted_statements() as statements:
            plan = SearchPlan.open(store, store.rows(PlanRow)[0], NullListener())
            paths = [plan.path(config) for config in grid(100)]
            plan.nodes.expect(way for path in paths if (way := path.ahead(2)) is not None)
            assert [sorted(path.node_at(2).training) for path in paths] == [[1, 2]] * 100
        assert len(plan.nodes) <= 101
        counts.append(len(statements))
    assert counts[0] == counts[1] <= 40
    store.close()


def write_trained(store: AbstractPlanStore, configs: Sequence[Config]) -> None:
    """Train each config for two steps on the only plan of a store."""
    row = store.add_plan(replace(PLAN, plan=0))
    plan = SearchPlan.open(store, row, NullListener())
    for config in configs:
        for step in (1, 2):
            run_step(plan, plan.path(config).node_at(step), step)
    store.commit(plan.changes.take())


@contextlib.contextmanager
def counted_statements() -> Iterator[list[str]]:
    """Yield a list to which each statement is added that any SQL database is sent."""
    sent: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        sent.append(statement)

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)
