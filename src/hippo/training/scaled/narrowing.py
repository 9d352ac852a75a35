"""How a model is made narrower that its program makes as wide as the target: its tensors are cut, its integers changed.

The numbers of a narrow tensor are some of those that the program drew for the target, so they are drawn as the target's
are. Tensors whose numbers belong together are refused. This module refuses to know how widths are found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import nn

from hippo.errors import TrainerError
from hippo.training.declarative.named_tensors import copied_with, named_tensors
from hippo.training.scaled.fills import Fill
from hippo.training.scaled.model_places import Attribute, set_integer


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """The narrow shapes of a model's tensors, and the integers of its modules that go along."""

    #: name of a tensor -> its shape; what stays is left out
    shapes: Mapping[str, tuple[int, ...]]
    attributes: Mapping[Attribute, int]

    def check(self, model: nn.Module, fills: Mapping[str, Fill | None]) -> None:
        """Refuse tensors of which a part is not what a narrower program would have made.

        Args:
          model: as wide as the target.
          fills: what each of its parameters was drawn from.

        Raises:
          TrainerError: names the tensor.
        """
        parameters = dict(model.named_parameters())
        for name, tensor in named_tensors(model).items():
            if name not in self.shapes:
                continue
            fill = fills.get(name)
            dims = [dim for dim, size in enumerate(self.shapes[name]) if size != tensor.shape[dim]]
            if name in parameters and fill is not None and fill.is_random:
                is_apart = fill.std is not None and all(_is_alike(tensor == each, dims) for each in fill.constants)
            else:
                is_apart = _is_alike(tensor, dims)
            if not is_apart and name in parameters and fill is None:
                raise not_drawn(name)
            if not is_apart:
                raise TrainerError(
                    f"the numbers of {name!r} belong together, {_said_of(fill)}: a part of them is not what a narrower "
                    "model would have. Write self.scaled(n) in make_model() for each width n."
                )

    @torch.no_grad()
    def cut(self, model: nn.Module) -> nn.Module:
        """Return a model that was as wide as the target, cut in place."""
        for (owner, attribute, place), value in self.attributes.items():
            set_integer(model.get_submodule(owner), attribute, place, value)
        for name, tensor in named_tensors(model).items():
            if name in self.shapes:
                _cut(tensor, self.shapes[name])
        for module in model.modules():
            if isinstance(module, nn.RNNBase):
                module._init_flat_weights()
        return model


def without_memory(model: nn.Module) -> nn.Module:
    """Return a copy of a model whose tensors have shapes alone."""
    return copied_with(model, {name: _without_numbers(tensor) for name, tensor in named_tensors(model).items()})


def _without_numbers(tensor: torch.Tensor) -> torch.Tensor:
    bare = tensor.to("meta")
    return nn.Parameter(bare, tensor.requires_grad) if isinstance(tensor, nn.Parameter) else bare


def _cut(tensor: torch.Tensor, shape: tuple[int, ...]) -> None:
    """Leave a part of a tensor, which stays the object that others know: in lists, by attributes, with hooks on it."""
    part = tensor.detach()[tuple(map(slice, shape))].clone()
    tensor.grad = None
    if tensor.requires_grad:
        # what sums up its gradients knows the old shape, and lives on where make_model() has called the model and kept
        # what came out; torch lets go of it where the kind of numbers changes
        other = torch.float64 if part.dtype is torch.float32 else torch.float32
        tensor.data = part.new_empty(0, dtype=other)
    tensor.data = part


def _is_alike(tensor: torch.Tensor, dims: list[int]) -> bool:
    """Whether a tensor has the same numbers everywhere along some dimensions."""
    return all(bool((tensor == tensor.narrow(dim, 0, 1)).all()) for dim in dims)


def not_drawn(name: str) -> TrainerError:
    """Return what is to be said of a tensor whose numbers nobody drew."""
    return TrainerError(
        f"make_model() did not draw {name!r} at random: are these pretrained weights? A narrower network needs a new "
        "initialisation, and what suits it says nothing about fine-tuning. Make the model anew in make_model(), or "
        "tune the target itself. Where another library draws them, numpy say, have torch do it (nn.init, torch.randn): "
        "how widely they are to spread is seen there alone."
    )


def _said_of(fill: Fill | None) -> str:
    if fill is None:
        return "since they were computed"
    return f"since they were drawn by {', '.join(fill.drawn_by)}" if fill.std is None else "since some of them were set"
