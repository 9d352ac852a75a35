"""Ctrl-C and SIGTERM, from outside, at any moment: running steps are saved, and one line is said."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import hippo
from hippo.runtime import Statistics

SCRIPT = """
import sys, hippo
from hippo.testing.trainers import ToyTrainer
folder, engine = sys.argv[1:]
study = hippo.create_study("toy", trainer=ToyTrainer, trainer_args={"sleep_s": 0.01}, metric="loss", mode="min",
    storage=f"sqlite:///{folder}/hippo.db", checkpoints=f"{folder}/states", keep="leaves", checkpoint_budget="1GB",
    engine=hippo.InlineEngine() if engine == "inline" else hippo.LocalEngine(workers=2))
print("begins", flush=True)
rates = [0.1, hippo.MultiStep(0.1, [10], 0.5), hippo.MultiStep(0.1, [20], 0.5), hippo.Piecewise([0.1, 0.3], [15])]
study.optimize(hippo.GridSearch([{"lr": rate} for rate in rates], until=40))
"""


#: a trunk of 40 steps, and what branches off at 10, 20 and 15
ALL_STEPS = 40 + 30 + 20 + 25


def run(
    folder: Path, engine: str, *, number: int | None = None, after_s: float = 0.0, presses: int = 1
) -> tuple[int, str]:
    """Run the script, with a signal to it or none; return its exit code, and what it wrote to standard error."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder), engine], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    if number is not None:
        time.sleep(after_s)
        for _ in range(presses):
            process.send_signal(number)
            time.sleep(0.05)
    _, error = process.communicate(timeout=60)
    return process.returncode, error


def statistics(folder: Path) -> Statistics:
    return hippo.load_study("toy", f"sqlite:///{folder}/hippo.db").statistics()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["inline", "local"])
@pytest.mark.parametrize("seed", range(10))
def test_sigterm_is_a_clean_stop_and_costs_nothing(tmp_path: Path, engine: str, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(2):
        before = statistics(tmp_path).steps_executed if (tmp_path / "hippo.db").exists() else 0
        code, error = run(tmp_path, engine, number=signal.SIGTERM, after_s=chance.uniform(0.05, 1.2))
        if code == 0:
            break  # it was through before the signal came
        if code == -signal.SIGTERM:
            # `optimize` had not begun, or had ended: there was nothing to save
            assert statistics(tmp_path).steps_executed in (before, ALL_STEPS)
            continue
        assert code == 128 + signal.SIGTERM
        assert "stopped study 'toy' after" in error
        assert "Traceback" not in error
    assert run(tmp_path, engine) == (0, "")
    assert statistics(tmp_path).steps_repeated == 0
    assert statistics(tmp_path).steps_executed == ALL_STEPS


FORKS = """
import multiprocessing, sys, time, hippo
from hippo.testing.trainers import ToyTrainer
class Forking(ToyTrainer):
    def train(self):
        child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
        child.start()
        child.terminate()
        child.join()
        return {"code": child.exitcode}
study = hippo.create_study("toy", trainer=Forking, storage="memory://", engine=hippo.InlineEngine(), metric="loss")
study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
print(study.trials[0].state.value)
"""


@pytest.mark.slow
def test_what_a_trainer_forks_can_be_terminated_while_a_study_runs() -> None:
    ended = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=30, check=True)
    assert ended.stdout == "COMPLETE\n"


@pytest.mark.slow
@pytest.mark.parametrize("presses", [1, 2, 4])
@pytest.mark.parametrize("engine", ["inline", "local"])
def test_ctrl_c_says_one_line_however_often_it_is_pressed(tmp_path: Path, engine: str, presses: int) -> None:
    code, error = run(tmp_path, engine, number=signal.SIGINT, after_s=0.3, presses=presses)
    assert code == -signal.SIGINT
    assert error.count("stopped study 'toy' after") == 1
    assert "Traceback" not in error
    assert run(tmp_path, engine) == (0, "")
    assert statistics(tmp_path).steps_executed - statistics(tmp_path).steps_repeated == ALL_STEPS
