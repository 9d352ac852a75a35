"""The study that `test_lagging_kills` kills: run as `python lagging_study.py FOLDER WHICH`.

Steps take next to no time, and requests come one after the other, so that at any moment answers were told that are not
durable yet.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from killed_study import SEQUENCES, PathLogger

import hippo
from hippo.testing.trainers import append_line
from hippo.tuners import Ask


class TimedLogger(PathLogger):
    """Logs when each step began, too, on the machine's one clock."""

    def train(self) -> dict[str, float]:
        append_line(f"{self.path_log}.times", repr(time.monotonic()))
        return super().train()


class ForkingChain(hippo.Tuner):
    """Goes on step by step from the better of two forks: every question depends on the answer to the one before."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    async def tune(self, ask: Ask) -> None:
        config = hippo.Config({"lr": 0.1, "momentum": 0.9})
        for step in range(1, self.steps + 1):
            forks = [config, config.switch(at=step - 1, lr=0.1 + step / 1000)] if step % 5 == 0 else [config]
            answers = await ask.all(forks, until=step)
            config = min(zip(answers, forks, strict=True), key=lambda pair: pair[0].loss)[1]


class Outliving(hippo.Callback):
    """Keeps what it hears in a file, which outlives the process."""

    def __init__(self, log: str) -> None:
        self.log = log

    def on_answered(self, event: Any) -> None:
        append_line(self.log, f"{event.trial} {event.step} {event.metrics['loss']!r}")


TUNERS = {
    "chain": lambda: ForkingChain(120),
    "grid": lambda: hippo.GridSearch(hippo.GridSearchSpace({"lr": SEQUENCES, "momentum": [0.9, 0.5]}), until=18),
    "asha": lambda: hippo.ASHA(
        hippo.RandomSearchSpace({"lr": hippo.uniform(0.05, 0.6)}), 3, 24, 2, num_trials=60, seed=1
    ),
}


def main(folder: str, which: str) -> None:
    """Run the study, or go on with it."""
    engine, _, tuner = which.partition(" ")
    study = hippo.create_study(
        "killed",
        trainer=TimedLogger,
        trainer_args={"log": f"{folder}/steps.log", "sleep_s": 0.002},
        storage=f"sqlite:///{folder}/hippo.db",
        checkpoints=f"{folder}/states",
        engine=hippo.InlineEngine() if engine == "inline" else hippo.LocalEngine(workers=2),
        metric="loss",
        mode="min",
        callbacks=[Outliving(f"{folder}/heard.log")],
    )
    study.optimize(TUNERS[tuner]())
    study.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
