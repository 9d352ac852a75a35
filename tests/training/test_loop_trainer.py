"""A user's loop as a trainer: exact where its state is all that it depends on, and found out where it is not."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

import hippo
from hippo.errors import TrainerError
from hippo.hparams import Piecewise
from hippo.testing.solo import train_alone


def make_state(size: int = 3) -> dict[str, Any]:
    return {"weights": [1.0 + i for i in range(size)], "position": 0}


def descend(state: dict[str, Any], hp: Mapping[str, Any]) -> float:
    """Take one step down a bowl, in a direction that the position decides, with chance from the global generator."""
    i = state["position"] % len(state["weights"])
    state["position"] += 1
    state["weights"][i] *= 1 - hp["lr"] * (1 + random.random())
    return sum(weight**2 for weight in state["weights"])


def descend_on(state: dict[str, Any], hp: Mapping[str, Any]) -> Iterator[dict[str, float]]:
    while True:
        yield {"loss": descend(state, hp)}


def descend_by_locals(state: dict[str, Any], hp: Mapping[str, Any]) -> Iterator[float]:
    rounds = 0
    while True:
        rounds += 1
        state["weights"][0] *= 1 - hp["lr"] / rounds
        yield state["weights"][0]


def descend_twice(state: dict[str, Any], hp: Mapping[str, Any]) -> Iterator[float]:
    yield descend(state, hp)
    yield descend(state, hp)


def evaluate(state: dict[str, Any]) -> dict[str, float]:
    return {"size": sum(map(abs, state["weights"]))}


def without_position(state: dict[str, Any]) -> dict[str, Any]:
    return {**copy.deepcopy(state), "position": 0}


PLAIN = hippo.LoopTrainer(make_state, descend, evaluate, copy.deepcopy)
GENERATED = hippo.LoopTrainer(make_state, descend_on, evaluate)

SPACE = [{"lr": 0.1}, {"lr": Piecewise([0.1, 0.4], [3])}, {"lr": 0.4}]

MakeStudy = Callable[..., hippo.Study]


@pytest.mark.parametrize("trainer", [PLAIN, GENERATED], ids=["function", "generator"])
def test_trials_share_what_they_can_and_equal_solo_training(trainer: type[hippo.Trainer]) -> None:
    study = hippo.create_study(
        "loop", trainer=trainer, storage="memory://", engine=hippo.InlineEngine(), metric="size", mode="min"
    )
    study.optimize(hippo.GridSearch(SPACE, until=6))
    assert study.statistics().steps_executed == 6 + 3 + 6
    for trial in study.trials:
        assert dict(trial.history) == train_alone(trainer, trial.config, until=6)
    study.close()


def test_a_generator_sees_values_that_change_while_it_stands() -> None:
    found = train_alone(GENERATED, SPACE[1], until=6)
    assert found[3] == train_alone(GENERATED, SPACE[0], until=6)[3]
    assert found[6] != train_alone(GENERATED, SPACE[0], until=6)[6]


def test_arguments_make_the_first_state() -> None:
    study = hippo.create_study(
        "loop",
        trainer=PLAIN,
        trainer_args={"size": 5},
        storage="memory://",
        engine=hippo.InlineEngine(),
        metric="size",
        mode="min",
    )
    assert study.evaluate({"lr": 0.0}, until=1)["size"] == 15.0
    study.close()


@pytest.mark.slow
def test_the_check_passes_a_loop_whose_state_is_whole() -> None:
    assert hippo.check_trainer(GENERATED, {"lr": 0.1}, steps=3).is_proven


@pytest.mark.slow
@pytest.mark.parametrize(
    "trainer",
    [
        hippo.LoopTrainer(make_state, descend_by_locals, evaluate),
        hippo.LoopTrainer(make_state, descend, evaluate, without_position),
    ],
    ids=["locals", "position"],
)
def test_the_check_finds_a_loop_whose_state_is_not_copied(trainer: type[hippo.Trainer]) -> None:
    assert not hippo.check_trainer(trainer, {"lr": 0.1}, steps=4).is_proven


def test_a_loop_that_ends_fails_its_trial_and_says_why() -> None:
    study = hippo.create_study(
        "loop",
        trainer=hippo.LoopTrainer(make_state, descend_twice, evaluate),
        storage="memory://",
        engine=hippo.InlineEngine(),
        metric="size",
        mode="min",
    )
    with pytest.raises(hippo.HippoError, match="descend_twice\\(\\) ended, and a loop is asked for one step more"):
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    study.close()


@pytest.mark.parametrize(
    ("functions", "words"),
    [
        ({"make_state": dict}, "make_state must be a function, not <class 'dict'>"),
        ({"copy_state": None}, "copy_state must be a function, not None"),
        ({"train": copy.copy.__call__}, "train must be a function or a generator function"),
    ],
)
def test_what_is_no_function_is_refused(functions: dict[str, Any], words: str) -> None:
    given = {"make_state": make_state, "train": descend, "evaluate": evaluate, **functions}
    with pytest.raises(TrainerError, match=words):
        hippo.LoopTrainer(**given)
