"""In which order tuners that ask one at a time take up the configs of a grid, and what that is worth."""

from __future__ import annotations

from typing import Any

import pytest

import hippo
from hippo.tuners import ASHA, PASHA, Hyperband, MedianStopping, StoppingASHA, SuccessiveHalving
from hippo.tuners.tuner import record_text


class Rising(hippo.Trainer):
    """The larger the learning rate, the better, at every step."""

    def build(self) -> None:
        self.steps = 0

    def train(self) -> None:
        self.steps += 1
        self.rate = self.hp["lr"]

    def evaluate(self) -> dict[str, float]:
        return {"score": self.hp["lr"] * self.steps}

    def state_dict(self) -> dict[str, Any]:
        return {"steps": self.steps}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.steps = state["steps"]


#: from the worst to the best, as grids are written
SORTED = hippo.GridSearchSpace({"lr": [number / 100 for number in range(1, 25)]})


def to_the_end(tuner: Any) -> int:
    """Return how many of 24 trials are trained to the last step."""
    study = hippo.create_study(
        "sorted", trainer=Rising, storage="memory://", engine=hippo.InlineEngine(), metric="score", mode="max"
    )
    study.optimize(tuner)
    reached = sum(trial.step == 12 for trial in study.trials)
    assert study.best_params == {"lr": 0.24}
    study.close()
    return reached


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_sorted_grid_does_not_train_every_newcomer_to_the_end(seed: int) -> None:
    in_order = to_the_end(ASHA(SORTED, 3, 12, 2, shuffle=False))
    assert in_order >= 19
    assert to_the_end(ASHA(SORTED, 3, 12, 2, seed=seed)) <= in_order - 6


@pytest.mark.parametrize("cls", [StoppingASHA, MedianStopping])
def test_other_tuners_that_ask_one_at_a_time_shuffle_too(cls: Any) -> None:
    assert to_the_end(cls(SORTED, min_steps=3, max_steps=12, shuffle=False)) == 24
    assert to_the_end(cls(SORTED, min_steps=3, max_steps=12, seed=1)) <= 18


TUNERS: list[Any] = [ASHA, StoppingASHA, PASHA, MedianStopping]


@pytest.mark.parametrize("cls", TUNERS)
def test_the_seed_decides_the_order_and_is_recorded(cls: Any) -> None:
    records = {record_text(cls(SORTED, 1, 4, seed=seed, **options).record()) for seed, options in (
        (0, {}), (1, {}), (0, {"shuffle": False}), (0, {"shuffle": True})
    )}  # fmt: skip
    assert len(records) == 3


@pytest.mark.parametrize("cls", TUNERS)
def test_lists_and_draws_have_the_records_that_they_always_had(cls: Any) -> None:
    space = hippo.RandomSearchSpace({"lr": hippo.uniform(0, 1)})
    for tuner in (cls([{"lr": 0.1}] * 30, 1, 4), cls(space, 1, 4, num_trials=30), cls(SORTED, 1, 4, shuffle=False)):
        assert "shuffle" not in tuner.record()


def test_what_is_asked_together_needs_no_shuffling() -> None:
    assert "shuffle" not in SuccessiveHalving(SORTED, 1, 4).record()
    dealt = Hyperband(SORTED, 9, num_trials=20)
    assert "shuffle" not in dealt.record()
    assert Hyperband(SORTED, 9, num_trials=20, shuffle=False).record()["shuffle"] is False


def test_a_list_is_taken_in_the_order_that_was_given() -> None:
    assert to_the_end(ASHA(list(SORTED), 3, 12, 2)) >= 19
    assert to_the_end(ASHA(list(SORTED), 3, 12, 2, shuffle=True, seed=1)) <= 13


def test_shuffle_is_a_truth_value() -> None:
    with pytest.raises(hippo.HippoError, match="shuffle must be True, False, or None for grids only, not 'yes'"):
        ASHA(SORTED, 1, 4, shuffle="yes")  # type: ignore[arg-type]
