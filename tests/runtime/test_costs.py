"""Seconds per step: learned per shape, and used when enough is known that it makes a difference."""

from __future__ import annotations

import pytest

from hippo import Config, Constant, Piecewise
from hippo.hparams import path
from hippo.records import NodeId
from hippo.runtime.timing.costs import StepCosts, shape_key

A, B, C = NodeId(1), NodeId(2), NodeId(3)


def pieces(**values: object):  # type: ignore[no-untyped-def]
    ((_, found),) = path(Config(values), 1)
    return found


SMALL, LARGE = pieces(lr=0.1, bs=32), pieces(lr=0.1, bs=64)


def learned(*steps: tuple[NodeId, object, float]) -> StepCosts:
    costs = StepCosts()
    for node, found, seconds in steps:
        costs.learn(node, found, 0, seconds)  # type: ignore[arg-type]
    return costs


def test_floats_decide_nothing_about_cost_and_all_other_values_do() -> None:
    assert shape_key(pieces(lr=0.1, bs=32), 0) == shape_key(pieces(lr=0.5, bs=32), 0)
    assert shape_key(pieces(lr=0.1, bs=32), 0) != shape_key(pieces(lr=0.1, bs=64), 0)
    assert shape_key(pieces(opt="adam"), 0) != shape_key(pieces(opt="sgd"), 0)
    assert shape_key(pieces(bs=1), 0) != shape_key(pieces(bs=True), 0)
    assert shape_key(pieces(betas=(0.9, 0.99)), 0) == shape_key(pieces(betas=(0.8, 0.99)), 0)
    assert shape_key(pieces(widths=(8, 0.5)), 0) != shape_key(pieces(widths=(16, 0.5)), 0)
    assert shape_key(pieces(widths=()), 0) != shape_key(pieces(), 0)


def test_the_value_where_a_node_begins_counts() -> None:
    (_, first), (start, second) = path(Config({"bs": Piecewise([32, 64], [3])}), 4)
    assert shape_key(first, 0) != shape_key(second, start)
    assert shape_key(second, start) == shape_key(pieces(bs=Constant(64)), 0)


def test_an_estimate_is_the_mean_of_its_shape_once_it_is_used() -> None:
    costs = learned((A, SMALL, 1.0), (A, SMALL, 3.0), (B, LARGE, 8.0))
    assert costs.estimate(A, SMALL, 0) == 1.0
    costs.use()
    assert [costs.estimate(A, SMALL, 0), costs.estimate(B, LARGE, 0)] == [2.0, 8.0]


def test_a_shape_that_was_never_seen_costs_what_all_do_on_average() -> None:
    costs = learned((A, SMALL, 1.0), (B, LARGE, 8.0))
    costs.use()
    assert costs.estimate(C, pieces(lr=0.1, bs=128), 0) == 4.5


def test_another_node_of_one_shape_costs_as_much() -> None:
    costs = learned((A, SMALL, 5.0))
    costs.use()
    assert costs.estimate(C, pieces(lr=0.7, bs=32), 0) == 5.0


@pytest.mark.parametrize(("seconds", "moved"), [(1.0, False), (1.25, False), (1.3, True), (0.8, False), (0.7, True)])
def test_estimates_have_moved_when_they_are_off_by_a_quarter(seconds: float, moved: bool) -> None:
    costs = learned((A, SMALL, 1.0))
    costs.use()
    costs.learn(B, LARGE, 0, seconds)
    assert costs.have_moved(stages=1) is moved


def test_a_large_tree_is_measured_anew_only_when_many_steps_were_learned() -> None:
    costs = learned(*[(A, SMALL, 5.0)] * 9)
    assert not costs.have_moved(stages=100)
    costs.learn(A, SMALL, 0, 5.0)
    assert costs.have_moved(stages=100)
    costs.use()
    assert not costs.have_moved(stages=1)
