"""The inline engine runs stages where the user stands."""

from __future__ import annotations

import concurrent.futures
import os
import random
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

import hippo
from hippo.checkpoints import MemoryCheckpoints
from hippo.engines import InlineEngine
from hippo.events import (
    AssignmentDone,
    AssignmentWaits,
    CheckpointUnusable,
    EngineEvent,
    LaneEvent,
    SlotLost,
    StatesResident,
    StepDone,
)
from hippo.records import Boundary, Keep, LaneStart, Stop
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import lane, stage
from hippo.testing.residents_contract import toy
from hippo.testing.scripted import scripted
from hippo.testing.trainers import ToyTrainer
from hippo.training.process.turns import turn_taken

ONE_STEP = lane(stage(1, 0, 1))


@pytest.fixture
def loop() -> Iterator[ControlLoop]:
    with ControlLoop(InlineEngine(), MemoryCheckpoints()) as loop:
        loop.open_workload(scripted())
        yield loop


def start_serving(engine: InlineEngine) -> tuple[threading.Thread, concurrent.futures.Future[None]]:
    """Serve the engine from another thread until the future is done."""
    done: concurrent.futures.Future[None] = concurrent.futures.Future()
    thread = threading.Thread(target=engine.serve, args=(done,))
    thread.start()
    return thread, done


def wait_for(claim: Callable[[], object]) -> None:
    deadline = time.monotonic() + 120
    while not claim():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def kinds(events: list[EngineEvent]) -> set[type]:
    return {type(event) for event in events}


def test_stages_run_in_the_thread_that_waits(loop):
    step = "import threading; threading.current_thread().was_here = True"
    loop.open_workload(scripted(step))
    loop.run(step, ONE_STEP)
    assert threading.current_thread().__dict__.pop("was_here")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_ctrl_c_leaves_serve_and_the_next_one_goes_on_in_a_new_slot(loop, stop):
    loop.open_workload(scripted(f"raise {stop.__name__}"))
    with pytest.raises(stop):
        loop.run(f"raise {stop.__name__}", ONE_STEP)
    events = loop.run("pass", ONE_STEP)
    assert StepDone in kinds(events)
    assert [event for event in loop.events if isinstance(event, SlotLost)] == [
        SlotLost(slot="inline-1", reason=f"stopped by {stop.__name__}")
    ]
    assert loop.wait_for_slots() == ["inline-2"]


def test_a_slot_that_opens_anew_holds_nothing(loop):
    loop.open_workload(toy())
    loop.open_workload(scripted("raise SystemExit"))
    transient = stage(1, 0, 2, boundary=Boundary(evaluate=False, keep=Keep.TRANSIENT))
    loop.run(toy().workload, lane(transient))
    with pytest.raises(SystemExit):
        loop.run("raise SystemExit", ONE_STEP)
    begin = LaneStart(node=transient.node, step=2, checkpoint=None, pieces=transient.pieces)
    events = loop.run(toy().workload, lane(stage(1, 2, 3), begin=begin))
    assert CheckpointUnusable in kinds(events)
    assert StepDone not in kinds(events)


def test_a_slot_that_is_given_up_is_lost_at_its_steps_end_and_another_opens(loop):
    loop.wait_for_slots()
    thread, done = start_serving(loop.engine)
    loop.submit("pass", lane(stage(1, 0, 10**9)))
    wait_for(lambda: StepDone in kinds(loop.events))
    loop.lose("inline-1", "no step in 60 s")
    wait_for(lambda: SlotLost(slot="inline-1", reason="no step in 60 s") in loop.events)
    assert loop.engine.describe("inline-1") == f"this process, pid {os.getpid()}"
    done.set_result(None)
    thread.join(timeout=120)
    assert StepDone in kinds(loop.run("pass", ONE_STEP))
    assert loop.wait_for_slots() == ["inline-2"]


