"""Trainers at other scales: initialisation, options, forward passes; what comes of them in the end."""

from __future__ import annotations

import copy
import functools
import pickle
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import torch
from torch import nn
from torch.multiprocessing.reductions import StorageWeakRef

from hippo.errors import TrainerError
from hippo.surrogates import OptimizerKind, OptionFactors, rule_named
from hippo.surrogates.shapes import Role, ScaledTensor
from hippo.testing.formations import ConfigFormation, SoloConfig
from hippo.training.codec import decode
from hippo.training.process.streams import seed_everything
from hippo.training.scaled.attention import ScaledLogits
from hippo.training.scaled.fills import RandomFills
from hippo.training.scaled.layouts import layout_of

from .trainers import CLASSES, FEATURES, Convolutions, DemoNet, Perceptron, ScaledNet, Transformer, built, pristine

pytestmark = pytest.mark.usefixtures("one_thread")


def options_by_name(trainer: Any) -> dict[str, dict[str, Any]]:
    names = {id(parameter): name for name, parameter in trainer.model.named_parameters()}
    return {names[id(each)]: group for group in trainer.optimizer.param_groups for each in group["params"]}


class Norms(ScaledNet):
    """Layers whose initialisation is not torch's."""

    kind = "normal"

    def make_model(self) -> nn.Module:
        width = self.scaled(64)
        layer = nn.Linear(width, width)
        if self.kind == "normal":
            nn.init.normal_(layer.weight, std=0.02)
        elif self.kind == "truncated":
            nn.init.trunc_normal_(layer.weight, std=0.02)
        elif self.kind == "orthogonal":
            nn.init.orthogonal_(layer.weight)
        elif self.kind == "product":
            layer.weight = nn.Parameter(torch.randn(width, width) * 0.02)
        elif self.kind == "copied":
            layer = copy.deepcopy(layer)
            with torch.no_grad():
                layer.weight.copy_(torch.randn(width, width).mul_(0.1).div(5))
        return nn.Sequential(nn.Linear(FEATURES, width), nn.LayerNorm(width), layer, nn.Linear(width, CLASSES))


# --------------------------------------------------------------------------------------------------- initialisation


@pytest.mark.parametrize("kind", ["normal", "truncated", "product", "copied"])
def test_a_hidden_layer_of_a_fixed_spread_gets_the_targets_times_the_root_of_the_scale(kind: str) -> None:
    trainer = Norms()
    trainer.kind = kind
    target, narrow = built(trainer, "1"), built(trainer, "1/4")

    assert float(target.model[2].weight.detach().std()) == pytest.approx(0.02, rel=0.1)
    # 256 drawn numbers
    assert float(narrow.model[2].weight.detach().std()) == pytest.approx(0.04, rel=0.15)
    alone = pristine(trainer, "1/4")
    seed_everything(0, "build", 0)
    assert torch.equal(narrow.model[2].weight, alone.make_model()[2].weight * 2)


def test_what_cannot_be_followed_is_measured() -> None:
    trainer = Norms()
    trainer.kind = "orthogonal"
    narrow = built(trainer, "1/4").model[2].weight.detach()

    # of the target each number is 1/8 in the mean, of an orthogonal matrix 16 wide 1/4: twice 1/8, as it should be
    assert torch.allclose(narrow @ narrow.T, torch.eye(16), atol=1e-5)


def test_weights_of_torchs_own_initialisation_are_left_as_they_are_and_biases_are_not() -> None:
    trainer = Perceptron()
    narrow, alone = built(trainer, "1/8").model, pristine(trainer, "1/8")
    seed_everything(0, "build", 0)
    plain = alone.make_model()

    assert torch.equal(narrow[2].weight, plain[2].weight)
    assert torch.equal(narrow[4].weight, plain[4].weight)
    # a bias is drawn as wide as the fan-in says, which is the target's now
    assert torch.allclose(narrow[2].bias, plain[2].bias * 8**-0.5, rtol=1e-6)
    assert torch.equal(narrow[0].bias, plain[0].bias)  # its fan-in is the number of features
    assert torch.equal(narrow[4].bias, plain[4].bias)  # no width in it: the user's, by the rule


