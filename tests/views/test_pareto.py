"""The front holds the trials that no other one beats in both, and no other ones."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hippo
from hippo.errors import OptionError
from hippo.records import Objective, TrialState
from hippo.study.results.compared_trials import compared_trials, known_metrics
from hippo.study.results.trial_lines import TrialLine
from hippo.testing.trainers import ToyTrainer
from hippo.views import ParetoAxis, pareto, pareto_axes

LOSS, ACC = Objective(metric="loss", mode="min"), Objective(metric="acc", mode="max")


def came(number: int, loss: float, acc: float, step: int = 4, state: TrialState = TrialState.COMPLETE,
         is_feasible: bool = True) -> TrialLine:  # fmt: skip
    return TrialLine(number, state, step, step, 0, {"loss": loss, "acc": acc}, is_feasible, float(step))


VALUES = st.sampled_from([0.0, 1.0, 2.0, 3.0])
MODES = st.sampled_from(["min", "max"])


@given(values=st.lists(st.tuples(VALUES, VALUES), max_size=12), x_mode=MODES, y_mode=MODES)
def test_no_trial_of_the_front_is_beaten_and_every_other_one_is(
    values: list[tuple[float, float]], x_mode: Literal["min", "max"], y_mode: Literal["min", "max"]
) -> None:
    points = pareto([came(number, *each) for number, each in enumerate(values)],
                    ParetoAxis(name="loss", mode=x_mode), ParetoAxis(name="acc", mode=y_mode))  # fmt: skip
    signs = (1 if x_mode == "min" else -1, 1 if y_mode == "min" else -1)
    losses = [(signs[0] * right, signs[1] * up) for right, up in values]
    for point in points:
        own = losses[point.trial]
        beaten = any(other != own and other[0] <= own[0] and other[1] <= own[1] for other in losses)
        assert point.is_best is not beaten
    assert [(point.x, point.y) for point in points] == values


def test_trials_that_came_less_far_are_compared_only_where_steps_or_seconds_count() -> None:
    trials = [came(0, 1.0, 0.9), came(1, 0.5, 0.95, step=2, state=TrialState.PRUNED), came(2, 2.0, 0.8, step=1,
              state=TrialState.PRUNED), came(3, 3.0, 0.1, step=2, state=TrialState.FAIL)]  # fmt: skip
    x, y = pareto_axes([LOSS, ACC], [])
    assert [(point.trial, point.is_best) for point in pareto(trials, y, x)] == [(0, True), (1, False), (2, False)]
    for cost in ("steps", "device-seconds"):
        axes = pareto_axes([LOSS, ACC], [], against=cost)
        assert [point.trial for point in pareto(trials, *axes) if point.is_best] == [1, 2]


def test_what_breaks_the_constraints_or_is_no_number_is_never_among_the_best() -> None:
    trials = [came(0, 1.0, 0.5), came(1, 0.1, 0.9, is_feasible=False), came(2, math.nan, 0.9), came(3, -math.inf, 0.9)]
    points = pareto(trials, *pareto_axes([LOSS, ACC], []))
    assert [(point.trial, point.is_best) for point in points] == [(0, True), (1, False)]


def test_axes_are_the_objectives_or_one_and_the_steps() -> None:
    assert [each.name for each in pareto_axes([LOSS, ACC], [])] == ["acc", "loss"]
    assert [each.name for each in pareto_axes([LOSS], ["loss", "acc"])] == ["steps", "loss"]
    assert [each.name for each in pareto_axes([LOSS, ACC], [], metric="acc")] == ["steps", "acc"]
    x, y = pareto_axes([LOSS], ["size"], against="size", modes={"size": "max"})
    assert ((x.name, x.mode), (y.name, y.mode)) == (("size", "max"), ("loss", "min"))


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            {"metric": "los"},
            "no trial has a metric 'los'; there are: loss, size, steps, device-seconds. Did you mean 'loss'",
        ),
        ({"against": "size"}, "'size' is no objective of the study: say whether small"),
        ({"against": "loss"}, "'loss' is weighed against itself"),
    ],
)
def test_axes_that_say_nothing_are_refused(said: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        pareto_axes([LOSS], ["size"], **said)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="no metric of its own"):
        pareto_axes([], ["size"])


def test_of_two_objectives_the_front_is_the_studys_and_rows_tell_what_trials_do(tmp_path: Path) -> None:
    study = hippo.create_study("two", trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/hippo.db",
                               metric=["loss", "luck"], mode=["min", "max"], checkpoints="memory://",
                               engine=hippo.InlineEngine())  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.02 * rate} for rate in range(1, 9)], until=2))
    axes = pareto_axes(study.objectives, known_metrics(study.read()))
    points = pareto(compared_trials(study.read(), ["loss", "luck"], with_seconds=False), *axes)
    assert [point.trial for point in points if point.is_best] == [trial.number for trial in study.best_trials]
    assert len(points) == 8
    study.close()


def test_a_row_says_of_one_objective_what_the_trial_does(tmp_path: Path) -> None:
    study = hippo.create_study("one", trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/hippo.db", metric="luck",
                               mode="max", checkpoints="memory://", engine=hippo.InlineEngine())  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.02 * rate} for rate in range(1, 4)], until=2))
    view = study.read()
    by_row = compared_trials(view, ["luck"], with_seconds=False)
    whole = compared_trials(view, ["luck"], with_seconds=True)
    assert [(each.number, each.step, each.metrics["luck"]) for each in by_row] == [
        (each.number, each.step, each.metrics["luck"]) for each in whole
    ]
    assert [each.seconds for each in whole] == [trial.seconds for trial in study.trials]
    assert known_metrics(view) == ["luck", "loss"]
    study.close()
