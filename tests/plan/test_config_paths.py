"""A config's way through the plan: the same whatever was asked before, and by whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import given

from hippo.errors import HparamError
from hippo.hparams import Config, Exponential, Piece, Piecewise
from hippo.hparams.config import fork_of
from hippo.plan import Cause, ChangeLog, ConfigPaths, MemoryStore, Node, PlanNodes
from hippo.records import LeaseId
from hippo.testing.oracle import unit_steps

from .plans import BRANCH, CONFIGS, PLAN, TRUNK, new_plan, node_at, reopened

steps = st.integers(1, 12)


@given(st.lists(st.tuples(st.sampled_from(CONFIGS), steps)))
def test_who_asks_for_less_after_more_comes_to_the_same_node(asked: list) -> None:  # type: ignore[type-arg]
    plan = new_plan()
    paths = {config.key: plan.path(config) for config in CONFIGS}
    for config, until in asked:
        assert paths[config.key].node_at(until) is node_at(plan, config, until)


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
    plan.facts.record_step(own, 1, {}, 1.0, lease=LeaseId(1), cause=Cause.FIRST, study=1)
    assert list(plan.known_spans(TRUNK, 3)) == []
    assert list(plan.known_spans(TRUNK, 3, owner="1/0")) == [(own, 0, 3)]


# --- switched configs


class CountedNodes(PlanNodes):
    """Nodes of a plan that count how often one is asked for."""

    asked = 0

    def child(self, parent: Node | None, start: int, pieces: Mapping[str, Piece], owner: str) -> Node:
        self.asked += 1
        return super().child(parent, start, pieces, owner)


switches = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from(["lr", "bs"]), st.integers(0, 9), st.sampled_from([0.1, 0.2, 0.3])),
    max_size=8,
)
asks = st.lists(st.tuples(st.integers(0, 20), steps), max_size=12)


@given(st.sampled_from(CONFIGS), switches, asks)
def test_a_switched_config_comes_to_the_nodes_of_one_that_was_written_so(trunk, made, asked) -> None:  # type: ignore[no-untyped-def]
    configs = [trunk]
    for parent, name, at, value in made:
        configs.append(configs[parent % len(configs)].switch(at=at, **{name: value}))
    plan = new_plan()
    paths = ConfigPaths(plan.nodes)
    for number, until in asked:
        config = configs[number % len(configs)]
        path = paths.of(config)
        path.check(until)
        written = Config.from_json(config.to_json())  # knows nothing of switches
        assert fork_of(written) is None
        assert path.node_at(until) is node_at(plan, written, until)


def test_one_more_switch_costs_as_much_after_two_hundred_as_after_one() -> None:
    counted = CountedNodes(1, ChangeLog())
    paths, config = ConfigPaths(counted), TRUNK
    costs = []
    for number in range(200):
        config = config.switch(at=10 * number + 5, lr=1.0 + number, bs=number)
        before, path = counted.asked, paths.of(config)
        path.check(10 * number + 10)
        path.node_at(10 * number + 10)
        costs.append(counted.asked - before)
    assert costs == [2] + [1] * 199
    assert "_parts" not in vars(config["lr"])


def test_a_chain_of_switches_that_nobody_asked_for_is_walked_without_recursion() -> None:
    config = TRUNK
    for at in range(1, 1100):  # deeper than Python lets functions call themselves
        config = config.switch(at=at, lr=1.0 + at)
    assert ConfigPaths(new_plan().nodes).of(config).node_at(1100).start == 1099


def test_a_config_that_has_no_value_is_refused_each_time_and_its_path_is_not_lost() -> None:
    config = Config({"lr": Exponential(1.0, 1e100), "bs": Piecewise([1, 2, 3], [2, 6])})
    plan = new_plan()
    path = plan.path(config)
    for until in (9, 5, 9):
        with pytest.raises(HparamError, match="cannot be used at step"):
            path.check(until)
    path.check(3)
    assert path.node_at(3) is node_at(plan, config, 3)
    assert path.node_at(7) is node_at(plan, config, 7)


def test_a_switch_away_from_what_has_no_value_is_trained() -> None:
    falling = Config({"lr": Exponential(1.0, 1e100), "bs": 1})
    switched = falling.switch(at=3, lr=0.1)
    plan = new_plan()
    paths = ConfigPaths(plan.nodes)
    paths.of(switched).check(100)
    assert paths.of(switched).node_at(100).start == 3
    with pytest.raises(HparamError):
        paths.of(falling).check(5)


def test_a_switch_to_what_has_no_value_is_refused_before_anything_of_it_is_trained() -> None:
    plan = new_plan()
    paths = ConfigPaths(plan.nodes)
    switched = TRUNK.switch(at=3, lr=Exponential(1.0, 1e100))
    paths.of(switched).check(7)  # 1e300 at its last step, the third after the switch
    with pytest.raises(HparamError, match="cannot be used at step 7"):
        paths.of(switched).check(8)


def test_a_piece_without_a_value_at_its_last_step_is_refused_though_the_next_one_has_its_own() -> None:
    config = Config({"lr": Piecewise([Exponential(1.0, 1e100), 0.1], [5])})
    new_plan().path(config).check(4)
    with pytest.raises(HparamError, match="cannot be used at step 4"):
        new_plan().path(config).check(9)


def test_a_smaller_step_asked_for_later_is_looked_at_under_the_values_in_force_there() -> None:
    config = Config({"lr": Piecewise([0.1, Exponential(0.1, 1e-100)], [8])})
    path = new_plan().path(config)
    path.check(10)
    path.check(4)  # four steps before its origin the second value is beyond the floats


def test_no_node_is_made_by_a_look() -> None:
    plan = new_plan()
    plan.path(BRANCH).check(9)
    assert not plan.nodes
