"""Trainers in pieces: several processes come near what one comes to, and go on from each other's states."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from hippo.errors import TrainerError
from hippo.events import CheckpointWritten, ExactnessChecked, StageFailed
from hippo.hparams import Piecewise
from hippo.records import Point, TrainerSpec
from hippo.testing.rank_group import among, forked_ranks
from hippo.testing.remembering_host import RememberingHost, along, resumed, spec_of, stages
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.training import Trainers
from hippo.training.bases import Bases
from hippo.training.codec import decode, state_hash
from hippo.training.elastic.asked_of_pieces import nothing_drawn, number_handlers
from hippo.training.elastic.rank_group import RankGroup
from hippo.training.sharding.peers import Peers
from hippo.training.state_files import read_checkpoint
from hippo.training.walking.lanes import user_code_surrounded
from hippo.training.walking.walker import NOWHERE, Walker

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]

CONFIG = {"lr": 0.1, "batch_size": 16}
#: float32, sums of some dozen numbers in another order, three epochs
NEAR = {"rel": 1e-3, "abs": 1e-4}


class ElasticBlobs(BlobsTrainer):
    """Classifies blobs, with whatever attributes a test gives it."""

    def __init__(self, *, attributes: Mapping[str, Any] | None = None, fails_at: int = -1, **options: Any) -> None:
        super().__init__(**{"dropout": 0.0, "batch_norm": False, **options})
        self.fails_at = fails_at
        self.calls = 0
        for name, value in (attributes or {}).items():
            setattr(self, name, value)


class FailingAtPeers(ElasticBlobs):
    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        self.calls += 1
        if self.calls > 4 and torch.distributed.is_initialized() and torch.distributed.get_rank() == 1:
            raise ValueError("a bad sample")
        return super().loss(model, batch)


class FailingAtRankZero(ElasticBlobs):
    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        self.calls += 1
        if self.calls > 4 and torch.distributed.is_initialized() and torch.distributed.get_rank() == 0:
            raise ValueError("a bad sample")
        return super().loss(model, batch)


class SummedLoss(ElasticBlobs):
    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return super().loss(model, batch) * len(batch[0])


class SummedLater(ElasticBlobs):
    """Whose loss is a sum where a value says so."""

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return super().loss(model, batch) * (len(batch[0]) if self.hp["is_sum"] else 1)


class RowSums(torch.optim.SGD):
    """Keeps a number for each row of a parameter."""

    def step(self, closure: Any = None) -> Any:
        for group in self.param_groups:
            for parameter in group["params"]:
                self.state[parameter]["rows"] = parameter.grad.abs().sum(dim=-1, keepdim=True).detach()
        return super().step(closure)


class OtherOptimizer(ElasticBlobs):
    """Args: kind: the name of a class of torch's, or RowSums."""

    def __init__(self, *, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        cls = RowSums if self.kind == "RowSums" else getattr(torch.optim, self.kind)
        made: torch.optim.Optimizer = cls(params, lr=self.hp["lr"])
        return made


class Otherwise(ElasticBlobs):
    """Makes another model in each process."""

    def make_model(self) -> nn.Module:
        torch.manual_seed(os.getpid())
        return super().make_model()


class WiderBlobs(ElasticBlobs):
    def make_model(self) -> nn.Module:
        return nn.Linear(2, 7)


class Halved(nn.Linear):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x.bfloat16()).float()


class HalfBlobs(ElasticBlobs):
    """Its second layer is of half the bits; of torch's, one that is frozen may be."""

    def make_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(6, 8), Halved(8, 3).bfloat16())


class HalfBlocks(HalfBlobs):
    elastic_blocks = (Halved,)


class Unfreezing(ElasticBlobs):
    def setup(self, hp: Mapping[str, Any]) -> None:
        next(self.model.parameters()).requires_grad_(False)


@pytest.fixture(scope="module")
def groups() -> Iterator[dict[int, Peers | None]]:
    """Number of ranks -> the others, forked once."""
    with ExitStack() as stack:
        yield {ranks: stack.enter_context(forked_ranks(ranks)) for ranks in (1, 2, 3, 4)}


def spec(trainer: type = ElasticBlobs, **args: Any) -> TrainerSpec:
    return spec_of(trainer, numerics="elastic", **args)


