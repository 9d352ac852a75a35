"""Ctrl-C and SIGTERM, from outside, at any moment: running steps are saved, and one line is said."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import hippo
from hippo.runtime import Statistics
from hippo.testing.warm_scripts import study_scripts

from .hosts import wait_until

SCRIPT = """
import os, pathlib, sys, time, hippo
from hippo.testing.trainers import ToyTrainer
folder, engine = sys.argv[1:]
class Slow(ToyTrainer):
    def train(self):
        time.sleep(float(os.environ.get("HIPPO_TEST_STEP_S", "0.01")))
        return super().train()
study = hippo.create_study("toy", trainer=Slow, trainer_args={"log": f"{folder}/log"}, metric="loss", mode="min",
    storage=f"sqlite:///{folder}/hippo.db", checkpoints=f"{folder}/states", keep="leaves", checkpoint_budget="1GB",
    engine=hippo.InlineEngine() if engine == "inline" else hippo.LocalEngine(workers=2))
pathlib.Path(folder, "begun").touch()
rates = [0.1, hippo.MultiStep(0.1, [10], 0.5), hippo.MultiStep(0.1, [20], 0.5), hippo.Piecewise([0.1, 0.3], [15])]
study.optimize(hippo.GridSearch([{"lr": rate} for rate in rates], until=40))
"""


#: a trunk of 40 steps, and what branches off at 10, 20 and 15
ALL_STEPS = 40 + 30 + 20 + 25


def run(folder: Path, engine: str, *, terminate_after_s: float | None = None) -> tuple[int, str]:
    """Run the script, with a SIGTERM so long after it has begun, or none; return its exit code, and what it wrote."""
    (script := folder / "study.py").write_text(SCRIPT)
    (begun := folder / "begun").unlink(missing_ok=True)
    running = study_scripts().start(script, str(folder), engine)
    if terminate_after_s is not None:
        wait_until("begun", lambda: begun.exists() or running.returncode is not None)
        time.sleep(terminate_after_s)
        running.send_signal(signal.SIGTERM)
    output = running.wait(60)
    assert running.returncode is not None
    return running.returncode, output


def interrupted(folder: Path, engine: str, *, presses: int) -> tuple[int, str]:
    """Run the script as Python runs it, and press Ctrl-C when it trains; return its exit code, and what it wrote."""
    (script := folder / "study.py").write_text(SCRIPT)
    program, log = [sys.executable, str(script), str(folder), engine], folder / "log"
    slow = {**os.environ, "HIPPO_TEST_STEP_S": "0.2"}  # it is not over before
    process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=slow)
    wait_until("training", lambda: (log.exists() and log.read_text().count("\n") > 4) or process.poll() is not None)
    for _ in range(presses):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    output, _ = process.communicate(timeout=60)
    return process.returncode, output


def statistics(folder: Path) -> Statistics:
    return hippo.load_study("toy", f"sqlite:///{folder}/hippo.db").statistics()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["inline", "local"])
@pytest.mark.parametrize("seed", range(10))
def test_sigterm_is_a_clean_stop_and_costs_nothing(tmp_path: Path, engine: str, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(2):
        before = statistics(tmp_path).steps_executed if (tmp_path / "hippo.db").exists() else 0
        code, error = run(tmp_path, engine, terminate_after_s=chance.uniform(0.05, 1.2))
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
    code, error = interrupted(tmp_path, engine, presses=presses)
    assert code == -signal.SIGINT
    assert error.count("stopped study 'toy' after") == 1
    assert "Traceback" not in error
    assert run(tmp_path, engine) == (0, "")
    assert statistics(tmp_path).steps_executed - statistics(tmp_path).steps_repeated == ALL_STEPS
