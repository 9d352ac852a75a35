"""A study with several seeds: tuners and results see averages, each seed shares within itself."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path

import pytest

import hippo
from hippo.errors import HippoError
from hippo.records import TrialState
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer

MakeStudy = Callable[..., hippo.Study]
SPACE = hippo.GridSearchSpace({"lr": [0.1, 0.3, hippo.MultiStep(0.3, [4], 0.1), 0.2]})
SEEDS = [0, 3, 7]


def alone(config: hippo.Config, until: int) -> list[float]:
    return [train_alone(ToyTrainer, config, until=until, seed=seed)[until]["loss"] for seed in SEEDS]


def test_answers_are_means_over_the_seeds_of_what_each_config_comes_to_alone(make_study: MakeStudy) -> None:
    study = make_study(seeds=SEEDS)
    study.optimize(hippo.GridSearch(SPACE, until=6))
    assert [trial.value for trial in study.trials] == [
        statistics.fmean(alone(trial.config, 6)) for trial in study.trials
    ]
    assert study.best_value == min(trial.value for trial in study.trials)
    assert study.statistics().steps_executed == len(SEEDS) * (6 * 3 + 2)
    assert [len(trial.replicates) for trial in study.trials] == [3] * 4


def test_halving_goes_by_the_median_if_that_is_wanted(make_study: MakeStudy) -> None:
    study = make_study(seeds=SEEDS, aggregate="median")
    study.optimize(hippo.SuccessiveHalving(SPACE, min_steps=2, max_steps=8, reduction=4))
    first_rung = {trial.number: statistics.median(alone(trial.config, 2)) for trial in study.trials}
    (winner,) = [trial for trial in study.trials if trial.state is TrialState.COMPLETE]
    assert winner.number == min(first_rung, key=lambda number: first_rung[number])
    assert study.best_trial.number == winner.number


class Streaming(hippo.Tuner):
    def __init__(self, break_after: int | None = None) -> None:
        self._break_after = break_after
        self._came: list[tuple[int, int]] = []

    def record(self) -> dict[str, str]:
        return {"tuner": "streaming"}

    async def tune(self, ask: hippo.Ask) -> None:
        from hippo.tuners.ask import Proposal

        left, promoted = [0.1 * n for n in range(1, 9)], []

        def propose() -> Proposal | None:
            if promoted:
                return Proposal(config=promoted.pop(), until=4)
            return Proposal(config={"lr": left.pop()}, until=2) if left else None

        async for answer in ask.stream(propose):
            self._came.append((answer.trial, answer.step))
            if answer.step == 2 and answer.trial % 3 == 0:
                promoted.append(answer.config)
            if len(self._came) == self._break_after:
                raise BrokenOffError


class BrokenOffError(Exception):
    pass


@pytest.mark.parametrize("moment", [1, 4, 7])
def test_a_broken_off_call_gives_the_same_answers_in_the_same_order_again(
    make_study: MakeStudy, tmp_path: Path, moment: int
) -> None:
    durable = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states"), "seeds": SEEDS}
    broken, again, third = Streaming(moment), Streaming(), Streaming()
    with pytest.raises(BrokenOffError):
        make_study(**durable).optimize(broken)
    make_study(**durable).optimize(again)
    assert again._came[:moment] == broken._came
    study = make_study(**durable)
    before = study.statistics().steps_executed
    study.optimize(third)
    assert third._came == again._came
    assert study.statistics().steps_executed == before


def test_a_trial_fails_if_one_of_its_replicates_does(make_study: MakeStudy) -> None:
    study = make_study(seeds=[0, 1], trainer_args={"raise_in": "train", "raise_at": 1, "raise_if": {"lr": 0.3}})
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.3}], until=3))
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE, TrialState.FAIL]
    assert study.best_params == {"lr": 0.1}


def test_one_config_can_be_evaluated_by_hand(make_study: MakeStudy) -> None:
    study = make_study(seeds=SEEDS)
    assert study.evaluate({"lr": 0.2}, until=3)["loss"] == statistics.fmean(alone(hippo.Config({"lr": 0.2}), 3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seeds": []}, "at least one seed"),
        ({"seeds": [1, 1]}, "none twice"),
        ({"seeds": [1, 2], "seed": 3}, "contradict each other"),
        ({"seeds": [1, 2], "aggregate": "mode"}, "aggregate must be one of"),
    ],
)
def test_seeds_that_cannot_be_used_are_refused(make_study: MakeStudy, options: dict, message: str) -> None:
    with pytest.raises(HippoError, match=message):
        make_study(**options)
