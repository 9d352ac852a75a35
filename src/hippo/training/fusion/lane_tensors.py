"""Parameters and buffers of lanes, and floats in their modules, stacked, in the places of one model's.

What the lanes have in common, and what is not trained, stays the model's own: the frozen part of a network, which they
share, is there once, and is computed once for all of them, since nothing that goes into it knows of lanes.

L lanes; a stacked tensor is L x (its own shape). This module refuses to know losses and optimizers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from hippo.training.declarative.named_tensors import named_tensors
from hippo.training.declarative.torch_state import frozen_parameters, load_frozen_parameters
from hippo.training.fusion.refusals import NotFusible


class TensorPlace(NamedTuple):
    """Where a module holds a tensor, or a float in whose place one is put."""

    #: a dictionary or a list
    holder: Any
    key: Any

    def get(self) -> Any:
        """Return what is there."""
        return self.holder[self.key]


class TensorsSnapshot(NamedTuple):
    """Where `LaneTensors` were."""

    stacked: Mapping[str, Tensor]
    #: those that lanes have in common
    buffers: Mapping[str, Tensor]
    #: names of the parameters that are not trained
    frozen: Sequence[str]


class LaneTensors:
    """The parameters and buffers of several lanes.

    Args:
      model: whose they are; it is the template of all lanes.
      lanes: for each lane the number of the state that it begins from.
      load: brings the model to the state of this number.
      floats: what to put for floats in modules that are each lane's own, and where.
    """

    def __init__(
        self,
        model: nn.Module,
        lanes: Sequence[int],
        load: Callable[[int], None],
        floats: Sequence[tuple[Tensor, list[TensorPlace]]] = (),
    ) -> None:
        self._model = model
        #: how many there are
        self.num_lanes = len(lanes)
        self._stacked = _stacked(model, lanes, load)
        self._places = places_of(model)
        self._buffers = [name for name, _ in model.named_buffers()]
        self._recurrent = [module for module in model.modules() if isinstance(module, nn.RNNBase)]
        #: how often the template was set up anew
        self.refreshed = 0
        #: their names are no module's; they are lent as the floats that they are, by who knows these
        self._floats = [f"float {number}" for number in range(len(floats))]
        for name, (tensor, places) in zip(self._floats, floats, strict=True):
            self._stacked[name], self._places[name] = tensor, places

    @property
    def has_trunk(self) -> bool:
        """Whether lanes have parameters in common."""
        return any(name not in self._stacked for name, _ in self._model.named_parameters())

    @property
    def stacked(self) -> Mapping[str, Tensor]:
        """What lanes have of their own, by name: each L x (its shape)."""
        return self._stacked

    def trained(self) -> dict[str, Tensor]:
        """Return the parameters that gradients are wanted of, by name, in the model's order: each L x (its shape).

        A norm of all gradients has other last bits in another order, and what is trained later is stacked last.
        """
        own = {name: self._stacked[name] for name in self._places if name in self._stacked}
        return {name: tensor for name, tensor in own.items() if tensor.requires_grad}

    def trained_of(self, lane: int) -> dict[str, Tensor]:
        """Return the parameters of a lane that gradients are wanted of, by name, as views."""
        return {name: tensor.detach()[lane] for name, tensor in self.trained().items()}

    def own_buffers(self) -> dict[str, Tensor]:
        """Return the buffers that lanes have of their own, by name: each L x (its shape)."""
        return {name: self._stacked[name].detach() for name in self._buffers if name in self._stacked}

    def buffers_of_others(self) -> list[str]:
        """Return the names of the lanes' own buffers that lie in the memory of parameters: a model assigned these."""
        params = {t.untyped_storage().data_ptr() for name, t in self._stacked.items() if name not in self._buffers}
        return [name for name, each in self.own_buffers().items() if each.untyped_storage().data_ptr() in params]

    def addresses(self) -> tuple[tuple[str, int], ...]:
        """Return where each tensor lies in memory: the lanes' own, or what they have in common."""
        return tuple(
            (name, (self._stacked[name] if name in self._stacked else places[0].get()).data_ptr())
            for name, places in self._places.items()
        )

    def all(self, *, buffers: bool) -> dict[str, Tensor]:
        """Return all parameters or all buffers by name, each L x (its shape); what is common is a view."""
        own = dict(self._model.named_buffers() if buffers else self._model.named_parameters())
        return {
            name: self._stacked[name].detach() if name in self._stacked else _expanded(tensor, self.num_lanes)
            for name, tensor in own.items()
        }

    @contextmanager
    def put(self, tensors: Mapping[str, Tensor]) -> Iterator[None]:
        """Put tensors in the places of the model's for the block, into all that are tied; those of other names stay.

        Afterwards the model has its own again, whatever the block assigned.
        """
        before = [(holder, key, holder[key]) for name in self._buffers for holder, key in self._places[name]]
        before += [(h, k, h[k]) for name in tensors if name not in self._buffers for h, k in self._places[name]]
        for name, tensor in tensors.items():
            for holder, key in self._places[name]:
                holder[key] = tensor
        try:
            with ExitStack() as stack:
                for module in self._recurrent:
                    stack.enter_context(_as_one_list(module))
                yield
        finally:
            for holder, key, tensor in before:
                holder[key] = tensor

    def buffers_in_place(self) -> dict[str, Tensor]:
        """Return the buffers that are in the model's places now, by name."""
        return {name: self._places[name][0].get() for name in self._buffers}

    def require_floats(self, tensors: Mapping[str, Tensor]) -> None:
        """Refuse a model that wrote a float of a module: what is put in its place is the same at each call.

        Args:
          tensors: that were put.

        Raises:
          NotFusible: names it.
        """
        for name in self._floats:
            for place in self._places[name]:
                if place.get() is not tensors[name]:
                    raise NotFusible(
                        f"the model writes its attribute {place.key!r} when it is called; keep it in a buffer"
                    )

    def assign(self, buffers: Mapping[str, Tensor]) -> None:
        """Take tensors for buffers that were assigned anew, each L x (its shape)."""
        self._stacked.update({name: tensor.detach() for name, tensor in buffers.items()})

    def part(self, names: Collection[str]) -> None:
        """Let each lane have these of its own from now on."""
        own = named_tensors(self._model)
        for name in sorted(set(names) - self._stacked.keys()):
            self._stacked[name] = _expanded(own[name], self.num_lanes).contiguous()

    @torch.no_grad()
    def lend(self, lane: int) -> None:
        """Give the model the tensors that a lane has."""
        for name, tensor in self._stacked.items():
            if name in self._floats:
                continue
            own, lent = self._places[name][0].get(), tensor[lane]
            if own is not None and own.shape == lent.shape and own.dtype == lent.dtype:
                own.copy_(lent)
            else:  # a buffer that was assigned in another form
                for holder, key in self._places[name]:
                    holder[key] = lent.clone()

    def keep(self, lanes: Sequence[int]) -> None:
        """Keep these lanes, in this order; one may be there twice."""
        self.num_lanes = len(lanes)
        for name, tensor in self._stacked.items():
            index = torch.tensor(list(lanes), device=tensor.device)
            self._stacked[name] = _like(tensor.detach().index_select(0, index), tensor)

    def refresh(self) -> None:
        """Follow the model, after it was changed which of its parameters are trained."""
        self.refreshed += 1
        self.part([name for name, parameter in self._model.named_parameters() if parameter.requires_grad])
        for name, parameter in self._model.named_parameters():
            if name in self._stacked:
                self._stacked[name] = _like(self._stacked[name].detach(), parameter)

    def snapshot(self) -> TensorsSnapshot:
        """Return a copy of all that training changes."""
        buffers = {name: tensor.detach().clone() for name, tensor in self._model.named_buffers()}
        return TensorsSnapshot(
            # what is frozen stays as it is: a copy would cost as much again
            stacked={
                name: _like(tensor.detach().clone(), tensor) if tensor.requires_grad or name in buffers else tensor
                for name, tensor in self._stacked.items()
            },
            buffers={name: tensor for name, tensor in buffers.items() if name not in self._stacked},
            frozen=frozen_parameters(self._model),
        )

    @torch.no_grad()
    def restore(self, snapshot: TensorsSnapshot) -> None:
        """Go back to where `snapshot` was taken; that can be done once."""
        load_frozen_parameters(self._model, snapshot.frozen)
        self._stacked = dict(snapshot.stacked)
        own = dict(self._model.named_buffers())
        for name, tensor in snapshot.buffers.items():
            own[name].copy_(tensor)


