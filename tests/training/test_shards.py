"""Batches cut into shards: the same bits in any number of processes, with everything that a trainer may ask for."""

from __future__ import annotations

import math
import multiprocessing
import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, ClassVar, cast

import pytest
import torch
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import default_collate

from hippo.errors import HparamError, TrainerError
from hippo.events import ExactnessChecked, StageFailed
from hippo.hparams import Config, Exponential, Piecewise
from hippo.records import Lane, TrainerSpec
from hippo.testing.rank_group import among, forked_ranks
from hippo.testing.remembering_host import RememberingHost, along, resumed, run_lanes, spec_of, stages
from hippo.testing.torch_trainers import BlobsTrainer, ShardedBlobs
from hippo.training import Trainers
from hippo.training.code.fingerprint import fingerprint
from hippo.training.sharding import peers as peers_module
from hippo.training.sharding.cutting import cut, shard_sizes
from hippo.training.sharding.mean_loss import MeanLooks
from hippo.training.sharding.peers import Peers
from hippo.training.sharding.summing import ShardSum, stop_of_rank, sum_of
from hippo.training.sharding.written_parameters import marked, writable, written_since

pytestmark = pytest.mark.usefixtures("one_thread")

STEPS = 3
CONFIG = {"lr": Exponential(0.1, 0.9), "batch_size": 16}


@pytest.fixture(scope="module")
def groups() -> Iterator[dict[int, Peers | None]]:
    """Number of ranks -> the others, forked once: before any has met, so that no thread of gloo's is there yet."""
    with ExitStack() as stack:
        yield {ranks: stack.enter_context(forked_ranks(ranks)) for ranks in (1, 2, 4)}


@pytest.mark.parametrize("tell", [Peers.raise_failure, lambda peers: peers.ask([b"anything"]), Peers.hear])
def test_a_rank_that_is_gone_ends_this_process_and_fails_no_trial(
    tell: Callable[[Peers], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers_module, "_SAID_BY_THEN_S", 0.0)
    here, there = multiprocessing.Pipe()
    there.close()

    with here, pytest.raises(SystemExit, match="one of its ranks has ended"):
        tell(Peers([here], is_world=False))


class Crowded:
    """A way of tensors on which there is no memory for them."""

    def share(self, tensors: object) -> None:
        raise MemoryError("no room for a copy")

    add_up = share


@pytest.mark.parametrize("do", [lambda peers: peers.start([], []), lambda peers: peers.add_up(cast(Any, None))])
def test_who_fails_in_the_middle_of_what_all_ranks_do_ends_and_keeps_none_of_them_waiting(
    do: Callable[[Peers], object],
) -> None:
    peers = Peers([], is_world=False)
    peers._link = cast(Any, Crowded())
    with pytest.raises(SystemExit, match=r"ranks do, which cannot go on: MemoryError\('no room for a copy'\)"):
        do(peers)


def test_who_cannot_meet_the_others_ends_and_keeps_none_of_them_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("hippo.training.sharding.gloo.RankLink", refuse)
    here, there = multiprocessing.Pipe()
    peers = Peers([here], is_world=False)
    peers.spec = cast(Any, "anything")
    with here, there, pytest.raises(SystemExit, match="which cannot go on: OSError"):
        peers.begin(1, {}, {}, 0, (), ())


def test_a_torch_that_has_no_way_to_the_ranks_is_refused_and_ends_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.distributed.is_gloo_available", lambda: False)
    here, there = multiprocessing.Pipe()
    peers = Peers([here], is_world=False)
    peers.spec = cast(Any, "anything")
    with here, there:
        with pytest.raises(TrainerError, match="built without gloo"):
            peers.begin(1, {}, {}, 0, (), ())
        assert not there.poll()


def test_no_rank_is_told_of_a_batch_of_which_another_rank_cannot_be_told() -> None:
    (one, there), (other, elsewhere) = multiprocessing.Pipe(), multiprocessing.Pipe()
    with one, other, there, elsewhere:
        with pytest.raises(Exception, match="pickle"):
            Peers([one, other], is_world=False).start(cast(Any, ["fine", lambda: None]), [])
        assert not there.poll()


def facts(host: RememberingHost) -> tuple[Any, ...]:
    """What a walk comes to: metrics, what training returned, and the hash of the last state."""
    assert not host.of(StageFailed), host.one(StageFailed).failure.traceback
    return host.metrics, host.training, host.hashes[max(host.hashes)]


def walked(config: Any, spec: TrainerSpec, peers: Peers | None = None, until: int = STEPS) -> tuple[Any, ...]:
    with among(peers, spec):
        return facts(along(config, until, spec=spec))


def error_of(spec: TrainerSpec, config: Any = CONFIG, peers: Peers | None = None) -> str:
    """What the only lane of a walk failed with."""
    with among(peers, spec):
        return str(along(config, 1, spec=spec).one(StageFailed).failure.error)


configs = st.fixed_dictionaries(
    {
        "lr": st.sampled_from([0.1, Exponential(0.1, 0.9)]),
        "batch_size": st.sampled_from([16, 20, 22, Piecewise([16, 24], [1])]),
        "dropout": st.sampled_from([0.0, 0.3, Piecewise([0.3, 0.1], [2])]),
    }
)
attributes = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"accumulate": st.sampled_from([2, 3])}),
    st.fixed_dictionaries({"clip_norm": st.just(0.3), "precision": st.sampled_from([None, "bf16"])}),
    st.fixed_dictionaries({"ema_decay": st.just(0.9)}),
    st.fixed_dictionaries({"swa_from": st.just(1), "accumulate": st.just(2), "clip_norm": st.just(0.5)}),
)
options = st.fixed_dictionaries(
    {
        "optimizer": st.sampled_from(["sgd", "adam"]),
        "batch_norm": st.booleans(),
        "dropout": st.sampled_from([0.0, 0.3]),
        "samples_per_step": st.sampled_from([None, 36, 37]),
        "apply_hparams": st.sampled_from(["step", "batch"]),
        "num_workers": st.just(0),
    }
)


