"""One training run that tunes itself: a network on scikit-learn's digits, by short branches of its own state.

    python examples/mltuner.py             # half a minute on an idle core; Ctrl-C it, run it again: it goes on
    python examples/mltuner.py             # the second run trains nothing

Needs torch, scikit-learn and optuna.
"""

import sys
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import TensorDataset

import hippo

STEPS = 200
CHECK_EVERY = 10


class DigitsTrainer(hippo.TorchTrainer):
    """A small network; a step is 256 of 1,200 images, of which a tenth has a wrong label."""

    dataset = "scikit-learn digits, split with seed 0, 120 labels wrong"
    samples_per_step = 256

    def __init__(self):
        chance = torch.Generator().manual_seed(0)
        digits = load_digits()
        inputs = torch.tensor(digits.data, dtype=torch.float32) / 16
        labels = torch.tensor(digits.target)
        order = torch.randperm(len(labels), generator=chance)
        self.training, self.validation = order[:1200], order[1200:]
        self.inputs, self.labels, self.told = inputs, labels, labels.clone()
        wrong = self.training[:120]
        self.told[wrong] = (labels[wrong] + 1 + torch.randint(9, (120,), generator=chance)) % 10

    def make_model(self):
        return nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))

    def make_optimizer(self, params):
        return torch.optim.SGD(params, lr=self.hp["lr"], momentum=self.hp["momentum"])

    def train_set(self):
        return TensorDataset(self.inputs[self.training], self.told[self.training])

    def val_set(self):
        return TensorDataset(self.inputs[self.validation], self.labels[self.validation])

    def loss(self, model, batch):
        inputs, labels = batch
        return nn.functional.cross_entropy(model(inputs), labels)

    def metrics(self, model, batch):
        inputs, labels = batch
        return {"accuracy": (model(inputs).argmax(1) == labels).float().mean()}


tuner = hippo.MLTuner(
    {
        "lr": hippo.loguniform(1e-5, 1.0),
        "momentum": hippo.uniform(0.0, 1.0),
        "batch_size": hippo.choice(16, 64, 256),  # each divides a step's samples
    },
    max_steps=STEPS,
    check_every=CHECK_EVERY,
    max_trials=30,
)


def report(study, known, console):
    statistics = study.statistics()
    path = study.best_trial
    table = Table("steps", "accuracy", "lr", "momentum", "batch size", title="the live path")
    for step, metrics in sorted(path.history.items()):
        values = path.config.values_at(step - 1)
        shown = [f"{values['lr']:.3g}", f"{values['momentum']:.2f}", str(values["batch_size"])]
        table.add_row(str(step), f"{metrics['accuracy']:.3f}", *shown)
    console.print(table)
    console.print(
        f"{len(study.trials)} trials, of which one was trained to the end: {path.step} steps of it, "
        f"{statistics.steps_executed - path.step} of branches that were freed"
    )
    if statistics.steps_executed == known:
        console.print("everything was known already, so nothing was trained.", style="bold")


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("mltuner-example")
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    study = hippo.create_study(
        "digits",
        trainer=DigitsTrainer,
        storage=f"sqlite:///{folder / 'hippo.db'}",
        checkpoints=str(folder / "checkpoints"),
        engine=hippo.InlineEngine(),
        metric="accuracy",
        mode="max",
        evaluate_every=10 * STEPS,  # where the tuner asks, and nowhere else
    )
    known = study.statistics().steps_executed
    study.optimize(tuner)
    report(study, known, Console())
    study.close()


if __name__ == "__main__":
    main()
