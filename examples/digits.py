"""A real study: a small convolutional net on scikit-learn's handwritten digits, 56 trials that share what they can.

    python examples/digits.py              # 90 s of processor time; Ctrl-C it, run it again: it goes on
    python examples/digits.py --compare    # 6 minutes: the same study with and without sharing, from nothing
    python examples/digits.py --fused      # many trials at once as one program, which is worth more the narrower
                                           # the net: try it with --width 3
    python examples/digits.py --engine ray # by a Ray cluster that is started on this machine

90 s of processor time are less than a minute on two idle cores, and minutes where other work has its part of them.

Needs torch and scikit-learn.
"""

import argparse
import os
import random
import shutil
import sys
import time
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import Dataset, TensorDataset

import hippo
from hippo import Chain, Constant, CosineWarmRestarts, Exponential, MultiStep, Piecewise, Warmup

STEPS = 24
VALIDATION_IMAGES = 597


class ShiftedDigits(Dataset):
    """Digits that are moved by up to one pixel each time one looks."""

    def __init__(self, images, labels):
        self.images = nn.functional.pad(images, (1, 1, 1, 1))
        self.labels = labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        down, right = random.randrange(3), random.randrange(3)
        return self.images[index, :, down : down + 8, right : right + 8], self.labels[index]


class DigitsTrainer(hippo.TorchTrainer):
    """A convolutional net with batch norm and dropout; a step is one pass over 1,200 images."""

    dataset = "scikit-learn digits, split with seed 0"

    def __init__(self, width=24):
        self.width = width
        digits = load_digits()
        images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
        labels = torch.tensor(digits.target)
        order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(0))
        self.validation, self.training = order[:VALIDATION_IMAGES], order[VALIDATION_IMAGES:]
        self.images, self.labels = images, labels

    def make_model(self):
        return nn.Sequential(
            nn.Conv2d(1, self.width, 3, padding=1), nn.BatchNorm2d(self.width), nn.ReLU(),
            nn.Conv2d(self.width, 2 * self.width, 3, padding=1), nn.BatchNorm2d(2 * self.width), nn.ReLU(),
            nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.3), nn.Linear(32 * self.width, 10),
        )  # fmt: skip

    def make_optimizer(self, params):
        return torch.optim.SGD(params, lr=self.hp["lr"], momentum=self.hp["momentum"], weight_decay=5e-4)

    def train_set(self):
        return ShiftedDigits(self.images[self.training], self.labels[self.training])

    def val_set(self):
        return TensorDataset(self.images[self.validation], self.labels[self.validation])

    def loss(self, model, batch):
        images, labels = batch
        return nn.functional.cross_entropy(model(images + 0.1 * torch.randn_like(images)), labels)

    def metrics(self, model, batch):
        images, labels = batch
        scores = model(images)
        return {
            "val_loss": nn.functional.cross_entropy(scores, labels),
            "val_accuracy": (scores.argmax(1) == labels).float().mean(),
        }


space = hippo.GridSearchSpace(
    {
        "lr": [
            Constant(0.1),
            *(MultiStep(0.1, milestones, gamma) for milestones in ([12, 20], [16, 21], [18]) for gamma in (0.1, 0.3)),
            Chain(Warmup(4, 0.1), Constant(0.1)),
            Chain(Warmup(4, 0.1), MultiStep(0.1, [8, 16], 0.1)),
            Chain(Warmup(4, 0.1), MultiStep(0.1, [12, 16], 0.3)),
            Chain(Warmup(4, 0.1), Exponential(0.1, 0.9)),
            Chain(Warmup(4, 0.1), Exponential(0.1, 0.95)),
            Chain(Warmup(4, 0.1), CosineWarmRestarts(0.1, 10)),
            Chain(Warmup(4, 0.1), CosineWarmRestarts(0.1, 10, 2)),
        ],
        "batch_size": [Constant(32), Piecewise([32, 64], [18])],
        "momentum": [Constant(0.9), Piecewise([0.9, 0.7], [16])],
    }
)


def open_study(folder, *, sharing=True, numerics="exact", width=24, engine=None):
    folder.mkdir(parents=True, exist_ok=True)
    return hippo.create_study(
        name_of(numerics, width),
        trainer=DigitsTrainer,
        trainer_args={} if width == 24 else {"width": width},
        storage=f"sqlite:///{folder / 'hippo.db'}",
        checkpoints=str(folder / "checkpoints"),
        metric="val_accuracy",
        mode="max",
        sharing=sharing,
        numerics=numerics,
        engine=engine,
    )


def name_of(numerics, width):
    """Return what a study is called: results of another net, or of other numerics, are not compared with these."""
    return "-".join(["digits", *(["fused"] if numerics == "fused" else []), *([str(width)] if width != 24 else [])])


