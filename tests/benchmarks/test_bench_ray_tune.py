"""The comparison with Ray Tune counts all CPU-seconds, compares metrics, and promotes as hippo does."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import hippo
import process_cpu
from bench_ray_tune import compare, groups_of, rows_of, spread
from process_cpu import measure

BURN = "import time; began = time.process_time()\nwhile time.process_time() - began < 0.5: pass"
ORPHAN = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {BURN!r}], start_new_session=True)"
#: in a process of its own: adopting orphans would last, and other tests look after theirs
MEASURE = f"""
import sys
sys.path.insert(0, {str(Path(process_cpu.__file__).parent)!r})
from process_cpu import adopt_orphans, measure
adopt_orphans()
found = measure([sys.executable, "-c", {ORPHAN!r}])
print(found.cpu_s)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="orphans are adopted on Linux only")
def test_the_seconds_of_a_process_that_left_its_parent_count() -> None:
    result = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, timeout=60)

    assert result.returncode == 0, result.stderr
    assert float(result.stdout) >= 0.4  # of 0.5, less what it does after the last look; who started it takes far less


@pytest.mark.slow
def test_a_command_that_fails_says_what_it_wrote() -> None:
    with pytest.raises(RuntimeError, match=r"exit code 3.*\n.*out of luck"):
        measure([sys.executable, "-c", "print('out of luck'); raise SystemExit(3)"])


def test_metrics_that_differ_stop_the_comparison() -> None:
    known: dict[str, list[float]] = {}
    compare({"shared": {"seen": {"a@1": [0.5]}}, "ray": {"seen": {"a@1": [0.5], "b@1": [0.7]}}}, known)

    with pytest.raises(RuntimeError, match=r"ray found \[0.6\] where another run found \[0.5\]: a@1"):
        compare({"ray": {"seen": {"a@1": [0.6]}}}, known)


def test_ratios_are_taken_within_a_repeat() -> None:
    run = {"steps_executed": 10, "wall_s": 2.0, "cpu_s": 1.0, "optimize_s": 1.0}
    repeats = [{"shared": run, "ray": {**run, "wall_s": 4.0}}, {"shared": {**run, "wall_s": 4.0}, "ray": run}]

    (_, ray) = rows_of("grid", repeats)

    assert ray["wall_s_by_shared"] == "1.25 (0.50-2.00)"
    assert spread([3.0, 3.0], 1) == "3.0"


def test_four_studies_are_the_four_kinds_of_batch_size_and_momentum() -> None:
    space = hippo.GridSearchSpace({"lr": [0.1, 0.2, 0.3], "batch_size": [32, 64], "momentum": [0.9, 0.7]})

    groups = groups_of("four-studies", list(space))

    assert [groups.count(group) for group in range(4)] == [3, 3, 3, 3]
    assert groups_of("sha", list(space)) == [0] * 12


# ------------------------------------------------------------------------------------------ the schedulers, without Ray


@dataclass
class Controller:
    """Runs one trial at a time as Ray's controller would, each with a loss that is its number."""

    trials: list[Any]
    ran: list[tuple[int, int]] = field(default_factory=list)

    def stop_trial(self, trial: Any) -> None:
        trial.status = "TERMINATED"

    def run(self, scheduler: Any) -> None:
        for trial in self.trials:
            scheduler.on_trial_add(self, trial)
        while (trial := scheduler.choose_trial_to_run(self)) is not None:
            action = "CONTINUE"
            while action == "CONTINUE":
                trial.step += 1
                self.ran.append((trial.config["trial"], trial.step))
                result = {"training_iteration": trial.step, "val_loss": float(trial.config["trial"])}
                action = scheduler.on_trial_result(self, trial, result)
            trial.status = {"PAUSE": "PAUSED", "STOP": "TERMINATED"}[action]


def steps_of(scheduler: str, *, groups: list[int]) -> dict[int, int]:
    """Return how far each trial was trained."""
    side = pytest.importorskip("ray_tune_side")
    trials = [SimpleNamespace(config={"trial": n}, status="PENDING", step=0) for n in range(len(groups))]
    controller = Controller(trials)
    controller.run(getattr(side, scheduler)([1, 2, 4], groups, 2))
    assert all(trial.status == "TERMINATED" for trial in trials)
    assert len(controller.ran) == len(set(controller.ran)), "a step ran twice"
    return {trial.config["trial"]: trial.step for trial in trials}


@pytest.mark.slow  # imports Ray
def test_halving_promotes_the_best_half_from_rung_to_rung() -> None:
    assert steps_of("Halving", groups=[0] * 8) == {0: 4, 1: 4, 2: 2, 3: 2, 4: 1, 5: 1, 6: 1, 7: 1}


@pytest.mark.slow
def test_halving_counts_each_study_by_itself() -> None:
    assert steps_of("Halving", groups=[0, 0, 0, 0, 1, 1, 1, 1]) == {0: 4, 1: 2, 2: 1, 3: 1, 4: 4, 5: 2, 6: 1, 7: 1}


@pytest.mark.slow
def test_asynchronous_halving_promotes_whoever_is_among_the_best_half_so_far() -> None:
    steps = steps_of("AsynchronousHalving", groups=[0] * 4)

    assert steps[0] == 4  # the best of all, and early
    assert steps[3] == 1
