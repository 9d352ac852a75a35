"""The benchmarks are no package: their folders go on the path."""

from __future__ import annotations

import sys
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
_INNER = ("hydro", "coordinator", "paper")
for _folder in (BENCHMARKS.parent / "examples", *(BENCHMARKS / name for name in _INNER), BENCHMARKS):
    sys.path.insert(0, str(_folder))
