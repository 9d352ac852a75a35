"""Averages of a model's weights along its training, which are evaluated and exported in its place.

Exponential as in Tarvainen and Valpola 2017, "Mean teachers are better role models", section 2, or with equal weights
as in Izmailov et al. 2018, "Averaging weights leads to wider optima and better generalization", section 3. The
arithmetic is torch's `AveragedModel`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import CellType, FunctionType, MethodType, SimpleNamespace
from typing import Any

import torch
from torch.nn.parameter import is_lazy
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from hippo.errors import TrainerError
from hippo.training.declarative.taken_values import TakenValues

#: what every module has: its tensors and modules, which are averaged, its mode, its hooks
_OF_EVERY_MODULE = frozenset(vars(torch.nn.Module()))


class ModelAverage:
    """The average of a model's weights so far.

    Args:
      model: newly made, to be copied.
      ema_decay: how much of the average stays at an update; buffers are the model's at that update. None: all updates
        count alike, and buffers are averaged, too.

    Raises:
      TrainerError: a copy cannot be made, or a function that the model holds refers to the model, and so would that of
        a copy.
    """

    def __init__(self, model: torch.nn.Module, *, ema_decay: float | None) -> None:
        _refuse_what_cannot_be_copied(model)
        if ema_decay is None:
            self._averaged = AveragedModel(model, multi_avg_fn=_average_alike, use_buffers=True)
        else:
            self._averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(ema_decay))  # type: ignore[no-untyped-call]
        copied = dict(self._averaged.module.named_modules())
        #: each module of the model, with the average's
        self._modules = [(module, copied[name]) for name, module in model.named_modules() if name in copied]
        _refuse_functions_in_common(model, copied)
        self._averaged.eval()  # before its first evaluation, too: a loss may ask it, as of a mean teacher

    @property
    def model(self) -> torch.nn.Module | None:
        """The model with averaged weights; None before the first update."""
        return self._averaged.module if self._num_updates else None

    def update(self, model: torch.nn.Module) -> None:
        """Take the model's weights as they are into the average.

        Raises:
          TrainerError: the model has other modules or parameters by now than the average, its copy.
        """
        modules = [*model.modules()]
        if len(modules) != len(self._modules) or any(
            a is not b for a, (b, _) in zip(modules, self._modules, strict=True)
        ):
            self._pair(model)
        # torch pairs tensors by their places in two rows, whatever they are: a table that `forward` puts where None was
        # would come into the average of the buffer behind it
        now, own = _counterparts(self._modules), self._averaged.module
        parameters = [now.get(id(each), each) for each in own.parameters()]
        buffers = [now.get(id(each), each) for each in own.buffers()]
        # all that torch asks of a model
        asked: Any = SimpleNamespace(parameters=lambda: parameters, buffers=lambda: buffers)
        self._averaged.update_parameters(asked)

    def follow(self, model: torch.nn.Module) -> None:
        """Take over what the model's modules hold beside averaged tensors: `setup` or `loss` may have changed it there.

        A temperature, a window, an object with options, which module is the head: as a copy of the model as it was
        built, the average would be computed with those of the step at which this lane was built.

        Raises:
          TrainerError: the model has other modules by now.
        """
        counterparts = self._pair(model)
        for module, own in self._modules:
            for name, child in module._modules.items():
                if child is not None and own._modules.get(name) is not counterparts[id(child)]:
                    own._modules[name] = counterparts[id(child)]
            own._non_persistent_buffers_set = {*module._non_persistent_buffers_set}  # `forward` may register some
            for name in module._non_persistent_buffers_set:
                if (buffer := module._buffers[name]) is not None:
                    own._buffers[name] = buffer.detach().clone()
        taken = TakenValues(self._modules)
        for module, own in self._modules:
            for name in vars(own).keys() - vars(module).keys() - _OF_EVERY_MODULE:
                del own.__dict__[name]
            for name, value in vars(module).items():
                if name not in _OF_EVERY_MODULE:
                    taken.take_over(own.__dict__, name, value)

    def _pair(self, model: torch.nn.Module) -> dict[int, torch.nn.Module]:
        counterparts = self._modules_of(model)
        self._modules = [(module, counterparts[id(module)]) for module in model.modules()]
        return counterparts

    def _modules_of(self, model: torch.nn.Module) -> dict[int, torch.nn.Module]:
        """Return which module of the average stands for each of the model, by the `id` of that one."""
        present = {id(module) for module in model.modules()}
        found = {id(module): own for module, own in self._modules if id(module) in present}
        taken = {id(own) for own in found.values()}
        root: dict[str, Any] = {"": self._averaged.module}
        for name, module in model.named_modules():  # those around a module come before it
            own = found.get(id(module))
            if own is None:  # one that came in the place of another, as a dropout of another rate
                around, _, last = name.rpartition(".")
                places = found[id(model.get_submodule(around))]._modules if name else root
                own = places.get(last)
            is_of_another = id(module) not in found and id(own) in taken
            if own is None or type(own) is not type(module) or is_of_another:
                before = "nothing" if own is None else f"a {type(own).__name__}"
                before += " that now stands for a module elsewhere" if is_of_another else ""
                raise TrainerError(
                    f"the model has a {type(module).__name__} at {name!r} now, and its average, a copy of the model as "
                    f"it was built, {before}: change modules in place, or leave out ema_decay and swa_from."
                )
            found[id(module)] = own
            taken.add(id(own))
        return found

    def state_dict(self) -> dict[str, Any]:
        """Return the average, as a state of the model, and how many updates it is of."""
        return {"model": self._averaged.module.state_dict(), "updates": self._num_updates}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        self._averaged.module.load_state_dict(state["model"])
        self._averaged.n_averaged.fill_(state["updates"])

    @property
    def _num_updates(self) -> int:
        return int(self._averaged.n_averaged)


def _refuse_what_cannot_be_copied(model: torch.nn.Module) -> None:
    for place, module in model.named_modules():
        if isinstance(module, torch.jit.ScriptModule):
            raise TrainerError(
                f"the model is TorchScript{f' at {place!r}' if place else ''}, whose parts an average cannot follow: "
                "script what was trained, use torch.compile, or leave out ema_decay and swa_from."
            )
        for name, value in [*vars(module).items(), *module._parameters.items()]:
            if not isinstance(value, torch.Tensor):
                continue
            if is_lazy(value):
                why = "has no shape before the first batch: say its sizes, or call the model on a batch in make_model()"
            elif value.grad_fn is not None:
                why = "is computed from parameters, as by torch.nn.utils.prune and the weight_norm of torch.nn.utils: "
                why += "take what torch.nn.utils.parametrize computes anew at each use"
            else:
                continue
            what = f"{type(module).__name__}.{name}" + (f" at {place!r}" if place else "")
            raise TrainerError(
                f"an average begins as a copy of the model, which cannot be made: {what} {why}; or leave out ema_decay "
                "and swa_from."
            )


def _counterparts(modules: Iterable[tuple[torch.nn.Module, torch.nn.Module]]) -> dict[int, torch.Tensor]:
    """Return what a model has for each tensor of its average, by the `id` of that one.

    A buffer of another shape than the average's, a table that grew, has no mean with it, and comes into its place.

    Args:
      modules: each of the model, with the average's.

    Raises:
      TrainerError: a module has other parameters than the average's.
    """
    found: dict[int, torch.Tensor] = {}
    for module, own in modules:
        for name, parameter in module._parameters.items():
            if name not in own._parameters or (parameter is None) != (own._parameters[name] is None):
                raise TrainerError(
                    f"the model's {type(module).__name__} has a parameter {name!r} now, or has it no more, and its "
                    "average, a copy of the model as it was built, has not: have make_model() prune and parametrize, "
                    "or leave out ema_decay and swa_from."
                )
            if parameter is not None:
                found[id(own._parameters[name])] = parameter
        for name, buffer in own._buffers.items():
            if buffer is None or (now := module._buffers.get(name)) is None:
                continue
            if now.shape != buffer.shape:
                buffer = own._buffers[name] = now.detach().clone()
            found[id(buffer)] = now
    return found


@torch.no_grad()
def _refuse_functions_in_common(model: torch.nn.Module, copied: Mapping[str, torch.nn.Module]) -> None:
    parts = {id(each) for each in (*model.modules(), *model.parameters(), *model.buffers())}
    for place, module in model.named_modules():
        own = vars(copied[place]) if place in copied else {}  # some modules make such functions anew for a copy
        for name, value in vars(module).items():
            if own.get(name) is value and isinstance(value, FunctionType) and _refers(value, parts):
                what = f"{type(module).__name__}.{name}" + (f" at {place!r}" if place else "")
                raise TrainerError(
                    f"{what} is a function that refers to the model itself: in a copy of the model, which an average "
                    "is, it would go on computing with the weights of the model. Write it as a method of a class, or "
                    "leave out ema_decay and swa_from."
                )


def _refers(function: FunctionType, parts: set[int]) -> bool:
    """Whether a function, or one that it has around it, has any of these around it."""
    waiting, seen = [function], set[int]()
    while waiting:
        around = [cell.cell_contents for cell in waiting.pop().__closure__ or () if _is_filled(cell)]
        around = [each.__self__ if isinstance(each, MethodType) else each for each in around]
        if any(id(each) in parts for each in around):
            return True
        others = [each for each in around if isinstance(each, FunctionType) and id(each) not in seen]
        seen |= {*map(id, others)}
        waiting += others
    return False


def _is_filled(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - an empty one raises
    except ValueError:
        return False
    return True


def _average_alike(averaged: Any, current: Any, num_updates: Any) -> None:
    # torch's own cannot divide whole numbers on a GPU: counters, such as those of batch norm, are the model's last ones
    if averaged[0].is_floating_point() or averaged[0].is_complex():
        torch._foreach_lerp_(averaged, current, 1.0 / (int(num_updates) + 1))
    else:
        torch._foreach_copy_(averaged, current)
