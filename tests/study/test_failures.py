"""What goes wrong in a trainer goes wrong for its trial alone, and says what and where."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import (
    EnvironmentChangedError,
    ExactnessError,
    TrainerError,
    TrialFailedError,
    UnknownMetricError,
)
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer

MakeStudy = Callable[..., hippo.Study]
BOTH = hippo.GridSearchSpace({"lr": [0.1, 0.2]})
METHODS = ["build", "setup", "train", "evaluate", "state_dict"]


@pytest.mark.parametrize("method", METHODS)
def test_a_trainer_that_raises_fails_its_trial_with_the_traceback_and_its_sibling_goes_on(
    make_study: MakeStudy, method: str
) -> None:
    study = make_study(trainer_args={"raise_in": method, "raise_if": {"lr": 0.1}}, keep="leaves")
    study.optimize(hippo.GridSearch(BOTH, until=4))
    failed, sibling = study.trials
    assert failed.state is hippo.TrialState.FAIL
    assert f"{method}() at step" in failed.error
    assert f"ValueError: told to raise in {method}" in failed.error
    assert sibling.state is hippo.TrialState.COMPLETE
    assert dict(sibling.history) == train_alone(ToyTrainer, {"lr": 0.2}, until=4)


def test_load_state_dict_that_raises_fails_only_what_had_to_be_loaded(make_study: MakeStudy) -> None:
    study = make_study(
        trainer_args={"raise_in": "load_state_dict", "raise_if": {"momentum": 0.5}}, nondeterminism="warn"
    )
    momenta = [hippo.Piecewise([0.5, 0.1], [3]), hippo.Piecewise([0.5, 0.2], [3])]
    study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"momentum": momenta}), until=5))
    states = sorted(trial.state.value for trial in study.trials)
    assert states == ["COMPLETE", "FAIL"]


def test_init_that_raises_is_equal_for_all_trials_so_none_of_them_fails(make_study: MakeStudy) -> None:
    study = make_study(trainer_args={"raise_in": "__init__"})
    with pytest.raises(TrainerError, match=r"(?s)__init__\(\) of the trainer raised.*told to raise.*Traceback"):
        study.optimize(hippo.GridSearch(BOTH, until=4))
    assert {trial.state for trial in study.trials} == {hippo.TrialState.WAITING}


def test_trials_that_share_a_failing_step_all_fail_and_those_that_branch_before_do_not(make_study: MakeStudy) -> None:
    rates = [0.1, hippo.MultiStep(0.1, [6], 0.1), hippo.MultiStep(0.1, [2], 0.1)]
    study = make_study(trainer_args={"raise_in": "train", "raise_at": 4, "raise_if": {"lr": 0.1}})
    study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": rates}), until=8))
    assert [trial.state.value for trial in study.trials] == ["FAIL", "FAIL", "COMPLETE"]


def test_a_failure_is_known_to_whoever_comes_later(make_study: MakeStudy) -> None:
    study = make_study(trainer_args={"raise_in": "train", "raise_at": 4})
    with pytest.raises(TrialFailedError, match=r"(?s)train\(\) failed at step 5: .*Traceback"):
        study.evaluate({"lr": 0.1}, until=8)
    executed = study.statistics().steps_executed
    with pytest.raises(TrialFailedError):
        study.evaluate({"lr": 0.1}, until=9)
    assert study.statistics().steps_executed == executed
    assert set(study.evaluate({"lr": 0.1}, until=4)) == {"loss", "luck"}


def test_nan_fails_its_trial_by_default_and_ranks_last_if_asked_to(make_study: MakeStudy) -> None:
    arguments = {"nan_at": 4}
    failing = make_study("failing", trainer_args=arguments)
    with pytest.raises(TrialFailedError, match=r"all 2 trials of study 'failing' failed.*NaN"):
        failing.optimize(hippo.GridSearch(BOTH, until=4))
    assert {trial.state.value for trial in failing.trials} == {"FAIL"}
    assert "'loss' is NaN after step 4" in failing.trials[0].error
    lenient = make_study("lenient", trainer_args=arguments, nan="worst")
    lenient.optimize(hippo.GridSearch(BOTH, until=4))
    assert {trial.state.value for trial in lenient.trials} == {"COMPLETE"}
    assert math.isnan(lenient.trials[0].metrics["loss"])


@pytest.mark.parametrize("bad", ["high", [1.0], None, {"a": 1}])
def test_a_metric_that_is_no_number_fails_its_trial_and_is_named(make_study: MakeStudy, bad: Any) -> None:
    study = make_study(trainer_args={"bad_metric": bad if bad is not None else "none at all"})
    with pytest.raises(TrialFailedError, match="the only trial of study 'toy' failed"):
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    assert study.trials[0].state is hippo.TrialState.FAIL
    assert "'loss'" in study.trials[0].error
    assert "MetricError" in study.trials[0].error


def test_a_misspelt_metric_is_an_error_with_what_there_is(make_study: MakeStudy) -> None:
    study = make_study(metric="lsos")
    with pytest.raises(UnknownMetricError, match=r"\['loss', 'luck'\] in what .*Did you mean 'loss'\?"):
        study.optimize(hippo.GridSearch(BOTH, until=4))


def test_a_trainer_that_forgets_part_of_its_state_is_found_out_before_anything_is_shared(make_study: MakeStudy) -> None:
    study = make_study(trainer_args={"forget": "velocity"})
    space = hippo.GridSearchSpace({"lr": [0.1, hippo.MultiStep(0.1, [3], 0.1)], "momentum": [0.9]})
    with pytest.raises(ExactnessError, match=r"step \[1, 2\) was run again.*'weights'"):
        study.optimize(hippo.GridSearch(space, until=6))
    with pytest.raises(ExactnessError, match="failed a check before"):
        study.optimize(hippo.GridSearch(space, until=6))


def test_who_is_warned_may_share_all_the_same(make_study: MakeStudy) -> None:
    study = make_study(trainer_args={"forget": "velocity"}, nondeterminism="warn")
    with pytest.warns(UserWarning, match="came to something else"):
        study.optimize(hippo.GridSearch([{"lr": 0.1, "momentum": 0.9}], until=6))
    assert study.trials[0].state is hippo.TrialState.COMPLETE


@pytest.mark.parametrize("damage", ["truncate", "flip", "delete"])
def test_a_damaged_checkpoint_is_found_out_and_its_steps_are_run_again(
    make_study: MakeStudy, tmp_path: Path, damage: str
) -> None:
    def fresh_study() -> hippo.Study:  # with an engine of its own: no state is in memory
        return make_study(storage=f"sqlite:///{tmp_path}/hippo.db", checkpoints=str(tmp_path / "states"), keep="leaves")

    fresh_study().optimize(hippo.GridSearch([{"lr": 0.1}], until=5))
    for file in [file for file in (tmp_path / "states").rglob("*") if file.is_file()]:
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 0x10
        os.remove(file) if damage == "delete" else file.write_bytes(content[:-1] if damage == "truncate" else content)
    study = fresh_study()
    with pytest.warns(UserWarning, match="cannot be used"):
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=8))
    assert dict(study.trials[-1].history) == train_alone(ToyTrainer, {"lr": 0.1}, until=8)
    assert study.statistics().repeated_by_cause == {"evicted" if damage == "delete" else "corrupt": 5}


def test_a_changed_environment_is_an_error_that_names_the_field_and_the_way_out(
    make_study: MakeStudy, tmp_path: Path
) -> None:
    options = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}
    make_study(**options).optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    changed = make_study(**options, engine=hippo.InlineEngine(threads=2))
    with pytest.raises(EnvironmentChangedError, match=r"threads was '1' and is '2'.*environment='new'"):
        changed.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    forked = make_study(**options, engine=hippo.InlineEngine(threads=2), environment="new")
    forked.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    later = make_study(**options, engine=hippo.InlineEngine(threads=2))
    later.optimize(hippo.GridSearch([{"lr": 0.1}], until=4))
    assert later.statistics().steps_executed == 4  # 3 for the fork, 1 more now


def test_changed_code_begins_a_new_generation_on_a_new_plan_and_says_so(
    make_study: MakeStudy, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}
    make_study(**options, version="1").optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    changed = make_study(**options, version="2")
    assert changed.generation == 2
    assert changed.trials == []
    assert "code changed since generation 1. Generation 2 begins on another plan" in capsys.readouterr().err
    changed.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    assert changed.statistics().steps_executed == 3


def test_a_hyper_parameter_that_nobody_reads_is_pointed_out_with_what_it_might_have_been(make_study: MakeStudy) -> None:
    class Reader(ToyTrainer):
        def setup(self, hp: Any) -> None:
            pass

    study = make_study(trainer=Reader)
    with pytest.warns(UserWarning, match=r"did not look at \['momentun'\].*Did you mean 'momentum'\?"):
        study.optimize(hippo.GridSearch([{"lr": 0.1, "momentum": 0.9, "momentun": 0.5}], until=2))


@pytest.mark.slow
def test_a_data_set_that_cannot_be_made_is_equal_for_all_trials_and_said_at_once(make_study: MakeStudy) -> None:
    from hippo.testing.torch_trainers import BlobsTrainer

    class Unmounted(BlobsTrainer):
        def train_set(self) -> Any:
            raise FileNotFoundError("/data is not mounted")

    study = make_study(trainer=Unmounted, metric="loss")
    with pytest.raises(TrainerError, match=r"train_set\(\) of the trainer raised.*not mounted"):
        study.optimize(hippo.GridSearch(BOTH, until=2))
    assert {trial.state for trial in study.trials} == {hippo.TrialState.WAITING}


def test_a_state_dict_that_returns_nothing_is_named_at_once(make_study: MakeStudy) -> None:
    class Forgetful(ToyTrainer):
        def state_dict(self) -> Any:
            super().state_dict()

    study = make_study(trainer=Forgetful)
    with pytest.raises(TrialFailedError, match=r"in state_dict\(\) at step 1.*returned None; return a dict of"):
        study.optimize(hippo.GridSearch({"lr": [0.1]}, until=3))
    assert study.statistics().steps_executed == 1


class Diverging(hippo.Trainer):
    """Its loss is no number above a rate, where it is fast for that."""

    def build(self) -> None:
        self.steps = 0

    def train(self) -> None:
        self.steps += 1

    def evaluate(self) -> dict[str, float]:
        diverges = self.hp["lr"] > 0.5
        return {"loss": float("nan") if diverges else 1 / self.steps, "latency": 1.0 if diverges else 5 + self.hp["lr"]}

    def state_dict(self) -> dict[str, int]:
        return {"steps": self.steps}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.steps = state["steps"]


def test_of_several_objectives_who_diverged_in_one_is_behind_all_others(make_study: MakeStudy) -> None:
    configs = [{"lr": rate} for rate in (0.9, 0.1, 0.95, 0.2)]
    objectives: dict[str, Any] = {"metric": ["loss", "latency"], "mode": ["min", "min"], "nan": "worst"}
    grid = make_study("grid", trainer=Diverging, **objectives)
    grid.optimize(hippo.GridSearch(configs, until=4))
    assert [trial.number for trial in grid.best_trials] == [1]
    halving = make_study("halving", trainer=Diverging, **objectives)
    halving.optimize(hippo.SuccessiveHalving(configs, min_steps=1, max_steps=2, reduction=2))
    assert {trial.number: trial.step for trial in halving.trials} == {0: 1, 1: 2, 2: 1, 3: 2}
