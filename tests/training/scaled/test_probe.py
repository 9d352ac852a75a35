"""Widths of models that say nothing of them: found as somebody would have written them, or refused by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import nn

from hippo.errors import TrainerError
from hippo.training.scaled.attention import ScaledLogits

from .trainers import CLASSES, FEATURES, Convolutions, Perceptron, ScaledNet, Transformer, built

pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.slow]

Make = Callable[[Callable[[int], int]], nn.Module]


class Silent(ScaledNet):
    """Makes a model by a function of widths, without a word to hippo."""

    def __init__(self, make: Make, optimizer: str = "sgd") -> None:
        super().__init__(optimizer)
        self.make = make

    def make_model(self) -> nn.Module:
        return self.make(lambda width: width)


class Spoken(Silent):
    """Makes the same model, and says its widths."""

    def make_model(self) -> nn.Module:
        return self.make(self.scaled)


class Lent:
    """What the `make_model` of other trainers looks at."""

    dtype = torch.float32

    def __init__(self, cls: Any, scaled: Callable[[int], int]) -> None:
        self.width = getattr(cls, "width", 0)
        self.scaled = scaled


def of(cls: Any) -> Make:
    return lambda scaled: cls.make_model(Lent(cls, scaled))  # type: ignore[no-any-return]


class Recurrent(nn.Module):
    def __init__(self, kind: Any, width: int, **options: Any) -> None:
        super().__init__()
        self.rnn = kind(8, width, **options)
        directions = 2 if options.get("bidirectional") else 1
        self.head = nn.Linear(width * directions, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.unflatten(1, (8, 8))
        if isinstance(self.rnn, nn.RNNBase):
            return self.head(self.rnn(x)[0][:, -1])  # type: ignore[no-any-return]
        state = None
        for token in x.unbind(1):
            state = self.rnn(token, state)
        return self.head(state[0] if isinstance(state, tuple) else state)  # type: ignore[no-any-return]


class Depthwise(nn.Module):
    """Depthwise and grouped convolutions, a transposed one, and a squeeze by a narrow layer."""

    def __init__(self, width: int, middle: int, groups: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(1, width, 3, padding=1)
        self.depthwise = nn.Conv2d(width, width, 3, padding=1, groups=width)
        self.grouped = nn.Conv2d(width, width, 1, groups=groups)
        self.norm = nn.GroupNorm(4, width)
        self.up = nn.ConvTranspose2d(width, middle, 2, stride=2)
        self.shrink, self.grow = nn.Linear(middle, width), nn.Linear(width, middle)
        self.head = nn.Linear(middle, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.grouped(self.depthwise(self.first(x.unflatten(1, (1, 8, 8)))))).relu()
        x = self.up(nn.functional.pad(x, (0, 1, 0, 1))).mean((2, 3))
        return self.head(x * self.grow(self.shrink(x).relu()).sigmoid())  # type: ignore[no-any-return]


class Attention(nn.Module):
    """Attention by hand, with numbers of heads that its code keeps in integers."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.width, self.heads = width, heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.places = nn.Parameter(torch.randn(1, 8, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, places, _ = x.shape
        q, k, v = self.qkv(x + self.places).split(self.width, dim=2)
        q, k, v = (each.view(batch, places, self.heads, self.width // self.heads).transpose(1, 2) for each in (q, k, v))
        mixed = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, places, self.width))  # type: ignore[no-any-return]