def optimize(study):
    """Run the grid and return how long that took, in seconds."""
    began = time.perf_counter()
    study.optimize(hippo.GridSearch(space, until=STEPS))
    return time.perf_counter() - began


def demo(folder, console, numerics, width, engine=None):
    study = open_study(folder, numerics=numerics, width=width, engine=engine)
    known = study.statistics().steps_executed
    console.print(f"{len(space)} trials of {STEPS} steps; merge rate p = {space.merge_rate(until=STEPS):.2f} predicted")
    console.print("about 90 s of processor time; how far it is comes on standard error")
    if known:
        console.print(f"going on in {folder}: {known} steps are known")
    seconds = optimize(study)
    if study.statistics().steps_executed == known:
        console.print("everything was known already, so nothing was trained.", style="bold")
    report(study, seconds, console)
    next_steps(folder, console, study.name)


def report(study, seconds, console):
    """Show the best trial, and what sharing was worth."""
    statistics, best = study.statistics(), study.best_trial
    predicted, seen = space.merge_rate(until=STEPS), statistics.merge_rate
    table = Table(
        show_header=False, title=f"best of {len(study.trials)} trials: number {best.number}", title_justify="left"
    )
    for name, value in best.params.items():
        table.add_row(name, str(value))
    table.add_section()
    table.add_row("validation accuracy", f"{best.value:.4f}")
    table.add_section()
    table.add_row("steps asked for", f"{statistics.steps_asked}")
    table.add_row("steps executed", f"{statistics.steps_executed}, of them {statistics.steps_repeated} repeated")
    table.add_row("steps saved", f"{statistics.steps_saved}")
    table.add_row("merge rate p", f"{predicted:.3f} predicted, {seen:.3f} seen")
    if statistics.lane_steps_fused:
        table.add_row("steps taken as one", f"{statistics.lane_steps_fused}, {statistics.mean_lanes:.1f} at once")
    table.add_row("this run took", f"{seconds:.1f} s, the workers' start included")
    console.print(table)


def next_steps(folder, console, name):
    """Say what to try now."""
    hippo_command = Path(os.path.relpath(sys.executable)).with_name("hippo")
    storage = f"--storage sqlite:///{folder}/hippo.db"
    console.print(
        f"""
What to try next
  {hippo_command} tree {name} {storage}
  {hippo_command} dashboard sqlite:///{folder}/hippo.db    in a browser; open it while the study runs, too
  {hippo_command} trials {name} {storage} --format csv
  make demo-compare    the same study with and without sharing, side by side
  make demo            again: every answer is known, nothing is trained
  edit the space in examples/digits.py and run it again: only what is new in it is trained
  rm -r {folder}          to start afresh
""",
        highlight=False,
        soft_wrap=True,
    )


def compare(folder, console):
    """Run the study with and without sharing, each from nothing, and show what sharing was worth."""
    shutil.rmtree(folder, ignore_errors=True)
    wall, counts = {}, {}
    for sharing in (True, False):
        console.print(f"{len(space)} trials of {STEPS} steps, sharing={sharing} ...")
        study = open_study(folder / f"sharing-{sharing}".lower(), sharing=sharing)
        wall[sharing] = optimize(study)
        counts[sharing] = study.statistics()
        study.close()
    shared, alone = counts[True], counts[False]
    table = Table("", "sharing", "alone", "ratio", title="what sharing was worth", title_justify="left")
    for name, with_it, without in (
        ("steps", shared.steps_executed, alone.steps_executed),
        ("device-seconds", shared.device_seconds, alone.device_seconds),
        ("wall seconds, workers' start included", wall[True], wall[False]),
    ):
        table.add_row(name, f"{with_it:.0f}", f"{without:.0f}", f"{without / with_it:.2f}")
    table.add_section()
    table.add_row("p, in steps", "", "", f"{shared.merge_rate:.2f}")
    table.add_row("p, weighted by the steps' seconds", "", "", f"{shared.time_weighted_merge_rate:.2f}")
    console.print(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", action="store_true", help="run with and without sharing, each from nothing")
    parser.add_argument("--fused", action="store_true", help="walk many trials at once, as one program")
    parser.add_argument(
        "--engine", choices=("local", "ray"), default="local", help="ray: a Ray cluster, of this machine"
    )
    parser.add_argument("--width", type=int, default=24, help="channels of the first convolution")
    parser.add_argument("--folder", type=Path, default=Path(".demo"), help="where the database and checkpoints live")
    arguments = parser.parse_args()
    console = Console()
    try:
        if arguments.compare:
            compare(arguments.folder / "compare", console)
        else:
            engine = hippo.RayEngine(address="local") if arguments.engine == "ray" else None
            demo(arguments.folder, console, "fused" if arguments.fused else "exact", arguments.width, engine)
    except KeyboardInterrupt:  # the study has said how to go on
        sys.exit(130)


if __name__ == "__main__":
    main()
