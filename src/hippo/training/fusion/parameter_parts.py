"""Stacked parameters that an optimizer updates alike, with the state that it keeps of them.

Shapes: F lanes; parameters, gradients and state are [F, ...]. It refuses to know hyper-parameters and user code.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from hippo.training.fusion.update_rules import Number, Options, UpdateRule

#: what torch's state has of a parameter
Entry = Mapping[str, Any]


class GroupOptions:
    """The options of one parameter group in each lane, and what follows from them.

    Args:
      rule: of the lanes' optimizers.
      options: of each lane.
    """

    def __init__(self, rule: UpdateRule, options: Sequence[Options]) -> None:
        self.rule = rule
        self.options = options
        #: whether a lane's update changes its state
        self.is_kept = [bool(rule.slots(each)) for each in options]
        #: what has to be kept in any lane
        self.slots = tuple(dict.fromkeys(slot for each in options for slot in rule.slots(each)))
        #: stretches of lanes that are updated by the same operations: first, end, form
        self.stretches = tuple(_stretches(map(rule.form, options)))

    def numbers(self, updates: Sequence[int]) -> list[tuple[float, ...]]:
        """Return what an update needs to know of each lane."""
        return [self.rule.numbers(each, done) for each, done in zip(self.options, updates, strict=True)]


@dataclass(slots=True, kw_only=True)
class ParameterPart:
    """Parameters of one group, of one type, that were updated equally often."""

    group: int
    names: tuple[str, ...]
    #: dimensions of each, with that of lanes
    ndims: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device
    #: of each lane, how often its state was updated since its optimizer began
    updates: list[int]
    #: name of torch's -> of each parameter
    state: dict[str, list[Tensor]] = field(default_factory=dict)
    #: what the next update needs of options; None: that is something else now
    numbers: list[Number] | None = None

    def update(self, group: GroupOptions, params: list[Tensor], grads: list[Tensor]) -> None:
        """Update the parameters of all lanes in place."""
        rule = group.rule
        for slot in group.slots:
            if slot not in self.state:
                self.state[slot] = [torch.zeros_like(each, requires_grad=False) for each in params]
        is_constant = rule.is_constant(list(itertools.compress(self.updates, group.is_kept)))
        if self.numbers is None:
            self.numbers = self._spread(group.numbers(self.updates))
        for first, end, form in group.stretches:
            if end - first == len(self.updates):
                rule.update(form, params, grads, self.state, self.numbers)
            else:
                rule.update(
                    form,
                    _cut(params, first, end),
                    _cut(grads, first, end),
                    {slot: _cut(tensors, first, end) for slot, tensors in self.state.items()},
                    [each if isinstance(each, float) else _cut(each, first, end) for each in self.numbers],
                )
        if not is_constant:
            self.numbers = None
        self.updates = [done + is_kept for done, is_kept in zip(self.updates, group.is_kept, strict=True)]

    def begin_anew(self, lanes: Iterable[int]) -> None:
        """Forget what was kept in these lanes."""
        for lane in lanes:
            self.updates[lane] = 0
            for tensors in self.state.values():
                torch._foreach_zero_([each[lane] for each in tensors])

    def picked(self, indices: Sequence[int]) -> ParameterPart:
        """Return the part that these of its parameters make, which takes over their state."""
        return replace(
            self,
            names=tuple(self.names[index] for index in indices),
            ndims=tuple(self.ndims[index] for index in indices),
            updates=list(self.updates),
            state={slot: [tensors[index] for index in indices] for slot, tensors in self.state.items()},
            numbers=None,
        )

    def of_lanes(self, lanes: Sequence[int]) -> ParameterPart:
        """Return a copy with the state of these lanes."""
        index = torch.tensor(lanes, dtype=torch.int64, device=self.device)
        state = {slot: [each.index_select(0, index) for each in tensors] for slot, tensors in self.state.items()}
        return replace(self, updates=[self.updates[lane] for lane in lanes], state=state, numbers=None)

    def kept(self, index: int, lane: int) -> dict[str, Tensor]:
        """Return what is kept of a parameter in one lane, as views."""
        return {slot: tensors[index][lane] for slot, tensors in self.state.items()}

    def _spread(self, of_lanes: Sequence[tuple[float, ...]]) -> list[Number]:
        """Return numbers of each lane as one for all where they agree, else as columns."""
        numbers: list[Number] = []
        for of_each in zip(*of_lanes, strict=True):
            if of_each.count(of_each[0]) == len(of_each):
                numbers.append(of_each[0])
                continue
            column = torch.tensor(of_each, dtype=torch.float64).to(self.device, self.dtype)
            shaped = {ndim: column.view(-1, *[1] * (ndim - 1)) for ndim in set(self.ndims)}
            numbers.append([shaped[ndim] for ndim in self.ndims])
        return numbers


def make_parts(
    rule: UpdateRule,
    groups: Sequence[Sequence[str]],
    parameters: Mapping[str, Tensor],
    entries: Sequence[Mapping[str, Entry]],
) -> list[ParameterPart]:
    """Return the parts in which parameters are updated together.

    Args:
      rule: of the lanes' optimizers.
      groups: of each parameter group, names.
      parameters: name -> of one lane.
      entries: of each lane, name -> what torch's state has of it; names without are missing.
    """
    parts: dict[Any, list[str]] = {}
    for group, names in enumerate(groups):
        for name in names:
            updates = tuple(rule.updates_of(of_lane.get(name, {})) for of_lane in entries)
            parts.setdefault((group, parameters[name].dtype, parameters[name].device, updates), []).append(name)
    return [
        ParameterPart(
            group=group,
            names=tuple(names),
            ndims=tuple(parameters[name].dim() + 1 for name in names),
            dtype=dtype,
            device=device,
            updates=list(updates),
            state=_stacked(
                [parameters[name] for name in names], [[of.get(name, {}) for name in names] for of in entries]
            ),
        )
        for (group, dtype, device, updates), names in parts.items()
    ]


def _stacked(parameters: Sequence[Tensor], entries: Sequence[Sequence[Entry]]) -> dict[str, list[Tensor]]:
    """Return by slot what is kept of each parameter in all lanes; zeros where a lane has nothing yet."""
    found = (slot for of_lane in entries for entry in of_lane for slot, value in entry.items() if value is not None)
    return {
        slot: [
            torch.stack([_or_zeros(of_lane[index].get(slot), parameter) for of_lane in entries])
            for index, parameter in enumerate(parameters)
        ]
        for slot in dict.fromkeys(found)
        if slot != "step"
    }


def _or_zeros(kept: Tensor | None, parameter: Tensor) -> Tensor:
    return torch.zeros_like(parameter, requires_grad=False) if kept is None else kept


def _cut(tensors: Iterable[Tensor], first: int, end: int) -> list[Tensor]:
    return [each[first:end] for each in tensors]


def _stretches(forms: Iterable[Any]) -> Iterator[tuple[int, int, Any]]:
    first = 0
    for form, alike in itertools.groupby(forms):
        end = first + len(list(alike))
        yield first, end, form
        first = end
