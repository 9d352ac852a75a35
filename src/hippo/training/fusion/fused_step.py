"""One step of lanes as one program: batches fetched once for all of them, losses, gradients, optimizers, averages.

What `TorchTrainer.train` does for one lane is done here for several, in the same order. It refuses to know what becomes
of a step that fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from hippo.records import Fusion
from hippo.training.declarative.trainer_data import batch_size_of
from hippo.training.feeding.data import to_device
from hippo.training.fusion.compiled_loss import CompiledLoss, LossCompiler
from hippo.training.fusion.fused_loss import FusedLoss
from hippo.training.fusion.fused_state import FusedState
from hippo.training.fusion.lane_values import LaneValues
from hippo.training.fusion.recorded_loss import LossRecorder, RecordedLoss
from hippo.training.fusion.written_buffers import written_buffers

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


class FusedStep:
    """Takes steps of lanes.

    Args:
      trainer: the template.
      state: of the lanes, which a step changes.
      fusion: how they are walked.
      compiler: decides when updates are compiled; None: they never are.
      recorder: has updates recorded, where they are not compiled; None: they never are.
    """

    def __init__(
        self,
        trainer: TorchTrainer,
        state: FusedState,
        fusion: Fusion,
        compiler: LossCompiler | None = None,
        recorder: LossRecorder | None = None,
    ) -> None:
        self._trainer, self._state, self._recorder = trainer, state, recorder
        plain = FusedLoss(trainer, state.tensors, fusion)
        on = None if recorder is None else recorder.of_device(trainer._device)
        self._loss: FusedLoss | CompiledLoss | RecordedLoss = plain
        if compiler is not None:
            self._loss = CompiledLoss(trainer, state.tensors, plain, compiler)
        elif recorder is not None and on is not None and trainer.accumulate == 1:
            self._loss = RecordedLoss(trainer, state.tensors, plain, on, recorder)
        #: buffers that the model writes in training, which no two lanes have in common; None: not known yet
        self._written: frozenset[str] | None = None

    def take(self, values: LaneValues, in_common: set[str]) -> list[dict[str, float]]:
        """Take a step under these values, and return each lane's training metrics.

        Args:
          values: of the step, in each lane.
          in_common: collects the names that anything but an optimizer looks at.

        Raises:
          LanesDifferIn: lanes differ in one of those.
        """
        with self._loss.step():
            return self._take(values, in_common)

    def drop_recording(self) -> bool:
        """Let go what was recorded, and the memory that it has; return whether there was anything."""
        return isinstance(self._loss, RecordedLoss) and self._loss.drop()

    def refuse_recordings(self, why: str) -> None:
        """Record nothing any more."""
        if self._recorder is not None:
            self._recorder.refuse(why)

    def _take(self, values: LaneValues, in_common: set[str]) -> list[dict[str, float]]:
        trainer, state = self._trainer, self._state
        trainer.hp = values.each[0].recording(in_common)
        self._require_model(values)
        state.move_on()
        state.optimizer.apply(values.each)
        trainer._training.give(trainer.hp)
        trainer._modes.enter(trainer.model)
        batch_size = batch_size_of(trainer, trainer.hp)
        values.require_common(in_common)
        step, samples, total = trainer._training.steps, 0, torch.zeros((), dtype=torch.float64)
        for fed in trainer._training.step(batch_size):
            if trainer.apply_hparams == "batch":
                of_batch = values.at(step + fed.share)
                trainer.hp = of_batch.each[0].recording(in_common)
                state.optimizer.apply(of_batch.each)
            else:
                of_batch = values
            weight = state.descent.weight_of(fed.samples, batch_size)
            losses = self._descend(to_device(fed.batch, trainer._device), of_batch, in_common, weight)
            total = total + losses.to(torch.float64) * fed.samples
            samples += fed.samples
            if trainer.ema_decay is not None and not state.descent.is_waiting:
                state.average_weights()
        trainer.hp = values.each[0]
        state.optimizer.apply(values.each)  # a state is saved under the step's values, whatever its last batch had
        if trainer.swa_from is not None and step >= trainer.swa_from:
            state.average_weights()
        return [{"loss": each / samples} for each in total.tolist()]

    def _descend(self, batch: Any, values: LaneValues, in_common: set[str], weight: float) -> Tensor:
        """Update all lanes on a batch; return their losses."""
        trainer, state = self._trainer, self._state
        if self._written is None:
            self._written = written_buffers(trainer, batch)
        state.tensors.part(self._written)
        losses = self._loss.losses(batch)
        clip_norm = trainer.clip_norm  # which may be a property that looks at values
        values.require_common(in_common)
        gradients = self._loss.gradients(losses, state.optimizer.names, state.descent.factor(weight))
        state.descent.take(state.optimizer, state.tensors, gradients, weight=weight, clip_norm=clip_norm)
        return losses.detach()

    def _require_model(self, values: LaneValues) -> None:
        """Refuse values that the model was not made for, as each lane alone would."""
        self._state.floats.check_values(self._trainer, values)
