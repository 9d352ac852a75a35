"""Frozen parts that were made in evaluation mode are trained in it, however their trainer is walked."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import TensorDataset

import hippo
from hippo.testing.solo import train_alone
from hippo.training import telling
from hippo.training.declarative.modes import FrozenModes, LastingModes, TrainingModes, modules_in_eval


def made() -> nn.Sequential:
    torch.manual_seed(0)
    trunk = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.5))
    return nn.Sequential(trunk.requires_grad_(False).eval(), nn.Dropout(0.1), nn.Linear(4, 2))


class Probe(hippo.TorchTrainer):
    dataset = "points of seed 0"
    default_batch_size = 16

    def make_model(self) -> nn.Module:
        return made()

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD([each for each in params if each.requires_grad], lr=self.hp["lr"])

    def train_set(self) -> Any:
        points = torch.randn(64, 4, generator=torch.Generator().manual_seed(0)) * 3 + 1
        return TensorDataset(points, (points[:, 0] > 1).long())

    val_set = train_set

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return nn.functional.cross_entropy(model(batch[0]), batch[1])


def state_of(trainer: type[hippo.Trainer], **options: Any) -> Any:
    study = hippo.create_study("modes", trainer=trainer, storage="memory://", checkpoints="memory://", metric="loss",
                               mode="min", engine=hippo.InlineEngine(), **options)  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=2))
    return study, study.trials[0].load_state()


@pytest.mark.parametrize("options", [{}, {"numerics": "fused"}, {"numerics": "elastic"}])
def test_what_a_frozen_part_has_seen_stays_as_it_was(options: dict[str, Any]) -> None:
    study, state = state_of(Probe, **options)
    assert bool(study.statistics().lane_steps_fused) == (options.get("numerics") == "fused")
    before = made().state_dict()
    for name in ("0.1.running_mean", "0.1.running_var", "0.1.num_batches_tracked", "0.0.weight"):
        assert torch.equal(state["model"][name], before[name]), name
    assert not torch.equal(state["model"]["2.weight"], before["2.weight"])


def test_a_frozen_part_in_evaluation_mode_draws_nothing() -> None:
    class WithoutDropout(Probe):
        def make_model(self) -> nn.Module:
            model = made()
            model[0][2] = nn.Identity()
            return model

    alone = train_alone(Probe, {"lr": 0.1}, until=3)
    assert alone == train_alone(WithoutDropout, {"lr": 0.1}, until=3)


def test_shards_leave_it_as_it_is() -> None:
    class Sharded(Probe):
        shards = 2

    state = state_of(Sharded)[1]
    assert torch.equal(state["model"]["0.1.running_mean"], made().state_dict()["0.1.running_mean"])


def test_a_part_that_is_trained_or_thawed_is_put_into_training_mode() -> None:
    model = made()
    modes = FrozenModes(model, "Probe")
    modes.enter(model.eval())
    assert modules_in_eval(model) == {"0", "0.0", "0.1", "0.2"}
    model[0][0].requires_grad_(True)
    modes.enter(model.eval())
    assert modules_in_eval(model) == {"0.1"}  # what is still frozen
    model[0].requires_grad_(True)
    modes.enter(model.eval())
    assert modules_in_eval(model) == frozenset()


def test_what_was_put_into_training_mode_within_a_frozen_part_stays_in_it() -> None:
    model = made()
    model[0][2].train()
    FrozenModes(model, "Probe").enter(model.eval())
    assert modules_in_eval(model) == {"0.0", "0.1"}


@pytest.mark.slow
def test_ranks_that_divide_a_model_leave_it_as_it_is(tmp_path: Path) -> None:
    study = hippo.create_study("modes", trainer=Probe, storage=f"sqlite:///{tmp_path}/hippo.db", metric="loss",
                               checkpoints=str(tmp_path / "states"), mode="min", numerics="elastic",
                               engine=hippo.LocalEngine(workers=1, ranks=2))  # fmt: skip
    study.evaluate({"lr": 0.1}, until=2)
    state = study.trials[0].load_state()
    study.close()
    assert torch.equal(state["model"]["0.1.running_mean"], made().state_dict()["0.1.running_mean"])
    assert not torch.equal(state["model"]["2.weight"], made().state_dict()["2.weight"])


def test_a_whole_pretrained_network_that_is_trained_is_put_into_training_mode_without_a_word() -> None:
    model = nn.Sequential(nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.5)).eval(), nn.Linear(4, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FrozenModes(model, "Pretrained").enter(model)
    assert modules_in_eval(model) == frozenset()


def test_a_batch_norm_alone_that_is_trained_all_the_same_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "_told", set())
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4).eval(), nn.BatchNorm1d(4).eval())
    with pytest.warns(UserWarning, match=r"Frozen.make_model\(\) left '1' and 1 more in evaluation mode.*freeze"):
        FrozenModes(model, "Frozen").enter(model)
    assert modules_in_eval(model) == frozenset()


def test_other_libraries_have_rules_of_their_own() -> None:
    model = made()
    TrainingModes(model, "Transformers").enter(model)
    assert modules_in_eval(model) == frozenset()
    model = made()
    modes = LastingModes(model, "Lightning")
    assert modes.state() is None
    modes.begin(model.eval())
    model[1].eval()
    modes.enter(model)
    modes.end(model)
    modes.begin(model.eval())
    assert modules_in_eval(model) == {"0", "0.0", "0.1", "0.2", "1"}
    again = LastingModes(made(), "Lightning")
    again.load(modes.state())
    assert again.state() == ["0", "0.0", "0.1", "0.2", "1"]
    again.load(None)
    assert again.state() is None
