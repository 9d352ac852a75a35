"""A model, its optimizers and its states in pieces: divided among ranks by torch's `fully_shard`, and put together.

A piece is torch's: a `DTensor`, cut along its first dimension. A state that was put together is what a process alone
would have: any number of ranks can go on from it. This module refuses to know messages, and batches.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed
from torch import nn

from hippo.errors import TrainerError
from hippo.training.declarative.optimizer_values import ONLY
from hippo.training.elastic.messages import AbsentTensor

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: shape and type
Form = tuple[Any, ...]
#: attribute of parameters that pieces have replaced: its name
REPLACED = "_hippo_replaced"


def divide(model: nn.Module, mesh: Any, *, blocks: Sequence[type[nn.Module]], name: str) -> None:
    """Divide the parameters of a model among the ranks of a mesh.

    Args:
      blocks: classes of the modules that are put together one at a time, while they compute; all else is together.
      name: the trainer's, for messages.

    Raises:
      TrainerError: torch refuses; the message has its reason.
    """
    from torch.distributed.fsdp import FSDPModule, fully_shard

    for named, parameter in model.named_parameters():
        if parameter.is_complex() or parameter.is_sparse or parameter.device.type != "cpu":
            kind = "complex" if parameter.is_complex() else "sparse" if parameter.is_sparse else parameter.device
            raise TrainerError(
                f"the parameter {named} of {name}'s model is {kind}, which cannot be divided among ranks"
            )
    own = list(_blocks(model, tuple(blocks), name))
    _require_one_type(model, own, name)
    noted: dict[str, dict[str, Any]] = {}
    for named, parameter in model.named_parameters():
        noted[named] = dict(vars(parameter))
        setattr(parameter, REPLACED, named)
    try:
        for module in reversed(own):  # those within others first
            fully_shard(module, mesh=mesh)
        fully_shard(model, mesh=mesh)
    except Exception as error:
        raise TrainerError(
            f"torch's fully_shard, by which numerics='elastic' divides parameters among ranks, refuses the model of "
            f"{name}: {type(error).__name__}: {error}"
        ) from error
    pieces = dict(model.named_parameters())
    for named, piece in pieces.items():
        vars(piece).update(noted[named])  # what a model notes on its own, optimizers look for
    for path, module in model.named_modules():
        if issubclass(type(module), FSDPModule):
            module.register_forward_pre_hook(_passing_on_notes(pieces, path))


def _passing_on_notes(pieces: Mapping[str, torch.Tensor], prefix: str) -> Callable[[nn.Module, Any], None]:
    """Return a hook by which a loss finds what is noted on pieces on what is put together, too."""

    def before_forward(module: nn.Module, _inputs: Any) -> None:  # after torch's own, which puts them together
        for name, whole in module.named_parameters(prefix):
            if (noted := vars(pieces[name])) and whole is not pieces[name]:
                vars(whole).update(noted)

    return before_forward


def _require_one_type(model: nn.Module, blocks: Sequence[nn.Module], name: str) -> None:
    """Refuse trained parameters of several types among those that are put together at one time: torch would, later."""
    taken: set[int] = set()
    for module in [*reversed(blocks), model]:
        own = {key: each for key, each in module.named_parameters() if each.requires_grad and id(each) not in taken}
        taken |= set(map(id, own.values()))
        types = {each.dtype: key for key, each in own.items()}
        if len(types) > 1:
            said = ", ".join(f"{key} is {str(kind).removeprefix('torch.')}" for kind, key in types.items())
            raise TrainerError(
                f"parameters of {name}'s model are of several types ({said}), which ranks cannot add up together. Let "
                "them be of one, or name classes of modules in elastic_blocks that have one each"
            )


def put_away(model: nn.Module) -> None:
    """Let go of whole parameters: after a pass without gradients, torch keeps those of the outermost module.

    What then asked the model for its parameters would be given these, which no optimizer has.
    """
    from torch.distributed.fsdp import FSDPModule

    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.reshard()


def _blocks(model: nn.Module, blocks: tuple[type[nn.Module], ...], name: str) -> Iterator[nn.Module]:
    found = [module for module in model.modules() if blocks and isinstance(module, blocks) and module is not model]
    for kind in blocks:
        if not any(isinstance(module, kind) for module in found):
            raise TrainerError(
                f"{name}.elastic_blocks names {kind.__name__}, of which there is none within its model; name classes "
                "of modules in it, or none"
            )
    for module in found:
        within = {id(each) for each in module.modules()}
        own = {id(each) for each in module.parameters()}
        for path, other in model.named_modules():
            if id(other) not in within and any(id(each) in own for each in other._parameters.values()):
                raise TrainerError(
                    f"{name}.elastic_blocks names {type(module).__name__}, which shares a parameter with "
                    f"{path or 'the model itself'} outside of it: they can only be divided together, so leave it out"
                )
        yield module


# ------------------------------------------------------------------------------------------------------ together


def is_piece(value: object) -> bool:
    """Tell whether a tensor is a piece of one."""
    from torch.distributed.tensor import DTensor

    return isinstance(value, DTensor)


def pieces_of(trainer: TorchTrainer) -> dict[str, Any]:
    """Return the parts of a trainer's state that lie in pieces, in the order of its `state_dict`."""
    model, live = trainer.model, trainer._live
    return {
        "model": model.state_dict(),
        **live.state_dict(),
        **trainer._descent.state_dict(model, live.by_name.values()),
    }


