"""Torch trainers of every kind, for tests: each keeps something else that a state must have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch
from torch import nn
from torch.utils.data import BatchSampler, IterableDataset, WeightedRandomSampler

from hippo.testing.torch_trainers import CLASSES, FEATURES, Blobs, BlobsTrainer


class TwoOptimizers(BlobsTrainer):
    """A head and a body, each with an optimizer, trained in turns down losses of their own."""

    def make_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(FEATURES, 6), nn.ReLU(), nn.Dropout(0.2), nn.Linear(6, CLASSES))

    def make_optimizer(self, params: Any) -> Any:
        body, head = self.model[0], self.model[3]  # type: ignore[index]
        return {
            "body": torch.optim.Adam(body.parameters(), lr=self.hp["body_lr"]),
            "head": torch.optim.SGD(head.parameters(), lr=self.hp["lr"], momentum=0.9),
        }

    def train_on_batch(self, batch: Any) -> Mapping[str, Any]:
        head_loss = self.loss(self.model, batch)
        self.descend("head", head_loss)
        body_loss = self.loss(self.model, batch) + 0.01 * self.model[0].weight.square().sum()  # type: ignore[index]
        self.descend("body", body_loss)
        return {"head_loss": head_loss, "body_loss": body_loss}


class TwoInHalf(TwoOptimizers):
    """Two optimizers, of losses in bfloat16."""

    precision = "bf16"


class SplitParameters(TwoOptimizers):
    """Two optimizers that go down one loss."""

    def train_on_batch(self, batch: Any) -> Mapping[str, Any]:
        return BlobsTrainer.train_on_batch(self, batch)


class SecondOrder(BlobsTrainer):
    """L-BFGS, which computes its loss several times for each step, under dropout."""

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.LBFGS(params, lr=self.hp["lr"], max_iter=3, history_size=4)


class SharpnessAware(torch.optim.SGD):
    """SAM (Foret et al. 2021, "Sharpness-Aware Minimization", Alg. 1): the gradient at the worst point nearby."""

    def __init__(self, params: Any, rho: float = 0.05, **options: Any) -> None:
        super().__init__(params, **options)
        self.rho = rho

    @torch.no_grad()
    def step(self, closure: Any) -> Any:  # type: ignore[override]
        compute = torch.enable_grad()(closure)
        loss = compute()
        params = [each for group in self.param_groups for each in group["params"] if each.grad is not None]
        norm = torch.nn.utils.get_total_norm([each.grad for each in params])
        before = [each.clone() for each in params]
        for each in params:
            each.add_(each.grad * (self.rho / (norm + 1e-12)))
        compute()
        for each, value in zip(params, before, strict=True):
            each.copy_(value)
        super().step()
        return loss


class Sharp(BlobsTrainer):
    """Two passes for each step."""

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return SharpnessAware(params, lr=self.hp["lr"], momentum=0.9)


class Accumulating(BlobsTrainer):
    """Three batches to an optimizer step, of which a step of training has four."""

    accumulate = 3


class Averaging(BlobsTrainer):
    """An exponential average of weights."""

    ema_decay = 0.9


class AveragingAsked(Averaging):
    """Learns from its own average, too: a mean teacher."""

    def loss(self, model: Any, batch: Any) -> torch.Tensor:
        with torch.no_grad():
            taught = self.evaluated_model(batch[0]).softmax(1)
        return super().loss(model, batch) + nn.functional.cross_entropy(model(batch[0]), taught)


class AveragingAlike(BlobsTrainer):
    """An average of weights from the third step on."""

    swa_from = 2


class HalfPrecision(BlobsTrainer):
    """bfloat16 where autocast sees to it, with clipped gradients."""

    precision = "bf16"
    clip_norm = 0.5


class ScaledLoss(BlobsTrainer):
    """float16 with scaled losses, of which some overflow, in parts."""

    precision = "fp16"
    clip_norm = 0.5
    accumulate = 2


class Weighted(BlobsTrainer):
    """Samples drawn with replacement, more in each epoch, by torch's sampler and the global generator."""

    def sampler(self, epoch: int) -> Iterable[int]:
        return WeightedRandomSampler([1.0 + index % 3 for index in range(self.size)], 30 + 4 * (epoch % 3))


