"""Two processes on one plan: the second waits, goes on when the first ends or dies, and trains nothing again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import hippo

SCRIPT = """
import os, sys, time, hippo
from hippo.testing.trainers import ToyTrainer
name, folder, *rates = sys.argv[1:]
class Held(ToyTrainer):
    def train(self):
        while self.steps == 5 and not os.path.exists(folder + "/go on"):
            time.sleep(0.01)
        return super().train()
study = hippo.create_study(name, trainer=Held, metric="loss", mode="min",
    storage=f"sqlite:///{folder}/hippo.db", checkpoints=f"{folder}/states", engine=hippo.InlineEngine(), keep="leaves",
    checkpoint_budget="1GB")
print("ready", flush=True)
sys.stdin.readline()
configs = [{"lr": hippo.MultiStep(0.1, [10], float(rate))} for rate in rates]
study.optimize(hippo.GridSearch(configs, until=20))
print(study.statistics().steps_executed, study.statistics().steps_repeated, flush=True)
"""


def start(name: str, folder: Path, *rates: float) -> subprocess.Popen[str]:
    """Start a process that has imported all it needs, and begins its study when it is told to."""
    program = [sys.executable, "-c", SCRIPT, name, str(folder), *map(str, rates)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(program, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def begin(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("begin\n")
    process.stdin.flush()


def told_to_wait(process: subprocess.Popen[str]) -> str:
    """Let a process begin, and return what it says, which is that it waits for another one."""
    begin(process)
    assert process.stderr is not None
    said = process.stderr.readline()
    assert "waits, since" in said
    return said


def wait_for_trials(folder: Path, name: str, steps: int) -> None:
    """Wait until a study has trained so much; soon it trains no further until it may go on."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if hippo.load_study(name, f"sqlite:///{folder}/hippo.db").statistics().steps_executed >= steps:
            return
        time.sleep(0.02)
    raise TimeoutError(f"{name} did not train {steps} steps in time")


@pytest.mark.slow
def test_a_second_process_waits_says_for_whom_and_shares_what_the_first_trained(tmp_path: Path) -> None:
    first, second = start("first", tmp_path, 0.5, 0.4, 0.3), start("second", tmp_path, 0.5, 0.4, 0.2)
    begin(first)
    wait_for_trials(tmp_path, "first", 1)
    said = told_to_wait(second)
    (tmp_path / "go on").touch()
    (told, _), (told_first, _) = second.communicate(timeout=60), first.communicate(timeout=60)
    assert f"study 'second' waits, since plan 1 of sqlite:///{tmp_path}/hippo.db is being written by process" in said
    assert f"process {first.pid} on host" in said
    assert told_first == "40 0\n"
    assert told == "10 0\n"


@pytest.mark.slow
def test_a_process_that_waits_goes_on_when_the_other_one_is_killed(tmp_path: Path) -> None:
    first, second = start("first", tmp_path, 0.5, 0.4, 0.3), start("second", tmp_path, 0.5)
    begin(first)
    wait_for_trials(tmp_path, "first", 1)
    told_to_wait(second)
    first.kill()
    first.communicate(timeout=60)
    (tmp_path / "go on").touch()
    told, _ = second.communicate(timeout=60)
    executed, _repeated = map(int, told.split())
    assert executed <= 20
    assert second.returncode == 0


@pytest.mark.slow
def test_whoever_waits_for_a_plan_can_be_stopped(tmp_path: Path) -> None:
    first, second = start("first", tmp_path, 0.5, 0.4, 0.3), start("second", tmp_path, 0.5)
    begin(first)
    wait_for_trials(tmp_path, "first", 1)
    told_to_wait(second)
    os.kill(second.pid, signal.SIGINT)
    _, error = second.communicate(timeout=20)
    assert "stopped study 'second' after 0 steps" in error
    assert "Traceback" not in error
    (tmp_path / "go on").touch()
    first.communicate(timeout=60)
