"""Averages of weights beside what `setup` and training change in a model: they are of the model as it is."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils.prune import l1_unstructured

import hippo
from hippo.errors import TrainerError, TrialFailedError
from hippo.testing.remembering_host import along, resumed, spec_of
from hippo.testing.solo import train_alone
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.training.declarative.averages import ModelAverage


class Tempered(nn.Module):
    def __init__(self, temperature: float) -> None:
        super().__init__()
        self.linear, self.temperature, self.mask = nn.Linear(6, 3), temperature, torch.ones(3)
        self.options = {"mask": [torch.ones(3)], "sign": 1.0}
        self.register_buffer("bias", torch.zeros(3), persistent=False)

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        logits = self.linear(points) * self.mask / self.temperature + self.bias
        return logits * self.options["mask"][0] * self.options["sign"]  # type: ignore[no-any-return, index]


class Cooling(BlobsTrainer):
    """Sets a number, a tensor and a buffer of its model by hyper-parameters."""

    def __init__(self, ema_decay: float | None = None, swa_from: int | None = None, first: float | None = None) -> None:
        super().__init__(augment=False)
        self.ema_decay, self.swa_from, self.first = ema_decay, swa_from, first

    def make_model(self) -> nn.Module:
        return Tempered(self.hp["temperature"] if self.first is None else self.first)

    def setup(self, hp: Any) -> None:
        model: Any = self.model
        if "temperature" in hp:
            model.temperature = hp["temperature"]
            model.mask = torch.tensor([1.0, 1.0, hp["temperature"]])
            model.bias.fill_(hp["temperature"])
            model.options["mask"][0][1], model.options["sign"] = hp["temperature"], -hp["temperature"]


class Tied(nn.Module):
    """Has views of its weights: those of an LSTM, and one of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.linear = nn.LSTM(6, 3, batch_first=True), nn.Linear(3, 3, bias=False)
        self.view = self.linear.weight.detach()
        self.register_buffer("sparse", torch.eye(3).to_sparse(), persistent=False)

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        return (self.linear(self.lstm(points[:, None])[0][:, 0]) @ self.view) @ self.sparse  # type: ignore[no-any-return]


CONFIG = {"lr": 0.1, "temperature": hippo.Piecewise([1.0, 4.0], [2])}


@pytest.mark.parametrize("first", [None, 0.5])
@pytest.mark.parametrize("average", [{"ema_decay": 0.0}, {"swa_from": 3}])
def test_an_average_of_one_update_evaluates_as_its_model(average: Any, first: Any) -> None:
    averaged = train_alone(Cooling, CONFIG, until=4, trainer_args={**average, "first": first})
    assert averaged[4] == train_alone(Cooling, CONFIG, until=4, trainer_args={"first": first})[4]


def test_an_average_evaluates_alike_wherever_its_lane_began() -> None:
    whole = train_alone(Cooling, CONFIG, until=5, trainer_args={"ema_decay": 0.9})
    study = hippo.create_study("cooling", trainer=Cooling, trainer_args={"ema_decay": 0.9}, storage="memory://",
                               engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    for until in (1, 2, 3, 4, 5):
        assert study.evaluate(CONFIG, until=until) == whole[until]
        study.evaluate({**CONFIG, "lr": 0.01}, until=until)  # another lane in between
    loaded = study.trials[-1].load_model()
    assert loaded.temperature == 4.0
    assert torch.equal(loaded.bias, torch.full((3,), 4.0))  # which no state has


def test_an_average_of_a_model_with_other_modules_is_refused() -> None:
    class Replacing(Cooling):
        def setup(self, hp: Any) -> None:
            self.model.linear = nn.Sequential(self.model.linear)  # type: ignore[arg-type]

    study = hippo.create_study("replacing", trainer=Replacing, trainer_args={"ema_decay": 0.9}, storage="memory://",
                               engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    with pytest.raises(TrialFailedError, match=r"has a Sequential at 'linear' now, and its average.* a Linear"):
        study.evaluate(CONFIG, until=1)


def test_what_a_model_has_of_its_weights_is_averaged_in_the_average() -> None:
    model = Tied()
    average = ModelAverage(model, ema_decay=0.5)
    for _ in range(2):
        with torch.no_grad():
            torch._foreach_add_(list(model.parameters()), 1.0)
        average.update(model)
    model.requires_grad_(False)  # as `setup` may freeze it
    points = torch.ones(2, 6)
    assert average.model is not None
    average.follow(model)
    alone = Tied()
    alone.load_state_dict(average.model.state_dict())
    assert torch.equal(average.model(points), alone(points))
    assert not torch.equal(average.model(points), model(points))


@dataclass(frozen=True)
class Options:
    temperature: float


class Owner:
    """Refers to what is in the model, to a trainer, and to itself."""

    def __init__(self, head: nn.Module, trainer: Any) -> None:
        self.head, self.trainer, self.me = head, trainer, self

    def divide(self, logits: torch.Tensor) -> torch.Tensor:
        return logits / self.trainer.hp["temperature"]  # type: ignore[no-any-return]


class Headed(nn.Module):
    def __init__(self, trainer: Any) -> None:
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(6, 3), nn.Linear(6, 3)])
        self.head, self.active, self.unused = self.heads[0], [self.heads[0]], SimpleNamespace(lock=None)
        self.options, self.space = Options(1.0), SimpleNamespace(options=[Options(1.0)])
        self.divide = Owner(self.head, trainer).divide
        self.dropout = nn.Dropout(0.0)

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        logits = self.dropout(self.head(points) + self.active[0](points) + self.divide.__self__.head(points))
        return self.divide(logits) / self.options.temperature / self.space.options[0].temperature  # type: ignore[no-any-return]


