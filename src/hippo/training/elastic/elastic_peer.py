"""What a peer does with its part of a trainer: it follows its worker, message by message.

It refuses to know lanes and stores, and decides nothing: what is to be done, under which values, each message says.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from hippo.errors import TrainerError
from hippo.records import TrainerSpec
from hippo.training.declarative.trainer_data import batch_size_of
from hippo.training.elastic import computing
from hippo.training.elastic.here import set_elastic_rank
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
from hippo.training.elastic.pieces import divide, forms_of, help_put_together, pieces_of, taken_apart
from hippo.training.elastic.rank_group import RankGroup, is_cut
from hippo.training.elastic.signature import signature_of
from hippo.training.process.streams import seed_everything
from hippo.training.sharding.messages import failure_as_message
from hippo.training.trainer import Trainer
from hippo.training.values import HparamValues, same_values

if TYPE_CHECKING:
    from torch import nn

    from hippo.training.torch_trainer import TorchTrainer


class ElasticPeer:
    """One peer.

    Args:
      rank: of this process, from 1 on.
      ranks: how many there are.
      pristine: returns a workload's trainer, in the surroundings in which its code runs.
    """

    def __init__(self, rank: int, ranks: int, pristine: Callable[[TrainerSpec], Trainer]) -> None:
        self._rank, self._ranks = rank, ranks
        self._pristine = pristine
        self._group: RankGroup | None = None
        self._trainer: Any = None
        self._signature: tuple[Any, ...] = ()

    def follow(self, message: ElasticMessage) -> Followed:
        """Do what a message asks for, and return what came of it."""
        if isinstance(message, LeaveRanks):
            self._leave()
            return Followed()
        try:
            said = self._followed(message)
            pickle.dumps(said)
        except Exception as error:
            if self._group is not None:
                self._group.cut()  # or the others would wait for this one
            return Followed(failed=failure_as_message(error), is_cut=is_cut(error))
        return Followed(said=said)

    def _followed(self, message: ElasticMessage) -> Any:
        if isinstance(message, BuildRank):
            return self._build(message)
        trainer = self._trainer
        if trainer is None:
            raise TrainerError("this rank has no trainer, since its build failed")
        match message:
            case SetUpRank():
                trainer.hp = HparamValues(message.values)
                seed_everything(trainer.seed, "setup", message.step)
                computing.set_up(trainer, HparamValues(message.given))
                return None
            case ScatterRank():
                self._load(trainer, message.state)
                return None
        self._follow_values(trainer, message.values)  # type: ignore[union-attr]
        match message:
            case DescendRank():
                return computing.descend(
                    trainer,
                    message.part,
                    share=message.share,
                    weight=message.weight,
                    rank=self._rank,
                    ranks=self._ranks,
                    position=message.position,
                )
            case CompareRank():
                return computing.compare(trainer, message.whole, message.part)
            case EvaluateRank():
                return computing.evaluate(trainer, message.batch, number=message.number, position=message.position)
            case GatherRank():
                state = {name: each for name, each in pieces_of(trainer).items() if name in message.parts}
                if forms_of(state) != list(message.forms):
                    raise TrainerError(
                        f"the state of {type(trainer).__name__} has other tensors in rank {self._rank} than in rank 0: "
                        "what setup() and make_optimizer() do must depend on values and the seed alone"
                    )
                help_put_together(state)
        return None

    def _build(self, message: BuildRank) -> tuple[Any, ...]:
        self._leave()
        self._group = RankGroup(self._rank, self._ranks, message.rendezvous)
        trainer: Any = copy.copy(self._pristine(message.spec))
        trainer.hp = HparamValues(message.values)
        seed_everything(trainer.seed, "build", 0)
        set_elastic_rank(self)  # type: ignore[arg-type]  # of all that it asks of, trainers here use two
        try:
            trainer.build()
        finally:
            set_elastic_rank(None)
        self._trainer = trainer
        return self._signature

    def divide(self, trainer: TorchTrainer, model: nn.Module) -> nn.Module:
        """Return a model that was just made, of which each rank keeps a part."""
        assert self._group is not None, "they meet first"
        self._signature = signature_of(model)
        divide(model, self._group.mesh, blocks=trainer.elastic_blocks, name=type(trainer).__name__)
        return model

    def building(self, name: str) -> AbstractContextManager[None]:
        """Go on: the worker compares what was built, and what fails is told as of any message."""
        return nullcontext()

    def _follow_values(self, trainer: Any, values: Mapping[str, Any]) -> None:
        if not same_values(values, trainer.hp.raw):
            trainer.hp = HparamValues(values)
        trainer._live.apply(trainer)

    def _load(self, trainer: Any, state: Mapping[str, Any]) -> None:
        own = taken_apart(trainer, state)
        trainer.model.load_state_dict(own["model"])
        trainer._live.load_state_dict(own)
        if not trainer._descent.is_stateless:
            batch_size = batch_size_of(trainer, trainer.hp.raw)
            trainer._descent.load_state_dict(own, trainer.model, batch_size=batch_size)

    def _leave(self) -> None:
        self._trainer = None
        if self._group is not None:
            group, self._group = self._group, None
            group.leave()
