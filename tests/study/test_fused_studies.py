"""Studies whose numerics allow that lanes are walked as one: what users ask for, and what they are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.plan import PlanRow, StepRow, open_store
from hippo.testing.fake_engine import FakeEngine
from hippo.testing.trainers import ToyTrainer

MakeStudy = Callable[..., hippo.Study]

LRS = [hippo.MultiStep(0.3, [milestone], factor) for milestone in (2, 4) for factor in (0.1, 0.2, 0.3)]
SPACE = hippo.GridSearchSpace({"lr": [*LRS, 0.3], "batch": [8, 16]})
DISTINCT = 2 * (8 + 3 * 6 + 3 * 4)


def fused_options(folder: Path) -> dict[str, Any]:
    storage = f"sqlite:///{folder}/hippo.db"
    return {"trainer": ToyTrainer, "storage": storage, "metric": "loss", "mode": "min", "numerics": "fused"}


def answers(study: hippo.Study) -> list[Any]:
    return [(trial.number, trial.state, dict(trial.metrics), trial.history) for trial in study.trials]


@pytest.mark.parametrize("numerics", ["fused", "fused-fast"])
def test_a_study_answers_the_same_where_lanes_may_be_walked_as_one(make_study: MakeStudy, numerics: str) -> None:
    exact, fused = make_study("exact"), make_study("fused", numerics=numerics)
    for study in (exact, fused):
        study.optimize(hippo.GridSearch(SPACE, until=8))
    assert answers(fused) == answers(exact)
    assert (fused.statistics().steps_executed, fused.statistics().steps_repeated) == (DISTINCT, 0)


@pytest.mark.parametrize("max_lanes", [None, 1, 3])
def test_lanes_are_counted_and_none_of_their_steps_is_run_twice(make_study: MakeStudy, max_lanes: int | None) -> None:
    study = make_study(engine=FakeEngine(fuses=True, max_lanes=max_lanes), numerics="fused")
    study.optimize(hippo.GridSearch(SPACE, until=8))
    counted = study.statistics()
    assert (counted.steps_executed, counted.steps_repeated) == (DISTINCT, 0)
    if max_lanes == 1:
        assert (counted.lane_steps_fused, counted.mean_lanes, counted.fused_seconds) == (0, 1.0, 0.0)
    else:
        assert counted.lane_steps_fused > DISTINCT / 2
        assert 1.0 < counted.mean_lanes <= (max_lanes or 64)
        assert 0.0 < counted.fused_seconds < counted.train_seconds


def test_a_study_in_an_exact_plan_counts_no_lanes(make_study: MakeStudy) -> None:
    study = make_study()
    study.optimize(hippo.GridSearch(SPACE, until=8))
    counted = study.statistics()
    assert (counted.lane_steps_fused, counted.mean_lanes, counted.fused_seconds) == (0, 1.0, 0.0)


def test_how_lanes_are_walked_and_in_how_many_each_step_was_outlives_the_process(tmp_path: Path) -> None:
    options = fused_options(tmp_path)
    storage = options["storage"]
    first = hippo.create_study("toy", engine=FakeEngine(fuses=True, max_lanes=3), **options)
    first.optimize(hippo.GridSearch(SPACE, until=8))
    before = first.statistics()
    first.close()
    assert hippo.load_study("toy", storage).statistics() == before
    solo = FakeEngine(fuses=False, max_lanes=2)  # would say otherwise, and is not asked
    again = hippo.create_study("toy", engine=solo, **options)
    again.optimize(hippo.GridSearch(SPACE, until=8))
    again.optimize(hippo.GridSearch(SPACE, until=12))
    after = again.statistics()
    again.close()
    assert after.lane_steps_fused > before.lane_steps_fused
    store = open_store(storage)
    (plan,) = store.rows(PlanRow)
    assert plan.fusion.count('"is_fused": true') == 2  # of each batch size, since lanes of one cost the same
    assert {row.cause for row in store.rows(StepRow)} <= {"first", "first x2", "first x3"}


def test_a_study_that_was_exact_begins_a_new_generation_where_lanes_may_be_walked_as_one(
    make_study: MakeStudy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    storage = f"sqlite:///{tmp_path}/hippo.db"
    exact = make_study(storage=storage, checkpoints="memory://")
    exact.evaluate({"lr": 0.1}, until=1)
    exact.close()
    fused = make_study(storage=storage, checkpoints="memory://", numerics="fused")
    assert fused.trials == []
    assert "numerics" in capsys.readouterr().err
    assert len(open_store(storage).rows(PlanRow)) == 2


def test_lanes_that_are_walked_one_by_one_are_told_once_and_why(make_study: MakeStudy) -> None:
    study = make_study(engine=FakeEngine(fuses=False), numerics="fused")
    with pytest.warns(
        UserWarning, match="walked one by one, although numerics='fused' allows more: nothing is"
    ) as told:
        study.optimize(hippo.GridSearch(SPACE, until=8))
    assert len(told) == 1


def test_where_bits_depend_on_company_users_are_told_once(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    for numerics, is_told in (("fused", True), ("fused-fast", False), ("exact", False)):
        study = make_study(numerics, engine=hippo.InlineEngine(threads=2), numerics=numerics)
        study.evaluate({"lr": 0.1}, until=1)
        study.evaluate({"lr": 0.1}, until=2)
        said = capsys.readouterr().err
        assert said.count("may depend on the trials that are walked beside it") == is_told
    study = make_study("one thread", numerics="fused")
    study.evaluate({"lr": 0.1}, until=1)
    assert "walked beside it" not in capsys.readouterr().err


def test_two_studies_of_one_plan_may_allow_other_numbers_of_lanes(tmp_path: Path) -> None:
    options = fused_options(tmp_path)
    one = hippo.create_study("one", engine=FakeEngine(fuses=True, max_lanes=2), **options)
    one.optimize(hippo.GridSearch(SPACE, until=4))
    one.close()
    two = hippo.create_study("two", engine=FakeEngine(fuses=True, max_lanes=8), **options)
    two.optimize(hippo.GridSearch(SPACE, until=8))
    assert two.statistics().steps_saved > 0
    assert two.statistics().mean_lanes > one.statistics().mean_lanes > 1.0
    two.close()
    assert len(open_store(options["storage"]).rows(PlanRow)) == 1


def test_studies_that_share_a_bundle_each_pay_for_their_lanes(make_study: MakeStudy) -> None:
    engine = FakeEngine(fuses=True, slots=1)
    studies = [make_study(name, engine=engine, storage="memory://shared-lanes", numerics="fused") for name in "ab"]
    configs = [[{"lr": lr, "batch": 8} for lr in lrs] for lrs in ([0.1, 0.2, 0.3], [0.4, 0.5, 0.6])]
    hippo.optimize([(study, hippo.GridSearch(own, until=4)) for study, own in zip(studies, configs, strict=True)])
    for study in studies:
        assert study.statistics().steps_executed == 12
        assert study.statistics().lane_steps_fused > 0