def attentive(scaled: Callable[[int], int]) -> nn.Module:
    width = scaled(128)
    return nn.Sequential(
        nn.Unflatten(1, (8, 8)), nn.Linear(8, width), Attention(width, scaled(64) // 8), nn.LayerNorm(width),
        nn.Flatten(), nn.Linear(8 * width, CLASSES),
    )  # fmt: skip


NETS: dict[str, Make] = {
    "perceptron": of(Perceptron),
    "convolutions": of(Convolutions),
    "transformer": of(Transformer),
    "rnn": lambda scaled: Recurrent(nn.RNN, scaled(64), batch_first=True),
    "two-way lstm": lambda scaled: Recurrent(nn.LSTM, scaled(64), batch_first=True, bidirectional=True, num_layers=2),
    "gru": lambda scaled: Recurrent(nn.GRU, scaled(64), batch_first=True),
    "rnn cell": lambda scaled: Recurrent(nn.RNNCell, scaled(64)),
    "lstm cell": lambda scaled: Recurrent(nn.LSTMCell, scaled(64)),
    "gru cell": lambda scaled: Recurrent(nn.GRUCell, scaled(64)),
    "depthwise": lambda scaled: Depthwise(scaled(64), scaled(32), scaled(16)),
    "attention by hand": attentive,
}


@pytest.mark.parametrize("name", NETS)
def test_a_model_that_says_nothing_is_what_somebody_would_have_written(name: str) -> None:
    silent, spoken = (built(cls(NETS[name]), "1/4") for cls in (Silent, Spoken))
    tensors, wanted = (each._surrogate_options.tensors for each in (silent, spoken))

    assert tensors == wanted
    shapes = [{name: each.shape for name, each in each.model.state_dict().items()} for each in (silent, spoken)]
    assert shapes[0] == shapes[1]
    assert all(math.isfinite(value) for value in silent.train().values())


@pytest.mark.parametrize(("kind", "heads"), [("attention", 2), ("layer", 2), ("layer", 1)])
def test_logits_are_scaled_where_as_many_heads_get_narrower(kind: str, heads: int) -> None:
    class Attentive(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.embed, self.head = nn.Linear(8, width), nn.Linear(width, CLASSES)
            if kind == "attention":
                self.mix: nn.Module = nn.MultiheadAttention(width, heads, batch_first=True)
            else:
                self.mix = nn.TransformerEncoderLayer(width, heads, 2 * width, dropout=0.0, batch_first=True)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = self.embed(x.unflatten(1, (8, 8)))
            x = self.mix(x, x, x)[0] if kind == "attention" else self.mix(x)
            return self.head(x.mean(1))  # type: ignore[no-any-return]

    models = [built(cls(lambda scaled: Attentive(scaled(64))), "1/8").model for cls in (Silent, Spoken)]
    silent, spoken = (each.mix if kind == "attention" else each.mix.self_attn for each in models)

    assert (silent.embed_dim, silent.num_heads, silent.head_dim) == (8, heads, 8 // heads)
    assert isinstance(silent, ScaledLogits)
    assert silent.logit_factor == spoken.logit_factor == pytest.approx(8**0.5)  # 8 by the rule, beside its own


class Tokens(nn.Module):
    """Sixteen tokens of its own beside those that come in, and experts."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.head = nn.Linear(8, width), nn.Linear(width, CLASSES)
        self.tokens = nn.Parameter(torch.randn(1, 16, width))
        self.places = nn.Parameter(torch.randn(1, 8 + 16, width))
        self.gate, self.experts = nn.Parameter(torch.randn(16)), nn.Parameter(torch.randn(16, width, width))
        self.biases = nn.Parameter(torch.randn(16, 1, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x.unflatten(1, (8, 8)))
        x = torch.cat([self.tokens.expand(len(x), -1, -1), x], 1) + self.places
        x = ((x.mean(1) @ self.experts + self.biases) * self.gate[:, None, None]).sum(0)
        return self.head(x)  # type: ignore[no-any-return]


def test_how_many_tokens_or_experts_there_are_is_no_width() -> None:
    model = built(Silent(lambda _: Tokens(64)), "1/4").model
    shapes = {name: tuple(each.shape) for name, each in model.named_parameters()}
    assert shapes["tokens"] == (1, 16, 16)
    assert shapes["places"] == (1, 24, 16)
    assert shapes["experts"] == (16, 16, 16)


# ------------------------------------------------------------------------------------------------------ as it is drawn


def test_a_part_of_the_target_is_drawn_and_trained_as_a_narrow_model_is() -> None:
    silent, spoken = (built(cls(NETS["perceptron"], "adamw"), "1/4", weight_decay=0.1) for cls in (Silent, Spoken))
    spreads = [
        {name: float(each.detach().std()) for name, each in trainer.model.named_parameters() if each.dim() > 1}
        for trainer in (silent, spoken)
    ]
    options = [
        [{name: value for name, value in group.items() if name != "params"} for group in trainer.optimizer.param_groups]
        for trainer in (silent, spoken)
    ]

    assert spreads[0] == pytest.approx(spreads[1], rel=0.05)  # 640 numbers or more
    assert options[0] == options[1]


def test_the_target_stays_as_it_is_and_so_does_chance() -> None:
    narrow, again = (built(Silent(NETS["perceptron"]), "1/4") for _ in range(2))
    trainer = Silent(NETS["perceptron"])
    first, second = built(trainer, "1/4"), built(trainer, "1/4")  # the second knows the widths already
    wide = built(Silent(NETS["perceptron"]), "1")

    states = [each.model.state_dict() for each in (narrow, again, first, second)]
    assert all(torch.equal(state[name], states[0][name]) for state in states for name in states[0])
    assert wide.model[2].weight.shape == (256, 256)


class Keeping(Silent):
    """Keeps its parameters, marks one of them, and looks at its gradients."""

    def make_model(self) -> nn.Module:
        model: Any = super().make_model()
        self.kept, self.seen = list(model.parameters()), []  # type: ignore[var-annotated]
        model[2].weight.has_no_decay = True
        model[2].weight.register_hook(lambda gradient: self.seen.append(gradient.shape))
        return model  # type: ignore[no-any-return]

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        marked = [each for each in params if getattr(each, "has_no_decay", False)]
        others = [each for each in self.kept if all(each is not other for other in marked)]
        groups: list[dict[str, Any]] = [{"params": marked, "weight_decay": 0.0}, {"params": others}]
        return torch.optim.AdamW(groups, lr=self.hp["lr"], weight_decay=0.1)


def test_parameters_that_are_cut_stay_the_objects_that_make_model_knows() -> None:
    narrow = built(Keeping(NETS["perceptron"]), "1/4")
    before = [each.detach().clone() for each in narrow.model.parameters()]
    narrow.train()

    weight = narrow.model[2].weight
    assert narrow.optimizer.param_groups[0]["params"] == [weight]
    assert set(narrow.seen) == {weight.shape} == {(64, 64)}
    assert not any(torch.equal(*each) for each in zip(narrow.model.parameters(), before, strict=True))


def test_a_model_that_was_called_while_it_was_made_is_cut_as_well() -> None:
    class Tried(Silent):
        def make_model(self) -> nn.Module:
            model = super().make_model()
            self.tried = model(torch.zeros(2, FEATURES))
            self.tried.sum().backward(retain_graph=True)
            return model

        def update(self, loss: torch.Tensor) -> None:
            loss.backward()  # without a zero_grad()
            self.optimizer.step()

    assert math.isfinite(built(Tried(NETS["perceptron"]), "1/4").train()["loss"])


def test_attributes_of_parameters_are_there_while_widths_are_looked_for() -> None:
    class Masked(nn.Linear):
        def __init__(self, width: int) -> None:
            super().__init__(width, width)
            self.register_buffer("mask", torch.ones(width))
            self.weight.mask = self.mask  # type: ignore[attr-defined]

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return super().forward(x) * self.weight.mask  # type: ignore[attr-defined, no-any-return]

    def masked(scaled: Callable[[int], int]) -> nn.Module:
        return nn.Sequential(nn.Linear(FEATURES, scaled(128)), Masked(scaled(128)), nn.Linear(scaled(128), CLASSES))

    layer = built(Silent(masked), "1/4").model[1]

    assert layer.weight.mask is layer.mask
    assert layer.mask.shape == (32,)


# ---------------------------------------------------------------------------------------------------------- refusals


KNOWN = torch.randn(128, 128)


class Odd(nn.Module):
    """A net of one hidden layer, and something that keeps it from being narrower."""

    def __init__(self, kind: str, width: int = 128) -> None:
        super().__init__()
        self.kind = kind
        self.first, self.middle, self.head = (
            nn.Linear(FEATURES, width),
            nn.Linear(width, width),
            nn.Linear(width, CLASSES),
        )
        if kind == "orthogonal":
            nn.init.orthogonal_(self.middle.weight)
        if kind == "pretrained":
            self.middle.load_state_dict({"weight": KNOWN, "bias": torch.zeros(width)})
        if kind == "table":
            self.register_buffer("waves", torch.arange(width).sin())
        if kind == "unused":
            self.spare = nn.Linear(width, width)
        if kind == "normalised":
            nn.utils.parametrizations.weight_norm(self.middle)
        if kind == "groups":
            self.norm = nn.GroupNorm(16, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        if self.kind == "hard-coded":
            x = x.view(len(x), 4, 32).flip(1).reshape(len(x), 128)
        if self.kind == "branch" and x.shape[-1] > 64:
            x = x.relu().sigmoid()
        if self.kind == "table":
            x = x * self.waves
        if self.kind == "groups":
            x = self.norm(x)
        if self.kind == "heads":
            x = x.view(-1, 4, x.shape[-1] // 4)
            x = ((x @ x.mT).softmax(-1) @ x).flatten(1)
        return self.head(self.middle(x).relu())  # type: ignore[no-any-return]


REFUSED = {
    "hard-coded": r"dimension 0 of 'first.weight' \(Linear\) is 128 whatever the width, for \w+ at test_probe.py:\d+, "
    r"in Odd\. Write self\.scaled\(n\)",
    "branch": r"cannot be made 4 times narrower: it would go another way, with addmm in place of relu as operation",
    "heads": r"heads of 32 would get narrower in bmm at test_probe.py:\d+, in Odd: 4 divides no number of heads",
    "orthogonal": r"the numbers of 'middle.weight' belong together, since they were drawn by .*: a part of them is not",
    "pretrained": r"did not draw 'middle.weight' at random: are these pretrained weights\?",
    "table": r"the numbers of 'waves' belong together, since they were computed",
    "normalised": r"the weight in addmm at .*, in 'middle' \(ParametrizedLinear\) is computed from others, .*: "
    r"whether 128 is one of its sides, or the size of heads, cannot be seen\. Write self\.scaled\(n\)",
    "unused": r"a call of it does not use spare.bias, spare.weight",
    "groups": r"'norm' \(GroupNorm\) would have 2 channels in a group, and 8 in the target; at least 4 are needed",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_keeps_a_width_as_it_is_is_named(kind: str) -> None:
    with pytest.raises(TrainerError, match=REFUSED[kind]):
        built(Silent(lambda _: Odd(kind)), "1/4")


@pytest.mark.parametrize(
    ("width", "scale", "message"),
    [
        (100, "1/8", r"of 'first.weight' \(Linear\) is 100, and would be 12.5 at scale 1/8; .* The largest .* is 5\."),
        (24, "1/4", r"is 24, and would be 6 at scale 1/4; .* at least min_width = 8\. The largest .* is 3\."),
        (16, "1/4", r"min_width = 8\. The largest scale at which all widths can be is 2\."),
        (9, "1/3", r"There is no scale above 1 at which all widths can be"),
    ],
)
def test_a_width_that_gets_too_small_is_refused_with_the_largest_scale(width: int, scale: str, message: str) -> None:
    trainer = Silent(lambda _: Odd("", width))
    trainer.min_width = 8
    with pytest.raises(TrainerError, match=message):
        built(trainer, scale)


@pytest.mark.parametrize("scale", ["1/2", "1/4"])
def test_a_layer_of_which_only_a_part_would_be_smaller_is_refused(scale: str) -> None:
    class Gated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.gate = nn.Linear(FEATURES, 64), nn.Linear(16, 48)
            self.head = nn.Linear(48, CLASSES)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = self.first(x)
            return self.head(self.gate(x[..., :16]).sigmoid() * x[..., 16:])  # type: ignore[no-any-return]

    with pytest.raises(TrainerError, match=r"of 'first.weight' \(Linear\) is 64, and would be \d+ at scale 1/\d, "):
        built(Silent(lambda _: Gated()), scale)


def test_a_model_without_widths_is_refused() -> None:
    with pytest.raises(TrainerError, match=r"has no widths that could be smaller: .* Write self.scaled\(n\)"):
        built(Silent(lambda _: nn.Sequential(nn.Linear(FEATURES, CLASSES))), "1/4")


def test_sizes_in_common_with_what_comes_in_are_no_widths() -> None:
    class Mixer(nn.Module):
        """Mixes tokens, of which there are as many as come in."""

        def __init__(self) -> None:
            super().__init__()
            self.grow, self.shrink = nn.Linear(FEATURES, 128), nn.Linear(128, FEATURES)
            self.head = nn.Linear(FEATURES, CLASSES)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.head(x + self.shrink(self.grow(x).relu()))  # type: ignore[no-any-return]

    model = built(Silent(lambda _: Mixer()), "1/4").model
    assert [tuple(each.shape) for each in (model.grow.weight, model.head.weight)] == [(32, 64), (10, 64)]


@pytest.mark.parametrize("trainer", ["sequence", "several calls"])
def test_what_loss_does_besides_is_its_own_affair(trainer: str) -> None:
    class Counts(Silent):
        def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
            logits = model(batch[0])
            if trainer == "several calls":
                logits = logits + model(batch[0].flip(1))
            loss = nn.functional.cross_entropy(logits, batch[1])
            assert float(loss) > 0  # numbers are not there while widths are looked for
            return loss

    assert built(Counts(NETS["perceptron"]), "1/4").model[2].weight.shape == (64, 64)


def test_what_loss_reads_while_widths_are_looked_for_is_not_read_by_make_model() -> None:
    class Smooth(Silent):
        def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
            return nn.functional.cross_entropy(model(batch[0]), batch[1], label_smoothing=self.hp["smoothing"])

    narrow = built(Smooth(NETS["perceptron"]), "1/4", smoothing=0.1)

    assert narrow._model_values == {}
