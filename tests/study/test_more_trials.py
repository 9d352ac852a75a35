"""Calls that ask for what the study has: nothing is trained, and that is said with what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import TrialFailedError, TunerError

MakeStudy = Callable[..., hippo.Study]
SPACE = hippo.RandomSearchSpace({"lr": hippo.loguniform(0.01, 0.5)})


def random_search(num_trials: int, until: int = 4, seed: int = 0) -> hippo.RandomSearch:
    return hippo.RandomSearch(SPACE, num_trials=num_trials, until=until, seed=seed)


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(line for line in capsys.readouterr().err.splitlines() if "in it already" in line)


def test_a_larger_call_says_how_many_of_its_trials_the_study_had(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_study()
    study.optimize(random_search(6))
    assert said(capsys) == ""
    study.optimize(random_search(8))
    line = said(capsys)
    assert "study 'toy': 6 of the 8 trials of this call were in it already: no step was trained twice" in line
    assert "a study of its own, by another name, 'toy-2' say" in line
    assert study.statistics().steps_executed == 8 * 4


def test_trials_are_looked_for_by_config_only_where_they_can_be(
    make_study: MakeStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make_study(storage="memory://by-config")
    study.optimize(random_search(3))
    store, asked = type(study._opened.store), list[Any]()
    columns = store.columns

    def noted(self: Any, kind: Any, names: Any, **conditions: Any) -> Any:
        asked.extend(conditions[name] for name in conditions if name == "config")
        return columns(self, kind, names, **conditions)

    monkeypatch.setattr(store, "columns", noted)
    study.optimize(random_search(3, seed=1))
    assert asked == []
    study.optimize(random_search(5))
    (found,) = asked
    assert len(found.values) == 3


def test_a_study_of_its_own_lists_each_trial_once_and_trains_none_twice(make_study: MakeStudy) -> None:
    url = "memory://more-trials"
    small = make_study("small", storage=url)
    small.optimize(hippo.ASHA(SPACE, min_steps=1, max_steps=9, reduction=3, num_trials=9))
    large = make_study("large", storage=url)
    large.optimize(hippo.ASHA(SPACE, min_steps=1, max_steps=27, reduction=3, num_trials=9))
    assert [trial.config for trial in large.trials] == [trial.config for trial in small.trials]
    together = {(trial.config, step) for study in (small, large) for trial in study.trials for step in trial.history}
    assert small.statistics().steps_executed + large.statistics().steps_executed == len(together)


def test_a_cell_that_was_run_again_is_told_how_it_would_be_the_same_call(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_study(storage="memory://cell-again")
    study.optimize(random_search(3))
    study.optimize(random_search(3))
    line = said(capsys)
    assert "all 3 trials of this call were in it already" in line
    assert "after create_study" in line
    before = len(study.trials)
    again = make_study(storage="memory://cell-again")
    again.optimize(random_search(3))
    assert len(again.trials) == before  # the same call as the first
    assert said(capsys) == ""


def test_one_trial_is_spoken_of_as_one(make_study: MakeStudy, capsys: pytest.CaptureFixture[str]) -> None:
    study = make_study()
    study.optimize(random_search(1))
    study.optimize(random_search(1))
    assert "the trial of this call was in it already: nothing was trained" in said(capsys)
    study.optimize(random_search(2))
    assert "1 of the 2 trials of this call was in it already" in said(capsys)
    study.optimize(random_search(2))
    assert "all 2 trials of this call were in it already" in said(capsys)


def test_another_config_that_begins_alike_is_no_repetition(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_study()
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=4))
    study.optimize(hippo.GridSearch([{"lr": hippo.MultiStep(0.1, [3], 0.5)}], until=1))
    assert said(capsys) == ""


def test_more_steps_other_configs_and_trials_by_hand_are_no_repetition(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_study()
    study.optimize(random_search(3))
    study.optimize(random_search(3, until=6))
    study.optimize(random_search(3, seed=1))
    study.evaluate(study.trials[0].config, until=4)
    assert said(capsys) == ""


def test_where_nothing_is_shared_equal_trials_are_what_was_asked_for(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_study(sharing=False)
    study.optimize(random_search(3))
    study.optimize(random_search(4))
    assert study.statistics().steps_executed == 7 * 4
    assert said(capsys) == ""


def test_a_call_that_was_stopped_and_goes_on_repeats_nothing(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    class Stops(hippo.Callback):
        def on_answered(self, event: Any) -> None:
            if event.trial == 1 and not event.is_known:
                study.stop()

    study = make_study(storage="memory://stopped", callbacks=[Stops()], trainer_args={"sleep_s": 0.002})
    study.optimize(random_search(6))
    study = make_study(storage="memory://stopped", trainer_args={"sleep_s": 0.002})
    study.optimize(random_search(6))
    assert len(study.trials) == 6
    assert said(capsys) == ""


def test_of_a_study_with_several_seeds_each_trial_counts_once(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_study(seeds=[0, 1])
    study.optimize(random_search(3))
    study.optimize(random_search(4))
    assert "3 of the 4 trials" in said(capsys)


# --- what was enqueued, alone


def test_without_a_tuner_what_was_enqueued_is_run(make_study: MakeStudy) -> None:
    study = make_study()
    study.enqueue({"lr": 0.1}, until=3)
    study.enqueue({"lr": 0.2}, until=5)
    study.optimize()
    assert [(trial.step, trial.state.value) for trial in study.trials] == [(3, "COMPLETE"), (5, "COMPLETE")]


def test_without_a_tuner_and_with_nothing_enqueued_there_is_nothing_to_run(make_study: MakeStudy) -> None:
    study = make_study()
    with pytest.raises(TunerError, match=r"has nothing to run: optimize\(\) without a tuner runs what study.enqueue"):
        study.optimize()
    study.enqueue({"lr": 0.1}, until=3)
    study.optimize()
    with pytest.raises(TunerError, match="has nothing to run"):
        study.optimize()


# --- what a message tells to type


@pytest.mark.parametrize("where", ["elsewhere", "default", "memory"])
def test_when_all_trials_failed_the_line_to_type_finds_the_study(
    make_study: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.chdir(tmp_path)
    url = {"elsewhere": "sqlite:///other.db", "default": "sqlite:///hippo.db", "memory": "memory://"}[where]
    study = make_study(trainer_args={"raise_in": "train"}, storage=url, checkpoints=str(tmp_path / "states"))
    typed = {
        "elsewhere": f"`hippo logs toy 0 --storage sqlite:///{tmp_path}/other.db` shows where",
        "default": "`hippo logs toy 0` shows where",
        "memory": "study.trial(0).traceback shows where",
    }[where]
    with pytest.raises(TrialFailedError) as failed:
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    assert typed in str(failed.value)