def walked(group: Peers | None, of: TrainerSpec, config: Any = CONFIG, until: int = 3) -> RememberingHost:
    with among(group, of):
        host = along(config, until, spec=of)
    assert not host.of(StageFailed), host.one(StageFailed).failure.traceback
    return host


def error_of(group: Peers | None, of: TrainerSpec, config: Any = CONFIG, until: int = 1) -> str:
    with among(group, of):
        return str(along(config, until, spec=of).one(StageFailed).failure.error)


def test_nobody_goes_on_before_all_have_met(tmp_path: Path) -> None:
    """Else one that fails cuts what others are still making, and they wait for it under another group's name."""
    met, store = tmp_path / "met", str(tmp_path / "store")
    peer = os.fork()
    if peer == 0:
        init = torch.distributed.init_process_group

        def init_slowly(*args: Any, **named: Any) -> None:
            init(*args, **named)
            time.sleep(0.5)
            met.touch()

        torch.distributed.init_process_group = init_slowly
        try:
            RankGroup(1, 2, store)
        finally:
            os._exit(0)
    group = RankGroup(0, 2, store)
    has_met = met.exists()
    os.kill(peer, signal.SIGKILL)
    os.waitpid(peer, 0)
    group.leave()
    assert has_met


def test_no_group_is_left_behind(groups: dict[int, Peers | None]) -> None:
    begun = walked(groups[2], spec(), until=1)
    assert not torch.distributed.is_initialized()
    assert "LBFGS" in error_of(groups[2], spec(OtherOptimizer, kind="LBFGS"))  # as it is built
    assert not torch.distributed.is_initialized()
    with among(groups[2], spec(WiderBlobs)):
        assert resumed(CONFIG, 1, 2, begun, spec=spec(WiderBlobs)).one(StageFailed).failure.method == "load_state_dict"
    assert not torch.distributed.is_initialized()


def test_ranks_that_cannot_meet_end_since_others_may_still_wait_for_them() -> None:
    with pytest.raises(SystemExit, match="its ranks could not meet"):
        RankGroup(0, 2, "/dev/null/store")


def assert_near(host: RememberingHost, other: RememberingHost) -> None:
    for step, metrics in other.metrics.items():
        assert host.metrics[step] == pytest.approx(metrics, **NEAR)
        assert host.training[step] == pytest.approx(other.training[step], **NEAR)


@pytest.mark.parametrize(
    ("args", "config"),
    [
        ({}, CONFIG),
        ({"optimizer": "adam"}, {**CONFIG, "weight_decay": 0.01}),
        ({"optimizer": "adamw"}, CONFIG),
        ({"samples_per_step": 37}, {**CONFIG, "batch_size": Piecewise([16, 12], [1])}),  # short last batches
        ({"samples_per_step": 33}, CONFIG),  # of a single sample
        ({"attributes": {"clip_norm": 0.1, "accumulate": 2}, "samples_per_step": 36}, CONFIG),
        ({"apply_hparams": "batch"}, {**CONFIG, "lr": Piecewise([0.1, 0.05], [1])}),
        ({}, {**CONFIG, "optimizer": Piecewise(["sgd", "adam"], [2]), "lr": 0.02}),  # begins anew
        ({"widths": [5, 3], "attributes": {"precision": "bf16"}}, CONFIG),
    ],
)
def test_any_number_of_ranks_comes_near_what_one_comes_to(
    groups: dict[int, Peers | None], args: dict[str, Any], config: Any
) -> None:
    alone = walked(None, spec(**args), config)
    for ranks in (2, 3, 4):
        assert_near(walked(groups[ranks], spec(**args), config), alone)
    assert not alone.of(ExactnessChecked)


class BlockedBlobs(ElasticBlobs):
    elastic_blocks = (nn.Linear,)


class TiedBlobs(ElasticBlobs):
    """Two layers have one weight, which is within one of the blocks alone."""

    elastic_blocks = (nn.Linear,)

    def make_model(self) -> nn.Module:
        model = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 6), nn.Linear(6, 3))
        model[2].weight = model[0].weight
        return model


class TiedAlone(TiedBlobs):
    elastic_blocks = ()


class DeeperBlobs(ElasticBlobs):
    """Calls its model twice for a batch."""

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        points, labels = batch
        return super().loss(model, batch) + 0.1 * super().loss(model, (points * 0.5, labels))


