from __future__ import annotations

import enum
import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hippo.hparams
from hippo.errors import HparamError
from hippo.hparams import (
    WSD,
    Chain,
    Constant,
    Cosine,
    CosineWarmRestarts,
    Cyclic,
    Exponential,
    Linear,
    MultiStep,
    OneCycle,
    Piecewise,
    Polynomial,
    Sequence,
    Step,
    Warmup,
    sequence_from_json,
    sequence_to_json,
)

from . import drawn

NAMES = {name: getattr(hippo.hparams, name) for name in hippo.hparams.__all__}


def lowered(sequence: Sequence, until: int = 200) -> list[tuple[int, str]]:
    return [(start, piece.key) for start, piece in sequence.pieces(until)]


# ------------------------------------------------------------------------------------------------------- laws


@given(drawn.sequences, st.integers(0, 60), st.sampled_from([0, 0.25, 0.5]))
def test_the_piece_in_force_has_the_value_that_the_call_gives(sequence: Sequence, step: int, part: float) -> None:
    t = step + part
    piece = [piece for start, piece in sequence.pieces(61) if start <= t][-1]
    assert repr(piece.at(t)) == repr(sequence(t))


@given(drawn.sequences)
def test_pieces_are_canonical(sequence: Sequence) -> None:
    pieces = list(sequence.pieces(60))
    starts = [start for start, _ in pieces]
    assert starts[0] == 0
    assert all(a < b < 60 for a, b in itertools.pairwise(starts))
    assert all(a.key != b.key for (_, a), (_, b) in itertools.pairwise(pieces))


@given(drawn.sequences)
def test_a_sequence_survives_json_pickle_and_repr(sequence: Sequence) -> None:
    for copy in (
        sequence_from_json(sequence_to_json(sequence)),
        pickle.loads(pickle.dumps(sequence)),
        eval(repr(sequence), dict(NAMES)),
    ):
        assert copy == sequence
        assert hash(copy) == hash(sequence)
        assert lowered(copy) == lowered(sequence)


@given(drawn.sequences, st.integers(1, 20))
def test_a_piece_survives_json_and_pickle(sequence: Sequence, until: int) -> None:
    for _, piece in sequence.pieces(until):
        for copy in (type(piece).from_json(piece.to_json()), pickle.loads(pickle.dumps(piece))):
            assert copy == piece
            assert hash(copy) == hash(piece)
            assert repr(copy.at(until)) == repr(piece.at(until))


@given(drawn.limited, drawn.sequences)
def test_what_follows_in_a_chain_has_its_own_clock(first: Sequence, second: Sequence) -> None:
    chain = first.then(second)
    assert first.length is not None
    assert all(repr(chain(t)) == repr(first(t)) for t in range(first.length))
    assert all(repr(chain(first.length + t)) == repr(second(t)) for t in range(20))


@given(drawn.sequences, st.integers(1, 20))
def test_take_holds_the_value_of_its_last_step(sequence: Sequence, steps: int) -> None:
    taken = sequence.take(steps)
    assert taken.length == steps
    assert repr([taken(t) for t in range(steps)]) == repr([sequence(t) for t in range(steps)])
    assert repr(taken(steps + 100)) == repr(sequence(steps - 1))


# ------------------------------------------------------------------------------------------------------ sharing


def test_sequences_that_begin_with_one_constant_share_its_piece() -> None:
    constant = Constant(0.1)
    for other in (MultiStep(0.1, [90, 135], 0.1), Piecewise([0.1, 0.01], [90]), Step(0.1, 90, 0.1)):
        assert lowered(other, until=90) == lowered(constant, until=90)
        assert lowered(other, until=91) != lowered(constant, until=91)


