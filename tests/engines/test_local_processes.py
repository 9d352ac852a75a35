"""The processes of a LocalEngine: replaced when they die, gone when the study is."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from hippo.checkpoints import MemoryCheckpoints
from hippo.clock import SystemClock
from hippo.engines import LocalEngine
from hippo.errors import EngineError
from hippo.events import CheckpointFailed, EngineFailed, SlotLost, StatesResident, StepDone, TrainerUnusable
from hippo.records import Stop, TrainerSpec
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import lane, stage
from hippo.testing.scripted import scripted

pytestmark = pytest.mark.slow

STUDY = """
import multiprocessing, os, time
from hippo.engines import LocalEngine
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import lane, stage
from hippo.testing.trainers import ToyTrainer
from hippo.training.code.shipping import ship

class Busy(ToyTrainer):
    def train(self):
        multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,)).start()
        print("training", flush=True)
        {busy}

loop = ControlLoop(LocalEngine(2), {folder!r})
loop.open_workload(ship(Busy, seed=0, evaluate_every=1, workload_key="busy"))
loop.wait_for_slots(2)
{first}
loop.run("busy", lane(stage(1, 0, 2)))
"""


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[ControlLoop]:
    with ControlLoop(LocalEngine(2), str(tmp_path)) as loop:
        yield loop


def start_study(tmp_path: Path, *, busy: str, first: str = "") -> subprocess.Popen[str]:
    """Run a study that trains for ever, from standard input, and return when it does."""
    script = STUDY.format(busy=busy, first=first, folder=str(tmp_path))
    study = subprocess.Popen([sys.executable, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert study.stdin is not None
    assert study.stdout is not None
    study.stdin.write(script)
    study.stdin.close()
    assert study.stdout.readline() == "training\n"
    return study


def is_gone(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE  # an orphan that nobody has reaped yet
    except psutil.NoSuchProcess:
        return True


def wait_until_gone(processes: list[psutil.Process], *, timeout_s: float) -> list[psutil.Process]:
    """Return those that are still there after so long."""
    deadline = time.monotonic() + timeout_s
    while (left := [process for process in processes if not is_gone(process)]) and time.monotonic() < deadline:
        time.sleep(0.005)
    return left


#: how long a busy machine may take to end what ends within a second where there is nothing else to do
PATIENCE_S = 120.0

BUSY = {"asleep": "time.sleep(60)", "in C code that holds the GIL": "import ctypes; ctypes.PyDLL(None).sleep(60)"}


@pytest.mark.parametrize("victims", ["study", "study and launcher", "launcher and study"])
@pytest.mark.parametrize("busy", BUSY)
def test_no_process_outlives_the_killed_study_by_a_second(tmp_path, busy, victims):
    study = start_study(tmp_path, busy=BUSY[busy])
    (launcher,) = psutil.Process(study.pid).children()
    started = psutil.Process(study.pid).children(recursive=True)
    assert len(started) == 4  # launcher, two workers, and what one of them forked
    for victim in victims.split(" and "):
        os.kill({"study": study.pid, "launcher": launcher.pid}[victim], signal.SIGKILL)
    assert wait_until_gone(started, timeout_s=PATIENCE_S) == []
    study.wait()


def test_a_fork_made_by_the_users_code_does_not_keep_workers_alive(tmp_path):
    fork = "if os.fork() == 0: time.sleep(60), os._exit(0)"
    study = start_study(tmp_path, busy=BUSY["asleep"], first=fork)
    processes = psutil.Process(study.pid).children(recursive=True)
    (users,) = [process for process in processes if process.cmdline() == psutil.Process(study.pid).cmdline()]
    study.kill()
    processes.remove(users)
    assert wait_until_gone(processes, timeout_s=PATIENCE_S) == []
    assert not is_gone(users)
    users.kill()
    study.wait()


def launchers(study: psutil.Process | None = None) -> list[psutil.Process]:
    return [process for process in (study or psutil.Process()).children() if is_launcher(process)]


def is_launcher(process: psutil.Process) -> bool:
    try:
        command = process.cmdline()
        # other tests of this process may have left an interpreter that forks launchers
        return "hippo.engines.worker" in command and "-m" in command
    except psutil.Error:  # on its way out
        return False


def launcher() -> psutil.Process:
    (process,) = launchers()
    return process


def first(kind: type) -> object:
    """Return a search for the first event of a kind."""
    return lambda events: next((event for event in events if isinstance(event, kind)), None)


def test_a_killed_worker_is_told_and_replaced(loop):
    loop.open_workload(scripted("import time; time.sleep(60)"))
    loop.wait_for_slots(2)
    lease = loop.submit("import time; time.sleep(60)", lane(stage(1, 0, 2)))
    for worker in launcher().children():
        worker.kill()
    lost = loop.serve_until(lambda events: [e for e in events if isinstance(e, SlotLost)][1:])
    assert lost[0].reason == "worker killed by SIGKILL"
    assert sorted(loop.wait_for_slots(2)) == ["local-3", "local-4"]
    loop.send(Stop(lease=lease))  # whose slot is gone: nothing happens


def test_what_a_worker_started_dies_with_it(loop, tmp_path):
    file = tmp_path / "pid"
    step = f"""
