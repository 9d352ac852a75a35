"""What each rank does with its part of a batch, at the same moment as the others. It refuses to know messages."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed

from hippo.errors import TrainerError, listed
from hippo.training.declarative.torch_attributes import checked_loss
from hippo.training.elastic.asked_of_pieces import all_ranks_run, nothing_drawn
from hippo.training.elastic.left_out import fill_in, require_moved, wholes_noted
from hippo.training.elastic.pieces import put_away
from hippo.training.elastic.rank_group import is_cut
from hippo.training.failures import is_resource_error
from hippo.training.feeding.data import to_device
from hippo.training.feeding.weighted_means import WeightedMeans
from hippo.training.process.streams import seed_generators, stream_seed
from hippo.training.sharding.mean_loss import losses_at_rest

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer
    from hippo.training.values import HparamValues


def descend(
    trainer: TorchTrainer,
    part: Any,
    *,
    share: float,
    weight: float,
    rank: int,
    ranks: int,
    position: int,
    looks_closely: bool = False,
) -> float:
    """Take a step down the mean loss of a batch, of which this rank has a part; return the part's loss.

    Args:
      share: by what its loss is multiplied, so that the mean over ranks is that over the batch's samples.
      weight: of the batch among those that make one step.
      position: the samples that were given out before.
      looks_closely: whether to look for what is written into parameters unseen; one rank can do it for all.
    """
    model = trainer.model
    trainer._modes.enter(model)
    before = _buffers(model)
    # of its own: with the same one, ranks would drop the same units and add the same noise to different samples
    seed_generators(stream_seed(trainer.seed, f"elastic/{rank}/{ranks}", position))
    with _ours(trainer), wholes_noted(model, looks_closely=looks_closely) as wholes, trainer._descent.autocast():
        loss = checked_loss(trainer.loss(model, to_device(part, trainer._device)), is_plain=True)
        scaled = loss if share == 1.0 else loss * share
    fill_in(model, wholes, loss)
    with _ours(trainer):
        trainer._descent.take(trainer._live.by_name.values(), scaled, weight=weight, clip_norm=trainer.clip_norm)
    require_moved(wholes)
    put_away(model)
    _settle_buffers(model, before, ranks, type(trainer).__name__)
    return float(loss.detach())


def set_up(trainer: TorchTrainer, given: HparamValues) -> None:
    """Call `setup`."""
    with _ours(trainer), nothing_drawn(f"setup() of {type(trainer).__name__}"):
        trainer.setup(given)


def compare(trainer: TorchTrainer, whole: Any, part: Any) -> list[float] | None:
    """Return the loss of a batch and of this rank's part of it, as they are evaluated; None if that cannot be.

    It cannot where losses draw numbers, or the loss of the whole batch, which is the same in all ranks, fails as it is
    evaluated and not as it is trained, as one does that takes gradients itself: it is tried with them, too.
    """
    for has_gradients in (False, True):
        try:
            with _ours(trainer):
                first = losses_at_rest(trainer, (whole,), has_gradients=has_gradients)
        except Exception as error:
            if is_cut(error) or is_resource_error(error):
                raise
            continue
        finally:
            put_away(trainer.model)
        try:
            with _ours(trainer):  # what fails here may fail in this rank alone
                own = losses_at_rest(trainer, (part,), has_gradients=has_gradients)
        finally:
            put_away(trainer.model)
        return None if first is None or own is None else [*first, *own]
    return None


def evaluate(trainer: TorchTrainer, batch: Any, *, number: int, position: int) -> Mapping[str, float]:
    """Return the metrics of a batch of the validation set; its chance does not depend on who evaluates it."""
    model = trainer.model.eval()
    seed_generators(stream_seed(trainer.seed, f"elastic evaluation/{number}", position))
    means = WeightedMeans()
    try:
        with _ours(trainer), torch.no_grad(), trainer._descent.autocast():
            means.add(trainer.metrics(model, to_device(batch, trainer._device)), samples=1)
    finally:
        put_away(model)
    return means.result()


def _ours(trainer: TorchTrainer) -> AbstractContextManager[None]:
    return all_ranks_run(type(trainer).__name__, trainer.elastic_blocks)


def _buffers(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: each.detach().clone() for name, each in model.named_buffers()}


def _settle_buffers(model: torch.nn.Module, before: Mapping[str, torch.Tensor], ranks: int, name: str) -> None:
    """Bring buffers that a batch has changed, or made, to their mean over the ranks; whole numbers have to agree."""
    buffers = dict(model.named_buffers())
    forms = str([(key, tuple(each.shape), each.dtype) for key, each in buffers.items()])
    digest = zlib.crc32(forms.encode())
    distributed: Any = torch.distributed
    extremes = torch.tensor([digest, -digest])
    distributed.all_reduce(extremes, op=distributed.ReduceOp.MAX)  # others' sums would meet this rank's, or nobody's
    if extremes.sum() != 0:
        there = listed(sorted(buffers), 10) or "none"
        raise TrainerError(
            f"the parts of a batch leave other buffers in {name}'s model in one rank than in another, where they are "
            f"{there}. Make buffers in make_model(), or in every pass alike, or train on an engine without ranks="
        )
    if not buffers:
        return
    moved = [key not in before or not torch.equal(each, before[key]) for key, each in buffers.items()]
    anywhere = torch.tensor(moved, dtype=torch.int64)
    distributed.all_reduce(anywhere, op=distributed.ReduceOp.MAX)
    with torch.no_grad():
        for buffer, has_moved in zip(buffers.values(), anywhere.tolist(), strict=True):
            if not has_moved:
                continue
            if buffer.is_floating_point():
                total = buffer.to(torch.float64)
                distributed.all_reduce(total)
                buffer.copy_(total / ranks)
                continue
            least, most = buffer.to(torch.int64), buffer.to(torch.int64)
            distributed.all_reduce(least, op=distributed.ReduceOp.MIN)
            distributed.all_reduce(most, op=distributed.ReduceOp.MAX)
            if not torch.equal(least, most):
                raise TrainerError(
                    f"the parts of a batch leave other whole numbers in the buffers of {name}'s model: they count "
                    "something about their samples, which has no mean. Keep such buffers out of training, or train on "
                    "an engine without ranks="
                )
