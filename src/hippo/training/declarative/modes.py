"""Which modules of a model are in evaluation mode while it is trained.

`model.train()` would put all of them into training mode, also a frozen part whose batch norm and dropout are to be as
they are at evaluation. A part that is frozen and that `make_model` left in evaluation mode stays in it. One that is
only left so, such as a pretrained network that is to be trained, does not: its library hands it out like that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch

from hippo.training.telling import tell_once

_BatchNorm = torch.nn.modules.batchnorm._BatchNorm


class TrainingModes:
    """The modes that a model is trained in: training mode, all of it.

    Args:
      model: newly made.
      owner: name of the trainer's class, for messages.
    """

    def __init__(self, model: torch.nn.Module, owner: str) -> None:
        self._in_eval = modules_in_eval(model)

    def enter(self, model: torch.nn.Module) -> None:
        """Put a model into the modes that it is trained in."""
        model.train()


class FrozenModes(TrainingModes):
    """Training mode, but for frozen parts that were made in evaluation mode."""

    def __init__(self, model: torch.nn.Module, owner: str) -> None:
        super().__init__(model, owner)
        if bare := sorted(name for name in self._in_eval if self._is_bare(model, name)):
            others = f" and {len(bare) - 1} more" if bare[1:] else ""
            tell_once(
                (owner, "trained in training mode"),
                f"{owner}.make_model() left {bare[0]!r}{others} in evaluation mode, but its parameters are trained, so "
                "that it is put into training mode, and its running statistics change. To keep them as they are, "
                "freeze its parameters (requires_grad_(False)), or call its eval() in loss(); to say that this is "
                "meant, call its train() in make_model().",
            )

    def _is_bare(self, model: torch.nn.Module, name: str) -> bool:
        """Whether it is a batch norm that was put into this mode by itself, and is trained all the same."""
        module, around = model.get_submodule(name), name.rpartition(".")[0]
        of_statistics = isinstance(module, _BatchNorm) and module.track_running_stats
        return of_statistics and bool(name) and around not in self._in_eval and not _is_frozen(module)

    def enter(self, model: torch.nn.Module) -> None:
        super().enter(model)
        if self._in_eval:
            for module in self._kept("", model):
                module.eval()

    def _kept(self, name: str, module: torch.nn.Module) -> Iterator[torch.nn.Module]:
        """Yield the largest frozen parts that were in evaluation mode."""
        prefix = f"{name}." if name else ""
        if name in self._in_eval and _is_frozen(module):
            inside = (f"{prefix}{each}" if each else name for each, _ in module.named_modules())
            if self._in_eval.issuperset(inside):
                yield module
                return
        for child_name, child in module.named_children():
            yield from self._kept(f"{prefix}{child_name}", child)


class LastingModes(TrainingModes):
    """Those that a model was made in, or that it was put into since: Lightning leaves modes to the module.

    `begin` a step and `end` it; what is called in between may change modes, and they last.
    """

    def __init__(self, model: torch.nn.Module, owner: str) -> None:
        super().__init__(model, owner)
        self._at_first = self._in_eval

    def enter(self, model: torch.nn.Module) -> None:
        """Leave it as `begin` did, or the module's own hook since."""

    def begin(self, model: torch.nn.Module) -> None:
        """Put a model, which may have been evaluated, into the modes that its last step left."""
        for name, module in model.named_modules():
            module.training = name not in self._in_eval

    def end(self, model: torch.nn.Module) -> None:
        """Note in which modes a step left a model."""
        self._in_eval = modules_in_eval(model)

    def state(self) -> list[str] | None:
        """Return what a state has to say of them; None: they are those that the model was made in."""
        return None if self._in_eval == self._at_first else sorted(self._in_eval)

    def load(self, state: Iterable[str] | None) -> None:
        """Go on with what `state` returned."""
        self._in_eval = self._at_first if state is None else frozenset(state)


def modules_in_eval(model: torch.nn.Module) -> frozenset[str]:
    """Return the names of a model's modules, itself being "", that are in evaluation mode."""
    return frozenset(name for name, module in model.named_modules() if not module.training)


def _is_frozen(module: torch.nn.Module) -> bool:
    """Whether it has tensors, and none of them is trained: a dropout alone is no frozen part."""
    tensors = [*module.parameters(), *module.buffers()]
    return bool(tensors) and not any(each.requires_grad for each in tensors)
