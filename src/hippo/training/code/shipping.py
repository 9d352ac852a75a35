"""How a trainer's class gets from the user's program into workers: by name where it can, by value where it must.

It refuses to build trainers and to know processes: what travels is a `TrainerSpec`, plain data.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import io
import json
import math
import operator
import os
import pickle
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

from hippo.errors import TrainerError, did_you_mean
from hippo.hparams.project import module_file
from hippo.records import TrainerSpec
from hippo.training.code.fingerprint import TrainerCode, trainer_code
from hippo.training.code.same_code import guarded_imports, require_same_code
from hippo.training.process.script_floats import floats_of_script
from hippo.training.trainer import Trainer, check_names


def resolve(trainer: type | str) -> type[Trainer]:
    """Return the class that `trainer` is, or that it names as "package.module:Class".

    Raises:
      TrainerError: it cannot be imported, or is no `Trainer`.
    """
    found = _imported(trainer) if isinstance(trainer, str) else trainer
    if not isinstance(found, type) or not issubclass(found, Trainer):
        hint = (
            "a function that trains from beginning to end is made one by hippo.from_optuna(objective), or by "
            "hippo.from_ray(trainable)"
            if isinstance(found, FunctionType)
            else "pass the class itself, not an instance"
        )
        raise TrainerError(f"trainer={trainer!r} is not a class derived from hippo.Trainer; {hint}.")
    check_methods(found)
    missing = sorted(getattr(found, "__abstractmethods__", ()))
    if missing:
        raise TrainerError(f"{found.__name__} does not define {', '.join(name + '()' for name in missing)}.")
    return found


#: what hippo calls each method of a trainer with, behind `self`
_CALLED_WITH: Mapping[str, tuple[str, ...]] = {
    "build": (),
    "setup": ("hp",),
    "train": (),
    "evaluate": (),
    "state_dict": (),
    "load_state_dict": ("state",),
    "close": (),
    "check_config": ("config", "until"),
}


def check_methods(cls: type[Trainer]) -> None:
    """Refuse a trainer with a method that hippo could not call, or names of hyper-parameters that are none.

    Raises:
      TrainerError: names the method, and how it is called.
      HparamError: `hparams` is not a list of names.
    """
    check_names(f"{cls.__name__}.hparams", cls.hparams)
    for name, arguments in _CALLED_WITH.items():
        method = inspect.getattr_static(cls, name)
        bound = () if isinstance(method, staticmethod) else ("self",)
        function = getattr(method, "__func__", method)
        called = f"{name}({', '.join(arguments)})"
        if not callable(function):
            raise TrainerError(f"{cls.__name__}.{name} is {function!r}, and hippo calls {called}.")
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise TrainerError(
                f"{cls.__name__}.{name} is a coroutine or generator; hippo calls {called}, which returns."
            )
        if inspect.isfunction(function):
            try:
                inspect.signature(function).bind(*bound, *arguments)
            except TypeError as error:
                raise TrainerError(f"hippo calls {called} of {cls.__name__}, which does not fit it: {error}.") from None


def canonical_arguments(trainer_args: Mapping[str, Any] | None) -> str:
    """Return keyword arguments of a trainer as canonical JSON text.

    Raises:
      TrainerError: one of them is not a value that JSON can hold.
    """
    arguments = dict(trainer_args or {})
    for name, value in arguments.items():
        if not isinstance(name, str):
            raise TrainerError(f"trainer_args: {name!r} is no name of an argument.")
        _check_json(value, f"trainer_args[{name!r}]")
    return json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def ship(
    trainer: type | str,
    trainer_args: Mapping[str, Any] | None = None,
    *,
    seed: int,
    evaluate_every: int,
    workload_key: str,
    numerics: str = "exact",
    code: TrainerCode | None = None,
    by_value: bool = False,
) -> TrainerSpec:
    """Return all that another process needs to build this trainer.

    A class that can be imported by name travels by name; one from `__main__`, a notebook, standard input or inside
    a function travels by value.

    Args:
      trainer: the class, or its name.
      trainer_args: of its `__init__`.
      seed: of all chance.
      evaluate_every: metrics are taken every so many steps.
      workload_key: names the workload.
      numerics: the workload's, "exact" or "fast".
      code: what `trainer_code` said of the class, if somebody asked already.
      by_value: send the class itself even if it could be imported: its module runs more than it defines.

    Raises:
      TrainerError: it is no trainer, or it or its arguments cannot travel; the message names what stands in the way.
    """
    cls = resolve(trainer)
    by_name = not by_value and _is_importable(cls)
    return TrainerSpec(
        workload=workload_key,
        reference=f"{cls.__module__}:{cls.__qualname__}" if by_name else None,
        pickled=None if by_name else _pickled(cls, is_forced=by_value),
        arguments=canonical_arguments(trainer_args),
        search_path=tuple(dict.fromkeys(os.path.abspath(entry) for entry in sys.path)),
        seed=seed,
        evaluate_every=evaluate_every,
        code=(code or trainer_code(cls)).parts,
        numerics=numerics,
        floats=floats_of_script(),
        shards=shards if type(shards := getattr(cls, "shards", 1)) is int else 1,
    )


def unship(spec: TrainerSpec) -> type[Trainer]:
    """Return the class that `spec` brings, importing or unpickling it here.

    Raises:
      TrainerError: it does not arrive.
      CodeChangedError: what arrives is not the code that the study was made with.
    """
    for entry in spec.search_path:
        if entry not in sys.path:
            sys.path.append(entry)
    if spec.reference is not None:
        found = resolve(spec.reference)
    else:
        assert spec.pickled is not None
        with guarded_imports(spec):
            found = _unpickled(spec.pickled)
    require_same_code(spec, found)
    return found


def ship_instance(trainer: Trainer, *, without: Collection[str]) -> tuple[TrainerSpec, bytes]:
    """Return all that another process needs to have a trainer as it is here: its class, and its attributes as bytes.

    Args:
      trainer: which; not one that was built.
      without: attributes that stay here.

    Raises:
      TrainerError: the class or an attribute cannot travel; the message names it.
    """
    cls = type(trainer)
    # A class that travels by value brings its code along, and where it came from by value has no file to look into.
    code = None if _is_importable(cls) else TrainerCode(fingerprint="", parts="", labels={}, put={})
    spec = ship(cls, seed=trainer.seed, evaluate_every=1, workload_key="", code=code)
    attributes = {name: value for name, value in vars(trainer).items() if name not in without}
    try:
        return spec, _dumped(attributes)
    except Exception as error:
        culprit = next((name for name, value in attributes.items() if not _travels(value)), None)
        raise TrainerError(
            f"{cls.__name__} cannot be sent to workers elsewhere: {f'its attribute {culprit} ' if culprit else 'it '}"
            f"cannot be pickled ({type(error).__name__}: {error}). Have __init__ leave what can be, and open files and "
            "connections where they are used."
        ) from error


def unship_instance(spec: TrainerSpec, attributes: bytes) -> Trainer:
    """Return the trainer that `ship_instance` sent.

    Raises:
      TrainerError: it does not arrive.
      CodeChangedError: the code here is another one.
    """
    cls = unship(spec)
    trainer = cls.__new__(cls)
    try:
        vars(trainer).update(pickle.loads(attributes))
    except Exception as error:
        raise TrainerError(
            f"the attributes of {cls.__name__} cannot be unpickled here: {type(error).__name__}: {error}"
        ) from error
    return trainer


def _unpickled(pickled: bytes) -> type[Trainer]:
    try:
        return resolve(_Unpickler(io.BytesIO(pickled)).load())
    except TrainerError:
        raise
    except Exception as error:
        raise TrainerError(f"the trainer cannot be unpickled in a worker: {type(error).__name__}: {error}") from error
    except SystemExit as error:
        raise _ended("the trainer cannot be unpickled in a worker, because a module that it imports", error) from error


def _ended(what: str, error: SystemExit) -> TrainerError:
    return TrainerError(
        f"{what} ended the program, with exit code {error.code!r}. A module that reads the command line as it is "
        "imported finds another one wherever its script does not run: read it in the script, under "
        "`if __name__ == '__main__':`, and give what the trainer needs by trainer_args."
    )


class _Unpickler(pickle.Unpickler):
    """Makes classes that came by value anew, also in the process that they came from.

    cloudpickle would find the class there, and overwrite its methods with copies that have other globals.
    """

    def find_class(self, module_name: str, name: str, /) -> Any:
        found = super().find_class(module_name, name)
        if name in ("_make_skeleton_class", "_make_skeleton_enum"):
            return functools.partial(_make_untracked, found)
        return found


def _make_untracked(make: Callable[..., Any], *arguments: Any) -> Any:
    *before, _tracker, extra = arguments
    return make(*before, None, extra)


def _imported(reference: str) -> object:
    module_name, _, qualname = reference.partition(":")
    if not module_name or not qualname:
        raise TrainerError(f"trainer={reference!r}: write 'package.module:Class', or pass the class itself.")
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as error:
        raise TrainerError(
            f"cannot import trainer {reference!r}, because importing {module_name!r} raised "
            f"{type(error).__name__}: {error}"
        ) from error
    except SystemExit as error:
        raise _ended(f"cannot import trainer {reference!r}, because importing {module_name!r}", error) from error
    for part in qualname.split("."):
        if not hasattr(found, part):
            hint = did_you_mean(part, vars(found))
            raise TrainerError(f"cannot import trainer {reference!r}, because {module_name!r} has no {part!r}.{hint}")
        found = getattr(found, part)
    return found


def _is_importable(cls: type) -> bool:
    """Whether another process that imports the class's module finds this very class there."""
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if module is None or file is None or module_file(cls.__module__) != file:
        return False
    if cls.__module__ == "__main__":  # of a folder or an archive that is run: a worker has a __main__ of its own
        return False
    found: Any = module
    for part in cls.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is cls


