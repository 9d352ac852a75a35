"""A lane that begins where the slot's last one ended goes on with its walker; a fork may use its trainer again.

Law 5.3 to the bit: what comes of it is what comes of lanes that build everything anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import nn

from hippo.events import CheckpointWritten, StageFailed
from hippo.hparams import Exponential, Piecewise
from hippo.records import Lane
from hippo.testing.remembering_host import RememberingHost, along, run_lanes, spec_of, stages, start_at
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.testing.trainers import ToyTrainer
from hippo.training import Trainers
from hippo.training.declarative.torch_reuse import BuiltTrainer

pytestmark = pytest.mark.usefixtures("one_thread", "compiler_loaded")

#: one entry for each model that was made
MADE: list[int] = []


class Counting(BlobsTrainer):
    """Counts the models that it makes."""

    def make_model(self) -> nn.Module:
        MADE.append(1)
        return super().make_model()


class Slot:
    """Lanes of one slot, one after the other."""

    def __init__(self, trainer: Any = Counting, **arguments: Any) -> None:
        self.spec = spec_of(trainer, **arguments)
        self.host, self.trainers = RememberingHost(), Trainers()

    def walk(self, config: Mapping[str, Any], start: int, until: int, **lane: Any) -> int:
        """Walk a lane from a state that is here, and return how many models were made for it."""
        MADE.clear()
        written = [event for event in self.host.of(CheckpointWritten) if event.step == start]
        begin = start_at(config, start, written[-1].checkpoint) if start else None
        lane = Lane(begin=begin, stages=stages(config, start, until), **lane)
        run_lanes(lane, spec=self.spec, host=self.host, trainers=self.trainers, lease=len(self.host.events) + 1)
        assert not self.host.of(StageFailed), self.host.one(StageFailed).failure.traceback
        return len(MADE)

    def facts(self, step: int) -> tuple[Any, ...]:
        return self.host.hashes[step], self.host.metrics[step], self.host.training[step]


def alone(config: Mapping[str, Any], until: int, spec: Any) -> tuple[Any, ...]:
    host = along(config, until, spec=spec)
    return host.hashes[until], host.metrics[until], host.training[until]


BASE = {"lr": 0.1, "momentum": 0.9}


def forked(at: int, lr: float = 0.03) -> dict[str, Any]:
    return {**BASE, "lr": Piecewise([0.1, lr], [at])}


def test_lanes_step_by_step_make_one_model_and_change_no_bit() -> None:
    slot, config = Slot(), {"lr": Exponential(0.1, 0.9), "momentum": Piecewise([0.9, 0.5], [2])}
    assert [slot.walk(config, step, step + 1) for step in range(4)] == [1, 0, 0, 0]
    assert slot.facts(4) == alone(config, 4, slot.spec)


def test_a_fork_loads_into_the_trainer_that_stands_there_and_changes_no_bit() -> None:
    slot = Slot()
    assert [slot.walk(BASE, 0, 2), slot.walk(forked(2), 2, 4), slot.walk(forked(2, 0.5), 2, 4)] == [1, 0, 0]
    assert slot.facts(4) == alone(forked(2, 0.5), 4, slot.spec)


def test_a_fork_to_the_values_that_stood_there_before_changes_no_bit() -> None:
    slot = Slot()
    for start, until, config in ((0, 2, BASE), (2, 3, BASE), (2, 4, forked(2)), (2, 4, forked(2))):
        slot.walk(config, start, until)
    assert slot.facts(4) == alone(forked(2), 4, slot.spec)


#: names that `setup` was given, call by call
GIVEN: list[list[str]] = []


class Told(Counting):
    """Notes what its `setup` is given."""

    def setup(self, hp: Mapping[str, Any]) -> None:
        GIVEN.append(sorted(hp))


def test_a_fork_is_set_up_with_all_values_and_what_goes_on_with_those_that_changed() -> None:
    GIVEN.clear()
    slot = Slot(Told)
    for start, until, config in ((0, 2, BASE), (2, 3, forked(2)), (2, 3, forked(2, 0.5))):
        assert slot.walk(config, start, until) == (start == 0)
    assert GIVEN == [["lr", "momentum"], ["lr"], ["lr", "momentum"]]


arguments = st.fixed_dictionaries(
    {
        "optimizer": st.sampled_from(["sgd", "adam", "adamw"]),
        "batch_norm": st.booleans(),
        "augment": st.booleans(),
        "samples_per_step": st.sampled_from([None, 36]),
        "apply_hparams": st.sampled_from(["step", "batch"]),
    }
)
forks = st.lists(
    st.tuples(st.integers(1, 3), st.sampled_from([0.1, 0.03, Exponential(0.2, 0.7)]), st.booleans(), st.booleans()),
    min_size=1,
    max_size=4,
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(arguments=arguments, forks=forks)
def test_any_order_of_forks_and_of_going_on_changes_no_bit(arguments: Any, forks: Any) -> None:
    slot = Slot(**arguments)
    for step in range(4):
        slot.walk(BASE, step, step + 1)
    for at, lr, goes_on, batches in forks:
        changed = {"batch_size": 10} if batches else {}
        config = {**BASE, **changed, "lr": Piecewise([0.1, lr], [at])} if not batches else {
            **BASE, "lr": Piecewise([0.1, lr], [at]), "momentum": Piecewise([0.9, 0.2], [at])
        }  # fmt: skip
        slot.walk(config, at, at + 2)
        assert slot.facts(at + 2) == alone(config, at + 2, slot.spec)
        if goes_on and len(stages(config, 0, at + 3)) > 1:
            assert slot.walk(config, at + 2, at + 3) == 0
            assert slot.facts(at + 3) == alone(config, at + 3, slot.spec)


# ------------------------------------------------------------------------------------------- who builds all the same


@pytest.mark.parametrize("watch", [{"check": True}, {"audit": True}])
def test_a_lane_that_is_watched_builds_its_own(watch: dict[str, bool]) -> None:
    slot = Slot()
    slot.walk(BASE, 0, 2)
    assert slot.walk(BASE, 2, 4, **watch) >= 1


def test_what_others_did_in_between_ends_it() -> None:
    slot = Slot()
    slot.walk(BASE, 0, 2)
    slot.walk(BASE, 0, 1)
    assert slot.walk(BASE, 2, 3) == 0  # forked from where that one stands
    run_lanes(Lane(begin=None, stages=stages(BASE, 0, 1)), host=slot.host, spec=spec_of(ToyTrainer), lease=99)
    assert slot.walk(BASE, 2, 3) == 1


class Flagged(Counting):
    """Changes a setting of the process while it builds."""

    def build(self) -> None:
        super().build()
        torch.set_float32_matmul_precision("medium")


def test_a_setting_that_holds_for_its_lane_only_ends_it() -> None:
    slot = Slot(Flagged)
    slot.walk(BASE, 0, 1)
    assert slot.walk(BASE, 1, 2) == 1


class Closing(Counting):
    """Says what is to be let go."""

    def close(self) -> None:
        super().close()


def test_a_trainer_with_a_close_of_its_own_is_not_kept() -> None:
    slot = Slot(Closing)
    slot.walk(BASE, 0, 1)
    assert slot.walk(BASE, 1, 2) == 1


def test_nobody_may_have_the_walker_after_the_next_lane() -> None:
    slot = Slot()
    slot.walk(BASE, 0, 1)
    lane = Lane(begin=start_at(BASE, 1), stages=stages(BASE, 1, 2))
    standing, pristine = slot.host.standing, slot.trainers.pristine(slot.spec)
    assert standing.take("w", lane, pristine) is not None
    assert standing.take("w", lane, pristine) is None


class Toy(ToyTrainer):
    """Counts how often it is built."""

    def build(self) -> None:
        MADE.append(1)
        super().build()


class Letting(Toy):
    """Has something to let go."""

    def close(self) -> None:
        pass


@pytest.mark.parametrize("lets_go", [True, False])
def test_only_a_trainer_that_lets_nothing_go_is_kept(lets_go: bool) -> None:
    slot = Slot(Letting if lets_go else Toy)
    slot.walk(BASE, 0, 1)
    assert slot.walk(BASE, 1, 2) == lets_go


class InAttribute(Counting):
    """Counts batches in an attribute."""

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        self.batches = getattr(self, "batches", 0) + 1
        return super().loss(model, batch)


class InState(Counting):
    """Saves something of its own."""

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"more": 1}


class InModule(Counting):
    """Changes a number in its model as it trains."""

    def update(self, loss: torch.Tensor) -> None:
        super().update(loss)
        self.model[-2].p *= 0.99  # type: ignore[index,operator]


class InCache(Counting):
    """Keeps a list in its model."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        model.seen = {}  # type: ignore[assignment]
        return model


