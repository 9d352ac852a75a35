"""What must work where `[torch]` is installed, too: a study of a `TorchTrainer`, shared and alone, bit for bit."""

import torch
from torch import nn
from torch.utils.data import TensorDataset

import hippo


class Parity(hippo.TorchTrainer):
    dataset = "parity of eight random bits"

    def __init__(self):
        bits = torch.randint(2, (512, 8), generator=torch.Generator().manual_seed(0))
        self.inputs, self.labels = bits.float(), bits.sum(1) % 2

    def make_model(self):
        return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))

    def make_optimizer(self, params):
        return torch.optim.SGD(params, lr=self.hp["lr"], momentum=0.9)

    def train_set(self):
        return TensorDataset(self.inputs[:384], self.labels[:384])

    def val_set(self):
        return TensorDataset(self.inputs[384:], self.labels[384:])

    def loss(self, model, batch):
        inputs, labels = batch
        return nn.functional.cross_entropy(model(inputs), labels)


space = hippo.GridSearchSpace({"lr": [0.1, hippo.MultiStep(0.1, [2], 0.1), hippo.Exponential(0.1, 0.5)]})
losses = {}
for sharing in (True, False):
    study = hippo.create_study(
        f"parity {sharing}", trainer=Parity, storage="sqlite:///torch.db", metric="loss", sharing=sharing
    )
    study.optimize(hippo.GridSearch(space, until=4))
    losses[sharing] = [trial.value for trial in study.trials]
assert losses[True] == losses[False], losses
