"""Objectives of Optuna under hippo: what a step is, that nothing changes results, and what is refused."""

from __future__ import annotations

import _thread
import contextlib
import functools
import os
import random
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import hippo
from hippo.errors import (
    BudgetError,
    ExactnessError,
    HparamError,
    OptionError,
    SpaceError,
    TrainerError,
    TrialFailedError,
    UnknownArgumentError,
    UnknownHparamError,
    UnknownMetricError,
)
from hippo.hparams import choice, loguniform, qrandint, quniform, randint, uniform
from hippo.integrations.suggestions import ConfigTrial, OneOf
from hippo.records import TrialState
from hippo.testing.trainers import append_line
from hippo.training import fingerprint
from hippo.training.functions import PausedFunctions, RunningFunction
from hippo.training.process.streams import seed_everything

LR = {"lr": loguniform(0.01, 1.0)}


def descend(trial: Any, reports: int = 6) -> float:
    lr, start = trial.suggest_float("lr", 0.01, 1.0, log=True), random.gauss(5.0, 1.0)
    for step in range(reports):
        start -= lr * (start + random.gauss(0.0, 0.1) + np.random.normal())
        trial.report(start * start, step)
        if trial.should_prune():
            raise optuna.TrialPruned
    return start * start + 100.0


def alone(objective: Callable[..., float], config: dict[str, Any], seed: int = 0) -> list[dict[str, float]]:
    """Return what an objective reports if it runs in one go, and last what it returns."""
    reports: list[dict[str, float]] = []
    trial = ConfigTrial(config, lambda metrics: reports.append(dict(metrics)), lambda what: None)
    seed_everything(seed, "train", 0)
    returned = objective(trial)
    return [*reports, {"value": returned}]


@pytest.fixture
def study_of(make_study: Callable[..., hippo.Study]) -> Callable[..., hippo.Study]:
    """Return what makes a study of an objective, with any options of `from_optuna` and `create_study`."""

    def make(
        objective: Any, space: Any = LR, *, in_one_step: bool = False, keep_paused: int = 0, **options: Any
    ) -> Any:
        found = hippo.from_optuna(objective, space, in_one_step=in_one_step, keep_paused=keep_paused)
        return make_study(found.trainer.__name__, trainer=found.trainer, metric="value", mode="min", **options)

    return make


# ------------------------------------------------------------------------------------------------- what a step is


def test_a_step_is_a_report_and_the_end_is_what_was_returned(study_of: Callable[..., hippo.Study]) -> None:
    study = study_of(descend)

    study.evaluate({"lr": 0.1}, until=9)

    (trial,) = study.trials
    expected = alone(descend, {"lr": 0.1})
    assert list(trial.history.values()) == [*expected, expected[-1], expected[-1]]


def test_chance_goes_on_with_the_function_from_call_to_call(study_of: Callable[..., hippo.Study]) -> None:
    study = study_of(descend, keep_paused=1)

    got = [study.evaluate({"lr": 0.1}, until=until) for until in (1, 2, 5, 7)]

    expected = alone(descend, {"lr": 0.1})
    assert got == [expected[until - 1] for until in (1, 2, 5, 7)]
    assert study.statistics().steps_repeated == 0


def test_a_function_that_had_to_make_room_is_run_again_and_that_is_counted(
    study_of: Callable[..., hippo.Study], capfd: pytest.CaptureFixture[str]
) -> None:
    study = study_of(descend)
    for lr in (0.1, 0.2):
        study.evaluate({"lr": lr}, until=3)

    again = study.evaluate({"lr": 0.1}, until=5)

    assert "cannot be used" not in capfd.readouterr().err  # that is no fault, and nothing to be warned of
    assert again == alone(descend, {"lr": 0.1})[4]
    assert study.statistics().steps_repeated == 3
    study.evaluate({"lr": 0.1}, until=6)
    assert study.statistics().steps_repeated == 3


def test_functions_that_have_room_stand_still_and_go_on(study_of: Callable[..., hippo.Study]) -> None:
    study = study_of(descend, keep_paused=4)
    space = hippo.RandomSearchSpace(LR)

    study.optimize(hippo.SuccessiveHalving([space.sample(np.random.default_rng(n)) for n in range(4)], 1, 4, 2))

    assert study.statistics().steps_repeated == 0
    for trial in study.trials:
        assert list(trial.history.values()) == alone(descend, trial.params)[: trial.step]


