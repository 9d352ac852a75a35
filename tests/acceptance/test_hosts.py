"""A study keeps its word wherever it was started, and whatever happens to it there.

One study, four places to start it from, and what may befall it. Each case ends with the results of trials that were
trained alone, and with no process left.
"""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

import psutil
import pytest

import hippo
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer

from .hosts import PLACES, Host, Notebook, Program, is_gone, processes_of, start, wait_until

pytestmark = pytest.mark.slow

TOY = """
class Mine(ToyTrainer):
    def setup(self, hp):
        if not multiprocessing.active_children():  # it stands for a data loader's
            multiprocessing.get_context("fork").Process(target=time.sleep, args=(600,), daemon=True).start()

    def train(self):
        obey(self.steps)
        return super().train()
"""

TORCH = """
import torch

class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        return torch.full((3,), index / 16) + 0.1 * torch.randn(3), torch.ones(1)

class Mine(hippo.TorchTrainer):
    default_batch_size = 8
    num_workers = 1
    train_set = lambda self: Samples()
    val_set = lambda self: torch.utils.data.TensorDataset(torch.ones(4, 3), torch.ones(4, 1))
    make_model = lambda self: torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Dropout(0.5))
    make_optimizer = lambda self, params: torch.optim.SGD(params, lr=self.hp["lr"], momentum=0.9)
    loss = lambda self, model, batch: (model(batch[0]) - batch[1]).square().mean()

    def __init__(self, log):
        self.log = log

    def build(self):
        super().build()
        self.steps = 0

    def train(self):
        append_line(self.log, f"{os.getpid()} {self.steps}")
        self.steps += 1
        obey(self.steps - 1)
        return super().train()
"""

#: a study in the current folder, whose file `mood` tells its trainer how to behave
STUDY = """
import multiprocessing, os, pathlib, time
import hippo
from hippo import Exponential, MultiStep
from hippo.testing.trainers import ToyTrainer, append_line

def obey(steps):
    while (mood := pathlib.Path("mood").read_text()) == "stuck" and steps > 12:
        pass
    time.sleep((0.02 if steps < 12 else 0.5) if mood == "slow" else 0)  # it is not over before it is interrupted
{trainer}
rates = [0.1, MultiStep(0.1, [10], 0.1), MultiStep(0.1, [20], 0.1), Exponential(0.1, 0.9)]
tuner = hippo.GridSearch(hippo.GridSearchSpace({"lr": rates}), until=30)

# run
study = hippo.create_study(
    "mine", trainer=Mine, trainer_args={"log": "log"}, storage="sqlite:///hippo.db", checkpoints="states",
    engine=hippo.LocalEngine(2), metric="loss", mode="min", checkpoint_budget="1GB",
)
study.optimize(tuner)
print("the end")
"""
TOY_STUDY, TORCH_STUDY = (STUDY.replace("{trainer}", trainer) for trainer in (TOY, TORCH))
INLINE_STUDY = TOY_STUDY.replace("LocalEngine(2)", "InlineEngine()")

DISTINCT_STEPS = 90
HOW_TO_GO_ON = "run the same code again to go on"

every_place = pytest.mark.parametrize("place", PLACES)


def begin(place: str, folder: Path, mood: str, study: str = TOY_STUDY) -> contextlib.AbstractContextManager[Host]:
    (folder / "mood").write_text(mood)
    return start(place, study, folder)


def steps(folder: Path) -> list[tuple[int, int]]:
    """Return the process and the number of each step that was begun, in order."""
    log = folder / "log"
    lines = log.read_text().splitlines() if log.exists() else []
    return [(int(line.split()[0]), int(line.split()[1])) for line in lines]


def wait_for_training(folder: Path) -> None:
    wait_until("training", lambda: len(steps(folder)) > 12)


def wait_until_stuck(folder: Path) -> None:
    """Wait until both workers are in a step that never ends, or just before it."""
    wait_until("stuck", lambda: len({process for process, step in steps(folder) if step >= 12}) == 2)


def wait_until_gone(processes: list[psutil.Process]) -> None:
    # within a second where there is nothing else to do; a busy machine takes longer to end a loader of torch
    wait_until("all processes gone", lambda: all(map(is_gone, processes)), timeout_s=30)


def results(folder: Path) -> hippo.Study:
    return hippo.load_study("mine", f"sqlite:///{folder}/hippo.db")


def assert_undisturbed(folder: Path, seen: str) -> hippo.Statistics:
    assert "the end" in seen or "1 passed" in seen, seen
    assert [trial.state for trial in results(folder).trials] == [hippo.TrialState.COMPLETE] * 4
    for trial in results(folder).trials:
        assert dict(trial.history) == train_alone(ToyTrainer, trial.config, until=30)
    return results(folder).statistics()


def run_to_its_end(place: str, folder: Path, study: str = TOY_STUDY) -> str:
    with begin(place, folder, "quick", study) as host:
        return host.wait()


@every_place
def test_a_study_runs_to_its_end_and_says_nothing_of_itself(place: str, tmp_path: Path) -> None:
    seen = run_to_its_end(place, tmp_path)
    assert assert_undisturbed(tmp_path, seen).steps_executed == DISTINCT_STEPS
    assert seen == "the end\n" or (place == "pytest" and "warning" not in seen)


