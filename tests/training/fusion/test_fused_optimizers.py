"""Lanes' optimizers as one, against torch's own, lane by lane."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
import torch
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from hippo.testing.torch_trainers import BlobsTrainer
from hippo.training.declarative.optimizer_values import LiveOptimizer
from hippo.training.fusion.fused_optimizers import FusedOptimizer, clip_lanes
from hippo.training.fusion.refusals import LanesDifferIn, NotFusible
from hippo.training.values import HparamValues

Values = Mapping[str, Any]
#: what fails is small anyway
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)


class Net(nn.Module):
    """Parameters of odd shapes, of which one is never used, one frozen and two are one."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(5, 3)
        self.second = nn.Linear(3, 3)
        self.kernel = nn.Parameter(torch.randn(2, 1, 3, 3))
        self.scale = nn.Parameter(torch.randn(()))
        self.frozen = nn.Parameter(torch.randn(2), requires_grad=False)
        self.tied = self.second


class OptimizerTrainer(BlobsTrainer):
    """Makes the optimizer that `make` says, of a `Net`."""

    def __init__(self, make: Callable[[Any, list[nn.Parameter]], Any], dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        self.make = make
        torch.manual_seed(0)
        self.model = Net().to(dtype)

    def make_optimizer(self, params: Any) -> Any:
        return self.make(self.hp, list(params))


def sgd(hp: Any, params: list[nn.Parameter]) -> torch.optim.Optimizer:
    # a group with a rate of its own, in an order of its own
    groups = [{"params": params[3:][::-1], "lr": 2 * hp["lr"]}, {"params": params[:3]}]
    return torch.optim.SGD(
        groups,
        lr=hp["lr"],
        momentum=hp.get("momentum", 0.0),
        dampening=hp.get("dampening", 0.0),
        weight_decay=hp.get("weight_decay", 0.0),
        nesterov=hp.get("nesterov", False),
        maximize=hp.get("maximize", False),
    )


def adam(hp: Any, params: list[nn.Parameter]) -> torch.optim.Optimizer:
    cls = torch.optim.AdamW if hp.get("decoupled", False) else torch.optim.Adam
    return cls(
        params,
        lr=hp["lr"],
        betas=hp.get("betas", (0.9, 0.999)),
        eps=hp.get("eps", 1e-8),
        weight_decay=hp.get("weight_decay", 0.0),
        amsgrad=hp.get("amsgrad", False),
        maximize=hp.get("maximize", False),
    )


class Alone:
    """A lane as `TorchTrainer` trains it, with torch's own optimizer."""

    def __init__(self, trainer: OptimizerTrainer, values: Values) -> None:
        self.trainer = copy.copy(trainer)
        self.trainer.model = copy.deepcopy(trainer.model)
        self.trainer.hp = HparamValues(values)
        self.live = LiveOptimizer(self.trainer)
        self.params = dict(self.trainer.model.named_parameters())

    def step(self, grads: Mapping[str, Tensor | None], values: Values) -> None:
        self.trainer.hp = HparamValues(values)
        self.live.apply(self.trainer)
        for name, grad in grads.items():
            self.params[name].grad = None if grad is None else grad.clone()
        self.live.only.step()


class Fused:
    """The same lanes, as one."""

    def __init__(self, trainer: OptimizerTrainer, values: Sequence[Values]) -> None:
        self.optimizer = FusedOptimizer(trainer, [HparamValues(each) for each in values])
        self.params = {
            name: each.detach().expand(len(values), *each.shape).clone()
            for name, each in trainer.model.named_parameters()
        }

    def step(self, grads: Sequence[Mapping[str, Tensor | None]], values: Sequence[Values]) -> None:
        self.optimizer.apply([HparamValues(each) for each in values])
        self.optimizer.step(self.params, stacked(grads))

    def keep(self, lanes: Sequence[int]) -> None:
        self.optimizer.keep(lanes)
        self.params = {name: each[list(lanes)] for name, each in self.params.items()}


def stacked(grads: Sequence[Mapping[str, Tensor | None]]) -> dict[str, Tensor | None]:
    found = {name: [each[name] for each in grads] for name in grads[0]}
    return {name: None if each[0] is None else torch.stack(each) for name, each in found.items()}  # type: ignore[arg-type]


def gradients(trainer: OptimizerTrainer, seed: int, *, without: Sequence[str] = ()) -> dict[str, Tensor | None]:
    chance = torch.Generator().manual_seed(seed)
    return {
        name: None
        if name in without or not each.requires_grad
        else torch.randn(each.shape, generator=chance, dtype=each.dtype)
        for name, each in trainer.model.named_parameters()
    }


def assert_close(fused: Fused, alone: Sequence[Alone], *, rtol: float) -> None:
    for lane, each in enumerate(alone):
        for name, parameter in each.params.items():
            torch.testing.assert_close(fused.params[name][lane], parameter.detach(), rtol=rtol, atol=rtol)
        assert_same_state(fused.optimizer.state_dict(lane), each.live.state_dict(), rtol=rtol)


def assert_same_state(one: Any, other: Any, *, rtol: float) -> None:
    """Structure, types and devices are equal, and tensors close."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_same_state(one[key], other[key], rtol=rtol)
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for mine, yours in zip(one, other, strict=True):
            assert_same_state(mine, yours, rtol=rtol)
    elif isinstance(one, Tensor):
        torch.testing.assert_close(one, other, rtol=rtol, atol=rtol)
    else:
        assert one == other


# ------------------------------------------------------------------------------------------------ as torch's own

rates = st.sampled_from([0.0, 1e-3, 0.1])
sgd_values = st.fixed_dictionaries(
    {
        "lr": rates,
        "momentum": st.sampled_from([0.0, 0.5, 0.9]),
        "weight_decay": st.sampled_from([0.0, 1e-2]),
        "maximize": st.booleans(),
    }
)
damped = st.fixed_dictionaries({"dampening": st.sampled_from([0.0, 0.3]), "nesterov": st.just(False)})
adam_values = st.fixed_dictionaries(
    {
        "lr": rates,
        "betas": st.sampled_from([(0.9, 0.999), (0.5, 0.9), (0.0, 0.99)]),
        "weight_decay": st.sampled_from([0.0, 1e-2]),
        "maximize": st.booleans(),
        "amsgrad": st.booleans(),
        "eps": st.sampled_from([1e-8, 1e-3]),
    }
)


def check_against_torch(make: Any, lanes: Sequence[Sequence[Values]], steps: int = 50) -> None:
    """Train lanes alone and as one; lane i has the values `lanes[i]` one after another, each for some steps."""
    trainer = OptimizerTrainer(make)
    alone, fused = [Alone(trainer, each[0]) for each in lanes], Fused(trainer, [each[0] for each in lanes])
    for step in range(steps):
        values = [each[step * len(each) // steps] for each in lanes]
        grads = [
            gradients(trainer, 100 * step + lane, without=("kernel",) if step % 4 == 1 else ())
            for lane in range(len(lanes))
        ]
        for each, grad, now in zip(alone, grads, values, strict=True):
            each.step(grad, now)
        fused.step(grads, values)
    assert_close(fused, alone, rtol=1e-13)  # float64, 50 updates


@given(lanes=st.lists(st.lists(sgd_values, min_size=1, max_size=3), min_size=1, max_size=4))
@settings(max_examples=12, deadline=None, phases=PHASES)
def test_sgd_is_torchs_whatever_options_lanes_have_and_however_they_change(lanes: Any) -> None:
    check_against_torch(sgd, lanes)


@given(lanes=st.lists(st.lists(adam_values, min_size=1, max_size=3), min_size=1, max_size=4), decoupled=st.booleans())
@settings(max_examples=12, deadline=None, phases=PHASES)
def test_adam_is_torchs_whatever_options_lanes_have_and_however_they_change(lanes: Any, decoupled: bool) -> None:
    check_against_torch(adam, [[{**each, "decoupled": decoupled} for each in lane] for lane in lanes])


@pytest.mark.parametrize("options", [{"nesterov": True, "momentum": 0.9}, {"dampening": 0.5, "momentum": 0.9}])
def test_nesterov_and_dampening_are_torchs(options: Values) -> None:
    check_against_torch(sgd, [[{"lr": 0.1, **options}], [{"lr": 0.01, "weight_decay": 0.1, **options}]])


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (sgd, {"momentum": 0.9, "weight_decay": 1e-2}),
        (sgd, {"momentum": 0.9, "nesterov": True}),
        (adam, {"weight_decay": 1e-2}),
        (adam, {"weight_decay": 1e-2, "decoupled": True, "amsgrad": True}),
    ],
)
def test_in_float32_on_a_cpu_bits_are_torchs(make: Any, options: Values) -> None:
    trainer = OptimizerTrainer(make, torch.float32)
    for lanes in ([{"lr": lr, **options} for lr in (0.3, 1e-2, 1e-4)], [{"lr": 0.1, **options}] * 2):
        alone, fused = [Alone(trainer, each) for each in lanes], Fused(trainer, lanes)
        for step in range(20):
            grads = [gradients(trainer, 10 * step + lane) for lane in range(len(lanes))]
            for each, grad, values in zip(alone, grads, lanes, strict=True):
                each.step(grad, values)
            fused.step(grads, lanes)

        for lane, each in enumerate(alone):
            assert all(torch.equal(fused.params[name][lane], own) for name, own in each.params.items())
            assert_same_state(fused.optimizer.state_dict(lane), each.live.state_dict(), rtol=0)


@pytest.mark.parametrize("flavour", [{"foreach": True}, {"fused": True}, {"foreach": False}])
@pytest.mark.parametrize("cls", [torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW])
def test_a_flavour_makes_no_difference_but_in_what_is_saved(cls: Any, flavour: Values) -> None:
    momentum = {"momentum": 0.9} if cls is torch.optim.SGD else {}
    lanes = [{"lr": 0.1}, {"lr": 0.01}]
    trainer = OptimizerTrainer(lambda hp, params: cls(params, lr=hp["lr"], **momentum, **flavour), torch.float32)
    alone, fused = [Alone(trainer, each) for each in lanes], Fused(trainer, lanes)
    for step in range(3):
        for each, values in zip(alone, lanes, strict=True):
            each.step(gradients(trainer, step), values)
        fused.step([gradients(trainer, step)] * 2, lanes)

    assert_close(fused, alone, rtol=1e-5)  # float32: torch's fused kernels round otherwise


def begin(make: Any, lanes: Sequence[Values], steps: int, dtype: torch.dtype = torch.float64) -> tuple[Fused, Any]:
    trainer = OptimizerTrainer(make, dtype)
    fused = Fused(trainer, lanes)
    for step in range(steps):
        fused.step([gradients(trainer, step) for _ in lanes], lanes)
    return fused, trainer


@pytest.mark.filterwarnings("ignore:'depth' changed")
@pytest.mark.parametrize("make", [sgd, adam])
def test_a_lane_begins_anew_where_another_name_changes_and_the_others_go_on(make: Any) -> None:
    def reads_more(hp: Any, params: list[nn.Parameter]) -> Any:
        hp["depth"]
        return make(hp, params)

    def at(step: int, lane: int) -> Values:
        depth = 2 if lane == 1 and step >= 3 else 1
        return {"lr": 0.01, "momentum": 0.9, "depth": depth}

    trainer = OptimizerTrainer(reads_more)
    alone, fused = [Alone(trainer, at(0, lane)) for lane in range(3)], Fused(trainer, [at(0, i) for i in range(3)])
    for step in range(6):
        grads = [gradients(trainer, 10 * step + lane) for lane in range(3)]
        for lane, each in enumerate(alone):
            each.step(grads[lane], at(step, lane))
        fused.step(grads, [at(step, lane) for lane in range(3)])

    assert_close(fused, alone, rtol=1e-13)
    if make is adam:
        steps = [fused.optimizer.state_dict(lane)["optimizer"]["state"][0]["step"] for lane in range(3)]
        assert steps == [6.0, 3.0, 6.0]


def test_a_lane_that_forgets_past_gradients_for_nothing_is_told_of() -> None:
    def reads_more(hp: Any, params: list[nn.Parameter]) -> Any:
        return torch.optim.SGD(params, lr=hp["rate"])

    fused = Fused(OptimizerTrainer(reads_more), [{"rate": 0.1}, {"rate": 0.1}])

    with pytest.warns(UserWarning, match="'rate' changed"):
        fused.optimizer.apply([HparamValues({"rate": 0.1}), HparamValues({"rate": 0.2})])


def test_all_lanes_may_go_over_to_another_optimizer_together() -> None:
    def by_name(hp: Any, params: list[nn.Parameter]) -> Any:
        return {"sgd": sgd, "adam": adam}[hp["optimizer"]](hp, params)

    trainer = OptimizerTrainer(by_name)
    lanes = [{"optimizer": "sgd", "lr": lr, "momentum": 0.9} for lr in (0.1, 0.01)]
    alone, fused = [Alone(trainer, each) for each in lanes], Fused(trainer, lanes)
    for step in range(6):
        now = [{**each, "optimizer": "sgd" if step < 3 else "adam"} for each in lanes]
        grads = [gradients(trainer, 10 * step + lane) for lane in range(2)]
        for each, grad, values in zip(alone, grads, now, strict=True):
            each.step(grad, values)
        fused.step(grads, now)

    assert_close(fused, alone, rtol=1e-13)


@pytest.mark.parametrize("make", [sgd, adam])
def test_lanes_go_on_alone_from_what_they_saved_and_come_back(make: Any) -> None:
    lanes = [{"lr": 0.01, "momentum": momentum, "amsgrad": True} for momentum in (0.0, 0.9)]
    fused, trainer = begin(make, lanes, 3)
    alone = [Alone(trainer, each) for each in lanes]
    for lane, each in enumerate(alone):
        each.live.load_state_dict(copy.deepcopy(fused.optimizer.state_dict(lane)))
        with torch.no_grad():
            for name, parameter in each.params.items():
                parameter.copy_(fused.params[name][lane])
    back = Fused(trainer, lanes)
    back.optimizer.load_state_dicts([each.live.state_dict() for each in alone])
    back.params = {name: each.clone() for name, each in fused.params.items()}
    for step in range(3, 6):
        for each, values in zip(alone, lanes, strict=True):
            each.step(gradients(trainer, step), values)
        for each in (fused, back):
            each.step([gradients(trainer, step)] * 2, lanes)

    assert_close(fused, alone, rtol=1e-13)
    assert_close(back, alone, rtol=1e-13)


@pytest.mark.parametrize("make", [sgd, adam])
def test_lanes_that_stay_do_not_notice_who_leaves(make: Any) -> None:
    lanes = [{"lr": lr, "momentum": 0.9 * (lr > 0.05), "weight_decay": lr} for lr in (0.1, 0.02, 0.3, 0.004)]
    whole, trainer = begin(make, lanes, 3, torch.float32)
    fewer, _ = begin(make, lanes, 3, torch.float32)
    fewer.keep([3, 1])
    for step in range(3, 6):
        whole.step([gradients(trainer, step)] * 4, lanes)
        fewer.step([gradients(trainer, step)] * 2, [lanes[3], lanes[1]])

    for name, each in whole.params.items():
        assert torch.equal(each[[3, 1]], fewer.params[name])
    for there, here in ((3, 0), (1, 1)):
        assert_same_state(whole.optimizer.state_dict(there), fewer.optimizer.state_dict(here), rtol=0)


@pytest.mark.parametrize("make", [sgd, adam])
def test_a_snapshot_brings_everything_back_as_often_as_one_likes(make: Any) -> None:
    lanes = [{"lr": 0.1, "momentum": 0.9}, {"lr": 0.2, "momentum": 0.0}]
    fused, trainer = begin(make, lanes, 2)
    snapshot = fused.optimizer.snapshot()
    before = [copy.deepcopy(fused.optimizer.state_dict(lane)) for lane in range(2)]
    for _ in range(2):
        fused.step([gradients(trainer, 7)] * 2, [{"lr": 0.5, "momentum": 0.5}] * 2)
        fused.optimizer.restore(snapshot)
        for lane in range(2):
            assert_same_state(fused.optimizer.state_dict(lane), before[lane], rtol=0)


def test_a_lane_that_diverges_disturbs_no_other() -> None:
    lanes = [{"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1}] * 3
    for make in (sgd, adam):
        results = []
        for value in (1.0, float("nan"), float("inf")):
            fused, trainer = begin(make, lanes, 2, torch.float32)
            grads = [gradients(trainer, 5) for _ in lanes]
            grads[1] = {name: None if each is None else each * value for name, each in grads[1].items()}
            fused.step(grads, lanes)
            results.append({name: each[[0, 2]] for name, each in fused.params.items()})

        for others in results[1:]:
            assert all(torch.equal(each, results[0][name]) for name, each in others.items())
        assert fused.params["first.weight"][1].isfinite().logical_not().any()


# --------------------------------------------------------------------------------------- whatever the company

shapes = st.sampled_from([(1,), (3,), (7,), (8,), (9, 1), (3, 5), (16,), (37, 10), (3, 1, 3, 3)])


class Shaped(nn.Module):
    def __init__(self, sizes: Sequence[tuple[int, ...]]) -> None:
        super().__init__()
        self.each = nn.ParameterList([nn.Parameter(torch.zeros(size)) for size in sizes])


@given(
    sizes=st.lists(shapes, min_size=1, max_size=3),
    make=st.sampled_from([sgd, adam]),
    lanes=st.permutations(range(12)),
    num_lanes=st.integers(1, 12),
    form=st.sampled_from([{}, {"weight_decay": 0.1}, {"nesterov": True, "momentum": 0.9}, {"amsgrad": True}]),
    clip_norm=st.sampled_from([None, 0.5]),
)
@settings(max_examples=40, deadline=None, phases=PHASES)
def test_bits_of_a_lane_depend_on_the_lane_alone(
    sizes: Any, make: Any, lanes: list[int], num_lanes: int, form: Values, clip_norm: float | None
) -> None:
    trainer = OptimizerTrainer(make)
    trainer.model = Shaped(sizes)
    values = [{"lr": 0.1 * (lane + 1), "momentum": 0.1 * (lane % 3), **form} for lane in range(12)]
    chance = torch.Generator().manual_seed(1)
    start = {n: torch.randn(12, *p.shape, generator=chance) for n, p in trainer.model.named_parameters()}
    grads = [{n: torch.randn(p.shape, generator=chance) for n, p in start.items()} for _ in range(3)]

    def trained(picked: list[int]) -> dict[str, Tensor]:
        fused = Fused(trainer, [values[lane] for lane in picked])
        fused.params = {name: each[picked] for name, each in start.items()}
        for of_step in grads:
            now: dict[str, Tensor | None] = {name: each[picked] for name, each in of_step.items()}
            if clip_norm is not None:
                clip_lanes(now, clip_norm)
            fused.optimizer.step(fused.params, now)
        return fused.params

    picked = lanes[:num_lanes]
    whole, some = trained(list(range(12))), trained(picked)

    assert all(torch.equal(each[picked], some[name]) for name, each in whole.items())


# -------------------------------------------------------------------------------------------------- what is refused


def test_lanes_of_different_optimizers_differ_in_the_name_that_says_which() -> None:
    def by_name(hp: Any, params: list[nn.Parameter]) -> Any:
        return {"sgd": sgd, "adam": adam}[hp["optimizer"]](hp, params)

    with pytest.raises(LanesDifferIn) as caught:
        Fused(OptimizerTrainer(by_name), [{"optimizer": "sgd", "lr": 0.1}, {"optimizer": "adam", "lr": 0.2}])

    assert caught.value.names == ("optimizer",)


def test_names_that_decide_nothing_part_no_lanes() -> None:
    def by_name(hp: Any, params: list[nn.Parameter]) -> Any:
        rates = {"lr": hp["lr"] * hp["factor"], "weight_decay": hp["decay"]}
        return {"sgd": sgd, "adam": adam}[hp["optimizer"]]({**rates, "momentum": 0.9}, params[: hp["layers"]])

    kinds = [("sgd", 4), ("sgd", 4), ("adam", 4), ("adam", 5)]
    lanes = [
        {"optimizer": kind, "layers": layers, "lr": 0.1 * (1 + lane), "factor": 1.0 + lane, "decay": 0.1 * lane}
        for lane, (kind, layers) in enumerate(kinds)
    ]
    with pytest.raises(LanesDifferIn) as caught:
        Fused(OptimizerTrainer(by_name), lanes)
    assert caught.value.names == ("layers", "optimizer")
    with pytest.raises(LanesDifferIn) as caught:
        Fused(OptimizerTrainer(by_name), lanes[:3])
    assert caught.value.names == ("optimizer",)
    Fused(OptimizerTrainer(by_name), lanes[:2])


def test_a_lane_that_goes_over_to_another_optimizer_leaves_all_as_they_were() -> None:
    def by_name(hp: Any, params: list[nn.Parameter]) -> Any:
        return {"sgd": sgd, "adam": adam}[hp["optimizer"]](hp, params)

    lanes = [{"optimizer": "sgd", "lr": 0.1}, {"optimizer": "sgd", "lr": 0.2}]
    fused, _ = begin(by_name, lanes, 2)
    before = [copy.deepcopy(fused.optimizer.state_dict(lane)) for lane in range(2)]

    with pytest.raises(LanesDifferIn):
        fused.optimizer.apply([HparamValues({**lanes[0], "lr": 5.0}), HparamValues({"optimizer": "adam", "lr": 0.2})])

    for lane in range(2):
        assert_same_state(fused.optimizer.state_dict(lane), before[lane], rtol=0)


def test_lanes_whose_groups_are_split_elsewhere_differ_in_the_name_that_says_where() -> None:
    def split(hp: Any, params: list[nn.Parameter]) -> Any:
        at = hp["at"]
        return torch.optim.SGD([{"params": params[:at]}, {"params": params[at:]}], lr=hp["lr"])

    with pytest.raises(LanesDifferIn) as caught:
        Fused(OptimizerTrainer(split), [{"at": 1, "lr": 0.1}, {"at": 2, "lr": 0.2}])

    assert caught.value.names == ("at",)


class OwnSGD(torch.optim.SGD):
    def step(self, closure: Any = None) -> Any:
        raise AssertionError("never called")


def scheduled(_hp: Any, params: list[nn.Parameter]) -> Any:
    optimizer = torch.optim.SGD(params, lr=0.1)
    torch.optim.lr_scheduler.StepLR(optimizer, 1)
    return optimizer


def hooked(_hp: Any, params: list[nn.Parameter]) -> Any:
    optimizer = torch.optim.SGD(params, lr=0.1)
    optimizer.register_step_pre_hook(lambda *_: None)
    return optimizer


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda _, params: torch.optim.RMSprop(params), "RMSprop; of torch.optim, SGD, Adam, AdamW"),
        (lambda _, params: OwnSGD(params), "OwnSGD"),
        (lambda _, params: torch.optim.LBFGS(params), "LBFGS"),
        (lambda _, params: {"a": torch.optim.SGD(params)}, "several optimizers"),
        (lambda _, params: torch.optim.SGD([*params, nn.Parameter(torch.ones(1))]), "not self.model's"),
        (lambda _, params: torch.optim.Adam(params, differentiable=True), "differentiable"),
        (scheduled, "hippo.Cosine"),
        (hooked, "hooks"),
    ],
)
def test_what_cannot_be_trained_as_one_is_refused_in_one_line(make: Any, says: str) -> None:
    with pytest.raises(NotFusible, match=says) as caught:
        Fused(OptimizerTrainer(make), [{}, {}])

    assert "\n" not in str(caught.value)


def test_parameters_in_half_precision_are_refused() -> None:
    with pytest.raises(NotFusible, match="bfloat16"):
        Fused(OptimizerTrainer(lambda _, params: torch.optim.SGD(params), torch.bfloat16), [{}, {}])


def test_names_that_were_read_and_parameters_that_are_trained_are_told() -> None:
    fused = Fused(OptimizerTrainer(lambda hp, params: torch.optim.SGD(params[:2], lr=hp["lr"])), [{"lr": 1, "x": 2}])

    assert fused.optimizer.reads == {"lr"}
    assert fused.optimizer.names == {"kernel", "scale"}


# ------------------------------------------------------------------------------------------------------ clipping


@pytest.mark.parametrize("clip_norm", [0.1, 5.0, 1e6])
def test_each_lane_is_clipped_by_its_own_norm_as_torch_does(clip_norm: float) -> None:
    lanes = [gradients(OptimizerTrainer(sgd), lane) for lane in range(3)]
    lanes[1] = {name: None if each is None else each * 100 for name, each in lanes[1].items()}
    lanes[2] = {name: None if each is None else each * float("nan") for name, each in lanes[2].items()}
    fused = stacked(lanes)

    clip_lanes(fused, clip_norm)

    for number, lane in enumerate(lanes):
        parameters = [nn.Parameter(torch.zeros_like(each)) for each in lane.values() if each is not None]
        for parameter, grad in zip(parameters, (each for each in lane.values() if each is not None), strict=True):
            parameter.grad = grad
        torch.nn.utils.clip_grad_norm_(parameters, clip_norm)
        clipped = [each[number] for each in fused.values() if each is not None]
        for parameter, grad in zip(parameters, clipped, strict=True):
            torch.testing.assert_close(grad, parameter.grad, rtol=1e-15, atol=0, equal_nan=True)


def test_no_gradients_are_clipped_where_there_are_none() -> None:
    clip_lanes({"weight": None}, 1.0)
