"""Figures 9, 10 and 11 of the Hippo paper, as printed, with the few lines around them that the figures leave out.

Shin et al. 2020, "Hippo: Taming Hyper-parameter Optimization of Deep Learning with Stage Trees". The figures show
fragments: what they elide (building the model, training, evaluating, and values for their variables) is ours.
Needs torch and scikit-learn; takes about ten seconds.
"""

import tempfile
from pathlib import Path

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from hippo import *


# Figure 9, completed: `setup` is the paper's, the rest is what its "..." leaves out.
class MyTrainer(Trainer):
    def __init__(self):
        digits = load_digits()
        images, labels = torch.tensor(digits.data, dtype=torch.float32) / 16, torch.tensor(digits.target)
        self.train_dataset = TensorDataset(images[:1400], labels[:1400])
        self.test_images, self.test_labels = images[1400:], labels[1400:]
        self.train_loader = None

    def build(self):
        self.model = nn.Linear(64, 10)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=self.hp["lr"])

    def setup(self, hp):
        if "lr" in hp:
            for group in self.optimizer.param_groups:
                group["lr"] = hp["lr"]
        if "bs" in hp:
            if self.train_loader:
                del self.train_loader
            self.train_loader = DataLoader(self.train_dataset, batch_size=hp["bs"])

    def train(self):
        for images, labels in self.train_loader:
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(self.model(images), labels).backward()
            self.optimizer.step()

    def evaluate(self):
        with torch.no_grad():
            guesses = self.model(self.test_images).argmax(1)
        return {"test_acc": (guesses == self.test_labels).double().mean()}

    def state_dict(self):
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load_state_dict(self, state):
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])


# Figure 10. The milestone lies at 40 in the paper; its study in Figure 11 trains for 10 steps only.
def get_search_space():
    hp = {
        "lr": [
            Constant(0.1),
            Exponential(0.1, 0.95),
        ],
        "bs": [
            Constant(128),
            MultiStep(128, [40], 2),
        ],
    }
    return GridSearchSpace(hp)


if __name__ == "__main__":
    folder = Path(tempfile.mkdtemp())
    remote_url, ckpt_path = f"sqlite:///{folder / 'hippo.db'}", str(folder / "checkpoints")
    dataset, command, search_space = "digits", MyTrainer, get_search_space()
    schedule2 = Schedule.from_milestones((10, 4))
    tuner2 = EarlyStopTuner(schedule2, search_space, metric.ExtractSingleNumber("test_acc"))
    hp_config, step = next(iter(search_space)), 12

    # Figure 11, as printed. The space holds four configs where the caption speaks of eight: hippo says so and goes on.
    hp_set = ["lr", "bs"]
    study = Study(remote_url).create(
        dataset, command, ckpt_path, hp_set
    )  # fmt: skip

    schedule = Schedule.from_milestones(
        (5, 8), (10, 4)
    )  # fmt: skip
    tuner = EarlyStopTuner(
        schedule, search_space,
        metric.ExtractSingleNumber(
            "test_acc"
        )
    )  # fmt: skip
    tuner(study)

    # Users can tune a study multiple
    # times on different tuners

    tuner2(study)

    # Users can directly evaluate a
    # certain trial on a specified step

    study.eval(hp_config, step)

    best = max(study.trials, key=lambda trial: trial.metrics["test_acc"])
    print(f"best of {len(study.trials)} trials: {best.config} after {best.step} steps, {best.metrics}")
