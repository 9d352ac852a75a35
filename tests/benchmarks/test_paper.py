"""The simulated evaluation of the paper comes near its bounds, and its page says what was found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from experiments import EPOCH_SECONDS, HIPPO_RESNET_SECONDS, RAY_SECONDS, RUNG_ENDS
from published import TABLE_5
from results_page import by_experiment, mean, page_text, saving
from run import FIGURES, Run, plan, simulate

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def recorded() -> list[Run]:
    return [Run(**row) for row in json.loads((BENCHMARKS / "results" / "paper.json").read_text())["rows"]]


@pytest.fixture(scope="module")
def sha() -> tuple[Run, Run]:
    return simulate("single", "ResNet56 SHA", True, 0), simulate("single", "ResNet56 SHA", False, 0)


@pytest.mark.slow
def test_halving_448_trials_costs_the_distinct_steps_and_their_starts(sha: tuple[Run, Run]) -> None:
    shared, alone = sha

    assert shared.steps_repeated == 0
    assert shared.gpu_hours <= 1.03 * shared.gpu_hours_bound  # what is above it are starts
    assert alone.gpu_hours / shared.gpu_hours == pytest.approx(shared.merge_rate, rel=0.02)
    assert alone.steps_executed == 448 * 15 + 112 * 45 + 28 * 60 + 100


@pytest.mark.slow
def test_halving_448_trials_ends_when_its_longest_chain_does(sha: tuple[Run, Run]) -> None:
    shared, alone = sha

    assert shared.end_to_end_bound_h <= shared.end_to_end_h <= 1.05 * shared.end_to_end_bound_h
    assert alone.end_to_end_h / shared.end_to_end_h == pytest.approx(2.06, rel=0.05)


@pytest.mark.slow
def test_sharing_changes_nothing_of_what_halving_explores(sha: tuple[Run, Run]) -> None:
    shared, alone = sha

    assert shared.merge_rate == alone.merge_rate
    assert shared.gpu_hours_bound == alone.gpu_hours_bound


@pytest.mark.slow
def test_asking_ahead_ends_asynchronous_halving_in_time() -> None:
    run = simulate("single", "ResNet56 ASHA", True, 0)

    assert run.end_to_end_h <= 6.7
    assert run.gpu_hours <= 120


@pytest.mark.slow
def test_the_grid_of_mobilenet_keeps_near_its_bounds() -> None:
    run = simulate("single", "MobileNetV2 grid", True, 0)

    assert run.gpu_hours <= 1.02 * run.gpu_hours_bound
    assert run.end_to_end_h <= 1.05 * run.end_to_end_bound_h


@pytest.mark.slow
def test_what_halving_saves_rests_on_the_rule_for_equal_trials(sha: tuple[Run, Run]) -> None:
    shared, alone = (simulate("single_distinct", "ResNet56 SHA", sharing, 0) for sharing in (True, False))

    assert alone.gpu_hours / shared.gpu_hours == pytest.approx(2.19, abs=0.01)
    assert sha[1].gpu_hours / sha[0].gpu_hours > 1.5 * alone.gpu_hours / shared.gpu_hours
    assert alone.steps_executed == sha[1].steps_executed  # the same rungs, with others in them


def test_seconds_of_an_epoch_are_those_that_table_5_tells() -> None:
    assert list(RAY_SECONDS.values()) == [107.1, 114.2, 2.783]
    assert EPOCH_SECONDS["ResNet56 SHA"] == EPOCH_SECONDS["ResNet56 ASHA"] == HIPPO_RESNET_SECONDS == 94.3
    assert EPOCH_SECONDS["MobileNetV2 grid"] == RAY_SECONDS["MobileNetV2 grid"]


def test_of_ray_tunes_seconds_no_chain_of_hippos_ends_in_its_printed_time() -> None:
    assert RUNG_ENDS[-1] * RAY_SECONDS["ResNet56 SHA"] / 3600 > TABLE_5["ResNet56 SHA"].end_to_end_h[2]


@pytest.mark.parametrize("study", ["ResNet56 SHA", "ResNet56 ASHA"])
def test_the_seconds_of_an_epoch_change_hours_and_no_saving(study: str) -> None:
    found = by_experiment(recorded())

    assert mean(found["single_ray_seconds", study, True], "gpu_hours") > mean(found["single", study, True], "gpu_hours")
    assert saving(found, "single_ray_seconds", study, "gpu_hours") == pytest.approx(
        saving(found, "single", study, "gpu_hours"),
        rel=0.01,  # starts take as long with longer epochs
    )


def test_the_page_says_what_was_recorded() -> None:
    assert (BENCHMARKS / "paper" / "RESULTS.md").read_text(encoding="utf-8") == page_text(by_experiment(recorded()))


def test_what_was_recorded_is_all_that_is_planned() -> None:
    assert sorted((run.figure, run.experiment, run.sharing, run.seed) for run in recorded()) == sorted(plan(10, 3))
    assert {run.figure for run in recorded()} == set(FIGURES)


def test_no_recorded_run_is_below_its_bounds() -> None:
    shared = [run for run in recorded() if run.sharing]

    assert all(run.gpu_hours >= run.gpu_hours_bound for run in shared)
    assert all(run.end_to_end_h >= run.end_to_end_bound_h for run in shared)


def test_recorded_steps_were_repeated_only_where_one_study_asked_behind_another() -> None:
    repeated = {run.experiment: run.steps_repeated / run.steps_executed for run in recorded() if run.steps_repeated}

    assert set(repeated) <= {"S2", "S4", "S8"}
    assert all(share < 0.03 for share in repeated.values())
