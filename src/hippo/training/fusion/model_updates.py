"""Updates of a model that is walked alone, recorded as those of lanes are.

A recording has the bits of what it was recorded of, so that a state tells nobody of it. It stands in for `loss`,
gradients and nothing else: clipping and optimizers follow as ever. This module refuses to know steps and lanes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from hippo.training.fusion.lane_tensors import places_of
from hippo.training.fusion.recorded_loss import LossRecorder, RecordedLoss
from hippo.training.fusion.recording_experience import RecordingExperience, RecordingListener
from hippo.training.fusion.recordings import recorder_of
from hippo.training.torch_attributes import checked_loss

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


class ModelTensors:
    """The tensors of one model, and whatever else its optimizers train.

    Args:
      model: whose they are.
    """

    num_lanes = 1

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._trained: dict[str, Tensor] = {}
        self._parameters: list[tuple[str, Tensor]] = []
        #: how often others were trained since, or the model was set up anew
        self.refreshed = 0

    def refresh(self, optimizers: Collection[torch.optim.Optimizer]) -> None:
        """Look anew which tensors are trained: what optimizers have, and gradients are wanted of."""
        own = {id(each): name for name, each in self._model.named_parameters()}
        found = [each for one in optimizers for group in one.param_groups for each in group["params"]]
        trained = {
            own.get(id(each), f"parameter {number} of optimizers"): each
            for number, each in enumerate(found)
            if each.requires_grad
        }
        self._parameters = list(({**dict(self._model.named_parameters()), **trained}).items())
        if [*map(id, trained.values())] != [*map(id, self._trained.values())]:
            self.refreshed += 1
        self._trained = trained

    def trained(self) -> Mapping[str, Tensor]:
        """Return what gradients are wanted of, by name."""
        return self._trained

    def parameters(self) -> Mapping[str, Tensor]:
        """Return all parameters, and what else is trained, by name."""
        return {name: each.detach() for name, each in self._parameters}

    def own_buffers(self) -> Mapping[str, Tensor]:
        """Return the model's buffers, by name."""
        return dict(self._model.named_buffers())

    def buffers_of_others(self) -> Sequence[str]:
        """Return the names of buffers that lie in the memory of parameters: a model assigned these."""
        params = {each.untyped_storage().data_ptr() for _, each in self._parameters}
        return [name for name, each in self._model.named_buffers() if each.untyped_storage().data_ptr() in params]

    def addresses(self) -> tuple[tuple[str, int], ...]:
        """Return where each tensor lies in memory."""
        return tuple((name, each.data_ptr()) for name, each in (*self._parameters, *self._model.named_buffers()))

    def assign(self, buffers: Mapping[str, Tensor]) -> None:
        """Put tensors in the places of these buffers, all that are tied."""
        own = dict(self._model.named_buffers())
        if all(own.get(name) is tensor for name, tensor in buffers.items()):
            return
        places = places_of(self._model)
        for name, tensor in buffers.items():
            for holder, key in places.get(name, ()):
                holder[key] = tensor


class ModelLoss:
    """The loss of a model on a batch, and its gradients, kernel by kernel: what `TorchTrainer.update` takes.

    Args:
      trainer: whose `loss` it is.
      tensors: of its model.
    """

    def __init__(self, trainer: TorchTrainer, tensors: ModelTensors) -> None:
        self._trainer, self._tensors = trainer, tensors

    def losses(self, batch: Any) -> Tensor:
        """Return the loss."""
        return checked_loss(self._trainer.loss(self._trainer.model, batch), is_plain=True)

    def gradients(self, losses: Tensor, names: Collection[str], factor: float = 1.0) -> Mapping[str, Tensor | None]:
        """Return gradients of the trained parameters of these names; None where the loss does not depend on one."""
        assert factor == 1.0, "gradients of several batches are added by whoever is not recorded"
        trained = {name: each for name, each in self._tensors.trained().items() if name in names}
        for each in trained.values():
            each.grad = None
        with self._trainer._descent.no_autocast():
            losses.backward()  # type: ignore[no-untyped-call]
        return {name: each.grad for name, each in trained.items()}


