"""A worker that loads nothing is shown a state that another one recorded, and must evaluate it alike."""

from __future__ import annotations

import os
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hippo
from hippo.errors import ExactnessError
from hippo.events import ExactnessChecked, StepDone
from hippo.records import Lane
from hippo.testing.remembering_host import RememberingHost, along, run_lanes, spec_of, stages, start_at
from hippo.testing.trainers import ToyTrainer

RATES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]


class Splitting(hippo.Trainer):
    """Evaluates on rows that `__init__` chooses, with a generator of its own or with the global one."""

    def __init__(self, seeded: bool) -> None:
        chance = random if seeded else np.random.default_rng()
        self.rows = [chance.random() for _ in range(3)]

    def build(self) -> None:
        self.weight = 1.0

    def train(self) -> None:
        self.weight -= self.hp["lr"] * self.weight

    def evaluate(self) -> dict[str, Any]:
        return {"loss": sum(row * self.weight**2 for row in self.rows)}

    def state_dict(self) -> dict[str, Any]:
        return {"weight": self.weight}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.weight = state["weight"]


def study(folder: Path, engine: Any, trainer: Any = Splitting, **options: Any) -> hippo.Study:
    """Return the study of a folder, in a process that has made no trainer yet."""
    return hippo.create_study(
        "split",
        trainer=trainer,
        storage=f"sqlite:///{folder / 'hippo.db'}",
        checkpoints=str(folder / "checkpoints"),
        engine=engine,
        metric="loss",
        mode="min",
        **options,
    )


def grid(rates: list[float]) -> hippo.GridSearch:
    return hippo.GridSearch({"lr": rates}, until=3)


def test_a_new_process_whose_trials_share_no_step_with_old_ones_is_compared(tmp_path: Path) -> None:
    args = {"seeded": False}
    study(tmp_path, hippo.InlineEngine(), trainer_args=args).optimize(grid(RATES[:2]))
    again = study(tmp_path, hippo.InlineEngine(), trainer_args=args)
    with pytest.raises(ExactnessError, match=r"'loss' is .* and was .*draws without a seed.*may not be comparable"):
        again.optimize(grid(RATES[2:]))
    assert again.statistics().steps_executed == 6  # of the first one
    with pytest.raises(ExactnessError, match="was"):  # it is compared until it passes
        again.optimize(grid(RATES[3:]))


def test_who_is_told_to_go_on_all_the_same_does(tmp_path: Path) -> None:
    study(tmp_path, hippo.InlineEngine(), trainer_args={"seeded": False}).optimize(grid(RATES[:2]))
    again = study(tmp_path, hippo.InlineEngine(), trainer_args={"seeded": False}, nondeterminism="warn")
    with pytest.warns(UserWarning, match="draws without a seed"):
        again.optimize(grid(RATES[2:]))
    assert again.statistics().steps_executed == 3 * len(RATES)


def test_chance_of_the_global_generators_in_init_passes(tmp_path: Path) -> None:
    for rates in (RATES[:2], RATES[2:]):
        study(tmp_path, hippo.InlineEngine(), trainer_args={"seeded": True}).optimize(grid(rates))


class Counting(Splitting):
    """Writes a line each time a trainer that loaded a state is evaluated."""

    def __init__(self, log: str) -> None:
        super().__init__(seeded=True)
        self.log = log

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        with open(self.log, "a") as file:
            file.write("loaded\n")


def test_a_worker_is_shown_one_state_and_none_of_its_own(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.touch()
    loads = []
    for rates in (RATES[:3], RATES[3:]):  # two processes, as far as trainers can tell
        study(tmp_path, hippo.InlineEngine(), trainer=Counting, trainer_args={"log": str(log)}).optimize(grid(rates))
        loads.append(len(log.read_text().splitlines()))
    assert loads == [2, 3]  # two second runs of the first process begin from states, too


class Together(Splitting):
    """Trains its first and its second trial when two processes do.

    Else one of them might train all that is left before the other has recorded a state.
    """

    def __init__(self, come: str) -> None:
        super().__init__(seeded=False)
        self.come = Path(come)

    def train(self) -> None:
        own = self.come / str(os.getpid())
        own.mkdir(exist_ok=True)
        (own / str(self.hp["lr"])).touch()
        trials = min(len(list(own.iterdir())), 2)
        while sum(len(list(each.iterdir())) >= trials for each in self.come.iterdir()) < 2:
            time.sleep(0.01)
        super().train()


@pytest.mark.slow
def test_two_workers_with_a_split_each_stop_the_study(tmp_path: Path) -> None:
    (come := tmp_path / "come").mkdir()
    made = study(tmp_path, hippo.LocalEngine(workers=2), trainer=Together, trainer_args={"come": str(come)})
    with pytest.raises(ExactnessError, match="draws without a seed"):
        made.optimize(grid(RATES))


# --- what a worker does with it


def shown(metrics: dict[str, float] | None = None, *, is_there: bool = True) -> RememberingHost:
    """Walk a lane of a new state that is shown the state after 2 steps of another."""
    first, spec = along({"lr": 0.1}, 2), spec_of(ToyTrainer)
    host = RememberingHost()
    host.checkpoints = first.checkpoints if is_there else host.checkpoints
    look = replace(start_at({"lr": 0.1}, 2, first.checkpoint(2)), metrics=metrics or first.metrics[2])
    return run_lanes(Lane(begin=None, stages=stages({"lr": 0.2}, 0, 2), look=look), spec=spec, host=host, lease=2)


def test_a_lane_that_is_shown_a_state_is_walked_as_if_it_were_not() -> None:
    alone = along({"lr": 0.2}, 2)
    for host in (shown(), shown(is_there=False)):
        assert (host.metrics, host.training, host.hashes) == (alone.metrics, alone.training, alone.hashes)
        assert host.of(ExactnessChecked) == []


def test_nothing_is_trained_where_a_shown_state_evaluates_otherwise() -> None:
    host = shown({"loss": -1.0})
    assert "'loss' is" in host.one(ExactnessChecked).detail
    assert host.of(StepDone) == []
