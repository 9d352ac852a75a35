"""What a peer does: it follows its worker's messages until the worker is gone.

It has trainers of its own, built and set up as the worker's are, and no state. It refuses to know lanes and stores.
"""

from __future__ import annotations

import copy
import pickle
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

from hippo.errors import TrainerError
from hippo.records import TrainerSpec
from hippo.training.feeding.data import to_device
from hippo.training.process.process_settings import ProcessSettings, settings_kept
from hippo.training.process.streams import seed_everything
from hippo.training.sharding.computing import computed
from hippo.training.sharding.gloo import RankLink
from hippo.training.sharding.layout import ModuleLayout
from hippo.training.sharding.messages import (
    BeginStep,
    Begun,
    ComputeShards,
    ShardFailed,
    TellFailure,
    failure_as_message,
)
from hippo.training.sharding.peers import PeerConnection
from hippo.training.sharding.summing import FAILURES, stop_of_rank
from hippo.training.trainers import Trainers
from hippo.training.values import HparamValues
from hippo.training.walking.lanes import user_code_surrounded

if TYPE_CHECKING:
    from hippo.training.elastic.elastic_peer import ElasticPeer
    from hippo.training.torch_trainer import TorchTrainer
    from hippo.training.trainer import Trainer


class _NoAverage:
    """What stands for the average of weights in a peer: the worker alone has it."""

    @property
    def model(self) -> NoReturn:
        raise TrainerError(
            "loss() looks at self.evaluated_model: the average of weights is in one process alone, and several compute "
            "this trainer's batches; train it with one rank, or average in loss() what it needs itself"
        )


@dataclass(slots=True)
class _Copy:
    """A peer's copy of one of the worker's trainers."""

    trainer: TorchTrainer
    layout: ModuleLayout
    #: what it was last set up with; None: it was not
    values: HparamValues | None = None
    #: those of the process, as its code has left them; None: they are in force
    settings: ProcessSettings | None = None


class Peer:
    """One peer.

    Args:
      connection: to the worker.
      rank: of this process, from 1 on.
      ranks: how many there are.
      trainers: what the launcher has loaded.
    """

    def __init__(self, connection: PeerConnection, *, rank: int, ranks: int, trainers: Trainers) -> None:
        self._connection = connection
        self._rank, self._ranks = rank, ranks
        self._trainers = trainers
        self._link: RankLink | None = None
        self._copies: dict[int, _Copy] = {}
        self._failed: ShardFailed | None = None
        self._around = ExitStack()
        self._spec: TrainerSpec | None = None
        #: those of the process in which each trainer of this workload begins
        self._settings: ProcessSettings | None = None
        #: whose settings are in force now; None: those, or what is left of a copy that has gone
        self._present: _Copy | None = None
        #: what this peer is where it has a part of a trainer
        self._elastic: ElasticPeer | None = None

    def run(self) -> None:
        """Follow messages until the worker is gone."""
        while True:
            try:
                message = pickle.loads(self._connection.recv_bytes())
            except (EOFError, OSError):
                return
            match message:
                case BeginStep():
                    self._answer(self._begin(message))
                case ComputeShards():
                    self._compute(message)
                case TellFailure():
                    self._answer(self._failed)
                case _:
                    self._answer(self._follow_elastic(message))

    def _answer(self, answer: object) -> None:
        self._connection.send_bytes(pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL))

    def _follow_elastic(self, message: Any) -> Any:
        if self._elastic is None:
            from hippo.training.elastic.elastic_peer import ElasticPeer

            self._elastic = ElasticPeer(self._rank, self._ranks, self._pristine_within)
        return self._elastic.follow(message)

    def _pristine_within(self, spec: TrainerSpec) -> Trainer:
        self._enter(spec)
        self._change_to(None)
        return self._pristine(spec)

    def _begin(self, message: BeginStep) -> Begun:
        for number in message.gone:
            self._let_go(number)
        if self._link is None:
            self._link = RankLink(self._rank, self._ranks, message.rendezvous)
        try:
            self._enter(message.spec)
            held = self._copies.get(message.number)
            self._change_to(held)
            if held is None:
                held = self._present = self._copies[message.number] = self._built(message)
            self._set_up(held, message)
        except Exception as error:
            self._let_go(message.number)
            return Begun(failed=failure_as_message(error))
        return Begun(signature=held.layout.signature)

    def _let_go(self, number: int) -> None:
        if self._copies.pop(number, None) is self._present:
            self._present = None

    def _enter(self, spec: TrainerSpec) -> None:
        """Be in the surroundings in which the worker runs this trainer's code."""
        if spec == self._spec:
            return
        self._change_to(None)
        self._spec = self._settings = None
        self._around.close()
        self._around.enter_context(user_code_surrounded(spec))
        self._trainers.load(spec)  # before settings are kept, as the worker does: what a module sets as it comes stays
        self._settings = self._around.enter_context(settings_kept(lambda changes: None))  # the worker's own tell
        self._spec = spec

    def _change_to(self, held: _Copy | None) -> None:
        """Put the settings of the process in force that a copy's code has left; None: those in which a new one begins.

        The worker sets back what a lane changed, and what a check changed beside it, which is not told here.
        """
        if self._settings is None or (held is not None and held is self._present):
            return
        if self._present is not None:
            self._present.settings = ProcessSettings()
        self._settings.restore()  # of libraries, too, that the other did not know yet
        if held is not None and held.settings is not None:
            held.settings.restore()
        self._present = held

    def _pristine(self, spec: TrainerSpec) -> Trainer:
        with settings_kept(lambda changes: None):  # `__init__` changes none for others
            return self._trainers.pristine(spec)

    def _built(self, message: BeginStep) -> _Copy:
        trainer: Any = copy.copy(self._pristine(message.spec))
        trainer.hp = HparamValues(message.built)
        seed_everything(trainer.seed, "build", 0)
        trainer.build()
        if trainer._average is not None:
            trainer._average = _NoAverage()
        return _Copy(trainer, ModuleLayout(trainer.model))

    def _set_up(self, held: _Copy, message: BeginStep) -> None:
        values = HparamValues(message.values)
        changed = values.raw if held.values is None else values.changed_since(held.values)
        held.trainer.hp = values
        if changed or held.values is None:
            seed_everything(held.trainer.seed, "setup", message.step)
            held.trainer.setup(HparamValues(changed))
        held.values = values
        held.layout = ModuleLayout(held.trainer.model, message.tables)

    def _compute(self, message: ComputeShards) -> None:
        held, batch = self._copies[message.number], message.batch
        assert self._link is not None, "a step begins first"
        self._link.share(held.layout.everything())
        first, stop = stop_of_rank(self._rank, self._ranks, batch.shards)
        self._failed = None
        try:
            self._change_to(held)
            held.trainer.hp = HparamValues(message.values)
            for name, parameter in held.trainer.model.named_parameters():
                parameter.requires_grad_(name not in message.frozen)
            parts = {number: to_device(part, held.layout.device) for number, part in batch.parts.items()}
            total = computed(held.trainer, held.layout, replace(batch, parts=parts), first=first, stop=stop)
        except Exception as error:
            self._failed = failure_as_message(error)
            total = held.layout.empty()
            total.counts[FAILURES] = 1.0
        self._link.add_up(total)
