"""What a trainer starts ends with its worker, wherever it went; what it forks is no second worker."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from hippo.engines import LocalEngine, lifeline
from hippo.events import AssignmentDone, SlotLost, SlotOpened, StepDone
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import lane, stage
from hippo.testing.scripted import scripted

from .test_local_processes import wait_until_gone

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")]

#: starts one process in a session of its own, one whose parent ends at once, and one that forks on
START = """
import pathlib, subprocess
file = pathlib.Path({file!r})
sleep = ["sleep", "61"]
started = [subprocess.Popen(sleep, start_new_session=True).pid]
started += [int(subprocess.check_output(["setsid", "sh", "-c", "sleep 61 >/dev/null & echo $!"]))]
started += [int(subprocess.check_output(["setsid", "-f", "sh", "-c", "echo $$; exec >/dev/null; sleep 61 & sleep 61"]))]
file.write_text(" ".join(map(str, started)))
"""


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[ControlLoop]:
    with ControlLoop(LocalEngine(1), str(tmp_path)) as loop:
        yield loop


def first(kind: type) -> object:
    return lambda events: next((event for event in events if isinstance(event, kind)), None)


def left_of(file: Path, *, timeout_s: float = 30.0) -> list[psutil.Process]:
    """Return who of those in the file is alive after so long; a second is enough, alone on a machine."""
    found = []
    for pid in file.read_text().split():
        with contextlib.suppress(psutil.NoSuchProcess):
            found.append(psutil.Process(int(pid)))
    return wait_until_gone(found, timeout_s=timeout_s)


def test_what_has_no_environment_yet_when_it_is_first_looked_at_is_killed_by_its_mark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mark, read, looks = f"HIPPO_TEST_OF_EXEC={os.getpid()}", lifeline._read, list[int]()
    with subprocess.Popen(["sleep", "61"], env={**os.environ, mark.partition("=")[0]: str(os.getpid())}) as one:
        while not lifeline.marked(mark):  # as it is while exec is under way
            pass

        def read_too_soon(pid: int, name: str) -> bytes:
            looks.extend([pid] * (pid == one.pid))
            return b"" if looks == [one.pid] and pid == one.pid else read(pid, name)

        monkeypatch.setattr(lifeline, "_read", read_too_soon)
        lifeline.kill_marked(mark)
        one.terminate()  # what was not killed before ends by this
        assert one.wait(60) == -signal.SIGKILL


def test_sessions_of_their_own_end_with_their_worker(loop, tmp_path):
    step = START.format(file=str(tmp_path / "pids"))
    loop.open_workload(scripted(step))
    assert loop.run(step, lane(stage(1, 0, 1)))
    assert len(left_of(tmp_path / "pids", timeout_s=0.0)) == 3
    worker = psutil.Process(int((tmp_path / "pids").read_text().split()[0])).ppid()
    os.kill(worker, signal.SIGKILL)
    loop.serve_until(first(SlotLost))
    assert left_of(tmp_path / "pids", timeout_s=0.0) == []  # gone by the time that the loss is told


STUDY = """
from hippo.engines import LocalEngine
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import lane, stage
from hippo.testing.scripted import scripted
step = {step!r}
loop = ControlLoop(LocalEngine(1), {folder!r})
loop.open_workload(scripted(step))
loop.run(step, lane(stage(1, 0, 1)))
print("ready", flush=True)
{end}
"""
ENDS = {
    "it ends": "loop.close()",
    "it is killed": "import os; os.kill(os.getpid(), 9)",
}


@pytest.mark.parametrize("end", ENDS)
def test_sessions_of_their_own_end_with_the_study(tmp_path, end):
    step = START.format(file=str(tmp_path / "pids"))
    script = STUDY.format(step=step, folder=str(tmp_path), end=ENDS[end])
    subprocess.run([sys.executable, "-c", script], stdout=subprocess.DEVNULL, timeout=60)
    assert left_of(tmp_path / "pids") == []


def test_sessions_of_their_own_end_with_a_killed_launcher(loop, tmp_path):
    step = START.format(file=str(tmp_path / "pids"))
    loop.open_workload(scripted(step))
    loop.run(step, lane(stage(1, 0, 1)))
    psutil.Process(int((tmp_path / "pids").read_text().split()[0])).parent().parent().kill()
    loop.serve_until(lambda events: len([event for event in events if isinstance(event, SlotOpened)]) == 2)
    assert left_of(tmp_path / "pids", timeout_s=0.0) == []


def test_other_workers_and_what_they_started_live_on(tmp_path):
    step = START.format(file=str(tmp_path / "pids"))
    with ControlLoop(LocalEngine(2), str(tmp_path)) as loop:
        loop.open_workload(scripted(step))
        loop.open_workload(scripted("import os; os._exit(3)"))
        loop.wait_for_slots(2)
        loop.run(step, lane(stage(1, 0, 1)))
        busy = loop.wait_for_slots()[0]
        other = next(slot for slot in loop.wait_for_slots(2) if slot != busy)
        loop.lose(other, "told to")
        assert loop.serve_until(first(SlotLost)) == SlotLost(slot=other, reason="told to")
        loop.wait_for_slots(2)
        assert len(left_of(tmp_path / "pids", timeout_s=0.0)) == 3


def test_a_fork_that_comes_back_from_the_trainer_is_no_second_worker(loop, tmp_path, capfd):
    step = f"import os\nif pid := os.fork():\n    open({str(tmp_path / 'pids')!r}, 'w').write(str(pid))"
    loop.open_workload(scripted(step))
    events = loop.run(step, lane(stage(1, 0, 3)))
    assert [event.step for event in events if isinstance(event, StepDone)] == [1, 2, 3]
    assert len([event for event in loop.events if isinstance(event, AssignmentDone)]) == 1
    assert left_of(tmp_path / "pids") == []


@pytest.mark.parametrize("end", ["raise SystemExit(3)", "raise KeyboardInterrupt('enough')"])
def test_a_fork_that_leaves_by_an_exception_ends_alone(loop, end):
    step = f"import os\nif os.fork() == 0: {end}"
    loop.open_workload(scripted(step))
    events = loop.run(step, lane(stage(1, 0, 2)))
    assert [event.step for event in events if isinstance(event, StepDone)] == [1, 2]
    assert loop.wait_for_slots() == ["local-1"]


@pytest.mark.parametrize(
    ("step", "cause"),
    [("raise SystemExit(3)", "SystemExit: 3"), ("raise KeyboardInterrupt('x')", "KeyboardInterrupt: x")],
)
def test_what_ended_a_worker_is_named_and_no_traceback_is_printed(loop, step, cause, capfd):
    loop.open_workload(scripted(step))
    loop.submit(step, lane(stage(1, 0, 1)))
    assert loop.serve_until(first(SlotLost)).reason.startswith(f"{cause} (<string>, line 1, in <module>)")
    assert capfd.readouterr().err == ""
