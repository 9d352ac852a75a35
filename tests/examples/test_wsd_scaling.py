"""The example of trunks and cool-downs shares what it says, and draws it."""

from __future__ import annotations

import importlib.util
import os
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


#: notes in each Python process whether the picture is drawn when it writes of what is going on
NOTING = """
import io, os, sys

class Noting(io.FileIO):
    def write(self, text):
        if b"processor time" in bytes(text):
            with open("noted", "w") as noted:
                noted.write(f"drawn: {os.path.exists('wsd.png')}")
        return super().write(text)

sys.stdout = io.TextIOWrapper(io.BufferedWriter(Noting(1, "w", closefd=False)))
"""


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, bool, Path]:
    """What the quick study printed, whether its picture was drawn when it said what is going on, and where that is."""
    folder = tmp_path_factory.mktemp("quick")
    (folder / "sitecustomize.py").write_text(NOTING)
    command = [sys.executable, EXAMPLE, "--quick", "--folder", folder / "wsd", "--picture", folder / "wsd.png"]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    env["PYTHONPATH"] = os.pathsep.join([str(folder), *filter(None, [env.get("PYTHONPATH")])])
    ended = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=240, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout, (folder / "noted").read_text() != "drawn: False", folder / "wsd.png"


@pytest.mark.slow
def test_what_is_going_on_is_said_before_it_is_over(quick: tuple[str, bool, Path]) -> None:
    printed, was_drawn, _ = quick

    assert not was_drawn
    assert "processor time" in printed.splitlines()[1]


@pytest.mark.slow
def test_the_quick_study_runs_the_predicted_steps_and_draws_them(quick: tuple[str, bool, Path]) -> None:
    printed, _, picture = quick

    predicted = re.search(r"(\d+) of them distinct: p = ([\d.]+)", printed)
    seen = re.search(r"(\d+) steps executed, p = ([\d.]+) seen", printed)
    assert predicted is not None
    assert seen is not None
    assert seen.groups() == predicted.groups()
    assert picture.read_bytes().startswith(b"\x89PNG")
