"""A study with surrogates: members at a scale, with plans and results of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import hippo
from hippo.errors import OptionError, TrainerError, UnknownScaleError
from hippo.plan import CheckpointRow, PlanRow, StudyPlanRow, TrialRow, Update
from hippo.records import TrialState
from hippo.study import end_trials
from hippo.testing.fake_engine import FakeEngine
from hippo.testing.trainers import ToyTrainer
from hippo.testing.tuner_contract import RiskyTrainer

from .narrow_trainers import Perceptron, TwoLayers

MakeStudy = Callable[..., hippo.Study]

CONFIGS = [{"lr": lr} for lr in (0.05, 0.1, 0.2)]
GRID = hippo.GridSearch(CONFIGS, until=4)
SURROGATE = hippo.Surrogate(GRID)


@pytest.fixture
def make_risky(make_study: MakeStudy) -> MakeStudy:
    """Return what makes a study of a trainer that is the same at every scale."""
    return lambda *args, **options: make_study(*args, **{"trainer": RiskyTrainer, **options})


def stored(tmp_path: Path) -> dict[str, Any]:
    return {"storage": f"sqlite:///{tmp_path / 'hippo.db'}", "checkpoints": str(tmp_path / "checkpoints")}


# --- members


def test_a_scale_is_a_member_on_a_plan_whose_workload_differs_in_the_scale_alone(make_risky: MakeStudy) -> None:
    study = make_risky()
    study.optimize(SURROGATE)
    store = study._opened.store
    members = {row.member: row.plan for row in store.rows(StudyPlanRow)}
    declared = {member: json.loads(store.rows(PlanRow, plan=plan)[0].declared) for member, plan in members.items()}
    assert list(members) == ["", "1/8"]
    assert (declared[""].pop("scale"), declared["1/8"].pop("scale")) == ("1", "1/8")
    assert declared[""] == declared["1/8"]


def test_a_study_that_is_made_again_is_the_same_generation_and_trains_nothing(
    make_risky: MakeStudy, tmp_path: Path
) -> None:
    first = make_risky(**stored(tmp_path))
    first.optimize(SURROGATE)
    rows = first._opened.store.rows(TrialRow)
    again = make_risky(**stored(tmp_path))
    again.optimize(SURROGATE)
    assert again.generation == 1
    assert again._opened.store.rows(TrialRow) == rows
    assert len(again._opened.store.rows(StudyPlanRow)) == 2


def test_other_code_begins_a_generation_with_surrogates_of_its_own(make_risky: MakeStudy, tmp_path: Path) -> None:
    for version in ("1", "2"):
        study = make_risky(version=version, **stored(tmp_path))
        assert (study.trials, list(study.surrogates)) == ([], [])
        study.optimize(SURROGATE)
        assert len(study.surrogates[8].trials) == 3
    assert study.generation == 2
    assert len({row.plan for row in study._opened.store.rows(StudyPlanRow)}) == 4
    assert make_risky(version="1", **stored(tmp_path)).surrogates[8].trials != []


def test_two_studies_share_what_their_surrogates_were_trained_for(make_risky: MakeStudy, tmp_path: Path) -> None:
    for name in ("one", "two"):
        study = make_risky(name, **stored(tmp_path))
        study.optimize(SURROGATE)
    assert study.statistics().steps_executed == 0
    alone = make_risky("three", sharing=False, **stored(tmp_path))
    alone.optimize(SURROGATE)
    assert alone.statistics().steps_executed == 16


def test_a_study_that_is_loaded_gets_surrogates_when_a_tuner_needs_them(make_risky: MakeStudy, tmp_path: Path) -> None:
    made = make_risky(**stored(tmp_path))
    made.optimize(GRID)
    loaded = hippo.load_study("toy", stored(tmp_path)["storage"], engine=hippo.InlineEngine())
    loaded.optimize(hippo.Surrogate(GRID, scale=2))
    assert list(loaded.surrogates) == list(made.surrogates) == ["1/2"]
    assert [trial.value for trial in loaded.surrogates[2].trials] == [trial.value for trial in made.trials[:3]]
    loaded.close()


def test_a_trial_of_the_target_that_is_told_pruned_leaves_the_surrogates_trial_of_its_number(
    make_risky: MakeStudy,
) -> None:
    study = make_risky()
    study.optimize(SURROGATE)
    (of_target,) = study.trials
    study.close()
    assert end_trials(study, [of_target.number], TrialState.PRUNED) == [of_target.number]
    assert [trial.state for trial in study.trials] == [TrialState.PRUNED]
    assert {trial.state for trial in study.surrogates[8].trials} == {TrialState.COMPLETE}


def test_calls_without_surrogates_ask_the_target_alone(make_risky: MakeStudy) -> None:
    study = make_risky()
    study.optimize(SURROGATE)
    store = study._opened.store
    (of_surrogates,) = store.rows(PlanRow, plan=store.rows(StudyPlanRow, member="1/8")[0].plan)
    study.optimize(GRID)
    study.evaluate({"lr": 0.3}, until=2)
    assert store.rows(PlanRow, plan=of_surrogates.plan) == [of_surrogates]  # nobody opened it to write
    assert [trial.member for trial in study.trials] == [""] * 5
    assert len(study.surrogates[8].trials) == 3


def test_a_call_that_makes_surrogates_leaves_what_other_calls_of_their_study_found_out(
    make_risky: MakeStudy, tmp_path: Path
) -> None:
    study = make_risky(**stored(tmp_path))
    grid = hippo.GridSearch([{"lr": lr} for lr in (0.3, 0.4)], until=4)
    hippo.optimize([(study, GRID), (study, hippo.Surrogate(grid))])
    complete = [trial for trial in make_risky(**stored(tmp_path)).trials if trial.state is TrialState.COMPLETE]
    assert {0.05, 0.1, 0.2} < {trial.params["lr"] for trial in complete}


def test_an_environment_that_changed_forks_the_plans_of_surrogates_too(make_risky: MakeStudy, tmp_path: Path) -> None:
    study = make_risky(**stored(tmp_path))
    study.optimize(hippo.Budget(hippo.Surrogate(GRID, eager_transfer=None), 1e-9))  # the target was never trained
    store = study._opened.store
    narrow = store.rows(StudyPlanRow, member="1/8")[0].plan
    (row,) = store.rows(PlanRow, plan=narrow)
    assert row.environment
    store.commit([Update(replace(row, environment=json.dumps({**json.loads(row.environment), "python": "2.7"})))])
    study.close()
    forked = make_risky(environment="new", **stored(tmp_path))
    forked.optimize(SURROGATE)
    assert forked.best_trial.state is TrialState.COMPLETE
    assert forked.generation == 2


# --- results


def test_results_of_the_target_and_of_its_surrogates_are_told_apart(make_risky: MakeStudy) -> None:
    study = make_risky()
    study.optimize(SURROGATE)
    narrow = study.surrogates[8]
    assert narrow is study.surrogates["1/8"] is study.surrogates[hippo.Scale(8)]
    assert [trial.number for trial in narrow.trials] == [0, 1, 2]
    assert [trial.number for trial in study.trials] == [narrow.best_trial.number]
    assert study.best_config == narrow.best_config == study.trial(narrow.best_trial.number).config
    assert (narrow.statistics().steps_executed, study.statistics().steps_executed) == (12, 16)
    assert study.statistics() == study.read().statistics()
    assert study.counted().trials == study.statistics().trials == {"COMPLETE": 4}
    assert {row.member for row in study.tree()} == {"", "1/8"}
    assert {row.member for row in narrow.tree()} == {"1/8"}
    assert len(narrow.trials_dataframe()) == 3


def test_a_scale_or_a_number_that_is_not_there_is_named_beside_those_that_are(make_risky: MakeStudy) -> None:
    study = make_risky()
    with pytest.raises(
        UnknownScaleError, match=r"'toy' has no surrogates at scale '1/8'; it has none: hippo.Surrogate"
    ):
        study.surrogates[8]
    study.optimize(hippo.Surrogate(hippo.GridSearch(CONFIGS, until=2)))
    with pytest.raises(KeyError, match=r"at scale '1/4'; it has \['1/8'\]"):
        study.surrogates[4]
    assert 4 not in study.surrogates
    assert 8 in study.surrogates
    winner = study.best_trial.number
    assert winner
    with pytest.raises(OptionError, match=rf"study 'toy' has no trial 77; its trials are {winner}$"):
        study.trial(77)
    with pytest.raises(OptionError, match="study 'toy' at scale 1/8 has no trial 77; its trials are 0 to 2"):
        study.surrogates[8].trial(77)


def test_while_the_target_has_no_trial_its_surrogates_are_named(make_risky: MakeStudy) -> None:
    study = make_risky()
    study.optimize(hippo.Budget(hippo.Surrogate(GRID, eager_transfer=None), 1e-9))
    with pytest.raises(ValueError, match=r"no trial of study 'toy' is complete.* in study.surrogates\['1/8'\]"):
        study.best_trial  # noqa: B018


def test_somebody_who_reads_sees_surrogates_that_come_later(make_risky: MakeStudy, tmp_path: Path) -> None:
    writer = make_risky(**stored(tmp_path))
    writer.optimize(GRID)
    reader = hippo.load_study("toy", stored(tmp_path)["storage"])
    assert len(reader.trials) == 3
    writer.optimize(SURROGATE)
    assert [trial.number for trial in reader.trials] == [trial.number for trial in writer.trials]
    assert reader.statistics() == writer.statistics()
    assert len(reader.surrogates[8].trials) == 3
    assert reader.best_trial.number == writer.best_trial.number


def test_with_several_seeds_each_scale_has_averages_of_its_own(make_risky: MakeStudy) -> None:
    study = make_risky(seeds=[0, 5])
    study.optimize(SURROGATE)
    assert list(study._opened.plans) == [
        "seed 0",
        "seed 5",
        "seed 0 at 1/8",
        "seed 5 at 1/8",
    ]
    plain = make_risky("plain", seeds=[0, 5])
    plain.optimize(GRID)
    assert [trial.value for trial in study.surrogates[8].trials] == [trial.value for trial in plain.trials]
    assert study.best_value == plain.best_value
    assert [len(trial.replicates) for trial in study.trials] == [2]
    assert study.surrogates[8].best_trial.load_model(seed=5) is not None
    assert study.best_trial.load_model(seed=5) is not None
    assert study.counted().trials == study.statistics().trials == {"COMPLETE": 4}


def test_the_best_states_are_kept_at_each_scale(make_risky: MakeStudy, tmp_path: Path) -> None:
    study = make_risky(keep="best", **stored(tmp_path))
    study.optimize(hippo.Surrogate(GRID, top=2, eager_transfer=None))
    store = study._opened.store
    for member, results in (("", study), ("1/8", study.surrogates[8])):
        (plan,) = [row.plan for row in store.rows(StudyPlanRow, member=member)]
        kept = [(row.node, row.step) for row in store.rows(CheckpointRow, plan=plan, gone="")]
        assert kept == [results.best_trial.point]


# --- refused before anything runs


def test_a_trainer_that_cannot_be_narrow_is_refused_and_no_member_is_made(make_study: MakeStudy) -> None:
    study = make_study(trainer=ToyTrainer)
    with pytest.raises(TrainerError, match="ToyTrainer cannot be at scale 1/8: hippo sees no model in it"):
        study.optimize(SURROGATE)
    assert [row.member for row in study._opened.store.rows(StudyPlanRow)] == [""]


@pytest.mark.parametrize("scales", [[hippo.Scale(8)], ("1/8",), (8,), (hippo.Scale(),)])
def test_scales_of_a_tuner_of_ones_own_are_checked(make_study: MakeStudy, scales: Any) -> None:
    tuner = type("Own", (hippo.Tuner,), {"scales": scales, "tune": GRID.tune})()
    with pytest.raises(hippo.HippoError, match=r"Own.scales must be a tuple of hippo.Scale, each smaller than"):
        make_study(trainer=RiskyTrainer).optimize(tuner)


# --- real ones


def test_the_winners_target_trial_equals_a_lone_one_bit_for_bit(make_study: MakeStudy, tmp_path: Path) -> None:
    study = make_study(trainer=Perceptron, **stored(tmp_path))
    study.optimize(hippo.Surrogate(hippo.SuccessiveHalving(CONFIGS, 1, 8, 3), scale=4, eager_transfer=0.3))
    lone = make_study("lone", trainer=Perceptron)
    lone.evaluate(study.best_config, until=8)
    (alone,) = lone.trials
    assert dict(study.best_trial.metrics) == dict(alone.metrics)
    wide, again = study.best_trial.load_state(), alone.load_state()
    assert wide["model"]["0.weight"].shape == (32, 8)
    assert all(torch.equal(wide["model"][name], again["model"][name]) for name in again["model"])
    narrow = study.surrogates[4].best_trial
    assert narrow.load_model()[0].weight.shape == (8, 8)
    assert study.reproduce(study.best_trial).is_equal


@pytest.mark.slow
def test_surrogates_are_walked_as_lanes_where_numerics_allow_it(make_study: MakeStudy) -> None:
    study = make_study(trainer=Perceptron, numerics="fused", engine=hippo.InlineEngine(max_lanes=8))
    study.optimize(hippo.Surrogate(hippo.GridSearch([{"lr": n / 50} for n in range(1, 9)], until=6), scale=4))
    assert study.best_trial.state is TrialState.COMPLETE
    assert study.best_trial.step == 6
    assert len(study.surrogates[4].trials) == 8
    narrow, wide = (study.surrogates[4].statistics(), study.statistics())
    assert narrow.lane_steps_fused > 0
    assert wide.lane_steps_fused == narrow.lane_steps_fused  # the target has no company
    assert wide.fusion_check_seconds == narrow.fusion_check_seconds  # and nobody looked how it would be with some


class Dropping(Perceptron):
    """A network with a number in it that is a hyper-parameter, which lanes may differ in."""

    def make_model(self) -> Any:
        made = super().make_model()
        return torch.nn.Sequential(*made[:-1], torch.nn.Dropout(self.hp["drop"]), made[-1])


@pytest.mark.slow
def test_surrogates_are_walked_as_lanes_where_their_models_read_numbers(make_study: MakeStudy) -> None:
    study = make_study(trainer=Dropping, numerics="fused", engine=hippo.InlineEngine(max_lanes=8))
    space = hippo.GridSearchSpace({"lr": [0.02, 0.04, 0.06, 0.08], "drop": [0.1, 0.3]})
    study.optimize(hippo.Surrogate(hippo.GridSearch(space, until=3), scale=4))
    narrow = study.surrogates[4].statistics()
    assert narrow.lane_steps_fused == narrow.steps_executed


def test_few_trials_of_the_target_are_walked_by_themselves_and_who_asks_for_many_later_is_told(
    make_study: MakeStudy, tmp_path: Path
) -> None:
    engine = FakeEngine(fuses=True, slots=1)
    study = make_study(trainer=RiskyTrainer, numerics="fused", engine=engine, **stored(tmp_path))
    study.optimize(SURROGATE)
    assert study.surrogates[8].statistics().lane_steps_fused > 0
    assert study.statistics().lane_steps_fused == study.surrogates[8].statistics().lane_steps_fused
    with pytest.warns(UserWarning, match="walked one by one, although numerics='fused' allows more: the first of them"):
        study.optimize(GRID)


def test_two_workers_that_make_a_narrow_model_tell_of_it_once(
    make_study: MakeStudy, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    study = make_study(trainer=TwoLayers, engine=hippo.LocalEngine(workers=2), **stored(tmp_path))
    with pytest.warns(UserWarning, match="TwoLayers is 16 wide at scale 1/2: below 32") as told:
        study.optimize(hippo.Surrogate(hippo.GridSearch(CONFIGS, until=2), scale=2))

    assert len([each for each in told if "below 32" in str(each.message)]) == 1
    assert "below 32" not in capfd.readouterr().err  # else a worker said it by itself