def test_an_objective_in_one_step_is_worth_what_it_returned(study_of: Callable[..., hippo.Study]) -> None:
    study = study_of(descend, in_one_step=True)

    assert study.evaluate({"lr": 0.1}, until=1) == alone(descend, {"lr": 0.1})[-1]
    assert study.statistics().steps_executed == 1


def test_an_objective_that_never_reports_is_one_step(study_of: Callable[..., hippo.Study]) -> None:
    study = study_of(lambda trial: (trial.suggest_float("x", 0, 1) - 0.5) ** 2, space=None)

    study.optimize(hippo.GridSearch([{"x": 0.25}, {"x": 0.5}], until=1))

    assert study.best_params == {"x": 0.5}
    assert study.statistics().steps_checked == 0  # all of its training: it is never run a second time


def test_several_values_are_several_metrics(make_study: Callable[..., hippo.Study]) -> None:
    trainer, _ = hippo.from_optuna(lambda trial: (trial.suggest_int("n", 1, 9), 1 / trial.params["n"]))
    study = make_study(trainer=trainer, metric=["value_0", "value_1"], mode=["min", "max"])

    study.optimize(hippo.GridSearch([{"n": n} for n in (1, 2, 3)], until=1))

    assert [trial.values for trial in study.best_trials] == [(1.0, 1.0)]


@pytest.mark.parametrize("max_steps", [None, 3])
def test_an_objective_that_prunes_itself_is_never_the_best(max_steps: int | None) -> None:
    def gives_up(trial: Any) -> float:
        x = trial.suggest_categorical("x", [0.1, 0.9])
        trial.report(x if x < 0.5 else -10.0, 0)
        if x > 0.5:
            raise optuna.TrialPruned("impossible")
        return float(x)

    study = hippo.from_optuna(gives_up).optimize(
        n_trials=6, max_steps=max_steps, sampler="random", storage="memory://", engine=hippo.InlineEngine()
    )

    assert (study.best_params, study.best_value) == ({"x": 0.1}, 0.1)
    out = [trial for trial in study.trials if trial.params == {"x": 0.9}]
    assert {trial.state for trial in out} == {TrialState.FAIL}
    assert "gives_up() raised TrialPruned('impossible') by a condition of its own" in out[0].error
    study.close()


def test_an_objective_without_a_result_fails_and_says_so(study_of: Callable[..., hippo.Study]) -> None:
    def says_nothing(trial: Any) -> None:
        trial.suggest_float("lr", 0, 1)

    with pytest.raises(TrialFailedError, match=r"says_nothing\(\) ended without a result: it reported nothing"):
        study_of(says_nothing).evaluate({"lr": 0.5}, until=1)


def test_reports_are_counted_as_they_come(study_of: Callable[..., hippo.Study]) -> None:
    def leaps(trial: Any) -> float:
        trial.suggest_float("lr", 0, 1)
        for step in (0, 5, 5, 20, 3):
            trial.report(step, step)
        return -1.0

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        study = study_of(leaps)
        study.evaluate({"lr": 0.5}, until=5)

    assert [metrics["value"] for metrics in study.trials[0].history.values()] == [0, 5, 20, 3, -1]
    assert {"a second time" in str(w.message) or "step 3 after step 20" in str(w.message) for w in told} == {True}


@pytest.mark.parametrize(
    ("report", "message"),
    [(("high", 0), "a value is a number"), ((1.0, "first"), "a step is an integer"), ((1.0, -1), "at least 0")],
)
def test_a_report_that_is_none_fails_its_trial(study_of: Callable[..., hippo.Study], report: Any, message: str) -> None:
    def reports(trial: Any) -> float:
        trial.suggest_float("lr", 0, 1)
        trial.report(*report)
        return 0.0

    with pytest.raises(TrialFailedError, match=message):
        study_of(reports).evaluate({"lr": 0.5}, until=1)