def _pickled(cls: type, *, is_forced: bool = False) -> bytes:
    try:
        with _module_by_value(cls.__module__, is_forced=is_forced):
            return _dumped(cls)
    except Exception as error:
        culprit = _culprit(cls)
        raise TrainerError(
            f"cannot ship {cls.__name__} to workers: {f'{culprit} (' if culprit else ''}{type(error).__name__}: {error}"
            f"{')' if culprit else ''}. Make it in __init__ or build(), or put the class into a module that workers "
            "can import."
        ) from error


def _dumped(thing: object) -> bytes:
    """Pickle by value what cannot be imported, and every module by its name, of whatever class the module is."""
    import cloudpickle

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        def reducer_override(self, thing: Any) -> Any:
            # cloudpickle knows modules of the class ModuleType alone; torch.backends and its like have others
            if isinstance(thing, ModuleType) and type(thing) is not ModuleType and (path := _path_to(thing)):
                return _module_at, path
            return super().reducer_override(thing)

    file = io.BytesIO()
    Pickler(file).dump(thing)
    return file.getvalue()


def _path_to(module: ModuleType) -> tuple[str, str] | None:
    """Return the module to import and the attribute of it (or "") that are this module; None if there are none."""
    name = module.__name__
    for end in (len(name), *(i for i in reversed(range(len(name))) if name[i] == ".")):
        found: Any = sys.modules.get(name[:end])
        rest = name[end + 1 :]
        for part in filter(None, rest.split(".")):
            found = getattr(found, part, None)
        if found is module:
            return name[:end], rest
    return None


