"""The example of a thousand small networks comes to the same as one program and one by one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "small_nets.py"


def run(folder: Path, *arguments: str) -> re.Match[str]:
    """Return networks, steps asked, steps executed, mean lanes and the best accuracy."""
    command = [sys.executable, str(EXAMPLE), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    told = re.search(
        r"(\d+) networks, (\d+) steps asked for, (\d+) executed, ([0-9.]+) at\s+once.*best accuracy ([0-9.]+)",
        " ".join(done.stdout.split()),
    )
    assert told is not None, done.stdout
    return told


@pytest.mark.slow  # trains
def test_networks_that_begin_alike_are_one_and_walk_together(tmp_path: Path) -> None:
    together, one_by_one = run(tmp_path, "--nets", "60"), run(tmp_path, "--nets", "60", "--one-by-one")
    assert together[1] == one_by_one[1] == "60"
    assert float(together[4]) > 4
    assert float(one_by_one[4]) == 1.0
    for told in (together, one_by_one):
        assert int(told[3]) < int(told[2]) < 60 * 12  # shared, and halved
        assert float(told[5]) > 0.8
