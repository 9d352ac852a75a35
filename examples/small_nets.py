"""A thousand small networks on one processor: schedules that begin alike, halved twice, walked as one program.

    python examples/small_nets.py                  # ten seconds of processor time
    python examples/small_nets.py --nets 200       # fewer of them
    python examples/small_nets.py --one-by-one     # the same, each by itself

A small network leaves a processor idle: what a step costs is Python and dispatch. Here three things come together, and
nothing is declared but `numerics="fused"`: networks whose learning rates are equal up to a milestone are one network
until then; most are stopped early; and those that stand at one step are walked as one program over stacked weights.

Needs torch and scikit-learn.
"""

import argparse
import random
import time

import torch
from rich.console import Console
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import TensorDataset

import hippo

STEPS = 12
VALIDATION_IMAGES = 597


class SmallNet(hippo.TorchTrainer):
    """Trains a perceptron of one hidden layer on digits; a step is four batches of 100 images."""

    dataset = "scikit-learn digits, split with seed 0"
    samples_per_step = 400
    default_batch_size = 100
    val_batch_size = VALIDATION_IMAGES

    def __init__(self, width=16):
        self.width = width
        digits = load_digits()
        self.images = torch.tensor(digits.data, dtype=torch.float32) / 8 - 1
        self.labels = torch.tensor(digits.target)
        order = torch.randperm(len(self.labels), generator=torch.Generator().manual_seed(0))
        self.validation, self.training = order[:VALIDATION_IMAGES], order[VALIDATION_IMAGES:]

    def make_model(self):
        return nn.Sequential(nn.Linear(64, self.width), nn.ReLU(), nn.Linear(self.width, 10))

    def make_optimizer(self, params):
        return torch.optim.SGD(
            params, lr=self.hp["lr"], momentum=self.hp["momentum"], weight_decay=self.hp["weight_decay"]
        )

    def train_set(self):
        return TensorDataset(self.images[self.training], self.labels[self.training])

    def val_set(self):
        return TensorDataset(self.images[self.validation], self.labels[self.validation])

    def loss(self, model, batch):
        images, labels = batch
        return nn.functional.cross_entropy(model(images), labels)

    def metrics(self, model, batch):
        images, labels = batch
        scores = model(images)
        return {
            "loss": nn.functional.cross_entropy(scores, labels),
            "accuracy": (scores.argmax(1) == labels).float().mean(),
        }


def space():
    """Return a thousand configs: 100 ways to begin, and from each ten ways on."""
    rates = [round(0.002 * 1.6**power, 4) for power in range(10)]
    ends = [None, *((at, factor) for at in (4, 6, 8) for factor in (0.5, 0.2, 0.05))]
    return [
        {
            "lr": hippo.Constant(rate) if end is None else hippo.MultiStep(rate, [end[0]], end[1]),
            "momentum": momentum,
            "weight_decay": decay,
        }
        for rate in rates
        for momentum in (0.0, 0.5, 0.8, 0.9, 0.95)
        for decay in (0.0, 1e-3)
        for end in ends
    ]


def chosen(nets):
    """Return so many configs of the space in a shuffled order, the same in every run."""
    configs = space()
    random.Random(0).shuffle(configs)
    return configs[:nets]


def tuner(nets):
    """Return what trains so many networks: half of them go on at each rung."""
    return hippo.SuccessiveHalving(chosen(nets), min_steps=3, max_steps=STEPS, reduction=2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nets", type=int, default=1000, help="how many")
    parser.add_argument("--one-by-one", action="store_true", help="each network by itself")
    parser.add_argument("--storage", default="memory://", help="where the study is kept")
    arguments = parser.parse_args()
    study = hippo.create_study(
        "small nets",
        trainer=SmallNet,
        metric="accuracy",
        mode="max",
        storage=arguments.storage,
        engine=hippo.InlineEngine(max_lanes=128),
        numerics="exact" if arguments.one_by_one else "fused",
        evaluate_every=STEPS,
    )
    began_s = time.perf_counter()
    study.optimize(tuner(arguments.nets))
    took_s, counted = time.perf_counter() - began_s, study.statistics()
    console = Console()
    console.print(
        f"{len(study.trials)} networks, {counted.steps_asked} steps asked for, {counted.steps_executed} executed, "
        f"{counted.mean_lanes:.1f} at once on average: {took_s:.1f} s"
    )
    console.print(f"best accuracy {study.best_trial.value:.4f} with {dict(study.best_trial.params)}")


if __name__ == "__main__":
    main()
