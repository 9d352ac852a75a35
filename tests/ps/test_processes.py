"""Processes of a gang: what one that is killed costs, and that none outlives its trainer."""

from __future__ import annotations

import copy
import gc
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import hippo
from hippo.errors import GangLostError
from hippo.ps import ClockGradients
from hippo.ps.gang import Gang
from hippo.ps.shared_memory import SharedMemoryTransport
from hippo.testing.ps_trainers import NoisyServer, built_server, same_tables
from hippo.training.failures import is_resource_error
from hippo.training.process.process_settings import settings_kept
from hippo.training.trainers import new_trainer
from hippo.training.values import HparamValues

MakeStudy = Callable[..., hippo.Study]
SPACE = [{"lr": 0.1, "staleness": 3}, {"lr": hippo.Piecewise([0.1, 0.02], [4]), "staleness": 3}]


def workers_below(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def wait_until_gone(processes: list[psutil.Process], seconds: float = 60.0) -> list[psutil.Process]:
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    return alive


def history(study: hippo.Study) -> list[dict[int, Any]]:
    return [dict(trial.history) for trial in study.trials]


@pytest.mark.slow  # worker processes
def test_workers_end_when_the_study_of_this_process_is_closed_and_others_begin_when_it_goes_on(
    make_study: MakeStudy,
) -> None:
    study, others = make_study(trainer=NoisyServer), set(workers_below(os.getpid()))
    gc.disable()  # nobody is to find them by chance
    try:
        for until in (2, 4):
            study.optimize(hippo.GridSearch(SPACE, until=until))
            workers = [each for each in workers_below(os.getpid()) if each not in others]
            assert workers
            study.close()
            assert not wait_until_gone(workers)
    finally:
        gc.enable()


@pytest.mark.slow  # worker processes
@pytest.mark.parametrize("engine", [hippo.InlineEngine, lambda: hippo.LocalEngine(workers=1)])
def test_a_worker_that_is_killed_costs_steps_and_no_result(
    make_study: MakeStudy, tmp_path: Path, engine: Callable[[], Any]
) -> None:
    kill_file = tmp_path / "kill"
    arguments = {"kill_in": 3 * 5, "kill_file": str(kill_file)}  # in the sixth step
    tuner = hippo.GridSearch(SPACE, until=8)

    undisturbed = make_study("undisturbed", trainer_args=arguments, storage="memory://", engine=engine())
    undisturbed.optimize(tuner)
    kill_file.touch()
    killed = make_study("killed", trainer_args=arguments, engine=engine())
    with pytest.warns(UserWarning, match=r"worker 1 of the parameter server .* ended with signal SIGKILL"):
        killed.optimize(tuner)

    assert not kill_file.exists()
    assert history(killed) == history(undisturbed)
    statistics = killed.statistics()
    assert statistics.steps_executed - statistics.steps_repeated == undisturbed.statistics().steps_executed == 12
    assert 0 < statistics.steps_repeated <= 5  # back to the last checkpoint, or to the beginning


@pytest.mark.parametrize("lost_in", [1, 2, 3, 8, 12])  # the third, fourth and 13th run are of checks
def test_a_gang_lost_in_any_step_costs_no_result(
    make_study: MakeStudy, monkeypatch: pytest.MonkeyPatch, lost_in: int
) -> None:
    tuner, runs, run = hippo.GridSearch(SPACE, until=8), itertools.count(), Gang.run

    def lose(gang: Gang, operation: Any) -> Any:
        if next(runs) == lost_in:
            gang.close()
            raise GangLostError("worker 1 is gone")
        return run(gang, operation)

    arguments = {"in_process": True}
    undisturbed = make_study("undisturbed", trainer_args=arguments, storage="memory://")
    undisturbed.optimize(tuner)
    monkeypatch.setattr(Gang, "run", lose)
    disturbed = make_study("disturbed", trainer_args=arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        disturbed.optimize(tuner)
    assert next(runs) > lost_in
    assert history(disturbed) == history(undisturbed)


def test_a_trainer_whose_gang_is_lost_is_not_left_for_the_next_lane() -> None:
    trainer = built_server(NoisyServer, {"lr": 0.1}, in_process=True)
    assert trainer._outlives_close()
    trainer._branch.gang.close()
    assert not trainer._outlives_close()


def test_a_lost_gang_is_no_fact_about_a_trial() -> None:
    assert is_resource_error(GangLostError("worker 1 is gone"))
    assert not is_resource_error(RuntimeError("worker 1 is gone"))


@pytest.mark.slow  # worker processes
def test_branches_in_memory_outlive_their_gang_and_the_next_one_goes_on_from_them() -> None:
    trainer = built_server(NoisyServer, {"lr": 0.1})
    trainer.train()
    kept = trainer._live_copy()
    trainer._branch.gang._transport._processes[0].kill()
    with pytest.raises(GangLostError, match="worker 0"):
        trainer.train()

    trainer.build()  # a gang of its own
    trainer._load_live(kept)

    undisturbed = built_server(NoisyServer, {"lr": 0.1}, in_process=True)
    undisturbed.train()
    assert trainer.train() == undisturbed.train()
    assert same_tables(trainer.state_dict()["tables"], undisturbed.state_dict()["tables"])


@pytest.mark.slow  # worker processes
def test_workers_end_with_the_last_copy_of_their_trainer() -> None:
    before = set(workers_below(os.getpid()))
    trainer = built_server(NoisyServer, {"lr": 0.1})
    trainer.train()
    workers = [each for each in workers_below(os.getpid()) if each not in before]
    assert len(workers) == 2
    other = trainer
    del trainer
    gc.collect()
    assert all(worker.is_running() for worker in workers)

    del other

    assert wait_until_gone(workers) == []


@pytest.mark.slow  # worker processes
def test_nothing_is_left_open_or_mapped_when_a_gang_is_closed() -> None:
    built_server(NoisyServer, {"lr": 0.1}).train()  # what is loaded once
    gc.collect()
    files, segments = os.listdir("/proc/self/fd"), named_segments()
    mappings = shared_mappings()

    for _ in range(3):
        trainer = built_server(NoisyServer, {"lr": 0.1})
        trainer.train()
        assert named_segments() == segments  # memory without a name
        assert shared_mappings() > 0
        del trainer
    gc.collect()

    # fewer, where an earlier test's processes were still ending when they were counted
    assert len(os.listdir("/proc/self/fd")) <= len(files)
    assert shared_mappings() <= mappings


def named_segments() -> set[str]:
    """Return the shared memory with a name that this process maps: others on the machine make theirs as they like."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return {line.split(maxsplit=5)[5] for line in lines if "/dev/shm/" in line and not line.endswith(" (deleted)")}


def shared_mappings() -> int:
    """Return how many anonymous stretches of memory this process shares: Linux shows them as a deleted /dev/zero."""
    return Path("/proc/self/maps").read_text().count("/dev/zero (deleted)")


PARENT = """
import os, signal, sys, threading
from hippo.testing.ps_trainers import NoisyServer, built_server

class Slow(NoisyServer):
    def gradients(self, tables, share):
        if share.clock == {clock}:
            os.write(1, b"computing\\n")  # in one piece: both workers write there
            threading.Event().wait(600)
        return super().gradients(tables, share)

trainer = built_server(Slow, {{"lr": 0.1}})
trainer.train()
print(*trainer._branch.gang._transport.pids, flush=True)
input()  # until they are known there
{then}
"""


@pytest.mark.slow  # a process that is killed
@pytest.mark.parametrize(
    ("clock", "then"),
    [
        (-1, "os.kill(os.getpid(), signal.SIGKILL)"),
        (-1, "os._exit(0)"),
        (-1, "sys.exit(0)"),
        (3, "trainer.train()"),  # killed from outside, while workers compute
    ],
)
def test_no_worker_outlives_the_process_that_made_it(clock: int, then: str) -> None:
    program = [sys.executable, "-c", PARENT.format(clock=clock, then=then)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        workers = [psutil.Process(int(pid)) for pid in parent.stdout.readline().split()]
        assert len(workers) == 2
        print(file=parent.stdin, flush=True)
        if clock >= 0:
            told = parent.stdout.readline()
            alive = [worker.is_running() for worker in workers]
            parent.send_signal(signal.SIGKILL)
            assert (told, alive) == ("computing\n", [True, True])
        parent.wait(30)
        assert wait_until_gone(workers) == []


@pytest.mark.slow  # worker processes
def test_ctrl_c_while_workers_compute_ends_the_gang_and_nobody_else() -> None:
    class Slow(NoisyServer):
        def gradients(self, tables: Any, share: Any) -> Any:
            if share.worker == 0:
                os.kill(os.getppid(), signal.SIGINT)
            threading.Event().wait(600)

    trainer = built_server(Slow, {"lr": 0.1})
    workers = [psutil.Process(pid) for pid in trainer._branch.gang._transport.pids]
    with pytest.raises(KeyboardInterrupt):
        trainer.train()
    assert wait_until_gone(workers) == []
    assert trainer._branch.gang.is_lost


class Silent(SharedMemoryTransport):
    """Its notifications are lost."""

    def notify(self) -> None:
        pass


@pytest.mark.slow  # worker processes
def test_workers_look_again_though_nobody_tells_them() -> None:
    class Untold(NoisyServer):
        def make_transport(self) -> SharedMemoryTransport:
            return Silent()

    trainer = built_server(Untold, {"lr": 0.1})
    assert trainer.train() == built_server(NoisyServer, {"lr": 0.1}, in_process=True).train()


@pytest.mark.slow  # worker processes
def test_a_worker_killed_in_its_sleep_while_another_one_fails_locks_nobody_up(tmp_path: Path) -> None:
    class Killing(NoisyServer):
        def gradients(self, tables: Any, share: Any) -> Any:
            if share.worker == 0 and share.clock == 0:  # without which there is no clock 1
                (tmp_path / "pid").write_text(str(os.getpid()))
            elif share.worker == 1 and share.clock == 1:
                threading.Event().wait(0.5)  # until the other one sleeps
                os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
                raise ZeroDivisionError("told to")
            return super().gradients(tables, share)

    trainer = built_server(Killing, {"lr": 0.1})
    with pytest.raises(GangLostError, match=r"worker 0 .* ended with signal SIGKILL"):
        trainer.train()


class CannotBePickled(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


@pytest.mark.slow  # worker processes
def test_an_error_that_does_not_travel_arrives_by_its_words() -> None:
    class Raising(NoisyServer):
        def gradients(self, tables: Any, share: Any) -> Any:
            raise CannotBePickled(1, 2)

    trainer = built_server(Raising, {"lr": 0.1})
    with pytest.raises(RuntimeError, match="CannotBePickled: 1 and 2"):
        trainer.train()


def test_cuda_in_use_is_refused_before_anything_is_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Torch:
        class cuda:
            @staticmethod
            def is_initialized() -> bool:
                return True

    monkeypatch.setitem(sys.modules, "torch", Torch)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="CUDA is in use in this process"):
        SharedMemoryTransport()


class Setting(NoisyServer):
    """Tells whether a worker finds settings of the process changed. The hyper-parameter `where` says who does."""

    def change(self, where: str) -> None:
        if self.hp["where"] == where:
            os.environ["HIPPO_TEST_OF_WORKERS"] = "1"
            np.seterr(over="raise")

    def build(self) -> None:
        self.change("build")
        super().build()

    def setup(self, hp: Any) -> None:
        self.change("setup")

    def gradients(self, tables: Any, share: Any) -> ClockGradients:
        found = ("HIPPO_TEST_OF_WORKERS" in os.environ) + (np.geterr()["over"] == "raise")
        self.change("gradients")
        return ClockGradients(loss=4.0 * found, samples=4, tables={})


@pytest.mark.slow  # worker processes
@pytest.mark.parametrize("in_process", [True, False])
@pytest.mark.parametrize("order", [("build", "setup", "gradients", ""), ("gradients", "", "build", "setup")])
def test_workers_see_the_settings_of_their_own_trial_alone(order: tuple[str, ...], in_process: bool) -> None:
    pristine, found = new_trainer(Setting, json.dumps({"in_process": in_process}), seed=0, scale="1"), {}
    for where in order:
        trainer = copy.copy(pristine)
        with settings_kept(lambda changes: None):
            trainer.hp = HparamValues({"lr": 0.1, "where": where})
            trainer.build()
            trainer.setup(trainer.hp)
            found[where] = trainer.train()["loss"]
    assert found == {"build": 2.0, "setup": 2.0, "gradients": 0.0, "": 0.0}


@pytest.mark.slow  # worker processes
@pytest.mark.parametrize("optimizer", ["sgd", "adagrad", "adarevision"])
@pytest.mark.parametrize("staleness", [0, 1, 3, 7])
def test_processes_come_to_the_bits_of_one_process(optimizer: str, staleness: int) -> None:
    values = {"lr": 0.05, "momentum": 0.9 if optimizer == "sgd" else 0.0, "staleness": staleness}
    arguments = {"optimizer": optimizer, "workers": 3, "clocks_per_step": 9}
    states = []
    for in_process in (False, True):
        trainer = built_server(NoisyServer, values, in_process=in_process, **arguments)
        told = [trainer.train() for _ in range(3)]
        states.append((told, trainer._live_copy().encoded().tree, trainer))
    (told, state, one), (told_here, state_here, other) = states
    assert told == told_here
    assert state["clocks"] == state_here["clocks"] == 27
    assert same_tables(one.state_dict()["tables"], other.state_dict()["tables"])