import os, pathlib, subprocess
pathlib.Path({str(file)!r}).write_text(str(subprocess.Popen(["sleep", "60"]).pid))
os._exit(3)
"""
    loop.open_workload(scripted(step))
    loop.submit(step, lane(stage(1, 0, 1)))
    assert loop.serve_until(first(SlotLost)).reason == "worker ended with exit code 3"
    with contextlib.suppress(psutil.NoSuchProcess):
        assert wait_until_gone([psutil.Process(int(file.read_text()))], timeout_s=PATIENCE_S) == []


def test_a_killed_launcher_is_replaced_with_all_its_workers(loop):
    loop.open_workload(scripted())
    loop.wait_for_slots(2)
    processes = [launcher(), *launcher().children(recursive=True)]
    launcher().kill()
    loop.serve_until(lambda events: [e for e in events if isinstance(e, SlotLost)][1:])
    assert wait_until_gone(processes, timeout_s=PATIENCE_S) == []
    assert sorted(loop.wait_for_slots(2)) == ["local-3", "local-4"]
    assert loop.run("pass", lane(stage(1, 0, 2)))


def test_launchers_that_are_killed_again_and_again_fail_the_engine(loop, tmp_path):
    (tmp_path / "slow.py").write_text(
        "import time\ntime.sleep(60)\n"
    )  # no slot opens: one that did would be a new start
    loop.open_workload(named("slow:T", tmp_path))
    killed: set[psutil.Process] = set()
    while len(killed) < 3:
        for process in set(launchers()) - killed:
            process.kill()
            killed.add(process)
    assert "launcher of the workers ended" in loop.serve_until(first(EngineFailed)).reason
    assert launchers() == []


def test_ctrl_c_is_not_for_workers(loop):
    loop.open_workload(scripted())
    slots = loop.wait_for_slots(2)
    for process in [launcher(), *launcher().children()]:
        process.send_signal(signal.SIGINT)
    assert loop.run("pass", lane(stage(1, 0, 2)))
    assert loop.wait_for_slots(2) == slots


def named(reference: str, folder: Path) -> TrainerSpec:
    """Return a workload whose trainer is imported by name."""
    known = scripted()
    return replace(known, reference=reference, pickled=None, arguments="{}", search_path=(str(folder),), code="")


def test_a_trainer_that_cannot_be_imported_is_told_with_its_reason_and_others_go_on(loop, tmp_path):
    loop.open_workload(named("no_such_module:T", tmp_path))
    assert "no_such_module" in loop.serve_until(first(TrainerUnusable)).reason
    assert launchers() == []
    loop.open_workload(scripted("1"))
    assert loop.run("1", lane(stage(1, 0, 1)))


def test_workers_that_die_before_they_are_open_fail_the_engine_with_their_last_lines(loop, tmp_path):
    (tmp_path / "fatal.py").write_text(
        "import os\nfrom hippo.testing.trainers import ToyTrainer as T\n"
        "os.register_at_fork(after_in_child=lambda: (os.write(2, b'no licence'), os._exit(7)))\n"
    )
    loop.open_workload(named("fatal:T", tmp_path))
    reason = loop.serve_until(first(EngineFailed)).reason
    assert reason.startswith("3 workers in a row ended before they were ready (worker ended with exit code 7).")
    assert "no licence" in reason
    assert launchers() == []


@pytest.mark.parametrize("step", ["pass", "import time; time.sleep(60)"])
def test_nothing_is_left_after_close(tmp_path, step):
    with ControlLoop(LocalEngine(1), str(tmp_path)):
        pass  # imports and caches of the first time are none of ours
    me = psutil.Process()
    fds, threads = me.num_fds(), set(threading.enumerate())
    loop = ControlLoop(LocalEngine(2), str(tmp_path))
    loop.open_workload(scripted(step))
    loop.wait_for_slots(2)
    processes = [launcher(), *launcher().children()]
    loop.submit(step, lane(stage(1, 0, 2)))
    loop.close(timeout_s=0.1)
    assert [process for process in processes if process.is_running()] == []
    assert me.num_fds() <= fds  # less, where a thread of an earlier test has ended meanwhile
    assert set(threading.enumerate()) <= threads


def test_a_busy_worker_leaves_at_its_steps_end_without_force(tmp_path):
    step = f"open({str(tmp_path / 'steps')!r}, 'a').write('.'); import time; time.sleep(0.05)"
    loop = ControlLoop(LocalEngine(1), str(tmp_path))
    loop.open_workload(scripted(step))
    loop.submit(step, lane(stage(1, 0, 1000)))
    loop.serve_until(first(StepDone))
    loop.close(timeout_s=30)
    assert 1 <= len((tmp_path / "steps").read_text()) < 1000


def test_what_happened_before_a_worker_died_is_told_before_its_loss(loop):
    step = "import gc, os; gc.callbacks and os._exit(3); gc.callbacks.append(print)"  # dies in its second step
    loop.open_workload(scripted(step))
    loop.submit(step, lane(stage(1, 0, 2)))
    loop.serve_until(first(SlotLost))
    told = [type(event) for event in loop.events if isinstance(event, StepDone | SlotLost)]
    assert told == [StepDone, SlotLost]


def test_a_worker_that_cannot_write_a_state_says_so_and_goes_on_with_it_in_memory(tmp_path):
    (tmp_path / "file").touch()
    with ControlLoop(LocalEngine(1), str(tmp_path / "file" / "folder")) as loop:
        loop.open_workload(scripted())
        events = loop.run("pass", lane(stage(1, 0, 1), stage(2, 1, 2)))
        failed = [event for event in events if isinstance(event, CheckpointFailed)]
        assert [(event.node, event.step) for event in failed] == [(1, 1), (2, 2)]
        assert "cannot write checkpoint" in failed[0].reason
        kept = [event.added for event in loop.events if isinstance(event, StatesResident)]
        assert kept == [((1, 1),), ((2, 2),)]
        assert loop.wait_for_slots() == ["local-1"]


def test_states_in_memory_cannot_be_shared_by_processes():
    for checkpoints in ("memory://", MemoryCheckpoints()):
        with pytest.raises(EngineError, match="Name a folder, or use InlineEngine"):
            LocalEngine().start(print, checkpoints=checkpoints, clock=SystemClock())


STUDY_THAT_ENDS = """
import sys
from hippo.engines import LocalEngine
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import lane, stage
from hippo.testing.trainers import ToyTrainer
from hippo.training.code.shipping import ship