def _stacked(model: nn.Module, lanes: Sequence[int], load: Callable[[int], None]) -> dict[str, Tensor]:
    """Return what lanes have of their own, stacked: what is trained, and what they differ in."""
    first: dict[str, Tensor] = {}
    rows: dict[str, list[Tensor]] = {}
    num_states = max(lanes) + 1
    for number in range(num_states):
        load(number)
        for name, tensor in named_tensors(model).items():
            if number == 0:
                if tensor.requires_grad:
                    rows[name] = []
                elif num_states > 1:
                    first[name] = tensor.detach().clone()
            elif name not in rows and not same_bits(tensor, first[name]):
                rows[name] = [first[name]] * number
            if name in rows:
                rows[name].append(tensor.detach().clone())
    own = named_tensors(model)
    return {name: _like(torch.stack([found[i] for i in lanes]), own[name]) for name, found in rows.items()}


def require_shapes(model: nn.Module) -> None:
    """Refuse a model of which tensors get their shapes from its first batch.

    Raises:
      NotFusible: names one.
    """
    for name, tensor in named_tensors(model).items():
        if is_lazy(tensor):
            raise NotFusible(
                f"{name!r} of the model has no shape before its first batch: say its sizes, or call the model on a "
                "batch in make_model()"
            )


def same_bits(one: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors are one, bit for bit: NaN is NaN."""
    return one.shape == other.shape and one.dtype == other.dtype and torch.equal(_bytes_of(one), _bytes_of(other))


def _bytes_of(tensor: Tensor) -> Tensor:
    flat = tensor.detach().reshape(-1)
    if flat.stride(0) != 1:  # of one element, which was expanded
        flat = flat.new_empty(flat.shape).copy_(flat)
    return flat.view(torch.uint8)


def _expanded(tensor: Tensor, num_lanes: int) -> Tensor:
    return tensor.detach().expand(num_lanes, *tensor.shape)


def _like(tensor: Tensor, other: Tensor) -> Tensor:
    return tensor.requires_grad_(other.requires_grad)


def places_of(model: nn.Module) -> dict[str, list[TensorPlace]]:
    """Return where a model's tensors are, by their first names; those that are tied have several places."""
    names = {id(tensor): name for name, tensor in named_tensors(model).items()}
    found: dict[str, list[TensorPlace]] = {name: [] for name in names.values()}
    for module in model.modules():
        for holder in (module._parameters, module._buffers):
            for key, tensor in holder.items():
                if tensor is not None:
                    found[names[id(tensor)]].append(TensorPlace(holder, key))
    return found


@contextmanager
def _as_one_list(module: nn.RNNBase) -> Iterator[None]:
    """Let a recurrent network have its weights, as they are now, in the list of them that it keeps for its kernels.

    Else it finds that they changed, and makes a list anew: on a CUDA device it would lay them out in one memory, which
    lanes' weights do not have, and it would be another list at each call.
    """
    own = vars(module)
    before = {name: own[name] for name in ("_flat_weights", "_flat_weight_refs")}
    names = module._flat_weights_names
    # without references to what it had, it looks for no change
    own.update(_flat_weights=[getattr(module, name, None) for name in names], _flat_weight_refs=[None] * len(names))
    try:
        yield
    finally:
        own.update(before)