@pytest.mark.parametrize(
    "sequence",
    [
        Linear(2, 0),
        Linear(2, final=2.0, steps=10),
        Exponential(2, 1.0),
        Step(2, 10, 1.0),
        MultiStep(2, [3, 5], 1),
        Cosine(2, 10, final=2),
        CosineWarmRestarts(2, 5, final=2),
        Cyclic(2, 2.0, 4),
        Polynomial(2, 10, final=2.0),
        Warmup(1, 2),
        Warmup(4, 2, initial=2),
        Piecewise([2, 2, Constant(2)], [5, 9]),
        Chain(Constant(2).take(4), 2),
        Step(2, 10, 0.5).take(10),
    ],
    ids=repr,
)
def test_a_degenerate_sequence_is_the_constant_that_was_given(sequence: Sequence) -> None:
    assert lowered(sequence) == lowered(Constant(2))


@pytest.mark.parametrize(
    ("sequence", "value"),
    [
        (Exponential(0, 0.5), 0),
        (Step(0, 10, 0.5), 0),
        (MultiStep(0, [3], 0.5), 0),
        (OneCycle(2, 10, div_factor=1, final_div_factor=1), 2.0),
        (WSD(2, 0, 10, 5, final=2), 2.0),
    ],
    ids=repr,
)
def test_what_falls_from_zero_or_to_where_it_is_shares_all_with_a_constant(sequence: Sequence, value: float) -> None:
    assert lowered(sequence) == lowered(Constant(value))


@pytest.mark.parametrize(
    ("a", "b", "shared"),
    [
        (CosineWarmRestarts(0.1, 10, t_mult=1), CosineWarmRestarts(0.1, 10, t_mult=2), 10),
        (CosineWarmRestarts(0.1, 10), Cosine(0.1, 10), 10),
        (Cyclic(0.1, 1, 10), Linear(0.1, final=1, steps=10), 10),
        (Warmup(5, 0.1).then(Exponential(0.1, 0.9)), Warmup(5, 0.1).then(MultiStep(0.1, [9], 0.1)), 5),
        (Warmup(5, 0.1), Warmup(6, 0.1), 0),
        (Linear(0, 1), Linear(0.0, 1.0), 50),
        (WSD(0.1, 5, 30, 4), WSD(0.1, 5, 40, 9), 26),
        (OneCycle(0.1, 20, final_div_factor=10), OneCycle(0.1, 20), 5),
        (Constant(1), Constant(1.0), 0),
        (Constant(True), Constant(1), 0),
        (Constant(-0.0), Constant(0.0), 50),
    ],
    ids=repr,
)
def test_sequences_share_exactly_these_steps(a: Sequence, b: Sequence, shared: int) -> None:
    same = [until for until in range(51) if until == 0 or lowered(a, until) == lowered(b, until)]
    assert max(same) == shared


def test_values_that_coincide_do_not_share_if_their_structure_differs() -> None:
    assert Exponential(0.1, 0.5)(0) == Linear(0.1, 3)(0)
    assert lowered(Exponential(0.1, 0.5), 1) != lowered(Linear(0.1, 3), 1)


# ------------------------------------------------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        (MultiStep(1, [2], 0.1), [1, 1, 0.1]),
        (MultiStep(128, [1, 2], 2), [128, 256, 512]),
        (Step(4, 1, 0.5), [4, 2.0, 1.0]),
        (Warmup(2, 0.1), [0.05, 0.1, 0.1]),
        (Warmup(2, 1, initial=0), [0.0, 0.5, 1.0]),
        (Piecewise([Linear(0, 1), "x"], [2]), [0.0, 1.0, "x"]),
        (WSD(1, 0, 3, 2, "cosine"), [1.0, 1.0, 0.5]),
    ],
    ids=repr,
)
def test_values_and_their_types(sequence: Sequence, expected: list[Any]) -> None:
    assert repr([sequence(t) for t in range(3)]) == repr(expected)


def test_a_step_of_numpy_gives_a_value_of_python() -> None:
    assert type(Linear(0, 1)(np.int64(3))) is type(Linear(0, 1)(np.float32(3))) is float  # type: ignore[arg-type]


