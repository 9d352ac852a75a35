"""Data as text: equal for equal numbers in every process, whatever their repr leaves out.

It knows what people keep in the globals of a module: numbers, texts, arrays, tensors, tables, and containers of them.
Of all other objects it tells what they hold as far as that is data, and of what is none the class. It refuses to import
what is not imported already, and to know why anybody asks.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import FunctionType, MappingProxyType, MethodType, ModuleType, SimpleNamespace
from typing import Any

from hippo.clock import SystemClock
from hippo.hparams.array_bytes import array_bytes
from hippo.hparams.code_forms import value_form
from hippo.hparams.looking import functions_of, is_plain

#: how deep containers are looked into; one may hold itself
_DEEPEST = 20
#: how deep objects are, which are nested as networks are: three frames of Python each
_DEEPEST_OBJECT = 150
#: how long ago a process may have read the clock that still runs
_LONGEST_S = 100 * 24 * 3600
#: values whose text says all that they are
_TOLD_BY_REPR = (range, slice, Fraction, Decimal, date, time, timedelta, tzinfo, Enum, re.Pattern)
#: calls that make an empty container, which is filled later by whoever uses it
_EMPTY = frozenset({"dict", "list", "set", "defaultdict", "OrderedDict", "Counter", "deque", "WeakValueDictionary"})
#: methods that change what they are called on; torch's end with an underscore
_CHANGING = frozenset(
    {"append", "extend", "insert", "pop", "popitem", "remove", "clear", "update", "setdefault", "add", "discard"}
    | {"sort", "reverse", "fill", "put", "resize", "appendleft", "popleft"}
)


def data_form(value: object, depth: int = 0) -> str | None:
    """Return what a value holds, as text; None if it is, or holds, anything but data."""
    if is_plain(value):
        return value_form(value)
    if depth > _DEEPEST:
        return None
    parts = _parts_of(value)
    if parts is None:
        return _array_form(value)
    forms = [data_form(part, depth + 1) for part in parts]
    if any(form is None for form in forms):
        return None
    ordered = sorted(map(str, forms)) if isinstance(value, set | frozenset) else forms
    return f"{type(value).__qualname__}({ordered})"


def holding_form(value: object, is_ours: Callable[[type], bool]) -> str | None:
    """Return what a container, a network or an object of somebody's own class holds, as text; None if it is none.

    Of what is no data within it tells what it is called, or of which class it is. Of an object of another class it
    tells the arrays among its attributes, as of an estimator that was fitted: other attributes may be anything.

    A network's own parameters are left to `weights_form`: there may be gigabytes of them.

    Args:
      value: which.
      is_ours: whether objects of a class are looked into, whatever they hold.
    """
    if is_plain(value) or _array_form(value) is not None:
        return None
    return _ObjectSurvey(is_ours, _parameters_of(value) or {}).form(value, 0)


def is_container(value: object) -> bool:
    """Whether a value is a container of a kind that is known here: what it holds is all that it is."""
    return _parts_of(value) is not None


def weights_form(value: object) -> str | None:
    """Return the parameters of a network, as text; None if it is none. Of one without values yet it tells the class."""
    parameters = _parameters_of(value)
    if parameters is None:
        return None
    return "\n".join(f"{name} {data_form(each) or _called(each)}" for name, each in parameters.items())


def _parameters_of(value: Any) -> dict[str, object] | None:
    return dict(value.named_parameters()) if _is_network(value) else None


def _is_network(value: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


class _ObjectSurvey:
    """One look into an object: what was met before is told by its number, so that each thing is looked at once.

    Args:
      is_ours: whether objects of a class are looked into.
      told: what is told elsewhere, by name.
    """

    def __init__(self, is_ours: Callable[[type], bool], told: Mapping[str, object]) -> None:
        self._is_ours = is_ours
        self._known = {id(each): number for number, each in enumerate(told.values())}

    def form(self, value: object, depth: int) -> str | None:
        if _is_of_clock(value):  # when something began, such as a log: another moment at each start
            return "a moment"
        if is_plain(value):
            return value_form(value)
        if id(value) in self._known:
            return f"again {self._known[id(value)]}"
        if (form := _array_form(value)) is not None:
            return form
        if _is_told_by_repr(value):
            return repr(value)
        parts = _parts_of(value)
        if parts is None and (attributes := self._attributes_of(value)) is not None:
            parts = [part for item in sorted(attributes.items()) for part in item]
        if parts is None or depth > _DEEPEST_OBJECT:
            return None
        self._known[id(value)] = len(self._known)
        kind = type(value).__qualname__
        if isinstance(value, set | frozenset):  # in which order they come is chance
            forms = sorted(data_form(part) or _called(part) for part in parts)
        else:
            forms = [self.form(part, depth + 1) or _called(part) for part in parts]
        return f"{kind} of [{', '.join(forms)}]"  # not their repr, which escapes what is escaped already, and so on

    def _attributes_of(self, value: object) -> dict[str, object] | None:
        cls = type(value)
        if isinstance(value, type | FunctionType | ModuleType):
            return None
        if _is_network(value):
            hidden = _of_every_module(sys.modules["torch"].nn.Module)
            return {name: part for name, part in _state_of(value).items() if name not in hidden}
        if self._is_ours(cls):
            cached = {name for base in cls.__mro__ for name, made in vars(base).items() if _is_cached(made)}
            state = _state_of(value)
            # a wrapper has the names of what it wraps, such as that of a module, which may be a script
            return {name: part for name, part in state.items() if name not in cached and not _is_pythons(name)}
        forms = {name: _array_form(part) for name, part in _state_of(value).items()}
        return {name: form for name, form in forms.items() if form is not None} or None


def _is_of_clock(value: object) -> bool:
    """Whether a value must have been read from the clock: a moment not long ago, more exact than people write one."""
    if isinstance(value, datetime):
        try:
            value = value.timestamp()
        except (ValueError, OverflowError):  # the first day of all, or the last, as settings say "always"
            return False
    if not isinstance(value, float) or value.is_integer():
        return False
    return 0 <= SystemClock().now() - value < _LONGEST_S


def _is_told_by_repr(value: object) -> bool:
    torch, numpy = (sys.modules.get(name) for name in ("torch", "numpy"))
    if torch is not None and isinstance(value, torch.dtype | torch.device):
        return True
    return isinstance(value, _TOLD_BY_REPR) or (numpy is not None and isinstance(value, numpy.dtype))


def _called(part: object) -> str:
    named = part if isinstance(part, type | FunctionType) else type(part)
    return named.__qualname__


def _state_of(value: object) -> dict[str, object]:
    """Return the attributes of an object, those in slots, too, whatever its class has pickle keep of them."""
    state = object.__getstate__(value)
    found: dict[str, object] = {}
    for part in state if isinstance(state, tuple) else (state,):
        found |= part or {}
    return found


def _is_pythons(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is_cached(member: object) -> bool:
    return isinstance(member, functools.cached_property)


@functools.cache
def _of_every_module(module: type) -> frozenset[str]:
    """Return the attributes that torch gives each module beside what it holds: hooks, and the like."""
    return frozenset(vars(module())) - {"_parameters", "_buffers", "_modules", "training"}


def definitions_in(value: object, is_ours: Callable[[type], bool]) -> list[type | FunctionType]:
    """Return the functions and classes that a container holds, or an object among what it has, in a fixed order.

    Those are also the classes of objects that it holds.

    Args:
      value: which.
      is_ours: whether objects of a class are looked into wherever they are; others are where they are the value itself.
    """
    survey = _CodeSurvey(is_ours)
    survey.look_into(value, 0)
    return sorted(survey.found.values(), key=lambda each: (each.__module__ or "", each.__qualname__, _line_of(each)))


def _line_of(definition: type | FunctionType) -> int:
    return definition.__code__.co_firstlineno if isinstance(definition, FunctionType) else 0


class _CodeSurvey:
    """One look for functions and classes in what an object holds."""

    def __init__(self, is_ours: Callable[[type], bool]) -> None:
        self.found: dict[int, type | FunctionType] = {}
        self._is_ours = is_ours
        #: kept, so that the number of one is nobody else's
        self._seen: dict[int, object] = {}

    def look_into(self, value: object, depth: int) -> None:
        if id(value) in self._seen or depth > _DEEPEST:
            return
        self._seen[id(value)] = value
        for part in self._parts(value, depth):
            if is_plain(part):
                continue
            if isinstance(part, type):
                self.found[id(part)] = part
                continue
            self.found |= {id(each): each for each in functions_of(part)}
            if isinstance(part, FunctionType):
                continue
            if self._is_ours(type(part)):
                self.found[id(type(part))] = type(part)
            self.look_into(part, depth + 1)

    def _parts(self, value: object, depth: int) -> Iterable[object]:
        parts = _parts_of(value)
        if parts is not None:
            return parts
        is_closed = depth > 0 and not (_is_network(value) or self._is_ours(type(value)))
        if is_closed or isinstance(value, type | ModuleType):
            return ()
        attributes = getattr(value, "__dict__", None)
        return list(attributes.values()) if isinstance(attributes, Mapping) else ()


def _parts_of(value: Any) -> Iterable[object] | None:
    """Return what a container holds; None if it is none, or of a kind that is not known here."""
    if type(value) in (list, tuple, set, frozenset):
        return list(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return list(value)
    if isinstance(value, dict | MappingProxyType):
        return [part for item in value.items() for part in item]
    if isinstance(value, functools.partial | functools.partialmethod):
        return [value.func, value.args, value.keywords]
    if isinstance(value, MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, Namespace | SimpleNamespace):
        return [part for item in sorted(vars(value).items()) for part in item]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name, None) for field in dataclasses.fields(value)]
    configparser = sys.modules.get("configparser")
    if configparser is not None and isinstance(value, configparser.RawConfigParser):
        return [part for name in value for part in (name, dict(value.items(name, raw=True)))]
    datasets = sys.modules.get("torch.utils.data")
    if datasets is not None and type(value) is datasets.Subset:
        return [value.indices, value.dataset]
    if datasets is not None and type(value) is datasets.TensorDataset:
        return list(value.tensors)
    if datasets is not None and type(value) is datasets.ConcatDataset:
        return list(value.datasets)
    if datasets is not None and type(value) is datasets.DataLoader:
        return [value.batch_size, value.dataset]
    return None


def _array_form(value: Any) -> str | None:
    numpy, torch, pandas = (sys.modules.get(name) for name in ("numpy", "torch", "pandas"))
    if numpy is not None and isinstance(value, numpy.ma.MaskedArray):
        held = [_array_form(part) for part in (value.data, numpy.ma.getmaskarray(value), value.fill_value)]
        return None if None in held else f"masked{held}"
    if numpy is not None and isinstance(value, numpy.ndarray | numpy.generic):
        if value.dtype.hasobject:
            inner = data_form(value.tolist())
            return None if inner is None else f"array({value.shape}, {inner})"
        return f"array({value.dtype.str}, {value.shape}, {_digest(numpy.ascontiguousarray(value))})"
    if torch is not None and isinstance(value, torch.Tensor):
        return _tensor_form(value)
    if pandas is not None and isinstance(value, pandas.DataFrame | pandas.Series | pandas.Index):
        try:
            return f"table({value.shape}, {_digest(pandas.util.hash_pandas_object(value).to_numpy())})"
        except TypeError:
            return None  # it holds lists, or the like
    return None


def _tensor_form(value: Any) -> str | None:
    torch = sys.modules["torch"]
    if isinstance(value, torch.nn.parameter.UninitializedTensorMixin):
        return None
    if value.layout is not torch.strided or value.is_meta or value.is_nested:
        return None
    plain = value.detach().cpu()
    if value.is_quantized:  # by scales of its own
        plain = plain.dequantize()
    flat = plain.resolve_conj().resolve_neg().contiguous().reshape(-1)
    if flat.stride(0) != 1:  # of one number any stride is contiguous to torch, but not to view it as bytes
        flat = flat.clone(memory_format=torch.contiguous_format)
    held = flat.view(torch.uint8).numpy() if flat.numel() else flat.new_zeros(0).float().numpy()
    is_usual = value.requires_grad == isinstance(value, torch.nn.Parameter)
    kept = "" if is_usual else f", requires_grad={value.requires_grad}"  # a frozen weight is another one
    return f"tensor({value.dtype}, {tuple(value.shape)}, {_digest(held)}{kept})"


def _digest(held: Any) -> str:
    return hashlib.sha256(array_bytes(held)).hexdigest()


@functools.lru_cache(64)
def changing_names(tree: ast.Module) -> frozenset[str]:
    """Return the names of a module whose values it makes to be changed: counters, caches, and what is filled later."""
    return frozenset(name for node in ast.walk(tree) for name in _changed_by(node))


def _changed_by(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Global(names=names):
            yield from names
        case ast.Assign(targets=[ast.Name(id=name)], value=made) | ast.AnnAssign(target=ast.Name(id=name), value=made):
            if _is_empty(made):
                yield name
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            yield name
        case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            yield name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)):
            if method in _CHANGING or (method.endswith("_") and not method.endswith("__")):
                yield name


def _is_empty(made: ast.expr | None) -> bool:
    match made:
        case ast.Dict(keys=[]) | ast.List(elts=[]):
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _EMPTY and len(made.args) <= (name == "defaultdict")
    return False