def test_an_exception_is_the_failure_of_its_trial_alone(study_of: Callable[..., hippo.Study]) -> None:
    def breaks(trial: Any) -> float:
        lr = trial.suggest_float("lr", 0, 1)
        trial.report(lr, 0)
        if lr == 0.5:
            raise ZeroDivisionError("in the middle")
        return lr

    study = study_of(breaks)
    study.optimize(hippo.GridSearch([{"lr": 0.5}, {"lr": 0.25}], until=2))

    assert [trial.state.name for trial in study.trials] == ["FAIL", "COMPLETE"]
    assert "in the middle" in study.trials[0].error


# ------------------------------------------------------------------------------------------ how a function ends


def test_a_function_that_is_given_up_unwinds(study_of: Callable[..., hippo.Study], tmp_path: Path) -> None:
    log = str(tmp_path / "closed")

    def holds_something(trial: Any) -> float:
        lr = trial.suggest_float("lr", 0, 1)
        try:
            for step in range(9):
                trial.report(lr, step)
        except Exception:
            append_line(log, "failed")  # that it is given up is no failure of its own
        finally:
            append_line(log, str(lr))
        return lr

    study = study_of(holds_something)
    for lr in (0.1, 0.2, 0.3):
        study.evaluate({"lr": lr}, until=2)

    assert {"0.1", "0.2"} <= set(Path(log).read_text().split()) <= {"0.1", "0.2", "0.3"}


def test_of_two_that_stand_with_equal_values_the_one_that_is_further_stays() -> None:
    runs = [RunningFunction(lambda report: [report({}) for _ in range(9)]) for _ in range(3)]
    for run in runs:
        run.advance()
    paused = PausedFunctions(limit=4)

    for steps, run in zip((2, 3, 1), runs, strict=True):
        paused.put("equal", steps, run)

    assert paused.take("equal", 3) is runs[1]
    assert [run.is_over for run in runs] == [True, False, True]
    runs[1].stop()


def test_a_function_that_will_not_end_is_left_standing() -> None:
    def stubborn(report: Any) -> None:
        while True:
            with contextlib.suppress(BaseException):
                report({"loss": 0.0})

    run = RunningFunction(stubborn)
    run.advance()

    run.stop()

    assert run.is_over


def test_a_function_that_runs_when_its_trainer_is_interrupted_is_interrupted_too() -> None:
    ended = []

    def never_reports(report: Any) -> None:
        try:
            _thread.interrupt_main()
            while True:
                pass
        finally:
            ended.append(True)

    run = RunningFunction(never_reports)
    with pytest.raises(KeyboardInterrupt):
        run.advance()
    run.stop()

    assert ended
    assert run.is_over


# ------------------------------------------------------------------------------------------------- chance and truth


def test_an_objective_with_chance_of_its_own_is_found_out(study_of: Callable[..., hippo.Study]) -> None:
    def unseeded(trial: Any) -> float:
        trial.suggest_float("lr", 0, 1)
        for step in range(4):
            trial.report(int.from_bytes(os.urandom(4), "big"), step)
        return 0.0

    with pytest.raises(ExactnessError):
        study_of(unseeded).optimize(hippo.GridSearch([{"lr": 0.1}], until=3))


@pytest.mark.slow
def test_a_function_sees_the_threads_that_the_engine_pins(study_of: Callable[..., hippo.Study]) -> None:
    import torch

    def count(trial: Any) -> float:
        trial.suggest_float("lr", 0, 1)
        for step in range(2):
            trial.report(torch.get_num_threads(), step)
        return 0.0

    study = study_of(count, engine=hippo.InlineEngine(threads=2))

    assert study.evaluate({"lr": 0.1}, until=2) == {"value": 2.0}


# --------------------------------------------------------------------------------------------------- suggestions


def everything(trial: Any) -> float:
    trial.suggest_float("float", -1, 1)
    trial.suggest_float("log", 1e-5, 1e-1, log=True)
    trial.suggest_float("stepped", 0.0, 1.0, step=0.25)
    trial.suggest_float("odd", 0.1, 0.7, step=0.2)
    trial.suggest_int("int", 1, 8)
    trial.suggest_int("even", 2, 8, step=2)
    trial.suggest_int("odds", 1, 9, step=2)
    trial.suggest_int("fixed", 3, 3)
    trial.suggest_categorical("kind", ["a", None, 2])
    trial.suggest_uniform("old", 0, 1)
    return 0.0


