"""The benchmark of two processes asks for what it says, and refuses to compare what failed or differs."""

from __future__ import annotations

from typing import Any

import pytest

import bench_two_processes as bench
import hippo


def way(**changes: Any) -> dict[str, Any]:
    return {"wall_s": 10.0, "failed": [], "executed": 880, "repeated": 0, "seen": {"a@1": 0.5}} | changes


def test_each_study_has_forty_trials_and_a_merge_rate_of_two_and_they_share() -> None:
    spaces = [bench.space_of(study) for study in bench.STUDIES]

    assert [len(space) for space in spaces] == [40, 40]
    assert [hippo.merge_rate(space, bench.UNTIL) for space in spaces] == [2.0, 2.0]
    assert bench.distinct_steps() == 2 * 480 - 5 * bench.TRUNK


def test_walls_are_compared_within_a_pair() -> None:
    pairs = [{"one process": way(), "two processes": way(wall_s=wall_s)} for wall_s in (10.0, 11.0, 15.0)]

    (_, two) = bench.rows_of(pairs)

    assert two["wall_by_one_process"] == 1.1
    assert two["least_and_greatest"] == "1.000 to 1.500"


def test_a_process_that_failed_is_no_result() -> None:
    with pytest.raises(RuntimeError, match="two processes: exit code 1"):
        bench.rows_of([{"one process": way(), "two processes": way(failed=["exit code 1: PlanLockedError"])}])


def test_other_metrics_are_no_result() -> None:
    with pytest.raises(RuntimeError, match="other metrics"):
        bench.rows_of([{"one process": way(), "two processes": way(seen={"a@1": 0.25})}])


@pytest.mark.slow
def test_one_process_trains_each_distinct_step_of_both_studies_once() -> None:
    found = bench.together(bench.WAYS["one process"], step_ms=0)

    assert found["failed"] == []
    assert found["executed"] == bench.distinct_steps()
    assert found["repeated"] == 0
    assert {"src/hippo/engines", "src/hippo/plan", "src/hippo/runtime", "benchmarks/burning.py"} <= found["parts"]