@pytest.mark.parametrize("trainer", [BlockedBlobs, TiedAlone, DeeperBlobs])
def test_models_of_several_shapes_come_near_what_one_process_comes_to(
    groups: dict[int, Peers | None], trainer: type
) -> None:
    assert_near(walked(groups[2], spec(trainer)), walked(None, spec(trainer)))


class Experts(nn.Module):
    """Two experts of one shape, each for some samples, and one for nobody. Args: the first sample decides for all."""

    def __init__(self, is_for_all: bool) -> None:
        super().__init__()
        self.is_for_all = is_for_all
        self.experts = nn.ModuleList(nn.Linear(6, 3) for _ in range(3))

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        is_first = points[:, 0] > 2.5
        if self.is_for_all:
            chosen = int(self.training and points[0, 0] > 1.0)
            return self.experts[chosen](points)  # type: ignore[no-any-return]
        result = torch.zeros(len(points), 3)
        for expert, chosen in zip(self.experts, (is_first, ~is_first), strict=False):
            if chosen.any():
                result = result.index_put((chosen.nonzero()[:, 0],), expert(points[chosen]))
        return result


class Choosing(ElasticBlobs):
    is_for_all = False

    def make_model(self) -> nn.Module:
        return nn.Sequential(Experts(self.is_for_all), nn.Linear(3, 3))


class ChoosingWithin(Choosing):
    """Args: the parameters of one block that samples choose among."""

    elastic_blocks = (Experts,)


class ChoosingBlocks(Choosing):
    elastic_blocks = (nn.Linear,)
    is_for_all = True


@pytest.mark.parametrize("trainer", [Choosing, ChoosingWithin])
def test_parameters_that_some_ranks_leave_out_have_no_gradient_there(
    groups: dict[int, Peers | None], trainer: type
) -> None:
    of, config = spec(trainer, optimizer="adamw"), {**CONFIG, "batch_size": 8, "weight_decay": 0.1}
    alone = walked(None, of, config)
    for ranks in (2, 4):
        assert_near(walked(groups[ranks], of, config), alone)


def test_blocks_that_only_some_ranks_compute_are_refused(groups: dict[int, Peers | None]) -> None:
    assert "is of a block that some ranks computed" in error_of(groups[2], spec(ChoosingBlocks), until=3)
    assert_near(walked(groups[2], spec()), walked(None, spec()))


class Making(ElasticBlobs):
    """Has a buffer from its first pass on."""

    def make_model(self) -> nn.Module:
        return nn.Sequential(Table(), super().make_model())


class Table(nn.Module):
    def forward(self, points: torch.Tensor) -> torch.Tensor:
        if not hasattr(self, "table"):
            self.register_buffer("table", torch.full((6,), 0.5), persistent=False)
        return points * self.table


def test_a_buffer_that_is_made_in_a_pass_is_there_from_then_on(groups: dict[int, Peers | None]) -> None:
    assert_near(walked(groups[2], spec(Making)), walked(None, spec(Making)))


class MakingApart(ElasticBlobs):
    """Makes a buffer in rank 1 alone."""

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        if torch.distributed.is_initialized() and torch.distributed.get_rank() == 1:
            self.model.register_buffer("largest", batch[0].amax(dim=0))
        return super().loss(model, batch)


def test_buffers_that_only_some_ranks_make_are_refused_and_nobody_waits(groups: dict[int, Peers | None]) -> None:
    assert "leave other buffers in MakingApart's model" in error_of(groups[2], spec(MakingApart))
    assert walked(groups[2], spec()).metrics


class PenalisedBefore(ElasticBlobs):
    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        penalty = sum(each.square().sum() for each in self.model.parameters())
        return super().loss(model, batch) + 0.05 * penalty


def test_a_penalty_on_pieces_of_parameters_is_refused_and_says_where_to_take_it(
    groups: dict[int, Peers | None],
) -> None:
    assert "and take parameters after that" in error_of(groups[2], spec(PenalisedBefore))


class Scaling(ElasticBlobs):
    """Writes into its batch."""

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        points, labels = batch
        return super().loss(model, (points.mul_(1.5), labels))


def test_looking_whether_a_loss_is_a_mean_leaves_batches_as_they_were(groups: dict[int, Peers | None]) -> None:
    assert_near(walked(groups[2], spec(Scaling)), walked(None, spec(Scaling)))


