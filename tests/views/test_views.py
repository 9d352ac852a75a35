"""What is drawn of a study is what the study says, and adds up."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import OptionError
from hippo.hparams import merge_rate
from hippo.study import Study
from hippo.testing.trainers import ToyTrainer
from hippo.views import curves, distinct_steps, savings, schedules


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Four trials of two learning rates that drop, and two momenta."""
    folder: Path = tmp_path_factory.mktemp("views")
    made: Study = hippo.create_study(
        "<b>toy</b>", trainer=ToyTrainer, storage=f"sqlite:///{folder}/hippo.db", checkpoints=str(folder / "states"),
        engine=hippo.InlineEngine(), metric="loss", mode="min",
    )  # fmt: skip
    drops = [hippo.MultiStep(0.1, [at], 0.1) for at in (3, 5)]
    made.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": drops, "momentum": [0.5, 0.9]}), until=8))
    made.close()
    return made


def test_every_value_of_a_metric_is_drawn_once_and_ways_are_joined(study: Study) -> None:
    found = curves(study.tree(), "loss")
    drawn = [
        (curve.row.node, step, value)
        for curve in found
        for step, value in list(zip(curve.steps, curve.values, strict=True))[curve.is_joined :]
    ]
    known = [(row.node, step, metrics["loss"]) for row in study.tree() for step, metrics in row.metrics.items()]
    assert sorted(drawn) == sorted(known)
    by_node = {curve.row.node: curve for curve in found}
    for curve in found:
        assert curve.is_joined == (curve.row.parent is not None)
        if curve.is_joined:
            parent = by_node[curve.row.parent or 0]
            assert (curve.steps[0], curve.values[0]) in zip(parent.steps, parent.values, strict=True)
            assert curve.steps[0] <= curve.row.start < curve.steps[1]


def test_a_trial_has_its_own_history_along_its_curves(study: Study) -> None:
    for trial in study.trials:
        own = [curve for curve in curves(study.tree(), "loss") if trial.number in curve.row.trials]
        seen: dict[int, float] = {}
        for curve in own:
            seen.update(zip(curve.steps, curve.values, strict=True))
        history: dict[int, Any] = {step: metrics["loss"] for step, metrics in trial.history.items()}
        assert {step: seen[step] for step in history} == history


def test_a_metric_that_nobody_has_is_named_with_those_that_there_are(study: Study) -> None:
    with pytest.raises(ValueError, match="'acc'; there are: loss"):
        curves(study.tree(), "acc")


def test_schedules_are_what_training_sees_and_equal_ones_are_one(study: Study) -> None:
    found = schedules(study.trials)
    assert [(each.name, each.trials) for each in found] == [("lr", (0, 1)), ("lr", (2, 3))]
    for each in found:
        sequence = study.trial(each.trials[0]).config.sequence("lr")
        assert each.steps[0] == 0
        assert each.steps[-1] == 8
        assert [sequence(step) for step in each.steps[:-1]] == list(each.values[:-1])
        assert each.values[-1] == each.values[-2]


def test_schedules_of_names_that_are_asked_for(study: Study) -> None:
    assert [(each.name, set(each.values)) for each in schedules(study.trials, ["momentum"])] == [
        ("momentum", {0.5}),
        ("momentum", {0.9}),
    ]
    with pytest.raises(ValueError, match="'wd'; there are: lr, momentum"):
        schedules(study.trials, ["wd"])


def test_a_long_schedule_has_as_many_points_as_can_be_told_apart_and_every_jump() -> None:
    study = hippo.create_study("long", trainer=ToyTrainer, storage="memory://", engine=hippo.InlineEngine(),
                               checkpoints="memory://", metric="loss", mode="min")  # fmt: skip
    study.enqueue({"lr": hippo.MultiStep(0.1, [1_777], 0.1)}, until=3)
    study.optimize()
    (trial,) = study.trials
    study.close()
    object.__setattr__(trial, "until", 10_001)
    (found,) = schedules([trial])
    assert 1_777 in found.steps
    assert len(found.steps) <= 510
    assert found.steps[-1] == 10_001


