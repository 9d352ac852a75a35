"""Tests that came late are asked for once more, and no others."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import os, pathlib

def test_once():
    seen = pathlib.Path(__file__).with_name("seen")
    if not seen.exists():
        seen.touch()
        {how}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("how", "passes"), [("raise TimeoutError", True), ("os._exit(3)", False), ("assert 0", False)])
def test_a_test_that_comes_late_is_asked_for_again_and_one_that_ends_its_process_fails(
    tmp_path: Path, how: str, passes: bool
) -> None:
    shutil.copy(Path(__file__).parents[1] / "conftest.py", tmp_path)
    (tmp_path / "test_it.py").write_text(TESTS.format(how=how))
    again = ["-n", "1", "--reruns", "1", "--only-rerun", "TimeoutError", "-p", "no:cacheprovider"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *again, "--rootdir", str(tmp_path), str(tmp_path)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert (done.returncode == 0) is passes, done.stdout
    assert ("1 rerun" in done.stdout) is passes
