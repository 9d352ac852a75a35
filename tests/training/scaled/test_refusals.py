"""What cannot be narrowed is refused before anything is trained, with a message that names the way out."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import hippo
from hippo.errors import HippoError, TrainerError
from hippo.testing.formations import SoloConfig
from hippo.training.code.shipping import ship
from hippo.training.trainers import Trainers, new_trainer

from .trainers import CLASSES, FEATURES, Perceptron, ScaledNet, built, pristine

pytestmark = pytest.mark.usefixtures("one_thread")


class Wide(ScaledNet):
    """A perceptron of some width."""

    min_width = 8

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def make_model(self) -> nn.Module:
        width = self.scaled(self.width)
        return nn.Sequential(nn.Linear(FEATURES, width), nn.Linear(width, CLASSES))


@pytest.mark.parametrize(
    ("width", "message"),
    [
        (
            100,
            r"scaled\(100\) at scale 1/8 would be 12\.5, which is no whole number; the nearest that divide: 96 and 104",
        ),
        (5, r"scaled\(5\) at scale 1/8 would be 0\.625, .* the nearest that divide: 8$"),
        (
            32,
            r"scaled\(32\) at scale 1/8 would be 4, below min_width = 8; the largest scale that works is 4\.",
        ),
        (8, r"scaled\(8\) at scale 1/8 would be 1, below min_width = 8; it cannot be scaled"),
        (12.0, r"scaled\(12\.0\): give the target's number, a whole one"),
        (True, r"scaled\(True\): give the target's number"),
        (0, r"scaled\(0\): give the target's number"),
    ],
)
def test_a_width_that_cannot_be_divided_is_refused(width: Any, message: str) -> None:
    with pytest.raises(TrainerError, match=message):
        built(Wide(width), "1/8")


@pytest.mark.parametrize("width", [1, 7, 100])
def test_any_width_suits_the_target(width: int) -> None:
    assert built(Wide(width), "1").model[0].out_features == width


class Rigid(ScaledNet):
    def make_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(FEATURES, 32), nn.Linear(32, CLASSES))


class Idle(Rigid):
    def make_model(self) -> nn.Module:
        assert self.scaled(64) * self.scale.denominator == 64
        return super().make_model()


def test_a_model_that_does_not_get_narrower_is_refused() -> None:
    with pytest.raises(
        TrainerError, match=r"no parameter .* smaller at scale 1/4: write self.scaled\(n\).*scaled_config"
    ):
        built(Idle(), "1/4")


class Groups(ScaledNet):
    groups = 8

    def make_model(self) -> nn.Module:
        width = self.scaled(64)
        return nn.Sequential(
            nn.Linear(FEATURES, width), nn.GroupNorm(self.groups, width), nn.Linear(width, CLASSES)
        )  # fmt: skip


def test_groups_that_get_too_narrow_are_refused_with_the_largest_scale_that_works() -> None:
    message = (
        r"'1' \(GroupNorm\) would have 1 channels in a group, and 8 in the target; .*largest scale that works is 2"
    )
    with pytest.raises(TrainerError, match=message):
        built(Groups(), "1/8")


@pytest.mark.parametrize(
    ("groups", "scale", "advice"),
    [(8, "1/16", "The largest scale that works is 2"), (16, "1/8", "No scale above 1 works")],
)
def test_what_make_model_raises_at_a_scale_alone_is_told_with_what_works(groups: int, scale: str, advice: str) -> None:
    trainer = Groups()
    trainer.groups = groups
    with pytest.raises(
        TrainerError, match=rf"make_model\(\) raised ValueError at scale {scale}: num_channels .*\. {advice}"
    ):
        built(trainer, scale)


def test_a_lazy_module_is_refused() -> None:
    class Lazy(ScaledNet):
        def make_model(self) -> nn.Module:
            return nn.Sequential(nn.LazyLinear(self.scaled(64)), nn.Linear(self.scaled(64), CLASSES))

    with pytest.raises(TrainerError, match=r"'0.weight' gets its shape from the first batch"):
        built(Lazy(), "1/4")


def test_a_kind_of_optimizer_that_there_is_not_is_refused() -> None:
    class Lion(Perceptron):
        optimizer_kind = "lion"  # type: ignore[assignment]

    assert built(Lion(), "1")
    with pytest.raises(TrainerError, match=r"Lion.optimizer_kind = 'lion', but it must be 'sgd', 'adam', or None"):
        built(Lion(), "1/4")


def test_what_make_model_raises_at_any_scale_is_the_users() -> None:
    class Broken(ScaledNet):
        def make_model(self) -> nn.Module:
            raise ValueError("no such file")

    with pytest.raises(ValueError, match="no such file"):
        built(Broken(), "1/4")


class Heads(ScaledNet):
    def make_model(self) -> nn.Module:
        width = self.scaled(64)
        return nn.Sequential(
            nn.Linear(FEATURES, width), nn.TransformerEncoderLayer(width, 8), nn.Linear(width, CLASSES)
        )


def test_heads_that_get_too_narrow_are_refused() -> None:
    with pytest.raises(
        TrainerError, match=r"'1.self_attn' \(MultiheadAttention\) would have 2 numbers in a head, and 8"
    ):
        built(Heads(), "1/4")


class Pretrained(ScaledNet):
    def __init__(self, *widths: int) -> None:
        super().__init__()
        self.weights = {width: torch.randn(width, width) for width in widths}

    def make_model(self) -> nn.Module:
        width = self.scaled(32)
        layer = nn.Linear(width, width)
        if width in self.weights:
            layer.load_state_dict({"weight": self.weights[width], "bias": torch.zeros(width)})
        return nn.Sequential(nn.Linear(FEATURES, width), layer, nn.Linear(width, CLASSES))


@pytest.mark.parametrize("widths", [(32, 8), (32,), (8,)])
def test_pretrained_weights_are_refused(widths: tuple[int, ...]) -> None:
    with pytest.raises(TrainerError, match=r"did not draw '1.weight' at random: are these pretrained weights\?"):
        built(Pretrained(*widths), "1/4")


class DrawnElsewhere(ScaledNet):
    """Its last layer's numbers come from numpy."""

    def __init__(self, spread: float) -> None:
        super().__init__()
        self.spread = spread

    def make_model(self) -> nn.Module:
        width = self.scaled(32)
        model = nn.Sequential(nn.Linear(FEATURES, width), nn.ReLU(), nn.Linear(width, CLASSES))
        drawn = np.random.randn(CLASSES, width) * self.spread
        with torch.no_grad():
            model[2].weight.copy_(torch.from_numpy(drawn))
        return model


