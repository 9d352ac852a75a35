"""Function trainables of Ray Tune under hippo: reports, yields and results, and Ray's spaces as hippo's.

Where Ray is not installed, a stand-in with the same modules and names takes its place.
"""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hippo
from hippo.errors import SpaceError, TrainerError, TrialFailedError, UnknownMetricError
from hippo.hparams import (
    choice,
    lograndint,
    loguniform,
    qlograndint,
    qloguniform,
    qrandint,
    qrandn,
    quniform,
    randint,
    randn,
    uniform,
)


@pytest.fixture
def tune(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return `ray.tune`: Ray's own if it is installed."""
    if importlib.util.find_spec("ray") is None:
        monkeypatch.syspath_prepend(str(Path(__file__).with_name("stand_in_ray")))
    yield importlib.import_module("ray.tune")
    if "stand_in_ray" in str(getattr(sys.modules["ray"], "__file__", "")):
        for name in [name for name in sys.modules if name.partition(".")[0] == "ray"]:
            del sys.modules[name]


@pytest.fixture
def study_of(make_study: Callable[..., hippo.Study]) -> Callable[..., hippo.Study]:
    """Return what makes a study of a trainable."""

    def make(trainable: Any, **options: Any) -> hippo.Study:
        return make_study(trainer=hippo.from_ray(trainable, **options).trainer, metric="loss", mode="min")

    return make


def test_a_step_is_a_report(study_of: Callable[..., hippo.Study], tune: Any) -> None:
    from ray.tune import report

    def trainable(config: dict[str, Any]) -> None:
        tune.report({"loss": config["lr"]})
        report({"loss": config["lr"] / 2, "epoch": 2})

    study = study_of(trainable)
    study.optimize(hippo.GridSearch([{"lr": 1.0}, {"lr": 0.5}], until=3))

    assert study.trials[1].history == {
        1: {"loss": 0.5},
        2: {"loss": 0.25, "epoch": 2},
        3: {"loss": 0.25, "epoch": 2},
    }


def test_two_trainables_by_turns_report_each_for_itself(study_of: Callable[..., hippo.Study], tune: Any) -> None:
    def trainable(config: dict[str, Any]) -> None:
        for step in range(4):
            tune.report({"loss": config["lr"] + step})

    study = study_of(trainable, keep_paused=3)
    study.optimize(hippo.SuccessiveHalving([{"lr": 10.0 * n} for n in range(4)], 1, 4, 2))

    assert study.statistics().steps_repeated == 0
    for trial in study.trials:
        assert [metrics["loss"] for metrics in trial.history.values()] == [
            trial.params["lr"] + step for step in range(trial.step)
        ]


def test_a_yield_is_a_report(study_of: Callable[..., hippo.Study]) -> None:
    def trainable(config: dict[str, Any]) -> Iterator[dict[str, float]]:
        for step in range(3):
            yield {"loss": config["lr"] - step}

    assert study_of(trainable).evaluate({"lr": 5.0}, until=2) == {"loss": 4.0}


@pytest.mark.parametrize(("returned", "last"), [({"loss": 9.0}, 9.0), (None, 1.0), ("done", 1.0)])
def test_what_is_returned_behind_yields_is_the_result(
    study_of: Callable[..., hippo.Study], returned: object, last: float
) -> None:
    def trainable(config: dict[str, Any]) -> Iterator[Any]:
        yield {"loss": 0.0 * config["lr"]}
        yield {"loss": 1.0}
        return returned

    study = study_of(trainable)
    study.evaluate({"lr": 1.0}, until=4)
    assert [metrics["loss"] for metrics in study.trials[0].history.values()] == [0.0, 1.0, last, last]


def test_a_config_that_a_trainable_changes_is_its_own(study_of: Callable[..., hippo.Study]) -> None:
    def trainable(config: dict[str, Any]) -> Iterator[dict[str, float]]:
        lr = config["opt"]["lr"]
        config["opt"]["lr"] = 0.1
        for step in range(4):
            yield {"loss": lr + step}

    study = study_of(trainable, keep_paused=4)
    study.optimize(hippo.SuccessiveHalving([{"opt": {"lr": lr}} for lr in (0.1, 0.2)], 1, 4, 2))

    assert [trial.value for trial in study.trials] == [3.1, 0.2]
    assert study.statistics().steps_repeated == 0


def test_what_is_returned_is_the_result(study_of: Callable[..., hippo.Study]) -> None:
    assert study_of(lambda config: {"loss": config["lr"]}).evaluate({"lr": 5.0}, until=1) == {"loss": 5.0}


@pytest.mark.parametrize("in_one_step", [False, True])
def test_a_value_that_a_trainable_never_looks_up_is_told_of(
    study_of: Callable[..., hippo.Study], *, in_one_step: bool
) -> None:
    def trainable(config: dict[str, Any]) -> dict[str, float]:
        return {"loss": config["size"] * config.get("lr", 0.1)}

    with pytest.warns(UserWarning, match=r"did not look at \['learning_rate'\] in its first step; it read \['size'\]"):
        study_of(trainable, in_one_step=in_one_step).evaluate({"learning_rate": 0.5, "size": 2}, until=1)


def test_a_value_that_may_be_looked_up_is_not_told_of(study_of: Callable[..., hippo.Study]) -> None:
    class Holder:
        def train(self, config: dict[str, Any]) -> dict[str, float]:
            if config["size"] > 2:
                return {"loss": config["lr"]}
            return {"loss": 1.0}

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study_of(Holder().train).evaluate({"lr": 0.5, "size": 2}, until=1)
        study_of(lambda config: {"loss": sum(config.values())}).evaluate({"lr": 0.5, "size": 2}, until=1)


def test_what_is_no_number_is_left_out_with_a_word(study_of: Callable[..., hippo.Study]) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        metrics = study_of(lambda config: {"loss": 1.0, "name": "x", "done": True}).evaluate({"lr": 1.0}, until=1)

    assert metrics == {"loss": 1.0, "done": 1}
    assert any("['name'], which are no numbers" in str(warning.message) for warning in told)


def test_a_checkpoint_that_is_reported_is_not_used_and_that_is_said(
    study_of: Callable[..., hippo.Study], tune: Any
) -> None:
    def trainable(config: dict[str, Any]) -> None:
        assert tune.get_checkpoint() is None
        tune.report({"loss": 1.0}, checkpoint=object())

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        study_of(trainable).evaluate({"lr": 1.0}, until=1)

    assert any("reported a checkpoint, which hippo has no use for" in str(warning.message) for warning in told)


def test_a_report_that_is_no_dict_fails(study_of: Callable[..., hippo.Study], tune: Any) -> None:
    with pytest.raises(TrialFailedError, match=r"reported 3; report a dict"):
        study_of(lambda config: tune.report(3)).evaluate({"lr": 1.0}, until=1)


def unknown(tune: Any) -> Any:
    """Return a distribution of a later Ray."""
    return type("Unknown", (type(tune.uniform(0, 1)),), {"__module__": "ray.tune.later"})(0, 1)


def test_distributions_of_ray_become_hippos(tune: Any) -> None:
    _, space = hippo.from_ray(
        lambda config: {"loss": 0.0},
        {
            "uniform": tune.uniform(0, 1),
            "log": tune.loguniform(1e-4, 1e-1),
            "q": tune.quniform(0, 1, 0.25),
            "qlog": tune.qloguniform(0.5, 8, 0.5),
            "int": tune.randint(1, 9),
            "qint": tune.qrandint(0, 8, 2),
            "logint": tune.lograndint(1, 9),
            "qlogint": tune.qlograndint(4, 64, 4),
            "normal": tune.randn(10, 2),
            "qnormal": tune.qrandn(10, 2, 0.5),
            "kind": tune.choice(["a", "b"]),
            "ours": hippo.uniform(0, 1),
            "epochs": 3,
        },
    )

    assert isinstance(space, hippo.RandomSearchSpace)
    assert space.hparams == {
        "uniform": uniform(0, 1),
        "log": loguniform(1e-4, 1e-1),
        "q": quniform(0, 1, 0.25),
        "qlog": qloguniform(0.5, 8, 0.5),
        "int": randint(1, 9),
        "qint": qrandint(0, 8, 2),
        "logint": lograndint(1, 9),
        "qlogint": qlograndint(4, 64, 4),
        "normal": randn(10, 2),
        "qnormal": qrandn(10, 2, 0.5),
        "kind": choice("a", "b"),
        "ours": uniform(0, 1),
        "epochs": 3,
    }


def test_a_logarithmic_integer_has_rays_bounds(tune: Any) -> None:
    _, space = hippo.from_ray(lambda config: {"loss": 0.0}, {"n": tune.lograndint(1, 4)})
    rng = np.random.default_rng(0)

    assert {space.sample(rng)["n"](0) for _ in range(50)} == {1, 2, 3}


def test_grid_search_within_dictionaries_becomes_a_grid(tune: Any) -> None:
    nested = {"lr": tune.grid_search([0.1, 0.2]), "betas": [0.9, 0.99], "more": {"depth": tune.grid_search([1, 2])}}
    _, space = hippo.from_ray(lambda config: {"loss": 0.0}, {"opt": nested, "sizes": [8, 16]})
    assert isinstance(space, hippo.GridSearchSpace)
    found = [config.params for config in space]
    assert [(each["opt"]["lr"], each["opt"]["more"]["depth"]) for each in found] == [
        (0.1, 1),
        (0.1, 2),
        (0.2, 1),
        (0.2, 2),
    ]
    assert all(each["opt"]["betas"] == [0.9, 0.99] and each["sizes"] == [8, 16] for each in found)


@pytest.mark.parametrize("where", ["in a list", "beside one", "in a list in a dictionary"])
def test_a_grid_search_that_makes_no_grid_is_a_choice(tune: Any, where: str) -> None:
    grid, drawn = tune.grid_search([1, 2]), tune.uniform(0, 1)
    spaces = {
        "in a list": {"a": [grid], "b": grid},
        "beside one": {"a": {"b": grid}, "c": {"d": [drawn]}},
        "in a list in a dictionary": {"a": {"b": [grid]}, "c": grid},
    }
    _, space = hippo.from_ray(lambda config: {"loss": 0.0}, spaces[where])
    assert isinstance(space, hippo.RandomSearchSpace)


def test_grid_search_becomes_a_grid(tune: Any) -> None:
    _, space = hippo.from_ray(lambda config: {"loss": 0.0}, {"lr": tune.grid_search([0.1, 0.2]), "n": 2})

    assert [config.params for config in space] == [{"lr": 0.1, "n": 2}, {"lr": 0.2, "n": 2}]


def test_what_is_nested_stays_nested_and_a_grid_beside_distributions_is_a_choice(tune: Any) -> None:
    _, space = hippo.from_ray(
        lambda config: {"loss": 0.0}, {"model": {"lr": tune.uniform(0, 1), "depth": 3}, "bs": tune.grid_search([8, 16])}
    )
    drawn = space.sample(np.random.default_rng(0)).params

    assert drawn["bs"] in (8, 16)
    assert 0 <= drawn["model"]["lr"] < 1
    assert drawn["model"]["depth"] == 3


def test_a_list_is_one_value_as_for_ray(tune: Any) -> None:
    fixed = {"hidden": [64, 32], "deep": {"betas": (0.9, 0.99)}}
    _, space = hippo.from_ray(
        lambda config: {"loss": 0.0}, {"lr": tune.uniform(0, 1), "bs": tune.grid_search([[8], [8]]), **fixed}
    )
    drawn = space.sample(np.random.default_rng(0)).params

    assert drawn["hidden"] == [64, 32]
    assert drawn["deep"] == {"betas": [0.9, 0.99]}
    assert drawn["bs"] == [8]


def test_distributions_in_a_list_are_drawn_each(tune: Any) -> None:
    entries = [tune.choice([1, 2]), [3, {"n": tune.choice([4, 5]), "also": [6]}]]
    for more in ({}, {"lr": tune.grid_search([0.1, 0.2])}):
        _, space = hippo.from_ray(lambda config: {"loss": 0.0}, {"layers": entries, **more})
        first, (three, inner) = space.sample(np.random.default_rng(0)).params["layers"]

        assert first in (1, 2)
        assert three == 3
        assert inner["n"] in (4, 5)
        assert inner["also"] == [6]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (lambda tune: {"a": tune.sample_from(lambda spec: 1)}, "Compute it within the function"),
        (lambda tune: {"a": unknown(tune)}, "hippo has no counterpart for; choose from"),
        (lambda tune: {"a": {"lr": unknown(tune)}}, r"param_space\['a.lr'\] is"),
    ],
)
def test_what_ray_has_and_hippo_has_not_is_answered(tune: Any, entry: Any, message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        hippo.from_ray(lambda config: {"loss": 0.0}, entry(tune))


def test_a_class_trainable_is_told_how_to_become_a_trainer() -> None:
    class Trainable:
        def step(self) -> dict[str, float]:
            return {"loss": 1.0}

    with pytest.raises(TrainerError, match=r"let setup\(\) be build\(\), step\(\) be train\(\)"):
        hippo.from_ray(Trainable)


def test_a_metric_that_is_never_reported_is_missed_in_a_functions_words(study_of: Callable[..., hippo.Study]) -> None:
    with pytest.raises(UnknownMetricError, match=r"'loss', and there is only \['acc'\] in .*, or a function reported"):
        study_of(lambda config: {"acc": 1.0}).optimize(hippo.GridSearch({"lr": [0.1]}, until=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(UnknownMetricError, match=r"'loss', and there is nothing in .*, or a function reported"):
            study_of(lambda config: {"name": "x"}).optimize(hippo.GridSearch({"lr": [0.1]}, until=1))
