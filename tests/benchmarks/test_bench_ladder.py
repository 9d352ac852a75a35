"""The ladder of factors: what is scaled from a few trials, what each rung is compared with, and how metrics differ."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import bench_ladder
from bench_ladder import RUNGS, Nudged, estimated, metrics_row, row_of
from hippo.training.process.streams import seed_everything


def run(cpu_s: float, seen: dict[str, list[float]] | None = None, **others: Any) -> dict[str, Any]:
    counted = {"trials": 56, "wall_s": cpu_s / 2, "steps_executed": 1344, "steps_repeated": 0, "mean_lanes": 1.0}
    return {**counted, "cpu_s": cpu_s, "seen": seen or {}, **others}


def test_what_all_trials_take_lies_on_the_line_through_few_and_some() -> None:
    few, some = run(10.0, trials=2, steps_executed=48), run(34.0, trials=14, steps_executed=336)
    all_of_them = estimated(few, some, 56)
    assert (all_of_them["cpu_s"], all_of_them["steps_executed"]) == (118.0, 1344.0)
    assert all_of_them["trials"] == 14


def test_each_rung_is_compared_with_the_one_it_stands_on_within_a_repeat() -> None:
    repeats = [
        {"alone": run(60.0, trials=14), "staged": run(30.0), "both": run(10.0)},
        {"alone": run(60.0, trials=14), "staged": run(20.0), "both": run(20.0)},
    ]
    both = row_of(3, "both", repeats)
    assert (both["over"], both["times"], both["times_alone"], both["times_ray"], both["target"]) == (
        "staged", "2.00 (1.00-3.00)", "4.50 (3.00-6.00)", None, 1.6
    )  # fmt: skip
    assert row_of(24, "alone", repeats)["trials"] == "56, scaled from 14"
    assert all(rung.over is None or rung.over in RUNGS for rung in RUNGS.values())


def test_the_best_is_that_of_a_whole_rung_and_of_trials_that_were_trained_to_their_end() -> None:
    seen = {"a@6": [0.5, 0.99], "b@24": [0.4, 0.95]}
    rows = {trials: row_of(24, "surrogate", [{"surrogate": run(6.0, seen, trials=trials)}]) for trials in (14, 56)}
    assert (rows[14]["best"], rows[56]["best"]) == (None, 0.95)


def test_metrics_are_compared_point_by_point_with_those_of_exact_numerics() -> None:
    exact = run(1.0, {"a@1": [0.5, 0.9], "a@24": [0.4, 0.95], "b@24": [0.3, 0.97]}, steps_executed=47)
    fused = run(1.0, {"a@1": [0.5, 0.9], "a@24": [0.405, 0.95], "b@24": [0.3, 0.94]}, steps_executed=47)
    row = metrics_row(3, "both", fused, exact)
    assert (row["steps_executed"], row["distinct"], row["points"]) == (47, 47, 3)
    assert (row["loss_farthest"], row["accuracy_farthest"]) == (0.005, 0.03)
    assert (row["both_within_0.01"], row["first_step_beyond"]) == ("66.7%", 24)
    assert (row["best"], row["best_exact"]) == (0.95, 0.97)


def test_one_weight_is_moved_and_hardly() -> None:
    models = []
    for cls in (Nudged.__base__, Nudged):
        seed_everything(0, "build", 0)
        models.append(cls(width=3).make_model().state_dict())
    plain, nudged = models
    changed = {name: (plain[name] != nudged[name]).sum().item() for name in plain}
    assert sum(changed.values()) == changed["0.weight"] == 1
    torch.testing.assert_close(plain["0.weight"], nudged["0.weight"], rtol=2e-7, atol=0.0)


def test_a_sample_that_says_nothing_is_refused_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["bench_ladder.py", "--sample", "2"])
    with pytest.raises(SystemExit):
        bench_ladder.main()
    assert "--sample 2: name more than 2" in capsys.readouterr().err