def test_constants_stay_constants() -> None:
    narrow = built(Convolutions(), "1/8").model

    assert torch.equal(narrow[2].weight, torch.ones(8))
    assert torch.equal(narrow[2].bias, torch.zeros(8))


def test_parts_that_were_set_to_a_constant_stay_so() -> None:
    class Gates(ScaledNet):
        def make_model(self) -> nn.Module:
            width = self.scaled(64)
            cell = nn.LSTMCell(FEATURES, width)
            with torch.no_grad():
                cell.bias_ih[width : 2 * width].fill_(1.0)
            return nn.Sequential(cell, nn.Linear(width, CLASSES))

    narrow = built(Gates(), "1/4").model[0]
    drawn = torch.cat([narrow.bias_ih[:16], narrow.bias_ih[32:]]).abs().max()

    assert torch.equal(narrow.bias_ih[16:32], torch.ones(16))
    # torch draws up to 1 / 4 of a cell 16 wide, the target's goes up to 1 / 8
    assert 0.1 < float(drawn.detach()) <= 0.125


def test_what_is_drawn_while_the_target_is_looked_at_changes_nothing() -> None:
    trainer = Perceptron()
    first, again = built(trainer, "1/8"), built(trainer, "1/8")  # the second one knows the target

    assert all(torch.equal(a, b) for a, b in zip(first.model.parameters(), again.model.parameters(), strict=True))


class Caching(ScaledNet):
    """Computes a width once, and others anew."""

    @functools.cached_property
    def width(self) -> int:
        return self.scaled(256)

    def make_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(FEATURES, self.width), nn.Linear(self.width, self.scaled(64)))


def test_a_width_that_make_model_keeps_is_not_the_targets() -> None:
    tensor = built(Caching(), "1/8")._surrogate_options.tensors["1.weight"]

    assert (tensor.target, tensor.surrogate) == ((64, 256), (8, 32))


class Spread(ScaledNet):
    """A layer whose spread is a hyper-parameter that need not be there."""

    def make_model(self) -> nn.Module:
        layer = nn.Linear(FEATURES, self.scaled(64))
        nn.init.normal_(layer.weight, std=self.hp.get("spread", 0.02))
        return nn.Sequential(layer, nn.Linear(self.scaled(64), CLASSES))


@pytest.mark.parametrize("before", [{}, {"spread": 2.0}])
def test_what_is_known_of_a_target_is_not_taken_for_one_with_a_name_more_or_fewer(before: dict[str, float]) -> None:
    trainer = Spread()
    built(trainer, "1/8", **before)

    assert float(built(trainer, "1/8").model[0].weight.detach().std()) == pytest.approx(0.02, rel=0.3)
    assert float(built(trainer, "1/8", spread=0.5).model[0].weight.detach().std()) == pytest.approx(0.5, rel=0.3)


def test_the_newest_targets_are_known_however_many_there_are() -> None:
    trainer = Spread()
    for number in range(1, 21):
        built(trainer, "1/8", spread=float(number))
    known = [values["spread"] for values, _ in trainer._surrogate_notes.known[frozenset({"lr", "spread"})]]

    assert known == [float(number) for number in range(5, 21)]
    assert float(built(trainer, "1/8", spread=1.0).model[0].weight.detach().std()) == pytest.approx(1.0, rel=0.3)


# ---------------------------------------------------------------------------------------------------------- options


def test_the_demos_net_trains_with_its_factors() -> None:
    options = options_by_name(built(DemoNet(), "1/8", weight_decay=0.01))

    assert {name: group["lr"] for name, group in options.items()} == pytest.approx(
        {"0.weight": 0.1 / 8, "0.bias": 0.1 / 8, "1.weight": 0.1 / 8, "1.bias": 0.1 / 8}
        | {"4.weight": 0.1, "4.bias": 0.1 / 8, "5.weight": 0.1 / 8, "5.bias": 0.1 / 8}
        | {"8.weight": 0.8, "8.bias": 0.1}
    )
    assert options["0.weight"]["weight_decay"] == pytest.approx(0.08)
    assert options["8.weight"]["weight_decay"] == pytest.approx(0.01 / 8)