def test_an_output_layer_whose_spread_nobody_knows_is_refused() -> None:
    with pytest.raises(TrainerError, match=r"did not draw '2.weight' at random.*numpy say, have torch do it"):
        built(DrawnElsewhere(0.02), "1/4")
    assert not built(DrawnElsewhere(0.0), "1/4").model[2].weight.any()


class Other(ScaledNet):
    """Another network where it is narrower."""

    def make_model(self) -> nn.Module:
        width = self.scaled(32)
        more = [nn.Linear(width, width)] if self.scale < 1 else []
        return nn.Sequential(nn.Linear(FEATURES, width), nn.ReLU(), nn.Linear(width, CLASSES), *more)


def test_another_network_is_refused() -> None:
    with pytest.raises(TrainerError, match="'' has 4 parts at scale 1/4 and 3 in the target"):
        built(Other(), "1/4")


class Renamed(ScaledNet):
    def make_model(self) -> nn.Module:
        width = self.scaled(32)
        return nn.ModuleDict({"a" if self.scale == 1 else "b": nn.Linear(width, width), "c": nn.Linear(width, 3)})


def test_other_names_are_refused() -> None:
    with pytest.raises(
        TrainerError, match=r"other parameters at scale 1/4 than in the target: b\.bias, b\.weight are not"
    ):
        built(Renamed(), "1/4")


class Tied(ScaledNet):
    head: type[nn.Module] = nn.Linear

    def make_model(self) -> nn.Module:
        width = self.scaled(64)
        table = nn.Embedding(CLASSES, width)
        head = nn.Linear(width, CLASSES) if self.head is nn.Linear else Lookalike()
        head.weight = table.weight
        return nn.ModuleDict({"table": table, "middle": nn.Linear(width, width), "head": head})


class Lookalike(nn.Module):
    """Shares a weight, and nobody knows what it does with it."""


def test_a_tied_output_layer_without_a_norm_before_it_is_refused() -> None:
    with pytest.raises(TrainerError, match="'head' shares its weight with an embedding, and no layer normalises"):
        built(Tied(), "1/4")


def test_a_tied_layer_of_an_unknown_class_is_refused() -> None:
    class Odd(Tied):
        head = Lookalike

        def make_model(self) -> nn.Module:
            return nn.Sequential(super().make_model(), nn.LayerNorm(3))

    with pytest.raises(
        TrainerError, match=r"'0.head' \(Lookalike\) shares its weight .* only torch.nn.Linear is known"
    ):
        built(Odd(), "1/4")


