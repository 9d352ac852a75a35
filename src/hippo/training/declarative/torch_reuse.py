"""Loads another state into a `TorchTrainer` that is built already, where that is as good as building it anew.

Building takes longer than a short branch trains. A built trainer may take another state if nothing of it is outside
of its state: it is of a class that leaves saving and building to `TorchTrainer`, no attribute was set on it beside
those that `build` sets, its modules hold plain values that are what they were, its parameters and buffers are those
that were made, its optimizer is torch's and the one that was made. All of that is looked at when a lane ends. Where
anything is otherwise, or of a kind that is not known here, the trainer is not reused: the next lane builds its own.
This module refuses to know lanes, and which state is loaded when.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from hippo.training.codec import EncodedState, decode
from hippo.training.codec.encoding import PLAIN, TAG
from hippo.training.declarative.optimizer_values import APPLIED, ONLY
from hippo.training.live_states import HeldState
from hippo.training.values import HparamValues, same_value

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: what a class must leave as it is
_LEFT = (
    "build", "state_dict", "load_state_dict", "train", "batches_of_step", "evaluate", "close", "must_start_over",
    "optimizer", "optimizers", "sampler", "_note_setup", "_values_of_batch",
    "_check_model_values", "__new__", "__copy__", "__reduce_ex__", "__setattr__", "__getattribute__", "__getattr__",
    "__delattr__",
)  # fmt: skip
#: what `build` looks at: as a property, it may follow values
_ATTRIBUTES = (
    "samples_per_step", "default_batch_size", "val_batch_size", "num_workers", "apply_hparams", "device", "accumulate",
    "precision", "ema_decay", "swa_from",
)  # fmt: skip
#: what `TorchTrainer.build` and walkers set
_SET = frozenset(
    {"hp", "model", "_device", "_frozen_at_first", "_model_values", "_live", "_descent", "_average", "_training"}
    | {"_validation", "_modes", "_batch", "_surrogate_options", "_ranks", "_read_by_build", "_sample_methods"}
)
#: what walkers may set besides, which looks at each step what the trainer is
_MAY_SET = frozenset({"_updates"})
#: how modules save and load themselves: a class outside of torch must leave it as it is
_SAVING = (
    "state_dict", "load_state_dict", "_save_to_state_dict", "_load_from_state_dict", "get_extra_state",
    "set_extra_state", "__setattr__", "__getattr__", "__setstate__", "train",
)  # fmt: skip
#: a module's own dictionaries; those of hooks, and what is not saved, must be empty
_TENSORS = ("_parameters", "_buffers")
#: where tensors may be, into which others are copied
_DEVICES = ("cpu", "cuda")
#: states whose tensors are kept in order: more than are forked from in turns
_KNOWN_STATES = 16

Signature = tuple[Any, ...]


class _Made(NamedTuple):
    """What a trainer was made of when it was built."""

    modules: list[tuple[torch.nn.Module, Signature]]
    parameters: list[torch.nn.Parameter]
    buffers: list[torch.Tensor]
    optimizer: torch.optim.Optimizer
    optimizer_names: frozenset[str]
    reads: frozenset[str]


class _Targets(NamedTuple):
    """The tensors of a trainer that stands at the end of a lane, in the order of its state."""

    tensors: list[torch.Tensor]
    signature: Signature


class BuiltTrainer:
    """A trainer as it was built, from which states can be loaded while it is still like that.

    Make it by `built`, right after `build`.
    """

    def __init__(self, trainer: TorchTrainer, pristine: object, made: _Made) -> None:
        self._trainer = trainer
        self._pristine = pristine
        self._made = made
        self._values = trainer.hp
        self._targets: _Targets | None = None
        #: by the state's `id`; a state that nobody else holds any more is let go
        self._sources: OrderedDict[int, tuple[weakref.ref[EncodedState], _Targets | None]] = OrderedDict()

    def settle(self) -> bool:
        """Look, at the end of a lane, whether the trainer is still what was built; only then it may `load`."""
        made = _made_of(self._trainer, self._pristine)
        is_same = made is not None and _is_same(made, self._made)
        self._targets = _targets(self._trainer) if is_same else None
        return is_same

    def load(self, state: HeldState, values: HparamValues) -> bool:
        """Bring the trainer to where building it under `values` and loading `state` would, or return False."""
        if self._targets is None or not isinstance(state, EncodedState) or not self._is_built_alike(values):
            return False
        trainer, targets, self._targets = self._trainer, self._targets, None
        sources = self._sources_of(state)
        if sources is not None and sources.signature == targets.signature:
            with torch.no_grad():
                torch._foreach_copy_(targets.tensors, sources.tensors)
            _load_options(trainer, state)
            trainer._training.load_state_dict({"samples": state.tree["samples"]})
        else:
            trainer.load_state_dict(decode(state))
        for parameter in self._made.parameters:
            parameter.grad = None
        trainer._live.note_values(values)
        trainer._training.restart()
        return True

    def _is_built_alike(self, values: HparamValues) -> bool:
        """Whether `build` would have seen the same: all values but those that an optimizer takes from its state."""
        one, other = self._values.raw, values.raw
        return one.keys() == other.keys() and all(
            (name in APPLIED and name not in self._made.reads) or same_value(value, other[name])
            for name, value in one.items()
        )

    def _sources_of(self, state: EncodedState) -> _Targets | None:
        key, known_sources = id(state), self._sources
        known = known_sources.get(key)
        if known is None or known[0]() is not state:
            held = weakref.ref(state, lambda _: known_sources.pop(key, None))
            known = known_sources[key] = (held, _sources(state))
            if len(self._sources) > _KNOWN_STATES:
                self._sources.popitem(last=False)
        return known[1]


def built(trainer: TorchTrainer, pristine: object) -> BuiltTrainer | None:
    """Return a trainer that was just built as one that may take other states; None: it may not.

    Args:
      pristine: what it is a copy of.
    """
    made = _made_of(trainer, pristine)
    return None if made is None else BuiltTrainer(trainer, pristine, made)


# ------------------------------------------------------------------------------------------------ what it is made of


def _made_of(trainer: TorchTrainer, pristine: object) -> _Made | None:
    if not _leaves_all_to_us(type(trainer)) or not _has_only_what_is_shared(vars(trainer), vars(pristine)):
        return None
    if not _has_plain_state(trainer):
        return None
    modules = []
    for module in trainer.model.modules():
        if (signature := _module_signature(module)) is None:
            return None
        modules.append((module, signature))
    parameters, buffers = list(trainer.model.parameters()), list(trainer.model.buffers())
    if not all(map(_is_plain_tensor, [*parameters, *buffers])) or not _is_torchs(trainer.optimizer, parameters):
        return None
    return _Made(
        modules=modules,
        parameters=parameters,
        buffers=buffers,
        optimizer=trainer.optimizer,
        optimizer_names=frozenset(vars(trainer.optimizer)),
        reads=frozenset(trainer._model_values),
    )


def _has_plain_state(trainer: TorchTrainer) -> bool:
    """Whether nothing but a model, one optimizer and a number of samples is in a trainer's state."""
    is_alone = trainer._live.by_name.keys() == {ONLY}
    return is_alone and trainer._average is None and trainer._descent.is_stateless and not trainer._batch.is_mid_step


