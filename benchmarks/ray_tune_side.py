"""The Ray Tune side of `bench_ray_tune.py`: hippo's trainer as a Ray trainable, and the tuners as Ray schedulers.

Ray at its best: the class API with `reuse_actors=True`, so that a trial costs no new process and no new data; no result
files; checkpoints only where a trial is paused. Ray's own HyperBandScheduler is not successive halving, and its
AsyncHyperBandScheduler is the stopping form of ASHA, so both algorithms are written here, as the authors of Hippo did
for theirs (section 6, "Environment").
"""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import Any

import torch
from ray.tune import Callback, Trainable
from ray.tune.experiment import Trial
from ray.tune.schedulers import FIFOScheduler, TrialScheduler

from hippo import Config
from hippo.training.process.streams import seed_everything
from hippo.training.values import HparamValues

METRIC = "val_loss"
#: trials at a time
_SLOTS = 2


class RayTrainable(Trainable):
    """Walks one config through a hippo trainer as hippo does, without hippo: one step and one evaluation at a time."""

    def setup(
        self, config: dict[str, Any], *, trainer: type, trainer_args: dict[str, Any], configs: list[Config]
    ) -> None:
        torch.set_num_threads(1)
        self._configs = configs
        self._fresh = trainer.__new__(trainer)  # data are read once for each actor, as once for each worker of hippo
        self._fresh.seed = 0
        seed_everything(0, "init", 0)
        self._fresh.__init__(**trainer_args)
        self._begin(config)

    def reset_config(self, new_config: dict[str, Any]) -> bool:
        self._begin(new_config)
        return True

    def _begin(self, config: dict[str, Any]) -> None:
        self._config = self._configs[config["trial"]]
        self._steps = 0
        self._values: dict[str, Any] = {}
        self._trainer = copy.copy(self._fresh)
        self._trainer.hp = HparamValues(self._config.values_at(0), at=self._config.values_at)
        seed_everything(0, "build", 0)
        self._trainer.build()

    def step(self) -> dict[str, float]:
        trainer, step, values = self._trainer, self._steps, self._config.values_at(self._steps)
        trainer.hp = HparamValues(values, at=self._config.values_at)
        changed = {name: value for name, value in values.items() if self._values.get(name) != value}
        seed_everything(0, "setup", step)
        trainer.setup(changed)
        seed_everything(0, "train", step)
        trainer.train()
        seed_everything(0, "evaluate", step + 1)
        self._steps, self._values = step + 1, values
        return {name: float(value) for name, value in trainer.evaluate().items()}

    def save_checkpoint(self, checkpoint_dir: str) -> None:
        torch.save({"steps": self._steps, "state": self._trainer.state_dict()}, f"{checkpoint_dir}/state.pt")

    def load_checkpoint(self, checkpoint_dir: str) -> None:
        saved = torch.load(f"{checkpoint_dir}/state.pt", weights_only=True)
        self._steps, self._values = saved["steps"], {}
        if self._steps:  # a trial goes on under the values that were in force
            self._trainer.hp = HparamValues(self._config.values_at(self._steps - 1), at=self._config.values_at)
            self._trainer.build()
        self._trainer.load_state_dict(saved["state"])


