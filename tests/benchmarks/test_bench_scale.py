"""The benchmark of many virtual trials watches functions of hippo by their names: they must be there."""

from __future__ import annotations

import subprocess
import sys

import pytest

from provenance import ROOT


@pytest.mark.slow
def test_what_is_watched_is_there_and_takes_its_part_of_the_time() -> None:
    line = "import bench_scale; row = bench_scale.measure(60, 6); print(row['tree_and_scheduler_us_per_stage'] > 0)"
    told = subprocess.run([sys.executable, "-c", line], cwd=ROOT / "benchmarks", capture_output=True, text=True)
    assert told.stdout.split()[-1:] == ["True"], told.stderr