class Texts(Blobs):
    """Blobs of which each sample has a length of its own."""

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        points, label = super().__getitem__(index)
        return points.repeat(1 + index % 4, 1), label


class Bucketed(BlobsTrainer):
    """Sequences of one length to a batch, padded by `collate`."""

    def train_set(self) -> Any:
        return Texts(self.size, 0)

    def val_set(self) -> Any:
        return Texts(21, 1)

    def sampler(self, epoch: int) -> Iterable[list[int]]:
        order = torch.randperm(self.size).tolist()
        buckets = [[index for index in order if index % 4 == length] for length in range(4)]
        batches = [list(batch) for bucket in buckets for batch in BatchSampler(bucket, 8, drop_last=False)]
        return [batches[number] for number in torch.randperm(len(batches)).tolist()]

    def collate(self, samples: list[Any]) -> Any:
        points = nn.utils.rnn.pad_sequence([points for points, _ in samples], batch_first=True)
        return points.mean(dim=1), torch.stack([label for _, label in samples])


class Endless(IterableDataset[Any]):
    """Blobs that never end, which says where it is; some samples draw a number more than others."""

    def __init__(self) -> None:
        self.blobs = Blobs(50, 0)
        self.number = 0

    def __iter__(self) -> Iterator[Any]:
        while True:
            self.number += 1
            if self.number % 3 == 0:
                torch.rand(1)
            yield self.blobs[self.number * 7 % 50]

    def state_dict(self) -> dict[str, int]:
        return {"number": self.number}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.number = state["number"]


class Ending(IterableDataset[Any]):
    """40 blobs, which can be sought, in another order in each epoch."""

    def __init__(self) -> None:
        self.blobs = Blobs(40, 0)
        self.begin, self.epoch = 0, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def seek(self, position: int) -> None:
        self.begin = position

    def __iter__(self) -> Iterator[Any]:
        for number in range(self.begin, 40):
            yield self.blobs[(number * 7 + self.epoch) % 40]


class Streaming(BlobsTrainer):
    """Trains on a stream.

    Args:
      ends: whether it ends, and is sought.
    """

    def __init__(self, ends: bool = False, **options: Any) -> None:
        super().__init__(**{"samples_per_step": 36, **options})
        self.ends = ends

    def train_set(self) -> Any:
        return Ending() if self.ends else Endless()


class StreamingTwice(Streaming):
    """Trains on a stream that ends within a step."""

    def __init__(self) -> None:
        super().__init__(ends=True)


class Truncated(BlobsTrainer):
    """A recurrent net whose hidden state is carried from batch to batch."""

    def make_model(self) -> nn.Module:
        return nn.ModuleDict({"cell": nn.GRUCell(FEATURES, 8), "head": nn.Linear(8, CLASSES)})

    def build(self) -> None:
        super().build()
        self.hidden = torch.zeros(8, 8)

    def sampler(self, epoch: int) -> Iterable[list[int]]:
        return [list(range(start, start + 8)) for start in range(0, self.size, 8)]

    def loss(self, model: Any, batch: Any) -> torch.Tensor:
        points, labels = batch
        hidden = model["cell"](points, self.hidden[: len(points)])
        if model.training:
            self.hidden = hidden.detach()
        return nn.functional.cross_entropy(model["head"](hidden), labels)

    def metrics(self, model: Any, batch: Any) -> dict[str, Any]:
        points, labels = batch
        hidden = model["cell"](points, torch.zeros(len(points), 8))
        return {"loss": nn.functional.cross_entropy(model["head"](hidden), labels)}

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"hidden": self.hidden}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.hidden = state["hidden"]


class Scheduled(BlobsTrainer):
    """A scheduler of torch's, stepped with each batch."""

    def build(self) -> None:
        super().build()
        self.scheduler = torch.optim.lr_scheduler.OneCycleLR(self.optimizer, max_lr=0.2, total_steps=40)

    def train_on_batch(self, batch: Any) -> Mapping[str, Any]:
        metrics = super().train_on_batch(batch)
        self.scheduler.step()
        return metrics


class Looping(BlobsTrainer):
    """A `train` of its own."""

    def train(self) -> dict[str, float]:
        total = 0.0
        for batch in self.batches_of_step():
            loss = self.loss(self.model, batch)
            self.update(loss)
            total += loss.item()
        return {"total": total}