class Optimized(Perceptron):
    kind = "adam"

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        if self.kind == "lbfgs":
            return torch.optim.LBFGS(params, lr=self.hp["lr"])
        optimizer = torch.optim.Adam(params, lr=self.hp["lr"], weight_decay=self.hp.get("weight_decay", 0.1))
        if self.kind == "scheduled":
            torch.optim.lr_scheduler.StepLR(optimizer, 3)
        return optimizer


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (
            "adam",
            {"weight_decay": 0.1},
            "reads 'weight_decay' for the weight decay of a Adam, which adds it to .*AdamW",
        ),
        ("lbfgs", {}, "returned a LBFGS, of which it is not known .* optimizer_kind = 'adam'"),
        ("scheduled", {}, "puts the Adam under a scheduler, .* hippo.Cosine"),
    ],
)
def test_an_optimizer_whose_values_do_not_transfer_is_refused(kind: str, values: Any, message: str) -> None:
    trainer = Optimized()
    trainer.kind = kind
    assert built(trainer, "1", **values)
    with pytest.raises(TrainerError, match=message):
        built(trainer, "1/4", **values)


@pytest.mark.parametrize(("kind", "values"), [("adam", {}), ("adam", {"weight_decay": 0.0})])
def test_a_decay_that_is_not_searched_is_let_pass(kind: str, values: Any) -> None:
    trainer = Optimized()
    trainer.kind = kind

    assert built(trainer, "1/4", **values).optimizer


class Decaying(Perceptron):
    """Reads its weight decay by another name, or does not read it."""

    asked = 0

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        type(self).asked += 1
        if self.optimizer_name == "decoupled":
            return torch.optim.Adam(params, lr=self.hp["lr"], weight_decay=self.hp["l2"], decoupled_weight_decay=True)
        decay = {
            "l2": lambda: self.hp["l2"] / 10,
            "of a mapping": lambda: self.hp["opt"]["weight_decay"][0],
            "switched": lambda: 0.1 if self.hp["is_decaying"] else 0.0,
            "fixed": lambda: 0.1 if self.hp["beta"] < 1 else -1.0,
        }[self.optimizer_name]
        return torch.optim.Adam(params, lr=self.hp["lr"], weight_decay=decay())


VALUES = {"l2": 0.1, "opt": {"name": "adam", "weight_decay": [0.1]}, "is_decaying": True, "beta": 0.9}


@pytest.mark.parametrize(("kind", "name"), [("l2", "l2"), ("of a mapping", "opt"), ("switched", "is_decaying")])
def test_a_decay_is_known_by_what_it_depends_on_and_not_by_its_name(kind: str, name: str) -> None:
    with pytest.raises(TrainerError, match=f"reads '{name}' for the weight decay of a Adam"):
        built(Decaying(kind), "1/4", **VALUES)


@pytest.mark.parametrize("kind", ["fixed", "decoupled"])
def test_a_decay_that_depends_on_nothing_or_is_no_part_of_the_gradient_is_let_pass(kind: str) -> None:
    assert built(Decaying(kind), "1/4", **VALUES).optimizer


def test_what_a_decay_depends_on_is_asked_once() -> None:
    trainer = built(Decaying("fixed"), "1/4", **VALUES)
    before = Decaying.asked
    trainer.hp = type(trainer.hp)({"lr": 0.3, **VALUES})
    trainer._live.apply(trainer)

    assert Decaying.asked == before + 1
    assert trainer.optimizer.param_groups[0]["lr"] == pytest.approx(0.3)


@pytest.mark.parametrize(("option", "value"), [("eps", (1e-30, 1e-3)), ("lr", None)])
def test_an_option_that_is_no_number_and_has_a_factor_is_refused(option: str, value: Any) -> None:
    class Odd(Perceptron):
        def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
            optimizer = torch.optim.AdamW(params, lr=self.hp["lr"])
            optimizer.param_groups[0][option] = value
            return optimizer

    message = rf"gave {option} = {re.escape(repr(value))}, and a surrogate's is that times [48], .* be a number"
    with pytest.raises(TrainerError, match=message):
        built(Odd(), "1/4")


def test_a_sum_of_squares_that_begins_later_than_its_optimizer_is_refused() -> None:
    class Summed(Perceptron):
        first = 0.0

        def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
            first, *others = params
            optimizer = torch.optim.Adagrad([first], lr=self.hp["lr"], initial_accumulator_value=self.first)
            optimizer.add_param_group({"params": others})
            return optimizer

    trainer = Summed()
    built(trainer, "1/4")
    trainer.first = 0.1
    with pytest.raises(TrainerError, match=r"Adagrad initial_accumulator_value = 0.1, .* times 16; .*shape \(64,\)"):
        built(trainer, "1/4")


