"""The floats in which two models differ that are the same in all else, and where they are.

Models of lanes are made of one code, for other values: a factor of a residual branch, the scaling of an adapter. Where
such floats are all that is different, one model can stand for all lanes, and be given each lane's. Whatever cannot be
compared counts as different: then lanes are walked apart, as where widths differ. It refuses to know lanes.
"""

from __future__ import annotations

import functools
import math
import pickle
import types
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from hippo.training.fusion.lane_tensors import TensorPlace, same_bits
from hippo.training.values import same_value

#: the name of a module in its model, and the way from it: an attribute, then keys of dictionaries, indices of lists, or
#: attributes of objects
Place = tuple[str, ...]


class ModelsDiffer(Exception):
    """Two models differ in more than floats that can be replaced; the message says where."""


def float_places(one: nn.Module, other: nn.Module) -> tuple[Place, ...]:
    """Return the places of the floats in which two models differ, ascending.

    Raises:
      ModelsDiffer: they differ in anything else, or in a float that cannot be replaced in its place.
    """
    comparison = _Comparison()
    comparison.compare_models(one, other)
    return tuple(sorted(comparison.places))


def require_same(one: Mapping[str, Any], other: Mapping[str, Any], models: tuple[nn.Module, nn.Module]) -> None:
    """Require that values which two models were made with are the same, whatever floats the models differ in.

    Raises:
      ModelsDiffer: they are not.
    """
    comparison = _Comparison()
    comparison.compare_models(*models)
    comparison.compare(dict(one), dict(other), "what make_model() left in self")


def holder_of(model: nn.Module, place: Place) -> TensorPlace:
    """Return what holds the float at a place of a model.

    Raises:
      LookupError: there is no such place, or no float.
    """
    module, *way, last = place
    try:
        holder: Any = vars(model.get_submodule(module))
    except AttributeError as error:
        raise LookupError(str(error)) from None
    for step in way:
        inner = holder[_key(holder, step)]
        holder = inner if isinstance(inner, dict | list) else vars(inner)
    if type(holder[_key(holder, last)]) is not float:
        raise LookupError(f"{'.'.join(place)} is no float")
    return TensorPlace(holder, _key(holder, last))


def _key(holder: Any, step: str) -> Any:
    return int(step) if isinstance(holder, list) else step


class _Pair(NamedTuple):
    """Two values that have to be the same."""

    one: Any
    other: Any
    #: as people find it
    where: str
    #: None: what is there cannot be replaced
    place: Place | None = None

    def below(self, key: Any, one: Any, other: Any, *, has_place: bool = True) -> _Pair:
        """Return a pair of parts of these."""
        place = (*self.place, key) if has_place and self.place is not None and isinstance(key, str) else None
        return _Pair(one, other, f"{self.where}.{key}", place)

    def require(self, is_same: bool) -> None:
        """Raise `ModelsDiffer` unless."""
        if not is_same:
            raise ModelsDiffer(f"{self.where} is not the same")


