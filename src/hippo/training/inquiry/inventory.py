"""What a trainer and its process hold at a moment: each value by its path, as a digest that can be compared.

Two runs that should agree and do not are told apart by what they held before the step at which they part. So this looks
everywhere that training may keep something: attributes of the trainer, parameters and buffers, generators, iterators,
the classes and modules of the user's code, variables around its functions, data sets, settings of the process. It looks
only: nothing is called that a user wrote, nothing is drawn. It refuses to know which of it matters.
"""

from __future__ import annotations

import collections
import hashlib
import io
import random
import struct
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from hippo.training.process.process_settings import settings_now
from hippo.training.process.streams import loaded


class HeldValue(NamedTuple):
    """A value at rest."""

    #: equal for equal values
    digest: str
    #: as people may see it
    shown: str
    #: "value", "tensor", "parameter", "buffer" (not in the module's state_dict), "generator", "order" or "position"
    kind: str


#: path -> value, such as "self.model.1.running_mean", "class Parity.calls" or "process torch.set_default_dtype"
Inventory = dict[str, HeldValue]

#: what is shown of one that hippo seeds: what it holds changes with each call, and is nobody's doing
GLOBAL_GENERATOR = "a global generator"

#: attributes of a `TorchTrainer` that hippo made itself, and answers for
OWN_ATTRIBUTES = frozenset(
    {
        "_average",
        "_batch",
        "_built",
        "_chances",
        "_datasets",
        "_ranks",
        "_surrogate_notes",
        "_surrogate_options",
        "_descent",
        "_device",
        "_frozen_at_first",
        "_read_by_build",
        "_sample_methods",
        "_live",
        "_model_values",
        "_modes",
        "_training",
        "_validation",
        "hp",
        "seed",
    }
)
#: variables by which processes of a check differ anyway
_OF_CHECKS = ("environment variables (HIPPO_", "environment variables (PYTHONHASHSEED")
#: nobody's counters are that deep
_MOST_DEEP = 14
#: of a long list, and of a large array, so many values are looked at
_MOST_ITEMS = 2_000
_MOST_NUMBERS = 1 << 20
_SHOWN_CHARACTERS = 60
#: objects of these packages are looked into only where a branch below knows them: their insides are not the user's
_LIBRARIES = frozenset({"hippo", "torch", "numpy", "threading", "logging", "concurrent", "asyncio", "weakref"})
_PLAIN = (type(None), bool, int, float, complex, str, bytes)


def inventory(trainer: Any) -> Inventory:
    """Return all that a trainer, its code and this process hold."""
    look = _Look()
    for name, value in sorted(vars(trainer).items()):
        if name not in OWN_ATTRIBUTES:
            look.at(value, f"self.{name}")
    values = getattr(trainer.hp, "raw", trainer.hp)
    for name, value in sorted(values.items()):
        look.at(value, f"self.hp[{name!r}]")
    if "_live" in vars(trainer):
        for name, optimizer in trainer._live.by_name.items():
            look.at(optimizer, f"self.optimizers[{name!r}]" if name else "self.optimizer")
    for name, dataset in sorted(vars(trainer).get("_datasets", {}).items()):
        look.at(dataset, f"{name}()")
    _look_at_code(look, type(trainer))
    for name, value in settings_now().items():
        if not name.startswith(_OF_CHECKS):
            look.at(value, f"process {name}")
    return look.found


# ------------------------------------------------------------------------------------------------ the user's code


def _look_at_code(look: _Look, trainer: type) -> None:
    """Look at what the user's classes and the modules around their methods keep."""
    spaces: dict[int, Mapping[str, Any]] = {}
    for cls in trainer.__mro__:
        if not _is_users(cls.__module__):
            continue
        _look_at_class(look, cls)
        for function in _functions(vars(cls).values()):
            spaces.setdefault(id(function.__globals__), function.__globals__)
    for space in spaces.values():
        module = str(space.get("__name__", "module"))
        if not _is_users(module):
            continue
        for name, value in sorted(space.items(), key=lambda item: str(item[0])):
            if isinstance(value, type):
                if value.__module__ == module and value not in trainer.__mro__:
                    _look_at_class(look, value)
            elif not name.startswith("__") and not isinstance(value, types.ModuleType):
                look.at(value, f"module {module}.{name}")


