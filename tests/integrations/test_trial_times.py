"""When trials were at work, in Optuna's words: as slots walked their steps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

import hippo

pytest.importorskip("optuna")

from hippo.integrations.optuna import HippoStorage  # as above

MakeStudy = Callable[..., hippo.Study]


def times(study: hippo.Study) -> list[tuple[float, float]]:
    storage = HippoStorage(study.storage)
    found = storage.get_all_trials(storage.get_study_id_from_name(study.name))
    return [(trial.datetime_start.timestamp(), trial.datetime_complete.timestamp()) for trial in found]


@pytest.fixture
def places(tmp_path: Any) -> dict[str, str]:
    return {"storage": f"sqlite:///{tmp_path}/h.db", "checkpoints": str(tmp_path / "s")}


def test_trials_begin_when_their_first_step_did_and_end_with_their_last(
    make_study: MakeStudy, places: dict[str, str]
) -> None:
    study = make_study(trainer_args={"sleep_s": 0.02}, **places)
    time.sleep(0.5)  # the study is made before anything begins
    asked_at = time.time()
    configs = [{"lr": 0.1}, {"lr": hippo.Piecewise([0.1, 0.2], [2])}, {"lr": 0.3}]
    study.optimize(hippo.GridSearch(configs, until=4))
    over_at = time.time()
    first, second, third = times(study)
    for began_at, ended_at in (first, second, third):
        assert asked_at - 0.05 <= began_at < ended_at <= over_at + 0.05
    assert first[0] == second[0], "they share their first two steps"
    assert third[0] != first[0]
    assert any(lease.ended_at == pytest.approx(third[1], abs=1e-5) for lease in study.leases())


def test_a_trial_that_only_asks_for_what_is_there_has_the_times_of_who_trained_it(
    make_study: MakeStudy, places: dict[str, str]
) -> None:
    study = make_study(trainer_args={"sleep_s": 0.01}, **places)
    study.evaluate({"lr": 0.1}, until=4)
    study.evaluate({"lr": 0.1}, until=3)
    (whole, part) = times(study)
    assert whole == part


def test_several_seeds_are_one_trial_from_the_first_to_the_last(make_study: MakeStudy, places: dict[str, str]) -> None:
    study = make_study(seeds=[0, 1], trainer_args={"sleep_s": 0.01}, **places)
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    ((began_at, ended_at),) = times(study)
    leases = study.leases()
    assert began_at == pytest.approx(min(lease.began_at for lease in leases), abs=1e-5)
    assert ended_at == pytest.approx(max(lease.ended_at or 0.0 for lease in leases), abs=1e-5)