def test_batch_norm_counts_and_averages_over_ranks(groups: dict[int, Peers | None]) -> None:
    of = spec(batch_norm=True, dropout=0.3)
    first, second = walked(groups[2], of), walked(groups[2], of)
    assert first.hashes == second.hashes  # the same number of ranks comes to the same bits
    alone = walked(None, of)
    for step, metrics in alone.metrics.items():
        assert first.metrics[step]["loss"] == pytest.approx(metrics["loss"], rel=0.5)  # other dropout, smaller batches


def test_running_means_are_those_of_all_samples_not_of_one_rank_s(groups: dict[int, Peers | None]) -> None:
    of = spec(batch_norm=True, samples_per_step=16)  # one batch

    def running_means(group: Peers | None) -> list[torch.Tensor]:
        host = walked(group, of, until=1)
        (written,) = host.of(CheckpointWritten)
        state = read_checkpoint(host.checkpoints, written.checkpoint, Bases(), lambda: None, keep_base=True)
        return [value for name, value in decode(state)["model"].items() if name.endswith("running_mean")]

    alone = running_means(None)
    assert alone
    for found, wanted in zip(running_means(groups[4]), alone, strict=True):
        torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("ways", [(2, 1, 4), (1, 4, 3), (3, 2, 1)])
def test_a_trial_goes_on_with_any_number_of_ranks(groups: dict[int, Peers | None], ways: tuple[int, ...]) -> None:
    of = spec(optimizer="adam", attributes={"accumulate": 2})
    alone = walked(None, of)
    host = walked(groups[ways[0]], of, until=1)
    for step, ranks in enumerate(ways[1:], 1):
        with among(groups[ranks], of):
            host = resumed(CONFIG, step, step + 1, host, spec=of)
        assert not host.of(StageFailed), host.one(StageFailed).failure.traceback
        assert host.metrics[step + 1] == pytest.approx(alone.metrics[step + 1], **NEAR)


def test_a_state_that_other_ranks_load_and_save_is_the_same_to_the_last_bit(groups: dict[int, Peers | None]) -> None:
    """Its third batch of 15 waits for a fourth one, so that there are gradients in the state, too."""
    of = spec(optimizer="adam", batch_norm=True, attributes={"accumulate": 2}, samples_per_step=45, widths=[5, 3])
    config = {"lr": 0.1, "batch_size": 15}
    begun = walked(groups[4], of, config, until=1)
    (written,) = begun.of(CheckpointWritten)
    state = read_checkpoint(begun.checkpoints, written.checkpoint, Bases(), lambda: None, keep_base=True)
    assert state.tree.keys() >= {"model", "optimizer", "gradients"}
    for ranks in (1, 2, 3, 4):
        with among(groups[ranks], of), user_code_surrounded(of):
            pieces = stages(config, 0, 1)[0].pieces
            walker = Walker(Trainers().pristine(of), step=1, pieces=pieces, state=state, goal=Point(NOWHERE, 1))
            with closing(walker):
                assert state_hash(walker.encode(NOWHERE)) == written.checkpoint.state_hash


def test_one_rank_is_a_process_alone(groups: dict[int, Peers | None]) -> None:
    alone = spec_of(ElasticBlobs, numerics="exact")
    with among(None, alone):
        exact = along(CONFIG, 2, spec=alone)
    assert walked(None, spec(), until=2).metrics == exact.metrics


@pytest.mark.parametrize("trainer", [FailingAtPeers, FailingAtRankZero])
def test_what_fails_in_one_rank_fails_the_trial_and_the_next_one_trains(
    groups: dict[int, Peers | None], trainer: type
) -> None:
    assert error_of(groups[4], spec(trainer), until=3).startswith("ValueError: a bad sample")
    assert_near(walked(groups[4], spec()), walked(None, spec()))
    assert not torch.distributed.is_initialized()  # nothing else of this process finds a group


def test_losses_are_compared_when_values_choose_another_one(groups: dict[int, Peers | None]) -> None:
    config = {**CONFIG, "is_sum": Piecewise([False, True], [1])}
    assert "it is no mean over samples" in error_of(groups[2], spec(SummedLater), config, until=2)