def test_neighbours_with_equal_factors_share_a_group_and_the_order_stays() -> None:
    trainer = built(DemoNet("adamw"), "1/8")
    order = {id(parameter): place for place, parameter in enumerate(trainer.model.parameters())}
    groups = [[order[id(each)] for each in group["params"]] for group in trainer.optimizer.param_groups]

    assert groups == [[0, 1, 2, 3], [4], [5, 6, 7], [8], [9]]
    assert [group["eps"] for group in trainer.optimizer.param_groups] == pytest.approx([8e-8, 8e-8, 8e-8, 1e-8, 1e-8])


class Named(Perceptron):
    def make_optimizer(self, params: Iterator[nn.Parameter]) -> Any:
        named = list(self.model.named_parameters())
        return torch.optim.AdamW([{"params": named[:4]}, {"params": named[4:], "lr": self.hp["lr"] / 2}], lr=0.1)


def test_names_and_rates_of_groups_go_with_their_parameters() -> None:
    trainer = built(Named(), "1/8")
    names = [group["param_names"] for group in trainer.optimizer.param_groups]

    assert names == [["0.weight", "0.bias"], ["2.weight"], ["2.bias"], ["4.weight"], ["4.bias"]]
    assert [group["lr"] for group in trainer.optimizer.param_groups] == pytest.approx([0.1, 0.8, 0.1, 0.4, 0.05])


def test_options_follow_the_values_with_their_factors() -> None:
    trainer = built(Perceptron("adamw"), "1/8", weight_decay=0.1)
    groups = trainer.optimizer.param_groups
    before = [list(map(id, group["params"])) for group in groups]
    trainer.hp = type(trainer.hp)({"lr": 0.3, "weight_decay": 0.1})
    trainer._live.apply(trainer)

    assert [group["lr"] for group in groups] == pytest.approx([0.3, 2.4, 0.3, 2.4, 0.3])
    assert [group["weight_decay"] for group in groups] == pytest.approx([0.1, 0.1 / 8, 0.1, 0.1 / 8, 0.1])
    assert before == [list(map(id, group["params"])) for group in groups]


class Signs(torch.optim.Optimizer):
    def __init__(self, params: Any, lr: float) -> None:
        super().__init__(params, {"lr": lr})


class Signed(Perceptron):
    optimizer_kind = "adam"

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        return Signs(params, self.hp["lr"])


def test_a_user_may_say_of_what_kind_an_optimizer_is() -> None:
    options = options_by_name(built(Signed(), "1/8"))

    assert options["2.weight"]["lr"] == pytest.approx(0.8)


# ------------------------------------------------------------------------------------------------- scale 1, and lanes


class Plain(Perceptron):
    """As `Perceptron`, by somebody who knows nothing of scales."""

    def make_model(self) -> nn.Module:
        layers = nn.Linear(FEATURES, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, CLASSES)
        return nn.Sequential(*layers).to(self.dtype)


def test_the_target_is_the_users_program_to_the_bit() -> None:
    config = {"lr": 0.05, "weight_decay": 0.01}
    one, other = SoloConfig(Perceptron("adamw"), config), SoloConfig(Plain("adamw"), config)
    assert one.train(steps=2) == other.train(steps=2)
    states = [decode(each.state()) for each in (one, other)]

    assert [list(state["model"]) for state in states] == [list(states[0]["model"])] * 2
    assert all(torch.equal(states[0]["model"][name], states[1]["model"][name]) for name in states[0]["model"])
    assert states[0]["optimizer"]["param_groups"] == states[1]["optimizer"]["param_groups"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("net", "optimizer"),
    [(Perceptron, "sgd"), (Perceptron, "adamw"), (Convolutions, "sgd"), (Transformer, "adamw"), (Transformer, "sgd")],
)
def test_lanes_of_a_surrogate_come_to_what_each_comes_to_alone(net: Any, optimizer: str) -> None:
    trainer = pristine(Doubled(net, optimizer), "1/8")
    lr = 0.02 if optimizer == "sgd" else 0.0005  # at 0.02, a transformer loses itself in ever larger steps
    lanes = [{"lr": lr * (1 + 0.1 * i), "weight_decay": 0.01 * i} for i in range(3)]
    together = ConfigFormation(trainer, lanes)
    together.train(steps=3)

    for lane, config in enumerate(lanes):
        alone = SoloConfig(trainer, config)
        alone.train(steps=3)
        one, other = decode(together.states()[lane]), decode(alone.state())
        assert distance(one["model"], other["model"]) <= 1e-10  # float64, 30 updates
        assert one["optimizer"]["param_groups"] == other["optimizer"]["param_groups"]
        assert list(one["optimizer"]["state"]) == list(other["optimizer"]["state"])


