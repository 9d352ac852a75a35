"""Several training states on their way as one: the life cycle of lanes that are at one step.

Each lane comes to what `Walker` would bring it to alone, but for last bits; its state is in the same format. A fused
walker knows its lanes' values and where they stand. It refuses to know leases, boundaries and checkpoint stores, and
what becomes of lanes that it cannot walk.
"""

from __future__ import annotations

import copy
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor

from hippo.errors import CodeChangedError
from hippo.records import Fusion, NodeId, Point
from hippo.training.bases import Bases, StateEncoder
from hippo.training.codec import EncodedState
from hippo.training.data import to_device
from hippo.training.failures import is_resource_error
from hippo.training.fusion.fused_loss import FusedLoss
from hippo.training.fusion.fused_state import FusedState
from hippo.training.fusion.written_buffers import written_buffers
from hippo.training.fusion.lane_values import LaneValues, Pieces, values_of
from hippo.training.fusion.refusals import LanesDifferIn, NotFusible, refusal_of
from hippo.training.metrics import checked_metrics
from hippo.training.streams import seed_everything
from hippo.training.trainer import Trainer
from hippo.training.trainer_data import BATCH_SIZE
from hippo.training.unread_changes import UnreadChanges, ValueChange
from hippo.training.values import whole_number
from hippo.training.walker import user_code

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


class FusedStepFailed(Exception):
    """A step of all lanes could not be taken; they stand where they stood. `is_resource`: something ran out."""

    def __init__(self, reason: str, *, is_resource: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_resource = is_resource


class FusedWalker:
    """Lanes of one workload at one step with one batch size, walked as one program."""

    def __init__(
        self,
        pristine: Trainer,
        *,
        step: int,
        pieces: Sequence[Pieces],
        states: Sequence[EncodedState | None],
        goals: Sequence[Point],
        fusion: Fusion,
        bases: Bases | None = None,
    ) -> None:
        reason = refusal_of(pristine)
        if reason is not None:
            raise NotFusible(reason)
        self.step = step
        self.num_lanes = len(pieces)
        self._fusion = fusion
        self._read: set[str] = set()
        self._looks: set[str] = set()
        self._changes = [UnreadChanges() for _ in pieces]
        self._is_set_up = False
        #: buffers that the model writes in training, which no two lanes can have in common; None: not known yet
        self._written: frozenset[str] | None = None
        self._values = values_of(pieces, max(step - 1, 0), self._read, self._looks)
        begin = None if states[0] is None else cast(Sequence[EncodedState], states)
        with user_code("build", goals[0]):
            self._trainer = self._built(pristine)
        with user_code("load_state_dict", goals[0]):
            self._seed("load_state_dict", step)
            self._encoders = [StateEncoder(self._trainer, bases, begin=state) for state in states]
            self._state = FusedState(self._trainer, self._values.each, begin)

    def train(self, nodes: Sequence[NodeId], pieces: Sequence[Pieces]) -> list[dict[str, float]]:
        """Train all lanes for one step, and return what `train` would have returned, per lane."""
        assert len(nodes) == len(pieces) == self.num_lanes, "lanes that left are taken out by keep()"
        before = self._state.snapshot()
        looks: set[str] = set()
        values = values_of(pieces, self.step, self._read, looks)
        common: set[str] = set()
        try:
            means = self._train(values, common)
        except Exception as error:
            self._state.restore(before)
            if isinstance(error, CodeChangedError | NotFusible | LanesDifferIn):
                raise
            values.require_common(common)
            raise FusedStepFailed(reason_of(error), is_resource=is_resource_error(error)) from error
        self._values = values
        self.step += 1
        return [checked_metrics(each, "train") for each in means]

    def _train(self, values: LaneValues, common: set[str]) -> list[dict[str, float]]:
        trainer, state = self._trainer, self._state
        trainer.hp = values.each[0].recording(common)
        self._seed("train", self.step)
        state.optimizer.apply(values.each)
        trainer._training.give(trainer.hp)
        trainer.model.train()
        batch_size = whole_number(trainer.hp.get(BATCH_SIZE, trainer.default_batch_size))
        values.require_common(common)
        fused_loss = FusedLoss(trainer, state.tensors, is_aligned=self._fusion.is_aligned)
        total: Tensor | float = 0.0
        samples = 0
        for fed in trainer._training.step(batch_size):
            batch = to_device(fed.batch, trainer._device)
            if self._written is None:
                self._written = written_buffers(trainer, batch)
            state.tensors.part(self._written)
            losses = fused_loss.losses(batch)
            values.require_common(common)
            weight = fed.samples / batch_size
            gradients = fused_loss.gradients(state.descent.weighted(losses, weight))
            state.descent.take(
                state.optimizer, state.tensors, gradients, weight=weight, clip_norm=trainer.clip_norm
            )
            total = total + losses.detach().to(torch.float64) * fed.samples
            samples += fed.samples
        assert isinstance(total, Tensor), "a step has batches"
        return [{"loss": each / samples} for each in total.tolist()]

    def evaluate(self, lane: int, node: NodeId) -> dict[str, float]:
        """Return the metrics of a lane after `step` steps, taken under its values of the step before."""
        self._state.lend(lane)
        self._trainer.hp = self._values.each[lane]
        with user_code("evaluate", Point(node, self.step)):
            self._seed("evaluate", self.step)
            return checked_metrics(self._trainer.evaluate(), "evaluate")

    def encode(self, lane: int, node: NodeId) -> EncodedState:
        """Return a copy of a lane's state after `step` steps, in the solo format."""
        self._trainer.hp = self._values.each[lane]
        with user_code("state_dict", Point(node, self.step)):
            self._seed("state_dict", self.step)
            return self._encoders[lane].encode(self._state.state_dict(lane))

    def keep(self, lanes: Sequence[int]) -> None:
        """Keep these lanes, which are numbered anew in this order; the others have left."""
        self._state.keep(lanes)
        self._values = self._values.keep(lanes)
        self._encoders = [self._encoders[lane] for lane in lanes]
        self.num_lanes = len(lanes)

    def close(self) -> None:
        """Let the trainer release what it holds."""
        with suppress(Exception):
            self._trainer.close()

    def _built(self, pristine: Trainer) -> TorchTrainer:
        trainer = cast("TorchTrainer", copy.copy(pristine))
        common: set[str] = set()
        trainer.hp = self._values.each[0].recording(common)
        self._trainer = trainer
        self._seed("build", 0)
        trainer.build()
        self._values.require_common(trainer._model_values)
        return trainer

    def _seed(self, stream: str, step: int) -> None:
        seed_everything(self._trainer.seed, stream, step)


def reason_of(error: BaseException) -> str:
    """Return the first line of what an exception says, and the line of the user's code in which it was raised."""
    said = str(error).strip().splitlines()
    first = said[0] if said else type(error).__name__
    return first