def _has_only_what_is_shared(own: Mapping[str, Any], shared: Mapping[str, Any]) -> bool:
    """Whether a trainer has the very attributes of the one that it is a copy of, beside those that `build` sets."""
    own = {name: value for name, value in own.items() if name not in _MAY_SET}
    return own.keys() == shared.keys() | _SET and all(
        value is shared[name] for name, value in own.items() if name not in _SET
    )


def _is_same(one: _Made, other: _Made) -> bool:
    return (
        one.optimizer is other.optimizer
        and one.optimizer_names == other.optimizer_names
        and len(one.modules) == len(other.modules)
        and all(a is b and s == t for (a, s), (b, t) in zip(one.modules, other.modules, strict=True))
        and list(map(id, one.parameters)) == list(map(id, other.parameters))
        and list(map(id, one.buffers)) == list(map(id, other.buffers))
    )


def _leaves_all_to_us(cls: type) -> bool:
    from hippo.training.torch_trainer import TorchTrainer

    is_left = all(getattr(cls, name, None) is getattr(TorchTrainer, name, None) for name in _LEFT)
    return is_left and not any(hasattr(getattr(cls, name), "__get__") for name in _ATTRIBUTES)


def _module_signature(module: torch.nn.Module) -> Signature | None:
    """Return what a module is beside its tensors, to be compared; None: it holds something that is not plain."""
    cls = type(module)
    if not cls.__module__.startswith("torch.nn.modules.") and any(
        getattr(cls, name, None) is not getattr(torch.nn.Module, name, None) for name in _SAVING
    ):
        return None
    found: list[Any] = [cls]
    for name, value in vars(module).items():
        if name == "training":  # set before each use
            continue
        if name == "_modules":
            found.append(tuple((key, id(child)) for key, child in value.items()))
        elif name in _TENSORS:
            found.append(
                tuple((key, id(tensor), getattr(tensor, "requires_grad", None)) for key, tensor in value.items())
            )
        elif name in _INTERNAL:
            if value:
                return None
        elif (plain := _plain(value)) is None:
            return None
        else:
            found.append((name, plain))
    return tuple(found)