@pytest.mark.slow
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    phases=[Phase.explicit, Phase.generate],
)
@given(shards=st.sampled_from([4, 8]), config=configs, attributes=attributes, options=options, seed=st.integers(0, 99))
@example(
    shards=4,
    config={"lr": 0.1, "batch_size": 20, "dropout": Piecewise([0.3, 0.1], [2])},
    attributes={"accumulate": 3, "clip_norm": 0.1, "ema_decay": 0.5},
    options={"batch_norm": True, "samples_per_step": 37, "apply_hparams": "batch"},
    seed=7,
)
def test_any_number_of_processes_comes_to_the_same_bits(
    groups: dict[int, Peers | None], shards: int, config: Any, attributes: Any, options: Any, seed: int
) -> None:
    spec = spec_of(ShardedBlobs, seed=seed, shards=shards, attributes=attributes, **options)
    alone = walked(config, spec)
    for ranks in (2, 4):
        assert walked(config, spec, groups[ranks]) == alone, f"{ranks} ranks"


def test_a_state_of_two_processes_goes_on_in_one_and_back(groups: dict[int, Peers | None]) -> None:
    spec = spec_of(ShardedBlobs, shards=4, attributes={"accumulate": 2})
    whole = walked(CONFIG, spec)
    with among(groups[2], spec):
        first = along(CONFIG, 1, spec=spec)
    second = resumed(CONFIG, 1, STEPS, first, spec=spec)
    assert facts(second)[2] == whole[2]
    assert {**first.metrics, **second.metrics} == whole[0]


def test_checks_prove_a_trainer_that_several_processes_train(groups: dict[int, Peers | None]) -> None:
    spec = spec_of(ShardedBlobs, shards=4)
    with among(groups[4], spec):
        host = run_lanes(Lane(begin=None, stages=stages(CONFIG, 0, 2), check=True), spec=spec)
    assert host.one(ExactnessChecked).proven


def test_one_shard_is_what_it_always_was() -> None:
    attributes = {"accumulate": 2, "clip_norm": 0.5}

    class Plain(BlobsTrainer):
        accumulate, clip_norm = 2, 0.5

    assert walked(CONFIG, spec_of(ShardedBlobs, shards=1, attributes=attributes)) == walked(CONFIG, spec_of(Plain))


def test_another_number_of_shards_is_another_training() -> None:
    found = [walked(CONFIG, spec_of(ShardedBlobs, shards=shards)) for shards in (1, 2, 4)]
    assert len({last for _, _, last in found}) == 3


def test_the_gradient_is_that_of_the_batch_but_for_rounding() -> None:
    plain = {"batch_norm": False, "dropout": 0.0}
    one, four = (walked(CONFIG, spec_of(ShardedBlobs, shards=shards, **plain)) for shards in (1, 4))
    for step in one[1]:
        assert four[1][step]["loss"] == pytest.approx(one[1][step]["loss"], rel=1e-4)  # float32, 9 updates
        assert four[0][step]["loss"] == pytest.approx(one[0][step]["loss"], rel=1e-4)