print("study")

class Mine(ToyTrainer):
    def train(self):
        print("printed")
        print("warned", file=sys.stderr)

with ControlLoop(LocalEngine(2), {folder!r}) as loop:
    loop.open_workload(ship(Mine, seed=0, evaluate_every=1, workload_key="mine"))
    loop.run("mine", lane(stage(1, 0, 1)))
"""


@pytest.mark.parametrize("source", ["file", "folder", "-", "-c"])
def test_a_study_runs_from_any_main_without_a_guard_and_shows_what_users_print(tmp_path, source):
    script = STUDY_THAT_ENDS.format(folder=str(tmp_path))
    (tmp_path / "__main__.py").write_text(script)
    named = {"file": [str(tmp_path / "__main__.py")], "folder": [str(tmp_path)]}
    arguments = (named | {"-": ["-"], "-c": ["-c", script]})[source]
    command = [sys.executable, *arguments]
    done = subprocess.run(command, input=script, capture_output=True, text=True, timeout=60, check=True)
    assert sorted(done.stdout.split()) == ["printed", "study"]
    assert done.stderr == "warned\n"


def test_what_a_module_prints_and_warns_when_it_is_imported_is_shown_once(tmp_path):
    (tmp_path / "talkative.py").write_text(
        "import sys\nfrom hippo.testing.trainers import ToyTrainer\n"
        "print('imported')\nprint('careful', file=sys.stderr)\n"
    )
    script = STUDY_THAT_ENDS.format(folder=str(tmp_path)).replace("class Mine", "import talkative\nclass Mine")
    script = script.replace("import sys", f"import sys; sys.path.insert(0, {str(tmp_path)!r})", 1)
    script = script.replace('"printed"', "talkative.__name__")
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        [sys.executable, "-"], input=script, capture_output=True, text=True, timeout=60, check=True, env=buffered
    )
    assert sorted(done.stdout.split()) == ["imported", "imported", "study", "talkative"]  # by study and launcher
    assert sorted(done.stderr.split()) == ["careful", "careful", "warned"]


def test_what_a_trainers_module_imports_is_imported_once_for_all_workers(tmp_path):
    (tmp_path / "heavy.py").write_text(
        "import os\nfrom hippo.testing.trainers import ToyTrainer, append_line\n"
        f"append_line({str(tmp_path / 'log')!r}, str(os.getpid()))\n"
    )
    with ControlLoop(LocalEngine(2), str(tmp_path)) as loop:
        loop.open_workload(named("heavy:ToyTrainer", tmp_path))
        loop.wait_for_slots(2)
        assert (tmp_path / "log").read_text() == f"{launcher().pid}\n"  # it takes two seconds, if that is torch
