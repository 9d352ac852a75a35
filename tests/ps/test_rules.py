"""RowUpdate rules are those of their papers, and those of torch where it has them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.errors import TrainerError
from hippo.ps.layout import VALUE
from hippo.ps.rules import RULES, RowUpdate, RuleValues, rule_named

ALL = slice(None)
NUMBERS = st.floats(-2, 2, width=32)


def table(rule: str, values: Iterable[float]) -> dict[str, Any]:
    value = np.array(list(values))
    return {VALUE: value, **{field: np.full_like(value, begin) for field, begin in RULES[rule].fields.items()}}


@pytest.mark.slow  # imports torch
@pytest.mark.parametrize(("rule", "momentum"), [("sgd", 0.0), ("sgd", 0.9), ("adagrad", 0.0)])
def test_rules_that_torch_has_come_to_what_torch_comes_to(rule: str, momentum: float) -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    begin, gradients = rng.normal(size=(4, 3)), rng.normal(size=(10, 4, 3))
    ours, theirs = table(rule, []), torch.nn.Parameter(torch.tensor(begin))
    ours = {field: np.full_like(begin, start) for field, start in RULES[rule].fields.items()} | {VALUE: begin.copy()}
    optimizer = (
        torch.optim.SGD([theirs], lr=0.1, momentum=momentum) if rule == "sgd" else torch.optim.Adagrad([theirs], lr=0.1)
    )
    for g in gradients:
        RULES[rule].apply(ours, [RowUpdate(ALL, g)], RuleValues(0.1, momentum))
        theirs.grad = torch.tensor(g)
        optimizer.step()
    # float64, ten steps; Adagrad of torch adds 1e-10 to the root
    np.testing.assert_allclose(ours[VALUE], theirs.detach().numpy(), rtol=1e-8)


def revised(gradients: list[float], seen: list[float], lr: float) -> tuple[float, float, float, float]:
    """Algorithm 3 of McMahan and Streeter 2014, for one number: (x, z, z', sum of gradients)."""
    x, z, z_max, total = 0.0, 1.0, 1.0, 0.0
    for g, old in zip(gradients, seen, strict=True):
        back = total - old
        eta_old = lr / math.sqrt(z_max)
        z += g**2 + 2 * g * back
        z_max = max(z, z_max)
        eta = lr / math.sqrt(z_max)
        x = x - eta * g + (eta_old - eta) * back
        total += g
    return x, z, z_max, total


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=8))
def test_adarevision_is_the_papers(drawn: list[tuple[float, float]]) -> None:
    gradients, seen = [g for g, _ in drawn], [old for _, old in drawn]
    fields = table("adarevision", [0.0])
    for g, old in drawn:
        RULES["adarevision"].apply(fields, [RowUpdate(ALL, np.array([g]), np.array([old]))], RuleValues(0.3))
    found = [float(fields[name][0]) for name in (VALUE, "z", "z_max", "g_sum")]
    assert found == pytest.approx(revised(gradients, seen, 0.3), rel=1e-12, abs=1e-12)  # the same operations in float64


def test_adarevision_without_delay_is_adagrad_from_one_on() -> None:
    gradients = [0.5, -2.0, 1.0]
    fields, total = table("adarevision", [0.0]), 0.0
    for g in gradients:
        update = RowUpdate(ALL, np.array([g]), np.array([total]))
        RULES["adarevision"].apply(fields, [update], RuleValues(0.1))
        total += g
    x, z = 0.0, 1.0
    for g in gradients:
        z += g * g
        x -= 0.1 * g / math.sqrt(z)
    assert float(fields[VALUE][0]) == pytest.approx(x, rel=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_several_updates_of_a_clock_are_taken_in_their_order(rule: str) -> None:
    sums = np.zeros(2)
    updates = [RowUpdate(ALL, np.array([1.0, 2.0]), sums), RowUpdate(ALL, np.array([-3.0, 0.5]), sums)]
    there, back = table(rule, [1.0, 1.0]), table(rule, [1.0, 1.0])
    RULES[rule].apply(there, updates, RuleValues(0.1, 0.9))
    RULES[rule].apply(back, updates[::-1], RuleValues(0.1, 0.9))
    is_sum = rule == "sgd"  # one step by the sum; the others step once for each
    assert (there[VALUE] == back[VALUE]).all() == is_sum


@pytest.mark.parametrize("rule", RULES)
def test_rows_without_a_gradient_stay_where_they_are(rule: str) -> None:
    fields = table(rule, [1.0, 2.0, 3.0])
    some = RowUpdate(np.array([2]), np.array([1.0]), np.array([0.0]))
    RULES[rule].apply(fields, [some], RuleValues(0.1))
    assert list(fields[VALUE][:2]) == [1.0, 2.0]
    assert fields[VALUE][2] < 3.0


def test_rows_without_a_gradient_move_on_by_their_momentum() -> None:
    fields = table("sgd", [0.0, 0.0])
    RULES["sgd"].apply(fields, [RowUpdate(ALL, np.array([1.0, 1.0]))], RuleValues(0.1, 0.5))
    RULES["sgd"].apply(fields, [], RuleValues(0.1, 0.5))
    assert list(fields[VALUE]) == pytest.approx([-0.15, -0.15])


def test_adagrad_leaves_a_row_that_never_had_a_gradient_finite() -> None:
    fields = table("adagrad", [1.0])
    RULES["adagrad"].apply(fields, [RowUpdate(ALL, np.array([0.0]))], RuleValues(0.1))
    assert fields[VALUE][0] == 1.0


@pytest.mark.parametrize(
    ("name", "message"),
    [("adgrad", "there are .*Did you mean 'adagrad'"), (None, "optimizer=None is no update rule"), ("x", "no update")],
)
def test_an_unknown_rule_is_refused(name: object, message: str) -> None:
    with pytest.raises(TrainerError, match=message):
        rule_named(name)