@every_place
def test_ctrl_c_stops_a_study_that_goes_on_without_repeating_a_step(place: str, tmp_path: Path) -> None:
    with begin(place, tmp_path, "slow") as host:
        wait_for_training(tmp_path)
        processes = processes_of(host)
        host.interrupt()
        seen = host.wait()
        assert HOW_TO_GO_ON in seen.lower()
        assert len(steps(tmp_path)) < DISTINCT_STEPS
        if isinstance(host, Notebook):  # it stays, and so do its workers
            (tmp_path / "mood").write_text("quick")
            host.run("study.optimize(tuner); print('the end')")
            seen = host.wait()
    wait_until_gone(processes)
    if place != "notebook":
        seen = run_to_its_end(place, tmp_path)
    assert assert_undisturbed(tmp_path, seen).steps_repeated == 0


@every_place
def test_no_process_outlives_a_killed_study_which_goes_on_at_once(place: str, tmp_path: Path) -> None:
    with begin(place, tmp_path, "stuck") as host:
        wait_until_stuck(tmp_path)
        processes = processes_of(host)
        assert len(processes) == 5  # the launcher, two workers, and what each of them started
        host.kill()
        wait_until_gone(processes)
        assert_undisturbed(tmp_path, run_to_its_end(place, tmp_path))


@every_place
def test_a_study_whose_workers_are_killed_goes_on_by_itself(place: str, tmp_path: Path) -> None:
    with begin(place, tmp_path, "stuck") as host:
        wait_until_stuck(tmp_path)
        for worker in {process for process, _ in steps(tmp_path)}:
            os.kill(worker, signal.SIGKILL)
        (tmp_path / "mood").write_text("quick")
        seen = host.wait()
    assert_undisturbed(tmp_path, seen)
    assert place == "pytest" or seen.count("a worker was lost (worker killed by SIGKILL); its stages run again") == 2


@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_ends_workers_that_are_stuck_in_a_step(presses: int, tmp_path: Path) -> None:
    patient = "import hippo.study.interrupts\nhippo.study.interrupts.CTRL_C_TIMEOUT_S = 600.0\n"
    with begin("script", tmp_path, "stuck", patient * (presses - 1) + TOY_STUDY) as host:
        assert isinstance(host, Program)
        wait_until_stuck(tmp_path)
        processes = processes_of(host)
        host.interrupt()
        if presses == 2:  # one alone would be waited for; two at once would be one signal
            wait_until("told of the second press", lambda: "(Ctrl-C again: at once)" in host.seen)
            host.interrupt()
        seen = host.wait()
        wait_until_gone(processes)
    assert HOW_TO_GO_ON in seen.lower()
    assert "Traceback" not in seen
    assert_undisturbed(tmp_path, run_to_its_end("script", tmp_path))


def test_ctrl_c_stops_a_study_that_runs_in_its_own_process(tmp_path: Path) -> None:
    with begin("script", tmp_path, "slow", INLINE_STUDY) as host:
        wait_for_training(tmp_path)
        host.interrupt()
        seen = host.wait()
    assert HOW_TO_GO_ON in seen.lower()
    assert "lost" not in seen
    assert_undisturbed(tmp_path, run_to_its_end("script", tmp_path, INLINE_STUDY))


@pytest.mark.parametrize("study", [TOY_STUDY, INLINE_STUDY], ids=["LocalEngine", "InlineEngine"])
def test_a_notebooks_stop_button_withdraws_what_a_cell_awaits(study: str, tmp_path: Path) -> None:
    with begin("notebook", tmp_path, "slow", study.replace("study.optimize(tuner)", "")) as host:
        assert isinstance(host, Notebook)
        host.wait()
        host.run("await study.ask({'lr': 0.1}, until=10**6)")
        wait_for_training(tmp_path)
        host.interrupt()
        assert "CancelledError" in host.wait()
        (tmp_path / "mood").write_text("quick")
        host.run("print((await study.ask({'lr': 0.1}, until=60)).metrics)")
        assert "loss" in host.wait()
    withdrawn, answered = results(tmp_path).trials
    assert (withdrawn.state, answered.state) == (hippo.TrialState.WAITING, hippo.TrialState.COMPLETE)


def test_a_killed_study_of_torch_workers_and_their_loaders_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    (undisturbed := tmp_path / "undisturbed").mkdir()
    (killed := tmp_path / "killed").mkdir()
    assert "the end" in run_to_its_end("script", undisturbed, TORCH_STUDY)
    with begin("script", killed, "stuck", TORCH_STUDY) as host:
        wait_until_stuck(killed)
        processes = processes_of(host)
        assert len(processes) > 3  # the launcher, two workers and their loaders
        host.kill()
        wait_until_gone(processes)
    assert "the end" in run_to_its_end("script", killed, TORCH_STUDY)
    for trial, alike in zip(results(killed).trials, results(undisturbed).trials, strict=True):
        assert dict(trial.history) == dict(alike.history)
        assert len(trial.history) == 30