def forms_of(state: Mapping[str, Any]) -> list[Form]:
    """Return the forms of the pieces in a state, in their order."""
    forms: list[Form] = []

    def note(tensor: torch.Tensor) -> torch.Tensor:
        if is_piece(tensor):
            forms.append((tuple(tensor.shape), str(tensor.dtype)))
        return tensor

    mapped(state, note)
    return forms


def require_like_parameters(trainer: TorchTrainer) -> None:
    """Refuse an optimizer whose state is not cut as its parameters are: it could not be divided again.

    Raises:
      TrainerError: names what it keeps.
    """
    for optimizer in trainer._live.by_name.values():
        for parameter, kept in optimizer.state.items():
            for name, value in kept.items():
                if not isinstance(value, torch.Tensor) or value.ndim == 0:
                    continue
                alike = is_piece(value) and value.shape == parameter.shape
                if not alike or value.placements != parameter.placements:  # type: ignore[attr-defined]
                    raise TrainerError(
                        f"{type(optimizer).__name__} keeps {name!r} of shape {tuple(value.shape)} for a parameter of "
                        f"shape {tuple(parameter.shape)}, which numerics='elastic' cannot divide among ranks as it "
                        "divides the parameter: use an optimizer that keeps what is of its parameters' shapes, such as "
                        "SGD or AdamW, or an engine without ranks="
                    )


def put_together(state: Mapping[str, Any]) -> Any:
    """Return a state with whole tensors in the place of pieces. All ranks have to call it, with states alike."""
    return mapped(state, lambda tensor: tensor.full_tensor() if is_piece(tensor) else tensor)  # type: ignore[attr-defined]


def help_put_together(state: Mapping[str, Any]) -> None:
    """Do a peer's part of that, which has no use for the whole: it never has more than one tensor of it."""

    def sent(tensor: torch.Tensor) -> None:
        if is_piece(tensor):
            tensor.full_tensor()  # type: ignore[attr-defined]

    mapped(state, sent)


def mapped(value: Any, change: Callable[[torch.Tensor], Any]) -> Any:
    """Return plain containers with `change` of each tensor in its place, called in their order."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, Mapping):
        items = ((key, mapped(item, change)) for key, item in value.items())
        return _ordered_like(value, items) if isinstance(value, OrderedDict) else dict(items)
    if type(value) in (list, tuple):
        return type(value)(mapped(item, change) for item in value)
    return value


def _ordered_like(value: OrderedDict[Any, Any], items: Iterable[tuple[Any, Any]]) -> OrderedDict[Any, Any]:
    """Return items with the attributes of `value`: torch keeps versions of modules in one, by which it reads states."""
    made = OrderedDict(items)
    vars(made).update(vars(value))
    return made


# ---------------------------------------------------------------------------------------------------------- apart


def divisible(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a trainer's state of which each rank has a piece."""
    return {name: state[name] for name in ("model", "optimizer", "optimizers", "gradients") if name in state}


def emptied(state: Mapping[str, Any]) -> Any:
    """Return a state with an `AbsentTensor` for each tensor."""
    return mapped(state, lambda each: AbsentTensor(shape=tuple(each.shape), dtype=str(each.dtype).split(".")[-1]))


def taken_apart(trainer: TorchTrainer, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the pieces of a state that this rank has; all ranks have to call it, rank 0 with the tensors.

    Tensors go one by one, so that no peer ever has more than one that is whole.
    """
    # a state names a weight that two modules share twice
    parameters = dict(trainer.model.named_parameters(remove_duplicate=False))
    found: dict[str, Any] = {}
    for part, value in state.items():
        if part == "model":
            found[part] = _ordered_like(
                value, ((name, _cut(each, parameters.get(name))) for name, each in value.items())
            )
        elif part == "gradients":
            values = {name: _cut(each, parameters.get(name)) for name, each in value["values"].items()}
            found[part] = {**value, "values": values}
        elif part == "optimizer":
            found[part] = _optimizer_apart(trainer._live.by_name[ONLY], value)
        else:
            optimizers = trainer._live.by_name
            found[part] = {name: _optimizer_apart(optimizers[name], each) for name, each in value.items()}
    return found


def _optimizer_apart(optimizer: torch.optim.Optimizer, state: Mapping[str, Any]) -> dict[str, Any]:
    numbers = [number for group in state["param_groups"] for number in group["params"]]
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    named = dict(zip(numbers, parameters, strict=False))  # where their numbers differ, loading says so
    kept = {
        number: {name: _cut(each, named.get(number)) for name, each in values.items()}
        for number, values in state["state"].items()
    }
    return {**state, "state": kept}


def _cut(value: Any, parameter: torch.Tensor | None) -> Any:
    """Return this rank's piece of what belongs to a parameter; the whole, if it is of another shape."""
    if not isinstance(value, torch.Tensor | AbsentTensor):
        return value
    from torch.distributed.tensor import distribute_tensor

    distributed: Any = torch.distributed
    if isinstance(value, torch.Tensor):
        whole = value.detach().contiguous()
    else:
        whole = torch.empty(value.shape, dtype=getattr(torch, value.dtype))
    distributed.broadcast(whole.view(-1) if whole.ndim == 0 else whole, 0)
    if parameter is None or not is_piece(parameter) or whole.shape != parameter.shape:
        return whole
    cut: Any = distribute_tensor(whole, parameter.device_mesh, parameter.placements, src_data_rank=None)  # type: ignore[attr-defined]
    return type(cut).from_local(
        cut.to_local().clone(),  # else it looks at the whole, and keeps it
        cut.device_mesh,
        cut.placements,
        run_check=False,
        shape=cut.shape,
        stride=cut.stride(),
    )