def test_a_cooldown_of_one_minus_square_root() -> None:
    cooldown = WSD(1.0, 0, 100, 64, shape="1-sqrt")
    assert [cooldown(36 + t) for t in (0, 16, 64)] == [1.0, 0.5, 0.0]


def test_what_a_sequence_hands_out_cannot_change_it() -> None:
    constant = Constant({"betas": [0.9, 0.99]})
    constant.value["betas"].append(1)  # type: ignore[index, call-overload, union-attr]
    constant(5)["betas"].clear()  # type: ignore[index, call-overload, union-attr]
    assert constant(0) == {"betas": [0.9, 0.99]}


def test_a_constant_equals_the_plain_value_of_its_type() -> None:
    assert Constant("sgd") == "sgd"
    assert Constant(1) != 1.0
    assert Constant(1) != True  # noqa: E712
    assert len({Constant(1), Constant(1.0), Constant(True)}) == 3


def test_a_constant_equals_what_becomes_its_value() -> None:
    assert Constant(0.1) == np.float64(0.1)
    assert np.float64(0.1) == Constant(0.1)
    assert Constant(3) == np.int64(3)
    assert Constant(True) == np.bool_(True)
    assert Constant("sgd") == Named.SGD
    assert Constant(3) != np.float64(3)
    assert Constant(1) != np.bool_(True)
    assert Constant(0.1) != float("nan")
    assert Constant("sgd") != object()


class Named(enum.StrEnum):
    SGD = "sgd"


@pytest.mark.parametrize("value", [True, False, 0, 1, 0.0, "", "sgd", None, [], [0]])
def test_a_constant_is_true_if_its_value_is(value: object) -> None:
    assert bool(Constant(value)) is bool(value)
    assert Cosine(0.1, 5)


def test_equal_sequences_are_those_written_with_the_same_values_and_types() -> None:
    assert MultiStep(0.1, [90], 0.1) == MultiStep(0.1, (90,), 0.1)
    assert MultiStep(1, [90], 0.1) != MultiStep(1.0, [90], 0.1)


def test_a_far_step_of_a_sequence_without_end_costs_no_walk() -> None:
    assert Step(0.1, 1, 0.5)(10**15) == 0.0
    assert Cyclic(0.0, 1.0, 4)(8 * 10**14 + 2) == 0.5
    assert CosineWarmRestarts(0.1, 1, t_mult=2)(2**40 - 1) == 0.1


def test_lowering_a_step_sequence_that_underflows_comes_to_an_end() -> None:
    starts = [start for start, _ in Step(0.1, 1, 0.1).pieces()]
    assert 300 < len(starts) < 400


def test_lowering_is_lazy() -> None:
    first = list(itertools.islice(Cyclic(0, 1, 3).pieces(), 4))
    assert [start for start, _ in first] == [0, 3, 6, 9]


def test_a_thousand_thens_are_walked_and_not_descended() -> None:
    chain: Sequence = Constant(0).take(1)
    for value in range(1, 1000):
        chain = chain.then(Constant(value).take(1))
    assert chain(750.5) == 750


def test_readable_reprs() -> None:
    assert repr(Cosine(0.1, 10, final=0.01)) == "Cosine(0.1, 10, final=0.01)"
    assert repr(Chain(Warmup(5, 0.1), 0.01)) == "Chain(Warmup(5, 0.1), 0.01)"
    assert repr(Linear(0.1, final=0, steps=3)) == "Linear(0.1, final=0, steps=3)"
    assert repr(Exponential(0.1, 0.9).take(3)) == "Exponential(0.1, 0.9).take(3)"
    assert repr(Piecewise(["a", Linear(0, 1)], [3])) == "Piecewise(['a', Linear(0, slope=1)], [3])"


@pytest.mark.parametrize("thing", [Constant(1), Piecewise([1, 2], [3]), Linear(0.1, 0.1)], ids=repr)
def test_a_sequence_cannot_be_changed(thing: Any) -> None:
    with pytest.raises(AttributeError):
        thing.initial = 2


