"""From a loss to a step of an optimizer, as a trainer's attributes say it: in parts, clipped, in half precision.

It keeps what a state must have beside model and optimizer: gradients that wait for more batches, and the scale of
losses in half precision. It refuses to know batches, hyper-parameters and averages.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch.optim import Optimizer

from hippo.errors import StateError, TrainerError
from hippo.training.declarative.parameter_hooks import call_after_sum, hooked
from hippo.training.process.streams import seed_generators

#: what `TorchTrainer.precision` may say -> the type in which autocast computes
PRECISIONS = {"bf16": torch.bfloat16, "fp16": torch.float16}


def needs_closure(optimizer: Optimizer) -> bool:
    """Whether an optimizer's `step` cannot be called without something that computes the loss again, as L-BFGS'."""
    parameters = list(inspect.signature(type(optimizer).step).parameters.values())[1:]
    return any(each.name == "closure" and each.default is each.empty for each in parameters)


class BatchWeights:
    """How much each of the batches counts that make one step: by its samples, whatever the batch size becomes."""

    def __init__(self) -> None:
        #: that count 1: the batch size when the first of these batches was taken
        self._samples = 0
        self._batch_size = 0

    def weight_of(self, samples: int, batch_size: int, *, is_waiting: bool) -> float:
        """Return how much a batch counts; where it is the first one, whole ones count 1.

        Args:
          is_waiting: the gradients of others wait for this one.
        """
        if not is_waiting:
            self._samples = batch_size
        self._batch_size = batch_size
        return samples / self._samples

    def state_dict(self) -> dict[str, int]:
        """Return what a state needs: nothing where the batch size has not changed since the first batch."""
        return {} if self._samples == self._batch_size else {"unit": self._samples}

    def load_state_dict(self, state: Mapping[str, Any], batch_size: int) -> None:
        """Take over what `state_dict` returned after a step with this batch size."""
        self._samples, self._batch_size = state.get("unit", batch_size), batch_size


class Descent:
    """Steps of optimizers down losses.

    Args:
      accumulate: how many losses make one step.
      precision: a name in `PRECISIONS`; None: that of the model.
      device: where the model is.
    """

    def __init__(self, *, accumulate: int, precision: str | None, device: torch.device) -> None:
        self._accumulate = accumulate
        #: to which autocast rounds; None: the model's own type is computed in
        self.computed = None if precision is None else PRECISIONS[precision]
        self._device = device
        self._scaler = torch.amp.GradScaler(device.type) if precision == "fp16" else None
        #: of optimizers, by name, whose gradients wait while those of others are taken: each has a scale of its own
        self._scalers: dict[str, torch.amp.GradScaler] = {}
        self._is_plain = accumulate == 1 and precision is None
        #: of optimizers, by name, whose gradients wait: losses so far, and the sum of their weights
        self._waiting: dict[str, tuple[int, float]] = {}
        self._batch_weights = BatchWeights()
        #: an optimizer stepped since this was set back
        self.has_stepped = False

    @property
    def is_stateless(self) -> bool:
        """Whether no state ever needs more than model and optimizer."""
        return self._accumulate == 1 and self._scaler is None

    @property
    def is_waiting(self) -> bool:
        """Whether gradients wait for more losses."""
        return bool(self._waiting)

    def weight_of(self, samples: int, batch_size: int) -> float:
        """Return how much a batch counts among those that make one step: by its samples."""
        return self._batch_weights.weight_of(samples, batch_size, is_waiting=self.is_waiting)

    def autocast(self) -> AbstractContextManager[Any]:
        """Return the context in which losses and metrics are computed."""
        if self.computed is None:
            return contextlib.nullcontext()
        # without its cache, which holds weights as they were before a step that is taken in the context
        return torch.autocast(self._device.type, dtype=self.computed, cache_enabled=False)

    def take(
        self,
        optimizers: Collection[Optimizer],
        loss: torch.Tensor,
        *,
        name: str = "",
        weight: float = 1.0,
        clip_norm: float | None = None,
        alone: bool = False,
    ) -> None:
        """Take a step down `loss`, or let its gradients wait until there are enough.

        Args:
          optimizers: to step.
          name: of the one optimizer, where there are several.
          weight: of this loss among those that make one step; they are averaged.
          clip_norm: the largest norm of all gradients together.
          alone: compute no gradients of other parameters than these optimizers'.
        """
        if self._is_plain and clip_norm is None and not alone:  # most trainers, which are to pay for nothing else
            self.has_stepped = True
            for optimizer in optimizers:
                optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            for optimizer in optimizers:
                optimizer.step()
            return
        with self.no_autocast():
            self._take(list(optimizers), loss, name, weight, clip_norm, alone=alone)

    def _take(
        self, optimizers: list[Optimizer], loss: torch.Tensor, name: str, weight: float, clip_norm: Any, *, alone: bool
    ) -> None:
        losses, weights = self._waiting.pop(name, (0, 0.0))
        if losses == 0:
            for optimizer in optimizers:
                optimizer.zero_grad(set_to_none=True)
        else:
            _drop_frozen_gradients(optimizers)
        if self._accumulate > 1 and weight != 1.0:
            loss = loss * weight
        self._backward(loss, _parameters(optimizers) if alone else None, self._scaler_of(name))
        if losses + 1 < self._accumulate:
            self._waiting[name] = (losses + 1, weights + weight)
            return
        self._finish(optimizers, 1.0 if self._accumulate == 1 else weights + weight, clip_norm, self._scaler_of(name))

    def take_gradients(
        self,
        optimizers: Collection[Optimizer],
        gradients: Iterable[tuple[torch.Tensor, torch.Tensor]],
        *,
        weight: float,
        clip_norm: float | None,
    ) -> None:
        """Take a step along the gradients of a loss that was computed elsewhere, or let them wait, as `take` does.

        Args:
          gradients: of parameters, each with its own; those that no optimizer has do not count.
        """
        losses, weights = self._waiting.pop("", (0, 0.0))
        if losses == 0:
            for optimizer in optimizers:
                optimizer.zero_grad(set_to_none=True)
        else:
            _drop_frozen_gradients(optimizers)
        trained = {id(each) for each in _parameters(optimizers)}
        for parameter, gradient in gradients:
            if id(parameter) in trained:
                scaled = hooked(parameter, gradient * weight if self._accumulate > 1 and weight != 1.0 else gradient)
                parameter.grad = scaled if parameter.grad is None else parameter.grad + scaled
                call_after_sum(parameter)
        if losses + 1 < self._accumulate:
            self._waiting[""] = (losses + 1, weights + weight)
            return
        with self.no_autocast():
            factor = 1.0 if self._accumulate == 1 else weights + weight
            self._finish(list(optimizers), factor, clip_norm, self._scaler)

    def take_with_closure(
        self, optimizer: Optimizer, loss_of: Callable[[], torch.Tensor], *, seed: int, clip_norm: float | None
    ) -> torch.Tensor:
        """Take a step of an optimizer that computes the loss as often as it likes; return the first.

        Args:
          loss_of: computes it, under the same chance each time.
          seed: of that chance.
        """
        if not self.is_stateless:
            raise TrainerError(
                f"{type(optimizer).__name__} computes its loss several times for each step, which goes neither with "
                "accumulate nor with precision = 'fp16'"
            )
        losses: list[torch.Tensor] = []

        def closure() -> torch.Tensor:
            seed_generators(seed)
            optimizer.zero_grad(set_to_none=True)
            with self.autocast():
                loss = loss_of()
            self._backward(loss, None, None)
            _clip([optimizer], clip_norm)
            losses.append(loss.detach())
            return loss

        self.has_stepped = True
        with self.no_autocast():
            optimizer.step(closure)  # type: ignore[arg-type]  # torch's own stub wants a float
        if not losses:
            raise TrainerError(f"{type(optimizer).__name__}.step(closure) never called the closure")
        return losses[0]

    def state_dict(self, model: torch.nn.Module, optimizers: Collection[Optimizer]) -> dict[str, Any]:
        """Return what a state needs beside model and optimizers."""
        state: dict[str, Any] = {}
        if self._waiting:
            # gradients of parameters that no optimizer has count as little as if they had never been
            trained = {id(each) for each in _parameters(optimizers)}
            named = [(name, each) for name, each in model.named_parameters() if id(each) in trained]
            gradients = {name: each.grad for name, each in named if each.grad is not None}
            waiting = {name: list(counts) for name, counts in self._waiting.items()}
            state["gradients"] = {"waiting": waiting, "values": gradients, **self._batch_weights.state_dict()}
            beside = [each.grad for each in beside_model(model, optimizers)]
            if any(gradient is not None for gradient in beside):
                state["gradients"]["beside"] = beside
        if self._scaler is not None:
            state["scaler"] = self._scaler.state_dict()
        if self._scalers:
            state["scalers"] = {name: each.state_dict() for name, each in sorted(self._scalers.items())}
        return state

    def load_state_dict(
        self,
        state: Mapping[str, Any],
        model: torch.nn.Module,
        *,
        batch_size: int,
        optimizers: Iterable[Optimizer] = (),
    ) -> None:
        """Take over what `state_dict` returned after a step with this batch size."""
        gradients = state.get("gradients", {"waiting": {}, "values": {}})
        self._batch_weights.load_state_dict(gradients, batch_size)
        self._waiting = {name: (counts[0], counts[1]) for name, counts in gradients["waiting"].items()}
        parameters = dict(model.named_parameters())
        if not gradients["values"].keys() <= parameters.keys():
            missing = sorted(gradients["values"].keys() - parameters.keys())
            raise StateError(f"the state has gradients of {missing}, which the model has not")
        for name, parameter in parameters.items():
            gradient = gradients["values"].get(name)
            parameter.grad = None if gradient is None else gradient.to(parameter.device, parameter.dtype)
        beside = beside_model(model, optimizers)
        for each, gradient in zip(beside, gradients.get("beside", [None] * len(beside)), strict=True):
            each.grad = gradient if gradient is None else gradient.to(each.device, each.dtype)
        if self._scaler is not None:
            self._scaler.load_state_dict(state["scaler"])
        self._scalers = {}
        for name, scale in state.get("scalers", {}).items():
            self._scalers[name] = torch.amp.GradScaler(self._device.type)
            self._scalers[name].load_state_dict(scale)

    def no_autocast(self) -> AbstractContextManager[Any]:
        """Return the context in which gradients are computed and steps are taken, within that of the losses."""
        return contextlib.nullcontext() if self.computed is None else torch.autocast(self._device.type, enabled=False)

    def _scaler_of(self, name: str) -> torch.amp.GradScaler | None:
        if self._scaler is None or not name or self._accumulate == 1:
            return self._scaler
        if name not in self._scalers:
            self._scalers[name] = torch.amp.GradScaler(self._device.type)
        return self._scalers[name]

    def _backward(
        self, loss: torch.Tensor, inputs: Sequence[torch.Tensor] | None, scaler: torch.amp.GradScaler | None
    ) -> None:
        if scaler is not None:
            loss = scaler.scale(loss)
        loss.backward(inputs=inputs)  # type: ignore[no-untyped-call]

    def _finish(
        self,
        optimizers: list[Optimizer],
        weights: float,
        clip_norm: float | None,
        scaler: torch.amp.GradScaler | None,
    ) -> None:
        self.has_stepped = True
        if scaler is not None and clip_norm is not None:
            for optimizer in optimizers:
                scaler.unscale_(optimizer)
        if weights != 1.0:
            torch._foreach_div_(_gradients(optimizers), weights)
        _clip(optimizers, clip_norm)
        if scaler is None:
            for optimizer in optimizers:
                optimizer.step()
            return
        for optimizer in optimizers:
            scaler.step(optimizer)
        scaler.update()


def _drop_frozen_gradients(optimizers: Iterable[Optimizer]) -> None:
    """Forget what waits for parameters that were frozen since: no state has it, and a step would move them by it."""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if not parameter.requires_grad:
                    parameter.grad = None


def _parameters(optimizers: Iterable[Optimizer]) -> list[torch.Tensor]:
    """Return what optimizers train, each once, also where several of them have it."""
    found = (each for optimizer in optimizers for group in optimizer.param_groups for each in group["params"])
    return list({id(each): each for each in found if each.requires_grad}.values())


def beside_model(model: torch.nn.Module, optimizers: Iterable[Optimizer]) -> list[torch.Tensor]:
    """Return what optimizers train beside the model: weights of losses, say, that a trainer keeps itself."""
    own = {id(each) for each in model.parameters()}
    return [each for each in _parameters(optimizers) if id(each) not in own]


def _gradients(optimizers: Iterable[Optimizer]) -> list[torch.Tensor]:
    return [each.grad for each in _parameters(optimizers) if each.grad is not None]


def _clip(optimizers: Iterable[Optimizer], clip_norm: float | None) -> None:
    if clip_norm is None:
        return
    parameters = _parameters(optimizers)
    try:
        torch.nn.utils.clip_grad_norm_(parameters, clip_norm)
    except NotImplementedError as error:  # not looked at before, which each step would pay for
        if any(each.grad is not None and each.grad.is_sparse for each in parameters):
            raise TrainerError(
                "a gradient is sparse, of which torch takes no norm: make the embedding with sparse=False, or leave "
                "out clip_norm"
            ) from error
        raise
