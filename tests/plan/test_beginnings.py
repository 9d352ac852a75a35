"""Roots that are states of another plan: found again by the state, and never confused with a new model's."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given

from hippo.hparams import Config, Constant, Piecewise, path
from hippo.plan import Cause, ConfigPaths, MemoryStore, Node, NullListener, SearchPlan
from hippo.plan.beginnings import beginning
from hippo.plan.beginnings import begun as begun_from
from hippo.records import LeaseId

from .plans import CONFIGS, PLAN, TRUNK, new_plan, node_at, run_steps

steps = st.integers(1, 12)
HASH = "5f" * 32


def begun(plan: SearchPlan, config: Config, at: int, state_hash: str = HASH) -> Node:
    """Return the root that is a state of a config's path."""
    before = node_at(new_plan(), config, at).pieces
    return plan.nodes.begin_at(at, state_hash, before)


@given(st.integers(1, 10**9), st.text("0123456789abcdef", min_size=1))
def test_an_owner_says_at_which_step_its_root_begins(step: int, state_hash: str) -> None:
    assert begun_from(beginning(step, state_hash)) == (step, state_hash)


@given(st.integers(0, 99), st.integers(0, 10**9))
def test_the_owner_of_a_root_that_is_not_shared_names_no_state(study: int, number: int) -> None:
    assert begun_from(f"{study}/{number}") is begun_from("") is None


@given(st.sampled_from(CONFIGS), st.integers(1, 11), st.integers(1, 12))
def test_behind_the_state_a_path_is_what_it_is_in_the_plan_of_the_state(config: Config, at: int, more: int) -> None:
    plan = new_plan()
    root = begun(plan, config, at)
    end, whole = ConfigPaths(plan.nodes, root).of(config).node_at(at + more), node_at(new_plan(), config, at + more)
    for step in range(at, at + more + 1):
        assert end.owner_of(step).pieces == whole.owner_of(step).pieces
    changes = [start for start, _ in path(config, at + more) if start >= at]
    assert [node.start for node, _, _ in end.spans(at + more)] == [0, *changes]
    assert end.owner_of(at) is root


@given(st.sampled_from(CONFIGS), st.integers(1, 11))
def test_who_switches_at_the_state_is_a_child_of_it_whatever_else_its_past_may_have_been(
    config: Config, at: int
) -> None:
    plan = new_plan()
    root = begun(plan, config, at)
    paths = ConfigPaths(plan.nodes, root)
    switched = config.switch(at=at, lr=Constant(0.7))
    node = paths.of(switched).node_at(at + 1)
    assert (node.parent, node.start) == (root, at)
    assert paths.of(Config.from_json(switched.to_json())).node_at(at + 1) is node
    other = Config({"lr": Piecewise([0.9, 0.7], [at]), "bs": config["bs"]})
    assert paths.of(other).node_at(at + 1) is node


@given(st.sampled_from(CONFIGS), st.integers(1, 8))
def test_a_config_that_is_switched_twice_goes_on_along_its_first_branch(config: Config, at: int) -> None:
    plan = new_plan()
    paths = ConfigPaths(plan.nodes, begun(plan, config, at))
    once = config.switch(at=at, lr=Constant(0.7))
    twice = once.switch(at=at + 2, lr=Constant(0.6))
    assert paths.of(twice).node_at(at + 2) is paths.of(once).node_at(at + 2)
    assert paths.of(twice).node_at(at + 3).parent is paths.of(once).node_at(at + 2)


def test_a_state_is_one_root_and_another_state_another() -> None:
    plan = new_plan()
    root = begun(plan, TRUNK, 4)
    assert begun(plan, TRUNK, 4) is root
    assert begun(plan, TRUNK, 5) is not root
    assert begun(plan, TRUNK, 4, "00" * 32) is not root
    assert node_at(plan, TRUNK, 4) is not root


def test_what_begins_at_a_state_is_no_part_of_a_path_from_a_new_model() -> None:
    plan = new_plan()
    there = ConfigPaths(plan.nodes, begun(plan, TRUNK, 4)).of(TRUNK).node_at(6)
    run_steps(plan, there, range(5, 7))
    assert list(plan.known_spans(TRUNK, 6)) == []
    assert 5 not in node_at(plan, TRUNK, 6).training


def test_its_first_steps_are_trained_elsewhere_and_cost_nothing_here() -> None:
    plan = new_plan()
    root = begun(plan, TRUNK, 4)
    end = ConfigPaths(plan.nodes, root).of(TRUNK.switch(at=6, lr=Constant(0.7))).node_at(8)
    assert root.steps_reached(4) == 4
    assert end.steps_reached(8) == 4
    run_steps(plan, root, range(5, 7))
    assert end.steps_reached(8) == 6
    assert end.seconds_until(8) == 2.0
    assert end.owner_of(8).seconds_until(6) == 2.0


def test_another_process_finds_the_same_root_by_the_state() -> None:
    plan = new_plan()
    root = begun(plan, TRUNK, 4)
    branch = ConfigPaths(plan.nodes, root).of(TRUNK.switch(at=4, lr=Constant(0.7))).node_at(6)
    plan.facts.record_step(branch, 5, {}, 1.0, lease=LeaseId(1), cause=Cause.FIRST, study=1)
    store = MemoryStore()
    store.commit(plan.changes.take())
    for by_parts in (False, True):
        again = SearchPlan.open(store, PLAN, NullListener(), by_parts=by_parts)
        there = begun(again, TRUNK, 4)
        assert (there.id, there.begins_at, there.steps_reached(4)) == (root.id, 4, 4)
        known = ConfigPaths(again.nodes, there).of(TRUNK.switch(at=4, lr=Constant(0.7))).node_at(6)
        assert (known.id, 5 in known.training) == (branch.id, True)