# ---------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: MultiStep(0.1, [135, 90], 0.1), "milestones must ascend, but 90 comes after 135"),
        (lambda: Piecewise([1, 2, 3], [5, 5]), "milestones must ascend, but 5 comes after 5"),
        (lambda: MultiStep(0.1, [-1], 0.1), "a milestone must be at least 1, not -1"),
        (lambda: MultiStep(0.1, [1.5], 0.1), "a milestone must be a whole number, not 1.5"),  # type: ignore[list-item]
        (lambda: MultiStep(0.1, 90, 0.1), "milestones must be a list of steps"),  # type: ignore[arg-type]
        (lambda: Piecewise([0.1], [90]), "one value more than milestones, not 1 for 1 milestones"),
        (lambda: Piecewise(0.1, [90]), "a list of values"),  # type: ignore[arg-type]
        (lambda: Constant(float("nan")), "cannot be nan"),
        (lambda: Constant(float("inf")), "cannot be inf"),
        (lambda: Constant([1, float("-inf")]), "cannot be -inf"),
        (lambda: Constant(object()), "must be what JSON can hold"),
        (lambda: Constant({1: 2}), "keys of a dictionary must be strings, not 1; write '1'"),
        (lambda: Linear(float("nan"), 0), "cannot be nan"),
        (lambda: Linear("0.1", 0), "initial must be a number, not '0.1'"),  # type: ignore[arg-type]
        (lambda: Linear(True, 0), "initial must be a number, not True"),
        (lambda: Linear(0.1), "either a slope"),
        (lambda: Linear(0.1, 0.1, final=1, steps=2), "either a slope"),
        (lambda: Step(0.1, 0, 0.1), "step_size must be at least 1, not 0"),
        (lambda: Exponential(0.1, -0.5), "a gamma above 0, not -0.5"),
        (lambda: Cosine(0.1, -10), "period must be at least 1, not -10"),
        (lambda: Polynomial(0.1, 10, power=0), "a power above 0, not 0"),
        (lambda: CosineWarmRestarts(0.1, 10, t_mult=0), "t_mult must be at least 1, not 0"),
        (lambda: Cyclic(0, 1, 1, down=0), "down must be at least 1, not 0"),
        (lambda: Chain(Exponential(0.1, 0.9), 0.1), r"has no end.*Exponential\(0.1, 0.9\).take\(10\)"),
        (lambda: Constant(0.1).then(0.2), "has no end"),
        (lambda: Chain(), "at least one sequence"),
        (lambda: Chain(Warmup), "is a class; call it"),
        (lambda: Constant(1).take(0), "must be at least 1, not 0"),
        (lambda: OneCycle(0.1, 10, pct_start=2), "between 0 and 1, not 2"),
        (lambda: OneCycle(0.1, 10, anneal="sin"), "'cos' or 'linear', not 'sin'"),  # type: ignore[arg-type]
        (lambda: WSD(0.1, 10, 15, 6), "do not fit into a total of 15"),
        (lambda: WSD(0.1, 1, 15, 6, shape="sqrt"), "not 'sqrt'"),  # type: ignore[arg-type]
        (lambda: Constant(1)(-1), "from 0 on, not -1"),
        (lambda: Constant(1)(float("nan")), "from 0 on, not nan"),
        (lambda: Constant(1)("ten"), "from 0 on, not 'ten'"),  # type: ignore[arg-type]
        (lambda: Exponential(1, 10)(5000), "leaves the range of floats 5000 steps after its origin"),
        (lambda: Step(1, 1, 10)(5000), r"1 \* 10 \*\* 5000 leaves the range of floats"),
        (lambda: Linear(10**400, 1), "beyond the range of a float"),
        (lambda: Linear(-1e308, final=1e308, steps=1)(0), "bring the ends of the sequence closer together"),
        (lambda: sequence_from_json({"sequence": "Sine", "arguments": {}}), "'Sine' is not a sequence"),
    ],
)
def test_bad_input_is_refused_with_advice(build: Any, message: str) -> None:
    with pytest.raises(HparamError, match=message):
        build()
