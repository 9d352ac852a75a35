"""Rounds of branches as lanes of one program, beside the same branches one by one.

A round is what MLTuner asks when it tries several settings at a time: each branch leaves the live path at one step, is
trained for as many steps, has no evaluation, and leaves no file. Rates and momenta are drawn; all branches have one
batch size, without which they would be groups of their own.

As lanes they are measured twice: in a study that is fused as a whole, its live path too, and beside an exact live path,
whose state each round takes to a plan of its own and where the steps of one branch are run once more. All of that
counts, but for the live path's own steps.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import repeat
from typing import Any

import numpy as np
from tasks import CHECK_EVERY, DIGITS_SPACE, NoisyDigits

import hippo
from hippo.hparams import Config
from hippo.tuners.ask import Ask, Proposal
from hippo.tuners.exploring import Lineage

#: steps of the live path between two rounds, and of a branch
BETWEEN, STEPS = 10, 40
#: after a first one, in which imports, checks and programs are
ROUNDS = 5


class PlainDigits(NoisyDigits):
    """The perceptron, not counted: a `train` of its own would keep its lanes from being one program."""

    train = hippo.TorchTrainer.train
    evaluate = hippo.TorchTrainer.evaluate
    samples_per_step = 32
    default_batch_size = 32


class Rounds(hippo.Tuner):
    """A tuner that trains a live path, and branches of it, and notes what each round takes.

    Args:
      branches: in a round.
      seed: of their settings.
      asks_branches: have them walked as lanes beside an exact live path, and run one of them once more there.
    """

    def __init__(self, branches: int, seed: int, *, asks_branches: bool = False) -> None:
        self.branches = branches
        self.seed = seed
        self.asks_branches = asks_branches
        self._cpu_s: list[float] = []

    @property
    def cpu_s(self) -> list[float]:
        """CPU-seconds of each round."""
        return self._cpu_s

    async def tune(self, ask: Ask) -> None:
        """Train the rounds."""
        rng = np.random.default_rng(self.seed)
        path = Lineage.begin(Config({"lr": 0.01, "momentum": 0.5}))
        for at in range(BETWEEN, (ROUNDS + 2) * BETWEEN, BETWEEN):
            trained = await ask(path.config, until=at, evaluate=False)
            drawn = zip(10 ** rng.uniform(-4, -1, self.branches), rng.uniform(0, 0.9, self.branches), strict=True)
            configs = [path.switch(at=at, values={"lr": lr, "momentum": momentum}).config for lr, momentum in drawn]
            async with ask.pin(trained):
                began_s = time.process_time()
                async with ask.branching(trained) if self.asks_branches else nullcontext(ask) as lanes:
                    await lanes.together(map(_branch, configs, repeat(at + STEPS)))
                if self.asks_branches:
                    await ask.together([_branch(configs[0], at + STEPS)])
                self._cpu_s.append(time.process_time() - began_s)
            for config in configs:
                ask.release(config)


def _branch(config: Config, until: int) -> Proposal:
    return Proposal(config=config, until=until, evaluate=False, is_transient=True, is_extension=True)


def seconds_of_rounds(branches: int, *, numerics: str, seed: int, asks_branches: bool = False) -> list[float]:
    """Return the CPU-seconds of each round but the first."""
    study: Any = hippo.create_study(
        "rounds", trainer=PlainDigits, storage="memory://", engine=hippo.InlineEngine(max_lanes=64),
        metric="accuracy", mode="max", seed=seed, evaluate_every=10**6, nan="worst", numerics=numerics,
    )  # fmt: skip
    tuner = Rounds(branches, seed, asks_branches=asks_branches)
    study.optimize(tuner)
    study.close()
    return tuner.cpu_s[1:]


def branches_as_lanes(seeds: int) -> Iterator[dict[str, Any]]:
    """Yield what a step of a branch costs, one by one and as lanes of one program, by branches of a round."""
    for branches in (2, 4, 8, 16, 32):
        alone, fused, beside = [], [], []
        for seed in range(seeds):  # in turns
            alone += seconds_of_rounds(branches, numerics="exact", seed=seed)
            fused += seconds_of_rounds(branches, numerics="fused", seed=seed)
            beside += seconds_of_rounds(branches, numerics="exact", seed=seed, asks_branches=True)
        steps = branches * STEPS
        yield {
            "branches": branches, "rounds": len(alone),
            "one by one, ms a step": round(1e3 * statistics.median(alone) / steps, 4),
            "as lanes, ms a step": round(1e3 * statistics.median(fused) / steps, 4),
            "beside an exact path, ms a step": round(1e3 * statistics.median(beside) / steps, 4),
            "times faster": round(statistics.median(a / f for a, f in zip(alone, fused, strict=True)), 2),
            "least": round(min(a / f for a, f in zip(alone, fused, strict=True)), 2),
            "times faster beside an exact path": round(
                statistics.median(a / b for a, b in zip(alone, beside, strict=True)), 2
            ),
        }  # fmt: skip


#: of a whole run: branches at a time, settings of the first search, and steps of the live path at most
TOGETHER, MOST_SETTINGS, MOST_STEPS = 16, 48, 400
SIDES = {
    "one at a time": {},
    "16 at a time, one by one": {"together": TOGETHER, "max_live": TOGETHER + 4},
    "16 at a time, as lanes": {"together": TOGETHER, "max_live": TOGETHER + 4, "branches": "fused"},
}
SPACES = {
    "lr, momentum": {"lr": hippo.loguniform(1e-5, 1.0), "momentum": hippo.uniform(0.0, 1.0)},
    "and batch size": {**DIGITS_SPACE},
}


class StepsOfDigits(PlainDigits):
    """The same in steps of 256 images, as the other experiments on digits have them."""

    samples_per_step = 256
    default_batch_size = 64


def whole_runs(seeds: int) -> Iterator[dict[str, Any]]:
    """Yield what whole runs cost whose branches are tried one at a time, 16 at a time, and 16 as lanes."""
    for tunables, space in SPACES.items():
        for seed in range(seeds):
            for side, options in SIDES.items():  # in turns
                tuner = hippo.MLTuner(
                    space, MOST_STEPS, check_every=CHECK_EVERY, max_trials=MOST_SETTINGS, seed=seed, **options
                )
                study: Any = hippo.create_study(
                    "whole", trainer=StepsOfDigits, storage="memory://", engine=hippo.InlineEngine(max_lanes=64),
                    metric="accuracy", mode="max", seed=seed, evaluate_every=10**6, nan="worst",
                )  # fmt: skip
                began_s = time.process_time()
                study.optimize(tuner)
                cpu_s, counted = time.process_time() - began_s, study.statistics()
                (path,) = [trial for trial in study.trials if trial.state is hippo.TrialState.COMPLETE]
                yield {
                    "tunables": tunables, "side": side, "seed": seed, "cpu_s": round(cpu_s, 2),
                    "training_cpu_s": round(counted.device_seconds, 2), "steps": counted.steps_executed,
                    "live path": path.step, "mean lanes": round(counted.mean_lanes, 2),
                    "accuracy": round(max(each["accuracy"] for each in path.history.values()), 4),
                }  # fmt: skip
                study.close()
