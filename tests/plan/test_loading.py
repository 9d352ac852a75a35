"""A plan that another process opens knows what the first one knew, whatever happened in whatever order."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from hippo.hparams import Config
from hippo.plan import Cause, FailureRow, MemoryStore, Node, NullListener, SearchPlan, Update
from hippo.records import Exactness, Failure

from .plans import CONFIGS, PLAN, evaluate, keep, lend, new_plan, node_at, ref, reopened, run_step

configs = st.sampled_from(CONFIGS)
steps = st.integers(1, 12)


class Reopening(RuleBasedStateMachine):
    """A plan to which anything may happen, and what a second process reads of it."""

    def __init__(self) -> None:
        super().__init__()
        self.store = MemoryStore()
        self.store.add_plan(replace(PLAN, plan=0))
        self.plan = new_plan()
        self.numbers = itertools.count(1)
        self.keys: list[str] = []

    @rule(config=configs, step=steps, value=st.integers(0, 2), cause=st.sampled_from([Cause.FIRST, Cause.LOST]))
    def train(self, config: Config, step: int, value: int, cause: Cause) -> None:
        run_step(
            self.plan, node_at(self.plan, config, step), step, {"slope": value}, lease=next(self.numbers), cause=cause
        )

    @rule(config=configs)
    def check(self, config: Config) -> None:
        node = node_at(self.plan, config, 2)  # whether it was told of as run yet, or not: words may be reordered
        self.plan.facts.record_check(node, 2, 1.0, study=1)

    @rule(config=configs, step=steps, value=st.integers(0, 2))
    def evaluate(self, config: Config, step: int, value: int) -> None:
        evaluate(self.plan, node_at(self.plan, config, step), step, {"loss": value}, seconds=2.0)

    @rule(config=configs, step=steps)
    def hash_a_state(self, config: Config, step: int) -> None:
        self.plan.facts.record_state_hash(node_at(self.plan, config, step), step, str(next(self.numbers)))

    @rule(config=configs, step=steps)
    def write(self, config: Config, step: int) -> None:
        node = node_at(self.plan, config, step)
        if step not in node.checkpoints:
            self.keys.append(f"k{-next(self.numbers) % 1000}")  # the later, the earlier in the order of names
            keep(self.plan, node, step, self.keys[-1])

    @rule(config=configs, step=steps, reason=st.sampled_from(["corrupt", "missing", "evicted"]))
    def forget(self, config: Config, step: int, reason: str) -> None:
        node = node_at(self.plan, config, step)
        if step in node.checkpoints:
            self.plan.facts.forget_checkpoint(node, step, node.checkpoints[step].key, reason)

    @rule(config=configs, step=steps)
    def fail(self, config: Config, step: int) -> None:
        node = node_at(self.plan, config, step)
        self.plan.facts.record_failure(
            Failure(node=node.id, step=step, method="train", error="no", traceback="at home")
        )

    @rule(config=configs, step=steps, how=st.sampled_from(["done", "lost", "void"]))
    def walk(self, config: Config, step: int, how: str) -> None:
        node = node_at(self.plan, config, step)
        lease = lend(self.plan, next(self.numbers) + self.plan.leases.last, (node, node.start, step))
        self.plan.leases.close(lease, how)

    @rule(verdict=st.sampled_from(Exactness))
    def judge(self, verdict: Exactness) -> None:
        self.plan.set_exactness(verdict)

    @invariant()
    def a_second_process_knows_the_same(self) -> None:
        again = reopened(self.plan, self.store)
        assert facts(again) == facts(self.plan)
        assert again.changes.take() == []

    @invariant()
    def a_name_that_was_ever_given_to_a_state_is_known_though_the_state_be_gone(self) -> None:
        again = reopened(self.plan, self.store)
        for node in again.nodes.values():
            assert not any(again.facts.record_checkpoint(node, 1, ref(key), 1.0, study=1) for key in self.keys)


def facts(plan: SearchPlan) -> dict[str, Any]:
    return {
        "row": plan.row,
        "failed": plan.facts.has_failures,
        "last_lease": plan.leases.last,
        "nodes": {number: facts_of(plan, node) for number, node in plan.nodes.items()},
    }


def facts_of(plan: SearchPlan, node: Node) -> dict[str, Any]:
    return {
        "key": (
            None if node.parent is None else node.parent.id,
            node.start,
            {n: p.key for n, p in node.pieces.items()},
        ),
        "children": {key: child.id for key, child in node.children.items()},
        "training": node.training,
        "metrics": node.metrics,
        "seconds": node.seconds,
        "evaluate_seconds": dict(node.seconds.evaluating),
        "checkpoints": node.checkpoints,
        "state_hashes": node.state_hashes,
        "failures": node.failures,
        "run": [node.runs.has(step) for step in range(14)],
        "causes": [plan.cause_of(node, step, resumed_at=at) for step in range(14) for at in (0, 5)],
    }


TestReopening = pytest.mark.slow(Reopening.TestCase)
TestReopening.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


def test_a_step_that_was_run_before_is_numbered_on_by_the_next_process() -> None:
    store = MemoryStore()
    store.add_plan(replace(PLAN, plan=0))
    plan = new_plan()
    for lease in (1, 2):
        run_step(plan, node_at(plan, CONFIGS[0], 1), 1, lease=lease)
    for attempts in (3, 4):  # a row that came twice would be refused
        plan = reopened(plan, store)
        run_step(plan, node_at(plan, CONFIGS[0], 1), 1, lease=attempts)
    reopened(plan, store)


def test_a_failure_that_was_voided_counts_no_more_and_its_number_is_not_used_again() -> None:
    store = MemoryStore()
    store.add_plan(replace(PLAN, plan=0))
    plan = new_plan()
    node = node_at(plan, CONFIGS[0], 3)
    plan.facts.record_failure(Failure(node=node.id, step=2, method="train", error="no"))
    store.commit(plan.changes.take())
    store.commit([Update(replace(row, voided=True)) for row in store.rows(FailureRow)])
    again = reopened(plan, store)
    assert again.nodes[node.id].failure_before(3) is None
    again.facts.record_failure(Failure(node=node.id, step=1, method="train", error="no"))
    reopened(again, store)
    assert [row.number for row in store.rows(FailureRow)] == [1, 2]


def test_an_older_file_that_is_gone_hides_no_newer_one_from_the_next_process() -> None:
    store = MemoryStore()
    store.add_plan(replace(PLAN, plan=0))
    plan = new_plan()
    node = node_at(plan, CONFIGS[0], 3)
    keep(plan, node, 3, "z")
    plan.facts.forget_checkpoint(node, 3, "z", "corrupt")
    keep(plan, node, 3, "a")  # which is read before it
    assert reopened(plan, store).nodes[node.id].checkpoints == {3: ref("a")}


@pytest.mark.parametrize("by_parts", [False, True])
def test_of_two_plans_in_a_database_each_knows_its_own(by_parts: bool) -> None:
    store = MemoryStore()
    plans = [SearchPlan(store.add_plan(replace(PLAN, plan=0, workload=name)), NullListener()) for name in ("a", "b")]
    for number, plan in enumerate(plans, start=1):  # what the second one has is not in the first one, and differs
        node = node_at(plan, CONFIGS[4 * number - 1], 4 * number)
        for step in range(number, 4 * number):
            run_step(plan, node, step, {"slope": number}, lease=number, seconds=number)
        evaluate(plan, node, number, {"loss": number})
        plan.facts.record_state_hash(node, number, f"hash {number}")
        keep(plan, node, number, f"k{number}")
        keep(plan, node, number + 1, f"gone{number}")
        plan.facts.forget_checkpoint(node, number + 1, f"gone{number}", "evicted")
        for step in range(9, 9 + number):
            plan.facts.record_failure(Failure(node=node.id, step=step, method="train", error="no"))
        root = node_at(plan, CONFIGS[4 * number - 1], 1)
        plan.leases.close(lend(plan, 6 + number, (root, 0, 4)), ["done", "lost"][number - 1])
        store.commit(plan.changes.take())
    for plan in plans:
        again = SearchPlan.open(store, plan.row, NullListener(), by_parts=by_parts)
        again.nodes.latest(9)
        assert facts(again) == facts(plan)
        assert (again.facts.num_failures, again.nodes.last) == (plan.facts.num_failures, plan.nodes.last)
