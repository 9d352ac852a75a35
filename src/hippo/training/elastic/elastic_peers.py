"""The other ranks of a worker whose trainer lies in pieces in all of them.

Rank 0 walks the lane, loads data, tells and saves; its peers follow, message by message, so that each does the same at
the same moment. Whatever fails in one of them ends what all are at, and is raised here. This module refuses to know
lanes, and how tensors are divided.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from hippo.errors import HparamError, TrainerError
from hippo.training.elastic import computing
from hippo.training.elastic.asked_of_pieces import advice_on_blocks, nothing_drawn
from hippo.training.elastic.messages import (
    BuildRank,
    CompareRank,
    DescendRank,
    ElasticMessage,
    EvaluateRank,
    Followed,
    GatherRank,
    LeaveRanks,
    ScatterRank,
    SetUpRank,
)
from hippo.training.elastic.pieces import (
    divide,
    divisible,
    emptied,
    forms_of,
    put_together,
    require_like_parameters,
    taken_apart,
)
from hippo.training.elastic.rank_group import RankGroup, is_cut, require_no_group
from hippo.training.elastic.signature import signature_of
from hippo.training.feeding.weighted_means import WeightedMeans
from hippo.training.sharding.cutting import cut, shard_sizes
from hippo.training.sharding.mean_loss import looks_of
from hippo.training.sharding.peers import Peers, raise_failure_of

if TYPE_CHECKING:
    from torch import nn

    from hippo.training.torch_trainer import TorchTrainer
    from hippo.training.values import HparamValues

T = TypeVar("T")


class ElasticPeers:
    """The others, for one trainer of this worker: from its `build` to its `close`.

    Args:
      peers: the way to them.
    """

    def __init__(self, peers: Peers) -> None:
        self._peers = peers
        self._ranks = peers.ranks
        self._group: RankGroup | None = None
        self._signature: tuple[Any, ...] = ()
        self._built: Mapping[str, Any] = {}
        #: what failed, as a sentence; None: nothing
        self._broken_by: str | None = None

    def divide(self, trainer: TorchTrainer, model: nn.Module) -> nn.Module:
        assert self._peers.spec is not None, "peers are asked within an assignment only"
        self._signature, self._built = signature_of(model), dict(trainer.hp.raw)
        require_no_group()  # before any rank waits for this one
        with tempfile.TemporaryDirectory(prefix="hippo-ranks-") as folder:  # needed until all have met
            message = BuildRank(spec=self._peers.spec, values=self._built, rendezvous=os.path.join(folder, "store"))
            self._send([message])
            self._group = RankGroup(0, self._ranks, message.rendezvous)
        divide(model, self._group.mesh, blocks=trainer.elastic_blocks, name=type(trainer).__name__)
        return model

    @contextmanager
    def building(self, name: str) -> Iterator[None]:
        try:
            with nothing_drawn(f"make_optimizer() of {name}"):
                yield
            answers = self._hear(None)
            for rank, answer in enumerate(answers, 1):
                if answer.said != self._signature:
                    raise TrainerError(
                        f"the model that rank {rank} made is not that of rank 0: make_model() must depend on values, "
                        "the seed and the trainer's arguments alone"
                    )
        except Exception:
            self.leave()  # nobody closes what was never built
            raise

    def set_up(self, trainer: TorchTrainer, given: HparamValues, step: int) -> None:
        message = SetUpRank(values=dict(trainer.hp.raw), given=dict(given.raw), step=step)
        self._together([message], lambda: computing.set_up(trainer, given))

    def begin_step(self, trainer: TorchTrainer, batch_size: int) -> None:
        """Refuse a step that cannot be taken together.

        Raises:
          HparamError: there are more ranks than samples in each batch.
        """
        if batch_size < self._ranks:
            raise HparamError(
                f"batch_size is {batch_size}, but each batch is divided among ranks={self._ranks} processes, each of "
                f"which needs a sample. Use batches of at least {self._ranks}, or an engine with fewer ranks."
            )
        self._looks = looks_of(trainer, self._built)

    def descend(self, trainer: TorchTrainer, batch: Any) -> float:
        samples, weight = trainer._batch.samples, trainer._batch.weight
        position, values = trainer._training.samples, dict(trainer.hp.raw)
        looks_closely = False
        if trainer._batch.is_short and samples < 2 * self._ranks:
            # a short batch, at the end of a step or an epoch: not enough for all, or for batch norm. So each has all
            parts, shares = [batch] * self._ranks, [1.0] * self._ranks
        else:
            sizes = shard_sizes(samples, self._ranks, is_short=False)
            parts, shares = cut(batch, sizes), [size * self._ranks / samples for size in sizes]
            looks_closely = self._looks.is_due()
            if looks_closely:
                self._require_mean(trainer, batch, parts, shares)
        messages = [
            DescendRank(part=part, share=share, weight=weight, position=position, values=values)
            for part, share in zip(parts[1:], shares[1:], strict=True)
        ]
        own, answers = self._together(
            messages,
            lambda: computing.descend(
                trainer,
                parts[0],
                share=shares[0],
                weight=weight,
                rank=0,
                ranks=self._ranks,
                position=position,
                looks_closely=looks_closely,
            ),
        )
        losses = [own, *(answer.said for answer in answers)]
        return float(sum(share * loss for share, loss in zip(shares, losses, strict=True))) / self._ranks

    def evaluate(self, trainer: TorchTrainer) -> dict[str, float]:
        """Return the metrics of the validation set: each rank evaluates whole batches, and sums have their order."""
        means, values, position = WeightedMeans(), dict(trainer.hp.raw), trainer._training.samples
        number = 0
        for dealt in _dealt(zip(trainer._validation.batches(), trainer._validation.sizes, strict=True), self._ranks):
            batches = [batch for batch, _ in dealt]
            # all compute at once, since parameters are put together at once: who has no batch does one again
            batches += [batches[0]] * (self._ranks - len(batches))
            messages = [
                EvaluateRank(batch=batch, number=number + rank, position=position, values=values)
                for rank, batch in enumerate(batches[1:], 1)
            ]
            own, answers = self._together(messages, _evaluation(trainer, batches[0], number, position))
            for (_, size), metrics in zip(dealt, [own, *(answer.said for answer in answers)], strict=False):
                means.add(metrics, samples=size)
            number += len(dealt)
        return means.result()

    def gather(self, trainer: TorchTrainer, state: dict[str, Any]) -> dict[str, Any]:
        require_like_parameters(trainer)
        message = GatherRank(parts=tuple(state), forms=forms_of(state), values=dict(trainer.hp.raw))
        whole: dict[str, Any] = self._together([message], lambda: put_together(state))[0]
        return whole

    def scatter(self, trainer: TorchTrainer, state: dict[str, Any]) -> dict[str, Any]:
        divided = divisible(state)
        own, _ = self._together([ScatterRank(state=emptied(divided))], lambda: taken_apart(trainer, divided))
        return {**state, **own}

    def leave(self) -> None:
        """Part: the trainer is closed."""
        if self._group is None:
            return
        group, self._group = self._group, None
        try:
            self._send([LeaveRanks()])
            self._peers.hear()
        finally:
            group.leave()

    # --- together

    def _together(self, messages: Sequence[ElasticMessage], own: Callable[[], T]) -> tuple[T, list[Followed]]:
        """Have peers follow a message, the same for all or one for each, and do rank 0's part meanwhile."""
        if self._broken_by is not None or self._group is None:
            why = "" if self._broken_by is None else f": {self._broken_by}"
            raise TrainerError(f"the ranks of this trainer have parted, since something failed in one of them{why}")
        try:
            self._send(messages)
            try:
                done = own()
            except Exception as error:
                self._cut()
                self._hear(error)
                raise
            return done, self._hear(None)
        except Exception as error:  # whoever called may not tell
            self._broken_by = f"{type(error).__name__}: {error}"
            raise

    def _send(self, messages: Sequence[ElasticMessage]) -> None:
        each = list(messages) if len(messages) == self._ranks - 1 else [messages[0]] * (self._ranks - 1)
        self._peers.ask([pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL) for message in each])

    def _hear(self, own: Exception | None) -> list[Followed]:
        """Return the answers of all peers.

        Args:
          own: what failed here, if anything.

        Raises:
          Exception: what failed first, here or at a peer: not what failed since another one did.
        """
        answers: list[Followed] = self._peers.hear()
        if own is not None and not is_cut(own):
            return answers  # the caller raises it
        failed = [(rank, answer) for rank, answer in enumerate(answers, 1) if answer.failed is not None]
        for rank, answer in failed:
            if not answer.is_cut:
                self._cut()
                raise_failure_of(answer.failed, rank)
        if failed:
            self._cut()
            raise_failure_of(failed[0][1].failed, failed[0][0])
        return answers

    def _cut(self) -> None:
        if self._group is not None:
            self._group.cut()

    def _require_mean(self, trainer: TorchTrainer, batch: Any, parts: Sequence[Any], shares: Sequence[float]) -> None:
        """Refuse a loss that is no mean over samples: what the parts come to would not be the batch's."""
        values = dict(trainer.hp.raw)
        messages = [CompareRank(whole=batch, part=part, values=values) for part in parts[1:]]
        own, answers = self._together(messages, lambda: computing.compare(trainer, batch, parts[0]))
        found = [own, *(answer.said for answer in answers)]
        losses = [each for each in found if each is not None]
        if len(losses) < len(found):
            return  # it draws numbers for each sample: those of a part are others
        whole = losses[0][0]
        mean = sum(share * part for share, (_, part) in zip(shares, losses, strict=True)) / self._ranks
        if not self._looks.is_mean(whole, mean, precision=trainer.precision):
            raise TrainerError(
                f"{type(trainer).__name__}.loss() of a batch is {whole:.6g}, but the mean over its {self._ranks} parts "
                f"is {mean:.6g}: it is no mean over samples, so that ranks would train something else. Return a mean "
                "over the batch's samples, with penalties on parameters taken after model(...), since ranks have only "
                f"pieces of them before{advice_on_blocks(trainer.elastic_blocks)}. Or train it with numerics='exact' "
                "on an engine without ranks="
            )


def _evaluation(trainer: TorchTrainer, batch: Any, number: int, position: int) -> Callable[[], Any]:
    return lambda: computing.evaluate(trainer, batch, number=number, position=position)


def _dealt(batches: Iterable[T], ranks: int) -> Iterable[list[T]]:
    dealt: list[T] = []
    for batch in batches:
        dealt.append(batch)
        if len(dealt) == ranks:
            yield dealt
            dealt = []
    if dealt:
        yield dealt
