"""The simulated cluster of `benchmarks/coordinator`: its gaps are those of theory, and all its jobs end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from cluster import Parts, run
from jobs_trace import Pipeline, exclusive, gaps, jobs
from pipeline_gaps import Schedule, _Run, fill

# its trace looks there before anywhere else, and each folder has a module of the name `run`
sys.path.remove(str(Path(__file__).resolve().parents[2] / "benchmarks" / "hydro"))


@pytest.mark.parametrize("ranks", [2, 4, 8])
@pytest.mark.parametrize("micro_batches", [1, 4, 16])
def test_a_pipeline_waits_for_as_long_as_theory_says(ranks: int, micro_batches: int) -> None:
    alone = _Run(Schedule(ranks=ranks, micro_batches=micro_batches, noise=0.0, message_s=0.0), None, 0)
    took_s = alone.step()
    assert took_s == pytest.approx(0.030 * (micro_batches + ranks - 1))
    assert alone.waited_s / (ranks * took_s) == pytest.approx((ranks - 1) / (micro_batches + ranks - 1))


def test_each_pass_of_a_rank_comes_once_and_backward_after_forward() -> None:
    for rank in range(4):
        order = Schedule(micro_batches=6).order(rank)
        assert sorted(order) == [(is_forward, number) for is_forward in (False, True) for number in range(6)]
        assert all(order.index((True, number)) < order.index((False, number)) for number in range(6))


@pytest.mark.parametrize(("slice_s", "least"), [(0.002, 0.65), (0.010, 0.60)])
def test_guests_that_ask_fill_the_gaps_and_slow_nobody_down_and_greedy_ones_do(slice_s: float, least: float) -> None:
    schedule = Schedule(micro_batches=8)
    asking, greedy = (fill(schedule, slice_s, greedy=greedy, steps=60) for greedy in (False, True))
    assert asking.filled >= least
    assert asking.slowdown <= 0.02
    assert greedy.slowdown > 0.04
    assert greedy.filled <= 1.0 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("release", [False, True])
def test_all_jobs_of_a_trace_end_after_they_came(release: bool) -> None:
    trace = jobs(4, seed=3)
    devices = exclusive(2, 2, 0.5, per_node=2) + gaps([Pipeline(devices=4, speed=1.0)], 0.2)
    found = run(trace, devices, Parts(gaps=True, mixed=True, elastic=True, release=release))
    assert len(found.completion_s) == 4
    assert min(found.completion_s) > 0
    last_s = max(job.at_s + took for job, took in zip(trace, found.completion_s, strict=True))
    assert found.makespan_s == pytest.approx(last_s)
    assert found.device_s <= len(devices) * found.makespan_s
