"""The examples of many trials on one frozen network run, and walk them as one."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(name: str, folder: Path, *arguments: str) -> str:
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow  # trains
def test_probes_of_one_network_are_walked_as_one(tmp_path: Path) -> None:
    out = run("probes.py", tmp_path, "--steps", "1", "--width", "64", "--layers", "1")
    lanes = re.search(r"52 probes, ([0-9.]+) at once", out)
    assert lanes is not None, out
    assert float(lanes[1]) > 13
    best = re.search(r"best accuracy ([0-9.]+)", out)
    assert best is not None, out
    assert float(best[1]) > 0.5


@pytest.mark.slow  # trains
@pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("peft", "transformers")), reason="peft, transformers are extras"
)
def test_adapters_of_one_rank_are_walked_as_one(tmp_path: Path) -> None:
    out = run("lora.py", tmp_path, "--steps", "1")
    lanes = re.search(r"16 adapters, ([0-9.]+) at once", out)
    assert lanes is not None, out
    assert float(lanes[1]) > 2
