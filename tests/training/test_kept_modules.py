"""A network that `__init__` made is everybody's: no trial begins with what another has made of it."""

from __future__ import annotations

import copy
import functools
from typing import Any

import pytest
import torch
from torch import nn

import hippo
from hippo.errors import TrainerError
from hippo.hparams import Piecewise
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.training.declarative.kept_modules import KeptModules


class Thaws(BlobsTrainer):
    """Trains the head of a network that is there already, and then all of it."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = {"backbone": nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.ReLU())}

    def make_model(self) -> nn.Module:
        return nn.Sequential(self.parts["backbone"], nn.Linear(8, 3))

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(params if self.hp["thawed"] else self.model[1].parameters(), lr=self.hp["lr"])


def pretrained() -> nn.Module:
    """Return a part that every process has alike, and that draws nothing which what is made later would miss."""
    with torch.random.fork_rng():
        part = nn.Linear(6, 8)
    nn.init.zeros_(part.bias)
    nn.init.constant_(part.weight, 0.1)
    return part


SHARED = pretrained()


class ThawsAGlobal(Thaws):
    """Its part is in its module."""

    def part(self) -> nn.Module:
        return SHARED

    def make_model(self) -> nn.Module:
        return nn.Sequential(self.part(), nn.ReLU(), nn.Linear(8, 3))

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(params if self.hp["thawed"] else self.model[2].parameters(), lr=self.hp["lr"])


class ThawsAnAttributeOfItsClass(ThawsAGlobal):
    shared = pretrained()

    def part(self) -> nn.Module:
        return self.shared


cached = functools.lru_cache(pretrained)
cached_for_good = functools.cache(pretrained)


class ThawsWhatIsCached(ThawsAGlobal):
    def part(self) -> nn.Module:
        return cached()


class ThawsWhatIsCachedForGood(ThawsAGlobal):
    def part(self) -> nn.Module:
        return cached_for_good()


class ThawsACopy(Thaws):
    """Leaves what is everybody's as it is."""

    def make_model(self) -> nn.Module:
        return nn.Sequential(copy.deepcopy(self.parts["backbone"]), nn.Linear(8, 3))


def trained(trainer: type[BlobsTrainer], configs: list[dict[str, Any]], until: int) -> list[hippo.Trial]:
    """Train a study in this process and return its trials."""
    study = hippo.create_study(
        "trained", trainer=trainer, storage="memory://", checkpoints="memory://", engine=hippo.InlineEngine(),
        metric="loss", mode="min",
    )  # fmt: skip
    study.optimize(hippo.GridSearch(configs, until=until))
    trials = study.trials
    study.close()
    return trials


CONFIGS = [{"lr": lr, "thawed": Piecewise([False, True], [3])} for lr in (0.1, 0.05)]


def test_a_trial_does_not_begin_with_what_the_one_before_it_has_trained() -> None:
    first, second = trained(Thaws, CONFIGS, until=5)
    assert first.state.name == "COMPLETE"
    assert "make_model() returned 0.0.weight, 0.0.bias, 0.1.weight and 1 more as an attribute of" in second.error
    assert "copy.deepcopy(...)" in second.error


@pytest.mark.parametrize(
    "trainer", [ThawsAGlobal, ThawsAnAttributeOfItsClass, ThawsWhatIsCached, ThawsWhatIsCachedForGood]
)
def test_nor_with_what_a_class_its_module_or_a_cache_there_has(trainer: type[BlobsTrainer]) -> None:
    first, second = trained(trainer, CONFIGS, until=5)
    assert first.state.name == "COMPLETE"
    assert "make_model() returned 0.weight, 0.bias as an attribute of the trainer, its class or its" in second.error


def test_a_copy_is_a_trials_own() -> None:
    assert [trial.state.name for trial in trained(ThawsACopy, CONFIGS, until=5)] == ["COMPLETE"] * 2


def test_what_nobody_trains_may_be_everybodys() -> None:
    rates = [0.1, Piecewise([0.1, 0.05], [2]), 0.3]
    trials = trained(Thaws, [{"lr": rate, "thawed": False} for rate in rates], until=4)
    assert [trial.state.name for trial in trials] == ["COMPLETE"] * 3


def test_bits_count_and_not_who_wrote_them() -> None:
    kept, networks = nn.Linear(2, 2), KeptModules()
    attributes = {"one": kept, "other": [3, nn.Linear(2, 2)], "number": 1}
    networks.note(nn.Sequential(kept), attributes.values())
    networks.check(nn.Sequential(kept))
    state = copy.deepcopy(kept.state_dict())
    kept.load_state_dict(state)  # as a lane that begins from a state
    networks.check(nn.Sequential(kept))
    nn.init.zeros_(kept.bias)
    with pytest.raises(TrainerError, match=r"returned 0\.bias as an attribute"):
        networks.check(nn.Sequential(kept))
    networks.note(nn.Sequential(kept), attributes.values())  # what is known is not learned anew
    with pytest.raises(TrainerError, match=r"returned 0\.bias as an attribute"):
        networks.check(nn.Sequential(kept))
    kept.load_state_dict(state)
    networks.check(nn.Sequential(kept))


def test_what_is_gone_is_forgotten() -> None:
    networks = KeptModules()
    for _ in range(2):
        kept = nn.Linear(2, 2)  # as a `build` that makes it in each trial
        networks.note(nn.Sequential(kept), [kept])
        del kept
    assert networks._seen == {}
