"""Histories and hyper-parameters side by side show every trial that can be compared, and none better than it is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.records import TrialState, may_be_best
from hippo.study import Trial
from hippo.views import history, parallel_trials


@dataclass(frozen=True)
class Came:
    """What is asked of a trial here."""

    number: int
    state: TrialState = TrialState.COMPLETE
    metrics: dict[str, float] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    is_feasible: bool | None = None
    step: int = 4
    call: int = 0


def those(*trials: Came) -> list[Trial]:
    return cast("list[Trial]", list(trials))


CAME = st.lists(
    st.tuples(
        st.sampled_from(list(TrialState)),
        st.sampled_from([None, 0.5, 1.0, 2.0, math.nan, -math.inf]),
        st.integers(0, 2),
    )
)


@given(came=CAME, mode=st.sampled_from(["min", "max"]))
def test_the_best_so_far_is_that_of_the_trials_before_that_may_be_the_best(
    came: list[tuple[TrialState, float | None, int]], mode: Literal["min", "max"]
) -> None:
    trials = [
        Came(number, state, {} if value is None else {"loss": value}, step=step, call=step // 2)
        for number, (state, value, step) in enumerate(came)
    ]
    counted = may_be_best((each.state, each.step, each.call) for each in trials)
    points = {point.trial: point for point in history(reversed(those(*trials)), "loss", mode)}
    assert list(points) == [each.number for each in trials if each.metrics and each.state is not TrialState.FAIL]
    choose = min if mode == "min" else max
    for number, point in points.items():
        values = [
            each.metrics["loss"]
            for each, is_counted in zip(trials[: number + 1], counted, strict=False)
            if is_counted and each.state is not TrialState.FAIL and not math.isnan(each.metrics.get("loss", math.nan))
        ]
        assert point.best == (choose(values) if values else None)
        assert point.is_complete is (trials[number].state is TrialState.COMPLETE)


def test_what_breaks_the_constraints_is_never_the_best_so_far() -> None:
    trials = [Came(0, metrics={"loss": 2.0}, is_feasible=True), Came(1, metrics={"loss": 1.0}, is_feasible=False)]
    assert [point.best for point in history(those(*trials), "loss", "min")] == [2.0, 2.0]
    assert [point.best for point in history(those(*trials[1:]), "loss", "min")] == [None]


@pytest.mark.parametrize(("mode", "best"), [("min", [2.0, 1.0, 1.0]), ("max", [2.0, 2.0, 3.0])])
def test_the_best_is_the_smallest_or_the_largest(mode: Literal["min", "max"], best: list[float]) -> None:
    trials = [Came(number, metrics={"loss": value}) for number, value in enumerate((2.0, 1.0, 3.0))]
    assert [point.best for point in history(those(*trials), "loss", mode)] == best


def test_a_hyper_parameter_with_one_value_has_no_axis_and_types_are_told_apart() -> None:
    params = [{"lr": 0.1, "same": 3, "flag": True}, {"lr": 0.2, "same": 3, "flag": 1}]
    found = parallel_trials(
        those(*(Came(n, metrics={"loss": 1.0}, params=own) for n, own in enumerate(params))), "loss"
    )
    assert [axis.name for axis in found.axes] == ["flag", "lr"]
    assert found.axes[0].labels == ("1", "True")
    assert [line.places for line in found.lines] == [(1.0, 0.1), (0.0, 0.2)]


@pytest.mark.parametrize(
    ("values", "is_log"),
    [([0.001, 0.1], True), ([0.01, 0.1], False), ([0.0, 100.0], False), ([-1.0, 100.0], False), ([1, 100], True)],
)
def test_an_axis_is_logarithmic_where_its_values_are_far_apart(values: list[float], is_log: bool) -> None:
    trials = [Came(number, metrics={"loss": 1.0}, params={"lr": value}) for number, value in enumerate(values)]
    (axis,) = parallel_trials(those(*trials), "loss").axes
    assert (axis.is_log, axis.labels) == (is_log, ())


def test_sequences_and_texts_lie_on_an_axis_by_how_they_are_written_and_what_is_missing_has_no_place() -> None:
    written = ["Cosine(0.1, 9)", 0.1, None]
    trials = [
        Came(number, metrics={"loss": 1.0}, params={} if value is None else {"lr": value})
        for number, value in enumerate(written)
    ]
    found = parallel_trials(those(*trials), "loss")
    assert found.axes[0].labels == ("0.1", "Cosine(0.1, 9)")
    assert [line.places for line in found.lines] == [(1.0,), (0.0,), (None,)]


def test_trials_that_came_to_no_number_are_left_out() -> None:
    trials = [
        Came(0, metrics={"loss": 1.0}, params={"lr": 0.1}),
        Came(1, metrics={"loss": math.nan}, params={"lr": 0.2}),
        Came(2, metrics={"other": 1.0}, params={"lr": 0.3}),
        Came(3, TrialState.FAIL, {"loss": 2.0}, {"lr": 0.4}),
        Came(4, TrialState.PRUNED, {"loss": 3.0}, {"lr": 0.5}),
    ]
    found = parallel_trials(those(*trials), "loss")
    assert [(line.trial, line.value, line.places) for line in found.lines] == [(0, 1.0, (0.1,)), (4, 3.0, (0.5,))]
    assert parallel_trials([], "loss").axes == ()


@pytest.mark.parametrize(
    ("values", "labels", "places"),
    [
        ([None, "cos", "lin"], ("None", "cos", "lin"), [0, 1, 2]),
        ([1, "1", "x"], ("'1'", "1", "x"), [1, 0, 2]),
        ([10**400, 1.0], ("1.0", repr(10**400)), [1, 0]),
    ],
)
def test_each_value_has_a_place_of_its_own(values: list[Any], labels: tuple[str, ...], places: list[int]) -> None:
    trials = [Came(number, metrics={"loss": 1.0}, params={"a": value}) for number, value in enumerate(values)]
    found = parallel_trials(those(*trials, Came(9, metrics={"loss": 1.0})), "loss")
    assert found.axes[0].labels == labels
    assert [line.places[0] for line in found.lines] == [*places, None]