class InHook(Counting):
    """Has a hook in its model."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        model.register_forward_hook(lambda *_: None)
        return model


class InBuffer(Counting):
    """Has a buffer that is not saved."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        model.register_buffer("average", torch.zeros(1), persistent=False)
        return model


class InParameter(Counting):
    """Puts another layer in the place of one."""

    def update(self, loss: torch.Tensor) -> None:
        super().update(loss)
        self.model[-1].bias = nn.Parameter(self.model[-1].bias.detach().clone())  # type: ignore[index]


class InOptimizer(Counting):
    """Trains a buffer."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        model.register_buffer("scale", torch.zeros(1, requires_grad=True))
        return model

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD([*params, self.model.scale], lr=self.hp["lr"])  # type: ignore[list-item]


class InSchedule(Counting):
    """Has a scheduler at its optimizer."""

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        optimizer = super().make_optimizer(params)
        torch.optim.lr_scheduler.StepLR(optimizer, 1)
        return optimizer


class InFreezing(Counting):
    """Freezes a layer as it trains."""

    def update(self, loss: torch.Tensor) -> None:
        super().update(loss)
        self.model[0].requires_grad_(False)  # type: ignore[index]


class InProperty(Counting):
    """Trains as many samples as its learning rate says."""

    @property  # type: ignore[misc]
    def default_batch_size(self) -> int:
        return 8 if self.hp["lr"] > 0.05 else 12

    @default_batch_size.setter
    def default_batch_size(self, value: int) -> None:
        pass


class InInit(Counting):
    """Counts batches in an attribute that it had from the beginning."""

    def __init__(self) -> None:
        super().__init__()
        self.batches = 0

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        self.batches += 1
        return super().loss(model, batch)


class InTensor(Counting):
    """Writes something at a parameter."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        model[0].weight.scale = 1.0  # type: ignore[index]
        return model


