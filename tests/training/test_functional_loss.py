"""A look ahead: `loss(model, batch)` carries fused training, where a stand-in plays a model with many weights."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.func import functional_call, grad, stack_module_state, vmap

from hippo.testing.torch_trainers import FEATURES, BlobsTrainer


class StandIn:
    """Calls a module with given parameters and buffers; all that `loss` and `metrics` may rely on."""

    def __init__(self, module: nn.Module, tensors: dict[str, torch.Tensor]) -> None:
        self._module = module
        self._tensors = tensors
        self.training = module.training

    def __call__(self, *inputs: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = functional_call(self._module, self._tensors, inputs)
        return result


class Noisy(BlobsTrainer):
    def loss(self, model: Any, batch: Any) -> torch.Tensor:
        points, labels = batch
        if model.training:
            points = points + 0.1 * torch.randn_like(points)
        return super().loss(model, (points, labels))


def lanes(trainer: Noisy, *, training: bool) -> tuple[list[nn.Module], Any]:
    torch.manual_seed(0)
    models = [trainer.make_model().train(training) for _ in range(2)]
    return models, (torch.randn(8, FEATURES), torch.randint(3, (8,)))


@pytest.mark.parametrize("method", ["loss", "metrics"])
def test_a_stand_in_computes_what_the_module_does(method: str) -> None:
    trainer = Noisy()
    (model, _), batch = lanes(trainer, training=False)
    tensors = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    alone = getattr(trainer, method)(model, batch)
    torch.testing.assert_close(getattr(trainer, method)(StandIn(model, tensors), batch), alone, rtol=0, atol=0)


def test_evaluating_two_sets_of_weights_at_once_agrees_with_each_alone() -> None:
    trainer = Noisy()
    models, batch = lanes(trainer, training=False)
    stacked = stack_module_state(models)

    def metrics(parameters: Any, buffers: Any) -> Any:
        return trainer.metrics(StandIn(models[0], {**parameters, **buffers}), batch)  # type: ignore[arg-type]

    together = vmap(metrics)(*stacked)
    for number, model in enumerate(models):
        alone = trainer.metrics(model, batch)
        for name, value in alone.items():
            torch.testing.assert_close(together[name][number], value, rtol=1e-5, atol=1e-6)  # float32, another order


def test_gradients_of_two_lanes_agree_with_each_alone_where_there_is_no_chance() -> None:
    trainer = BlobsTrainer(dropout=0.0, batch_norm=False)
    models, batch = lanes(trainer, training=True)  # type: ignore[arg-type]

    def loss(parameters: Any, buffers: Any) -> torch.Tensor:
        return trainer.loss(StandIn(models[0], {**parameters, **buffers}), batch)  # type: ignore[arg-type]

    together = vmap(grad(loss))(*stack_module_state(models))
    for number, model in enumerate(models):
        trainer.loss(model, batch).backward()
        for name, parameter in model.named_parameters():
            torch.testing.assert_close(together[name][number], parameter.grad, rtol=1e-5, atol=1e-6)


def test_batch_norm_dropout_and_noise_train_under_vmap_and_update_each_lanes_buffers() -> None:
    trainer = Noisy()
    models, batch = lanes(trainer, training=True)
    parameters, buffers = stack_module_state(models)

    def step(parameters: Any, buffers: Any) -> tuple[Any, Any]:
        tensors = dict(buffers)
        loss = trainer.loss(StandIn(models[0], {**parameters, **tensors}), batch)  # type: ignore[arg-type]
        return loss, tensors

    losses, _ = vmap(step, randomness="different")(parameters, buffers)
    assert losses.shape == (2,)
    assert losses.isfinite().all()
    assert losses[0] != losses[1]
    means = buffers["1.running_mean"]
    assert means.abs().sum(dim=1).gt(0).all()
    assert not torch.equal(means[0], means[1])
