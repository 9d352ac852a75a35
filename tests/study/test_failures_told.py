"""A failed trial is told of as it happens, and what is known of it can be had afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import hippo
from hippo.errors import TrialFailedError

MakeStudy = Callable[..., hippo.Study]
FAILS = {"trainer_args": {"raise_in": "train", "raise_at": 3, "raise_if": {"lr": 0.3}}}


def test_a_failed_trial_is_told_in_one_line_with_where_why_and_how_to_see_more(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    storage = f"sqlite:///{tmp_path}/hippo.db"
    study = make_study("a b", **FAILS, storage=storage, checkpoints=str(tmp_path / "states"))
    capsys.readouterr()
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.3}], until=5))
    assert capsys.readouterr().err == (
        "hippo: trial 1 of 'a b' failed in train() at step 4: ValueError: told to raise in train after 3 steps "
        f"(hippo logs 'a b' 1 --storage {storage} shows more)\n"
    )


def test_a_trial_that_is_asked_twice_fails_once(make_study: MakeStudy, capsys: pytest.CaptureFixture[str]) -> None:
    class Twice(hippo.Tuner):
        async def tune(self, ask: hippo.Ask) -> None:
            for until in (4, 5):
                await ask({"lr": 0.3}, until=until)

    with pytest.raises(TrialFailedError):
        make_study(**FAILS).optimize(Twice())
    assert capsys.readouterr().err.count("failed in") == 1


def test_many_trials_that_fail_alike_are_told_ten_times_and_then_counted(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_study(trainer_args={"raise_in": "train"})
    with pytest.raises(TrialFailedError):
        study.optimize(hippo.GridSearch([{"lr": n / 100} for n in range(1, 16)], until=5))
    said = capsys.readouterr().err.splitlines()
    assert sum("failed in train() at step 1" in line for line in said) == 10
    assert "are counted, and no longer told" in said[10]
    assert said[-1] == "hippo: 5 trials more failed like those above"


def test_what_failed_in_an_earlier_run_is_told_in_one_line(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for _ in range(2):
        capsys.readouterr()
        study = make_study(**FAILS, storage=f"sqlite:///{tmp_path}/hippo.db", checkpoints=str(tmp_path / "states"))
        with pytest.raises(TrialFailedError):
            study.optimize(hippo.GridSearch([{"lr": 0.3}, {"lr": 0.3, "k": 1}], until=5))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("hippo: 2 trials of study 'toy' failed in an earlier run, the first: trial 0 of 'toy'")


def test_a_retried_trial_that_fails_again_is_told_as_it_happens(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for _ in range(2):
        capsys.readouterr()
        study = make_study(**FAILS, storage=f"sqlite:///{tmp_path}/hippo.db", checkpoints=str(tmp_path / "states"))
        study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.3}], until=5))
        assert study.retry_failed() == [1]
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("hippo: trial 1 of 'toy' failed in train() at step 4")


def test_a_failed_trial_has_its_traceback_its_curve_and_its_seconds(make_study: MakeStudy) -> None:
    study = make_study(**FAILS)
    study.optimize(hippo.GridSearch([{"lr": 0.3}, {"lr": 0.1}], until=5))
    failed, fine = study.trials
    assert "ValueError: told to raise in train after 3 steps" in failed.traceback
    assert list(failed.history) == list(failed.train_metrics) == [1, 2, 3]
    assert failed.seconds > 0
    assert failed.value is None
    assert fine.traceback == fine.error == ""


def test_the_data_frame_has_errors_seconds_and_all_metrics(make_study: MakeStudy) -> None:
    study = make_study(**FAILS)
    study.optimize(hippo.GridSearch([{"lr": 0.3}, {"lr": 0.1}], until=5))
    failed, fine = study.trials_dataframe().to_dict("records")
    assert "told to raise" in failed["error"]
    assert (fine["error"], fine["call"], fine["step"]) == ("", 0, 5)
    assert fine["metrics_luck"] == study.trials[1].metrics["luck"]
    assert fine["train_slope"] == study.trials[1].train_metrics[5]["slope"]
    assert fine["seconds"] == study.trials[1].seconds > 0


def test_the_data_frame_rounds_no_whole_number(make_study: MakeStudy) -> None:
    study, large = make_study(), 2**53 + 1
    study.optimize(hippo.GridSearch([{"lr": 0.3, "k": large}, {"lr": 0.1}], until=1))
    assert int(study.trials_dataframe()["params_k"][0]) == large
    assert study.trials_dataframe()["params_lr"].dtype == float


def test_steps_that_a_failed_trial_never_took_are_not_saved(make_study: MakeStudy) -> None:
    study = make_study(**FAILS)
    study.optimize(hippo.GridSearch([{"lr": 0.3}, {"lr": 0.3, "k": 1}, {"lr": 0.1}], until=5))
    statistics = study.statistics()
    assert (statistics.steps_asked, statistics.steps_executed) == (15, 11)
    assert statistics.steps_saved == study.counted().steps_saved == 0


def test_what_training_returned_is_known_step_by_step(make_study: MakeStudy) -> None:
    study = make_study()
    study.optimize(hippo.GridSearch([{"lr": hippo.Piecewise([0.1, 0.2], [2])}, {"lr": 0.1}], until=4))
    first, second = (trial.train_metrics for trial in study.trials)
    assert [first[step] == second[step] for step in (1, 2, 3, 4)] == [True, True, True, False] or first[3] == second[3]
    assert set(first[4]) == {"slope"}
    assert dict(first) == {step: first[step] for step in range(1, 5)}