class Heading(Cooling):
    """Sets objects of its model, and which of its modules are used, by hyper-parameters."""

    def make_model(self) -> nn.Module:
        return Headed(self)

    def setup(self, hp: Any) -> None:
        model: Any = self.model
        model.dropout = nn.Dropout(0.5)
        model.unused.lock = threading.Lock()  # that cannot be copied
        if "temperature" in hp:
            model.options, model.space.options = Options(hp["temperature"]), [Options(hp["temperature"])]
            head = model.heads[int(hp["temperature"] > 2)]
            model.head, model.active, model.divide.__self__.head = head, [head], head


def test_an_average_has_the_objects_of_its_model_and_uses_those_of_its_modules_that_the_model_uses() -> None:
    solo, whole = (train_alone(Heading, CONFIG, until=4, trainer_args=each) for each in ({}, {"ema_decay": 0.0}))
    assert solo == whole


def test_modules_that_change_their_places_stay_with_those_of_the_average_and_others_in_their_places_are_refused() -> (
    None
):
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    average = ModelAverage(model, ema_decay=0.0)
    average.update(model)
    model[0], model[1] = model[1], model[0]
    average.follow(model)
    assert average.model is not None
    assert torch.equal(average.model[0].weight, model[0].weight)
    model[1] = nn.Linear(2, 2)
    average.follow(model)  # one that came in the place of another
    model[0] = model[1]
    average.follow(model)
    model[1] = nn.Linear(2, 2)
    with pytest.raises(TrainerError, match=r"a Linear at '1' now.* a Linear that now stands for a module elsewhere: "):
        average.follow(model)
    single = nn.Sequential(nn.Linear(2, 2))
    average = ModelAverage(single, ema_decay=0.0)
    single[0] = nn.ReLU()
    with pytest.raises(TrainerError, match=r"a ReLU at '0' now.* a Linear: "):
        average.follow(single)


class Kind(Enum):
    ONCE = 1
    TWICE = 2