def _module_at(name: str, attribute: str) -> Any:
    module = importlib.import_module(name)
    return operator.attrgetter(attribute)(module) if attribute else module


@contextmanager
def _module_by_value(name: str, *, is_forced: bool) -> Iterator[None]:
    """Let what a module defines travel by value, if workers could not import it (as with `__main__`, always so).

    Args:
      name: the module's.
      is_forced: they could, and must not.
    """
    import cloudpickle

    module = sys.modules.get(name)
    is_found = module_file(name) is not None and not is_forced
    if name == "__main__" or module is None or is_found:
        yield
        return
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def _culprit(cls: type) -> str | None:
    """Name what keeps a class from travelling by value: the global, closure variable or attribute at fault."""
    for name, value in vars(cls).items():
        function = getattr(value, "__func__", value)
        code = getattr(function, "__code__", None)
        if code is None:
            if not name.startswith(("__", "_abc_")) and not _travels(value):
                return f"its attribute {name!r} is a {_kind(value)}"
            continue
        for free, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            if free != "__class__" and not _travels(cell.cell_contents):
                return f"the variable {free!r} around its method {name}() is a {_kind(cell.cell_contents)}"
        for used in code.co_names:
            if used in function.__globals__ and not _travels(function.__globals__[used]):
                return f"its global {used!r} is a {_kind(function.__globals__[used])}"
    return None


def _travels(value: object) -> bool:
    try:
        _dumped(value)
    except Exception:
        return False
    return True


def _kind(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _check_json(value: object, path: str) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TrainerError(f"{path} has the key {key!r}; keys must be strings.")
            _check_json(item, f"{path}[{key!r}]")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _check_json(item, f"{path}[{index}]")
    elif isinstance(value, float) and not math.isfinite(value):
        raise TrainerError(f"{path} is {value!r}, which JSON cannot hold.")
    elif type(value) not in (type(None), bool, int, float, str):
        raise TrainerError(
            f"{path} is a {_kind(value)}, which JSON cannot hold; pass plain values and make the rest in __init__."
        )