class Hooked(ShardedBlobs):
    """Clips each gradient by a hook, and takes only a half of what is left by another one, after the sum."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        for each in model.parameters():
            each.register_hook(lambda gradient: gradient.clamp(-0.01, 0.01))
            each.register_post_accumulate_grad_hook(halve)
        return model


def halve(parameter: torch.Tensor) -> None:
    assert parameter.grad is not None
    parameter.grad *= 0.5


def test_hooks_of_parameters_are_called_with_the_gradient_of_the_batch(groups: dict[int, Peers | None]) -> None:
    plain = {"batch_norm": False, "dropout": 0.0}
    one, four = (walked(CONFIG, spec_of(Hooked, shards=shards, **plain)) for shards in (1, 4))
    for step in one[1]:
        assert four[1][step]["loss"] == pytest.approx(one[1][step]["loss"], rel=1e-5)  # float32, 9 updates
    assert walked(CONFIG, spec_of(Hooked, shards=4, **plain), groups[2]) == four


def test_batches_that_wait_for_others_weigh_by_their_samples() -> None:
    plain = {"batch_norm": False, "dropout": 0.0, "samples_per_step": 22, "attributes": {"accumulate": 2}}
    one, four = (walked(CONFIG, spec_of(ShardedBlobs, shards=shards, **plain)) for shards in (1, 4))
    assert four[0][STEPS]["loss"] == pytest.approx(one[0][STEPS]["loss"], rel=1e-5)  # batches of 16 and 6


def test_uneven_shards_count_by_their_samples() -> None:
    plain = {"batch_norm": False, "dropout": 0.0, "samples_per_step": 45, "size": 45}
    one, four = (walked({"lr": 0.1, "batch_size": 22}, spec_of(ShardedBlobs, shards=s, **plain)) for s in (1, 4))
    assert four[1][1]["loss"] == pytest.approx(one[1][1]["loss"], rel=1e-4)


def test_each_shard_has_chance_of_its_own() -> None:
    class Listening(ShardedBlobs):
        heard: ClassVar[list[float]] = []

        def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
            if model.training:
                self.heard.append(float(torch.rand(())))
            return super().loss(model, batch)

    trainers = Trainers()
    spec = spec_of(Listening, shards=4)
    heard: list[float] = trainers.load(spec).heard  # type: ignore[attr-defined]
    along(CONFIG, 1, spec=spec, trainers=trainers)
    assert len(heard) == len(set(heard)) == 12  # 3 batches


def test_an_optimizer_that_draws_numbers_draws_the_same(groups: dict[int, Peers | None]) -> None:
    class Drawing(torch.optim.SGD):
        def step(self, closure: Any = None) -> Any:
            for group in self.param_groups:
                for each in group["params"]:
                    each.grad += 0.01 * torch.randn_like(each.grad)
            return super().step(closure)

    class Langevin(ShardedBlobs):
        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            return Drawing(params, lr=0.1)

    spec = spec_of(Langevin, shards=4)
    assert walked(CONFIG, spec, groups[2], until=1) == walked(CONFIG, spec, until=1)


# ------------------------------------------------------------------------------------------------- cutting, adding


@given(samples=st.integers(1, 100), power=st.integers(0, 4), is_short=st.booleans())
def test_shards_have_every_sample_once_in_order(samples: int, power: int, is_short: bool) -> None:
    shards = 2**power
    if not is_short:
        samples += shards
    sizes = shard_sizes(samples, shards, is_short=is_short)
    batch = torch.arange(samples)
    assert torch.equal(torch.cat(cut(batch, sizes)), batch)
    assert min(sizes) >= (2 if is_short and samples > 1 else 1)
    assert max(sizes) - min(sizes) <= 1
    if not is_short:
        assert [len(each) for each in torch.tensor_split(batch, shards)] == sizes


def test_a_batch_of_many_parts_is_cut_in_each() -> None:
    samples = [{"x": torch.full((2,), float(n)), "name": str(n), "pair": (n, torch.tensor(n))} for n in range(5)]
    first, second = cut(default_collate(samples), [3, 2])
    assert first["name"] == ["0", "1", "2"]
    assert second["name"] == ["3", "4"]
    assert second["x"].tolist() == [[3.0, 3.0], [4.0, 4.0]]
    assert [each.tolist() for each in second["pair"]] == [[3, 4], [3, 4]]


def test_a_shard_holds_no_more_than_its_own_numbers() -> None:
    first, _ = cut(torch.zeros(100), [50, 50])
    assert first.untyped_storage().nbytes() == 200


@pytest.mark.parametrize(
    ("batch", "what"),
    [
        (torch.zeros(3, 2), r"a Tensor of shape \(3, 2\)"),
        (torch.tensor(1.0), r"a Tensor of shape \(\)"),
        ([torch.zeros(4), ["a", "b"]], "a list of 2 items"),
        ({"x": torch.zeros(4), "length": 7}, r"7 \(int\)"),
        (object(), "object"),
    ],
)
def test_what_has_not_one_entry_for_each_sample_cannot_be_cut(batch: Any, what: str) -> None:
    with pytest.raises(TrainerError, match=f"a batch of 4 samples cannot be cut into shards: there is .*{what}"):
        cut(batch, [2, 2])


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=8, max_size=8))
def test_the_tree_is_one_whoever_adds(values: list[float]) -> None:
    def part(number: int) -> ShardSum:
        counts = torch.tensor([1.0, 0.0, 0.0, 0.0], dtype=torch.float64)
        return ShardSum(counts, [torch.tensor([values[number]])], torch.zeros(1, dtype=torch.int64))

    whole = sum_of(0, 8, part).floats[0]
    for ranks in (2, 4, 8):
        sums = [sum_of(*stop_of_rank(rank, ranks, 8), part) for rank in range(ranks)]
        while len(sums) > 1:
            for mine, other in zip(sums[::2], sums[1::2], strict=True):
                mine.add(other)
            sums = sums[::2]
        assert torch.equal(sums[0].floats[0], whole)


# ------------------------------------------------------------------------------------------------------- buffers


class Counting(nn.Module):
    """Keeps a constant, and counts what it sees: shards, or samples of one class."""

    def __init__(self, counts_samples: bool) -> None:
        super().__init__()
        self.counts_samples = counts_samples
        self.register_buffer("mask", torch.tensor([-torch.inf, 0.1]))
        self.register_buffer("seen", torch.zeros((), dtype=torch.int64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            self.seen += int((x[:, 0] > 0).sum()) if self.counts_samples else 1
        return x


class CountingTrainer(ShardedBlobs):
    def __init__(self, counts_samples: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.counts_samples = counts_samples

    def make_model(self) -> nn.Module:
        return nn.Sequential(Counting(self.counts_samples), super().make_model())

    def metrics(self, model: nn.Module, batch: Any) -> dict[str, Any]:
        counting = self.model[0]
        return {"seen": counting.seen, "mask": counting.mask[1], "is_whole": torch.isinf(counting.mask[0]).float()}


def test_buffers_that_nobody_changes_stay_and_counters_count_batches() -> None:
    metrics, _, _ = walked(CONFIG, spec_of(CountingTrainer, shards=4))
    mask = float(torch.tensor(0.1))
    assert metrics[STEPS] == {"seen": 9.0, "mask": pytest.approx(mask, abs=0), "is_whole": 1.0}


class Centre(nn.Module):
    """Keeps a running mean of what it sees, and how often: in place, or in another tensor each time."""

    def __init__(self, assigns: bool) -> None:
        super().__init__()
        self.assigns = assigns
        self.register_buffer("centre", torch.zeros(6))
        self.register_buffer("seen", torch.zeros((), dtype=torch.int64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            centre, seen = 0.5 * self.centre + 0.5 * x.mean(dim=0), self.seen + 1
            if self.assigns:
                self.centre, self.seen = centre, seen
            else:
                self.centre.copy_(centre)
                self.seen.copy_(seen)
        return x - self.centre


class CentredTrainer(ShardedBlobs):
    def __init__(self, assigns: bool, **options: Any) -> None:
        super().__init__(**options)
        self.assigns = assigns

    def make_model(self) -> nn.Module:
        return nn.Sequential(Centre(self.assigns), super().make_model())


@pytest.mark.parametrize("ranks", [1, 2])
def test_buffers_that_are_assigned_are_those_that_are_changed_in_place(
    groups: dict[int, Peers | None], ranks: int
) -> None:
    found = [walked(CONFIG, spec_of(CentredTrainer, shards=4, assigns=a), groups[ranks]) for a in (True, False)]
    assert found[0] == found[1]


def test_batch_norm_on_a_shard_of_one_sample_is_told_of_the_shards() -> None:
    spec = spec_of(ShardedBlobs, shards=4, batch_norm=True)
    wanted = "a batch of 6 samples is cut into 4 shards, .* Use batches of at least 8 samples, or fewer shards"
    assert re.search(wanted, error_of(spec, {"lr": 0.1, "batch_size": 6}))


class Growing(nn.Module):
    """Has a table that grows in each pass."""

    def __init__(self, is_state: bool) -> None:
        super().__init__()
        self.register_buffer("table", torch.ones(2), persistent=is_state)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.table = torch.ones(len(self.table) + 1)
        return x * self.table[0]


class GrowingTrainer(ShardedBlobs):
    def __init__(self, is_state: bool, **options: Any) -> None:
        super().__init__(**options)
        self.is_state = is_state

    def make_model(self) -> nn.Module:
        return nn.Sequential(Growing(self.is_state), super().make_model())


def test_a_table_that_grows_is_refused_if_it_is_a_part_of_the_state() -> None:
    walked(CONFIG, spec_of(GrowingTrainer, shards=4, is_state=False))
    message = error_of(spec_of(GrowingTrainer, shards=4, is_state=True))
    assert "leaves in the buffer 'table' of Growing, of shape (2,) (torch.float32), one of shape (3,)" in message


class Stretching(nn.Module):
    """Keeps a table as long as the longest pass needed, as rotary embeddings do; those of evaluation are longer."""

    def __init__(self, keeps: str) -> None:
        super().__init__()
        self.keeps, self.longest = keeps, 0
        if keeps:
            self.register_buffer("table", torch.zeros(0), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length = 6 + int(x.abs().sum() * 1000) % 3 + (0 if self.training else 4)
        if not self.keeps:
            return x + torch.full((length,), 0.5).mean()
        if length > (self.longest if self.keeps == "length, too" else len(self.table)):
            self.table, self.longest = torch.full((length,), 0.5), length
        assert len(self.table) >= length
        return x + self.table[:length].mean()


class StretchingTrainer(ShardedBlobs):
    def __init__(self, keeps: str, **options: Any) -> None:
        super().__init__(**options)
        self.keeps = keeps

    def make_model(self) -> nn.Module:
        return nn.Sequential(Stretching(self.keeps), super().make_model())


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("keeps", ["table", "length, too"])
def test_a_table_that_passes_and_evaluations_make_longer_is_of_no_account(
    groups: dict[int, Peers | None], keeps: str, ranks: int
) -> None:
    plain = walked(CONFIG, spec_of(StretchingTrainer, shards=4, keeps=""))
    assert walked(CONFIG, spec_of(StretchingTrainer, shards=4, keeps=keeps), groups[ranks]) == plain


class Making(nn.Module):
    """Makes a table in its first pass."""

    def __init__(self, is_state: bool) -> None:
        super().__init__()
        self.is_state = is_state

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self._buffers:
            self.register_buffer("table", torch.full((6,), 0.5), persistent=self.is_state)
        return x * self.table


class MakingTrainer(GrowingTrainer):
    def make_model(self) -> nn.Module:
        return nn.Sequential(Making(self.is_state), ShardedBlobs.make_model(self))


def test_a_table_that_a_pass_makes_is_the_same_in_all_processes(groups: dict[int, Peers | None]) -> None:
    spec, config = spec_of(MakingTrainer, shards=4, is_state=False), {"lr": 0.1, "batch_size": 16}
    assert walked(config, spec, groups[2]) == walked(config, spec)


def test_a_buffer_of_the_state_that_a_pass_makes_is_refused_among_processes(groups: dict[int, Peers | None]) -> None:
    spec = spec_of(MakingTrainer, shards=4, is_state=True)
    walked(CONFIG, spec)
    assert "a pass has made the buffer '0.table' of MakingTrainer's model" in error_of(spec, peers=groups[2])


class Remembering(CentredTrainer):
    """Changes a buffer wherever its loss is computed."""

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        points, _ = batch
        loss = super().loss(model, batch)
        self.model[0].centre += points.mean(dim=0)
        return loss


def test_looking_whether_a_loss_is_a_mean_leaves_buffers_as_they_were() -> None:
    spec, trainers = spec_of(Remembering, shards=4, assigns=False), Trainers()
    first, second = (facts(along(CONFIG, 1, spec=spec, trainers=trainers)) for _ in range(2))
    assert first == second  # the second looks at other batches


def test_constants_stay_where_shards_are_no_power_of_two() -> None:
    constants = torch.linspace(0, 1, 97)

    class Constant(ShardedBlobs):
        def make_model(self) -> nn.Module:
            model = super().make_model()
            model.register_buffer("constants", torch.linspace(0, 1, 97))
            return model

        def metrics(self, model: nn.Module, batch: Any) -> dict[str, Any]:
            return {"is_same": float(torch.equal(self.model.constants, torch.linspace(0, 1, 97)))}

    assert not torch.equal((constants + constants + constants) / 3, constants)
    metrics, _, _ = walked(CONFIG, spec_of(Constant, shards=4, samples_per_step=22))  # of 16 and 6: 4 and 3 shards
    assert metrics[STEPS] == {"is_same": 1.0}


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_a_counter_of_samples_is_refused(groups: dict[int, Peers | None], ranks: int) -> None:
    spec = spec_of(CountingTrainer, shards=4, counts_samples=True)
    assert "leave other whole numbers in the buffers" in error_of(spec, peers=groups[ranks])


def test_running_statistics_are_the_mean_of_those_of_shards() -> None:
    class Statistics(ShardedBlobs):
        def metrics(self, model: nn.Module, batch: Any) -> dict[str, Any]:
            return {"mean": self.model[0].running_mean.sum()}

        def make_model(self) -> nn.Module:
            return nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, 3))

    # means over parts of one size average to the mean over all, so one update of them does, too
    config = {"lr": 0.1, "batch_size": 16}
    args = {"samples_per_step": 16, "augment": False}
    one, four = (walked(config, spec_of(Statistics, shards=s, **args), until=1)[0][1]["mean"] for s in (1, 4))
    assert four == pytest.approx(one, rel=1e-5)


# ----------------------------------------------------------------------------------------------------- bad input


class Summing(ShardedBlobs):
    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        points, labels = batch
        return cross_entropy(model(points), labels, reduction="sum")


def test_a_loss_that_is_no_mean_is_refused_before_anything_is_trained() -> None:
    message = error_of(spec_of(Summing, shards=4))
    assert "Summing.loss() of a batch of 16 samples is" in message
    assert "it is no mean over samples" in message


def test_a_loss_that_is_no_mean_is_refused_where_all_batches_have_fewer_shards() -> None:
    assert "it is no mean over samples" in error_of(spec_of(Summing, shards=4, size=6))  # three shards


class Weighing(ShardedBlobs):
    """Weighs classes, and says the same of all samples at first."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        nn.init.zeros_(model[-1].weight)  # type: ignore[index, arg-type]
        nn.init.zeros_(model[-1].bias)  # type: ignore[index, arg-type]
        return model

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return cross_entropy(model(batch[0]), batch[1], weight=torch.tensor([1.0, 5.0, 1.0]))