def test_the_space_is_learned_from_what_an_objective_suggests() -> None:
    _, space = hippo.from_optuna(everything)

    assert isinstance(space, hippo.RandomSearchSpace)
    assert space.hparams == {
        "float": uniform(-1, 1),
        "log": loguniform(1e-5, 1e-1),
        "stepped": quniform(0, 1, 0.25),
        "odd": choice(0.1, 0.3, 0.5, 0.7),
        "int": randint(1, 9),
        "even": qrandint(2, 8, 2),
        "odds": choice(1, 3, 5, 7, 9),
        "fixed": 3,
        "kind": choice("a", None, 2),
        "old": uniform(0, 1),
    }


def test_steps_are_counted_exactly_however_small_or_large_the_numbers_are() -> None:
    def exact(trial: Any) -> float:
        trial.suggest_float("small", 1.5e-13, 4e-13, step=1e-13)
        trial.suggest_int("large", 10**17 + 1, 10**17 + 25, step=10)
        return 0.0

    _, space = hippo.from_optuna(exact)
    assert isinstance(space, hippo.RandomSearchSpace)
    assert space.hparams == {
        "small": choice(1.5e-13, 2.5e-13, 3.5e-13),
        "large": choice(10**17 + 1, 10**17 + 11, 10**17 + 21),
    }


@pytest.mark.parametrize("choices", [((1, (2, 3)), (4, (5, 6))), ((1,), (1.0,)), (True, 1, 1.0), (("a", 1), ["a", 2])])
def test_a_choice_is_found_again_in_a_config_whatever_is_nested_in_it(choices: tuple[Any, ...]) -> None:
    for option in choices:
        held = hippo.Config({"x": option}).params["x"]
        found = OneOf(choices).checked("x", held)
        assert (type(found), repr(found)) == (type(option), repr(option))


def test_logarithmic_integers_stay_integers(study_of: Callable[..., hippo.Study]) -> None:
    def units(trial: Any) -> float:
        return len(range(trial.suggest_int("units", 2, 64, log=True)))

    study = study_of(units, space=None)
    study.optimize(hippo.RandomSearch(hippo.from_optuna(units).space, num_trials=5, until=1))

    assert all(2 <= trial.value <= 64 for trial in study.trials)


def test_learning_a_space_stops_at_the_first_report_and_leaves_chance_alone() -> None:
    seen: list[str] = []

    def objective(trial: Any) -> float:
        trial.suggest_float("lr", 0, 1)
        random.random()
        seen.append("before")
        trial.report(1.0, 0)
        seen.append("after")
        return 0.0

    random.seed(5)
    hippo.from_optuna(objective)
    drawn = random.random()

    random.seed(5)
    assert drawn == random.random()
    assert seen == ["before"]


def test_what_breaks_while_a_space_is_learned_says_how_to_do_without() -> None:
    def needs_data(trial: Any) -> float:
        raise FileNotFoundError("data.csv")

    with pytest.raises(FileNotFoundError) as raised:
        hippo.from_optuna(needs_data)

    assert "space=hippo.RandomSearchSpace" in raised.value.__notes__[0]


def layers_in_a_loop(trial: Any) -> float:
    return sum(trial.suggest_int(f"units_{i}", 4, 8) for i in range(trial.suggest_int("layers", 1, 3)))


def by_kind(trial: Any) -> float:
    kind = trial.suggest_categorical("kind", ["sgd", "adam"])
    is_sgd = kind == "sgd"
    if is_sgd:
        return trial.suggest_float("momentum", 0, 1)
    return 0.0


def in_a_helper(trial: Any) -> float:
    return by_kind(trial)


def between_bounds(trial: Any) -> float:
    most = 2 * trial.suggest_int("a", 2, 9)
    return trial.suggest_int("b", 1, most)


def by_a_parameter(trial: Any) -> float:
    trial.suggest_int("a", 2, 9)
    return trial.suggest_int("b", 1, high=trial.params["a"])


