"""A script that is forked from a warm interpreter is, but for the time it takes, one that Python was given."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hippo.testing.warm_scripts import WarmScripts

pytestmark = pytest.mark.slow

SCRIPT = """
import json, os, sys, threading, time
from beside_it import VALUE

class Thing:
    pass

def later():
    time.sleep(0.2)
    print("said later")

print(json.dumps({
    "name": __name__, "file": __file__, "spec": repr(__spec__), "module": Thing.__module__,
    "main": sys.modules["__main__"].__dict__ is globals(), "arguments": sys.argv, "path": sys.path,
    "safe": sys.flags.safe_path, "folder": os.getcwd(), "variable": os.environ.get("HIPPO_OF_A_TEST"),
    "beside": VALUE, "hash": hash("a"), "torch": "torch" in sys.modules, "stdin": sys.stdin.read(),
}), flush=True)
threading.Thread(target=later).start()
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script with a module beside it, in another folder than it runs in."""
    (tmp_path / "beside_it.py").write_text("VALUE = 3\n")
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}/first")
    return tmp_path / "script.py"


def said(output: str) -> dict[str, Any]:
    line, last = output.splitlines()
    assert last == "said later"
    facts: dict[str, Any] = json.loads(line)
    return facts


def test_a_script_cannot_tell(script: Path) -> None:
    scripts, folder = WarmScripts("hippo.study.creating"), script.parent / "elsewhere"
    seeds = []
    for _ in range(2):
        running = scripts.start(script, "a", "b c", folder=folder, variables={"HIPPO_OF_A_TEST": "x"})
        forked = said(running.wait(60))
        assert running.returncode == 0
        started = subprocess.run(
            [sys.executable, str(script), "a", "b c"],
            cwd=folder,
            env={**os.environ, "HIPPO_OF_A_TEST": "x"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        seeds.append(forked.pop("hash"))
        assert forked == {key: value for key, value in said(started.stdout).items() if key != "hash"}
    assert len(set(seeds)) == 2, "what follows orders its sets in another way"


@pytest.mark.parametrize(
    ("ends", "code", "output"),
    [
        ("raise SystemExit(3)", 3, ""),
        ("import sys; sys.exit('no such thing')", 1, "no such thing\n"),
        ("raise SystemExit", 0, ""),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM, ""),
        ("import atexit; atexit.register(print, 'in the end')", 0, "in the end\n"),
    ],
)
def test_it_ends_as_python_has_it_end(tmp_path: Path, ends: str, code: int, output: str) -> None:
    (script := tmp_path / "script.py").write_text(ends)
    running = WarmScripts("json").start(script)

    assert running.wait(60) == output
    assert running.returncode == code


def test_it_shows_what_was_raised(tmp_path: Path) -> None:
    (script := tmp_path / "script.py").write_text("1 / 0")
    running = WarmScripts("json").start(script)

    assert "ZeroDivisionError: division by zero" in running.wait(60)
    assert running.returncode == 1


def test_it_runs_until_it_is_killed_and_no_longer(tmp_path: Path) -> None:
    (script := tmp_path / "script.py").write_text(
        "import pathlib, time; print('begun', flush=True); pathlib.Path('is_told').touch(); time.sleep(600)"
    )
    running = WarmScripts("json").start(script, folder=tmp_path)
    while not (tmp_path / "is_told").exists():
        with pytest.raises(TimeoutError):
            running.wait(0.1)
    assert running.returncode is None
    running.send_signal(signal.SIGKILL)

    assert running.wait(60) == "begun\n"
    assert running.returncode == -signal.SIGKILL
    running.send_signal(signal.SIGKILL)  # to nobody
