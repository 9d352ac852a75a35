"""Rungs, sharing, training curves and lanes are what the study says of them, and add up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hippo
from hippo.records import TrialState
from hippo.runtime import Statistics
from hippo.study import Study
from hippo.testing.fake_engine import FakeEngine
from hippo.testing.trainers import ToyTrainer
from hippo.views import fused_steps, merge_rates, rungs, training_curves

#: of three learning rates with two drops each, one that drops twice, and one in between
DROPS = [hippo.MultiStep(lr, [at], 0.5) for lr in (0.1, 0.2, 0.4) for at in (2, 4)]
DROPS += [hippo.MultiStep(0.1, [2, 5], 0.5), hippo.MultiStep(0.1, [3], 0.5)]


@dataclass(frozen=True)
class Stands:
    number: int
    call: int
    until: int
    state: TrialState


def made(name: str, tuner: Any, **options: Any) -> Study:
    engine = options.pop("engine", None) or hippo.InlineEngine()
    study: Study = hippo.create_study(name, trainer=ToyTrainer, storage="memory://", checkpoints="memory://",
                                      engine=engine, metric="loss", mode="min", **options)  # fmt: skip
    study.optimize(tuner)
    return study


@pytest.fixture(scope="module")
def grid() -> Iterator[Study]:
    study = made("grid", hippo.GridSearch(hippo.GridSearchSpace({"lr": DROPS, "momentum": [0.5, 0.9]}), until=8))
    yield study
    study.close()


STANDS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([0, 1, 3, 9]), st.sampled_from(list(TrialState))), max_size=20
)


@given(stands=STANDS)
def test_each_trial_is_once_in_every_rung_that_it_was_asked_for(stands: list[tuple[int, int, TrialState]]) -> None:
    trials = [Stands(number, *stand) for number, stand in enumerate(stands)]
    for rung in rungs(trials):
        groups = (rung.promoted, rung.complete, rung.stopped, rung.waiting, rung.failed)
        numbers = sorted(number for group in groups for number in group)
        assert numbers == [each.number for each in trials if each.call == rung.call and each.until >= rung.step]
        assert rung.asked == len(numbers)
        assert all(trials[number].until > rung.step for number in rung.promoted)
        assert any(trial.call == rung.call and trial.until == rung.step for trial in trials)


@given(stands=STANDS)
def test_the_promoted_of_a_rung_are_those_of_the_next(stands: list[tuple[int, int, TrialState]]) -> None:
    found = rungs([Stands(number, *stand) for number, stand in enumerate(stands)])
    for rung, following in pairwise(found):
        if rung.call == following.call:
            assert rung.step < following.step
            assert len(rung.promoted) == following.asked
        else:
            assert not rung.promoted


def test_a_halving_has_its_rungs() -> None:
    space = hippo.GridSearchSpace({"lr": [0.01 * n for n in range(1, 10)]})
    study = made("halving", hippo.SuccessiveHalving(space, min_steps=2, max_steps=18, reduction=3))
    found = [(rung.step, len(rung.promoted), len(rung.stopped), len(rung.complete)) for rung in rungs(study.trials)]
    study.close()
    assert found == [(2, 3, 6, 0), (6, 1, 2, 0), (18, 0, 0, 1)]


def test_trials_that_are_asked_equally_far_have_no_rungs(grid: Study) -> None:
    assert rungs(grid.trials) == []


def test_a_study_shares_after_each_trial_what_its_configs_share(grid: Study) -> None:
    points, configs = merge_rates(grid.tree(), grid.trials), [trial.config for trial in grid.trials]
    assert [point.trial for point in points] == list(range(16))
    assert [point.merge_rate for point in points] == [
        hippo.merge_rate(configs[:count], until=8) for count in range(1, 17)
    ]
    assert points[-1].merge_rate == grid.statistics().merge_rate


def test_trials_that_go_on_in_a_nodes_middle_share_what_both_were_asked_for() -> None:
    space = hippo.GridSearchSpace({"lr": DROPS})
    study = made("halving", hippo.SuccessiveHalving(space, min_steps=1, max_steps=9, reduction=3))
    last, statistics = merge_rates(study.tree(), study.trials)[-1], study.statistics()
    study.close()
    assert (last.asked, last.distinct) == (statistics.steps_asked, statistics.steps_executed)


def test_the_members_of_a_study_share_each_for_itself() -> None:
    study = made("seeds", hippo.GridSearch(hippo.GridSearchSpace({"lr": DROPS}), until=6), seeds=[1, 2])
    points, statistics = merge_rates(study.tree(), study.trials), study.statistics()
    study.close()
    ends = {point.member: point for point in points}
    assert sorted(ends) == ["seed 1", "seed 2"]
    assert sum(point.asked for point in ends.values()) == statistics.steps_asked
    assert sum(point.distinct for point in ends.values()) == statistics.steps_executed


def test_what_training_returned_is_drawn_once_and_each_trial_has_its_own(grid: Study) -> None:
    found = training_curves(grid.tree(), grid.trials, "slope")
    drawn = [(curve.row.node, step) for curve in found for step in curve.steps[curve.is_joined :]]
    assert len(drawn) == len(set(drawn)) == grid.statistics().steps_executed
    for trial in grid.trials:
        seen: dict[int, float] = {}
        for curve in found:
            if trial.number in curve.row.trials:
                seen.update(zip(curve.steps, curve.values, strict=True))
        assert {step: seen[step] for step in range(1, 9)} == {
            step: metrics["slope"] for step, metrics in trial.train_metrics.items()
        }


def test_a_name_that_training_does_not_return_is_named_with_those_that_it_does(grid: Study) -> None:
    with pytest.raises(ValueError, match="'loss'; there are: slope"):
        training_curves(grid.tree(), grid.trials, "loss")


@pytest.mark.parametrize("max_lanes", [1, 3])
def test_steps_walked_together_and_alone_are_all_that_were_run(max_lanes: int) -> None:
    space = hippo.GridSearchSpace({"lr": DROPS, "batch": [8]})
    engine = FakeEngine(fuses=True, max_lanes=max_lanes)
    study = made("lanes", hippo.GridSearch(space, until=8), engine=engine, numerics="fused")
    found, statistics = fused_steps(study.statistics(), study.tree()), study.statistics()
    study.close()
    assert found.together + found.alone == statistics.steps_executed + statistics.steps_speculative
    assert (found.together > 0) is (max_lanes > 1)
    assert found.together_seconds + found.alone_seconds == pytest.approx(
        statistics.train_seconds + statistics.speculative_seconds
    )
    assert found.mean_lanes == statistics.mean_lanes


def test_steps_that_were_run_ahead_of_time_count_as_well() -> None:
    found = fused_steps(Statistics(steps_executed=10, steps_speculative=4, lane_steps_fused=12), [])
    assert (found.together, found.alone) == (12, 2)