def under_a_name(trial: Any) -> float:
    kind = trial.suggest_categorical("kind", ["sgd", "adam"])
    return trial.suggest_float(f"rate of {kind}", 0, 1)


@pytest.mark.parametrize(
    "objective", [layers_in_a_loop, by_kind, in_a_helper, between_bounds, by_a_parameter, under_a_name]
)
def test_suggestions_that_depend_on_others_want_a_space(objective: Any) -> None:
    with pytest.raises(SpaceError, match=r"depend on other ones.*line \d+: trial\.suggest.*Give a space"):
        hippo.from_optuna(objective)


def suggested_by_a_helper(trial: Any, most: int) -> int:
    return trial.suggest_int("units", 1, most)


def test_bounds_that_a_helper_is_given_are_refused_where_they_are_not_those_learned(
    study_of: Callable[..., hippo.Study],
) -> None:
    def objective(trial: Any) -> float:
        most = trial.suggest_int("most", 2, 32)
        return suggested_by_a_helper(trial, most) / most

    study = study_of(objective, space=None)
    study.optimize(hippo.GridSearch([{"most": most, "units": 1} for most in (2, 17)], until=1))
    assert [trial.state.value for trial in study.trials] == ["COMPLETE", "FAIL"]
    assert "suggests 'units' as an integer in [1, 17], and did so as an integer in [1, 2]" in study.trial(1).traceback


def test_a_given_space_serves_suggestions_that_depend_on_others(study_of: Callable[..., hippo.Study]) -> None:
    study = study_of(by_kind, space={"kind": choice("sgd", "adam"), "momentum": uniform(0, 1)})

    study.optimize(hippo.GridSearch([{"kind": kind, "momentum": 0.5} for kind in ("sgd", "adam")], until=1))

    assert [trial.value for trial in study.trials] == [0.5, 0.0]


def test_a_space_within_a_space_serves_them_too(study_of: Callable[..., hippo.Study]) -> None:
    kinds = [{"name": "sgd", "momentum": 0.5}, {"name": "adam"}]
    study = study_of(by_kind, space=hippo.GridSearchSpace({"kind": kinds}))

    study.optimize(hippo.GridSearch([{"kind": kind} for kind in kinds], until=1))

    assert [trial.value for trial in study.trials] == [0.5, 0.0]


def test_suggestions_in_loops_and_under_constants_are_no_matter() -> None:
    def objective(trial: Any) -> float:
        total = trial.suggest_float("x", 0, 1)
        for i in range(2):
            total += trial.suggest_float(f"x{i}", 0, 1)
        for step in range(trial.suggest_int("epochs", 1, 3)):
            trial.report(total, step)
        return total

    _, space = hippo.from_optuna(objective)

    assert sorted(space.hparams) == ["epochs", "x", "x0", "x1"]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"lr": 2.0}, r"The config has lr=2\.0, but the objective wants a number in \[0\.01, 1\.0\]"),
        ({"lr": "high"}, "The config has lr='high'"),
        ({"lr": True}, "The config has lr=True"),
    ],
)
def test_a_value_outside_of_what_is_suggested_fails(
    study_of: Callable[..., hippo.Study], config: dict[str, Any], message: str
) -> None:
    with pytest.raises(TrialFailedError, match=message):
        study_of(descend).evaluate(config, until=1)


@pytest.mark.parametrize(
    ("config", "error", "message"),
    [
        ({"lrr": 0.1}, UnknownHparamError, "asks for no 'lrr', only for .*'lr'.*Did you mean 'lr'"),
        ({}, UnknownHparamError, "asks for 'lr', and the config has only"),
        ({"lr": hippo.MultiStep(0.1, [3], 0.1)}, HparamError, "takes its values once, as it begins"),
    ],
)
def test_a_config_that_an_objective_cannot_take_is_refused_before_training(
    study_of: Callable[..., hippo.Study], config: dict[str, Any], error: type[Exception], message: str
) -> None:
    study = study_of(descend, space=None)

    with pytest.raises(error, match=message):
        study.optimize(hippo.GridSearch([config], until=2))
    assert study.statistics().steps_executed == 0


