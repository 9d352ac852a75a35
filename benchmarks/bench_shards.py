"""What shards cost: CPU of one shard beside the trainer's own descent, and wall of 4 shards in 1 and 2 processes.

    python benchmarks/bench_shards.py [--runs 7] [--width 512]

`one shard`: the step of a trainer whose shards are 1 beside one whose `train_on_batch` is written out as it was before
there were shards; the ratio is of CPU-seconds, in pairs, order alternating. The others: wall seconds of a step in a
worker of so many ranks, as the engine tells them; the first step, in which ranks meet, is not counted. One torch
thread a rank. On two cores that others use, wall is theirs, too.
"""

import argparse
import statistics
import tempfile
import time

import torch
from torch import nn
from torch.utils.data import TensorDataset

from hippo import LocalEngine, TorchTrainer
from hippo.events import StepDone
from hippo.hparams import Config, path
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import lane, stage
from hippo.training.code.shipping import ship
from hippo.training.declarative.torch_attributes import checked_loss
from hippo.training.process.environment import pin
from hippo.training.walking.walker import Walker
from report import write_report

STEPS = 6


class Wide(TorchTrainer):
    """A perceptron, of 0.8 million parameters at a width of 512."""

    default_batch_size = 512

    def __init__(self, *, width, shards, samples=1024):
        self.width, self.shards, self.samples = width, shards, samples

    def make_model(self):
        widths = [self.width] * 3
        layers = [each for width in widths for each in (nn.Linear(width, width), nn.ReLU())]
        return nn.Sequential(*layers, nn.Linear(self.width, 10))

    def make_optimizer(self, params):
        return torch.optim.SGD(params, lr=0.01, momentum=0.9)

    def train_set(self):
        return TensorDataset(torch.randn(self.samples, self.width), torch.randint(10, (self.samples,)))

    val_set = train_set

    def loss(self, model, batch):
        return nn.functional.cross_entropy(model(batch[0]), batch[1])


class Before(Wide):
    """The same, without a look at shards."""

    def train_on_batch(self, batch):
        loss = checked_loss(self.loss(self.model, batch), is_plain=True)
        self.update(loss)
        return {"loss": loss}


def cpu_seconds(cls, width):
    """Return the CPU-seconds of a step in this process."""
    ((_, pieces),) = path(Config({"batch_size": 32}), STEPS)
    trainer = cls(width=width, shards=1, samples=2048)
    walker = Walker(trainer, step=0, pieces=pieces, state=None, goal=(0, 1))
    walker.train(0, pieces)
    began = time.process_time()
    for _ in range(STEPS):
        walker.train(0, pieces)
    return (time.process_time() - began) / STEPS


def wall_seconds(width, shards, ranks):
    """Return the wall seconds of each step but the first, in a worker of so many ranks."""
    with tempfile.TemporaryDirectory() as folder, ControlLoop(LocalEngine(1, ranks=ranks), folder) as loop:
        arguments = {"width": width, "shards": shards}
        loop.open_workload(ship(Wide, arguments, seed=0, evaluate_every=STEPS, workload_key="wide"))
        loop.wait_for_slots()
        loop.run("wide", lane(stage(1, 0, STEPS)))
        return [event.seconds for event in loop.events if isinstance(event, StepDone)][1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--width", type=int, default=512)
    arguments = parser.parse_args()
    pin(1)
    measured = []
    for number in range(arguments.runs + 1):
        sides = (Before, Wide) if number % 2 else (Wide, Before)
        seconds = {side: cpu_seconds(side, 32) for side in sides}
        measured.append((seconds[Before], seconds[Wide]))
    ratios = [now / before for before, now in measured[1:]]
    rows = [
        {
            "what": "one shard, CPU",
            "ms": round(1000 * statistics.median(now for _, now in measured[1:]), 2),
            "ratio": round(statistics.median(ratios), 3),
            "min": round(min(ratios), 3),
            "max": round(max(ratios), 3),
        }
    ]
    walls = {case: wall_seconds(arguments.width, *case) for case in ((1, 1), (4, 1), (4, 2))}
    base = statistics.median(walls[1, 1])
    for (shards, ranks), seconds in walls.items():
        rows.append(
            {
                "what": f"{shards} shards, {ranks} ranks, wall",
                "ms": round(1000 * statistics.median(seconds), 1),
                "ratio": round(statistics.median(seconds) / base, 3),
                "min": round(min(seconds) / base, 3),
                "max": round(max(seconds) / base, 3),
            }
        )
    how = (
        f"steps of 2,048 samples in batches of 32 (CPU) and of 1,024 in batches of 512 (wall), {arguments.runs} pairs, "
        f"width {arguments.width} (wall)"
    )
    write_report("shards", rows, how, seeds="0")


if __name__ == "__main__":
    main()