def test_a_loss_that_seems_to_be_a_mean_at_first_is_refused_later_and_in_each_trial_that_follows() -> None:
    spec, trainers = spec_of(Weighing, shards=4, batch_norm=False), Trainers()
    for _ in range(3):
        failure = along(CONFIG, 4, spec=spec, trainers=trainers).one(StageFailed).failure
        assert "it is no mean over samples" in failure.error


class Scaling(ShardedBlobs):
    """Writes into its batch."""

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        points, labels = batch
        return super().loss(model, (points.mul_(1.5), labels))

    def metrics(self, model: nn.Module, batch: Any) -> dict[str, Any]:
        return super().metrics(model, (1.5 * batch[0], batch[1]))


class ScalingElsewhere(Scaling):
    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return ShardedBlobs.loss(self, model, (1.5 * batch[0], batch[1]))


def test_looking_whether_a_loss_is_a_mean_leaves_batches_as_they_were() -> None:
    assert walked(CONFIG, spec_of(Scaling, shards=4)) == walked(CONFIG, spec_of(ScalingElsewhere, shards=4))


class Penalised(ShardedBlobs):
    """Takes a gradient itself, or a sum in the place of the mean; or can be computed in training alone."""

    def __init__(self, kind: str, **options: Any) -> None:
        super().__init__(**options)
        self.kind = kind

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        points, labels = batch[0].clone().requires_grad_(self.kind != "in training"), batch[1]
        scores = model(points)
        if self.kind == "in training":
            assert model.training
            return cross_entropy(scores, labels)
        (gradient,) = torch.autograd.grad(scores.sum(), points, create_graph=True)
        penalties = gradient.square().sum(dim=1)
        return cross_entropy(scores, labels) + (penalties.sum() if self.kind == "sum" else penalties.mean())

    def metrics(self, model: nn.Module, batch: Any) -> dict[str, Any]:
        return {"loss": cross_entropy(model(batch[0]), batch[1])}


