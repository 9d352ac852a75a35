"""Updates of a model that is walked alone, recorded as those of lanes are.

A recording has the bits of what it was recorded of, so that a state tells nobody of it. It stands in for `loss`,
gradients and nothing else: clipping and optimizers follow as ever. This module refuses to know steps and lanes.
"""

from __future__ import annotations

import weakref
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from hippo.training.declarative.torch_attributes import checked_loss
from hippo.training.fusion.lane_tensors import places_of
from hippo.training.fusion.recorded_loss import LossRecorder, RecordedLoss
from hippo.training.fusion.recordings import Recorder, recorder_of
from hippo.training.recording_experience import RecordingExperience, RecordingListener

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


#: methods that say what is done with a batch
_MORE_THAN_A_STEP = ("train", "batches_of_step", "train_on_batch", "update")


class ModelTensors:
    """The tensors of one model, and whatever else its optimizers train.

    Args:
      model: whose they are.
    """

    num_lanes = 1

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self._trained: Mapping[str, Tensor] = {}
        self._parameters: list[tuple[str, Tensor]] = []
        self._wanted: list[bool] = []
        #: how often others were trained since, or the model was set up anew
        self.refreshed = 0

    def refresh(self, optimizers: Collection[torch.optim.Optimizer]) -> None:
        """Look anew which tensors are trained: what optimizers have, and gradients are wanted of."""
        found = {id(each): (name, each) for name, each in self.model.named_parameters()}
        optimized = {id(each): each for one in optimizers for group in one.param_groups for each in group["params"]}
        for number, (key, each) in enumerate(optimized.items()):
            found.setdefault(key, (f"parameter {number} of optimizers", each))
        trained = {name: each for key, (name, each) in found.items() if key in optimized and each.requires_grad}
        self._parameters = list(found.values())
        self._wanted = [each.requires_grad for _, each in self._parameters]
        if [*map(id, trained.values())] != [*map(id, self._trained.values())]:
            self.refreshed += 1
        self._trained = trained

    def want_as_before(self) -> bool:
        """Tell whether gradients are wanted of the very parameters of which they were."""
        return self._wanted == [each.requires_grad for _, each in self._parameters]

    def refusal(self) -> str:
        """Return why what is computed with such tensors cannot be recorded; empty: nothing is known against it."""
        for name, each in (*self._parameters, *self.model.named_buffers()):
            if each.layout is not torch.strided or is_lazy(each):
                return f"{name!r} of the model has no memory that stays"
            if not _is_dense(each):
                return f"several numbers of {name!r} of the model lie in one place"
        for name, each in self._parameters:
            if each._backward_hooks or getattr(each, "_post_accumulate_grad_hooks", None):
                return f"{name!r} has a hook that is called with its gradient"
        return ""

    def trained(self) -> Mapping[str, Tensor]:
        """Return what gradients are wanted of, by name."""
        return self._trained

    def wanted(self) -> list[Tensor]:
        """Return the tensors that get gradients, whether an optimizer has them or not."""
        return [each for _, each in self._parameters if each.requires_grad]

    def own_buffers(self) -> Mapping[str, Tensor]:
        """Return the model's buffers, by name."""
        return dict(self.model.named_buffers())

    def buffers_of_others(self) -> Sequence[str]:
        """Return the names of buffers that lie in the memory of parameters: a model assigned these."""
        params = {each.untyped_storage().data_ptr() for _, each in self._parameters}
        return [name for name, each in self.model.named_buffers() if each.untyped_storage().data_ptr() in params]

    def addresses(self) -> tuple[tuple[str, int], ...]:
        """Return where each tensor lies in memory."""
        return tuple((name, each.data_ptr()) for name, each in (*self._parameters, *self.model.named_buffers()))

    def assign(self, buffers: Mapping[str, Tensor]) -> None:
        """Put tensors in the places of these buffers, all that are tied."""
        own = dict(self.model.named_buffers())
        if all(own.get(name) is tensor for name, tensor in buffers.items()):
            return
        places = places_of(self.model)
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
        wanted = self._tensors.wanted()
        before = [each.grad for each in wanted]
        for each in wanted:
            each.grad = None
        with self._trainer._descent.no_autocast():
            losses.backward()  # type: ignore[no-untyped-call]
        found = {name: each.grad for name, each in self._tensors.trained().items() if name in names}
        for each, gradient in zip(wanted, before, strict=True):
            each.grad = gradient
        return found


