"""The example of a parameter server finds a learning rate, and is proven."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "matrix_factorisation.py"

pytestmark = pytest.mark.skipif(importlib.util.find_spec("optuna") is None, reason="MLTuner's grid needs optuna")


@pytest.mark.slow  # trains
@pytest.mark.parametrize("optimizer", ["adagrad", "adarevision"])
def test_the_learning_rate_is_found_and_the_path_goes_on(tmp_path: Path, optimizer: str) -> None:
    command = [sys.executable, str(EXAMPLE), str(tmp_path), "--steps", "40", "--optimizer", optimizer]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = re.search(
        r"learning rate ([0-9.]+), found by 12 branches of (\d+) steps; the path has 40, and a\s+loss of ([0-9.]+)",
        done.stdout,
    )
    assert found is not None, done.stdout
    assert 0.1 <= float(found[1]) <= 1.0
    assert int(found[2]) <= 11 * 10 + 3
    assert float(found[3]) < 0.5  # from 10


@pytest.mark.slow  # worker processes
def test_the_example_is_proven_by_a_check(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hippo", "check", f"{EXAMPLE}:MatrixFactorisation"]
    command += ["--hparam", "lr=0.3", "--hparam", "staleness=3", "--steps", "3"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "proven for these steps" in done.stdout