class Meddling(Perceptron):
    """Changes an optimizer that was made."""

    def build(self) -> None:
        super().build()
        if self.optimizer_name == "scheduled":
            torch.optim.lr_scheduler.StepLR(self.optimizer, 3)

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=self.hp["lr"], momentum=0.9)

    def setup(self, hp: Any) -> None:
        if self.optimizer_name == "grown":
            self.optimizer.add_param_group({"params": [nn.Parameter(torch.zeros(3))]})
        self.set("momentum", 0.8)
        if self.optimizer_name == "set up":
            self.set("lr", self.hp["lr"])

    def train_on_batch(self, batch: Any) -> Any:
        if self.optimizer_name == "trained":
            self.set("weight_decay", 0.1)
        return super().train_on_batch(batch)

    def set(self, option: str, value: float) -> None:
        for group in self.optimizer.param_groups:
            group[option] = value


@pytest.mark.parametrize(
    ("kind", "name"),
    [("set up", "lr"), ("trained", "weight_decay"), ("scheduled", "initial_lr"), ("grown", "the number of groups")],
)
def test_options_that_are_set_past_their_factors_are_refused(kind: str, name: str) -> None:
    for scale in ("1", "1/4, standard"):
        trained(Meddling(kind), scale)
    with pytest.raises(TrainerError, match=f"^{name} of the SGD was changed after make_optimizer.*a factor for each"):
        trained(Meddling(kind), "1/4")


def trained(trainer: Any, scale: str) -> None:
    trainer = built(trainer, scale)
    trainer.setup(trainer.hp)
    trainer.train()


def test_options_of_no_factor_may_be_set_also_where_a_state_was_loaded() -> None:
    trainer = pristine(Meddling("none"), "1/4")
    first = SoloConfig(trainer, {"lr": 0.1})
    first.train()

    SoloConfig(trainer, {"lr": 0.1}, first.state(), 1).train(steps=2)


class NoTorch(hippo.Trainer):
    def train(self) -> None: ...

    def evaluate(self) -> Mapping[str, Any]:
        return {}

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None: ...


class Inputs(NoTorch):
    """Multiplies its inputs."""

    scale = 2.0


@pytest.mark.parametrize(
    ("cls", "scale", "message"),
    [
        (NoTorch, "1/8", "NoTorch cannot be at scale 1/8: .* Derive it from hippo.TorchTrainer"),
        (Inputs, "1/8", "Inputs cannot be at scale 1/8: .* by an attribute scale = Fraction"),
        (Perceptron, "1/8, rank 4", "adapters of another rank sit on the target's own network"),
        (Perceptron, "1/8, depth 1/2", "'mup' has no rule for the depth; for pre-norm transformers, 'completep' has"),
        (Perceptron, "an eighth", "'an eighth' names no scale"),
    ],
)
def test_a_trainer_that_cannot_be_at_a_scale_is_refused_before_it_is_made(cls: Any, scale: str, message: str) -> None:
    spec = ship(cls, None, seed=0, evaluate_every=1, workload_key="any", by_value=True)

    assert Trainers().pristine(spec)
    with pytest.raises(HippoError, match=message):
        Trainers().pristine(dataclasses.replace(spec, scale=scale))


def test_workers_set_the_scale_before_init() -> None:
    class Looks(Perceptron):
        def __init__(self) -> None:
            super().__init__()
            self.seen = float(self.scale), self.scaled(64)

    spec = ship(Looks, None, seed=0, evaluate_every=1, workload_key="any", by_value=True)
    narrow = Trainers().pristine(dataclasses.replace(spec, scale="1/8"))

    assert narrow.seen == (1 / 8, 8)  # type: ignore[attr-defined]
    assert Trainers().pristine(spec).seen == (1.0, 64)  # type: ignore[attr-defined]