#: what every module has, by torch's version: hooks, and the names of buffers that are not saved
_INTERNAL = frozenset(vars(torch.nn.Module())) - {"training", "_modules", *_TENSORS}


def _plain(value: Any) -> Signature | None:
    """Return a value that cannot be changed in place as what compares equal only to itself."""
    if type(value) in PLAIN:
        return (type(value), repr(value))
    if type(value) in (list, tuple):
        items = [_plain(item) for item in value]
        return None if None in items else (type(value), *items)
    if isinstance(value, torch.dtype | torch.device | torch.Size):
        return (type(value), repr(value))
    return None


def _is_plain_tensor(tensor: torch.Tensor) -> bool:
    return (
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and not vars(tensor)
        and not tensor._backward_hooks
        and not getattr(tensor, "_post_accumulate_grad_hooks", None)
    )


def _is_torchs(optimizer: torch.optim.Optimizer, parameters: list[torch.nn.Parameter]) -> bool:
    """Whether all that an optimizer knows is in its state: torch's own, of the model's parameters, without hooks."""
    cls, known = type(optimizer), set(map(id, parameters))
    return (
        all(id(parameter) in known for group in optimizer.param_groups for parameter in group["params"])
        and cls.__module__.startswith("torch.optim.")
        and cls is not torch.optim.LBFGS
        and not any(value for name, value in vars(optimizer).items() if name.endswith("_hooks"))
        and "step" not in vars(optimizer)  # a scheduler has its own put there
    )


# ------------------------------------------------------------------------------------------------- tensors in order


def _targets(trainer: TorchTrainer) -> _Targets | None:
    """Return the live tensors, in the order of a state."""
    model = trainer.model.state_dict(keep_vars=True)
    optimizer = trainer.optimizer
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    numbers = {id(parameter): number for number, parameter in enumerate(parameters)}
    states = {numbers[id(parameter)]: state for parameter, state in optimizer.state.items()}
    return _in_order(model.items(), states)


def _sources(state: EncodedState) -> _Targets | None:
    """Return the tensors of a state at rest, if it is one of `TorchTrainer.state_dict` and nothing else is in it."""
    tree = state.tree
    if type(tree) is not dict or tree.keys() != {"model", "optimizer", "samples"}:
        return None
    model, optimizer = tree["model"], tree["optimizer"]
    if type(model) is not dict or model.get(TAG) != "OrderedDict" or optimizer.keys() != {"state", "param_groups"}:
        return None
    return _in_order(model["value"][0], optimizer["state"])


def _in_order(model: Any, states: Mapping[Any, Any]) -> _Targets | None:
    tensors, signature = [], list[Any]()
    for name, tensor in model:
        tensors.append(tensor)
        signature.append((name, _form(tensor)))
    for number in sorted(states):
        for name, tensor in sorted(states[number].items()):
            tensors.append(tensor)
            signature.append((number, name, _form(tensor)))
    if any(form[-1] is None for form in signature):
        return None
    return _Targets([tensor.detach() for tensor in tensors], tuple(signature))


def _form(tensor: Any) -> Signature | None:
    """Return what two tensors must have in common so that the one can be copied into the other; None: it is none."""
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or tensor.device.type not in _DEVICES:
        return None
    return (tensor.dtype, tensor.shape, tensor.stride())


def _load_options(trainer: TorchTrainer, state: EncodedState) -> None:
    """Give the optimizer's groups the options that are in a state, as its `load_state_dict` does."""
    saved = state.tree["optimizer"]["param_groups"]
    for group, options in zip(trainer.optimizer.param_groups, saved, strict=True):
        params = group["params"]
        group.clear()
        group.update({name: value for name, value in decode(EncodedState(options, 0)).items() if name != "params"})
        group["params"] = params
