"""A small torch trainer for tests, most of which is not trained: what its states can leave out, and what not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn
from torch.utils.data import TensorDataset

from hippo.training.torch_trainer import TorchTrainer

#: of the body: its weight is enough to be left out of a state
WIDTH = 160


class FrozenBodyModel(nn.Module):
    """An embedding, a body, a norm and a head; a norm that is not trained gathers no statistics either."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(40, WIDTH)
        self.body = nn.Linear(WIDTH, WIDTH)
        self.norm = nn.BatchNorm1d(WIDTH)
        self.head = nn.Linear(WIDTH, 2)
        self.seen = nn.Buffer(torch.zeros(3))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        if not self.norm.weight.requires_grad:
            self.norm.eval()
        outputs: torch.Tensor = self.head(self.norm(torch.relu(self.body(self.embedding(rows)))))
        return outputs


class FrozenBody(TorchTrainer):
    """Trains the head, and from where `unfreeze` is true the body, too.

    Args:
      pretrained: a file with the body's weights.
      freezes: names of the modules that are not trained.
      is_tied: the embedding has a second name.
      optimizer: "sgd" or "adam".
      renews: assign a buffer anew at each update.
    """

    samples_per_step = 8
    model: FrozenBodyModel

    def __init__(
        self,
        *,
        pretrained: str = "",
        freezes: tuple[str, ...] = ("embedding", "body", "norm"),
        is_tied: bool = False,
        optimizer: str = "sgd",
        renews: bool = False,
    ) -> None:
        self.pretrained = pretrained
        self.freezes = freezes
        self.is_tied = is_tied
        self.optimizer_name = optimizer
        self.renews = renews

    def make_model(self) -> nn.Module:
        model = FrozenBodyModel()
        if self.pretrained:
            model.body.load_state_dict(torch.load(self.pretrained))
        for name in self.freezes:
            model.get_submodule(name).requires_grad_(False)
        if self.is_tied:
            model.tied = model.embedding
        return model

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        groups = [{"params": self.model.head.parameters()}, {"params": self.model.body.parameters()}]
        if self.optimizer_name == "adam":
            return torch.optim.Adam(groups, lr=self.hp["lr"])
        return torch.optim.SGD(groups, lr=self.hp["lr"], momentum=0.9)

    def setup(self, hp: Mapping[str, Any]) -> None:
        if hp.get("unfreeze", False):
            self.model.body.requires_grad_(True)

    def update(self, loss: torch.Tensor) -> None:
        super().update(loss)
        if self.renews:
            self.model.seen = nn.Buffer(torch.full((3,), float(loss.detach())))

    def train_set(self) -> Any:
        return TensorDataset(torch.arange(8) % 4)

    def val_set(self) -> Any:
        return self.train_set()

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        outputs: torch.Tensor = model(batch[0])
        return outputs.square().mean()