def test_savings_add_up_to_what_was_asked_for(study: Study) -> None:
    found, statistics = savings(study.statistics()), study.statistics()
    assert found.executed + found.saved + found.to_come == found.asked == 4 * 8
    assert found.executed + sum(found.repeated.values()) == statistics.steps_executed
    assert found.saved == statistics.steps_saved > 0
    assert found.to_come == 0


def test_the_tree_predicts_what_hippo_plan_does_and_what_is_seen_stands_beside_it(study: Study) -> None:
    found = savings(study.statistics(), distinct_steps(study.tree()))
    configs = [trial.config for trial in study.trials]
    assert found.predicted_rate == pytest.approx(merge_rate(configs, until=8))
    assert found.distinct == round(32 / merge_rate(configs, until=8)) == found.executed
    assert found.seen_rate == found.predicted_rate == study.statistics().merge_rate
    assert savings(study.statistics()).predicted_rate is None


def test_what_another_study_had_run_is_seen_and_not_predicted(tmp_path: Path) -> None:
    found = []
    for name in ("first", "second"):
        made = hippo.create_study(name, trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/hippo.db", metric="loss",
                                  mode="min", checkpoints="memory://", engine=hippo.InlineEngine())  # fmt: skip
        made.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=3))
        found.append(savings(made.statistics(), distinct_steps(made.tree())))
        made.close()
    assert [(each.distinct, each.executed) for each in found] == [(6, 6), (6, 0)]
    assert [(each.predicted_rate, each.seen_rate) for each in found] == [(1.0, 1.0), (1.0, None)]


def test_money_is_device_seconds_at_a_price_and_nobody_makes_one_up(study: Study) -> None:
    found = savings(study.statistics())
    money = found.price(7200.0)
    assert (money.spent, money.alone) == (2 * found.device_seconds, 2 * found.trial_seconds)
    assert money.saved == pytest.approx(2 * (found.trial_seconds - found.device_seconds))
    assert found.price(0).saved == 0
    for price in (-1.0, float("nan"), float("inf")):
        with pytest.raises(OptionError, match="a price of a device-hour is a number, 0 or more"):
            found.price(price)


def test_steps_that_were_run_again_are_beside_what_was_saved(tmp_path: Path) -> None:
    configs = [{"lr": 0.1}, {"lr": hippo.MultiStep(0.1, [5], 0.1)}]
    for until in (10, 12):
        made = hippo.create_study("again", trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/hippo.db", metric="loss",
                                  mode="min", checkpoints=str(tmp_path / "s"), engine=hippo.InlineEngine())  # fmt: skip
        made.optimize(hippo.GridSearch(configs, until=10))
        if until == 12:
            made.optimize(hippo.GridSearch(configs, until=12))
        found, statistics = savings(made.statistics()), made.statistics()
        made.close()
        shutil.rmtree(tmp_path / "s")
    assert found.repeated == {"evicted": 20}
    assert (found.asked, found.executed, found.saved, found.to_come) == (44, 19, 25, 0)
    assert statistics.steps_saved == 5  # which counts what was run again against it


def test_trials_that_failed_twice_have_saved_nothing(tmp_path: Path) -> None:
    made = hippo.create_study("fails", trainer=ToyTrainer, trainer_args={"raise_in": "train", "raise_at": 2},
                              storage=f"sqlite:///{tmp_path}/hippo.db", metric="loss", mode="min",
                              checkpoints=str(tmp_path / "s"), engine=hippo.InlineEngine())  # fmt: skip
    for _ in range(2):
        with pytest.raises(hippo.errors.TrialFailedError):
            made.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=3))
        made.retry_failed()
    found = savings(made.statistics())
    made.close()
    assert (found.asked, found.saved) == (6, 0)
    assert found.executed + found.to_come == 6
