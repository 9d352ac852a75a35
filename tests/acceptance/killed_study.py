"""The study that `test_kills` kills: run as `python killed_study.py FOLDER WHICH [STORAGE]`."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import hippo
from hippo.testing.trainers import ToyTrainer, append_line

UNTIL = 18
#: names the variable that says how many lines a log of steps may have; whoever is to go on then waits to be killed
STEP_LIMIT = "HIPPO_TEST_STEP_LIMIT"


def append_step(log: str, line: str) -> None:
    """Log that a step begins, and go on unless the study is to be killed by now."""
    append_line(log, line)
    if (most := os.environ.get(STEP_LIMIT)) and Path(log).read_bytes().count(b"\n") > int(most):
        threading.Event().wait()


def longer_path(path: str, values: Mapping[str, Any]) -> str:
    """Return the name of a path that goes on for one step under these values."""
    return hashlib.sha256(f"{path} {sorted(values.items())}".encode()).hexdigest()


class PathLogger(ToyTrainer):
    """Knows the path that its state has come, and logs each step by it before it runs it."""

    def __init__(self, log: str, sleep_s: float) -> None:
        super().__init__()
        self.path_log = log
        self.pause_s = sleep_s

    def build(self) -> None:
        super().build()
        self.path = ""

    def train(self) -> dict[str, float]:
        self.path = longer_path(self.path, self.hp)
        append_step(self.path_log, f"{self.path} {self.steps}")
        threading.Event().wait(self.pause_s)
        return super().train()

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "path": self.path}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.path = state["path"]


def torch_trainer() -> type[hippo.Trainer]:
    """Return a trainer like the above around a network with dropout and momentum."""
    import torch
    from torch import nn

    class TorchPathLogger(PathLogger):
        def build(self) -> None:
            super().build()
            self.net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.3), nn.Linear(8, 1))
            self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1, momentum=0.9)

        def setup(self, hp: Mapping[str, Any]) -> None:
            super().setup(hp)
            self.optimizer.param_groups[0].update(lr=self.hp["lr"] / 10, momentum=self.hp["momentum"])

        def train(self) -> dict[str, float]:
            super().train()
            self.net.train()
            self.optimizer.zero_grad()
            loss = (self.net(torch.randn(16, 4)) - 1).square().mean()
            loss.backward()
            self.optimizer.step()
            return {"training loss": loss.item()}

        def evaluate(self) -> dict[str, Any]:
            self.net.eval()
            with torch.no_grad():
                return {"loss": self.net(torch.ones(1, 4)).item() ** 2}

        def state_dict(self) -> dict[str, Any]:
            return {
                **super().state_dict(),
                "net": self.net.state_dict(),
                "optimizer": self.optimizer.state_dict(),
            }

        def load_state_dict(self, state: dict[str, Any]) -> None:
            super().load_state_dict(state)
            self.net.load_state_dict(state["net"])
            self.optimizer.load_state_dict(state["optimizer"])

    return TorchPathLogger


#: branch at several steps; their values differ wherever their paths do
SEQUENCES = [0.1, 0.2, *(hippo.MultiStep(0.1, [m], 0.1) for m in (4, 7, 12)), hippo.Exponential(0.3, 0.9)]


def space() -> hippo.GridSearchSpace:
    """Return configs that share beginnings of several lengths."""
    return hippo.GridSearchSpace({"lr": SEQUENCES, "momentum": [0.9, hippo.Piecewise([0.9, 0.5], [9])]})


def wide_space() -> hippo.GridSearchSpace:
    """Return configs that leave each other at nearly every step: two hundred stages and more."""
    rates = [hippo.MultiStep(0.1, [at], 0.5) for at in range(1, UNTIL)]
    momenta = [hippo.Piecewise([0.9, 0.5], [at]) for at in range(1, 14)]
    return hippo.GridSearchSpace({"lr": rates, "momentum": momenta})


def main(folder: str, which: str, storage: str = "") -> None:
    """Run the study, or go on with it."""
    study = hippo.create_study(
        "killed",
        trainer=torch_trainer() if which == "torch" else PathLogger,
        trainer_args={"log": f"{folder}/steps.log", "sleep_s": 0.004},
        storage=storage or f"sqlite:///{folder}/hippo.db",
        checkpoints=f"{folder}/states",
        engine=hippo.LocalEngine(workers=2),
        metric="loss",
        mode="min",
        checkpoint_every_s=0.02,
    )
    study.optimize(hippo.GridSearch(wide_space() if which == "wide" else space(), until=UNTIL))
    if which != "wide":
        study.optimize(hippo.SuccessiveHalving(space(), min_steps=5, max_steps=24, reduction=2))
    study.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
