"""Linear probes on a frozen network: 52 of them for little more than the price of one.

    python examples/probes.py                  # all of them as one program, over one frozen network
    python examples/probes.py --one-by-one     # the same, each by itself

How good are a network's features? One trains linear classifiers on them, at 13 learning rates as DINOv2's evaluation
does (Oquab et al. 2023), here at 4 weight decays each. All of them see the same batch at the same step, so the frozen
network is computed once for all. Nothing declares it: its weights have `requires_grad=False`, that is all.

Needs torch and scikit-learn.
"""

import argparse
import time

import torch
from rich.console import Console
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import TensorDataset

import hippo

RATES = [1e-4 * factor * scale for scale in (1, 10, 100, 1000) for factor in (1, 2, 5)] + [1.0]
DECAYS = [0.0, 1e-4, 1e-3, 1e-2]
VALIDATION_IMAGES = 597


class Backbone(nn.Module):
    """A small vision transformer: 8 x 8 images in patches of 2 x 2, whose features are given all, or as their mean."""

    def __init__(self, width, layers, *, pooled):
        super().__init__()
        self.pooled = pooled
        self.patches = nn.Conv2d(1, width, 2, stride=2)
        self.positions = nn.Parameter(0.02 * torch.randn(1, 16, width))
        layer = nn.TransformerEncoderLayer(
            width, width // 64, 4 * width, dropout=0.0, batch_first=True, norm_first=True
        )
        self.body = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(width)

    def forward(self, images):
        tokens = self.patches(images).flatten(2).transpose(1, 2) + self.positions
        features = self.norm(self.body(tokens))
        return features.mean(1) if self.pooled else features.flatten(1)


class Probe(nn.Module):
    """A linear classifier of frozen features."""

    def __init__(self, backbone, width):
        super().__init__()
        self.backbone = backbone.requires_grad_(False)
        self.head = nn.Linear(width if backbone.pooled else 16 * width, 10)

    def forward(self, images):
        return self.head(self.backbone(images))


class ProbeTrainer(hippo.TorchTrainer):
    """Trains a linear probe; a step is ten batches of 64 images."""

    dataset = "scikit-learn digits, split with seed 0"
    samples_per_step = 640
    default_batch_size = 64

    def __init__(self, width=192, layers=6, *, pooled=False):
        self.width, self.layers, self.pooled = width, layers, pooled
        digits = load_digits()
        self.images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 4 - 2
        self.labels = torch.tensor(digits.target)
        order = torch.randperm(len(self.labels), generator=torch.Generator().manual_seed(0))
        self.validation, self.training = order[:VALIDATION_IMAGES], order[VALIDATION_IMAGES:]

    def make_model(self):
        return Probe(Backbone(self.width, self.layers, pooled=self.pooled), self.width)

    def make_optimizer(self, params):
        heads = [param for param in params if param.requires_grad]
        return torch.optim.SGD(heads, lr=self.hp["lr"], momentum=0.9, weight_decay=self.hp["weight_decay"])

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


space = hippo.GridSearchSpace({"lr": RATES, "weight_decay": DECAYS})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one-by-one", action="store_true", help="each probe by itself")
    parser.add_argument("--steps", type=int, default=6, help="of ten batches each")
    parser.add_argument("--width", type=int, default=192, help="of the frozen network")
    parser.add_argument("--layers", type=int, default=6, help="of the frozen network")
    parser.add_argument("--storage", default="memory://", help="where the study is kept")
    arguments = parser.parse_args()
    study = hippo.create_study(
        "probes",
        trainer=ProbeTrainer,
        trainer_args={"width": arguments.width, "layers": arguments.layers},
        metric="accuracy",
        mode="max",
        storage=arguments.storage,
        engine=hippo.InlineEngine(max_lanes=len(space)),
        numerics="exact" if arguments.one_by_one else "fused",
    )
    began_s = time.perf_counter()
    study.optimize(hippo.GridSearch(space, until=arguments.steps))
    took_s, statistics = time.perf_counter() - began_s, study.statistics()
    console = Console()
    console.print(f"{len(study.trials)} probes, {statistics.mean_lanes:.1f} at once on average: {took_s:.1f} s")
    console.print(f"best accuracy {study.best_trial.value:.4f} with {dict(study.best_trial.params)}")


if __name__ == "__main__":
    main()
