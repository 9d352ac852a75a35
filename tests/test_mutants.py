"""Every line that is broken on purpose is there: a mutant that cannot be applied would be judged by nobody."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_every_mutant_can_be_applied() -> None:
    script = Path(__file__).with_name("mutants.py")
    told = subprocess.run([sys.executable, str(script), "--dry-run"], capture_output=True, text=True)
    assert told.returncode == 0, told.stdout
