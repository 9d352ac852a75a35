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


# --- one class, one idea

#: a class above this holds two ideas
MOST_METHODS = 20
#: classes that may have more -> why
LARGE_CLASSES = {
    "Config": "public: a mapping, its path algebra, and what its text and key are",
    "HippoStorage": "the methods are those of Optuna's BaseStorage",
    "Study": "public: what Optuna's Study offers, and what Hippo's paper adds",
    "TorchTrainer": "public: what users override, beside what Trainer asks for",
}


def num_methods(source: str) -> dict[str, int]:
    """Return how many methods each class of a module defines; properties, and overloads, are methods."""
    return {
        node.name: sum(isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) for part in node.body)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef)
    }


def test_no_class_has_more_methods_than_an_idea_needs_and_no_exemption_is_stale() -> None:
    sizes = [num_methods(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")]
    large = {name: count for found in sizes for name, count in found.items() if count > MOST_METHODS}

    assert {name: count for name, count in large.items() if name not in LARGE_CLASSES} == {}, (
        "give a part of the fields, with what is done to them, a class of its own"
    )
    assert sorted(LARGE_CLASSES.keys() - large.keys()) == [], "no longer large: take them off the list"


def test_the_scan_counts_methods_of_each_kind() -> None:
    source = (
        "class A:\n    x = 1\n    def f(self): ...\n    async def g(self): ...\n    @property\n    def h(self): ..."
    )
    assert num_methods(source) == {"A": 3}