@pytest.mark.parametrize("kind", ["mean", "in training"])
def test_a_loss_that_cannot_be_had_as_evaluations_are_is_trained(kind: str) -> None:
    plain = {"batch_norm": False, "dropout": 0.0, "kind": kind}
    one, four = (walked(CONFIG, spec_of(Penalised, shards=shards, **plain)) for shards in (1, 4))
    assert four[0][STEPS]["loss"] == pytest.approx(one[0][STEPS]["loss"], rel=1e-4)  # float32, 9 updates


def test_a_loss_that_takes_gradients_is_compared_with_those_of_its_parts() -> None:
    assert "it is no mean over samples" in error_of(spec_of(Penalised, shards=4, kind="sum"))


def test_losses_are_compared_at_powers_of_two_and_rounded_as_the_largest_is() -> None:
    looks = MeanLooks()
    due = [batch for batch in range(1, 40) if looks.is_due()]
    assert due == [1, 2, 4, 8, 16, 32]
    assert looks.is_mean(1.0, 1.0005, precision=None)
    assert looks.is_mean(1e-4, 2e-4, precision=None)
    assert looks.is_mean(math.nan, math.nan, precision=None)
    assert not looks.is_mean(0.1, 0.102, precision=None)
    assert looks.is_due()  # the next batch, whatever its number


