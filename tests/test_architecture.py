"""The rooms keep to themselves: import contracts, and who may read the time."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "hippo"
#: attributes of `datetime.datetime` and `datetime.date` that read the machine's clock
READS_THE_TIME = {"now", "utcnow", "today"}


@pytest.mark.slow
def test_every_import_contract_is_kept() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)

    assert result.returncode == 0, result.stdout + result.stderr


def time_readings(source: str) -> Iterator[str]:
    """Yield what in a module's source reads the time past `hippo.clock`."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names) if any(name.name == "time" for name in names):
                yield f"line {node.lineno}: import time"
            case ast.ImportFrom(module="time"):
                yield f"line {node.lineno}: from time import ..."
            case ast.Call(func=ast.Attribute(value=ast.Name(id="datetime" | "date") | ast.Attribute(), attr=attr)) if (
                attr in READS_THE_TIME and "date" in ast.unparse(node.func)
            ):
                yield f"line {node.lineno}: {ast.unparse(node.func)}()"


def test_nobody_but_clock_reads_the_time() -> None:
    found = {
        str(path.relative_to(SOURCE)): readings
        for path in sorted(SOURCE.rglob("*.py"))
        # contract suites are tests that ship with the package: they may wait for real processes
        if path != SOURCE / "clock.py"
        and not path.name.endswith("_contract.py")
        and (readings := list(time_readings(path.read_text(encoding="utf-8"))))
    }

    assert found == {}, "take a hippo.clock.Clock as an argument instead"


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "import os, time",
        "from time import monotonic",
        "import datetime\ndatetime.datetime.now()",
        "from datetime import datetime\ndatetime.utcnow()",
        "from datetime import date\ndate.today()",
    ],
)
def test_the_scan_sees_each_way_to_read_the_time(source: str) -> None:
    assert list(time_readings(source))


def test_the_scan_lets_a_given_clock_pass() -> None:
    assert not list(time_readings("seconds = self.clock.now()\nmoment = datetime.fromtimestamp(seconds)"))


def test_every_module_says_what_it_is_for() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    silent = [
        str(path.relative_to(SOURCE))
        for path, source in sources.items()
        if source.strip() and not ast.get_docstring(ast.parse(source))
    ]

    assert silent == []