class Early(Perceptron):
    """Says its width before there is a model."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind, self.kept = kind, int(256 * self.scale) if kind == "scale" else self.scaled(256)

    def make_model(self) -> nn.Module:
        other = self.kept if self.kind == "scaled" else self.scaled(64)
        return nn.Sequential(nn.Linear(FEATURES, self.kept), nn.Linear(self.kept, other), nn.Linear(other, CLASSES))


@pytest.mark.parametrize(("kind", "asked"), [("scale", r"scale"), ("scaled", r"scaled\(\)")])
def test_a_width_that_init_keeps_is_refused_where_it_is_narrow(kind: str, asked: str) -> None:
    arguments = f'{{"kind": "{kind}"}}'

    assert built(new_trainer(Early, arguments, seed=0, scale="1"), "1").model[0].out_features == 256
    with pytest.raises(TrainerError, match=rf"self\.{asked} was asked in __init__\(\).*in make_model\(\)"):
        built(new_trainer(Early, arguments, seed=0, scale="1/4"), "1/4")


class EarlyBuild(ScaledNet):
    """Says something of its width before there is a model, in `build` or where it makes data."""

    def __init__(self, where: str, keeps: str) -> None:
        super().__init__()
        self.where, self.keeps = where, keeps

    def look(self, where: str) -> None:
        if self.where == where:
            self.kept = int(256 * self.scale) if "scale" in self.keeps else self.scaled(256)

    def build(self) -> None:
        self.look("build")
        super().build()
        self.after = self.scaled(64)

    def train_set(self) -> Any:
        self.look("train_set")
        return super().train_set()

    def make_model(self) -> nn.Module:
        width = self.scaled(256) if self.keeps == "scale for data" else self.kept
        return nn.Sequential(nn.Linear(FEATURES, width), nn.Linear(width, width), nn.Linear(width, CLASSES))


@pytest.mark.parametrize("where", ["build", "train_set"])
@pytest.mark.parametrize(("keeps", "asked"), [("scale", "scale"), ("width", r"scaled\(\)")])
def test_a_width_that_build_or_train_set_keeps_is_refused_where_it_is_narrow(
    where: str, keeps: str, asked: str
) -> None:
    assert built(EarlyBuild(where, keeps), "1").model[0].out_features == 256
    with pytest.raises(TrainerError, match=rf"self\.{asked} was asked in build\(\) or train_set\(\)"):
        built(EarlyBuild(where, keeps), "1/4")


def test_data_may_go_by_the_scale_where_the_model_asks_for_its_widths_itself() -> None:
    trainer = EarlyBuild("train_set", "scale for data")
    assert [built(trainer, "1/4").model[0].out_features for _ in range(2)] == [64, 64]


def test_a_trainer_may_have_a_scale_of_its_own() -> None:
    class Scales(Perceptron):
        def __init__(self) -> None:
            super().__init__()
            self.scale = 0.5

    narrow = built(Scales(), "1/8")
    assert (narrow.scale, narrow.model[0].out_features) == (0.5, 32)


class Undrawn(nn.Module):
    """A net whose widths nobody says, and in which something was not drawn."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.first, self.head = nn.Linear(FEATURES, 64), nn.Linear(64, CLASSES)
        self.waves: Any = 1.0
        if kind == "head":
            self.head.load_state_dict(
                {"weight": torch.arange(64.0 * CLASSES).view(CLASSES, 64), "bias": torch.zeros(CLASSES)}
            )
        if kind == "waves":
            self.waves = nn.Parameter(torch.arange(64.0).sin(), requires_grad=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head((self.first(x) * self.waves).relu())  # type: ignore[no-any-return]


class UndrawnNet(ScaledNet):
    def __init__(self, kind: str) -> None:
        super().__init__("sgd")
        self.kind = kind

    def make_model(self) -> nn.Module:
        return Undrawn(self.kind)


@pytest.mark.parametrize(("kind", "name"), [("head", "head.weight"), ("waves", "waves")])
def test_what_nobody_drew_is_not_cut(kind: str, name: str) -> None:
    with pytest.raises(TrainerError, match=f"did not draw '{name}' at random: are these pretrained weights"):
        built(UndrawnNet(kind), "1/4")


class Parts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.aux, self.head = nn.Linear(FEATURES, 64), nn.Linear(64, 64), nn.Linear(64, CLASSES)

    def forward(self, x: torch.Tensor, has_aux: bool) -> torch.Tensor:
        hidden = self.body(x).relu()
        return self.head(self.aux(hidden).relu() if has_aux else hidden)  # type: ignore[no-any-return]


class Branching(ScaledNet):
    """Uses a part of its model if a hyper-parameter says so, which `loss` alone reads."""

    def make_model(self) -> nn.Module:
        return Parts()

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return nn.functional.cross_entropy(model(batch[0], self.hp["has_aux"]), batch[1])


def test_widths_are_found_again_for_values_that_only_the_loss_reads() -> None:
    trainer = Branching()
    built(trainer, "1/4", has_aux=True)
    with pytest.raises(TrainerError, match=r"does not use aux\.bias, aux\.weight"):
        built(trainer, "1/4", has_aux=False)