LEAKY = [
    InInit,
    InTensor,
    InAttribute,
    InState,
    InModule,
    InCache,
    InHook,
    InBuffer,
    InParameter,
    InOptimizer,
    InSchedule,
    InFreezing,
]


@pytest.mark.parametrize("trainer", [*LEAKY, InProperty])
def test_a_trainer_that_might_keep_something_outside_of_its_state_is_built_anew_for_a_fork(trainer: Any) -> None:
    slot = Slot(trainer)
    slot.walk(BASE, 0, 2)
    slot.walk(BASE, 2, 3)
    assert slot.walk(forked(2), 2, 3) == 1


def test_a_value_that_the_model_is_made_of_has_it_made_anew() -> None:
    class Wide(Counting):
        def make_model(self) -> nn.Module:
            self.hp["lr"]
            return super().make_model()

        def setup(self, hp: Mapping[str, Any]) -> None:
            pass

    slot = Slot(Wide)
    slot.walk(BASE, 0, 2)
    slot.walk(forked(2), 2, 4)
    assert slot.walk(BASE, 2, 3) == 0  # built under 0.1, as this one would be
    slot.walk(forked(2), 2, 4)
    assert slot.walk(forked(2), 3, 4) == 1


def test_a_fork_gets_no_gradients_of_another_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    slot = Slot()
    slot.walk(BASE, 0, 2)
    slot.walk(BASE, 2, 3)
    loaded: list[BuiltTrainer] = []
    original = BuiltTrainer.load
    monkeypatch.setattr(BuiltTrainer, "load", lambda built, *given: loaded.append(built) or original(built, *given))
    monkeypatch.setattr(
        Counting, "train", lambda trainer: {"grads": sum(p.grad is not None for p in trainer.model.parameters())}
    )
    monkeypatch.setattr("hippo.training.declarative.torch_reuse._LEFT", ())
    slot.walk(forked(2), 2, 3)
    assert len(loaded) == 1
    assert slot.host.training[3] == {"grads": 0}