def Doubled(net: Any, optimizer: str) -> Any:
    """Return a trainer of these that computes in float64."""

    class InDouble(net):  # type: ignore[misc]
        def make_model(self) -> nn.Module:
            return super().make_model().double()  # type: ignore[no-any-return]

    return InDouble(optimizer, dtype=torch.float64)


def distance(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """Return how far two models are apart, but for the bias of attention's keys, of which nothing depends."""
    flat = []
    for model in (one, other):
        parts = [t.chunk(3)[::2] if name.endswith("in_proj_bias") else (t,) for name, t in model.items()]
        flat.append(torch.cat([each.double().flatten() for part in parts for each in part]))
    return float((flat[0] - flat[1]).norm() / flat[1].norm())


@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
def test_a_surrogate_goes_on_from_its_state(optimizer: str) -> None:
    trainer, config = pristine(Perceptron(optimizer), "1/8"), {"lr": 0.05, "weight_decay": 0.01}
    straight = SoloConfig(trainer, config)
    straight.train()
    resumed = SoloConfig(trainer, config, straight.state(), 1)
    straight.train()
    resumed.train()

    one, other = decode(straight.state()), decode(resumed.state())
    assert all(torch.equal(one["model"][name], other["model"][name]) for name in one["model"])


# -------------------------------------------------------------------------------------------------- the forward pass


def test_narrower_heads_have_their_logits_scaled_also_on_torchs_fast_paths() -> None:
    narrow = built(Transformer(), "1/8")
    attention = narrow.model[2].layers[0].self_attn
    x = torch.randn(2, 5, 16)

    q, k, v = (
        (x @ w.T + b).unflatten(2, (4, 4)).transpose(1, 2)
        for w, b in zip(attention.in_proj_weight.chunk(3), attention.in_proj_bias.chunk(3), strict=True)
    )
    weights = (q @ k.mT * 32**0.5 / 4).softmax(-1)
    wanted = attention.out_proj((weights @ v).transpose(1, 2).flatten(2))
    assert torch.allclose(attention(x, x, x)[0], wanted, atol=1e-6)
    assert torch.allclose(attention(x, x, x, need_weights=False)[0], wanted, atol=1e-6)
    for module in (attention, copy.deepcopy(attention)):
        with torch.no_grad():
            assert torch.allclose(module.eval()(x, x, x)[0], wanted, atol=1e-6)
    layer = narrow.model[2].layers[0]
    trained = layer.train()(x)
    with torch.no_grad():
        assert torch.allclose(layer.eval()(x), trained, atol=1e-6)


class Normed(nn.MultiheadAttention):
    """Attention of queries that are normalised before."""

    def forward(self, query: torch.Tensor, *others: Any, **options: Any) -> Any:
        return super().forward(nn.functional.normalize(query, dim=-1), *others, **options)


class Summed(nn.MultiheadAttention):
    def forward(self, query: torch.Tensor, *others: Any, **options: Any) -> Any:
        return query @ self.in_proj_weight.T, None


class OwnAttention(ScaledNet):
    kind = Normed

    def make_model(self) -> nn.Module:
        width = self.scaled(64)
        return nn.ModuleList([nn.Linear(FEATURES, width), self.kind(width, 2), nn.Linear(width, CLASSES)])


def test_narrower_heads_of_a_class_of_ones_own_keep_its_forward() -> None:
    own = built(OwnAttention(), "1/4").model[1]
    torchs = ScaledLogits(16, 2)
    torchs.load_state_dict(own.state_dict())
    torchs.logit_factor = own.logit_factor
    x = torch.randn(3, 16)

    wanted = torchs(nn.functional.normalize(x, dim=-1), x, x)[0]
    for each in (own, copy.deepcopy(own), pickle.loads(pickle.dumps(own))):
        assert isinstance(each, Normed)
        assert torch.equal(each(x, x, x)[0], wanted)


def test_narrower_heads_of_a_class_that_computes_logits_itself_are_refused() -> None:
    class Computes(OwnAttention):
        kind = Summed

    x = torch.randn(3, 16)
    with pytest.raises(TrainerError, match=r"^Summed has narrower heads .* multiply logits by self.attention_scale"):
        built(Computes(), "1/4").model[1](x, x, x)


class Encoder(ScaledNet):
    is_part = False

    def make_model(self) -> nn.Module:
        width = self.scaled(64)
        layer = nn.TransformerEncoderLayer(width, 4, width, dropout=0.0, batch_first=True)
        blocks = nn.TransformerEncoder(layer, 1)
        assert blocks.use_nested_tensor
        return nn.Sequential(blocks, nn.Linear(width, CLASSES)) if self.is_part else blocks


@pytest.mark.parametrize("is_part", [False, True])
def test_narrower_heads_are_evaluated_with_padding_as_they_are_trained(is_part: bool) -> None:
    trainer = Encoder()
    trainer.is_part = is_part
    model = built(trainer, "1/4").model
    encoder = model[0] if is_part else model
    x, padding = torch.randn(2, 3, 16), torch.tensor([[False, False, True], [False, False, False]])

    trained = encoder.train()(x, src_key_padding_mask=padding)
    with torch.no_grad():
        evaluated = encoder.eval()(x, src_key_padding_mask=padding)
    assert torch.allclose(evaluated[~padding], trained[~padding], atol=1e-6)


def test_heads_as_wide_as_the_targets_are_left_alone() -> None:
    class MoreHeads(Transformer):
        def make_model(self) -> nn.Module:
            width = self.scaled(128)
            return nn.Sequential(
                nn.Unflatten(1, (8, 8)), nn.Linear(8, width), nn.TransformerEncoderLayer(width, width // 16),
                nn.Flatten(), nn.Linear(8 * width, CLASSES),
            )  # fmt: skip

    assert type(built(MoreHeads(), "1/4").model[2].self_attn) is nn.MultiheadAttention


class Tied(ScaledNet):
    """Words in, words out, by one table."""

    has_norm = True
    head_first = False
    table: type[nn.Module] = nn.Embedding

    def make_model(self) -> nn.Module:
        width = self.scaled(64)
        model = nn.Module()
        model.head = nn.Linear(width, CLASSES, bias=False)
        model.table = self.table(CLASSES, width)
        model.norm = nn.LayerNorm(width) if self.has_norm else nn.Identity()
        model.table.weight = model.head.weight
        return model


@pytest.mark.parametrize("kind", [nn.Embedding, nn.EmbeddingBag])
def test_a_tied_layer_is_an_embedding_whose_readout_sums_as_much_as_the_targets(kind: type[nn.Module]) -> None:
    class Tabled(Tied):
        table = kind

    narrow = built(Tabled(), "1/4")
    hidden = torch.randn(3, 16)

    assert narrow._surrogate_options.tensors["head.weight"].role.value == "input"
    assert narrow.model.head.weight is narrow.model.table.weight
    assert torch.equal(narrow.model.head(hidden), hidden * 4 @ narrow.model.table.weight.T)
    assert torch.equal(copy.deepcopy(narrow.model).head(hidden), narrow.model.head(hidden))


def test_the_standard_parametrization_leaves_the_users_program_as_it_is() -> None:
    trainer = Perceptron()
    narrow, alone = built(trainer, "1/8, standard"), pristine(trainer, "1/8, standard")
    seed_everything(0, "build", 0)

    pairs = zip(narrow.model.parameters(), alone.make_model().parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)
    assert [group["lr"] for group in narrow.optimizer.param_groups] == [0.1]


# ------------------------------------------------------------------------------ the same network, by multipliers


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "adamw", "adagrad"])
def test_factors_on_options_are_multipliers_in_the_network(optimizer: str) -> None:
    """Yang et al. 2022, lemma J.1: weights a times smaller behind a multiplier of a are the same network.

    Their rates are divided by a^2 under SGD and by a under Adam, eps grows by a, and what is added to squares by a^2.
    """
    decay = 0.01 if optimizer in ("sgd", "adamw") else 0.0
    trainer = Doubled(Perceptron, optimizer)
    narrow = built(trainer, "1/8", weight_decay=decay, lr={"sgd": 0.1, "adagrad": 0.01}.get(optimizer, 0.002))
    multipliers = {"0.weight": 0.5, "2.weight": 4.0, "4.weight": 8.0}
    weights = {name: p.detach().clone() for name, p in narrow.model.named_parameters()}
    scaled = {name: (w / multipliers.get(name, 1.0)).requires_grad_() for name, w in weights.items()}
    rule, kind = rule_named("mup"), OptimizerKind.SGD if optimizer == "sgd" else OptimizerKind.ADAM
    other = trainer.__class__.make_optimizer(_Asked(optimizer, narrow.hp), iter(scaled.values()))
    other.param_groups[:] = [
        _group(other.param_groups[0], scaled[name], rule.options(tensor, kind), multipliers.get(name, 1.0), kind)
        for name, tensor in narrow._surrogate_options.tensors.items()
    ]
    for group in other.param_groups if optimizer == "adagrad" else ():
        other.state[group["params"][0]]["sum"].fill_(group["initial_accumulator_value"])
    batches = narrow.train_set().tensors
    for update in range(60):
        points, labels = (each[update % 10 * 32 :][:32] for each in batches)
        narrow.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(narrow.model(points), labels)
        loss.backward()
        narrow.optimizer.step()
        other.zero_grad()
        _loss_by_multipliers(scaled, multipliers, points, labels).backward()
        other.step()

    for name, parameter in narrow.model.named_parameters():
        again = scaled[name] * multipliers.get(name, 1.0)
        assert float((again - parameter).norm() / parameter.norm()) <= 1e-12, name
    assert float(loss) < 2.0  # it learned


