"""What a filter sees, and which filters are told apart."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path
from typing import Any

import pytest

import hippo
import hippo.study
from hippo.errors import HparamError, SpaceError, UnknownHparamError
from hippo.hparams import Config, GridSearchSpace, MultiStep, RandomSearchSpace, choice, uniform
from hippo.hparams.filters import passes
from hippo.testing.trainers import ToyTrainer

CONFIG = Config(lr=0.05, opt="sgd", momentum=None, nesterov=False, decay=MultiStep(0.1, [5], 0.1), betas=[0.9, 0.99])


@pytest.mark.parametrize(
    "filter",
    [
        lambda c: c["momentum"] is None,
        lambda c: not c["nesterov"],
        lambda c: c["nesterov"] is False,
        lambda c: c["lr"] < 0.1,
        lambda c: c.lr < 0.1,
        lambda c: 0.01 < c.lr <= 0.05,
        lambda c: c["opt"] == "sgd" and c.opt in {"sgd", "adam"},
        lambda c: c["lr"] * 2 == 0.1,
        lambda c: type(c["lr"]) is float,
        lambda c: c.get("lr") == 0.05 and c.get("warmup") is None and c.get("warmup", 3) == 3,
        lambda c: c["betas"][0] == 0.9,
        lambda c: dict(c)["opt"] == "sgd",
        lambda c: "warmup" not in c,
        lambda c: c["decay"](5) < c["decay"](4),
        lambda c: isinstance(c["decay"], MultiStep) and c.decay.milestones == (5,),
        lambda c: c == CONFIG and isinstance(c, Config),
        lambda c: c == dict(CONFIG) and c in [{"lr": 0.1}, {**CONFIG, "lr": 0.05}] and c != {**CONFIG, "lr": 0.1},
    ],
)
def test_a_filter_sees_values_and_sequences_where_they_change(filter: Any) -> None:
    assert passes(filter, CONFIG)


@pytest.mark.parametrize(
    "filter",
    [
        lambda c: c["lr"](0) < 0.1,
        lambda c: c["nesterov"](0) is False and c["momentum"](0) is None,
        lambda c: c["lr"].value == 0.05,
        lambda c: c["opt"] == "sgd",
        lambda c: c["lr"] == hippo.Constant(0.05),
        lambda c: c.params["opt"] == "sgd",
        lambda c: c.values_at(7)["decay"] < 0.1,
        lambda c: c.switch(at=3, lr=0.1)["lr"](4) == 0.1,
        lambda c: hippo.merge_rate([c], until=3) == 1,
        lambda c: c.to_json()["opt"]["arguments"] == {"value": "sgd"},
    ],
)
def test_filters_that_were_written_for_sequences_go_on_to_work(filter: Any) -> None:
    assert passes(filter, CONFIG)
    assert filter(CONFIG)


def test_a_schedule_is_neither_smaller_nor_larger_than_a_number() -> None:
    with pytest.raises(HparamError, match=r"MultiStep\(0.1, \[5\], 0.1\).* changes with the step.*sequence\(0\)"):
        passes(lambda c: c["decay"] < 0.1, CONFIG)


def test_an_error_of_the_filters_own_is_told_with_the_config_and_what_a_filter_sees() -> None:
    with pytest.raises(SpaceError, match=r"The filter raised TypeError for Config.*'momentum': None.*plain value"):
        passes(lambda c: c["momentum"] < 0.1, CONFIG)
    with pytest.raises(SpaceError, match="The filter raised ZeroDivisionError"):
        GridSearchSpace({"lr": [0, 1]}, filter=lambda c: 1 / c.lr > 0)
    with pytest.raises(UnknownHparamError, match="Did you mean 'lr'"):
        GridSearchSpace({"lr": [0, 1]}, filter=lambda c: c["lrr"] > 0)


async def always(config: Any) -> bool:
    return True


@pytest.mark.parametrize(
    ("filter", "message"),
    [(True, "filter=True is no function"), (dict, "is a class"), (always, "is a coroutine"), ("lr < 1", "no function")],
)
@pytest.mark.parametrize("space", [GridSearchSpace, RandomSearchSpace])
def test_what_is_no_filter_is_refused(space: Any, filter: Any, message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        space({"lr": [0.1, 0.2]}, filter=filter)


# ---------------------------------------------------------------------------------------------- through a real study


class Below:
    def __init__(self, bound: float) -> None:
        self.bound = bound

    def __call__(self, config: Any) -> bool:
        return bool(config["lr"] < self.bound)


def trials_after(folder: Path, filter: Any) -> list[hippo.study.Trial]:
    """Run a script that draws three configs through a filter; return all trials of its study."""
    study = hippo.create_study(
        "filters",
        trainer=ToyTrainer,
        storage=f"sqlite:///{folder}/filters.db",
        checkpoints=str(folder),
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
    )
    with contextlib.closing(study):
        space = RandomSearchSpace({"lr": uniform(0, 1)}, filter=filter)
        study.optimize(hippo.RandomSearch(space, num_trials=3, until=1, seed=1))
        return study.trials


@pytest.mark.parametrize("make", [Below, lambda bound: Below(bound).__call__], ids=["instance", "method"])
def test_a_script_with_a_tighter_filter_is_another_search(make: Any, tmp_path: Path) -> None:
    assert len(trials_after(tmp_path, make(0.9))) == 3
    assert len(trials_after(tmp_path, make(0.9))) == 3
    trials = trials_after(tmp_path, make(0.3))
    assert [trial.call for trial in trials] == [0, 0, 0, 1, 1, 1]
    assert max(trial.params["lr"] for trial in trials[3:]) < 0.3


def test_a_space_of_conditions_draws_all_that_its_filter_allows_and_trains_it() -> None:
    space = RandomSearchSpace(
        {"lr": 0.1, "opt": choice("sgd", "adam"), "momentum": choice(0.5, None)},
        filter=lambda c: (c["opt"] == "sgd") == (c["momentum"] is not None),
    )
    study = hippo.create_study(
        "conditions", trainer=ToyTrainer, storage="memory://", engine=hippo.InlineEngine(), metric="loss", mode="min"
    )
    study.optimize(hippo.RandomSearch(space, num_trials=12, until=1))
    seen = {(trial.params["opt"], trial.params["momentum"]) for trial in study.trials}
    study.close()
    assert seen == {("sgd", 0.5), ("adam", None)}


@pytest.mark.parametrize("space", [{"lr": [0.1, 0.2]}, {"lr": uniform(0, 1)}], ids=["grid", "random"])
def test_a_filter_that_draws_is_refused_since_a_re_run_would_search_another_space(space: Any) -> None:
    draws = random.Random(0)
    make = GridSearchSpace if isinstance(space["lr"], list) else RandomSearchSpace
    with pytest.raises(SpaceError, match="says yes and no about one config"):
        make(space, filter=lambda c: draws.random() < 0.5)
