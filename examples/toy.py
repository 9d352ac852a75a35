"""Eight trials that share what they can, without torch: a weight rolls down a noisy valley."""

import random

import hippo
from hippo import Constant, Exponential, MultiStep, Piecewise


class Valley(hippo.Trainer):
    def build(self):
        self.weight = 5.0

    def train(self):  # one step
        noise = random.gauss(0, 1) / self.hp["batch_size"]
        self.weight -= self.hp["lr"] * (self.weight + noise)

    def evaluate(self):
        return {"loss": self.weight**2}

    def state_dict(self):
        return {"weight": self.weight}

    def load_state_dict(self, state):
        self.weight = state["weight"]


space = hippo.GridSearchSpace(
    {
        "lr": [Constant(0.1), MultiStep(0.1, [20], 0.1), MultiStep(0.1, [25], 0.5), Exponential(0.1, 0.9)],
        "batch_size": [Constant(8), Piecewise([8, 32], [15])],
    }
)
print(f"merge rate {space.merge_rate(until=30):.2f}, known before anything runs")

study = hippo.create_study("toy", trainer=Valley, storage="sqlite:///hippo.db", metric="loss", mode="min")
study.optimize(hippo.GridSearch(space, until=30))
print(f"best: trial {study.best_trial.number}, {study.best_trial.params}, loss {study.best_value:.2g}")
print(f"{study.statistics().steps_asked} steps asked for, {study.statistics().steps_executed} executed")