def test_a_slot_without_work_is_not_given_up(loop):
    slots = loop.wait_for_slots()
    loop.lose("inline-1", "too late")
    assert StepDone in kinds(loop.run("pass", ONE_STEP))
    assert loop.wait_for_slots() == slots


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_that_comes_back_from_the_trainer_ends(loop, tmp_path, capfd):
    step = f"import os\nif pid := os.fork():\n    open({str(tmp_path / 'pid')!r}, 'w').write(str(pid))"
    loop.open_workload(scripted(step))
    loop.run(step, ONE_STEP)
    forked = int((tmp_path / "pid").read_text())
    assert os.waitstatus_to_exitcode(os.waitpid(forked, 0)[1]) == 1
    assert "came back from its method" in capfd.readouterr().err


def test_the_memory_for_recent_states_is_what_was_given():
    with ControlLoop(InlineEngine(resident_bytes=0), MemoryCheckpoints()) as loop:
        loop.open_workload(toy())
        loop.run(toy().workload, ONE_STEP)
        told = [event for event in loop.events if isinstance(event, StatesResident)]
    assert [event.dropped for event in told] == [event.added for event in told] == [((1, 1),)]


def test_an_engine_that_is_closed_stops_the_stage_in_another_thread_at_its_steps_end():
    loop = ControlLoop(InlineEngine(), MemoryCheckpoints())
    loop.open_workload(scripted())
    loop.wait_for_slots()
    thread, done = start_serving(loop.engine)
    loop.submit("pass", lane(stage(1, 0, 10**9)))
    wait_for(lambda: StepDone in kinds(loop.events))
    loop.close(timeout_s=30)
    assert AssignmentDone not in kinds(loop.events)
    done.set_result(None)
    thread.join(timeout=120)
    assert not thread.is_alive()


def test_what_is_stopped_before_its_turn_begins_no_step(loop):
    loop.wait_for_slots()
    thread, done = start_serving(loop.engine)
    try:
        with turn_taken():
            lease = loop.submit("pass", ONE_STEP)
            loop.send(Stop(lease=lease))
            wait_for(lambda: SlotLost in kinds(loop.events))
    finally:
        done.set_result(None)
        thread.join(timeout=120)
    assert [event.announced for event in loop.events if isinstance(event, SlotLost)] == [True]
    assert StepDone not in kinds(loop.events)
    assert StepDone in kinds(loop.run("pass", ONE_STEP))


def test_what_waits_for_its_turn_is_heard_of_so_that_no_time_out_takes_it_for_a_step_that_hangs(loop):
    loop.wait_for_slots()
    thread, done = start_serving(loop.engine)
    try:
        with turn_taken():
            waits = AssignmentWaits(lease=loop.submit("pass", ONE_STEP))
            wait_for(lambda: loop.events.count(waits) > 1)
        wait_for(lambda: AssignmentDone in kinds(loop.events))
    finally:
        done.set_result(None)
        thread.join(timeout=120)
    assert isinstance(waits, LaneEvent)  # which each have the time-out begin anew


def test_a_thread_that_waited_while_another_served_takes_over(loop):
    loop.wait_for_slots()
    first, first_done = start_serving(loop.engine)
    second, second_done = start_serving(loop.engine)
    first_done.set_result(None)
    first.join(timeout=120)
    loop.submit("pass", ONE_STEP)
    wait_for(lambda: AssignmentDone in kinds(loop.events))
    second_done.set_result(None)
    second.join(timeout=120)
    assert not first.is_alive()
    assert not second.is_alive()


def test_what_a_script_draws_between_calls_is_what_it_would_without_them():
    study = hippo.create_study(
        "drawn", trainer=ToyTrainer, storage="memory://", engine=InlineEngine(), metric="loss", mode="min"
    )  # fmt: skip

    def drawn(between):
        random.seed(7), np.random.seed(7), torch.manual_seed(7)
        for rate in (0.1, 0.2):
            between(rate)
            yield random.random(), float(np.random.rand()), float(torch.rand(()))

    assert list(drawn(lambda rate: study.evaluate({"lr": rate}, until=2))) == list(drawn(lambda rate: None))
    study.close()
