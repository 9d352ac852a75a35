"""Finds the widths of a model that says nothing of them, by running it with sizes that may vary.

Sizes in the way are looked into one by one: an integer of a module that is in a fixed ratio to a width, such as a number
of heads, is let go along, and the model is run again. What remains is refused, by module, dimension, and what forbids
it. What was found is run at its narrow sizes before anybody relies on it. This module refuses to know parametrizations.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_map_only

from hippo.errors import TrainerError, listed
from hippo.training.scaled.narrowing import Narrowing
from hippo.training.scaled.symbolic import Attribute, SizePlace, TensorDim, named_tensors, symbolic_sizes, tensors_of
from hippo.training.scaled.width_places import integers_of, known_followers, sides_of
from hippo.training.scaled.widths import WidthConflict, WidthFinder

Forward = Callable[[nn.Module, Any], object]

#: how often a model is run with one integer more that goes along
_MOST_RUNS = 40
_WAYS_OUT = (
    "Write self.scaled(n) in make_model() for each width n, or self.scaled_config(config) for a Hugging Face config."
)


def found_narrowing(model: nn.Module, forward: Forward, batch: Any, *, times: int, least: int) -> Narrowing:
    """Find the widths of a model, and return how they are made so many times smaller.

    Args:
      model: as wide as the target; stays as it is.
      forward: calls a model with a batch.
      batch: of training, of two samples or more; its sizes are none of the model's.
      times: by how much widths get smaller.
      least: none may get below it.

    Raises:
      TrainerError: there are no widths, or one cannot be smaller; names the module, the dimension and what forbids it.
    """
    search = _WidthSearch(model, forward, batch, times)
    finder = search.finder(least)
    narrowing = search.narrowing(finder)
    search.check(narrowing, finder)
    return narrowing


class _WidthSearch:
    """A search for widths under way.

    Args:
      model: as wide as the target.
      forward: calls a model with a batch.
      batch: what comes in.
      times: by how much widths get smaller.
    """

    def __init__(self, model: nn.Module, forward: Forward, batch: Any, times: int) -> None:
        self._model, self._forward, self._batch, self._times = model, forward, batch, times
        self._modules = dict(model.named_modules())
        self._tensors = named_tensors(model)
        self._parameters = {name for name, _ in model.named_parameters()}
        self._sides = sides_of(model)
        self._followers = known_followers(model, times)

    # --- what the widths are

    def finder(self, least: int) -> WidthFinder:
        """Return the widths, with nothing left that keeps them from being smaller.

        Raises:
          TrainerError: there are none, one cannot be divided, or something keeps one as it is.
        """
        finder = self._run(self._followers)
        for _ in range(_MOST_RUNS):
            self._check_widths(finder, least)
            conflict = next(self._conflicts(finder), None)
            if conflict is None:
                break
            finder = self._settled(conflict)
        if not finder.widths:
            raise TrainerError(
                "the model has no widths that could be smaller: nothing is made by one layer, summed over by another, "
                f"and no size of what comes in or goes out. {_WAYS_OUT}"
            )
        return finder

    def narrowing(self, finder: WidthFinder) -> Narrowing:
        """Return how tensors and integers get smaller."""
        shapes, attributes = {}, {}
        for name, tensor in self._tensors.items():
            narrow = tuple(finder.new_size((name, dim)) for dim in range(tensor.dim()))
            if narrow != tuple(tensor.shape):
                shapes[name] = narrow
        for (owner, attribute, place), (name, dim) in self._followers.items():
            if name in shapes:
                value = integers_of(self._modules[owner])[attribute, place]
                attributes[owner, attribute, place] = value * shapes[name][dim] // self._tensors[name].shape[dim]
        return Narrowing(shapes=shapes, attributes=attributes)

    def check(self, narrowing: Narrowing, finder: WidthFinder) -> None:
        """Run the narrow model, without numbers, and see that it returns what the target does.

        Raises:
          TrainerError: it does not, or code of the user would take another way.
        """
        broken = list(finder.broken())
        wide, narrow = (_shapes(self._model, self._forward, self._batch, each) for each in (None, narrowing))
        branch = next((each for each in broken if not each[1].operation), None)
        if wide == narrow and branch is None:
            return
        relation, place = branch or next(iter(broken), (None, None))
        found = f"the model cannot be made {self._times} times narrower: " + (
            narrow if isinstance(narrow, str) else "it would not be the same network"
        )
        if relation is not None and place is not None:
            found += f". {relation} holds of the target and would not, for {self._said_place(place)}"
        raise TrainerError(f"{found}. {_WAYS_OUT}")

    def _run(self, followers: Mapping[Attribute, TensorDim]) -> WidthFinder:
        try:
            sizes = symbolic_sizes(self._model, self._forward, self._batch, may_vary=self._may_vary, followers=followers)
        except Exception as error:
            raise TrainerError(
                f"the widths of the model cannot be found, since it does not run with sizes that may vary: "
                f"{_first_line(error)}. {_WAYS_OUT}"
            ) from error
        unused = sorted(self._parameters - sizes.used)
        if unused:
            raise TrainerError(
                f"the widths of the model cannot be found: a call of it does not use {listed(unused, 4)}. {_WAYS_OUT}"
            )
        return WidthFinder(sizes, self._sides, self._times)

    def _may_vary(self, name: str, dim: int) -> bool:
        if name in self._parameters:
            return (name, dim) in self._sides
        return self._tensors[name].shape[dim] > 1

    def _check_widths(self, finder: WidthFinder, least: int) -> None:
        for tensor in finder.dims(finder.widths):
            size = self._tensors[tensor[0]].shape[tensor[1]]
            if size % self._times or size // self._times < least:
                raise TrainerError(
                    f"{self._said(tensor)} is {size}, and would be {size / self._times:g} at scale 1/{self._times}; a "
                    f"width must be a whole number, of at least min_width = {least}"
                )

    # --- what is in the way

    def _conflicts(self, finder: WidthFinder) -> Iterator[WidthConflict]:
        for conflict in finder.conflicts():
            attention = self._modules[conflict.place.module]
            # of torch's attention the logits are scaled where heads get narrower
            if conflict.tensor is not None or not isinstance(attention, nn.MultiheadAttention):
                yield conflict

    def _settled(self, conflict: WidthConflict) -> WidthFinder:
        """Return the widths with some integer going along that settles a conflict, and remember it.

        Raises:
          TrainerError: there is none.
        """
        for followers in self._candidates(conflict):
            try:
                finder = self._run(self._followers | followers)
            except TrainerError:
                continue  # it means something else, and sizes do not fit each other any more
            left = {(each.tensor, each.place) for each in self._conflicts(finder)}
            if (conflict.tensor, conflict.place) not in left:
                self._followers |= followers
                return finder
        raise TrainerError(self._said_conflict(conflict))

    def _candidates(self, conflict: WidthConflict) -> Iterator[dict[Attribute, TensorDim]]:
        """Yield integers of the module where it was, and of those around it, that may be in a ratio to a width.

        All modules of one class are meant alike.
        """
        name = conflict.place.module
        while True:
            integers = integers_of(self._modules[name])
            for key, _ in sorted(integers.items(), key=lambda item: item[1] != conflict.size):
                alike = {
                    (other, *key): tensor
                    for other, module in self._modules.items()
                    if type(module) is type(self._modules[name])
                    and (value := integers_of(module).get(key)) is not None
                    and (tensor := self._followed(other, value)) is not None
                }
                if (name, *key) in alike.keys() - self._followers.keys():
                    yield alike
            if not name:
                return
            name = name.rpartition(".")[0]

    def _followed(self, owner: str, value: int) -> TensorDim | None:
        """Return the dimension of a module's own tensors that an integer may be in a ratio to."""
        prefix = f"{owner}." if owner else ""
        sizes = {
            (name, dim): self._tensors[name].shape[dim] for name, dim in self._sides if name.startswith(prefix)
        }
        equal = [each for each, size in sizes.items() if size == value]
        if equal:
            return equal[0]
        return next(
            (each for each, size in sizes.items() if value % size == 0 or (size % value == 0 == value % self._times)),
            None,
        )

    # --- what is said

    def _said(self, tensor: TensorDim) -> str:
        name, dim = tensor
        return f"dimension {dim} of {name!r} ({type(self._modules[name.rpartition('.')[0]]).__name__})"

    def _said_conflict(self, conflict: WidthConflict) -> str:
        where = self._said_place(conflict.place)
        if conflict.tensor is not None:
            return f"{self._said(conflict.tensor)} is {conflict.size} whatever the width, for {where}. {_WAYS_OUT}"
        return (
            f"heads of {conflict.size} would get narrower in {where}: {self._times} divides no number of heads that is "
            f"known there, and nothing by which logits could follow. {_WAYS_OUT}"
        )

    def _said_place(self, place: SizePlace) -> str:
        kind = type(self._modules[place.module]).__name__
        module = f"{place.module!r} ({kind})" if place.module else kind
        return f"{place.operation or 'a comparison'} at {place.line}, in {module}"


def _shapes(model: nn.Module, forward: Forward, batch: Any, narrowing: Narrowing | None) -> list[Any] | str:
    """Return the shapes of what a model returns, or what it raised."""
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    fakes = {id(tensor): mode.from_tensor(tensor) for tensor in named_tensors(model).values()}
    copied, batch = copy.deepcopy(model, dict(fakes)), tree_map_only(torch.Tensor, mode.from_tensor, batch)
    found: list[Any] = []
    try:
        with mode, torch.no_grad():
            if narrowing is not None:
                narrowing.cut(copied)
            copied.register_forward_hook(
                lambda _module, _input, output: found.extend(tuple(each.shape) for each in tensors_of(output))
            )
            forward(copied, batch)
    except Exception as error:
        if not found:  # what its loss does is its own affair
            return _first_line(error)
    return found


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