class _Asked:
    """What `make_optimizer` looks at."""

    def __init__(self, optimizer: str, hp: Any) -> None:
        self.optimizer_name, self.hp = optimizer, hp


def _group(
    group: dict[str, Any], parameter: torch.Tensor, factors: OptionFactors, multiplier: float, kind: OptimizerKind
) -> dict[str, Any]:
    power = 2 if kind is OptimizerKind.SGD else 1
    changed = {"lr": group["lr"] * factors.lr / multiplier**power}
    changed["weight_decay"] = group["weight_decay"] * factors.weight_decay * multiplier**power
    if "eps" in group:
        changed["eps"] = group["eps"] * factors.eps * multiplier
    if (first := "initial_accumulator_value") in group:
        changed[first] = group[first] * factors.squares * multiplier**2
    return {**group, **changed, "params": [parameter]}


def _loss_by_multipliers(
    weights: Mapping[str, torch.Tensor], multipliers: Mapping[str, float], points: torch.Tensor, labels: torch.Tensor
) -> torch.Tensor:
    hidden = points
    for layer in ("0", "2", "4"):
        hidden = hidden @ weights[f"{layer}.weight"].T * multipliers[f"{layer}.weight"] + weights[f"{layer}.bias"]
        hidden = hidden.relu() if layer != "4" else hidden
    return nn.functional.cross_entropy(hidden, labels)


@pytest.mark.parametrize("bound", [0.05, 0.7, 2.0])
def test_what_is_drawn_again_until_it_fits_is_known_by_its_operations_each_once(bound: float) -> None:
    with RandomFills() as fills:
        found = fills.of(nn.init.trunc_normal_(torch.empty(64, 64), a=-bound, b=bound))
    assert found is not None
    assert found.is_random
    assert len(found.drawn_by) == len(set(found.drawn_by)) > 0


def test_what_was_drawn_and_thrown_away_is_not_kept() -> None:
    with RandomFills() as fills:
        drawn = torch.randn(1000)
        held = StorageWeakRef(drawn.untyped_storage())
        assert fills.of(drawn) is not None
        del drawn
        assert held.expired()


@pytest.mark.parametrize("name", ["bias_k", "bias_v"])
def test_the_rows_that_attention_puts_beside_keys_and_values_are_no_output(name: str) -> None:
    wide, narrow = (nn.MultiheadAttention(width, 2, add_bias_kv=True) for width in (64, 8))
    target, surrogate = (tuple(getattr(module, name).shape) for module in (wide, narrow))
    tensor = ScaledTensor(layout=layout_of(name, {"": wide}), target=target, surrogate=surrogate)
    assert tensor.role is Role.INPUT
