"""What walking F lanes as one program is worth: throughput against F, beside what others do with several models.

    python benchmarks/bench_fusion.py [--runs 5] [--only mlp]

For each model, CPU seconds of whole steps, fetching included, of F lanes that differ in their learning rates: by F
walkers one after another, and by one fused walker, in turns, one thread. `times` is how often faster the fused one is.

For the demo's convolutional net also, at the same F: `grouped` is HFTA's way (Wang et al., MLSys 2021), one network
whose convolutions have F groups, written for this net by hand, with one SGD over all; and `processes` are two processes
side by side, each with half of the lanes, wall seconds against one process that walks all. Each starts from equal
weights and takes the same batches.
"""

import argparse
import multiprocessing
import random
import statistics
import sys
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import TensorDataset

import hippo
from hippo.hparams import Config, path
from hippo.records import Fusion, Point
from hippo.testing.remembering_host import spec_of
from hippo.training import Trainers
from hippo.training.fusion.fused_walker import FusedWalker
from hippo.training.process.environment import pin
from hippo.training.walking.walker import NOWHERE, Walker
from report import write_report

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
from digits import DigitsTrainer

LANES = (1, 2, 4, 8, 16, 32, 64)
#: (model, lanes) -> how often faster than one by one
TARGETS = {("mlp 128", 64): 2.5, ("digits 3, tensors", 16): 2.3, ("digits 3, python", 32): 3.5}


class Dense(hippo.TorchTrainer):
    """A perceptron of two hidden layers on random points."""

    samples_per_step = 320

    def __init__(self, width=128, batch=32, optimizer="sgd"):
        self.width, self.default_batch_size, self.kind = width, batch, optimizer

    def make_model(self):
        return nn.Sequential(
            nn.Linear(64, self.width),
            nn.ReLU(),
            nn.Linear(self.width, self.width),
            nn.ReLU(),
            nn.Linear(self.width, 10),
        )

    def make_optimizer(self, params):
        if self.kind == "adamw":
            return torch.optim.AdamW(params, lr=self.hp["lr"])
        return torch.optim.SGD(params, lr=self.hp["lr"], momentum=0.9)

    def train_set(self):
        chance = torch.Generator().manual_seed(0)
        points = torch.randn(2048, 64, generator=chance)
        return TensorDataset(points, torch.randint(10, (2048,), generator=chance))

    val_set = train_set

    def loss(self, model, batch):
        points, labels = batch
        return nn.functional.cross_entropy(model(points), labels)


class Attention(Dense):
    """Two transformer layers of width 32 on random sequences."""

    def make_model(self):
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True)
        return nn.Sequential(nn.Unflatten(1, (8, 8)), nn.Linear(8, 32), nn.TransformerEncoder(layer, 2), nn.Flatten(),
                             nn.Linear(256, 10))  # fmt: skip


class Tensors(DigitsTrainer):
    """The demo's net, with digits that lie in memory as they are."""

    def train_set(self):
        return TensorDataset(self.images[self.training], self.labels[self.training])


class Shifted(DigitsTrainer):
    """The demo's net on its own data set, of which Python moves each digit."""


MODELS = {
    "mlp 128": (Dense, {}),
    "mlp 128, adamw": (Dense, {"optimizer": "adamw"}),
    "mlp 128, batch 256": (Dense, {"batch": 256}),
    "mlp 512": (Dense, {"width": 512}),
    "transformer 32": (Attention, {"optimizer": "adamw"}),
    "digits 24, tensors": (Tensors, {"width": 24}),
    "digits 3, tensors": (Tensors, {"width": 3}),
    "digits 24, python": (Shifted, {"width": 24}),
    "digits 3, python": (Shifted, {"width": 3}),
}
Tensors.samples_per_step = Shifted.samples_per_step = 240


def pieces_of(rate):
    ((_, pieces),) = path(Config({"lr": rate, "momentum": 0.9}), 1)
    return pieces


def rates(lanes):
    return [0.1 * 0.9**lane for lane in range(lanes)]


def walkers_of(trainer, lanes):
    """Return walkers that were warmed up, and what each is trained with."""
    ways = [pieces_of(rate) for rate in rates(lanes)]
    found = [Walker(trainer, step=0, pieces=way, state=None, goal=Point(NOWHERE, 1)) for way in ways]
    return found, ways


def fused_of(trainer, lanes):
    ways = [pieces_of(rate) for rate in rates(lanes)]
    goals = [Point(NOWHERE, 1)] * lanes
    fusion = Fusion(is_fused=True)
    return FusedWalker(trainer, step=0, pieces=ways, states=[None] * lanes, goals=goals, fusion=fusion), ways


def pristine_of(name):
    cls, arguments = MODELS[name]
    return Trainers().pristine(spec_of(cls, **arguments))


def cpu_s(work):
    began_s = time.process_time()
    work()
    return time.process_time() - began_s


def throughput(name, lanes, runs):
    """Return medians of CPU seconds of a step of all lanes: one by one, and as one."""
    trainer = pristine_of(name)
    walkers, ways = walkers_of(trainer, lanes)
    fused, _ = fused_of(trainer, lanes)

    def one_by_one():
        for walker, way in zip(walkers, ways, strict=True):
            walker.train(NOWHERE, way)

    def as_one():
        fused.train([NOWHERE] * lanes, ways)

    found = {one_by_one: [], as_one: []}
    for run in range(runs + 1):
        for work in random.Random(run).sample(sorted(found, key=lambda each: each.__name__), 2):
            took_s = cpu_s(work)
            if run:  # the first one pays imports and caches
                found[work].append(took_s)
    for walker in walkers:
        walker.close()
    fused.close()
    return statistics.median(found[one_by_one]), statistics.median(found[as_one]), found