class Chosen(ShardedBlobs):
    """Whose loss is a sum where a value says so, and grows by another one."""

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return super().loss(model, batch) * (len(batch[0]) if self.hp["is_sum"] else 1) * self.hp["weight"]


def test_losses_are_compared_in_each_trial_whose_values_choose_another_one() -> None:
    spec, trainers = spec_of(Chosen, shards=4), Trainers()
    config = {**CONFIG, "weight": Exponential(1.0, 1.1), "is_sum": False}
    assert along(config, STEPS, spec=spec, trainers=trainers).metrics.keys() == {1, 2, 3}
    failed = along({**config, "is_sum": True}, 1, spec=spec, trainers=trainers).one(StageFailed).failure
    assert "it is no mean over samples" in failed.error
    later = along({**config, "is_sum": Piecewise([False, True], [2])}, STEPS, spec=spec)
    assert "it is no mean over samples" in later.one(StageFailed).failure.error
    assert later.metrics.keys() == {1, 2}


def test_values_that_grow_choose_no_loss_and_rates_none_at_all() -> None:
    spec, trainers = spec_of(Chosen, shards=4), Trainers()
    config = {"weight": Exponential(1.0, 1.1), "is_sum": False, "batch_size": 16}
    for rate in (0.1, 0.2):
        along({**config, "lr": rate}, STEPS, spec=spec, trainers=trainers)
    (looks,) = trainers.pristine(spec)._mean_looks.values()  # type: ignore[attr-defined]
    assert looks._batches == 18


def test_a_loss_that_draws_numbers_is_not_taken_for_one() -> None:
    class Noise(ShardedBlobs):
        def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
            return super().loss(model, batch) + torch.randn(())

    walked(CONFIG, spec_of(Noise, shards=4))


@pytest.mark.parametrize("method", ["train", "train_on_batch", "update", "batches_of_step", "state_dict"])
def test_a_trainer_that_does_it_itself_has_no_shards(method: str) -> None:
    own = type("Own", (BlobsTrainer,), {"shards": 2, method: lambda self, *args: None})
    with pytest.raises(TrainerError, match=rf"Own.{method}\(\) .* cannot be cut \(shards = 2\)"):
        own.check_config(Config(CONFIG), 3)


def test_half_precision_that_scales_losses_has_no_shards() -> None:
    half = type("Half", (BlobsTrainer,), {"shards": 2, "precision": "fp16"})
    with pytest.raises(TrainerError, match="fp16' scales losses"):
        half.check_config(Config(CONFIG), 3)


@pytest.mark.parametrize("shards", [0, 3, 6, -2, 2.0, True, "4", None])
def test_shards_are_a_power_of_two(shards: Any) -> None:
    odd = type("Odd", (BlobsTrainer,), {"shards": shards})
    with pytest.raises(TrainerError, match=r"Odd.shards = .*, but it must be a power of two, such as 4"):
        odd.check_config(Config(CONFIG), 3)


