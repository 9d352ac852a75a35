"""What a fork of a resident state costs inside a worker, until its first `train`, beside copying its bytes once.

    python benchmarks/bench_fork.py [--runs 200]

A model of ten matrices with momentum: twenty tensors, 1 MB or 25 MB together. A slot holds the state of a parent and
forks from it again and again, each time after a lane elsewhere, as a tuner with short branches does. Measured in turns:
one memcpy of the bytes; the fork as a walker makes it (the state copied into the trainer that stands there, values and
optimizer options set); the fork by a trainer that is built anew, as where it keeps something of its own; and a whole
lane, from its assignment's arrival until `train` is called. CPU seconds, one torch thread, medians.
"""

import argparse
import statistics
import time

import torch
from torch import nn
from torch.utils.data import TensorDataset

from hippo.hparams import Config, path
from hippo.records import Boundary, Keep, Lane, LaneStage, LaneStart
from hippo.testing.remembering_host import RememberingHost, run_lanes, spec_of
from hippo.training import TorchTrainer, Trainers
from hippo.training.process.environment import pin
from hippo.training.walking.walker import Walker
from report import write_report

SIZES_MB = (1, 25)
TARGETS = {1: 2.0, 25: 1.2}
MATRICES = 10
CONFIG = {"lr": 0.1}


class Matrices(TorchTrainer):
    """Trains ten square matrices, applied one after the other."""

    samples_per_step = 4

    def __init__(self, width):
        self.width = width

    def make_model(self):
        return nn.Sequential(*(nn.Linear(self.width, self.width, bias=False) for _ in range(MATRICES)))

    def make_optimizer(self, params):
        return torch.optim.SGD(params, lr=self.hp["lr"], momentum=0.9)

    def train_set(self):
        return TensorDataset(torch.ones(4, self.width))

    val_set = train_set

    def loss(self, model, batch):
        return model(batch[0]).square().mean()


class Own(Matrices):
    """The same, with a state of its own: such a trainer is built anew."""

    def state_dict(self):
        return super().state_dict()


def width_of(size_mb):
    """Return the matrices' width at which they and their momentum have that size."""
    return int((size_mb * 1e6 / 4 / (2 * MATRICES)) ** 0.5)


class Slot:
    """One slot: a parent's state after a step, resident, and lanes that begin there."""

    def __init__(self, trainer, size_mb):
        self.spec = spec_of(trainer, width=width_of(size_mb))
        self.trainers, self.host = Trainers(), RememberingHost()
        self.pristine = self.trainers.pristine(self.spec)
        ((_, self.pieces),) = path(Config(CONFIG), 4)
        self.walk(begin=None, start=0)
        self.state = self.host.residents.get("w", (0, 1))

    def walk(self, begin, start):
        boundary = Boundary(keep=Keep.NOTHING if begin else Keep.WRITTEN)
        stage = LaneStage(
            node=0 if begin is None else 1, start=start, stop=start + 1, pieces=self.pieces, boundary=boundary
        )
        run_lanes(Lane(begin=begin, stages=(stage,)), spec=self.spec, host=self.host, trainers=self.trainers)
        self.host.events.clear()

    def fork_seconds(self):
        """Fork with a walker that has gone elsewhere."""
        walker = self.walker = getattr(self, "walker", None) or Walker(
            self.pristine, step=1, pieces=self.pieces, state=self.state, goal=(1, 2)
        )
        walker.train(1, self.pieces)
        walker.close()
        assert walker.can_stand()
        began = time.process_time()
        is_forked = walker.fork(step=1, pieces=self.pieces, state=self.state, goal=(1, 2))
        seconds = time.process_time() - began
        assert is_forked
        return seconds

    def anew_seconds(self):
        """Fork by building."""
        began = time.process_time()
        Walker(self.pristine, step=1, pieces=self.pieces, state=self.state, goal=(1, 2))
        return time.process_time() - began

    def lane_seconds(self):
        """Walk a lane of one step from the parent, and return the seconds until it calls `train`."""
        called = []
        original = Walker._seed

        def seed(walker, stream, step):  # the last thing before `train`
            original(walker, stream, step)
            if stream == "train":
                called.append(time.process_time())

        Walker._seed = seed
        try:
            began = time.process_time()
            self.walk(LaneStart(node=0, step=1, checkpoint=None, pieces=self.pieces), 1)
        finally:
            Walker._seed = original
        return called[0] - began


def copy_seconds(size_mb):
    """Copy so many bytes once."""
    source, target = BUFFERS[size_mb]
    began = time.process_time()
    target.copy_(source)
    return time.process_time() - began


BUFFERS = {size: (torch.ones(int(size * 250_000)), torch.zeros(int(size * 250_000))) for size in SIZES_MB}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    arguments = parser.parse_args()
    pin(1)
    rows = []
    for size in SIZES_MB:
        slot = Slot(Matrices, size)
        own = Slot(Own, size)
        sides = {
            "memcpy": lambda size=size: copy_seconds(size),
            "fork": slot.fork_seconds,
            "built anew": own.anew_seconds,
            "whole lane": slot.lane_seconds,
        }
        seconds = {name: [] for name in sides}
        for run in range(arguments.runs + 5):
            for name, measure in sides.items():
                took = measure()
                if run >= 5:
                    seconds[name].append(took)
        copied = statistics.median(seconds["memcpy"])
        for name, found in seconds.items():
            rows.append(
                {
                    "state": f"{size} MB",
                    "what": name,
                    "median_ms": round(1000 * statistics.median(found), 4),
                    "min_ms": round(1000 * min(found), 4),
                    "by_memcpy": round(statistics.median(found) / copied, 2),
                    "target": TARGETS[size] if name == "fork" else None,
                }
            )
    write_report("fork", rows, f"CPU-ms, medians of {arguments.runs} in turns", seeds="0")


if __name__ == "__main__":
    main()
