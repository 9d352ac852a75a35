"""Each way in which `check_trainer` trains a second time sees the leak that was planted for it, and names it alone."""

from __future__ import annotations

import importlib
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.study.checking.trainer_check import ComparisonVerdict, TrainerCheck
from hippo.testing.trainers import ToyTrainer

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_programs")]

CONFIG = {"lr": 0.1, "momentum": 0.9}
DIFFERENT, EQUAL = ComparisonVerdict.DIFFERENT, ComparisonVerdict.EQUAL


class Scaled(ToyTrainer):
    """Its weights are scaled in each step, by something that a subclass says."""

    def factor(self) -> float:
        return 1.0

    def train(self) -> dict[str, float]:
        metrics = super().train()
        self.weights = [self.factor() * weight for weight in self.weights]
        return metrics


class WantsEvaluations(Scaled):
    """Trains on otherwise if nobody has evaluated it meanwhile; whoever loads it counts as having done so."""

    def build(self) -> None:
        super().build()
        self.is_evaluated = True

    def factor(self) -> float:
        factor = 1.0 if self.is_evaluated else 0.5
        self.is_evaluated = False
        return factor

    def evaluate(self) -> dict[str, Any]:
        self.is_evaluated = True
        return super().evaluate()


class CountsBuilds(Scaled):
    builds = 0

    def build(self) -> None:
        super().build()
        type(self).builds += 1

    def factor(self) -> float:
        return 1 / type(self).builds


class CountsLoads(Scaled):
    loads = 0

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        type(self).loads += 1

    def factor(self) -> float:
        return 1.0 if type(self).loads < 2 else 0.5


class CountsCalls(ToyTrainer):
    """Shows how often it has trained, which nobody brings back, in one place."""

    def __init__(self, shown_in: str) -> None:
        super().__init__()
        self.shown_in = shown_in

    def build(self) -> None:
        super().build()
        self.calls = 0

    def train(self) -> dict[str, float]:
        self.calls += 1
        return {**super().train(), **({"calls": self.calls} if self.shown_in == "train" else {})}

    def evaluate(self) -> dict[str, Any]:
        return {**super().evaluate(), **({"calls": self.calls} if self.shown_in == "evaluate" else {})}

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), **({"calls": self.calls} if self.shown_in == "state" else {})}


class ChangesInEvaluate(ToyTrainer):
    def evaluate(self) -> dict[str, Any]:
        self.weights[0] *= 0.5
        return super().evaluate()


class Hashes(Scaled):
    def factor(self) -> float:
        return 1 + hash("a word") % 1000 / 1000


class ReadsTheFolder(Scaled):
    def factor(self) -> float:
        return 1 / len(os.getcwd())


class ReadsTheEnvironment(Scaled):
    def factor(self) -> float:
        return 1 / (1 + int(os.environ.get("RANK", "0")))


class ReadsTheTime(Scaled):
    def factor(self) -> float:
        return 1 + time.time() % 1


def checked(trainer: type[hippo.Trainer], steps: int = 5, **arguments: Any) -> TrainerCheck:
    return hippo.check_trainer(trainer, CONFIG, steps=steps, trainer_args=arguments)


def verdict(found: TrainerCheck, words: str) -> list[ComparisonVerdict]:
    return [comparison.verdict for comparison in found.comparisons if words in comparison.what]


@pytest.mark.parametrize(
    ("trainer", "words"),
    [
        (ChangesInEvaluate, "the state before and after each evaluation"),
        (WantsEvaluations, "no evaluation and no state_dict() in between"),
        (CountsBuilds, "a worker that has trained another config before"),
        (Hashes, "another PYTHONHASHSEED"),
        (ReadsTheFolder, "another current folder"),
        (ReadsTheEnvironment, "other environment variables"),
        (ReadsTheTime, "a second process"),
    ],
)
def test_each_comparison_sees_what_was_planted_for_it(trainer: type[hippo.Trainer], words: str) -> None:
    assert verdict(checked(trainer), words) == [DIFFERENT]


def test_what_a_state_forgets_is_seen_by_all_that_begin_from_one_and_by_no_other() -> None:
    found = checked(ToyTrainer, forget="velocity")

    assert verdict(found, "resumed after 1 step and once more") == [DIFFERENT]
    assert verdict(found, "each step alone") == [DIFFERENT]
    assert verdict(found, "a fresh worker, from the state after") == [DIFFERENT, DIFFERENT]
    others = [each for each in found.comparisons if "fresh worker" not in each.what and "alone" not in each.what]
    assert {each.verdict for each in others} == {EQUAL}
    assert [finding.name for finding in found.findings] == ["self.velocity"]


def test_what_only_a_second_load_does_shows_where_one_resumes_twice() -> None:
    found = checked(CountsLoads)

    assert verdict(found, "resumed after 1 step and once more after 2 steps") == [DIFFERENT]
    assert verdict(found, "a fresh worker, from the state after") == [EQUAL, EQUAL]


@pytest.mark.parametrize("place", ["state", "train", "evaluate"])
def test_a_difference_is_seen_in_the_state_and_in_what_either_method_returns(place: str) -> None:
    found = checked(CountsCalls, steps=3, shown_in=place)

    assert [finding.name for finding in found.findings] == ["self.calls"]
    assert f"{place}" in found.findings[0].message.rpartition("comes to something else: ")[2]


class RaisesElsewhere(ToyTrainer):
    """Needs a file of the folder that it is started in."""

    def build(self) -> None:
        super().build()
        if "elsewhere" in os.getcwd():
            raise FileNotFoundError("data.csv")


def test_a_trainer_that_needs_its_folder_is_not_turned_down_for_it() -> None:
    found = checked(RaisesElsewhere)

    assert found.is_proven
    assert verdict(found, "another current folder") == [ComparisonVerdict.NOT_COMPARED]
    assert "with an absolute path" in found.notes[-1]


def test_only_what_makes_the_difference_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parent)
    leaky = importlib.import_module("leaky_trainers")

    def named(trainer: str) -> list[str]:
        found = hippo.check_trainer(getattr(leaky, trainer), {"lr": 0.1}, steps=4)
        return [finding.name for finding in found.findings]

    # in `Counter`, `self.scale` and the model's mode differ as well, and do not matter
    assert named("Counter") == ["self.steps"]
    assert named("TwoCounters") == ["self.one", "self.other"]
    assert named("EitherCounter") == ["self.one", "self.other"]
    assert named("KeepsEvalMode") == ["self.model.training"]
    sys.modules.pop("leaky_trainers")


def test_a_data_set_that_counts_is_seen_with_other_loader_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parent)
    leaky = importlib.import_module("leaky_trainers")

    found = hippo.check_trainer(leaky.DatasetCounts, {"lr": 0.1}, steps=2)

    assert verdict(found, "2 loader workers instead of 0") == [DIFFERENT]
    sys.modules.pop("leaky_trainers")