class ModelUpdates:
    """Steps of a trainer's optimizers down its loss, which is recorded once several updates were alike.

    Args:
      trainer: walked alone, and of those of which `updates_of` makes these.
      surroundings: hear why nothing is recorded.
    """

    def __init__(self, trainer: TorchTrainer, surroundings: LossRecorder) -> None:
        on = surroundings.of_device(trainer._device)
        assert on is not None, "who asks has looked whether there is a recorder"
        self._trainer = trainer
        self._tensors = ModelTensors(trainer.model)
        self._loss = RecordedLoss(trainer, self._tensors, ModelLoss(trainer, self._tensors), on, surroundings)
        self._surroundings = surroundings
        self._optimizers: Mapping[str, torch.optim.Optimizer] = {}

    @property
    def is_on(self) -> bool:
        """Whether anything is recorded, or may be."""
        return not self._surroundings.experience.refusal

    def begin_step(self) -> None:
        """Look at the trainer anew: what lies between steps is anybody's code."""
        self._follow_optimizers()
        self._loss.begin_step()

    def descend(self, batch: Any, *, weight: float) -> Tensor:
        """Take a step down the loss on a batch, and return that loss."""
        trainer = self._trainer
        if self._optimizers is not trainer._live.by_name:  # made anew for the values of one batch
            self._follow_optimizers()
        loss = self._loss.losses(batch)
        found = self._loss.gradients(loss, self._tensors.trained(), 1.0)
        pairs = _pairs(self._tensors.trained(), found)
        trainer._descent.take_gradients(self._optimizers.values(), pairs, weight=weight, clip_norm=trainer.clip_norm)
        return loss.clone() if self._loss.is_played else loss.detach()

    def note_setup(self) -> None:
        """Take note that what losses depend on may have changed where nobody looks."""
        self._tensors.refreshed += 1

    def tell(self, listener: RecordingListener) -> None:
        """Have another hear of recordings."""
        self._surroundings.listener = listener

    def stop(self, why: str) -> bool:
        """Let go what was recorded, and the memory that it has, and record no more; tell whether there was anything."""
        was_recorded = self._loss.drop()
        if was_recorded:
            self._surroundings.refuse(why)
        return was_recorded

    def _follow_optimizers(self) -> None:
        self._optimizers = self._trainer._live.by_name
        self._tensors.refresh(self._optimizers.values())


def updates_of(
    trainer: TorchTrainer, experience: RecordingExperience, listener: RecordingListener
) -> ModelUpdates | None:
    """Return what records the updates of a trainer that is walked alone; None: nothing can, which is told.

    Args:
      experience: with its workload, walked alone.
      listener: hears of it.
    """
    surroundings = LossRecorder(experience, listener, recorder_of)
    if experience.refusal or surroundings.of_device(trainer._device) is None:
        return None
    if why := _refusal_of(trainer):
        surroundings.refuse(why)
        return None
    return ModelUpdates(trainer, surroundings)


def _refusal_of(trainer: TorchTrainer) -> str:
    """Return why updates of a trainer that is walked alone cannot be recorded; empty: nothing is known against it."""
    from hippo.training.torch_trainer import TorchTrainer

    cls = type(trainer)
    changed = [name for name in ("train_on_batch", "update") if getattr(cls, name) is not getattr(TorchTrainer, name)]
    if changed:
        return f"{cls.__name__} has a {changed[0]}() of its own, which may do more than one step down one loss"
    if trainer.accumulate != 1:
        return f"accumulate = {trainer.accumulate!r}: gradients of several batches make one step"
    if trainer.precision == "fp16":
        return "precision = 'fp16' scales losses anew as it goes"
    if trainer._sharder is not None or trainer._ranks is not None:
        return "a batch is computed in parts"
    if trainer._live.needs_closure:
        return "its optimizer computes the loss as often as it likes"
    if any(getattr(each, "_post_accumulate_grad_hooks", None) for each in trainer.model.parameters()):
        return "a parameter has a hook that is called with its gradient"
    return ""


def _pairs(trained: Mapping[str, Tensor], gradients: Mapping[str, Tensor | None]) -> Iterator[tuple[Tensor, Tensor]]:
    for name, parameter in trained.items():
        if (gradient := gradients[name]) is not None:
            yield parameter, gradient