class Switched(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear, self.act, self.kind, self.seen = nn.Linear(6, 3), torch.relu, Kind.ONCE, {1}

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        return self.act(self.linear(points)) * self.kind.value * len(self.seen)


def test_an_average_is_computed_with_the_functions_and_sets_of_its_model_but_with_its_own_weights() -> None:
    model = Switched()
    average = ModelAverage(model, ema_decay=0.0)
    average.update(model)
    assert average.model is not None
    points = torch.ones(2, 6)
    for act in (nn.functional.softplus, torch.sigmoid):
        model.act, model.kind, model.seen = act, Kind.TWICE, {1, 2}
        average.follow(model)
        assert torch.equal(average.model(points), model(points))
    forward = model.forward
    model.forward = lambda points: forward(points)  # type: ignore[method-assign]
    before = average.model(points)
    with torch.no_grad():
        model.linear.weight.add_(1.0)
    average.follow(model)
    assert torch.equal(average.model(points), before)


def test_what_a_model_has_no_more_its_average_has_no_more() -> None:
    model: Any = Switched()
    average = ModelAverage(model, ema_decay=0.0)
    average.update(model)
    del model.seen
    model.extra = 1
    average.follow(model)
    assert average.model is not None
    assert vars(average.model).keys() == vars(model).keys()


def test_a_trainer_that_a_model_holds_is_not_copied() -> None:
    model: Any = Switched()
    model.owner = trainer = Cooling()
    average: Any = ModelAverage(model, ema_decay=0.0)
    average.update(model)
    trainer.first = 2.0
    average.follow(model)
    assert average.model.owner is trainer


def reached_directly(net: nn.Linear) -> Any:
    return lambda points: net(points)


def reached_through_a_method(net: nn.Linear) -> Any:
    forward = net.forward
    return lambda points: forward(points)


def reached_through_a_function(net: nn.Linear) -> Any:
    inner = reached_directly(net)
    return lambda points: inner(points)


def reached_by_a_weight(net: nn.Linear) -> Any:
    weight = net.weight
    return lambda points: points @ weight.T


@pytest.mark.parametrize(
    "made", [reached_directly, reached_through_a_method, reached_through_a_function, reached_by_a_weight]
)
def test_a_model_whose_function_refers_to_it_has_no_average(made: Any) -> None:
    model = Switched()
    model.act = made(model.linear)
    with pytest.raises(TrainerError, match=r"^Switched\.act is a function that refers to the model itself"):
        ModelAverage(model, ema_decay=0.0)


def test_functions_that_refer_to_others_are_copied() -> None:
    model, other = Switched(), nn.Linear(3, 3)
    model.act = reached_directly(other)
    average = ModelAverage(model, ema_decay=0.0)
    average.update(model)
    assert average.model is not None
    points = torch.ones(2, 6)
    assert torch.equal(average.model(points), model(points))


class Wrapping(nn.Linear):
    """Has a function around it, as a metric of torchmetrics has, and a copy has one around the copy."""

    def __init__(self) -> None:
        super().__init__(6, 3)
        self.act = reached_directly(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Wrapping:
        copy = Wrapping()
        copy.load_state_dict(self.state_dict())
        return copy


def test_a_model_whose_copies_make_their_functions_anew_has_an_average() -> None:
    model = nn.Sequential(Wrapping())
    average: Any = ModelAverage(model, ema_decay=0.0)
    average.update(model)
    points = torch.ones(2, 6)
    with torch.no_grad():
        before = average.model[0].act(points)
        model[0].weight.add_(1.0)
        average.follow(model)
        assert torch.equal(average.model[0].act(points), before)


class LateTable(nn.Module):
    """Makes a table when it is first called, beside a running mean of the table's size."""

    def __init__(self, *, is_registered_late: bool) -> None:
        super().__init__()
        if not is_registered_late:
            self.register_buffer("table", None, persistent=False)
        self.register_buffer("mean", torch.zeros(3))
        self.linear = nn.Linear(6, 3)

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        found = self.linear(points)
        if self.training:
            self.mean = 0.5 * self.mean + 0.5 * found.detach().mean(0)
        if getattr(self, "table", None) is None:
            self.register_buffer("table", torch.tensor([1.0, 2.0, 3.0]), persistent=False)
        return (found - self.mean) * self.table[:3]


class Late(BlobsTrainer):
    """Trains a `LateTable`, with an average or without."""

    def __init__(self, is_registered_late: bool, ema_decay: float | None = None, swa_from: int | None = None) -> None:
        super().__init__(augment=False)
        self.is_registered_late, self.ema_decay, self.swa_from = is_registered_late, ema_decay, swa_from

    def make_model(self) -> nn.Module:
        return LateTable(is_registered_late=self.is_registered_late)


@pytest.mark.parametrize("average", [{"ema_decay": 0.0}, {"swa_from": 2}])
@pytest.mark.parametrize("is_registered_late", [False, True])
def test_a_table_that_a_pass_makes_comes_in_no_other_buffers_place(average: Any, is_registered_late: bool) -> None:
    spec, args = {"is_registered_late": is_registered_late}, {"is_registered_late": is_registered_late, **average}
    averaged = along({"lr": 0.1}, 3, spec=spec_of(Late, **args))
    assert averaged.metrics[3] == along({"lr": 0.1}, 3, spec=spec_of(Late, **spec)).metrics[3]
    again = resumed({"lr": 0.1}, 2, 3, along({"lr": 0.1}, 2, spec=spec_of(Late, **args)), spec=spec_of(Late, **args))
    assert (again.metrics[3], again.hashes[3]) == (averaged.metrics[3], averaged.hashes[3])


@pytest.mark.parametrize("ema_decay", [0.5, None])
def test_a_table_that_grows_takes_its_place_in_the_average(ema_decay: float | None) -> None:
    model = LateTable(is_registered_late=False)
    model(torch.ones(2, 6))
    average = ModelAverage(model, ema_decay=ema_decay)
    for size in (3, 4):
        model.table = torch.ones(size)
        average.update(model)
    assert average.model is not None
    assert torch.equal(average.model.table, torch.ones(4))  # type: ignore[arg-type]


def test_a_model_that_got_other_parameters_than_its_average_is_refused() -> None:
    model = nn.Sequential(nn.Linear(3, 3))
    average = ModelAverage(model, ema_decay=0.5)
    l1_unstructured(model[0], "weight", amount=1)
    with pytest.raises(TrainerError, match=r"Linear has a parameter 'weight_orig' now.*have make_model"):
        average.update(model)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: l1_unstructured(nn.Linear(3, 3), "weight", amount=1), r"Linear.weight is computed from .*parametrize"),
        (
            lambda: nn.Sequential(nn.LazyLinear(3)),
            r"LazyLinear.weight at '0' has no shape .* call the model on a batch",
        ),
        (lambda: nn.Sequential(torch.jit.script(nn.Linear(3, 3))), r"is TorchScript at '0', .*use torch.compile"),
    ],
)
def test_a_model_that_cannot_be_copied_says_what_to_do_to_have_an_average(made: Any, says: str) -> None:
    with pytest.raises(TrainerError, match=says):
        ModelAverage(made(), ema_decay=0.5)
