"""What a training step costs beside the same loop in bare torch: CPU seconds, in turns.

    python benchmarks/bench_step.py [--runs 11] [--steps 3]

The demo's net and its 1,200 training digits, batches of 32, a step being one pass. The bare side is what one writes by
hand: the same module, samples, loss and optimizer, a `DataLoader` that shuffles, its augmentation drawn from a
generator of its own, the mean loss summed on the way. On hippo's side a walker takes the same number of steps: seeds,
fences, values and means are in; evaluation and checkpoints are not, for the loop has neither. One torch thread; loader
workers count as they end. Every run begins with a new model; the first turn only warms up, and is not counted.

A third side is the bare loop whose samples begin with a seed each, as the law of chance wants it: what they draw must
not depend on who was fetched before. Any loop that keeps this law with Python's generator costs that much.
"""

import argparse
import itertools
import random
import resource
import statistics
import sys
import time
from pathlib import Path

import torch
from torch.utils.data import DataLoader, TensorDataset

from hippo.hparams import Config, path
from hippo.training.process.environment import pin
from hippo.training.walking.walker import Walker
from report import write_report

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
from digits import DigitsTrainer, ShiftedDigits

TARGET = 1.05
BATCH_SIZE = 32
VALUES = {"lr": 0.1, "momentum": 0.9, "batch_size": BATCH_SIZE}


class Plain(DigitsTrainer):
    """The demo without augmentation: its images as they are."""

    def train_set(self):
        return TensorDataset(self.images[self.training], self.labels[self.training])


class OwnChance(ShiftedDigits):
    """The demo's augmentation, drawn from a generator of its own."""

    def __init__(self, images, labels):
        super().__init__(images, labels)
        self.chance = random.Random(0)

    def __getitem__(self, index):
        down, right = self.chance.randrange(3), self.chance.randrange(3)
        return self.images[index, :, down : down + 8, right : right + 8], self.labels[index]


class SeededChance(OwnChance):
    """The same, begun anew for each sample, by the quickest way that Python has."""

    def __init__(self, images, labels):
        super().__init__(images, labels)
        self.seed = super(random.Random, self.chance).seed  # without the look at what kind of seed it is

    def __getitem__(self, index):
        self.seed((index + 1) * 0x9E3779B97F4A7C15 % 2**64)  # as long as ours are; to make it costs less than a hash
        return super().__getitem__(index)


#: name -> trainer, width, loader workers
CASES = {
    "width 8": (DigitsTrainer, 8, 0),
    "width 24": (DigitsTrainer, 24, 0),
    "width 8, plain tensors": (Plain, 8, 0),
    "width 8, 2 loader workers": (DigitsTrainer, 8, 2),
}


def bare(trainer, num_workers, steps, chance=OwnChance):
    """Train by hand, and return the mean loss of the last step."""
    samples = trainer.images[trainer.training], trainer.labels[trainer.training]
    dataset = TensorDataset(*samples) if type(trainer) is Plain else chance(*samples)
    loader = DataLoader(dataset, BATCH_SIZE, shuffle=True, num_workers=num_workers, persistent_workers=num_workers > 0)
    model = trainer.make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
    for _ in range(steps):
        model.train()
        total = 0.0
        for batch in loader:
            loss = trainer.loss(model, batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch[1])
    return total / len(dataset)


def seeded(trainer, num_workers, steps):
    """Train by hand, each sample with a seed of its own."""
    return bare(trainer, num_workers, steps, SeededChance)


def walked(trainer, num_workers, steps):
    """Train by hippo, and return the mean loss of the last step."""
    trainer.num_workers = num_workers
    ((_, pieces),) = path(Config(VALUES), steps)
    walker = Walker(trainer, step=0, pieces=pieces, state=None, goal=(0, 1))
    for _ in range(steps):
        metrics = walker.train(0, pieces)
    walker.close()
    return metrics["loss"]


SIDES = (bare, seeded, walked)


def cpu_seconds(side, trainer, num_workers, steps):
    """Return the CPU-seconds of one run by step, those of loader workers that have ended among them."""
    began = _cpu()
    side(trainer, num_workers, steps)
    return (_cpu() - began) / steps


def _cpu():
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def turns(case, *, runs, steps):
    """Return the seconds of all sides, turn by turn, each turn in another order."""
    cls, width, num_workers = case
    orders = itertools.cycle(itertools.permutations(SIDES))
    measured = [
        {side: cpu_seconds(side, cls(width=width), num_workers, steps) for side in order}
        for order in itertools.islice(orders, runs + 1)
    ]
    return measured[1:]


def ratios(measured, one, other):
    """Return by how much one side costs more than another: median, least and greatest."""
    found = [turn[one] / turn[other] for turn in measured]
    return round(statistics.median(found), 3), round(min(found), 3), round(max(found), 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=11, help="turns")
    parser.add_argument("--steps", type=int, default=3, help="of each run")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    arguments = parser.parse_args()
    pin(1)
    rows = []
    for name in arguments.cases:
        measured = turns(CASES[name], runs=arguments.runs, steps=arguments.steps)
        times = {
            f"{side.__name__}_ms": round(1000 * statistics.median(turn[side] for turn in measured), 2) for side in SIDES
        }
        median, least, greatest = ratios(measured, walked, bare)
        least_by_law, _, _ = ratios(measured, seeded, bare)
        rows.append(
            {
                "step": name,
                **times,
                "median_ratio": median,
                "min": least,
                "max": greatest,
                "target": TARGET,
                "seeded_by_bare": least_by_law,
            }
        )
    how = f"CPU-ms of a step of 1,200 samples, {arguments.runs} turns of {arguments.steps} steps each"
    write_report("step", rows, how, seeds="0", also=("examples/digits.py",))


if __name__ == "__main__":
    main()