def _look_at_class(look: _Look, cls: type) -> None:
    for name, value in sorted(vars(cls).items()):
        path = f"class {cls.__name__}.{name}"
        # a class that is watched has a subclass of the same name, to which `type(self).count += 1` writes
        if path in look.found or name.startswith(("__", "_abc_")) or isinstance(value, type | property):
            continue
        look.at(getattr(value, "__func__", value), path)


def _functions(values: Iterable[Any]) -> Iterator[types.FunctionType]:
    for value in values:
        function = getattr(value, "__func__", value)
        function = getattr(function, "fget", function)
        if isinstance(function, types.FunctionType):
            yield function


def _is_users(module: str | None) -> bool:
    top = (module or "").partition(".")[0]
    is_test = str(module).startswith(("hippo.testing", "hippo.integrations"))
    return is_test or (top not in _LIBRARIES and top not in sys.stdlib_module_names) or top == "__main__"


# ---------------------------------------------------------------------------------------------------- any object


class _Look:
    """A look around, which meets each object once."""

    def __init__(self) -> None:
        self.found: Inventory = {}
        #: the object is kept too, so that its id stays its own
        self._met: dict[int, tuple[str, object]] = {}

    def at(self, value: Any, path: str, depth: int = 0) -> None:
        """Take in a value, and what it holds."""
        if type(value) in _PLAIN:
            self._note(path, _plain(value), repr(value))
            return
        if isinstance(value, type | types.ModuleType | types.BuiltinFunctionType) or depth > _MOST_DEEP:
            return
        if id(value) in self._met:  # one object in two places: the model's last layer and its first, say
            first, _ = self._met[id(value)]
            if not isinstance(value, types.FunctionType | types.MethodType):
                self._note(path, f"is {first}".encode(), f"the same object as {first}")
            return
        self._met[id(value)] = (path, value)
        try:
            if not (self._library(value, path, depth) or self._container(value, path, depth)):
                self._object(value, path, depth)
        except Exception:  # an object that does not let itself be looked at: the others are wanted all the same
            self._note(path, b"?", f"a {type(value).__name__}")

    def _note(self, path: str, content: bytes, shown: str, kind: str = "value") -> None:
        if len(shown) > _SHOWN_CHARACTERS:
            shown = f"{shown[: _SHOWN_CHARACTERS - 3]}..."
        self.found[path] = HeldValue(hashlib.sha1(content).hexdigest(), shown, kind)

    # --- what is inside

    def _container(self, value: Any, path: str, depth: int) -> bool:
        if isinstance(value, dict):
            self._dict(value, path, depth)
        elif isinstance(value, list | tuple | collections.deque):
            self._list(value, path, depth)
        elif isinstance(value, set | frozenset):
            listed = [repr(item) for item in value]
            self._note(path, "\n".join(sorted(listed)).encode(errors="replace"), f"{len(listed)} items")
            self._note(f"{path} (order)", "\n".join(listed).encode(errors="replace"), ", ".join(listed), "order")
        elif value is random.seed.__self__:  # type: ignore[attr-defined]
            self._note(path, b"", GLOBAL_GENERATOR, "generator")
        elif isinstance(value, random.Random):
            self._note(path, repr(value.getstate()).encode(), "a random.Random", "generator")
        elif isinstance(value, types.GeneratorType):
            at = -1 if value.gi_frame is None else value.gi_frame.f_lasti
            self._note(path, str(at).encode(), "a generator under way", "position")
            for name, local in sorted((value.gi_frame.f_locals if value.gi_frame else {}).items()):
                self.at(local, f"{path} variable {name!r}", depth + 1)
        elif isinstance(value, io.IOBase):
            self._note(path, _position_of(value), "an open file", "position")
        elif type(value).__module__ in ("builtins", "itertools", "_collections") and hasattr(value, "__next__"):
            self._note(path, _rest_of(value), f"a {type(value).__name__}", "position")
        else:
            return False
        return True

    def _dict(self, value: Mapping[Any, Any], path: str, depth: int) -> None:
        keys = [repr(key) for key in value]
        self._note(f"{path} (order)", "\n".join(keys).encode(errors="replace"), ", ".join(keys), "order")
        self._note(f"len({path})", str(len(value)).encode(), f"{len(value)} items")
        for key, item in list(value.items())[:_MOST_ITEMS]:
            self.at(item, f"{path}[{key!r}]", depth + 1)

    def _list(self, value: Any, path: str, depth: int) -> None:
        items = list(value)
        if all(type(item) in _PLAIN for item in items):
            content = b"".join(_plain(item) + b"\n" for item in items)
            self._note(path, content, repr(items[:20]))
            return
        self._note(f"len({path})", str(len(items)).encode(), f"{len(items)} items")
        for i, item in enumerate(items[:_MOST_ITEMS]):
            self.at(item, f"{path}[{i}]", depth + 1)

    def _object(self, value: Any, path: str, depth: int) -> None:
        if isinstance(value, types.MethodType):
            return
        if isinstance(value, types.FunctionType):
            if _is_users(value.__module__):
                self._function(value, path, depth)
            return
        if hasattr(value, "func") and hasattr(value, "keywords"):  # functools.partial
            self.at(value.func, f"{path}.func", depth + 1)
            self.at(value.args, f"{path}.args", depth + 1)
            self.at(value.keywords, f"{path}.keywords", depth + 1)
            return
        module = type(value).__module__
        is_opaque = not _is_users(module) and not module.startswith(("torch.utils.data", "torch.optim", "torch.amp"))
        if is_opaque and module.partition(".")[0] in _LIBRARIES:
            return
        for name, item in _attributes(value):
            self.at(item, f"{path}.{name}", depth + 1)

    def _function(self, function: types.FunctionType, path: str, depth: int) -> None:
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if name != "__class__":
                try:
                    self.at(cell.cell_contents, f"{path}() variable {name!r}", depth + 1)
                except ValueError:  # not filled yet
                    continue
        for name, item in sorted(vars(function).items()):
            if name != "__wrapped__":
                self.at(item, f"{path}.{name}", depth + 1)
        for number, default in enumerate(function.__defaults__ or ()):
            if type(default) not in _PLAIN:
                self.at(default, f"{path}() default {number}", depth + 1)

    # --- what numpy and torch have

    def _library(self, value: Any, path: str, depth: int) -> bool:
        numpy, torch = loaded("numpy"), loaded("torch")
        if numpy is not None and self._numpy(numpy, value, path):
            return True
        if torch is None:
            return False
        if isinstance(value, torch.Tensor):
            self._tensor(torch, value, path, "parameter" if isinstance(value, torch.nn.Parameter) else "tensor")
        elif isinstance(value, torch.Generator):
            self._note(path, bytes(value.get_state().tolist()), "a torch.Generator", "generator")
        elif isinstance(value, torch.nn.Module):
            self._module(torch, value, path, depth)
        elif isinstance(value, torch.optim.Optimizer):
            self._optimizer(value, path, depth)
        elif isinstance(value, torch.dtype | torch.device | torch.Size):
            self._note(path, str(value).encode(), str(value))
        else:
            return False
        return True

    def _numpy(self, numpy: Any, value: Any, path: str) -> bool:
        if isinstance(value, numpy.random.Generator):
            self._note(path, repr(value.bit_generator.state).encode(), "a numpy Generator", "generator")
        elif value is getattr(numpy.random.mtrand, "_rand", None):
            self._note(path, b"", GLOBAL_GENERATOR, "generator")
        elif isinstance(value, numpy.random.RandomState):
            self._note(path, repr(value.get_state()[1].tolist()).encode(), "a numpy RandomState", "generator")
        elif isinstance(value, numpy.generic):
            self._note(path, value.tobytes(), repr(value))
        elif isinstance(value, numpy.ndarray):
            flat = value.reshape(-1)
            sample = flat[:: max(1, flat.size // _MOST_NUMBERS)]
            content = repr(sample.tolist()).encode() if value.dtype.hasobject else sample.tobytes()
            self._note(path, f"{value.dtype}{value.shape}".encode() + content, f"an array of {value.shape}", "tensor")
        else:
            return False
        return True

    def _tensor(self, torch: Any, value: Any, path: str, kind: str) -> None:
        header = f"{value.dtype}{tuple(value.shape)}".encode()
        if kind == "parameter":
            self._note(f"{path}.requires_grad", _plain(value.requires_grad), repr(value.requires_grad))
        shown = repr(value.item()) if value.numel() == 1 else f"a tensor of shape {tuple(value.shape)}"
        if value.layout == torch.strided and value.device.type != "meta" and value.numel():
            with torch.no_grad():
                flat = value.detach().reshape(-1)
                sample = flat[:: max(1, flat.numel() // _MOST_NUMBERS)].to("cpu").contiguous()
            header += bytes(memoryview(sample.view(torch.uint8).numpy()))
        self._note(path, header, shown, kind)

    def _module(self, torch: Any, value: Any, path: str, depth: int) -> None:
        own = vars(value)
        self._note(f"{path}.training", _plain(value.training), repr(value.training), "mode")
        for name, parameter in own["_parameters"].items():
            if parameter is not None:
                self.at(parameter, f"{path}.{name}", depth + 1)
                if parameter.grad is not None:
                    self._tensor(torch, parameter.grad, f"{path}.{name}.grad", "gradient")
        for name, buffer in own["_buffers"].items():
            if buffer is not None:
                is_saved = name not in own["_non_persistent_buffers_set"]
                self._tensor(torch, buffer, f"{path}.{name}", "tensor" if is_saved else "buffer")
        for name, module in own["_modules"].items():
            if module is not None:
                self.at(module, f"{path}.{name}", depth + 1)
        for name, item in sorted(own.items()):
            if not name.startswith("_") and name != "training":
                self.at(item, f"{path}.{name}", depth + 1)

    def _optimizer(self, value: Any, path: str, depth: int) -> None:
        numbers: dict[int, int] = {}
        for i, group in enumerate(value.param_groups):
            for parameter in group["params"]:
                numbers.setdefault(id(parameter), len(numbers))
            for name, item in group.items():
                if name != "params":
                    self.at(item, f"{path}.param_groups[{i}][{name!r}]", depth + 1)
        for parameter, state in value.state.items():
            for name, item in state.items():
                self.at(item, f"{path}.state[{numbers.get(id(parameter), '?')}][{name!r}]", depth + 1)
        for name, item in sorted(vars(value).items()):
            if not name.startswith("_") and name not in ("state", "param_groups", "defaults"):
                self.at(item, f"{path}.{name}", depth + 1)


def _plain(value: object) -> bytes:
    # a float by its bits: every NaN is one, 0.0 and -0.0 are two
    content = (
        struct.pack(">d", value) if type(value) is float and value == value else repr(value).encode("utf-8", "replace")
    )
    return type(value).__name__.encode() + b" " + content


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    yield from sorted((name, item) for name, item in getattr(value, "__dict__", {}).items() if isinstance(name, str))
    for cls in type(value).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            descriptor = vars(cls).get(name)
            if isinstance(descriptor, types.MemberDescriptorType):
                try:
                    yield name, descriptor.__get__(value)
                except AttributeError:
                    continue


def _position_of(file: Any) -> bytes:
    try:
        return str(file.buffer.tell() if hasattr(file, "buffer") else file.tell()).encode()
    except (OSError, ValueError):
        return b"closed"


def _rest_of(iterator: Any) -> bytes:
    """Return where an iterator of Python's own is; what it goes over is compared elsewhere or not at all."""
    try:
        return repr(list(iterator.__reduce__()[1:]))[:100_000].encode(errors="replace")
    except Exception:
        return b"?"
