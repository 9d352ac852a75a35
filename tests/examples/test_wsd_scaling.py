"""The example of trunks and cool-downs shares what it says, and draws it."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from hippo.hparams import Config, merge_rate, path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "wsd_scaling.py"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("wsd_scaling", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["wsd_scaling"] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow  # imports torch
@pytest.mark.parametrize("scale", ["FULL", "QUICK"])
def test_the_steps_that_the_example_predicts_are_those_of_its_tree(example: ModuleType, scale: str) -> None:
    schedules = getattr(example, scale).schedules()

    # all pieces up to and including each step tell steps apart
    unit_steps = {
        (step, tuple((start, *pieces.values()) for start, pieces in path(Config({"lr": lr}), step + 1)))
        for lr in schedules
        for step in range(lr.total)
    }

    assert example.steps_of_the_tree(schedules) == len(unit_steps)


@pytest.mark.slow
def test_the_full_study_shares_more_than_four_times(example: ModuleType) -> None:
    schedules = example.FULL.schedules()

    assert sum(lr.total for lr in schedules) / example.steps_of_the_tree(schedules) > 4
    longest = [{"lr": lr} for lr in schedules if lr.total == max(example.FULL.totals)]
    assert merge_rate(longest, max(example.FULL.totals)) > 2


@pytest.mark.slow
def test_the_quick_study_runs_the_predicted_steps_and_draws_them(tmp_path: Path) -> None:
    command = [sys.executable, EXAMPLE, "--quick", "--folder", tmp_path / "wsd", "--picture", tmp_path / "wsd.png"]

    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    assert result.returncode == 0, result.stdout + result.stderr
    predicted = re.search(r"(\d+) of them distinct: p = ([\d.]+)", result.stdout)
    seen = re.search(r"(\d+) steps executed, p = ([\d.]+) seen", result.stdout)
    assert predicted is not None
    assert seen is not None
    assert seen.groups() == predicted.groups()
    assert (tmp_path / "wsd.png").read_bytes().startswith(b"\x89PNG")