def test_batches_smaller_than_shards_are_refused_with_their_step() -> None:
    eight = type("Eight", (BlobsTrainer,), {"shards": 8})
    with pytest.raises(HparamError, match=r"batch_size at step 2 is 4, but Eight.shards = 8"):
        eight.check_config(Config({"batch_size": Piecewise([8, 4], [2])}), 3)
    eight.check_config(Config({"batch_size": Piecewise([8, 4], [2])}), 2)
    small = type("Small", (eight,), {"default_batch_size": 4})
    with pytest.raises(HparamError, match="batch_size at step 0 is 4"):
        small.check_config(Config({"lr": 0.1}), 2)


def test_a_trainer_that_says_its_shards_itself_is_refused_batches_that_are_smaller() -> None:
    assert "batch_size is 2, but each batch is cut into 4 shards" in error_of(
        spec_of(ShardedBlobs, shards=4), {"lr": 0.1, "batch_size": 2}
    )


def test_shards_tell_trainers_apart() -> None:
    def of(shards: int) -> type[BlobsTrainer]:
        return type("Sharded", (BlobsTrainer,), {"shards": shards})

    assert fingerprint(of(2)) == fingerprint(of(2))
    assert len({fingerprint(of(shards)) for shards in (1, 2, 4)}) == 3


def test_optimizers_that_ask_again_have_no_shards() -> None:
    class Asking(ShardedBlobs):
        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            return torch.optim.LBFGS(params)

    assert "LBFGS computes its loss several times" in error_of(spec_of(Asking, shards=2))


def test_parameters_outside_of_the_model_have_no_shards() -> None:
    class Outside(ShardedBlobs):
        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            frozen = nn.Parameter(torch.zeros(1), requires_grad=False)  # what is trained no state would have
            return torch.optim.SGD([*params, frozen], lr=0.1)

    assert "has parameters that are not self.model's" in error_of(spec_of(Outside, shards=2))


def test_sparse_gradients_have_no_shards() -> None:
    class Sparse(ShardedBlobs):
        def make_model(self) -> nn.Module:
            return nn.EmbeddingBag(5, 3, sparse=True, mode="sum")

        def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
            _, labels = batch
            return cross_entropy(model(labels[:, None]), labels)

        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            return torch.optim.SGD(params, lr=0.1)

    assert "a gradient is sparse" in error_of(spec_of(Sparse, shards=2))


@pytest.mark.parametrize("numerics", ["fused", "fused-fast"])
def test_shards_are_not_fused(numerics: str) -> None:
    with pytest.raises(TrainerError, match=f"shards = 2 computes each shard .* numerics='{numerics}'"):
        along(CONFIG, 1, spec=spec_of(ShardedBlobs, shards=2, numerics=numerics))


def test_shards_that_ranks_do_not_divide_are_refused(groups: dict[int, Peers | None]) -> None:
    for shards in (1, 2):
        spec = spec_of(ShardedBlobs, shards=shards)
        message = f"shards = {shards} cannot be divided .* ranks=4"
        with among(groups[4], spec), pytest.raises(TrainerError, match=message):
            along(CONFIG, 1, spec=spec)


def test_only_torch_trainers_have_ranks(groups: dict[int, Peers | None]) -> None:
    with among(groups[2], spec_of()), pytest.raises(TrainerError, match=r"ranks=2 .* is no hippo.TorchTrainer"):
        along({"lr": 0.1}, 1)


def test_a_state_of_other_shards_is_refused() -> None:
    first = along(CONFIG, 1, spec=spec_of(ShardedBlobs, shards=4))
    for shards in (1, 2):
        host = resumed(CONFIG, 1, 2, first, spec=spec_of(ShardedBlobs, shards=shards))
        assert f"trained with shards = 4, and the trainer has shards = {shards}" in host.one(StageFailed).failure.error
    plain = along(CONFIG, 1, spec=spec_of(ShardedBlobs, shards=1))
    host = resumed(CONFIG, 1, 2, plain, spec=spec_of(ShardedBlobs, shards=2))
    assert "trained with shards = 1" in host.one(StageFailed).failure.error


# ------------------------------------------------------------------------------------------------- what peers raise


class Rising(ShardedBlobs):
    """Raises where a shard that only the last rank has comes by."""

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        if model.training and bool((batch[0][:, 0] > 5e3).any()):
            raise FloatingPointError("too large")
        return super().loss(model, batch)

    def collate(self, samples: list[Any]) -> Any:
        points, labels = default_collate(samples)
        points[-1] += 1e4
        return points, labels


class Taught(ShardedBlobs):
    """Learns from the average of its own weights."""

    ema_decay = 0.5

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        with torch.no_grad():
            taught = self.evaluated_model(batch[0])
        loss: torch.Tensor = super().loss(model, batch) + ((model(batch[0]) - taught) ** 2).mean()
        return loss


def test_a_loss_that_asks_for_the_average_of_weights_is_refused_where_peers_have_none(
    groups: dict[int, Peers | None],
) -> None:
    assert walked(CONFIG, spec_of(Taught, shards=4), groups[1]) == walked(CONFIG, spec_of(Taught, shards=4))
    assert "the average of weights is in one process alone" in error_of(spec_of(Taught, shards=4), peers=groups[2])


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_what_a_peer_raises_fails_the_trial_and_the_next_one_is_trained(
    groups: dict[int, Peers | None], ranks: int
) -> None:
    assert "FloatingPointError: too large" in error_of(spec_of(Rising, shards=4), peers=groups[ranks])
    spec = spec_of(ShardedBlobs, shards=4)
    assert walked(CONFIG, spec, groups[ranks]) == walked(CONFIG, spec)


