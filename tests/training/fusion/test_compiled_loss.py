"""Updates are compiled when that pays, and only if they come to what they came to before; where not, a line says so."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import hippo
from hippo.errors import OptionError
from hippo.hparams import Piecewise
from hippo.records import Fusion, Point
from hippo.testing.formations import HERE
from hippo.testing.fusible_trainers import NetTrainer
from hippo.testing.remembering_host import pieces_at
from hippo.training.codec import decode
from hippo.training.fusion.compile_rule import CompileExperience, CompilePolicy, is_worth_compiling
from hippo.training.fusion.compiled_loss import LossCompiler
from hippo.training.fusion.fused_walker import FusedWalker

pytestmark = pytest.mark.usefixtures("one_thread")

# -------------------------------------------------------------------------------------------------------- the decision


@pytest.mark.parametrize(
    ("eager_s", "compiled_s", "compile_s", "updates_left", "pays"),
    [
        (0.002, 0.001, 39.9, 100_000, True),  # 100 s are saved
        (0.002, 0.001, 40.0, 100_000, False),
        (0.002, 0.001, 40.0, 100_001, True),
        (0.002, 0.001, 0.1, 200, False),
        (0.002, 0.002, 0.001, 10**9, False),  # nothing is saved
        (0.002, 0.003, 0.001, 10**9, False),
        (0.002, 0.001, 0.0, 0, False),
        (0.002, 0.001, 0.0, 1, True),  # what is compiled already
    ],
)
def test_compiling_takes_less_than_two_fifths_of_what_it_saves(
    eager_s: float, compiled_s: float, compile_s: float, updates_left: int, pays: bool
) -> None:
    found = is_worth_compiling(
        eager_s=eager_s, compiled_s=compiled_s, compile_s=compile_s, updates_left=updates_left
    )  # fmt: skip
    assert found is pays


def policy_of(*, steps_left: int, **known: Any) -> CompilePolicy:
    return CompilePolicy(CompileExperience(**known), steps_left=steps_left)


def test_nothing_is_decided_before_a_step_was_timed() -> None:
    policy = policy_of(steps_left=10**9)
    assert not policy.is_due(8)
    policy.note_step(8, updates=10, seconds=1.0, is_compiled=False)
    assert policy.is_due(8)
    assert not policy.is_due(4)  # another program


def test_the_fastest_step_counts_since_the_first_makes_what_later_ones_have() -> None:
    policy = policy_of(steps_left=100, compile_s=10.0, share=0.5)
    policy.note_step(8, updates=10, seconds=100.0, is_compiled=False)
    assert policy.is_due(8)
    policy.note_step(8, updates=10, seconds=0.4, is_compiled=False)
    assert policy.eager_s == pytest.approx(0.04)
    assert not policy.is_due(8)  # 20 s are saved, of which 8 may be spent
    policy.steps_left = 126
    assert policy.is_due(8)


def test_what_compiled_updates_take_is_remembered_for_the_next_lanes() -> None:
    policy = policy_of(steps_left=10)
    policy.note_step(8, updates=4, seconds=4.0, is_compiled=False)
    policy.note_step(8, updates=4, seconds=1.0, is_compiled=True)
    assert policy.experience.share == pytest.approx(0.25)
    assert policy.experience.refusal == ""


def test_compiled_updates_that_take_longer_are_given_up() -> None:
    policy = policy_of(steps_left=10**9)
    policy.note_step(8, updates=4, seconds=4.0, is_compiled=False)
    policy.note_step(8, updates=4, seconds=5.0, is_compiled=True)
    assert policy.experience.refusal == "compiled updates took 1.25 of what they took before"
    assert not policy.is_due(8)


# ---------------------------------------------------------------------------------------------- programs, not compiled


class Compiling:
    """A formation that compiles after its first step, by a compiler that leaves the program as it is."""

    def __init__(self, trainer: NetTrainer, monkeypatch: pytest.MonkeyPatch, change: Callable[..., Any] | None = None):
        self.compiled = 0
        self.told: list[str] = []
        self.policy = policy_of(steps_left=10**9, compile_s=0.0)
        self.trainer = trainer

        def compile_nothing(update: Callable[..., Any], **_options: Any) -> Callable[..., Any]:
            self.compiled += 1
            return update if change is None else lambda *given: change(update, *given)

        monkeypatch.setattr(torch, "compile", compile_nothing)
        clock = (1 - 0.9**look for look in itertools.count())  # every step takes less than the one before
        self.compiler = LossCompiler(self.policy, clock.__next__, lambda why, _: self.told.append(why))

    def walked(self, configs: list[dict[str, Any]], steps: int = 4, *, is_plain: bool = False) -> FusedWalker:
        walker = FusedWalker(
            self.trainer,
            step=0,
            pieces=[pieces_at(config, 0) for config in configs],
            states=[None] * len(configs),
            goals=[Point(HERE, 1)] * len(configs),
            fusion=Fusion(is_fused=True),
            compiler=None if is_plain else self.compiler,
        )
        for _ in range(steps):
            walker.train([HERE] * len(configs), [pieces_at(config, walker.step) for config in configs])
        return walker


CONFIGS = [{"lr": 0.05 * (1 + lane)} for lane in range(3)]


def required_equal(walker: FusedWalker, plain: FusedWalker) -> None:
    for lane in range(walker.num_lanes):
        mine, its = decode(walker.encode(lane, HERE)), decode(plain.encode(lane, HERE))
        assert list(mine["model"]) == list(its["model"])
        for name, tensor in its["model"].items():
            torch.testing.assert_close(mine["model"][name], tensor, rtol=1e-9, atol=1e-12)
        assert mine["optimizer"]["state"].keys() == its["optimizer"]["state"].keys()


class OddNet(nn.Module):
    """A parameter that nothing depends on, a buffer that is assigned, and one that is written."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.unused, self.last = nn.Linear(6, 6), nn.Linear(3, 3), nn.Linear(6, 3)
        self.norm, self.dropout = nn.BatchNorm1d(6), nn.Dropout(0.3)
        self.register_buffer("mean", torch.zeros(6))
        self.mean: Tensor

    def forward(self, samples: Tensor) -> Tensor:
        hidden = self.dropout(self.norm(torch.tanh(self.first(samples))))
        if self.training:
            self.mean = 0.9 * self.mean + 0.1 * hidden.detach().mean(dim=0)
        return self.last(hidden - self.mean)  # type: ignore[no-any-return]


