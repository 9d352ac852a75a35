"""A study keeps its word wherever it was started, and whatever happens to it there.

One study, four places to start it from, and what may befall it. Each case ends with the results of trials that were
trained alone, and with no process left.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

import hippo
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer

from .hosts import PLACES, Host, Notebook, is_gone, processes_of, start, wait_until

pytestmark = pytest.mark.slow

#: a study in the current folder; the process that its trainer starts stands for those of a data loader
STUDY = """
import multiprocessing, pathlib, time
import hippo
from hippo import Exponential, MultiStep
from hippo.testing.trainers import ToyTrainer

class Mine(ToyTrainer):
    def setup(self, hp):
        if not multiprocessing.active_children():
            multiprocessing.get_context("fork").Process(target=time.sleep, args=(600,), daemon=True).start()

    def train(self):
        mood = pathlib.Path("mood").read_text()
        time.sleep(0.02 if mood == "slow" else 0)
        while mood == "stuck" and self.steps > 12:
            pass
        return super().train()

rates = [0.1, MultiStep(0.1, [10], 0.1), MultiStep(0.1, [20], 0.1), Exponential(0.1, 0.9)]
tuner = hippo.GridSearch(hippo.GridSearchSpace({"lr": rates}), until=30)

# run
study = hippo.create_study(
    "mine", trainer=Mine, trainer_args={"log": "log"}, storage="sqlite:///hippo.db", checkpoints="states",
    engine=hippo.LocalEngine(2), metric="loss", mode="min",
)
study.optimize(tuner)
print("the end")
"""
DISTINCT_STEPS = 90
PROCESSES = 5  # the launcher, two workers, and what each of them started


def begin(place: str, folder: Path, *, mood: str = "quick", source: str = STUDY):
    (folder / "mood").write_text(mood)
    return start(place, source, folder)


def log(folder: Path) -> list[str]:
    """Return a line for each step of each process: "pid step values"."""
    file = folder / "log"
    return file.read_text().splitlines() if file.exists() else []


def wait_for_training(folder: Path, host: Host) -> list[psutil.Process]:
    """Wait until a study is in the midst of it; return the processes that it started."""
    wait_until("training", lambda: len(log(folder)) > 12)
    wait_until("five processes", lambda: len(processes_of(host)) == PROCESSES)
    return processes_of(host)


def wait_until_stuck(folder: Path, host: Host) -> list[psutil.Process]:
    """Wait until both workers are in a step that never ends; return the processes that the study started."""
    wait_until("stuck", lambda: sum(line.split()[1] == "12" for line in log(folder)) == 2)
    return processes_of(host)


def assert_ended_undisturbed(folder: Path, seen: str) -> hippo.Statistics:
    assert "the end" in seen or "1 passed" in seen, seen
    study = hippo.load_study("mine", f"sqlite:///{folder}/hippo.db")
    assert len(study.trials) == 4
    for trial in study.trials:
        assert trial.state is hippo.TrialState.COMPLETE
        assert dict(trial.history) == train_alone(ToyTrainer, trial.config, until=30)
    return study.statistics()


def run_to_its_end(place: str, folder: Path, source: str = STUDY) -> hippo.Statistics:
    with begin(place, folder, source=source) as host:
        return assert_ended_undisturbed(folder, host.wait())


@pytest.mark.parametrize("place", PLACES)
def test_a_study_runs_to_its_end_and_says_nothing_of_itself(place: str, tmp_path: Path) -> None:
    with begin(place, tmp_path) as host:
        seen = host.wait()
    print(seen)
    assert assert_ended_undisturbed(tmp_path, seen).steps_executed == DISTINCT_STEPS
    assert seen == "the end\n" or place == "pytest"


@pytest.mark.parametrize("place", PLACES)
def test_ctrl_c_stops_a_study_which_then_goes_on_without_repeating_a_step(place: str, tmp_path: Path) -> None:
    with begin(place, tmp_path, mood="slow") as host:
        processes = wait_for_training(tmp_path, host)
        interrupted_at = time.monotonic()
        host.interrupt()
        seen = host.wait()
        assert time.monotonic() - interrupted_at < 5
        print(seen)
        if isinstance(host, Notebook):
            (tmp_path / "mood").write_text("quick")
            host.run("study.optimize(tuner); print('the end')")
            seen = host.wait()
            print(seen)
            assert assert_ended_undisturbed(tmp_path, seen).steps_repeated == 0
            return
        wait_until("all processes gone", lambda: all(map(is_gone, processes)), timeout_s=1)
    assert len(log(tmp_path)) < DISTINCT_STEPS
    assert run_to_its_end(place, tmp_path).steps_repeated == 0


@pytest.mark.parametrize("place", PLACES)
def test_no_process_outlives_a_killed_study_which_a_second_run_completes(place: str, tmp_path: Path) -> None:
    with begin(place, tmp_path, mood="stuck") as host:
        processes = wait_until_stuck(tmp_path, host)
        assert len(processes) == PROCESSES
        host.kill()
        wait_until("all processes gone", lambda: all(map(is_gone, processes)), timeout_s=1)
    run_to_its_end(place, tmp_path)


@pytest.mark.parametrize("place", PLACES)
def test_a_study_goes_on_by_itself_when_a_worker_is_killed(place: str, tmp_path: Path) -> None:
    with begin(place, tmp_path, mood="stuck") as host:
        wait_until_stuck(tmp_path, host)
        (tmp_path / "mood").write_text("quick")
        os.kill(int(log(tmp_path)[-1].split()[0]), signal.SIGKILL)
        (other,) = {int(line.split()[0]) for line in log(tmp_path)} - {int(log(tmp_path)[-1].split()[0])}
        os.kill(other, signal.SIGKILL)
        seen = host.wait()
        print(seen)
    assert_ended_undisturbed(tmp_path, seen)
