"""Hydro's evaluation in kind: what curves and orders are said to mean, what is scaled up, and the simulated costs."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
import ways
from decay import SAME, form_row
from optimum import optimum
from ranking import agreement, drawn_configs, ranks
from searches import CHARACTERS, DIGITS, SEARCHES, WIDE, alone_cpu_s, drawn_digits, drawn_schedules, row_of
from simulated import TUNED, drawn, makespan_s, paper_costs, times_distributed
from sweeps import STEPS, falling, held_out_losses, solo_losses
from transfer import TASKS, is_met, rates_of, wanted
from ways import WAYS, run_search, scaled_up

import hippo
from hippo.scale import Scale
from hippo.training.process.environment import pin
from hydro_tables import table


def task(name: str, optimizer: str) -> Any:
    return next(each for each in TASKS if (each.name, each.optimizer) == (name, optimizer))


# -------------------------------------------------------------------------------------------------------- transfer


def test_the_least_of_a_curve_is_that_of_the_parabola_through_it_and_its_neighbours() -> None:
    rates = [-3.0, -2.5, -2.0, -1.5, -1.0]
    found = optimum(rates, [math.exp((rate + 2.1) ** 2) for rate in rates])
    assert found.rate == pytest.approx(-2.1)
    assert found.loss == pytest.approx(math.exp(0.1**2))
    assert not found.is_at_edge


def test_a_least_at_the_end_of_a_curve_says_that_the_true_one_may_lie_beyond() -> None:
    found = optimum([0.0, 1.0, 2.0], [3.0, 2.0, 1.0])
    assert (found.rate, found.is_at_edge) == (2.0, True)


def test_diverged_neighbours_are_left_out_and_a_curve_without_numbers_is_refused() -> None:
    assert optimum([0.0, 1.0, 2.0], [2.0, 1.0, math.inf]).rate == 1.0
    with pytest.raises(ValueError, match="one at least must be a number"):
        optimum([0.0, 1.0], [math.inf, math.inf])


def test_only_the_narrowest_is_asked_for_anything_and_both_bounds_count() -> None:
    adam, sgd = task("mlp", "adam"), task("mlp", "sgd")
    control = Scale(8, parametrization="standard")
    assert is_met(adam, Scale(8), 0.5, 0.05) is True
    assert is_met(adam, Scale(8), 0.51, 0.0) is False
    assert is_met(adam, Scale(8), 0.0, 0.051) is False
    assert is_met(task("transformer", "adamw"), Scale(8), 0.8, 0.05) is True
    assert (is_met(adam, control, 1.0, 9.0), is_met(adam, control, 0.9, 9.0)) == (True, False)
    assert wanted(adam, Scale(4)) is wanted(sgd, control) is None


def test_rates_are_half_an_octave_apart_and_reach_both_ends() -> None:
    rates = rates_of(task("mlp", "sgd"))
    assert (rates[0], rates[1], rates[-1]) == (-6.0, -5.5, 1.0)
    assert [falling(0.6)(step) for step in (0, STEPS - 1)] == pytest.approx([0.6, 0.1])


@pytest.mark.slow
def test_a_sweep_of_lanes_has_the_losses_of_its_configs_alone() -> None:
    pin(1)
    configs = [{"lr": falling(rate)} for rate in (0.05, 0.1)]
    together, alone = (way(task("mlp", "sgd"), Scale(8), 0, configs) for way in (held_out_losses, solo_losses))
    assert together == pytest.approx(alone, rel=1e-3)  # float32, 60 updates
    assert together[0] != together[1]


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["sgd", "adam", "adamw"])
def test_factors_are_multipliers_with_one_rate_for_all(optimizer: str) -> None:
    row = form_row(optimizer, 0.1 if optimizer == "sgd" else 0.002)
    assert (row["rates_by_multipliers"], row["is_met"]) == (1, True)
    assert row["factors"] >= 2
    assert float(row["farthest"]) <= SAME
    assert row["loss"] < 1.0  # it learned


# --------------------------------------------------------------------------------------------------------- ranking


def test_an_order_is_compared_with_the_targets() -> None:
    losses = {1: [0.1, 0.2, 0.3, 0.4], 8: [0.2, 0.1, 0.3, 0.4]}
    places = {ratio: ranks(found) for ratio, found in losses.items()}
    assert places == {1: [1, 2, 3, 4], 8: [2, 1, 3, 4]}
    assert agreement(1, losses, places) == {
        "S": 1, "spearman": 1.0, "same_best": True, "of_best_three": 3, "swapped_pairs": 0, "regret": 0.0
    }  # fmt: skip
    assert agreement(8, losses, places) == {
        "S": 8, "spearman": 0.8, "same_best": False, "of_best_three": 3, "swapped_pairs": 1, "regret": 0.1
    }  # fmt: skip


def test_ten_configs_of_the_papers_space_are_drawn_by_their_seed_alone() -> None:
    configs = drawn_configs(1)
    assert configs == drawn_configs(1) != drawn_configs(2)
    assert all(1e-4 <= config["lr"](0) <= 1.0 and 0.5 <= config["momentum"] <= 0.999 for config in configs)
    assert len({config["lr"](0) for config in configs}) == len(configs)


# -------------------------------------------------------------------------------------------------------- searches


def test_what_all_trials_take_is_on_the_line_through_two_runs_and_their_best_is_nobodys() -> None:
    few = {"trials": 2, "cpu_s": 10.0, "wall_s": 1.0, "steps_asked": 2, "steps_executed": 2, "best": 0.5}
    found = scaled_up(few, {**few, "trials": 8, "cpu_s": 16.0, "steps_executed": 8}, 200)
    assert (found["cpu_s"], found["steps_executed"], found["best"], found["trials"]) == (208.0, 200, None, 8)


def test_asha_trial_by_trial_is_charged_for_the_steps_that_it_asked_for() -> None:
    run = {"trials": 8, "cpu_s": 240.0, "steps_executed": 2400, "steps_asked": 2400, "mean_lanes": 1.0, "best": None}
    alone = {**run, "trials": 0}
    staged = {**run, "trials": 200, "cpu_s": 30.0, "steps_asked": 900, "steps_executed": 600, "best": 0.1, "config": {}}
    runs = {("x, ASHA", "trial by trial"): alone, ("x, ASHA", "staged"): staged}
    assert alone_cpu_s("x, ASHA", runs) == pytest.approx(90.0)


def test_rows_say_what_was_run_and_how_often_fewer_seconds_it_took() -> None:
    name = "mlp 512, random"
    run = {"steps_executed": 2400.0, "steps_asked": 2400, "mean_lanes": 1.0, "best": None, "trials": 8, "cpu_s": 200.0}
    fused = {**run, "trials": 200, "cpu_s": 20.0, "best": 0.12345, "config": {"lr": "1"}}
    runs = {(name, "trial by trial"): run, (name, "scaled and fused"): fused}
    first, second = (row_of(name, way, 0, runs) for way in ("trial by trial", "scaled and fused"))
    assert (first["how"], first["times"], first["best"]) == ("scaled from 2 and 8", 1.0, None)
    assert (second["how"], second["times"], second["best"]) == ("all run", 10.0, 0.1235)


def test_every_search_and_way_that_is_measured_exists() -> None:
    for kinds in (WIDE, DIGITS, CHARACTERS):
        for name, each in kinds.items():
            assert set(each) <= set(WAYS)
            assert all(number <= SEARCHES[name].num_trials for number in each.values())


def test_schedules_of_one_rate_begin_alike_and_none_is_drawn_twice() -> None:
    configs = drawn_schedules(200, 0)
    assert len({repr(config) for config in configs}) == 200
    assert hippo.merge_rate(configs, until=12) > 1.3
    assert len(drawn_digits(56, 0)) == len({repr(config) for config in drawn_digits(56, 3)}) == 56


@pytest.mark.slow
def test_a_search_on_surrogates_comes_to_a_trial_of_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "mlp 512, random"
    found = run_search(SEARCHES[name], WAYS["scaled and fused"], 0, 4)
    assert (found["trials"], found["steps_executed"]) == (4, 4 * 12 + 12)
    assert found["best"] < 1.5
    line = ways.MARK + json.dumps(found)
    assert json.loads(line.removeprefix(ways.MARK)) == found


# ------------------------------------------------------------------------------------------------------- simulated


def test_lanes_come_to_the_throughput_that_the_paper_prints_and_one_lane_to_none() -> None:
    for ratio, peak in ((8, 10.0), (4, 5.0), (16, 20.0)):
        start, per_lane = paper_costs(ratio).fused
        assert start + per_lane == pytest.approx(1.0)
        assert 1 / per_lane == pytest.approx(peak)


def test_surrogates_in_lanes_end_sooner_on_the_virtual_clock_than_without_lanes() -> None:
    tuned = next(each for each in TUNED if each.model == "Transformer")
    tuner = hippo.GridSearch(drawn(tuned, 0)[:24], until=81)
    alone = makespan_s(tuner, 2, None, 8, fused=False, sharing=False)
    scaled, fused = (makespan_s(tuner, 2, paper_costs(8), 8, fused=fused) for fused in (False, True))
    # 24 trials of 81 steps of 300 s on two slots, and a start each
    assert alone == pytest.approx(12 * (81 * 300 + 10), rel=0.001)
    assert fused < alone / 2 < scaled


def test_a_target_that_takes_all_gpus_is_as_much_sooner_as_its_surrogates_are_small() -> None:
    tuner = hippo.GridSearch([{"lr": 0.1 * 0.9**number} for number in range(20)], until=81)
    # 20 trials on 32 GPUs together; then 81 / 256 of such a trial on one GPU, and a trial on all
    assert times_distributed(tuner, 32, 16) == pytest.approx(20 / (1 + 32 / 256), rel=0.15)  # starts


def test_spaces_are_those_of_the_papers_table() -> None:
    language, vision, adam = (
        next(each for each in TUNED if each.model == name) for name in ("Transformer", "VGG-11", "MobileNetV3 Large")
    )
    assert set(drawn(language, 0)[0]) == {"lr"}
    assert set(drawn(adam, 0)[0]) == {"lr", "batch_size"}
    configs = drawn(vision, 0)
    assert set(configs[0]) == {"lr", "batch_size", "momentum"}
    assert all(1e-4 <= config["lr"](0) <= 1.0 for config in configs)
    assert len(configs) == 500


# ---------------------------------------------------------------------------------------------------------- tables


def test_a_table_without_a_result_says_so() -> None:
    assert table(("hydro_of_nothing",), {"a": "b"}) == "Not measured yet."
