"""Trainers in pieces, tried by `elastic_cases.py` in a process of its own: gloo leaves threads behind.

Processes that later tests fork from one that has such threads may hang.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CASES = Path(__file__).with_name("elastic_cases.py")


@pytest.mark.slow
def test_trainers_in_pieces_are_trained_as_whole_ones() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout", "100", str(CASES)]

    run = subprocess.run(command, capture_output=True, text=True, cwd=CASES.parents[2], timeout=280)

    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
