"""Workers that are stopped, stuck or slow to write, and studies that are interrupted while workers start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from hippo.checkpoints import FolderCheckpoints
from hippo.engines import LocalEngine
from hippo.events import AssignmentWaits, CheckpointWritten, SlotLost, StageFailed, StatesResident
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import lane, stage
from hippo.testing.residents_contract import toy
from hippo.testing.scripted import scripted

from .test_local_processes import PATIENCE_S, wait_until_gone

pytestmark = pytest.mark.slow

STUCK = "import time; time.sleep(60)"
#: from now on each part of a file takes a while
SLOW_WRITES = """
import time
from hippo.checkpoints.folder import HashingFile
write = HashingFile.write
HashingFile.write = lambda file, data: (time.sleep(0.1), write(file, data))[1]
"""
#: and files are written beside their lane, which trains on meanwhile
SLOW_WRITES_BESIDE = (
    f"{SLOW_WRITES}\nimport hippo.training.walking.lane_states as states\nstates.LEAST_THREADED_BYTES = 0\n"
)
#: and each part takes longer than any test
STUCK_WRITES, STUCK_WRITES_BESIDE = (each.replace("(0.1)", "(600)") for each in (SLOW_WRITES, SLOW_WRITES_BESIDE))

#: from now on files are written when the gate is there
GATED_WRITES = """
import os, time
from hippo.checkpoints.folder import HashingFile
write = HashingFile.write
def wait_and_write(file, data):
    while not os.path.exists({gate!r}):
        time.sleep(0.01)
    return write(file, data)
HashingFile.write = wait_and_write
"""


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[ControlLoop]:
    with ControlLoop(LocalEngine(1), str(tmp_path)) as loop:
        yield loop


def first(kind: type) -> object:
    return lambda events: next((event for event in events if isinstance(event, kind)), None)


def files(folder: Path) -> tuple[list[str], int]:
    """Return the checkpoints, and the number of files that are not whole."""
    return list(FolderCheckpoints(folder).keys()), len(list(folder.rglob("*.part")))


def wait_until_written(folder: Path) -> None:
    """Wait until a worker is about to write a state, or has written it."""
    while files(folder) == ([], 0):
        time.sleep(0.005)


def test_a_stopped_worker_is_given_up_by_name_and_replaced(loop):
    loop.open_workload(scripted())
    loop.open_workload(scripted(STUCK))
    (slot,) = loop.wait_for_slots()
    word, pid = loop.engine.describe(slot).split()
    assert word == "pid"
    os.kill(int(pid), signal.SIGSTOP)
    loop.submit(STUCK, lane(stage(1, 0, 2)))
    loop.lose(slot, "no step in 60 s")
    assert loop.serve_until(first(SlotLost)) == SlotLost(slot=slot, reason="no step in 60 s")
    assert not psutil.pid_exists(int(pid))
    assert loop.run("pass", lane(stage(1, 0, 2)))
    assert loop.engine.describe(slot) == "gone"


def test_a_slot_that_is_gone_is_not_lost_again(loop):
    loop.open_workload(scripted())
    (slot,) = loop.wait_for_slots()
    loop.lose(slot, "once")
    loop.serve_until(first(SlotLost))
    loop.lose(slot, "twice")
    loop.run("pass", lane(stage(1, 0, 1)))
    assert [event.reason for event in loop.events if isinstance(event, SlotLost)] == ["once"]


@pytest.mark.parametrize("step", [SLOW_WRITES, SLOW_WRITES_BESIDE], ids=["in place", "beside"])
def test_a_worker_that_is_writing_when_the_study_ends_is_waited_for(tmp_path, step):
    loop = ControlLoop(LocalEngine(1), str(tmp_path))
    loop.open_workload(scripted(step))
    loop.submit(step, lane(stage(1, 0, 1)))
    wait_until_written(tmp_path)
    loop.close(timeout_s=0.05)
    keys, unfinished = files(tmp_path)
    assert (len(keys), unfinished) == (1, 0)


@pytest.mark.parametrize("step", [STUCK_WRITES, STUCK_WRITES_BESIDE], ids=["in place", "beside"])
def test_without_any_time_a_worker_that_is_writing_is_ended(tmp_path, step):
    loop = ControlLoop(LocalEngine(1), str(tmp_path))
    loop.open_workload(scripted(step))
    loop.submit(step, lane(stage(1, 0, 1)))
    wait_until_written(tmp_path)
    loop.close(timeout_s=0.0)
    assert files(tmp_path) == ([], 1)


def test_a_long_write_is_told_of_so_that_no_time_out_takes_it_for_a_step_that_hangs(loop, tmp_path):
    step = GATED_WRITES.format(gate=str(tmp_path / "gate"))
    loop.open_workload(scripted(step))
    lease = loop.submit(step, lane(stage(1, 0, 1)))
    assert loop.serve_until(first(AssignmentWaits)) == AssignmentWaits(lease=lease)
    (tmp_path / "gate").touch()
    assert loop.serve_until(first(CheckpointWritten)).step == 1


def test_a_worker_that_trains_on_is_not_waited_for(tmp_path):
    loop = ControlLoop(LocalEngine(1), str(tmp_path))
    loop.open_workload(scripted(STUCK))
    loop.wait_for_slots()
    loop.submit(STUCK, lane(stage(1, 0, 2)))
    began = time.perf_counter()
    loop.close(timeout_s=0.1)
    assert time.perf_counter() - began < 60  # which its step takes


def test_the_memory_for_recent_states_is_what_was_given(tmp_path):
    with ControlLoop(LocalEngine(1, resident_bytes=0), str(tmp_path)) as loop:
        loop.open_workload(toy())
        loop.run(toy().workload, lane(stage(1, 0, 1)))
        told = [event for event in loop.events if isinstance(event, StatesResident)]
    assert [event.dropped for event in told] == [event.added for event in told] == [((1, 1),)]


def test_memory_that_ran_out_is_told_from_a_fact_about_the_trial(loop):
    for step, is_resource in [("raise MemoryError", True), ("raise ValueError", False)]:
        loop.open_workload(scripted(step))
        (failed,) = [event for event in loop.run(step, lane(stage(1, 0, 2))) if isinstance(event, StageFailed)]
        assert failed.is_resource is is_resource


STUDY = """
import sys
sys.path.insert(0, {folder!r})
import hippo, slow
study = hippo.create_study("s", trainer=slow.T, engine=hippo.LocalEngine(2), metric="loss", mode="min",
    storage="sqlite:///{folder}/hippo.db", checkpoints="{folder}/checkpoints")
print("ready", flush=True)
study.evaluate({{"lr": 0.1}}, until=10**6)
"""


@pytest.mark.parametrize("seconds", [0.0, 0.2, 0.5])
def test_ctrl_c_while_workers_start_leaves_no_process(tmp_path, seconds):
    (tmp_path / "slow.py").write_text(
        "import time\nfrom hippo.testing.trainers import ToyTrainer\ntime.sleep(0.3)\nclass T(ToyTrainer): pass\n"
    )
    script = STUDY.format(folder=str(tmp_path))
    study = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert study.stdout is not None
    study.stdout.readline()
    time.sleep(seconds)
    started = psutil.Process(study.pid).children(recursive=True)
    os.killpg(study.pid, signal.SIGINT)
    study.communicate(timeout=30)
    assert study.returncode != 0
    assert wait_until_gone(started, timeout_s=PATIENCE_S) == []  # what they say ends a moment before they do