def test_a_name_that_a_given_space_lacks_is_told_when_it_is_suggested(study_of: Callable[..., hippo.Study]) -> None:
    study = study_of(descend, space={"lrr": uniform(0, 1)})

    with pytest.raises(TrialFailedError, match=r"suggests 'lr', and the config has only \['lrr'\]\. Did you mean"):
        study.evaluate({"lrr": 0.1}, until=1)


@pytest.mark.parametrize(
    ("suggest", "message"),
    [
        (lambda trial: trial.suggest_categorical("f", [len]), "has the choice <built-in function len>"),
        (lambda trial: trial.suggest_float("x", 2, 1), "low=2.0 is above high=1.0"),
        (lambda trial: trial.suggest_float("x", 0, 1, log=True), "log=True needs low above 0"),
        (lambda trial: trial.suggest_int("n", 1, 9, step=0), "step must be above 0"),
        (lambda trial: trial.suggest_float("x", 1, 2, step=0.5, log=True), "cannot be given together"),
        (lambda trial: trial.suggest_categorical("x", []), "at least one choice"),
        (lambda trial: trial.suggest_float("x", 1e-9, 1, step=1e-6), "values that are no multiples of their step"),
        (
            lambda trial: (trial.suggest_int("x", 1, 2), trial.suggest_int("x", 1, 3)),
            r"suggests 'x' twice: as an integer in \[1, 2\] and as an integer in \[1, 3\]",
        ),
    ],
)
def test_what_no_space_can_hold_is_refused(suggest: Any, message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        hippo.from_optuna(suggest)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("number", "Name files by trial.key"),
        ("set_constraint", 'constraints="value_1 <= 0"'),
        ("study", "is not there"),
    ],
)
def test_what_a_trial_of_optuna_has_and_ours_has_not_is_explained(name: str, message: str) -> None:
    with pytest.raises(AttributeError, match=message):
        getattr(ConfigTrial({}, print, print), name)


def test_a_tuple_among_the_choices_comes_back_as_a_tuple() -> None:
    trial = ConfigTrial({"betas": [0.9, 0.99]}, print, print)

    assert trial.suggest_categorical("betas", [(0.9, 0.999), (0.9, 0.99)]) == (0.9, 0.99)


# ------------------------------------------------------------------------------------- what may be handed over


class Shifted:
    def __init__(self, by: Any) -> None:
        self.by = by

    def __call__(self, trial: Any) -> float:
        return trial.suggest_float("x", 0, 1) + self.moved()

    def method(self, trial: Any) -> float:
        return self(trial)

    def moved(self) -> float:
        return float(self.by)


def shifted(by: float, trial: Any, *, more: float = 0.0) -> float:
    return trial.suggest_float("x", 0, 1) + by + more


@pytest.mark.parametrize("objective", [Shifted(3.0), Shifted(3.0).method, functools.partial(shifted, 2.0, more=1.0)])
def test_objects_methods_and_partial_functions_are_objectives_too(
    study_of: Callable[..., hippo.Study], objective: Any
) -> None:
    assert study_of(objective, space=None).evaluate({"x": 0.5}, until=1) == {"value": 3.5}


def test_arguments_of_the_trainer_go_to_the_objective(make_study: Callable[..., hippo.Study]) -> None:
    trainer, _ = hippo.from_optuna(descend, LR)
    study = make_study(trainer=trainer, trainer_args={"reports": 2}, metric="value", mode="min")

    assert study.evaluate({"lr": 0.1}, until=3)["value"] > 100


def test_other_settings_are_other_code() -> None:
    made = [Shifted(1.0), Shifted(2.0), functools.partial(shifted, 1.0), functools.partial(shifted, 2.0), shifted]
    codes = {fingerprint(hippo.from_optuna(objective, {"x": 0.5}).trainer) for objective in made}

    assert len(codes) == len(made)


def test_another_space_is_no_other_code() -> None:
    one, other = (hippo.from_optuna(shifted, space).trainer for space in ({"x": 0.5}, {"x": uniform(0, 1), "y": 1}))

    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    "objective", [Shifted(np.ones(3)), functools.partial(shifted, np.ones(3))], ids=["object", "partial"]
)
def test_data_that_could_not_be_told_from_other_data_is_refused(objective: Any) -> None:
    with pytest.raises(TrainerError, match="could not be told from another one in the next process"):
        hippo.from_optuna(objective)