# ------------------------------------------------------------------------------------------- what others do


class Grouped(nn.Module):
    """The demo's net F times, as one network whose convolutions and norms have F groups."""

    def __init__(self, lanes, width):
        super().__init__()
        self.lanes = lanes
        self.body = nn.Sequential(
            nn.Conv2d(lanes, lanes * width, 3, padding=1, groups=lanes), nn.BatchNorm2d(lanes * width), nn.ReLU(),
            nn.Conv2d(lanes * width, 2 * lanes * width, 3, padding=1, groups=lanes),
            nn.BatchNorm2d(2 * lanes * width), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.3),
        )  # fmt: skip
        self.weight = nn.Parameter(torch.randn(lanes, 32 * width, 10) / (32 * width) ** 0.5)
        self.bias = nn.Parameter(torch.zeros(lanes, 1, 10))

    def forward(self, images):
        found = self.body(images.expand(-1, self.lanes, -1, -1))
        found = found.reshape(len(images), self.lanes, -1).transpose(0, 1)
        return torch.baddbmm(self.bias, found, self.weight)


def grouped_step(lanes, width):
    """Return what takes a step of 240 samples, as HFTA would, with one optimizer and a rate per lane."""
    trainer = pristine_of(f"digits {width}, tensors")
    images, labels = trainer.train_set().tensors
    torch.manual_seed(0)
    model = Grouped(lanes, width)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
    order = torch.randperm(len(images))

    def step():
        model.train()
        for batch in order[:240].split(32):
            noisy = images[batch] + 0.1 * torch.randn_like(images[batch])
            scores = model(noisy)
            target = labels[batch].repeat(lanes)
            loss = nn.functional.cross_entropy(scores.flatten(0, 1), target) * lanes
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()

    return step


def grouped(lanes, width, runs):
    step = grouped_step(lanes, width)
    step()
    return statistics.median(cpu_s(step) for _ in range(runs))


def _walk_part(name, lanes, steps, ready, go, done):
    pin(1)
    walkers, ways = walkers_of(pristine_of(name), lanes)
    for walker, way in zip(walkers, ways, strict=True):
        walker.train(NOWHERE, way)
    ready.put(True)
    go.wait()
    for _ in range(steps):
        for walker, way in zip(walkers, ways, strict=True):
            walker.train(NOWHERE, way)
    done.put(True)


def side_by_side(name, lanes, processes, steps=3):
    """Return the wall seconds of steps of all lanes, in so many processes."""
    context = multiprocessing.get_context("spawn")
    ready, done, go = context.Queue(), context.Queue(), context.Event()
    parts = [lanes // processes] * processes
    started = [context.Process(target=_walk_part, args=(name, part, steps, ready, go, done)) for part in parts]
    for process in started:
        process.start()
    for _ in started:
        ready.get()
    began_s = time.perf_counter()
    go.set()
    for _ in started:
        done.get()
    took_s = (time.perf_counter() - began_s) / steps
    for process in started:
        process.join()
    return took_s


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="", help="models whose name holds this")
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    pin(1)
    rows = []
    for name in (name for name in MODELS if arguments.only in name):
        for lanes in LANES:
            alone_s, fused_s, found = throughput(name, lanes, arguments.runs)
            low, high = (min(each) for each in found.values()), (max(each) for each in found.values())
            low_alone, low_fused = low
            high_alone, high_fused = high
            rows.append(
                {
                    "model": name,
                    "lanes": lanes,
                    "way": "fused",
                    "one_by_one_ms": round(1000 * alone_s, 1),
                    "ms": round(1000 * fused_s, 1),
                    "times": round(alone_s / fused_s, 2),
                    "spread": f"{low_alone / high_fused:.2f} to {high_alone / low_fused:.2f}",
                    "target": TARGETS.get((name, lanes)),
                }
            )
            print(rows[-1], flush=True)
    if not arguments.only or "digits 3" in arguments.only:
        name, lanes = "digits 3, tensors", 16
        alone_ms = next(row["one_by_one_ms"] for row in rows if (row["model"], row["lanes"]) == (name, lanes))
        hfta_ms = 1000 * grouped(lanes, 3, arguments.runs)
        row = {"model": name, "lanes": lanes, "way": "grouped", "one_by_one_ms": alone_ms, "ms": round(hfta_ms, 1)}
        rows.append({**row, "times": round(alone_ms / hfta_ms, 2), "spread": None, "target": None})
        pairs = [(side_by_side(name, lanes, 1), side_by_side(name, lanes, 2)) for _ in range(arguments.runs)]
        one_ms, two_ms = (1000 * statistics.median(each) for each in zip(*pairs, strict=True))
        row = {"model": name, "lanes": lanes, "way": "processes", "one_by_one_ms": round(one_ms, 1)}
        rows.append({**row, "ms": round(two_ms, 1), "times": round(one_ms / two_ms, 2), "spread": None, "target": None})
    if arguments.dry_run:
        print(*rows[-2:], sep="\n")
    else:
        write_report("fusion", rows, f"medians of {arguments.runs} in turns, one thread", seeds="0")


if __name__ == "__main__":
    main()
