"""Several optimizers, gradients that wait and optimizers made anew: each weight is trained as its loss says, once."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import TensorDataset

import hippo
from hippo.testing.remembering_host import along, resumed, spec_of
from hippo.testing.solo import train_alone
from hippo.training import telling


class Plane(hippo.TorchTrainer):
    """Two weights whose gradients are ones."""

    dataset = "ones"
    default_batch_size = 4

    def __init__(self, **options: Any) -> None:
        self.options = options

    def make_model(self) -> nn.Module:
        model = nn.ModuleDict({name: nn.Linear(1, 1, bias=False) for name in "ab"})
        for each in model.parameters():
            nn.init.zeros_(each)
        return model

    def train_set(self) -> Any:
        return TensorDataset(torch.ones(8, 1))

    val_set = train_set

    def loss(self, model: Any, batch: Any) -> torch.Tensor:
        loss: torch.Tensor = (model["a"](batch[0]) + model["b"](batch[0])).mean()
        return loss

    def metrics(self, model: Any, batch: Any) -> dict[str, float]:
        return {"loss": 0.0, "a": model["a"].weight.item(), "b": model["b"].weight.item()}


@pytest.mark.parametrize("clip_norm", [None, 0.5])
def test_a_parameter_that_two_optimizers_have_counts_once(clip_norm: float | None) -> None:
    class Shared(Plane):
        accumulate = 2

        def make_optimizer(self, params: Any) -> Any:
            both = list(params)
            first = torch.optim.SGD(both, lr=0.1)
            return {"first": first, "idle": torch.optim.SGD(both, lr=0.0)} if self.options["two"] else first

    Shared.clip_norm = clip_norm
    one, two = (train_alone(Shared, {}, until=2, trainer_args={"two": two}) for two in (False, True))
    assert one == two
    assert one[1]["a"] == pytest.approx(-0.1 if clip_norm is None else -0.1 * 0.5 / 2**0.5)


class Named(Plane):
    """Each weight has an optimizer of its own."""

    accumulate = 2

    def make_optimizer(self, params: Any) -> Any:
        return {name: torch.optim.SGD(self.model[name].parameters(), lr=1.0) for name in "ab"}  # type: ignore[index]

    def build(self) -> None:
        super().build()
        self.batch_number = 0

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"batch_number": self.batch_number}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.batch_number = state["batch_number"]

    def loss_of(self, name: str, batch: Any) -> torch.Tensor:
        loss: torch.Tensor = self.model[name](batch[0]).float().mean() / 4  # type: ignore[index]
        return loss


def test_gradients_that_wait_keep_their_scale_while_that_of_others_falls() -> None:
    class Half(Named):
        precision = "fp16"
        device = "cpu"

        def train_on_batch(self, batch: Any) -> dict[str, Any]:
            self.descend("a", self.loss_of("a", batch) * self.options["factor"])  # beyond all floats, once it is scaled
            self.descend("b", self.loss_of("b", batch))
            return {}

    calm, wild = (train_alone(Half, {}, until=3, trainer_args={"factor": factor}) for factor in (1.0, 1e38))
    assert [calm[step]["b"] for step in (1, 2, 3)] == [wild[step]["b"] for step in (1, 2, 3)] == [-0.25, -0.5, -0.75]
    study = hippo.create_study("half", trainer=Half, trainer_args={"factor": 1e38}, storage="memory://", metric="loss",
                               checkpoints="memory://", mode="min", engine=hippo.InlineEngine())  # fmt: skip
    for until in (1, 2, 3):  # on from states
        assert study.evaluate({}, until=until) == wild[until]


def test_an_average_moves_whichever_of_several_optimizers_steps() -> None:
    class Averaging(Named):
        ema_decay = 0.5

        def train_on_batch(self, batch: Any) -> dict[str, Any]:
            self.batch_number += 1
            self.descend("a", self.loss_of("a", batch))
            if self.batch_number > 1:  # it begins a batch later, so that at each batch's end gradients of one wait
                self.descend("b", self.loss_of("b", batch))
            return {}

    found = train_alone(Averaging, {}, until=2)
    assert [found[step]["a"] for step in (1, 2)] == [-0.25, -0.375]  # the weight itself is -0.5 then


def test_an_average_moves_no_more_often_than_an_optimizer_steps() -> None:
    class Averaging(Plane):
        accumulate, ema_decay = 2, 0.5

        def make_optimizer(self, params: Any) -> Any:
            return torch.optim.SGD(params, lr=1.0)

    found = train_alone(Averaging, {}, until=3)
    assert [found[step]["a"] for step in (1, 2, 3)] == [-1.0, -1.5, -2.25]


def test_gradients_of_nobody_count_for_no_optimizer_that_is_made_later() -> None:
    class Growing(Plane):
        accumulate = 2
        samples_per_step = 12  # three batches: one waits at the end

        def make_optimizer(self, params: Any) -> Any:
            both = list(params)
            return torch.optim.SGD(both if self.hp["all"] else both[:1], lr=1.0)

    config = {"all": hippo.Piecewise([0, 1], [3])}
    whole = train_alone(Growing, config, until=4)
    study = hippo.create_study("growing", trainer=Growing, storage="memory://", checkpoints="memory://", metric="loss",
                               mode="min", engine=hippo.InlineEngine())  # fmt: skip
    study.evaluate(config, until=3)
    study.evaluate({"all": 0}, until=2)  # another lane in between
    assert study.evaluate(config, until=4) == whole[4]
    assert -2.0 < whole[4]["b"] < 0.0


@pytest.mark.parametrize("kind", [torch.optim.NAdam, torch.optim.ASGD, torch.optim.Adam])
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_what_an_optimizer_counts_in_float32_comes_back_in_it(kind: Any, dtype: torch.dtype) -> None:
    class Typed(Plane):
        def make_model(self) -> nn.Module:
            return super().make_model().to(dtype)

        def make_optimizer(self, params: Any) -> Any:
            return kind(params, lr=0.01)

        def train_set(self) -> Any:
            return TensorDataset(torch.ones(8, 1, dtype=dtype))

        val_set = train_set

    whole = train_alone(Typed, {}, until=4)
    study = hippo.create_study("typed", trainer=Typed, storage="memory://", checkpoints="memory://", metric="loss",
                               mode="min", engine=hippo.InlineEngine())  # fmt: skip
    for until in (1, 2, 4):
        assert study.evaluate({}, until=until) == whole[until]


class Stubborn(torch.optim.Optimizer):
    """Keeps its rate to itself."""

    def __init__(self, params: Any, lr: float) -> None:
        super().__init__(params, {})
        self.lr, self.steps = lr, 0

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        self.steps += 1
        for group in self.param_groups:
            for each in group["params"]:
                each -= self.lr * each.grad


def test_a_rate_that_does_not_follow_the_config_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(Plane):
        def make_optimizer(self, params: Any) -> Any:
            kind = Stubborn if self.hp["own"] else torch.optim.SGD
            return kind(params, lr=self.hp["lr"])

    monkeypatch.setattr(telling, "_told", set())
    rate = hippo.Piecewise([0.1, 0.2], [2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        train_alone(Own, {"lr": rate, "own": False}, until=3)
        train_alone(Own, {"lr": 0.1, "own": True}, until=3)
    with pytest.warns(UserWarning, match="'lr' changed, and Stubborn of Own.* keeps it as its attribute 'lr'"):
        train_alone(Own, {"lr": rate, "own": True}, until=3)


def test_what_setup_thaws_is_said_in_each_state_whatever_build_froze() -> None:
    class Thawing(Plane):
        def make_model(self) -> nn.Module:
            model = super().make_model()
            return model.requires_grad_(not self.hp["frozen"]) if self.hp["frozen"] == 2 else self.freeze(model)

        def freeze(self, model: nn.Module) -> nn.Module:
            model["a"].requires_grad_(not self.hp["frozen"])  # type: ignore[index]
            return model

        def setup(self, hp: Any) -> None:
            if "frozen" in hp:
                self.freeze(self.model)

        def make_optimizer(self, params: Any) -> Any:
            return torch.optim.SGD(params, lr=0.1)

    study = hippo.create_study("thawing", trainer=Thawing, storage="memory://", checkpoints="memory://", metric="loss",
                               mode="min", engine=hippo.InlineEngine())  # fmt: skip
    metrics = study.evaluate({"frozen": hippo.Piecewise([1, 0], [2])}, until=12)  # checks run some steps twice
    assert metrics["a"] == pytest.approx(-0.1 * 20)
    assert metrics["b"] == pytest.approx(-0.1 * 24)


@pytest.mark.parametrize(("thawed_at", "parts"), [(99, 1), (4, 1), (99, 2)])
def test_gradients_that_wait_for_what_is_frozen_meanwhile_are_forgotten(thawed_at: int, parts: int) -> None:
    class Freezing(Plane):
        accumulate, samples_per_step = 4, 4  # a batch to a step
        shards = parts

        def setup(self, hp: Any) -> None:
            if "frozen" in hp:
                self.model["a"].requires_grad_(not hp["frozen"])  # type: ignore[index,operator]

        def make_optimizer(self, params: Any) -> Any:
            return torch.optim.SGD(params, lr=self.hp["lr"])

    config = {"lr": 1.0, "frozen": hippo.Piecewise([0, 1, 0], [2, thawed_at - 1])}
    whole = train_alone(Freezing, config, until=4)
    study = hippo.create_study("frozen", trainer=Freezing, storage="memory://", checkpoints="memory://", metric="loss",
                               mode="min", engine=hippo.InlineEngine())  # fmt: skip
    for until in (1, 2, 3, 4):
        assert study.evaluate(config, until=until) == whole[until]
        study.evaluate({**config, "lr": 0.1}, until=until)  # another lane in between
    assert (whole[4]["a"], whole[4]["b"]) == (0.0 if thawed_at > 4 else -0.25, -1.0)


class Lookahead(torch.optim.Optimizer):
    """Says its state in a form of its own."""

    def __init__(self, base: torch.optim.Optimizer) -> None:
        self.base, self.steps = base, 0
        super().__init__(base.param_groups, {})
        self.slow = [each.detach().clone() for group in base.param_groups for each in group["params"]]

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        self.base.step()
        self.steps += 1
        if self.steps % 3 == 0:
            fast = [each for group in self.base.param_groups for each in group["params"]]
            torch._foreach_lerp_(self.slow, fast, 0.5)
            torch._foreach_copy_(fast, self.slow)

    def state_dict(self) -> dict[str, Any]:
        return {"fast": self.base.state_dict(), "slow": self.slow, "steps": self.steps}

    def load_state_dict(self, state: Any) -> None:
        self.base.load_state_dict(state["fast"])
        self.param_groups = self.base.param_groups
        self.slow, self.steps = [each.clone() for each in state["slow"]], state["steps"]


def test_an_optimizer_may_say_its_state_in_a_form_of_its_own() -> None:
    class Looking(Plane):
        def make_optimizer(self, params: Any) -> Any:
            return Lookahead(torch.optim.SGD(params, lr=self.hp["lr"], momentum=0.9))

    config = {"lr": hippo.Piecewise([0.1, 0.2], [2])}
    whole = train_alone(Looking, config, until=4)
    study = hippo.create_study("looking", trainer=Looking, storage="memory://", checkpoints="memory://", metric="loss",
                               mode="min", engine=hippo.InlineEngine())  # fmt: skip
    for until in (1, 2, 3, 4):
        assert study.evaluate(config, until=until) == whole[until]
        study.evaluate({"lr": 0.1}, until=until)  # another lane in between


def test_of_which_class_an_optimizer_is_must_not_depend_on_a_learning_rate() -> None:
    class Either(Plane):
        def make_optimizer(self, params: Any) -> Any:
            return (torch.optim.SGD if self.hp["lr"] > 0.1 else torch.optim.Adam)(params, lr=self.hp["lr"])

    with pytest.raises(Exception, match=r"made one of class SGD before and of Adam now; .*another name say it"):
        train_alone(Either, {"lr": hippo.Piecewise([0.2, 0.1], [1])}, until=2)


class Wrapper(torch.optim.Optimizer):
    """Leaves everything to an optimizer, whose groups are its own."""

    def __init__(self, base: torch.optim.Optimizer, *, has_same_list: bool) -> None:
        super().__init__(base.param_groups, {})
        self.base = base
        if has_same_list:
            self.param_groups = base.param_groups

    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        self.base.step()

    def state_dict(self) -> dict[str, Any]:
        return self.base.state_dict()

    def load_state_dict(self, state: Any) -> None:
        self.base.load_state_dict(state)


class Outer(Wrapper):
    """Loads what it wraps not at all, but itself."""

    def load_state_dict(self, state: Any) -> None:
        torch.optim.Optimizer.load_state_dict(self, state)


@pytest.mark.parametrize("has_same_list", [False, True])
@pytest.mark.parametrize("kind", [Wrapper, Outer])
def test_rates_reach_an_optimizer_within_another_after_a_state_was_loaded(kind: Any, has_same_list: bool) -> None:
    class Wrapped(Plane):
        def make_optimizer(self, params: Any) -> Any:
            inner = Wrapper(torch.optim.SGD(params, lr=self.hp["lr"]), has_same_list=has_same_list)
            return kind(inner, has_same_list=has_same_list)

    config = {"lr": hippo.Piecewise([0.1, 0.2], [2])}
    first = along(config, 2, spec=spec_of(Wrapped))
    again = resumed(config, 2, 3, first, spec=spec_of(Wrapped))
    assert again.metrics[3] == along(config, 3, spec=spec_of(Wrapped)).metrics[3]