@pytest.mark.parametrize("objective", [3, "objective", int, print])
def test_what_is_no_function_is_refused(objective: Any) -> None:
    with pytest.raises(TrainerError, match="is no function"):
        hippo.from_optuna(objective)


@pytest.mark.parametrize("options", [{"in_one_step": 1}, {"keep_paused": -1}, {"keep_paused": True}])
def test_options_out_of_their_bounds_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError if "keep_paused" in options else TrainerError):
        hippo.from_optuna(descend, LR, **options)


def test_that_functions_share_no_steps_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    def only_here(trial: Any) -> float:
        return trial.suggest_float("lr", 0, 1)

    hippo.from_optuna(only_here)
    hippo.from_optuna(only_here)

    told = capsys.readouterr().err
    assert told.count("share no steps") == 1
    assert "ran it once up to its first report to learn its space: lr" in told


# ------------------------------------------------------------------------------------------ in Optuna's manner


@pytest.mark.parametrize(
    "options", [{}, {"max_steps": 7}, {"sampler": "random"}, {"sampler": "random", "max_steps": 7, "mode": "max"}]
)
def test_a_study_in_optunas_manner(options: dict[str, Any]) -> None:
    found = hippo.from_optuna(descend, LR)

    study = found.optimize(n_trials=8, storage="memory://", engine=hippo.InlineEngine(), **options)

    assert (study.name, len(study.trials)) == ("descend", 8)
    assert study.best_value > 100.0  # what it returned, not what it reported
    study.close()


def noisy_at_the_end(trial: Any) -> float:
    x = trial.suggest_categorical("x", [0.1, 0.5])
    reports = [abs(x - 0.5), 2 * x]
    for step, value in enumerate(reports):
        trial.report(value, step)
    return min(reports)


def test_what_an_objective_returns_after_its_reports_is_its_value() -> None:
    study = hippo.from_optuna(noisy_at_the_end).optimize(
        n_trials=6, max_steps=2, sampler="random", storage="memory://", engine=hippo.InlineEngine()
    )

    assert (study.best_params, study.best_value) == ({"x": 0.5}, 0.0)
    study.close()


def test_steps_below_one_are_refused_before_there_is_a_study() -> None:
    with pytest.raises(BudgetError, match="max_steps must be at least 1, not 0"):
        hippo.from_optuna(noisy_at_the_end).optimize(n_trials=6, max_steps=0)


def test_two_words_for_directions_are_refused() -> None:
    with pytest.raises(OptionError, match=r"directions=\['minimize'\] and direction='maximize': give one of them"):
        hippo.from_optuna(noisy_at_the_end).optimize(n_trials=6, directions=["minimize"], direction="maximize")


def test_a_grid_is_no_space_for_optunas_manner() -> None:
    found = hippo.from_optuna(descend, hippo.GridSearchSpace({"lr": [0.1]}))

    with pytest.raises(SpaceError, match="give distributions, or run"):
        found.optimize(n_trials=3)


# ------------------------------------------------------------------------------------------------- processes


@pytest.mark.parametrize(
    ("option", "answer"),
    [("timeout", "hippo.Deadline"), ("n_jobs", "LocalEngine"), ("storag", "Did you mean 'storage'")],
)
def test_an_option_of_optunas_is_answered_by_what_to_write(option: str, answer: str) -> None:
    adapted = hippo.from_optuna(lambda trial: trial.suggest_float("x", 0, 1))
    with pytest.raises(UnknownArgumentError, match=answer):
        adapted.optimize(n_trials=2, **{option: "x"})


