"""Ctrl-C that comes when all has been said and the process ends breaks nothing off; whatever goes on hears it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hippo.study.interrupts import told

#: presses Ctrl-C while the study runs, and once more when all has been said and the process ends
ENDS = """
import atexit, os, signal, sys, time, hippo
from hippo.study import interrupts
from hippo.testing.trainers import ToyTrainer
interrupts._ENDING_S = float(sys.argv[1])
def press():
    os.kill(os.getpid(), signal.SIGINT)
def end():
    press()
    time.sleep(0.2)
    print("ended", flush=True)
atexit.register(end)
class Pressing(ToyTrainer):
    def train(self):
        if self.steps == 5:
            press()
        return super().train()
study = hippo.create_study("toy", trainer=Pressing, trainer_args={"sleep_s": 0.01}, metric="loss", mode="min",
    storage="memory://", engine=hippo.InlineEngine())
study.optimize(hippo.GridSearch([{"lr": 0.1}], until=400))
"""


@pytest.mark.slow
@pytest.mark.parametrize("is_command", [False, True])
def test_ctrl_c_breaks_nothing_off_while_the_process_ends(tmp_path: Path, is_command: bool) -> None:
    (script := tmp_path / "study.py").write_text(ENDS)
    program = ["-m", "hippo", "run", str(script)] if is_command else [str(script)]
    ended = subprocess.run([sys.executable, *program, "60"], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (130 if is_command else -signal.SIGINT, "ended\n")
    assert "Traceback" not in ended.stderr


@pytest.mark.slow
def test_an_end_that_takes_long_is_broken_off_by_ctrl_c(tmp_path: Path) -> None:
    (script := tmp_path / "study.py").write_text(ENDS)
    ended = subprocess.run([sys.executable, str(script), "0"], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (-signal.SIGINT, "")


@pytest.mark.slow
def test_a_prompt_that_goes_on_hears_every_ctrl_c(tmp_path: Path) -> None:
    (script := tmp_path / "study.py").write_text(ENDS)
    asked = "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler); atexit.unregister(end)\n"
    ended = subprocess.run(
        [sys.executable, "-i", str(script), "60"], input=asked, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.stdout == "True\n"


def test_code_that_goes_on_after_what_was_said_hears_every_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    stop = told(KeyboardInterrupt())
    before = signal.getsignal(signal.SIGINT)
    sys.excepthook(KeyboardInterrupt, stop, None)  # as a window's own loop calls it
    assert signal.getsignal(signal.SIGINT) is before
