"""The study that `test_fused_kills` kills: sixteen lanes as one; run as `python fused_study.py FOLDER WHICH`.

Its trainer logs each batch that a program is given, by the process in which it runs.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import Dataset

import hippo
from hippo.testing.trainers import append_line

LANES = 16
UNTIL = 14
SAMPLES = 48


#: a file in the folder: while it is there, a worker fetches samples for so many steps, of about 44, and then no more
STANDS_STILL, STEPS_BEFORE = "stands still", 38


class DearSamples(Dataset[Any]):
    """Samples that take a while, as images do: so sixteen lanes that share them are worth walking as one."""

    def __init__(self, folder: Path) -> None:
        self.stands_still = folder / STANDS_STILL
        self.fetched = 0

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        self.fetched += 1
        while self.fetched > STEPS_BEFORE * SAMPLES and self.stands_still.exists():
            threading.Event().wait(0.01)
        sum(range(10_000))
        jitter = torch.randn(6)
        return jitter + index % 3, torch.tensor(index % 3)


class LoggedTrainer(hippo.TorchTrainer):
    """A net with dropout and batch norm, of a width at which a lane's place would show in its bits."""

    def __init__(self, log: str) -> None:
        self.log = log

    def make_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(6, 37), nn.BatchNorm1d(37), nn.ReLU(), nn.Dropout(0.2), nn.Linear(37, 3))

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=self.hp["lr"], momentum=self.hp["momentum"])

    def train_set(self) -> Any:
        return DearSamples(Path(self.log).parent)

    def val_set(self) -> Any:
        return torch.utils.data.TensorDataset(torch.arange(60.0).reshape(10, 6), torch.arange(10) % 3)

    def loss(self, model: Any, batch: Any) -> Tensor:
        append_line(self.log, f"{os.getpid()}")
        samples, labels = batch
        return nn.functional.cross_entropy(model(samples), labels)

    def metrics(self, model: Any, batch: Any) -> dict[str, Any]:
        samples, labels = batch
        return {"loss": nn.functional.cross_entropy(model(samples), labels)}


def space() -> hippo.GridSearchSpace:
    """Return more configs than go together, of which some share beginnings."""
    rates = [0.01 * (1 + number) for number in range(5)]
    sequences = [*rates, *(hippo.MultiStep(rate, [4], 0.1) for rate in rates)]
    return hippo.GridSearchSpace({"lr": sequences, "momentum": [0.0, 0.9], "batch_size": [8]})


def main(folder: str, _which: str) -> None:
    """Run the study, or go on with it."""
    study = hippo.create_study(
        "killed",
        trainer=LoggedTrainer,
        trainer_args={"log": f"{folder}/steps.log"},
        storage=f"sqlite:///{folder}/hippo.db",
        checkpoints=f"{folder}/states",
        engine=hippo.LocalEngine(workers=1, max_lanes=LANES),
        metric="loss",
        mode="min",
        numerics="fused",
        checkpoint_every_s=0.001,
    )
    study.optimize(hippo.GridSearch(space(), until=UNTIL))
    study.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