SCRIPT = """
import os, random, sys, time
import hippo
from hippo.testing.trainers import append_line

def objective(trial):
    lr, weight = trial.suggest_float("lr", 0.01, 1.0, log=True), 5.0
    for step in range(12):
        while step == 5 and os.path.exists(os.environ["STANDS_STILL"]):
            time.sleep(0.01)
        weight -= lr * (weight + random.gauss(0.0, 0.1))
        append_line(os.environ["STEPS_LOG"], f"{lr} {step}")
        trial.report(weight * weight, step)
    return weight * weight

if __name__ == "__main__":
    folder = sys.argv[1]
    trainer, space = hippo.from_optuna(objective)
    study = hippo.create_study(
        "script", trainer=trainer, storage=f"sqlite:///{folder}/hippo.db", checkpoints=f"{folder}/states",
        engine=hippo.LocalEngine(workers=2), metric="value", mode="min",
    )
    study.optimize(hippo.SuccessiveHalving(
        [{"lr": 0.1 * n} for n in range(1, 9)], min_steps=3, max_steps=12, reduction=2))
    counts = study.statistics()
    assert counts.steps_executed - counts.steps_repeated == counts.steps_asked, counts
    for trial in study.trials:
        print(trial.number, trial.state, trial.history)
    study.close()
"""


def run_script(folder: Path) -> subprocess.Popen[str]:
    folder.mkdir(exist_ok=True)
    (folder / "script.py").write_text(SCRIPT)
    return subprocess.Popen(
        [sys.executable, "script.py", str(folder)],
        cwd=folder,
        env={**os.environ, "STEPS_LOG": str(folder / "steps.log"), "STANDS_STILL": str(folder / "stands_still")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_a_script_that_is_killed_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    undisturbed, _ = run_script(tmp_path / "calm").communicate(timeout=120)
    log, stands_still = tmp_path / "killed" / "steps.log", tmp_path / "killed" / "stands_still"
    stands_still.parent.mkdir()
    stands_still.touch()
    killed = run_script(tmp_path / "killed")
    while not log.exists() or len(log.read_text().splitlines()) < 25:
        assert killed.poll() is None, killed.communicate()
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    stands_still.unlink()

    output, errors = run_script(tmp_path / "killed").communicate(timeout=120)

    assert output == undisturbed, errors
    assert "COMPLETE" in output


def two_values(trial: Any) -> Any:
    x = trial.suggest_float("x", 0, 1)
    return x, 1 - x


@pytest.mark.parametrize("word", ["direction", "directions"])
def test_several_directions_are_several_values(word: str) -> None:
    study = hippo.from_optuna(two_values).optimize(
        n_trials=4,
        sampler="random",
        storage="memory://",
        engine=hippo.InlineEngine(),
        **{word: ["minimize", "minimize"]},
    )
    assert [objective.metric for objective in study.trials[0].objectives] == ["value_0", "value_1"]
    assert len(study.best_trials) == 4  # what one gains, the other loses
    study.close()


def test_optunas_own_directions_are_understood() -> None:
    own = optuna.study.StudyDirection
    study = hippo.from_optuna(two_values).optimize(
        n_trials=2,
        sampler="random",
        storage="memory://",
        engine=hippo.InlineEngine(),
        directions=[own.MAXIMIZE, own.MINIMIZE],
    )
    assert [objective.mode for objective in study.objectives] == ["max", "min"]
    study.close()
    with pytest.raises(OptionError, match=r"direction must be one of \['minimize', 'maximize'\], not 'not_set'"):
        hippo.from_optuna(two_values).optimize(n_trials=2, storage="memory://", direction=own.NOT_SET)


def test_one_direction_for_several_values_is_answered_by_what_to_write() -> None:
    with pytest.raises(
        UnknownMetricError, match=r"several values: metric=\['value_0', 'value_1'\], mode=\['min', 'min'\]"
    ):
        hippo.from_optuna(two_values).optimize(
            n_trials=2, sampler="random", storage="memory://", engine=hippo.InlineEngine(), direction="minimize"
        )


def noted(trial: Any) -> float:
    lr: float = trial.suggest_float("lr", 0, 1)
    trial.set_user_attr("size", 3)
    return lr


def test_an_attribute_that_is_not_kept_is_warned_of(study_of: Callable[..., hippo.Study]) -> None:
    with pytest.warns(
        UserWarning, match=r"noted\(\): set_user_attr\('size', ...\) is noted for the objective itself"
    ) as said:
        study_of(noted).evaluate({"lr": 0.5}, until=1)
    assert said[0].filename == __file__