class OddTrainer(NetTrainer):
    def make_model(self) -> nn.Module:
        return OddNet().to(self.dtype)


@pytest.mark.parametrize("attributes", [{}, {"accumulate": 2}, {"clip_norm": 0.05}, {"samples_per_step": 20}], ids=str)
def test_lanes_come_to_the_same_with_a_program(attributes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = OddTrainer("mlp", "adamw", double=True, size=45)  # with decay, which an unused weight must not get
    vars(trainer).update(attributes)
    compiling = Compiling(trainer, monkeypatch)
    configs = [{**config, "weight_decay": 0.1} for config in CONFIGS]
    walker = compiling.walked(configs)
    assert (compiling.compiled, compiling.told) == (1, [""])
    required_equal(walker, compiling.walked(configs, is_plain=True))


def test_a_program_is_for_one_number_of_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    compiling = Compiling(NetTrainer("cnn", double=True), monkeypatch)
    plain = compiling.walked(CONFIGS, is_plain=True)
    walker = compiling.walked(CONFIGS)
    for each in (walker, plain):
        each.keep([0, 2])
        for _ in range(3):
            each.train([HERE] * 2, [pieces_at(CONFIGS[lane], each.step) for lane in (0, 2)])
    required_equal(walker, plain)
    assert compiling.compiled == 2


def _other_gradients(update: Any, trained: list[Tensor], *rest: Any) -> Any:
    gradients, others = update(trained, *rest)
    return [1.01 * each for each in gradients], others


def _other_chance(update: Any, *given: Any) -> Any:
    torch.rand(1)
    return update(*given)


def _other_buffers(update: Any, *given: Any) -> Any:
    gradients, (losses, others, assigned) = update(*given)
    return gradients, (losses, [each * 2 for each in others], {name: 2 * each for name, each in assigned.items()})


def _raises(*_given: Any, **_options: Any) -> Any:
    raise RuntimeError("no compiler")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_other_gradients, "it is off by 1e-02"),
        (_other_chance, "it draws other numbers"),
        (_other_buffers, "it is off by"),
        (_raises, "RuntimeError: no compiler"),
    ],
)
def test_a_program_that_is_wrong_is_never_used(change: Any, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiling = Compiling(OddTrainer("mlp", double=True), monkeypatch, change)
    walker = compiling.walked(CONFIGS)
    (told,) = compiling.told
    assert says in told
    assert compiling.compiled == 1  # nor tried again
    plain = compiling.walked(CONFIGS, is_plain=True)
    for lane in range(3):  # to the last bit: nothing of the attempt stays
        assert walker.evaluate(lane, HERE) == plain.evaluate(lane, HERE)


def test_a_program_that_fails_later_is_given_up_and_the_step_taken_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = itertools.count()

    def change(update: Any, *given: Any) -> Any:
        if next(calls) == 9:
            raise RuntimeError("must not compile again")
        return update(*given)

    compiling = Compiling(NetTrainer("cnn", double=True), monkeypatch, change)
    walker = compiling.walked(CONFIGS)
    assert [bool(told) for told in compiling.told] == [False, True]
    assert "it could not go on: RuntimeError: must not compile again" in compiling.told[1]
    required_equal(walker, compiling.walked(CONFIGS, is_plain=True))


def test_a_loss_that_reads_hyper_parameters_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    class Smoothing(NetTrainer):
        def loss(self, model: nn.Module, batch: Any) -> Tensor:
            samples, labels = batch
            return functional.cross_entropy(model(samples), labels, label_smoothing=self.hp["smoothing"])

    compiling = Compiling(Smoothing(double=True), monkeypatch)
    compiling.walked([{**config, "smoothing": Piecewise([0.1, 0.2], [3])} for config in CONFIGS])
    (told,) = compiling.told
    assert "loss() reads ['smoothing'] of the hyper-parameters" in told


# ------------------------------------------------------------------------------------------------------------ for real


@pytest.mark.slow
def test_torch_compiles_the_update_and_lanes_come_to_the_same() -> None:
    told: list[str] = []
    trainer = NetTrainer("cnn", "adamw", double=True, width=4, size=24)
    policy = policy_of(steps_left=10**9, compile_s=0.0)
    clock = (1 - 0.9**look for look in itertools.count())
    compiler = LossCompiler(policy, clock.__next__, lambda why, _: told.append(why))
    walkers = [
        FusedWalker(
            trainer,
            step=0,
            pieces=[pieces_at(config, 0) for config in CONFIGS],
            states=[None] * 3,
            goals=[Point(HERE, 1)] * 3,
            fusion=Fusion(is_fused=True),
            compiler=each,
        )
        for each in (compiler, None)
    ]
    for walker in walkers:
        for _ in range(3):
            walker.train([HERE] * 3, [pieces_at(config, walker.step) for config in CONFIGS])
    assert told == [""]
    required_equal(*walkers)


def study_of(**options: Any) -> hippo.Study:
    study = hippo.create_study(
        "compiled", trainer=NetTrainer, engine=hippo.InlineEngine(), storage="memory://", metric="loss", mode="min",
        **{"numerics": "fused-fast", "compile": True, **options},
    )  # fmt: skip
    study.optimize(hippo.GridSearch(CONFIGS, until=4))
    return study


@pytest.mark.parametrize("numerics", ["exact", "fast", "fused"])
def test_compiling_is_refused_where_bits_are_promised(numerics: str) -> None:
    with pytest.raises(OptionError, match="say numerics='fused-fast', or leave compile out"):
        study_of(numerics=numerics)


def test_compile_is_a_flag() -> None:
    with pytest.raises(OptionError, match="compile must be True or False, not 'yes'"):
        study_of(compile="yes")


def test_a_short_study_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "compile", _raises)
    assert study_of().statistics().lane_steps_fused == 12


def test_a_study_whose_updates_cannot_be_compiled_says_so_and_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch, "compile", _raises)
    monkeypatch.setattr(CompilePolicy, "is_due", lambda self, _lanes: not self.experience.refusal)
    with pytest.warns(UserWarning, match="are computed without being compiled: RuntimeError: no compiler") as told:
        study = study_of()
    assert len(told) == 1
    assert study.statistics().trials == {"COMPLETE": 3}