@pytest.mark.parametrize(
    ("trainer", "config", "message"),
    [
        (ElasticBlobs, {**CONFIG, "batch_size": 3}, "batch_size is 3, but each batch is divided among ranks=4"),
        (SummedLoss, CONFIG, "it is no mean over samples"),
        (Unfreezing, CONFIG, "has frozen or unfrozen '0.weight'"),
        (TiedBlobs, CONFIG, "shares a parameter with"),
        (HalfBlobs, CONFIG, "are of several types (0.bias is float32, 1.bias is bfloat16), which ranks cannot add up"),
    ],
)
def test_what_ranks_cannot_do_together_is_refused(
    groups: dict[int, Peers | None], trainer: type, config: Any, message: str
) -> None:
    assert message in error_of(groups[4], spec(trainer), config)


def test_blocks_may_have_types_of_their_own(groups: dict[int, Peers | None]) -> None:
    found, alone = (walked(group, spec(HalfBlocks), until=1).metrics[1] for group in (groups[2], None))
    assert found == pytest.approx(alone, rel=1e-2)  # 8 bits of a number


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("LBFGS", "computes its loss several times for each step"),  # while its peers have built theirs
        ("Adafactor", "placement changes are not supported"),  # torch's own words
        ("RowSums", "RowSums keeps 'rows' of shape"),
    ],
)
def test_optimizers_that_cannot_be_divided_are_refused_and_the_next_trainer_trains(
    groups: dict[int, Peers | None], kind: str, message: str
) -> None:
    assert message in error_of(groups[2], spec(OtherOptimizer, kind=kind))
    assert_near(walked(groups[2], spec(OtherOptimizer, kind="SGD")), walked(None, spec(OtherOptimizer, kind="SGD")))


class GroupedBefore(ElasticBlobs):
    """Makes the group that torch knows, in rank 0 alone."""

    def make_model(self) -> nn.Module:
        if not torch.distributed.is_initialized():
            torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        return super().make_model()


def test_a_group_of_another_s_in_rank_zero_is_refused_and_nobody_waits(groups: dict[int, Peers | None]) -> None:
    assert "has made one already" in error_of(groups[2], spec(GroupedBefore))
    torch.distributed.destroy_process_group()
    assert_near(walked(groups[2], spec()), walked(None, spec()))


def test_a_model_that_is_another_one_in_each_process_is_refused(groups: dict[int, Peers | None]) -> None:
    assert "the model that rank 1 made is not that of rank 0" in error_of(groups[2], spec(Otherwise))


class Hooked(ElasticBlobs):
    after = False

    def make_model(self) -> nn.Module:
        model = super().make_model()
        parameter = next(model.parameters())
        if self.after:
            parameter.register_post_accumulate_grad_hook(lambda _: None)
        else:
            parameter.register_hook(torch.clone)
        return model


class HookedAfter(Hooked):
    after = True


@pytest.mark.parametrize("trainer", [Hooked, HookedAfter])
@pytest.mark.parametrize("ranks", [1, 2])
def test_hooks_of_parameters_which_pieces_have_not_are_refused(
    groups: dict[int, Peers | None], trainer: type, ranks: int
) -> None:
    assert "'0.weight' of Hooked" in error_of(groups[ranks] if ranks > 1 else None, spec(trainer))


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"shards": 2}, "shards = 2 cuts batches for numerics='exact'"),
        ({"ema_decay": 0.9}, "ema_decay = 0.9 keeps an average"),
        ({"swa_from": 1}, "swa_from = 1 keeps an average"),
        ({"precision": "fp16"}, "precision = 'fp16' scales losses"),
    ],
)
def test_what_does_not_go_with_ranks_is_refused_with_one_as_well(attributes: dict[str, Any], message: str) -> None:
    of = spec(attributes=attributes)
    with among(None, of), pytest.raises(TrainerError, match=message):
        along(CONFIG, 1, spec=of)


class Setting(ElasticBlobs):
    """Changes a setting of the whole process, on which its loss depends, and does not set it back."""

    def setup(self, hp: Mapping[str, Any]) -> None:
        if hp.get("is_double", False):
            os.environ["BLOBS_WEIGHT"] = "2"

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return super().loss(model, batch) * float(os.environ.get("BLOBS_WEIGHT", "1"))


def test_settings_that_one_trial_has_changed_are_given_back_in_peers_too(groups: dict[int, Peers | None]) -> None:
    walked(groups[2], spec(Setting), {**CONFIG, "is_double": True}, until=1)
    single = {**CONFIG, "is_double": False}
    assert_near(walked(groups[2], spec(Setting), single), walked(None, spec(Setting), single))


