"""A program that is forked from a warm interpreter is, but for the time it takes, one that was started."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.engines import launching
from hippo.engines.launching import worker_environment
from hippo.engines.lifeline import kill_group, marked
from hippo.engines.programs import start_program
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.testing.trainers import ToyTrainer
from hippo.testing.warm_programs import WarmPrograms

pytestmark = pytest.mark.slow

#: says what it is as soon as it is told to, and has a descriptor that it was given, and a child that outlives it
PROGRAM = """
import json, os, sys
import numpy

sys.stdin.read(1)
umask = os.umask(0)
os.umask(umask)
sys.stderr.write("said aside")
with open(int(sys.argv[1]), "w") as file:
    file.write("told")
print(json.dumps({
    "name": __name__,
    "main": sys.modules["__main__"].__dict__ is globals(),
    "arguments": sys.argv[:-1],
    "parent": int(sys.argv[-1]) == os.getppid(),
    "folder": os.getcwd(),
    "variables": dict(os.environ),
    "path": sys.path,
    "umask": umask,
    "leads": os.getsid(0) == os.getpid() == os.getpgid(0),
    "hash": hash("a"),
    "safe": sys.flags.safe_path,
    "descriptors": sorted(fd for fd in map(int, os.listdir("/proc/self/fd")) if os.path.exists(f"/proc/self/fd/{fd}")),
    "drawn": numpy.random.random(),
}))
sys.exit(7)
"""


@pytest.fixture(scope="module")
def warm() -> Iterator[WarmPrograms]:
    made = WarmPrograms()
    yield made
    made.close()


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The variables of a program that imports from a folder of its own, where it is."""
    (tmp_path / "says_what_it_is.py").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{tmp_path}/more:relative")
    monkeypatch.setenv("HIPPO_OF_A_TEST", "x")
    monkeypatch.setenv("HIPPO_LAUNCHER", f"{os.getpid()}-{'7' * 16}")
    return worker_environment(threads=1)


def said(start: Any, env: Mapping[str, str]) -> dict[str, Any]:
    read, write = os.pipe()
    with tempfile.TemporaryFile() as errors, open(read) as told:
        process = start("says_what_it_is", write, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=env)
        os.close(write)
        process.stdin.write(b".")
        process.stdin.close()
        facts: dict[str, Any] = json.loads(process.stdout.read())
        process.stdout.close()
        assert process.wait() == 7
        assert process.wait() == 7
        errors.seek(0)
        return {**facts, "aside": errors.read(), "told": told.read()}


def test_a_program_cannot_tell(warm: WarmPrograms, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    before = said(warm.fork, env)  # its interpreter was started in this folder at the latest
    os.mkdir("more")
    monkeypatch.chdir("more")

    started, forked = said(start_program, env), said(warm.fork, env)

    drawn = [facts.pop("drawn") for facts in (before, started, forked)]
    assert len(set(drawn)) == 3
    assert forked == started
    assert (started["told"], started["aside"], started["parent"]) == ("told", b"said aside", True)


def test_it_is_found_by_its_mark_and_its_end_is_told(warm: WarmPrograms, env: dict[str, str]) -> None:
    mark = f"HIPPO_LAUNCHER={env['HIPPO_LAUNCHER']}"
    read, write = os.pipe()
    with tempfile.TemporaryFile() as errors, open(read):
        process = warm.fork("says_what_it_is", write, stdin=subprocess.PIPE, stderr=errors, env=env)
        os.close(write)
        assert os.getpgid(process.pid) != os.getpgid(0)
        while marked(mark) != [process.pid]:  # it has just been forked
            pass

        kill_group(process.pid)

        assert process.wait() == -9
        assert marked(mark) == []
        assert process.stdin is not None
        process.stdin.close()


def test_a_program_whose_interpreter_was_killed_ends_and_is_told_of(env: dict[str, str]) -> None:
    warm = WarmPrograms()
    read, write = os.pipe()
    with tempfile.TemporaryFile() as errors, open(read):
        process = warm.fork("says_what_it_is", write, stdin=subprocess.PIPE, stderr=errors, env=env)
        os.close(write)
        pid = process.pid
        warm.close()

        assert process.wait() == -9
        kill_group(pid)
        assert process.stdin is not None
        process.stdin.close()


def started_for(warm: WarmPrograms, trainer: type, folder: Path, rates: Sequence[float] = (0.1, 0.2)) -> list[str]:
    """Return the kinds of processes that are started for studies of a trainer, one after the other."""
    folder.mkdir(exist_ok=True)
    kinds: list[str] = []

    def start(*arguments: Any, **options: Any) -> Any:
        process = warm.start(*arguments, **options)
        kinds.append(type(process).__name__)
        return process

    # undone before what it stands for is: else programs of later tests would be started by it
    with warm.used(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(launching, "start_program", start)
        for lr in rates:  # what was trained already needs no process
            study = hippo.create_study(
                f"lr {lr}",
                trainer=trainer,
                storage=f"sqlite:///{folder}/hippo.db",
                checkpoints=str(folder / "states"),
                engine=hippo.LocalEngine(workers=1),
                metric="loss",
                mode="min",
            )
            study.optimize(hippo.GridSearch([{"lr": lr, "batch_size": 8}], until=2))
            assert [trial.step for trial in study.trials] == [2]
            study.close()
    return kinds


def test_what_imports_torch_is_forked_from_the_second_one_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warm = WarmPrograms()

    assert started_for(warm, BlobsTrainer, tmp_path) == ["Popen", "WarmProcess"]

    monkeypatch.setenv("TORCH_SHOW_CPP_STACKTRACES", "0")  # an interpreter may read it
    assert started_for(warm, BlobsTrainer, tmp_path / "again", [0.1]) == ["Popen"]
    warm.close()


def test_what_may_import_none_is_forked_without_it(tmp_path: Path) -> None:
    warm = WarmPrograms()

    assert started_for(warm, ToyTrainer, tmp_path) == ["Popen", "WarmProcess"]
    assert started_for(warm, BlobsTrainer, tmp_path / "torch", [0.1]) == ["Popen"]
    assert launching.start_program is start_program, "later tests start theirs as ever"
    warm.close()


def test_a_program_that_was_polled_is_waited_for(warm: WarmPrograms, env: dict[str, str]) -> None:
    read, write = os.pipe()
    with tempfile.TemporaryFile() as errors, open(read):
        process = warm.fork("says_what_it_is", write, stdin=subprocess.PIPE, stderr=errors, env=env)
        os.close(write)
        assert process.poll() is None
        kill_group(process.pid)
        while process.poll() is None:
            pass
        assert process.wait() == process.poll() == -9
        assert process.stdin is not None
        process.stdin.close()
