"""What `setup` sets after the model and the optimizers were made of what was there before is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
import torch
from torch import nn

import hippo
from hippo.hparams import Piecewise
from hippo.records import NodeId
from hippo.testing.remembering_host import pieces_at
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.training.walking.walker import UserCodeFailed, Walker

HERE = NodeId(0)


def walk(trainer: Any, config: Mapping[str, Any], steps: int = 1) -> Any:
    """Train in this process and return the trainer."""
    walker = Walker(trainer, step=0, pieces=pieces_at(config, 0), state=None, goal=(HERE, 1))
    for step in range(steps):
        walker.train(HERE, pieces_at(config, step))
    return walker.settled(HERE)


class Late(BlobsTrainer):
    """Keeps in `setup` what `make_optimizer` reads, which is called before."""

    decay = 0.0

    def setup(self, hp: Any) -> None:
        if "decay" in hp:
            self.decay = hp["decay"]

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, **self.options())

    def options(self) -> dict[str, Any]:
        return {"lr": self.hp["lr"], "weight_decay": self.decay}


LATE = r"says weight_decay=0.1 now, and 0.0 before setup\(\)\. What setup\(\) sets, self.decay, comes too late"


def test_an_option_that_setup_sets_is_refused_and_not_left_out() -> None:
    with pytest.raises(UserCodeFailed, match=LATE):
        walk(Late(), {"lr": 0.1, "decay": 0.1})


def test_one_that_setup_sets_later_does_not_wait_for_the_next_change_of_another_value() -> None:
    config = {"lr": Piecewise([0.1, 0.01], [3]), "decay": Piecewise([0.0, 0.1], [2])}
    assert walk(Late(), config, 2).optimizer.param_groups[0]["weight_decay"] == 0.0
    with pytest.raises(UserCodeFailed, match=LATE):
        walk(Late(), config, 3)


def test_an_option_that_setup_keeps_elsewhere_is_noticed_where_a_lane_begins() -> None:
    class Elsewhere(Late):
        def __init__(self) -> None:
            super().__init__()
            self.kept = {"weight_decay": 0.0}

        def setup(self, hp: Any) -> None:
            self.kept["weight_decay"] = hp["decay"]

        def options(self) -> dict[str, Any]:
            return {"lr": self.hp["lr"], **self.kept}

    with pytest.raises(UserCodeFailed, match=r"weight_decay=0.1 now.*What setup\(\) sets comes too late"):
        walk(Elsewhere(), {"lr": 0.1, "decay": 0.1})


def test_who_applies_it_in_setup_as_well_has_it() -> None:
    class Applies(Late):
        def setup(self, hp: Any) -> None:
            super().setup(hp)
            for group in self.optimizer.param_groups:
                group["weight_decay"] = self.decay

    config = {"lr": 0.1, "decay": Piecewise([0.1, 0.2], [1])}
    assert walk(Applies(), config, 2).optimizer.param_groups[0]["weight_decay"] == 0.2


class Wide(BlobsTrainer):
    """Keeps in `setup` how wide its model is, and how much of it is dropped."""

    width, dropped = 8, 0.2

    def setup(self, hp: Any) -> None:
        self.width, self.dropped = self.hp.get("width", 8), self.hp.get("dropped", 0.2)

    def make_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(6, self.width), nn.ReLU(), nn.Dropout(self.dropped), nn.Linear(self.width, 3))


@pytest.mark.parametrize(("name", "was", "value"), [("width", 8, 4), ("dropped", 0.2, 0.5)])
def test_a_model_that_would_be_another_one_after_setup_is_refused(name: str, was: Any, value: Any) -> None:
    said = f"would make another model after setup(): it reads self.{name}, which was {was} and now is {value}. What"
    with pytest.raises(UserCodeFailed, match=re.escape(said)):
        walk(Wide(), {"lr": 0.1, name: value})
    walk(Wide(), {"lr": 0.1, name: was})


def test_a_model_that_setup_changes_itself_is_what_it_would_be() -> None:
    class Drops(Wide):
        def setup(self, hp: Any) -> None:
            super().setup(hp)
            self.model[2].p = self.dropped

    assert walk(Drops(), {"lr": 0.1, "dropped": Piecewise([0.5, 0.1], [1])}, 2).model[2].p == 0.1


def test_a_making_that_cannot_be_asked_any_more_is_not_held_against_it() -> None:
    class Asked(Late):
        def setup(self, hp: Any) -> None:
            super().setup(hp)
            self.decay = -1.0  # which no optimizer takes

    assert walk(Asked(), {"lr": 0.1, "decay": 0.1}).optimizer.param_groups[0]["weight_decay"] == 0.0


def test_a_trial_that_is_what_it_says_is_trained_all_the_same() -> None:
    study = hippo.create_study(
        "late", trainer=Late, storage="memory://", checkpoints="memory://", engine=hippo.InlineEngine(),
        metric="loss", mode="min",
    )  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.1, "decay": decay} for decay in (0.0, 0.1)], until=2))
    assert [trial.state.name for trial in study.trials] == ["COMPLETE", "FAIL"]
    study.close()
