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


# --- decisions know no event loop

#: of the runtime, what runs on the control loop or leads there; all else decides, from values to values
ON_THE_LOOP = {
    "beginnings",
    "call_source",
    "control",
    "engine_files",
    "futures",
    "held_states",
    "lock_waits",
    "loop",
    "other_waits",
    "runtime",
    "shell",
    "streams",
    "tuner_ask",
    "waiters",
    "wanted_states",
}
#: what a decision must not touch: what it waited for, or locked, nobody could put into a table of inputs and results
LOOPS_AND_THREADS = {"asyncio", "concurrent", "threading"}


def loop_imports(source: str) -> Iterator[str]:
    """Yield what a module imports of event loops, of threads, and of the runtime's modules that have to do with them.

    Imports for the type checker count: who names a future's type has one in hand.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                modules = [name.name for name in names]
            case ast.ImportFrom(module="hippo.runtime", names=names):
                modules = [f"hippo.runtime.{name.name}" for name in names]
            case ast.ImportFrom(module=str(module)):
                modules = [module]
            case _:
                continue
        for module in modules:
            is_ours = module.removeprefix("hippo.runtime.") in ON_THE_LOOP and module.startswith("hippo.runtime.")
            if is_ours or module.partition(".")[0] in LOOPS_AND_THREADS:
                yield module


def test_decisions_know_no_event_loop_and_only_what_runs_on_the_loop_is_let_off() -> None:
    modules = {path.stem: path for path in (SOURCE / "runtime").glob("*.py") if path.stem != "__init__"}
    found = {name: list(loop_imports(path.read_text(encoding="utf-8"))) for name, path in sorted(modules.items())}

    deciding = {name: imports for name, imports in found.items() if name not in ON_THE_LOOP and imports}
    assert deciding == {}, "name who waits by a number, or return an instruction: the shell carries it out"
    assert [name for name in sorted(ON_THE_LOOP) if not found.get(name)] == [], "these decide: take them off the list"


@pytest.mark.parametrize(
    "source",
    [
        "import asyncio",
        "import concurrent.futures",
        "from asyncio import Future",
        "from hippo.runtime.shell import Shell",
        "from hippo.runtime import shell",
        "if TYPE_CHECKING:\n    from hippo.runtime.futures import Futures",
        "def late():\n    import threading",
    ],
)
def test_the_scan_sees_each_way_to_a_loop(source: str) -> None:
    assert list(loop_imports(source))


def test_the_scan_lets_decisions_import_decisions() -> None:
    assert not list(
        loop_imports("from hippo.runtime.calls import Call\nfrom hippo.runtime import Runtime\nimport json")
    )


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
