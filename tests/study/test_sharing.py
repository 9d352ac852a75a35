"""What sharing promises: nothing runs twice, and nothing comes out differently."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import hippo
from hippo.hparams import Chain, Config, Constant, Exponential, MultiStep, Piecewise, Sequence, Warmup, merge_rate
from hippo.testing.oracle import unit_steps
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer

RATES: list[Sequence] = [
    Constant(0.1),
    MultiStep(0.1, [3], 0.1),
    MultiStep(0.1, [3, 7], 0.1),
    MultiStep(0.1, [6], 0.1),
    Exponential(0.1, 0.9),
    Chain(Warmup(4, 0.1), Exponential(0.1, 0.9)),
    Chain(Warmup(4, 0.1), Constant(0.1)),
]
MOMENTA: list[Sequence] = [Constant(0.9), Piecewise([0.9, 0.5], [5]), Piecewise([0.9, 0.5], [3])]
SPACE = hippo.GridSearchSpace({"lr": RATES, "momentum": MOMENTA})

MakeStudy = Callable[..., hippo.Study]


def assert_equal_to_solo(study: hippo.Study, **trainer_args: Any) -> None:
    for trial in study.trials:
        alone = train_alone(ToyTrainer, trial.config, until=trial.step, trainer_args=trainer_args)
        assert dict(trial.history) == alone


def test_a_grid_runs_every_distinct_step_once_and_every_metric_equals_solo_training(make_study: MakeStudy) -> None:
    study = make_study()
    study.optimize(hippo.GridSearch(SPACE, until=10))
    statistics = study.statistics()
    assert statistics.steps_repeated == 0
    assert statistics.merge_rate == pytest.approx(SPACE.merge_rate(until=10))
    assert statistics.steps_checked == 4  # [1, 2), [0, 1) anew, the first one after a change, and the last one
    assert_equal_to_solo(study)


def test_successive_halving_promotes_without_repeating_a_step(make_study: MakeStudy) -> None:
    study = make_study()
    study.optimize(hippo.SuccessiveHalving(SPACE, min_steps=2, max_steps=18, reduction=3))
    assert study.statistics().steps_repeated == 0
    walked = [(trial.config, trial.step) for trial in study.trials]
    distinct = {key for config, step in walked for key in unit_steps(config, step)}
    assert study.statistics().steps_executed == len(distinct)
    assert_equal_to_solo(study)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(RATES), st.sampled_from(MOMENTA)), min_size=1, max_size=6),
    st.integers(1, 12),
)
def test_any_list_of_configs_asked_together_repeats_nothing(pairs, until) -> None:  # type: ignore[no-untyped-def]
    configs = [{"lr": lr, "momentum": momentum} for lr, momentum in pairs]
    engine = hippo.InlineEngine()
    study = hippo.create_study("drawn", trainer=ToyTrainer, storage="memory://", engine=engine, metric="loss")
    try:
        study.optimize(hippo.GridSearch(configs, until=until))
        statistics = study.statistics()
        assert statistics.steps_repeated == 0
        assert statistics.steps_executed == len({k for c in configs for k in unit_steps(Config(c), until)})
        assert statistics.steps_asked == until * len(configs)
        assert_equal_to_solo(study)
    finally:
        study.close()


def test_without_sharing_every_trial_runs_every_step_and_says_the_same(make_study: MakeStudy) -> None:
    shared, alone = make_study("shared"), make_study("alone", sharing=False)
    for study in (shared, alone):
        study.optimize(hippo.GridSearch(SPACE, until=8))
    assert alone.statistics().steps_executed == len(SPACE) * 8
    assert [dict(trial.history) for trial in alone.trials] == [dict(trial.history) for trial in shared.trials]


def test_what_a_study_trained_is_known_to_the_next_one(make_study: MakeStudy, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    first = make_study("first", storage=url, checkpoints=str(tmp_path / "states"))
    first.optimize(hippo.GridSearch(SPACE, until=10))
    second = make_study("second", storage=url, checkpoints=str(tmp_path / "states"))
    second.optimize(hippo.GridSearch(SPACE, until=10))
    assert second.statistics().steps_executed == 0
    assert second.statistics().steps_asked == first.statistics().steps_asked
    assert [trial.value for trial in second.trials] == [trial.value for trial in first.trials]


def test_studies_run_together_share_what_they_have_in_common(make_study: MakeStudy) -> None:
    engine = hippo.InlineEngine()
    storage = "memory://together"
    a, b = (make_study(name, storage=storage, engine=engine) for name in "ab")
    half = hippo.GridSearchSpace({"lr": RATES[:4], "momentum": MOMENTA})
    hippo.optimize([(a, hippo.GridSearch(SPACE, until=10)), (b, hippo.GridSearch(half, until=10))])
    executed = a.statistics().steps_executed + b.statistics().steps_executed
    asked = 10 * (len(SPACE) + len(half))
    assert asked / executed == pytest.approx(merge_rate([SPACE, half], until=10))
    assert a.statistics().steps_repeated + b.statistics().steps_repeated == 0
    assert_equal_to_solo(b)


def test_another_seed_is_another_workload(make_study: MakeStudy, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    values = []
    for seed in (0, 1):
        study = make_study(f"seed {seed}", storage=url, checkpoints=str(tmp_path / "states"), seed=seed)
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
        assert study.statistics().steps_executed == 3
        values.append(study.best_value)
    assert values[0] != values[1]


def test_duplicates_in_a_space_are_trials_of_their_own_with_equal_results(make_study: MakeStudy) -> None:
    study = make_study()
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.1}, {"lr": Constant(0.1)}], until=4))
    assert [trial.number for trial in study.trials] == [0, 1, 2]
    assert len({trial.value for trial in study.trials}) == 1
    assert study.statistics().steps_executed == 4


def test_metrics_are_taken_every_so_many_steps_and_where_they_are_asked_for(make_study: MakeStudy) -> None:
    study = make_study(evaluate_every=4)
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=10))
    assert list(study.trials[0].history) == [4, 8, 10]


def test_a_shorter_request_later_runs_again_only_what_no_state_covers(make_study: MakeStudy) -> None:
    study = make_study(evaluate_every=100, keep="leaves")
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=10))
    study.evaluate({"lr": 0.1}, until=6)
    statistics = study.statistics()
    assert statistics.steps_executed == 16
    assert statistics.repeated_by_cause == {"not kept": 6}


def test_training_goes_on_from_the_last_state_of_a_kept_trial(make_study: MakeStudy) -> None:
    study = make_study(keep="leaves")
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=5))
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=9))
    assert study.statistics().steps_executed == 18
    assert study.statistics().steps_repeated == 0
    assert_equal_to_solo(study)
