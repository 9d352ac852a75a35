"""The factors of parametrizations, against values worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.errors import OptionError
from hippo.scale import PARAMETRIZATIONS
from hippo.surrogates import RULES, Layout, OptimizerKind, OptionFactors, Role, ScaledTensor, rule_named

SGD, ADAM = OptimizerKind.SGD, OptimizerKind.ADAM
MATRIX, TABLE, TRANSPOSED, UNKNOWN = Layout.MATRIX, Layout.TABLE, Layout.TRANSPOSED, Layout.UNKNOWN


def tensor(layout: Layout, target: tuple[int, ...], surrogate: tuple[int, ...], **more: object) -> ScaledTensor:
    return ScaledTensor(layout=layout, target=target, surrogate=surrogate, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given_tensor", "role", "fan_in", "fan_out"),
    [
        (tensor(MATRIX, (24, 1, 3, 3), (3, 1, 3, 3)), "input", 1, Fraction(1, 8)),
        (tensor(MATRIX, (48, 24, 3, 3), (6, 3, 3, 3)), "hidden", Fraction(1, 8), Fraction(1, 8)),
        (tensor(MATRIX, (10, 768), (10, 96)), "output", Fraction(1, 8), 1),
        (tensor(MATRIX, (10, 7), (10, 7)), "unchanged", 1, 1),
        (tensor(MATRIX, (24,), (3,)), "vector", 1, Fraction(1, 8)),
        (tensor(MATRIX, (10,), (10,)), "unchanged", 1, 1),
        (tensor(MATRIX, (), ()), "unchanged", 1, 1),
        # depthwise: each channel sums over its own place alone
        (tensor(MATRIX, (64, 1, 3, 3), (8, 1, 3, 3)), "input", 1, Fraction(1, 8)),
        # gates of an LSTM lie above each other
        (tensor(MATRIX, (4 * 64, 64), (4 * 16, 16)), "hidden", Fraction(1, 4), Fraction(1, 4)),
        (tensor(TABLE, (1000, 64), (1000, 8)), "input", 1, Fraction(1, 8)),
        (tensor(TRANSPOSED, (64, 32, 2, 2), (16, 8, 2, 2)), "hidden", Fraction(1, 4), Fraction(1, 4)),
        (tensor(TRANSPOSED, (64, 3, 2, 2), (16, 3, 2, 2)), "output", Fraction(1, 4), 1),
        # grouped, with as many channels in each group
        (tensor(TRANSPOSED, (64, 1, 2, 2), (16, 1, 2, 2), groups=(64, 16)), "input", 1, Fraction(1, 4)),
        # positions and class tokens of a module that nobody knows
        (tensor(UNKNOWN, (1, 17, 128), (1, 17, 32)), "input", 1, Fraction(1, 4)),
        (tensor(UNKNOWN, (384, 128), (96, 32)), "hidden", Fraction(1, 4), Fraction(1, 4)),
        (tensor(UNKNOWN, (8, 128, 512), (8, 32, 128)), "hidden", Fraction(1, 4), Fraction(1, 4)),
        (tensor(UNKNOWN, (5, 5), (5, 5)), "unchanged", 1, 1),
    ],
)
def test_shapes_tell_the_role(given_tensor: ScaledTensor, role: str, fan_in: Fraction, fan_out: Fraction) -> None:
    assert (given_tensor.role.value, given_tensor.fan_in, given_tensor.fan_out) == (role, fan_in, fan_out)


#: the demo's net from width 24 to 3: lr under SGD, lr under Adam, eps, standard deviation
DEMO = {
    "conv1": (tensor(MATRIX, (24, 1, 3, 3), (3, 1, 3, 3)), 1 / 8, 1, 8, 1),
    "vectors of conv1": (tensor(MATRIX, (24,), (3,)), 1 / 8, 1, 8, 1),
    "conv2": (tensor(MATRIX, (48, 24, 3, 3), (6, 3, 3, 3)), 1, 8, 8, 8**0.5),
    "vectors of conv2": (tensor(MATRIX, (48,), (6,)), 1 / 8, 1, 8, 1),
    "linear": (tensor(MATRIX, (10, 768), (10, 96)), 8, 8, 1, 8**0.5),
    "bias of linear": (tensor(MATRIX, (10,), (10,)), 1, 1, 1, None),
}


@pytest.mark.parametrize("name", DEMO)
def test_the_demos_net_has_the_factors_of_maximal_update(name: str) -> None:
    given_tensor, sgd, adam, eps, std = DEMO[name]
    rule = rule_named("mup")

    assert rule.options(given_tensor, SGD) == OptionFactors(sgd, 1 / sgd, eps)
    assert rule.options(given_tensor, ADAM) == OptionFactors(adam, 1 / adam, eps)
    assert rule.initial_std(given_tensor) == (None if std is None else pytest.approx(std, rel=1e-15))


@pytest.mark.parametrize("name", DEMO)
def test_the_standard_parametrization_changes_nothing(name: str) -> None:
    rule = rule_named("standard")

    assert rule.is_control
    assert rule.initial_std(DEMO[name][0]) is None
    assert rule.options(DEMO[name][0], ADAM) == OptionFactors()
    assert (rule.readout(Fraction(1, 8)), rule.residual(Fraction(1, 2))) == (1, 1)
    assert 32**-0.5 * rule.logits(32, 8) == pytest.approx(8**-0.5)


def test_half_as_many_blocks_add_twice_as_much_under_completep() -> None:
    """A target of 4 blocks, 128 wide; its surrogate has 2, and is 32 wide (docs/surrogates.md)."""
    rule, half = rule_named("completep"), Fraction(1, 2)
    in_block = tensor(MATRIX, (128, 128), (32, 32), depth=half)
    norm_in_block = tensor(MATRIX, (128,), (32,), depth=half)
    embedding, readout = tensor(TABLE, (50, 128), (50, 32)), tensor(MATRIX, (50, 128), (50, 32))

    assert rule.residual(half) == 2
    assert rule.options(in_block, ADAM) == OptionFactors(lr=4, weight_decay=1 / 4, eps=4 * 2)
    assert rule.options(norm_in_block, ADAM) == OptionFactors(lr=1, weight_decay=1, eps=4 * 2)
    assert rule.options(embedding, ADAM) == OptionFactors(lr=1, weight_decay=1, eps=4)
    assert rule.options(readout, ADAM) == OptionFactors(lr=4, weight_decay=1 / 4, eps=1)
    assert rule.options(in_block, ADAM).squares == (4 * 2) ** 2
    assert rule.initial_std(in_block) == 2


def test_narrower_heads_are_divided_by_their_width_and_not_by_its_root() -> None:
    assert 32**-0.5 * rule_named("mup").logits(32, 8) == pytest.approx(32**0.5 / 8)
    assert rule_named("mup").logits(16, 16) == 1


def test_a_tied_readout_sums_as_much_as_the_targets() -> None:
    assert rule_named("mup").readout(Fraction(1, 8)) == 8


@given(st.integers(1, 64), st.integers(1, 64), st.sampled_from(sorted(RULES)), st.sampled_from(OptimizerKind))
def test_at_scale_1_nothing_has_a_factor(inside: int, outside: int, name: str, kind: OptimizerKind) -> None:
    same = tensor(MATRIX, (outside, inside), (outside, inside))

    assert same.role is Role.UNCHANGED
    assert rule_named(name).options(same, kind) == OptionFactors()
    assert rule_named(name).initial_std(same) is None


@given(
    st.integers(1, 16), st.integers(1, 16), st.integers(1, 8), st.integers(1, 8), st.sampled_from(["mup", "completep"])
)
def test_the_rate_times_the_decay_is_the_targets(a: int, b: int, r: int, q: int, name: str) -> None:
    some = tensor(MATRIX, (a * r, b * q), (a, b))
    for kind in OptimizerKind:
        factors = rule_named(name).options(some, kind)
        assert factors.lr * factors.weight_decay == pytest.approx(1)


def test_each_parametrization_that_a_scale_names_has_a_rule() -> None:
    assert tuple(RULES) == PARAMETRIZATIONS
    with pytest.raises(OptionError, match="'ntk' is none of 'mup'"):
        rule_named("ntk")
