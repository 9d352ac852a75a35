"""A config's way through the plan: the same whatever was asked before, and by whom."""

from __future__ import annotations

from dataclasses import replace

import hypothesis.strategies as st
from hypothesis import given

from hippo.plan import Cause, MemoryStore
from hippo.records import LeaseId
from hippo.testing.oracle import unit_steps

from .plans import BRANCH, CONFIGS, PLAN, TRUNK, new_plan, node_at, reopened

steps = st.integers(1, 12)


@given(st.lists(st.tuples(st.sampled_from(CONFIGS), steps)))
def test_who_asks_for_less_after_more_comes_to_the_same_node(asked: list) -> None:  # type: ignore[type-arg]
    plan = new_plan()
    trails = {config.key: plan.path(config) for config in CONFIGS}
    for config, until in asked:
        assert trails[config.key].node_at(until) is node_at(plan, config, until)


@given(st.sampled_from(CONFIGS), steps)
def test_a_state_belongs_to_a_node_that_begins_before_it(config, until) -> None:  # type: ignore[no-untyped-def]
    plan = new_plan()
    node = node_at(plan, config, 12).owner_of(until)
    assert node is node_at(plan, config, until)
    assert node.start < until


@given(st.sampled_from(CONFIGS), st.sampled_from(CONFIGS), steps)
def test_two_configs_are_at_one_node_as_long_as_all_their_pieces_agree(one, other, until) -> None:  # type: ignore[no-untyped-def]
    plan = new_plan()
    is_shared = unit_steps(one, until)[-1] == unit_steps(other, until)[-1]
    assert (node_at(plan, one, until) is node_at(plan, other, until)) is is_shared


def test_configs_are_one_node_as_long_as_they_are_equal_and_no_longer() -> None:
    plan = new_plan()
    assert node_at(plan, TRUNK, 4) is node_at(plan, BRANCH, 4)
    assert node_at(plan, TRUNK, 5) is not node_at(plan, BRANCH, 5)


def test_a_node_is_made_once_however_often_its_config_comes() -> None:
    plan = new_plan()
    for _ in range(3):
        node_at(plan, BRANCH, 9)
    assert len(plan.nodes) == 2


def test_an_owner_has_its_root_to_itself_in_another_process_too() -> None:
    store = MemoryStore()
    store.add_plan(replace(PLAN, plan=0))
    plan = new_plan()
    numbers = [plan.path(BRANCH, owner=owner).node_at(6).id for owner in ("", "1/0", "1/1")]
    assert len(set(numbers)) == 3
    again = reopened(plan, store)
    assert [again.path(BRANCH, owner=owner).node_at(6).id for owner in ("", "1/0", "1/1")] == numbers


@given(st.sampled_from(CONFIGS), steps, st.sampled_from(CONFIGS), steps)
def test_known_spans_are_the_way_as_far_as_it_is_there_and_make_nothing(walked, to, config, until) -> None:  # type: ignore[no-untyped-def]
    plan = new_plan()
    node_at(plan, walked, to)
    before = dict(plan.nodes)
    spans = list(plan.known_spans(config, until))
    assert plan.nodes == before
    assert spans == node_at(plan, config, until).spans(until)[: len(spans)]
    assert all(node.id in before for node, _, _ in spans)


def test_what_is_trained_under_an_owner_is_unknown_to_everybody_else() -> None:
    plan = new_plan()
    own = plan.path(TRUNK, owner="1/0").node_at(3)
    plan.record_step(own, 1, {}, 1.0, lease=LeaseId(1), cause=Cause.FIRST, study=1)
    assert list(plan.known_spans(TRUNK, 3)) == []
    assert list(plan.known_spans(TRUNK, 3, owner="1/0")) == [(own, 0, 3)]