class Clamping(nn.Linear):
    """Bounds its weights: unseen by way of `.data`, or as torch counts it, from a pass on that nobody looks at."""

    unseen, passes = False, 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.passes += self.training
        if self.training and self.unseen:
            self.weight.data.clamp_(min=0.0)
        elif self.passes == 3:
            self.weight.detach().clamp_(min=0.0)
        return super().forward(x)


class ClampingUnseen(Clamping):
    unseen = True


class Writing(ElasticBlobs):
    """Args: unseen, blocks: what its clamping layer is."""

    def __init__(self, *, unseen: bool, blocks: bool) -> None:
        super().__init__()
        self.unseen = unseen
        self.elastic_blocks = (Clamping,) if blocks else ()

    def make_model(self) -> nn.Module:
        return nn.Sequential((ClampingUnseen if self.unseen else Clamping)(6, 6), nn.Linear(6, 3))


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("unseen", [False, True])
def test_what_a_pass_would_write_into_parameters_and_lose_is_refused(
    groups: dict[int, Peers | None], unseen: bool, blocks: bool
) -> None:
    of = spec(Writing, unseen=unseen, blocks=blocks)
    assert "writes into the parameter '0.weight', which ranks have put together" in error_of(groups[2], of)


# ---------------------------------------------------------------------------------------- what is asked of pieces


class Measuring(ElasticBlobs):
    """Has metrics of its parameters, taken before and after its model was called."""

    def metrics(self, model: nn.Module, batch: Any) -> Mapping[str, Any]:
        parameters = list(self.model.parameters())
        before = sum(each.abs().sum() for each in parameters)
        largest = max(float(each.max()) for each in parameters)
        found = super().metrics(model, batch)
        return {**found, "before": before, "largest": largest, "after": sum(p.norm().item() for p in parameters)}


class MeasuringBlocks(Measuring):
    elastic_blocks = (nn.Linear,)


@pytest.mark.parametrize("trainer", [Measuring, MeasuringBlocks])
def test_metrics_of_parameters_are_those_of_whole_ones(groups: dict[int, Peers | None], trainer: type) -> None:
    alone = walked(None, spec(trainer))
    for ranks in (2, 3):
        assert_near(walked(groups[ranks], spec(trainer)), alone)


class Lars(torch.optim.SGD):
    """Takes steps in proportion to the norm of each parameter."""

    def step(self, closure: Any = None) -> Any:
        for group in self.param_groups:
            for each in group["params"]:
                each.grad.mul_(each.norm().item() / (each.grad.norm().item() + 1e-9))
        return super().step(closure)


class ScaledSteps(ElasticBlobs):
    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return Lars(params, lr=0.05, momentum=0.9)


def test_optimizers_that_ask_for_norms_are_told_those_of_whole_parameters(groups: dict[int, Peers | None]) -> None:
    assert_near(walked(groups[3], spec(ScaledSteps)), walked(None, spec(ScaledSteps)))


class AskingApart(ElasticBlobs):
    """Asks where ranks are not together: an optimizer may be made anew in one of them before the others."""

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD([each for each in params if each.norm() > 0], lr=0.1)


def test_pieces_are_not_asked_where_ranks_are_not_together(groups: dict[int, Peers | None]) -> None:
    assert "a number is made of a parameter" in error_of(groups[2], spec(AskingApart))
    assert torch.ops.aten._local_scalar_dense.default not in number_handlers()  # nobody else's pieces are answered for


def test_optimizers_may_have_states_from_the_beginning(groups: dict[int, Peers | None]) -> None:
    of = spec(OtherOptimizer, kind="Adagrad")
    assert_near(walked(groups[2], of), walked(None, of))


class InParts(ElasticBlobs):
    """Calls parts of its model."""

    def make_model(self) -> nn.Module:
        return nn.Sequential(nn.Linear(6, 6), nn.Linear(6, 3))

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        points, labels = batch
        return nn.functional.cross_entropy(model[1](model[0](points)), labels)  # type: ignore[index]


class PenalisedBlocks(ElasticBlobs):
    elastic_blocks = (nn.Linear,)

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return super().loss(model, batch) + sum(each.square().sum() for each in self.model.parameters())