class _Comparison:
    """Goes through two things at once, each pair of parts once."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        #: pairs that were looked at, or will be; they are kept, since numbers of objects are given out again
        self._seen: dict[tuple[int, int], tuple[Any, Any]] = {}

    def compare_models(self, one: nn.Module, other: nn.Module) -> None:
        """Compare two models, module by module: there floats have a place, whatever else leads to a module."""
        modules = list(zip(one.named_modules(), other.named_modules(), strict=False))
        whole = _Pair(one, other, "the model")
        whole.require(len(list(one.modules())) == len(list(other.modules())))
        for (name, mine), (its_name, its) in modules:
            whole.require(name == its_name and type(mine) is type(its))
            self._seen[id(mine), id(its)] = mine, its
        for (name, mine), (_, its) in modules:
            pair = _Pair(mine, its, name or "the model", (name,))
            for part in _attributes(pair):
                if part.place is not None and "_hooks" in part.place[-1]:
                    # by numbers that a process gives out once
                    self.compare(list(part.one.values()), list(part.other.values()), part.where)
                else:
                    self._go_through(part)

    def compare(self, one: Any, other: Any, where: str) -> None:
        """Compare values that have no place."""
        self._go_through(_Pair(one, other, where))

    def _go_through(self, pair: _Pair) -> None:
        ahead = [pair]
        while ahead:
            pair = ahead.pop()
            key = id(pair.one), id(pair.other)
            if pair.one is pair.other or key in self._seen:
                continue
            pair.require(type(pair.one) is type(pair.other))
            if isinstance(pair.one, float):
                self._note_float(pair)
                continue
            self._seen[key] = pair.one, pair.other
            ahead.extend(_parts(pair))

    def _note_float(self, pair: _Pair) -> None:
        if same_value(pair.one, pair.other) or (math.isnan(pair.one) and math.isnan(pair.other)):
            return
        pair.require(pair.place is not None and type(pair.one) is float)
        assert pair.place is not None
        self.places.append(pair.place)


def _parts(pair: _Pair) -> Iterator[_Pair]:
    """Yield what has to be the same for two things of one type to be; floats are not among them."""
    one, other = pair.one, pair.other
    if isinstance(one, Tensor):
        pair.require(_is_same_tensor(one, other))
    elif isinstance(one, dict):
        pair.require(list(one) == list(other))
        yield from (pair.below(key, value, other[key]) for key, value in one.items())
    elif isinstance(one, list | tuple):
        pair.require(len(one) == len(other))
        is_list = isinstance(one, list)
        yield from (pair.below(str(i), *both, has_place=is_list) for i, both in enumerate(zip(one, other, strict=True)))
    elif kind := next((kind for kind in _INSIDES if isinstance(one, kind)), None):
        yield pair.below("inside", _INSIDES[kind](one), _INSIDES[kind](other), has_place=False)
    elif not hasattr(one, "__dict__") or isinstance(one, type | types.ModuleType):
        pair.require(_is_same_otherwise(one, other))
    if hasattr(one, "__dict__") and not isinstance(one, type | types.ModuleType):
        yield from _attributes(pair if not isinstance(one, dict | list) else pair._replace(place=None))


def _attributes(pair: _Pair) -> Iterator[_Pair]:
    mine, its = vars(pair.one), vars(pair.other)
    pair.require(mine.keys() == its.keys())
    yield from (pair.below(name, value, its[name]) for name, value in mine.items())
    for name in (name for cls in type(pair.one).__mro__ for name in _slots(cls)):
        both = getattr(pair.one, name, None), getattr(pair.other, name, None)
        yield pair.below(name, *both, has_place=False)


def _slots(cls: type) -> list[str]:
    slots = vars(cls).get("__slots__", ())
    names = [slots] if isinstance(slots, str) else list(slots)
    return [name for name in names if name not in ("__dict__", "__weakref__")]


#: what a thing consists of that is no attribute of it
_INSIDES: Mapping[type, Callable[[Any], Any]] = {
    types.FunctionType: lambda each: [
        each.__code__,
        each.__defaults__,
        each.__kwdefaults__,
        [_content(cell) for cell in each.__closure__ or ()],
    ],
    types.MethodType: lambda each: [each.__func__, each.__self__],
    functools.partial: lambda each: [each.func, each.args, each.keywords],
    weakref.ref: lambda each: [each()],
    torch.Generator: lambda each: [each.get_state()],
}


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing was put there
        return None


def _is_same_tensor(one: Tensor, other: Tensor) -> bool:
    is_alike = one.requires_grad == other.requires_grad and one.device == other.device
    return is_alike and one.layout == other.layout and one.stride() == other.stride() and same_bits(one, other)


def _is_same_otherwise(one: Any, other: Any) -> bool:
    try:
        return bool(one == other) or pickle.dumps(one) == pickle.dumps(other)
    except Exception:  # what cannot be compared is not the same
        return False
