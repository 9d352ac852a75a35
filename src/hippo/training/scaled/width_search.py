"""Finds the widths of a model that says nothing of them, by running it with sizes that may vary.

Sizes in the way are looked into one by one: an integer of a module that is in a fixed ratio to a width, such as a
number of heads, is let go along, and the model is run again. What remains is refused, by module, dimension, and what
forbids it. What was found is run at its narrow sizes before anybody relies on it. This module refuses to know
parametrizations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import nn

from hippo.errors import TrainerError, listed
from hippo.training.declarative.named_tensors import named_tensors
from hippo.training.scaled.model_places import Attribute, TensorDim
from hippo.training.scaled.narrowing import Narrowing
from hippo.training.scaled.outlines import first_line, outline_of
from hippo.training.scaled.symbolic import SizePlace, symbolic_sizes
from hippo.training.scaled.width_places import integers_of, known_followers, sides_of
from hippo.training.scaled.widths import Side, WidthConflict, WidthFinder

Forward = Callable[[nn.Module, Any], object]

#: how often a model is run with one integer more that goes along
_MOST_RUNS = 40
_WAYS_OUT = (
    "Write self.scaled(n) in make_model() for each width n, or self.scaled_config(config) for a Hugging Face config."
)

#: make no sizes: what comes in may be put together of a width and something else
_NORMS = (nn.LayerNorm, nn.RMSNorm, nn.GroupNorm, nn.modules.batchnorm._NormBase)

#: how an integer of a module and the size of a dimension may go together
_Fit = Callable[[int, int, int], bool]
_FITS: tuple[_Fit, ...] = (
    lambda size, value, times: size == value,
    lambda size, value, times: size % value == 0 == value % times,  # as a number of heads does
    lambda size, value, times: value % size == 0,
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
    # with a batch as it is, most runs are some times shorter; but sizes that a model has in common with it are fixed
    try:
        return _WidthSearch(model, forward, batch, times, varies_batch=False).result(least)
    except _WidthLimitError:
        raise
    except TrainerError:
        pass
    return _WidthSearch(model, forward, batch, times, varies_batch=True).result(least)


class _WidthLimitError(TrainerError):
    """A width cannot be so many times smaller."""


class _WidthSearch:
    """A search for widths under way.

    Args:
      model: as wide as the target.
      forward: calls a model with a batch.
      batch: what comes in.
      times: by how much widths get smaller.
      varies_batch: whether sizes of the batch may vary while widths are looked for.
    """

    def __init__(self, model: nn.Module, forward: Forward, batch: Any, times: int, *, varies_batch: bool) -> None:
        self._model, self._forward, self._batch, self._times = model, forward, batch, times
        self._varies_batch = varies_batch
        self._modules = dict(model.named_modules())
        self._tensors = named_tensors(model)
        self._parameters = {name for name, _ in model.named_parameters()}
        self._sides = sides_of(model, times)
        self._followers = known_followers(model, times)

    def result(self, least: int) -> Narrowing:
        """Return how the model is made narrower, tried without numbers.

        Raises:
          TrainerError: it cannot be.
        """
        finder = self._run(self._followers)
        for _ in range(_MOST_RUNS):
            self._check_widths(finder, least)
            narrowing = self._narrowing(finder)
            conflict = next(self._conflicts(finder), None) or self._difference(narrowing, finder)
            if conflict is None:
                self._check_parts(finder)
                return narrowing
            finder = self._settled(conflict, finder)
        raise TrainerError(f"the widths of the model were not found in {_MOST_RUNS} runs. {_WAYS_OUT}")

    # --- what the widths are

    def _narrowing(self, finder: WidthFinder) -> Narrowing:
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

    def _difference(self, narrowing: Narrowing, finder: WidthFinder) -> WidthConflict | None:
        """Run the narrow model without numbers; return what keeps it from doing as the target does, None if it does.

        Raises:
          TrainerError: it does not, and nobody knows why.
        """
        wide, narrow = (outline_of(self._model, self._forward, self._batch, each) for each in (None, narrowing))
        if wide == narrow:
            return None
        broken = next(finder.broken(), None)
        if broken is None:
            raise TrainerError(
                f"the model cannot be made {self._times} times narrower: {wide.difference(narrow)}. {_WAYS_OUT}"
            )
        return broken

    def _run(self, followers: Mapping[Attribute, TensorDim]) -> WidthFinder:
        try:
            sizes = symbolic_sizes(
                self._model,
                self._forward,
                self._batch,
                varies_batch=self._varies_batch,
                may_vary=self._may_vary,
                followers=followers,
            )
        except Exception as error:
            raise TrainerError(
                f"the widths of the model cannot be found, since it does not run with sizes that may vary: "
                f"{first_line(error)}. {_WAYS_OUT}"
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
        if not finder.widths and next(self._conflicts(finder), None) is None:
            raise TrainerError(
                "the model has no widths that could be smaller: nothing is made by one layer, summed over by another, "
                f"and no size of what comes in or goes out. {_WAYS_OUT}"
            )
        for tensor in finder.dims(finder.summed):
            size = self._size(tensor)
            if size % self._times or size // self._times < least:
                raise _WidthLimitError(
                    f"{self._said(tensor)} is {size}, and would be {size / self._times:g} at scale 1/{self._times}; a "
                    f"width must be a whole number, of at least min_width = {least}. "
                    f"{self._largest_scale(finder, least)}. {_WAYS_OUT}"
                )

    def _check_parts(self, finder: WidthFinder) -> None:
        """Refuse what a layer makes if only a part of it would be smaller; what it sums over may be put together."""
        for tensor, side in self._sides.items():
            size, norms = self._size(tensor), isinstance(self._modules[tensor[0].rpartition(".")[0]], _NORMS)
            narrow = finder.new_size(tensor)
            if side is not Side.IN and not norms and narrow != size and narrow * self._times != size:
                raise TrainerError(
                    f"{self._said(tensor)} is {size}, and would be {narrow} at scale 1/{self._times}, since a part of "
                    f"it stays as it is, or is no whole number. {_WAYS_OUT}"
                )

    def _largest_scale(self, finder: WidthFinder, least: int) -> str:
        widths = {self._size(tensor) for tensor in finder.dims(finder.summed)}
        for times in range(self._times - 1, 1, -1):
            if all(width % times == 0 and width // times >= least for width in widths):
                return f"The largest scale at which all widths can be is {times}"
        return "There is no scale above 1 at which all widths can be"

    # --- what is in the way

    def _conflicts(self, finder: WidthFinder) -> Iterator[WidthConflict]:
        for conflict in finder.conflicts():
            attention = self._modules[conflict.place.module]
            # of torch's attention the logits are scaled where heads get narrower
            if conflict.tensor is not None or not isinstance(attention, nn.MultiheadAttention):
                yield conflict

    def _settled(self, conflict: WidthConflict, finder: WidthFinder) -> WidthFinder:
        """Return the widths with some integer going along that settles a conflict, and remember it.

        Raises:
          TrainerError: there is none.
        """
        for followers in self._candidates(conflict, finder):
            try:
                found = self._run(self._followers | followers)
            except TrainerError:
                continue  # it means something else, and sizes do not fit each other any more
            left = found.broken() if conflict.equation else self._conflicts(found)
            if (conflict.tensor, conflict.place) not in {(each.tensor, each.place) for each in left}:
                self._followers |= followers
                return found
        raise TrainerError(self._said_conflict(conflict))

    def _candidates(self, conflict: WidthConflict, finder: WidthFinder) -> Iterator[dict[Attribute, TensorDim]]:
        """Yield integers of the module where it was, and of those around it, that may be in a ratio to a width.

        All modules of one class are meant alike. Those that are just as large as what is in the way come first, and in
        a ratio to what is known as a width.
        """
        name = conflict.place.module
        while True:
            kind, integers = type(self._modules[name]), integers_of(self._modules[name])
            owners = [other for other, module in self._modules.items() if type(module) is kind]
            for key in sorted(integers, key=lambda key: integers[key] != conflict.size):
                tried: list[dict[Attribute, TensorDim]] = []
                for fits in _FITS:
                    alike = dict(self._alike(owners, key, fits, finder))
                    if (name, *key) in alike.keys() - self._followers.keys() and alike not in tried:
                        tried.append(alike)
                        yield alike
            if not name:
                return
            name = name.rpartition(".")[0]

    def _alike(
        self, owners: list[str], key: tuple[str, int | None], fits: _Fit, finder: WidthFinder
    ) -> Iterator[tuple[Attribute, TensorDim]]:
        """Yield an integer of each of some modules, and the dimension of its own tensors that it may be in a ratio to.

        A width, if any fits.
        """
        for owner in owners:
            value, prefix = integers_of(self._modules[owner]).get(key, 0), f"{owner}." if owner else ""
            own = [each for each in self._sides if each[0].startswith(prefix)] if value else []
            fitting = [each for each in own if fits(self._size(each), value, self._times)]
            widths = [each for each in fitting if finder.new_size(each) != self._size(each)]
            if fitting:
                yield (owner, *key), (widths or fitting)[0]

    def _size(self, tensor: TensorDim) -> int:
        return self._tensors[tensor[0]].shape[tensor[1]]

    # --- what is said

    def _said(self, tensor: TensorDim) -> str:
        name, dim = tensor
        return f"dimension {dim} of {name!r} ({type(self._modules[name.rpartition('.')[0]]).__name__})"

    def _said_conflict(self, conflict: WidthConflict) -> str:
        where = self._said_place(conflict.place)
        if conflict.tensor is not None:
            return f"{self._said(conflict.tensor)} is {conflict.size} whatever the width, for {where}. {_WAYS_OUT}"
        if conflict.equation:
            return (
                f"the model cannot be made {self._times} times narrower: {conflict.equation} holds of sizes of the "
                f"target and would not, for {where}. {_WAYS_OUT}"
            )
        module = self._modules[conflict.place.module]
        if "weight" not in module._parameters and isinstance(getattr(module, "weight", None), torch.Tensor):
            return (
                f"the weight in {where} is computed from others, as by a parametrization: whether {conflict.size} is "
                f"one of its sides, or the size of heads, cannot be seen. {_WAYS_OUT}"
            )
        return (
            f"heads of {conflict.size} would get narrower in {where}: {self._times} divides no number of heads that is "
            f"known there, and nothing by which logits could follow. {_WAYS_OUT}"
        )

    def _said_place(self, place: SizePlace) -> str:
        kind = type(self._modules[place.module]).__name__
        module = f"{place.module!r} ({kind})" if place.module else kind
        return f"{place.operation or 'a comparison'} at {place.line}, in {module}"
