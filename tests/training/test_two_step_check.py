"""Step [1, 2), run again, tells whether a state is whole."""

from __future__ import annotations

import random
from typing import Any

import pytest

from hippo.events import ExactnessChecked
from hippo.records import Lane
from hippo.testing.remembering_host import RememberingHost, along, run_lanes, spec_of, stages
from hippo.testing.trainers import ToyTrainer

CONFIG = {"lr": 0.1, "momentum": 0.9}


def checked(until: int = 3, **args: Any) -> RememberingHost:
    trainer = args.pop("trainer", ToyTrainer)
    return run_lanes(Lane(begin=None, stages=stages(CONFIG, 0, until), check=True), spec=spec_of(trainer, **args))


def test_a_whole_state_is_proven_and_the_lane_undisturbed() -> None:
    host, alone = checked(), along(CONFIG, 3)
    assert host.one(ExactnessChecked).proven
    assert (host.hashes, host.metrics, host.training) == (alone.hashes, alone.metrics, alone.training)


def test_it_runs_once_and_not_where_nothing_is_longer_than_a_step() -> None:
    assert len(checked(5).of(ExactnessChecked)) == 1
    assert not checked(1).of(ExactnessChecked)


@pytest.mark.parametrize("key", ["weights", "velocity"])
def test_a_forgotten_part_of_the_state_is_found(key: str) -> None:
    verdict = checked(forget=key).one(ExactnessChecked)
    assert not verdict.proven
    assert verdict.detail


def test_a_generator_of_the_users_own_is_found() -> None:
    class Own(ToyTrainer):
        def build(self) -> None:
            super().build()
            self.rng = random.Random(0)

        def train(self) -> dict[str, float]:
            self.weights[0] += self.rng.random()
            return super().train()

    assert "state['weights'][0]" in checked(trainer=Own).one(ExactnessChecked).detail


def test_an_evaluation_that_disturbs_training_is_found() -> None:
    class Greedy(ToyTrainer):
        def evaluate(self) -> dict[str, Any]:
            self.weights[1] *= 0.5
            return super().evaluate()

    assert "state['weights'][1]" in checked(trainer=Greedy).one(ExactnessChecked).detail


def test_a_metric_that_depends_on_what_is_not_saved_is_found() -> None:
    class Counting(ToyTrainer):
        calls = 0

        def train(self) -> dict[str, float]:
            self.calls += 1
            return super().train() | {"calls": self.calls}

    assert checked(trainer=Counting).one(ExactnessChecked).detail == "what train() returned['calls']"


def test_an_exception_in_the_second_run_is_no_verdict_and_does_not_disturb_the_lane() -> None:
    class Unloadable(ToyTrainer):
        def load_state_dict(self, state: dict[str, Any]) -> None:
            raise KeyError("weights")

    host = checked(trainer=Unloadable)
    assert not host.of(ExactnessChecked)
    assert host.hashes == along(CONFIG, 3).hashes