class RungScheduler(FIFOScheduler):
    """Trials pause at rungs until `promoted` names them; each group of trials is a bracket of its own.

    A trial that is promoted by its own result goes on without a pause, which spares Ray a checkpoint.
    """

    _supports_buffered_results = False

    def __init__(self, rungs: list[int], groups: list[int], reduction: int) -> None:
        super().__init__()
        self._rungs, self._groups, self._reduction = rungs, groups, reduction
        #: (group, rung) -> [(loss, number of the trial)]
        self._scores: dict[tuple[int, int], list[tuple[float, int]]] = defaultdict(list)
        #: (group, rung) -> trials that were promoted from there
        self._gone_on: dict[tuple[int, int], set[int]] = defaultdict(set)
        self._trials: dict[int, Trial] = {}
        self._fresh: list[int] = []
        self._paused: set[int] = set()
        #: promoted after a pause and not heard of since, with their rung
        self._ready: dict[int, int] = {}
        self._over: set[int] = set()

    def promoted(self, group: int, rung: int) -> list[int]:
        """Return the trials of a rung that deserve to go on, whether they did so already or not."""
        raise NotImplementedError

    def on_trial_add(self, tune_controller: Any, trial: Trial) -> None:
        self._trials[trial.config["trial"]] = trial
        self._fresh.append(trial.config["trial"])

    def on_trial_result(self, tune_controller: Any, trial: Trial, result: dict[str, Any]) -> str:
        number, step = trial.config["trial"], result["training_iteration"]
        self._ready.pop(number, None)
        if number in self._fresh:
            self._fresh.remove(number)
        if step not in self._rungs:
            return TrialScheduler.CONTINUE
        group, rung = self._groups[number], self._rungs.index(step)
        if step == self._rungs[-1]:
            self._over.add(number)
        else:
            self._scores[group, rung].append((result[METRIC], number))
            self._paused.add(number)
            for other in self.promoted(group, rung):
                if other not in self._gone_on[group, rung]:
                    self._gone_on[group, rung].add(other)
                    self._paused.discard(other)
                    if other != number:
                        self._ready[other] = rung
        if len(self._paused) + len(self._over) == len(self._trials):  # nobody is left who could change a rung
            for loser in self._paused - {number}:
                tune_controller.stop_trial(self._trials[loser])
            return TrialScheduler.STOP
        if number in self._over:
            return TrialScheduler.STOP
        return TrialScheduler.PAUSE if number in self._paused else TrialScheduler.CONTINUE

    def choose_trial_to_run(self, tune_controller: Any) -> Trial | None:
        promoted = sorted(self._ready, key=lambda number: -self._ready[number])  # stable: the earlier promotion first
        going_on = [self._trials[number] for number in promoted]
        paused = [trial for trial in going_on if trial.status == Trial.PAUSED]
        chosen = [trial for trial in going_on if trial.status == Trial.PENDING]
        # Ray keeps no more idle actors than trials that were chosen and wait, and a waiting trial that is given an idle
        # actor gives up the new one that was being started for it. So choose as many as there are slots, and give idle
        # actors to the latest of them: with one at a time, or the earliest first, it is down to one actor for ever.
        if paused and len(chosen) < _SLOTS:
            return paused[0]
        fresh = [self._trials[number] for number in self._fresh]
        return next((trial for trial in [*reversed(chosen), *fresh] if trial.status == Trial.PENDING), None)


class Halving(RungScheduler):
    """Successive halving: a rung is decided when all who can reach it have."""

    def promoted(self, group: int, rung: int) -> list[int]:
        reachable = self._groups.count(group)
        for _ in range(rung):
            reachable = max(1, reachable // self._reduction)
        scores = sorted(self._scores[group, rung])
        return [n for _, n in scores[: max(1, reachable // self._reduction)]] if len(scores) == reachable else []


class AsynchronousHalving(RungScheduler):
    """ASHA, Li et al. 2020, Algorithm 2: the best 1/reduction of those at a rung so far."""

    def promoted(self, group: int, rung: int) -> list[int]:
        scores = sorted(self._scores[group, rung])
        return [n for _, n in scores[: len(scores) // self._reduction]]


class History(Callback):
    """Keeps what trials report."""

    def __init__(self) -> None:
        #: (number of the trial, step) -> loss and accuracy
        self.seen: dict[tuple[int, int], list[float]] = {}

    def on_trial_result(
        self, iteration: int, trials: list[Trial], trial: Trial, result: dict[str, Any], **info: Any
    ) -> None:
        point = trial.config["trial"], result["training_iteration"]
        self.seen[point] = [result["val_loss"], result["val_accuracy"]]
