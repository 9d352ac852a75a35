"""What tuners take: names that others know, spaces in any form, seeds; and hints where they cannot."""

from __future__ import annotations

import ast
import inspect
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hippo
from hippo.errors import HparamError, SpaceError, TunerError
from hippo.hparams import Config, ConfigList, GridSearchSpace, RandomSearchSpace
from hippo.tuners import (
    ASHA,
    BOHB,
    PASHA,
    PB2,
    PBT,
    BeamSearch,
    GridSearch,
    Hyperband,
    MedianStopping,
    RandomSearch,
    Sampled,
    SamplerSearch,
    StoppingASHA,
    SuccessiveHalving,
)

CONFIGS = [{"lr": number / 100} for number in range(1, 31)]
DRAWS = {"lr": hippo.uniform(0, 1)}


@pytest.mark.parametrize("name", ["num_trials", "n_trials", "num_samples"])
def test_the_number_of_trials_has_three_names(name: str) -> None:
    assert RandomSearch(DRAWS, until=1, **{name: 4}).num_trials == 4
    assert ASHA(DRAWS, 1, 4, 2, **{name: 4}).num_trials == 4
    assert SamplerSearch("tpe", DRAWS, until=1, **{name: 4}).num_trials == 4


def test_population_based_training_understands_ray_tunes_names() -> None:
    rays: dict[str, Any] = {"num_samples": 4, "perturbation_interval": 2, "max_t": 8, "quantile_fraction": 0.5}
    assert PBT(DRAWS, **rays).record() == PBT(DRAWS, 4, 2, 8, 0.5).record()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: ASHA(CONFIGS, 1, 9, metric="loss"), "'metric': the study knows what it optimises: create_study"),
        (lambda: ASHA(CONFIGS, 1, 9, mode="min"), r"create_study\(..., metric=..., mode=...\)"),
        (lambda: ASHA(CONFIGS, 1, 9, time_attr="epoch"), "hippo counts in steps"),
        (lambda: GridSearch(CONFIGS, until=1, scheduler="asha"), "hippo.ASHA, hippo.Hyperband"),
        (lambda: GridSearch(CONFIGS, until=1, pruner="median"), "hippo.MedianStopping"),
        (lambda: GridSearch(CONFIGS, until=1, num_samples=3), "takes every config of its space; hippo.RandomSearch"),
        (lambda: GridSearch(CONFIGS, until=1, n_trials=3), "takes every config of its space; hippo.RandomSearch"),
        (lambda: GridSearch(CONFIGS, until=1, n_jobs=3), r"hippo.LocalEngine\(workers=...\)"),
        (lambda: RandomSearch(DRAWS, 3, 1, timeout=60), r"hippo.Deadline\(tuner, seconds=...\)"),
        (lambda: ASHA(CONFIGS, 1, 9, search_alg="tpe"), r'hippo.Sampled\("tpe", space\)'),
        (lambda: GridSearch(param_space={}, until=1), "'param_space': it is called space here"),
        (lambda: ASHA(CONFIGS, 1, 9, reductoin=3), "Did you mean 'reduction'"),
        (lambda: MedianStopping(CONFIGS, 1, 9, reduction_factor=3), "this rule has no reduction"),
    ],
)
def test_an_argument_that_others_have_is_answered_by_what_to_write(build: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"got an unexpected keyword argument.*{message}") as raised:
        build()
    assert isinstance(raised.value, TunerError)


# ------------------------------------------------------------------------------------------------------- spaces


def test_a_dictionary_is_the_space_that_it_describes() -> None:
    assert isinstance(RandomSearch(DRAWS, 3, until=1).space, RandomSearchSpace)
    assert isinstance(ASHA({"lr": [0.1, hippo.uniform(0, 1)]}, 1, 4, num_trials=4).space, RandomSearchSpace)
    grid = GridSearch({"lr": [0.1, 0.2], "bs": range(3)}, until=1)
    assert list(grid.space) == list(GridSearchSpace({"lr": [0.1, 0.2], "bs": range(3)}))
    assert len(GridSearch({"lr": hippo.choice(0.1, 0.2), "opt": [{"wd": hippo.choice(0, 1)}, {}]}, until=1).space) == 6  # type: ignore[arg-type]
    assert len(ASHA({"lr": [0.1, 0.2], "opt": [{"wd": hippo.choice(0, 1)}, {}]}, 1, 2).space) == 6  # type: ignore[arg-type]
    assert grid.record() == GridSearch(GridSearchSpace({"lr": [0.1, 0.2], "bs": range(3)}), until=1).record()


