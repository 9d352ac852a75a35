"""What a study says of itself, in Optuna's words."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import hippo
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer

MakeStudy = Callable[..., hippo.Study]
SPACE = hippo.GridSearchSpace({"lr": [0.1, 0.3, hippo.MultiStep(0.1, [2], 0.5)], "momentum": [0.5]})


@pytest.fixture
def study(make_study: MakeStudy) -> hippo.Study:
    study = make_study()
    study.optimize(hippo.GridSearch(SPACE, until=4))
    return study


def test_the_best_trial_is_the_complete_one_with_the_best_value(study: hippo.Study) -> None:
    values = [trial.value for trial in study.trials]
    assert study.best_value == min(value for value in values if value is not None)
    assert study.best_trial.number == values.index(study.best_value)
    assert study.best_config == study.best_trial.config
    assert study.best_params == study.best_trial.params


def test_with_mode_max_larger_is_better(make_study: MakeStudy) -> None:
    study = make_study(mode="max")
    study.optimize(hippo.GridSearch(SPACE, until=4))
    assert study.best_value == max(trial.value for trial in study.trials if trial.value is not None)


def test_a_constant_is_its_value_in_params_and_another_sequence_its_repr(study: hippo.Study) -> None:
    assert study.trials[0].params == {"lr": 0.1, "momentum": 0.5}
    assert study.trials[2].params["lr"] == "MultiStep(0.1, [2], 0.5)"


def test_a_trial_knows_its_metrics_at_every_step(study: hippo.Study) -> None:
    trial = study.trials[2]
    assert dict(trial.history) == train_alone(ToyTrainer, trial.config, until=4)
    assert trial.metrics == trial.history[4]
    assert trial.value == trial.metrics["loss"]
    assert trial.seconds > 0


def test_a_trial_is_asked_for_by_its_number_and_by_nothing_that_only_equals_one(study: hippo.Study) -> None:
    assert study.trial(2).number == 2
    for other in (3, -1, True, 1.5, "1", None):
        with pytest.raises(hippo.errors.OptionError, match=rf"has no trial {other!r}; its trials are 0 to 2"):
            study.trial(other)  # type: ignore[arg-type]


def test_the_data_frame_has_optunas_columns(study: hippo.Study) -> None:
    frame = study.trials_dataframe()
    columns = ["number", "state", "value", "params_lr", "params_momentum", "step", "seconds", "call", "error"]
    assert list(frame.columns) == [*columns, "metrics_loss", "metrics_luck", "train_slope"]
    assert list(frame["number"]) == [0, 1, 2]
    assert set(frame["state"]) == {"COMPLETE"}
    assert list(frame["value"]) == [trial.value for trial in study.trials]


def test_trials_that_were_not_promoted_are_pruned_at_their_rung(make_study: MakeStudy) -> None:
    study = make_study()
    study.optimize(hippo.SuccessiveHalving(SPACE, min_steps=1, max_steps=9, reduction=3))
    assert sorted((trial.state.value, trial.step) for trial in study.trials) == [
        ("COMPLETE", 9),
        ("PRUNED", 1),
        ("PRUNED", 1),
    ]
    assert study.best_trial.step == 9


def test_a_study_without_complete_trials_has_no_best_one(make_study: MakeStudy) -> None:
    with pytest.raises(ValueError, match="no trial of study 'toy' is complete yet"):
        _ = make_study().best_trial
    with pytest.raises(ValueError, match="has no metric"):
        _ = make_study("other", metric=None, mode=None).best_trial


class StopsItself(hippo.Callback):
    """Stops its study as soon as `trials` came to `step`."""

    def __init__(self, trials: int, step: int) -> None:
        self.study: hippo.Study
        self._left, self._step = trials, step

    def on_answered(self, event: Any) -> None:
        self._left -= event.step == self._step
        if not self._left:
            self.study.stop()


def test_of_a_study_that_was_stopped_the_trials_that_came_furthest_are_compared(make_study: MakeStudy) -> None:
    watcher = StopsItself(trials=1, step=3)
    watcher.study = study = make_study(callbacks=[watcher], trainer_args={"sleep_s": 0.002})
    space = hippo.GridSearchSpace({"lr": [0.3 + n / 100 for n in range(6)]})
    study.optimize(hippo.SuccessiveHalving(space, min_steps=1, max_steps=900, reduction=3))
    furthest = max(trial.step for trial in study.trials)
    values = [trial.value for trial in study.trials if trial.step == furthest and trial.value is not None]
    assert furthest >= 3
    assert study.best_value == min(values)


def test_progress_names_the_best_trial_and_no_better_one_on_a_lower_rung(make_study: MakeStudy) -> None:
    study = make_study(mode="max")  # the loss falls: the largest ones are those after a single step
    study.optimize(hippo.SuccessiveHalving(SPACE, min_steps=1, max_steps=9, reduction=3))
    progress = study._progress()
    assert progress is not None
    assert progress.best_value == study.best_value < max(trial.value or 0.0 for trial in study.trials)


def test_statistics_add_up(study: hippo.Study) -> None:
    statistics = study.statistics()
    assert statistics.steps_asked == 12
    assert statistics.steps_executed == 10
    assert statistics.steps_saved == 2
    assert statistics.trials == {"COMPLETE": 3}
    assert statistics.device_seconds == pytest.approx(
        statistics.train_seconds
        + statistics.evaluate_seconds
        + statistics.checkpoint_seconds
        + statistics.check_seconds
        + statistics.fusion_check_seconds
    )
    assert statistics.trial_seconds == pytest.approx(sum(trial.seconds for trial in study.trials))
    assert statistics.time_weighted_merge_rate > 1


def test_the_tree_shows_every_node_with_its_trials(study: hippo.Study) -> None:
    rows = study.tree()
    assert [(row.parent, row.start, row.stop, row.trials) for row in rows] == [
        (None, 0, 4, (0, 2)),
        (None, 0, 4, (1,)),
        (1, 2, 4, (2,)),
    ]
    assert rows[2].values == "lr=0.05"


@pytest.mark.parametrize("keep", ["best", "leaves", "all"])
def test_the_best_model_is_there_without_training(make_study: MakeStudy, keep: str) -> None:
    study = make_study(keep=keep)
    study.optimize(hippo.GridSearch(SPACE, until=4))
    executed = study.statistics().steps_executed
    trainer: Any = study.best_trial.load_model()
    assert sum(weight * weight for weight in trainer.weights) == study.best_value
    assert study.statistics().steps_executed == executed


def test_a_model_that_was_not_kept_is_trained_again_and_that_is_said(make_study: MakeStudy) -> None:
    study = make_study(keep="best")
    study.optimize(hippo.GridSearch(SPACE, until=4))
    worst = max(study.trials, key=lambda trial: trial.value or 0.0)
    with pytest.warns(UserWarning, match=rf"trial {worst.number} after 4 steps was not kept"):
        trainer = worst.load_model()
    assert sum(weight * weight for weight in trainer.weights) == worst.value
    assert worst.load_model() is not trainer  # kept by now, and no warning


def test_ask_is_a_coroutine(make_study: MakeStudy) -> None:
    study = make_study()
    answer = asyncio.run(study.ask({"lr": 0.1}, until=3))
    assert answer.metrics == train_alone(ToyTrainer, {"lr": 0.1}, until=3)[3]
    assert answer.losses == (answer.metrics["loss"],)
    assert answer.step == 3
    assert list(answer.train_metrics) == [1, 2, 3]
    assert set(answer.train_metrics[2]) == {"slope"}


@pytest.mark.parametrize("carry", [pickle.dumps, copy.deepcopy])
def test_a_study_and_its_trials_say_how_they_are_read_elsewhere(carry: Callable[[Any], Any]) -> None:
    study = hippo.create_study("s", trainer=ToyTrainer, storage="memory://", checkpoints="memory://", metric="loss",
                               mode="min", engine=hippo.InlineEngine())  # fmt: skip
    study.evaluate({"lr": 0.1}, until=2)
    with pytest.raises(TypeError, match=r"<Study 's' in memory.*> is neither copied nor sent .*hippo.load_study\("):
        carry(study)
    with pytest.raises(TypeError, match=r"Trial\(number=0.* is neither copied nor sent .* Send what is needed of it"):
        carry(study.trials[0])
    study.close()
