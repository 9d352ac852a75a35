"""The best value stands where the study had paid for it, and only what is comparable is laid over one another."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import OptionError
from hippo.records import Objective, TrialState
from hippo.study import Study
from hippo.study.results.compared_trials import compared_trials
from hippo.study.results.trial_costs import TrialCost, TrialCosts
from hippo.study.results.trial_lines import TrialLine
from hippo.testing.trainers import ToyTrainer
from hippo.views import BestPoint, best_values, common_objective

LOSS, ACC = Objective(metric="loss", mode="min"), Objective(metric="acc", mode="max")


def made(folder: Path, name: str = "toy", **more: Any) -> Study:
    study: Study = hippo.create_study(
        name, trainer=ToyTrainer, storage=f"sqlite:///{folder}/hippo.db", checkpoints=str(folder / "states"),
        engine=hippo.InlineEngine(), **{"metric": "loss", "mode": "min", **more},
    )  # fmt: skip
    return study


def spent(study: Study) -> tuple[dict[int, TrialCost], TrialCost]:
    costs = TrialCosts()
    costs.take(study.read())
    return dict(costs.of_trials()), costs.total


def course(study: Study) -> list[BestPoint]:
    trials = compared_trials(study.read(), ["loss"], with_seconds=False)
    return best_values(trials, spent(study)[0], "loss", "min")


def test_the_best_so_far_gets_better_and_trials_that_are_not_complete_do_not_count() -> None:
    values = [3.0, float("nan"), 2.0, 2.0, 1.0, 0.5, 0.4]
    states = [TrialState.COMPLETE] * 5 + [TrialState.PRUNED, TrialState.COMPLETE]
    trials = [
        TrialLine(number, state, 4, 4, 0, {"loss": value}, is_feasible=number != 6)
        for number, (state, value) in enumerate(zip(states, values, strict=True))
    ]
    costs = {number: TrialCost(10 * number, float(number)) for number in range(7)}
    points = best_values(reversed(trials), costs, "loss", "min")
    assert [(point.trial, point.value, point.steps) for point in points] == [(0, 3.0, 0), (2, 2.0, 20), (4, 1.0, 40)]
    assert [point.trial for point in best_values(trials, costs, "loss", "max")] == [0]
    assert best_values(trials, {}, "loss", "min") == []


class StoppedTuner(hippo.Tuner):
    """Asks two trials to go on of three, and breaks off."""

    async def tune(self, ask: hippo.Ask) -> None:
        """Ask."""
        configs = [hippo.Config({"lr": lr}) for lr in (0.1, 0.01, 0.3)]
        await ask.all(configs, until=2)
        await ask.all(configs[:2], until=4)
        raise KeyError("that is all")


def test_of_a_call_that_was_stopped_the_best_value_is_that_of_the_best_trial(tmp_path: Path) -> None:
    study = made(tmp_path)
    with pytest.raises(KeyError, match="that is all"):
        study.optimize(StoppedTuner())
    points = course(study)
    assert (points[-1].trial, points[-1].value) == (study.best_trial.number, study.best_value)
    assert {trial.number: trial.step for trial in study.trials} == {0: 4, 1: 4, 2: 2}
    assert {number: cost.steps for number, cost in spent(study)[0].items()} == {0: 8, 1: 10, 2: 6}
    assert {point.trial for point in points} <= {0, 1}, "those that came less far are not compared"
    study.close()


def test_what_was_spent_grows_to_all_steps_and_seconds_of_the_study(tmp_path: Path) -> None:
    study = made(tmp_path)
    drops = [hippo.MultiStep(0.1, [at], 0.1) for at in (3, 5)]
    study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": drops, "momentum": [0.5, 0.9]}), until=8))
    costs, total = spent(study)
    statistics = study.statistics()
    assert total.steps == statistics.steps_executed < statistics.steps_asked
    assert total.seconds == pytest.approx(
        statistics.train_seconds + statistics.evaluate_seconds + statistics.check_seconds
    )
    assert sorted(costs) == [0, 1, 2, 3]
    # trials share what they begin with: the first one pays for it, and the last one ends with all that was spent
    steps = sorted(cost.steps for cost in costs.values())
    assert (steps[0], steps[-1]) == (8, total.steps)
    points = course(study)
    assert points[-1].value == study.best_value
    assert [point.steps for point in points] == sorted(point.steps for point in points)
    study.close()


def test_what_another_study_paid_for_is_there_from_the_beginning(tmp_path: Path) -> None:
    first, second = made(tmp_path, "first"), made(tmp_path, "second")
    first.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=4))
    second.optimize(hippo.GridSearch([{"lr": 0.3}, {"lr": 0.1}, {"lr": 0.2}], until=4))
    costs, total = spent(second)
    assert {number: cost.steps for number, cost in costs.items()} == {0: 4, 1: 0, 2: 0}
    assert total.steps == second.statistics().steps_executed == 4
    second.optimize(hippo.GridSearch([{"lr": 0.1}], until=6))  # goes on from what the first one paid for
    assert spent(second)[0][3].steps == 6
    first.close()
    second.close()


def test_later_looks_add_what_came_since_as_a_first_look_does(tmp_path: Path) -> None:
    study, kept = made(tmp_path), TrialCosts()
    for until in (2, 4, 6):
        study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.01 * until}], until=until))
        kept.take(study.read())
        assert (dict(kept.of_trials()), kept.total) == spent(study)
    study.close()


def test_steps_that_are_run_again_move_no_trial_that_had_them_from_another_study(tmp_path: Path) -> None:
    first, second, kept = made(tmp_path, "first"), made(tmp_path, "second"), TrialCosts()
    for study in (first, second):
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=4))
    kept.take(second.read())
    before = dict(kept.of_trials())
    shutil.rmtree(tmp_path / "states")
    with pytest.warns(UserWarning, match="its steps are run again"):
        assert second.trials[0].load_state() is not None
    kept.take(second.read())
    assert (dict(kept.of_trials()), kept.total) == spent(second) == (before, TrialCost(4, kept.total.seconds))
    assert before == {0: TrialCost(0, 0.0)}
    first.close()
    second.close()


def test_of_several_seeds_a_trial_counts_when_the_last_one_is_there(tmp_path: Path) -> None:
    first, study = made(tmp_path, "first", seeds=[2, 3]), made(tmp_path, seeds=[1, 2])
    first.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))  # seed 2 is there from the beginning, seed 1 is not
    costs, total = spent(study)
    assert {number: cost.steps for number, cost in costs.items()} == {0: 3}
    assert 0 < costs[0].seconds <= total.seconds  # steps that are checked may come after it
    first.close()
    study.close()


def test_a_trial_stands_before_what_others_went_on_with_later(tmp_path: Path) -> None:
    study = made(tmp_path)
    for until in (2, 5):
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=until))
    assert [cost.steps for cost in spent(study)[0].values()] == [2, 5]
    study.close()


def test_the_objective_is_that_of_all_studies_or_it_is_said_who_has_another() -> None:
    assert common_objective([("a", [LOSS, ACC]), ("b", [ACC, LOSS])]) == LOSS
    assert common_objective([("a", [LOSS, ACC]), ("b", [ACC])], "acc") == ACC
    other_way = Objective(metric="loss", mode="max")
    with pytest.raises(OptionError, match=r"'b' optimises loss \(max\), and study 'a' loss \(min\): .*Choose studies"):
        common_objective([("a", [LOSS]), ("b", [other_way])])
    with pytest.raises(OptionError, match="'b' optimises no metric, and study 'a' loss"):
        common_objective([("a", [LOSS]), ("b", [])])
    with pytest.raises(OptionError, match="'a' optimises no metric, so nothing of it is compared"):
        common_objective([("a", []), ("b", [LOSS])])
    with pytest.raises(OptionError, match=r"'a' optimises loss \(min\), and not 'acc'"):
        common_objective([("a", [LOSS])], "acc")