def test_what_the_worker_itself_raises_leaves_peers_where_they_can_go_on(groups: dict[int, Peers | None]) -> None:
    class First(Rising):
        def collate(self, samples: list[Any]) -> Any:
            points, labels = default_collate(samples)
            points[0] += 1e4
            return points, labels

    assert "too large" in error_of(spec_of(First, shards=4), peers=groups[2])
    spec = spec_of(ShardedBlobs, shards=4)
    assert walked(CONFIG, spec, groups[2]) == walked(CONFIG, spec)


def test_models_that_differ_by_rank_are_refused(groups: dict[int, Peers | None]) -> None:
    class Wide(ShardedBlobs):
        home = os.getpid()

        def make_model(self) -> nn.Module:
            width = 4 if os.getpid() == self.home else 5
            return nn.Sequential(nn.Linear(6, width), nn.Linear(width, 3))

    assert "the model that rank 1 made has other tensors than rank 0's" in error_of(
        spec_of(Wide, shards=2), peers=groups[2]
    )


def test_trainers_are_forgotten_by_peers_when_the_worker_lets_go(groups: dict[int, Peers | None]) -> None:
    spec = spec_of(ShardedBlobs, shards=4)
    peers = groups[2]
    assert peers is not None
    trainers = Trainers()
    with among(peers, spec):
        for _ in range(3):
            along(CONFIG, 1, spec=spec, trainers=trainers)
    assert len(peers._gone) <= 2  # told with the next step that begins


# ------------------------------------------------------------------------------------------ what writes into parameters


class Writing(ShardedBlobs):
    """Writes into its weights in each pass. Args: unseen: by way of `.data`, of which torch keeps no count."""

    def __init__(self, unseen: bool, **options: Any) -> None:
        super().__init__(**options)
        self.unseen = unseen

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        if model.training:
            weight = next(self.model.parameters())
            if self.unseen:
                weight.data.clamp_(min=0.0)
            else:
                weight.detach().mul_(1.0)  # other numbers may come later, when nobody adds them up
        return super().loss(model, batch)


@pytest.mark.parametrize("unseen", [False, True])
@pytest.mark.parametrize("ranks", [1, 2])
def test_a_pass_that_writes_into_parameters_is_no_function_of_its_shard(
    groups: dict[int, Peers | None], ranks: int, unseen: bool
) -> None:
    assert "writes into the parameter '0.weight' of Writing" in error_of(
        spec_of(Writing, shards=4, unseen=unseen), peers=groups[ranks]
    )


def test_parameters_that_are_no_numbers_or_not_finite_stand_where_they_stood() -> None:
    module = nn.Linear(2, 2)
    module.register_parameter("codes", nn.Parameter(torch.ones(3, dtype=torch.int64), requires_grad=False))
    module.weight.data.fill_(torch.nan)
    marks = {name: marked(each, by_sums=True) for name, each in writable(module)}
    assert written_since(marks) is None
    module.codes.data[0] = 2
    assert written_since(marks) == "codes"


# ------------------------------------------------------------------------------------------ settings of the process


class Setting(ShardedBlobs):
    """Changes a setting of the whole process, on which its loss depends, and does not set it back."""

    def __init__(self, **options: Any) -> None:
        os.environ["BLOBS_WEIGHT"] = "3"  # hippo takes it away again
        super().__init__(**options)

    def setup(self, hp: Any) -> None:
        if hp.get("is_double", False):
            os.environ["BLOBS_WEIGHT"] = "2"

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return super().loss(model, batch) * float(os.environ.get("BLOBS_WEIGHT", "1"))


def test_settings_that_one_trial_has_changed_are_given_back_in_peers_too(groups: dict[int, Peers | None]) -> None:
    spec = spec_of(Setting, shards=4)
    single, double = {**CONFIG, "is_double": False}, {**CONFIG, "is_double": True}
    alone = walked(single, spec)
    assert walked(single, spec, groups[2]) == alone
    walked(double, spec, groups[2])
    assert walked(single, spec, groups[2]) == alone


def test_settings_are_those_of_the_copy_that_computes_where_a_check_computes_in_between(
    groups: dict[int, Peers | None],
) -> None:
    spec = spec_of(Setting, shards=4)
    config = {"lr": 0.1, "is_double": Piecewise([False, True], [1])}
    with among(groups[2], spec):
        host = run_lanes(Lane(begin=None, stages=stages(config, 0, STEPS), check=True), spec=spec)
    assert all(verdict.proven for verdict in host.of(ExactnessChecked))
    assert facts(host) == walked(config, spec)


class Scripted(ShardedBlobs):
    """Trains a model of TorchScript."""

    def make_model(self) -> nn.Module:
        return torch.jit.script(super().make_model())  # type: ignore[no-any-return]


def test_shards_of_a_scripted_model_come_to_what_those_of_the_model_itself_do() -> None:
    scripted, plain = (walked(CONFIG, spec_of(cls, shards=2))[:2] for cls in (Scripted, ShardedBlobs))
    assert scripted == plain