@pytest.mark.parametrize(
    ("trainer", "message"),
    [(InParts, "call model(...) rather than parts of it"), (PenalisedBlocks, "those of elastic_blocks are in pieces")],
)
def test_what_computes_with_pieces_says_how_to_have_wholes(
    groups: dict[int, Peers | None], trainer: type, message: str
) -> None:
    assert message in error_of(groups[2], spec(trainer))


class Adversarial(ElasticBlobs):
    """Moves its samples up their gradient. Args: order: whether the loss has a gradient of that, too."""

    def __init__(self, *, order: int = 1) -> None:
        super().__init__()
        self.order = order

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        points, labels = batch
        points = points.clone().requires_grad_()
        (up,) = torch.autograd.grad(super().loss(model, (points, labels)), points, create_graph=self.order == 2)
        return super().loss(model, (points + up.sign() + up, labels))

    def metrics(self, model: nn.Module, batch: Any) -> Mapping[str, Any]:
        return {"loss": super().loss(model, batch)}


class TrainingAlone(ElasticBlobs):
    """Has a loss that nobody can evaluate."""

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        if not model.training:
            raise ValueError("a loss of training alone")
        return super().loss(model, batch)

    def metrics(self, model: nn.Module, batch: Any) -> Mapping[str, Any]:
        return {"loss": super().loss(model, batch)}


def test_losses_that_are_not_evaluated_as_they_are_trained_are_trained(groups: dict[int, Peers | None]) -> None:
    for trainer in (Adversarial, TrainingAlone):
        assert_near(walked(groups[2], spec(trainer)), walked(None, spec(trainer)))


class SummedAdversarial(Adversarial):
    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return super().loss(model, batch) * len(batch[0])


def test_a_loss_that_takes_gradients_is_compared_with_those_of_its_parts(groups: dict[int, Peers | None]) -> None:
    assert "it is no mean over samples" in error_of(groups[2], spec(SummedAdversarial))


def test_gradients_of_gradients_are_refused(groups: dict[int, Peers | None]) -> None:
    assert "takes gradients of gradients" in error_of(groups[2], spec(Adversarial, order=2))


def test_a_state_of_a_model_that_shares_a_weight_goes_on(groups: dict[int, Peers | None]) -> None:
    of = spec(TiedAlone)
    alone, begun = walked(None, of, until=2), walked(groups[2], of, until=1)
    for ranks in (2, 3):
        with among(groups[ranks], of):
            host = resumed(CONFIG, 1, 2, begun, spec=of)
        assert host.metrics[2] == pytest.approx(alone.metrics[2], **NEAR)


class FailingSetup(ElasticBlobs):
    def setup(self, hp: Mapping[str, Any]) -> None:
        if torch.distributed.get_rank() == 0:
            raise ValueError("a bad value")


def test_ranks_that_have_parted_say_why(groups: dict[int, Peers | None]) -> None:
    of = spec(FailingSetup)
    with among(groups[2], of), user_code_surrounded(of):
        pieces = stages(CONFIG, 0, 1)[0].pieces
        walker = Walker(Trainers().pristine(of), step=0, pieces=pieces, state=None, goal=Point(NOWHERE, 1))
        with closing(walker):
            for error, message in ((ValueError, "a bad value"), (TrainerError, "parted.*: ValueError: a bad value")):
                with pytest.raises(error, match=message):
                    walker._trainer._set_up(walker._trainer.hp, 0)


# ------------------------------------------------------------------------------------------- what pieces have not


class Viewed(nn.Sequential):
    """Args of its trainer say what it returns: a view, an object of a class of its own, or nothing."""

    way = "view"

    def forward(self, x: torch.Tensor) -> Any:
        self.logits = super().forward(x).view(len(x), 3)
        return {"view": self.logits, "object": Path, "kept": None}[self.way]


class Returning(ElasticBlobs):
    """Loses sight of what its model returns."""

    def __init__(self, *, way: str) -> None:
        super().__init__()
        self.way = way

    def make_model(self) -> nn.Module:
        model = Viewed(nn.Linear(6, 3))
        model.way = self.way
        return model

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        points, labels = batch
        found = model(points)
        logits = found if self.way == "view" else self.model.logits
        logits[:, 2] -= 1.0
        return nn.functional.cross_entropy(logits, labels)