@pytest.mark.parametrize("make", [lambda space: GridSearch(space, until=1), lambda space: ASHA(space, 1, 4)])
@pytest.mark.parametrize(
    ("space", "error", "message"),
    [
        ({"lr": 0.1}, TunerError, r"write \[config\]; for a grid write GridSearchSpace\(\{'lr': \[0.1\]\}\)"),
        ({"lr": [0.1, 0.2], "bs": 3}, TunerError, r"GridSearchSpace\(\{'lr': \[0.1, 0.2\], 'bs': \[3\]\}\)"),
        (Config(lr=0.1), TunerError, "is one config; for a space of one, write"),
        ([], TunerError, "The space is empty"),
        (iter([]), TunerError, "The space is empty"),
        ({}, SpaceError, "The space is empty"),
        ("lr", TunerError, "A space is a GridSearchSpace.* not 'lr'"),
        (GridSearchSpace, TunerError, "A space is a GridSearchSpace"),
        (None, TunerError, "A space is a GridSearchSpace"),
        ([0.1, 0.2], HparamError, "A config is a mapping"),
        ([{"lr": float("nan")}], HparamError, "'lr': .*cannot be nan"),
    ],
)
def test_what_is_no_space_is_refused_when_the_tuner_is_made(make: Any, space: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        make(space)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: GridSearch(DRAWS, until=1), "RandomSearch draws from those"),
        (lambda: RandomSearch(GridSearchSpace({"lr": [1]}), 3, until=1), "in which a list is a choice"),
        (lambda: RandomSearch(CONFIGS, 3, until=1), "in which a list is a choice"),
        (lambda: RandomSearch(Sampled("tpe", DRAWS), 3, until=1), "give it to SamplerSearch"),
        (lambda: BOHB(CONFIGS, 9), "RandomSearchSpace"),
        (lambda: Sampled("tpe", {"lr": [0.1, hippo.randn()]}), "between bounds, and randn has none"),
        (lambda: Sampled("tpe", GridSearchSpace({"lr": [1]})), "RandomSearchSpace"),
    ],
)
def test_a_space_of_the_wrong_kind_is_refused_when_the_tuner_is_made(build: Any, message: str) -> None:
    with pytest.raises(TunerError, match=message):
        build()


def test_a_generator_is_read_once_and_kept() -> None:
    tuner = GridSearch(({"lr": lr} for lr in (0.1, 0.2)), until=1)
    assert tuner.record() == tuner.record() == GridSearch(ConfigList([{"lr": 0.1}, {"lr": 0.2}]), until=1).record()
    beam = BeamSearch(({"lr": lr} for lr in (0.1, 0.2)), [1, 2], 1, choices={"lr": [0.1]})
    assert beam == BeamSearch([{"lr": 0.1}, {"lr": 0.2}], [1, 2], 1, choices={"lr": [0.1]})


# ------------------------------------------------------------------------------------------------------- seeds

SEEDED: list[Any] = [
    lambda seed: ASHA(CONFIGS, 1, 9, 3, seed=seed),
    lambda seed: StoppingASHA(CONFIGS, 1, 9, 3, seed=seed),
    lambda seed: PASHA(CONFIGS, 1, 9, 3, seed=seed),
    lambda seed: SuccessiveHalving(CONFIGS, 1, 9, 3, seed=seed),
    lambda seed: MedianStopping(CONFIGS, 1, 9, seed=seed),
    lambda seed: Hyperband(CONFIGS, 9, seed=seed),
    lambda seed: BOHB(DRAWS, 9, seed=seed),
    lambda seed: RandomSearch(DRAWS, 3, until=1, seed=seed),
    lambda seed: SamplerSearch("tpe", DRAWS, until=1, num_trials=3, seed=seed),
    lambda seed: PBT(DRAWS, 4, 1, 4, seed=seed),
    lambda seed: PB2(DRAWS, 4, 1, 4, seed=seed),
    lambda seed: BeamSearch(CONFIGS[:2], [1, 2], 1, choices={"lr": [0.1]}, seed=seed),
]


@pytest.mark.parametrize("make", SEEDED)
def test_a_seed_is_looked_at_when_the_tuner_is_made(make: Any) -> None:
    for seed in (-1, 1.5, "abc", True, None):
        with pytest.raises(TunerError, match=f"seed must be an integer of at least 0, not {seed!r}"):
            make(seed)
    assert make(np.int64(3)).record() == make(3).record()


def test_numpys_integers_are_numbers_of_steps() -> None:
    assert ASHA(CONFIGS, np.int64(1), max_steps=np.int32(9)).record() == ASHA(CONFIGS, 1, 9).record()  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------------- types


def test_what_the_type_checker_is_shown_works() -> None:
    """mypy --strict reads the same file, with all others of the project (see `files` in pyproject.toml)."""
    runpy.run_path(str(Path(__file__).parents[1] / "typed" / "what_users_write.py"))


TAKERS: list[Any] = [
    *(ASHA, StoppingASHA, PASHA, SuccessiveHalving, MedianStopping, Hyperband, BOHB),
    *(GridSearch, RandomSearch, SamplerSearch, PBT, PB2, Sampled),
]


@pytest.mark.parametrize("cls", TAKERS)
def test_what_a_type_checker_sees_is_what_a_tuner_takes(cls: Any) -> None:
    module = ast.parse(Path(inspect.getfile(cls)).read_text())
    (found,) = [node for node in ast.walk(module) if isinstance(node, ast.ClassDef) and node.name == cls.__name__]
    (init,) = [node for node in ast.walk(found) if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    written = {argument.arg for argument in (*init.args.args[1:], *init.args.kwonlyargs)}
    known = set(inspect.signature(cls).parameters) - {"_"}
    assert written == known | set(getattr(cls.__init__, "aliases", ()))