class ModelUpdates:
    """Steps of a trainer's optimizers down its loss, which is recorded once several updates were alike.

    Args:
      trainer: walked alone, and of those of which `updates_of` makes these. It has these, and they do not keep it.
      on: the device.
      surroundings: hear why nothing is recorded.
    """

    def __init__(self, trainer: TorchTrainer, on: Recorder, surroundings: LossRecorder) -> None:
        self._trainer: TorchTrainer = weakref.proxy(trainer)
        self._recorder, self._surroundings = on, surroundings
        self._optimizers: Mapping[str, torch.optim.Optimizer] = {}
        self._are_torchs = False
        self._begin(trainer.model)

    def begin_step(self) -> None:
        """Look at the trainer anew: what lies between steps is anybody's code."""
        if self._surroundings.is_refused():
            return
        if self._trainer.model is not self._tensors.model:
            self._begin(self._trainer.model)
        self._follow_optimizers()
        if why := self._tensors.refusal():
            self._surroundings.refuse(why)
        self._loss.begin_step()

    def descend(self, batch: Any, *, weight: float) -> Tensor:
        """Take a step down the loss on a batch, and return that loss, which the next one may overwrite."""
        trainer = self._trainer
        loss = self._loss.losses(batch)
        trained = self._tensors.trained()
        found = self._loss.gradients(loss, trained, 1.0)
        pairs = [(each, gradient) for name, each in trained.items() if (gradient := found[name]) is not None]
        if not self._are_torchs:  # it may keep them, or write zeros there
            pairs = [(each, gradient.clone()) for each, gradient in pairs]
        trainer._descent.take_gradients(self._optimizers.values(), pairs, weight=weight, clip_norm=trainer.clip_norm)
        return loss.detach()

    def is_ready(self) -> bool:
        """Look, before a batch, whether its update can be recorded; if none can any more, let go what was."""
        if self._optimizers is not self._trainer._live.by_name or not self._tensors.want_as_before():
            self._follow_optimizers()  # made anew for the values of one batch
        if self._surroundings.is_refused():
            self._loss.drop()
            return False
        return True

    def note_setup(self) -> None:
        """Take note that what losses depend on may have changed where nobody looks."""
        self._tensors.refreshed += 1

    def tell(self, listener: RecordingListener) -> None:
        """Have another hear of recordings."""
        self._surroundings.listener = listener

    def stop(self, why: str) -> bool:
        """Let go what was recorded, if anything was, and record no more; tell whether there was anything."""
        was_recorded = self._loss.drop()
        if was_recorded:
            self._surroundings.refuse(why)
        return was_recorded

    def _begin(self, model: nn.Module) -> None:
        """Begin with a model."""
        self._tensors = ModelTensors(model)
        plain = ModelLoss(self._trainer, self._tensors)
        self._loss = RecordedLoss(self._trainer, self._tensors, plain, self._recorder, self._surroundings)

    def _follow_optimizers(self) -> None:
        live = self._trainer._live
        self._optimizers = live.by_name
        self._tensors.refresh(self._optimizers.values())
        self._are_torchs = all(type(each).__module__.startswith("torch.optim.") for each in self._optimizers.values())
        if live.needs_closure and not self._surroundings.is_refused():
            self._surroundings.refuse("an optimizer computes the loss as often as it likes")


def updates_of(
    trainer: TorchTrainer, experience: RecordingExperience, listener: RecordingListener
) -> ModelUpdates | None:
    """Return what records the updates of a trainer that is walked alone; None: nothing can, which is told.

    Args:
      experience: with its workload, walked alone.
      listener: hears of it.
    """
    on = recorder_of(trainer._device)
    if experience.refusal or on is None:
        return None
    surroundings = LossRecorder(experience, listener)
    if why := _refusal_of(trainer):
        surroundings.refuse(why)
        return None
    return ModelUpdates(trainer, on, surroundings)


def _refusal_of(trainer: TorchTrainer) -> str:
    """Return why updates of a trainer that is walked alone cannot be recorded; empty: nothing is known against it."""
    from hippo.training.torch_trainer import TorchTrainer

    cls = type(trainer)
    if own := [
        name
        for name in _MORE_THAN_A_STEP
        if getattr(cls, name) is not getattr(TorchTrainer, name) or name in vars(trainer)
    ]:
        return f"{cls.__name__} has its own {own[0]}(), which may do more than a step down a loss"
    if trainer.accumulate != 1:
        return f"accumulate = {trainer.accumulate!r}: gradients of several batches make one step"
    if trainer.precision == "fp16":
        return "precision = 'fp16' scales losses anew as it goes"
    if trainer._sharder is not None or trainer._ranks is not None:
        return "a batch is computed in parts"
    return ""


def _is_dense(tensor: Tensor) -> bool:
    """Whether each number has a place of its own."""
    return all(stride > 0 or size == 1 for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