@pytest.mark.filterwarnings("ignore:FSDP2-wrapped module")
@pytest.mark.parametrize("way", ["view", "object", "kept"])
def test_gradients_that_reach_no_piece_are_refused(groups: dict[int, Peers | None], way: str) -> None:
    assert "the gradient of '0.weight' reaches no rank's piece" in error_of(groups[2], spec(Returning, way=way))


class Noted(ElasticBlobs):
    """Notes on a parameter how it is to be trained."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        next(model.parameters()).factor = 0.0
        return model

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        groups = [{"params": [each], "lr": self.hp["lr"] * getattr(each, "factor", 1.0)} for each in params]
        return torch.optim.SGD(groups, lr=self.hp["lr"])


def test_what_a_model_notes_on_parameters_is_on_pieces(groups: dict[int, Peers | None]) -> None:
    assert_near(walked(groups[2], spec(Noted)), walked(None, spec(Noted)))


class NotedForLosses(Noted):
    """Has a loss that goes by what is noted on parameters."""

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        loss = super().loss(model, batch)
        return loss + sum(each.square().sum() for each in model.parameters() if hasattr(each, "factor"))


def test_a_loss_finds_what_a_model_notes_on_parameters(groups: dict[int, Peers | None]) -> None:
    assert_near(walked(groups[2], spec(NotedForLosses)), walked(None, spec(NotedForLosses)))


class ReadOut(nn.Module):
    """Computes with a weight that it keeps beside the layer that has it."""

    def __init__(self) -> None:
        super().__init__()
        self.within, self.out = nn.Linear(6, 6), nn.Linear(6, 3)
        self.kept = [self.within.weight]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.out(self.within(x).tanh() @ self.kept[0])
        return found


class Keeping(ElasticBlobs):
    def make_model(self) -> nn.Module:
        return ReadOut()


def test_parameters_as_they_were_before_they_were_divided_are_refused(groups: dict[int, Peers | None]) -> None:
    assert "uses the parameter 'within.weight' as make_model() made it" in error_of(groups[2], spec(Keeping))
    walked(None, spec(Keeping), until=1)


class Shifted(nn.Module):
    """Changes in place what its block returns, a view."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.block = nn.Linear(6, 3), BlockWithView(nn.Linear(3, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.block(self.first(x).tanh())
        found += 0.5
        return found


class BlockWithView(nn.Sequential):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x).view(len(x), 3)


class ShiftedBlocks(ElasticBlobs):
    elastic_blocks = (BlockWithView,)

    def make_model(self) -> nn.Module:
        return Shifted()


@pytest.mark.filterwarnings("ignore:FSDP2-wrapped module")
def test_views_of_blocks_that_are_changed_in_place_are_refused(groups: dict[int, Peers | None]) -> None:
    assert "or a view that is changed in place" in error_of(groups[2], spec(ShiftedBlocks))


def test_all_that_torch_lists_as_drawing_is_refused_and_its_list_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch.distributed.tensor import DTensor

    dispatcher = DTensor._op_dispatcher
    listed = set(dispatcher._random_ops)
    monkeypatch.delattr(dispatcher, "_random_ops")
    before = {*number_handlers()}
    with nothing_drawn("setup() of Mine"):
        assert listed <= number_handlers().keys()
    assert {*number_handlers()} == before


class Redrawing(ElasticBlobs):
    """Args: way: the method of tensors that draws; where: the trainer's that calls it."""

    def __init__(self, *, way: str = "normal_", where: str = "setup") -> None:
        super().__init__()
        self.way, self.where = way, where

    def _redraw(self, where: str) -> None:
        if where == self.where:
            with torch.no_grad():
                getattr(next(self.model.parameters()), self.way)()

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        self._redraw("make_optimizer")
        return torch.optim.SGD(params, lr=1e-3)

    def setup(self, hp: Mapping[str, Any]) -> None:
        self._redraw("setup")


@pytest.mark.parametrize("way", ["normal_", "exponential_", "random_"])
@pytest.mark.parametrize("where", ["setup", "make_optimizer"])
def test_numbers_that_would_be_the_same_in_each_piece_are_not_drawn(
    groups: dict[int, Peers | None], way: str, where: str
) -> None:
    of = spec(Redrawing, way=way, where=where)
    assert f"{where}() of Redrawing draws numbers into a parameter" in error_of(groups[2], of)
    walked(None, of, until=1)
