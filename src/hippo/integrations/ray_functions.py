"""What a function trainable of Ray Tune finds around it: a session to report to; and Ray's spaces as hippo's.

Ray is imported only where a trainable runs, if it is installed, since its functions ask Ray for their session.
Its distributions are told by the names of their classes. This module starts no Ray.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import sys
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

from hippo.errors import SpaceError, TrainerError
from hippo.hparams import (
    Constant,
    GridSearchSpace,
    RandomSearchSpace,
    choice,
    lograndint,
    loguniform,
    qlograndint,
    qloguniform,
    qrandint,
    qrandn,
    quniform,
    randint,
    randn,
    uniform,
)
from hippo.training.function_trainer import FunctionTrainer
from hippo.training.functions import Report
from hippo.training.process.process_settings import settings_kept

#: where Ray keeps the session that `tune.report`, `train.report` and `session.report` ask for
_SESSION_MODULE = "ray.train._internal.session"


class RayTrainer(FunctionTrainer):
    """Runs a function trainable of Ray Tune from report to report."""

    def call(self, values: Mapping[str, Any], report: Report) -> Any:
        def tell(metrics: Mapping[str, Any]) -> None:
            with _without_session():  # others may run while this function stands still
                report(self._numbers(metrics))

        with _session(_Session(tell, self._warn)):
            returned: Any = self.function(values, **self.arguments)
            if not inspect.isgenerator(returned):
                return returned
            with contextlib.closing(returned):
                return _drained(returned, tell)

    def metrics_of(self, returned: Any) -> Mapping[str, Any]:
        return self._numbers(returned if isinstance(returned, Mapping) else {"_metric": returned})  # Ray's name for it

    def _numbers(self, metrics: Any) -> dict[str, Any]:
        if not isinstance(metrics, Mapping):
            raise TrainerError(f"{self.name}() reported {metrics!r}; report a dict, such as {{'loss': 0.5}}.")
        numbers = {name: value for name, value in metrics.items() if _is_number(value)}
        if others := sorted(str(name) for name in metrics.keys() - numbers.keys()):
            self._warn(f"it reported {others}, which are no numbers and are not recorded")
        return numbers

    def _warn(self, what: str) -> None:
        warnings.warn(f"{self.name}(): {what}.", stacklevel=2)


def _drained(reports: Generator[Any, Any, Any], tell: Callable[[Any], None]) -> Any:
    """Tell all that a generator yields; return the metrics that it returned, None if it returned none."""
    while True:
        try:
            metrics = next(reports)
        except StopIteration as end:
            return end.value if isinstance(end.value, Mapping) else None
        tell(metrics)


class _Session:
    """What Ray's functions find when they ask for their session."""

    def __init__(self, tell: Callable[[Mapping[str, Any]], None], warn: Callable[[str], None]) -> None:
        self._tell = tell
        self._warn = warn
        self.loaded_checkpoint = None
        self.world_rank = None

    def report(self, metrics: Mapping[str, Any], checkpoint: object = None, **more: object) -> None:
        if checkpoint is not None:
            self._warn("it reported a checkpoint, which hippo has no use for: a function is run again instead")
        self._tell(metrics)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"Ray's session has no {name!r} under hippo, only report() and get_checkpoint(), None.")


def space_of_ray(param_space: Mapping[str, Any]) -> GridSearchSpace | RandomSearchSpace:
    """Return Ray's `param_space` as a space of hippo: a grid if nothing in it is drawn but from `grid_search`.

    Beside distributions a `grid_search` is a choice: hippo has no grid of which each point is drawn several times. A
    list is one value, as for Ray Tune; distributions in it are drawn each.

    Raises:
      SpaceError: something in it has no counterpart.
    """
    if _has_grid(param_space) and not _is_drawn(param_space):
        return GridSearchSpace({name: _options(value) for name, value in param_space.items()})
    return RandomSearchSpace({name: _distribution(name, value) for name, value in param_space.items()})


def _options(value: Any) -> Any:
    """Return the values of an entry of a grid, one by one; of a dictionary those of each of its entries."""
    if _is_grid(value):
        return list(value["grid_search"])
    if isinstance(value, Mapping) and _has_grid(value):
        return {name: _options(each) for name, each in value.items()}
    return [value]


def _has_grid(value: object) -> bool:
    return isinstance(value, Mapping) and (_is_grid(value) or any(map(_has_grid, value.values())))


def _distribution(name: str, value: Any) -> Any:
    if _is_grid(value):
        return choice(list(value["grid_search"]))
    if isinstance(value, Mapping):
        return {key: _distribution(f"{name}.{key}", item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return Constant(_list_item(name, value))  # elsewhere in hippo a list is a choice among its items
    if not _is_rays(value):
        return value
    kind, sampler = type(value).__name__, value.get_sampler()
    q = getattr(sampler, "q", None)
    inner = type(getattr(sampler, "sampler", None) or sampler).__name__
    match kind, inner:
        case "Categorical", _:
            return choice(list(value.categories))
        case "Float", "_Uniform":
            return uniform(value.lower, value.upper) if q is None else quniform(value.lower, value.upper, q)
        case "Float", "_LogUniform":
            return loguniform(value.lower, value.upper) if q is None else qloguniform(value.lower, value.upper, q)
        case "Integer", "_Uniform":
            return randint(value.lower, value.upper) if q in (None, 1) else qrandint(value.lower, value.upper, q)
        case "Integer", "_LogUniform":
            return lograndint(value.lower, value.upper) if q in (None, 1) else qlograndint(value.lower, value.upper, q)
        case "Float", "_Normal":
            normal = getattr(sampler, "sampler", None) or sampler
            return randn(normal.mean, normal.sd) if q is None else qrandn(normal.mean, normal.sd, q)
        case "Function", _:
            raise SpaceError(
                f"param_space[{name!r}] is sample_from(...), which depends on other values. Compute it within the "
                "function, from the values that it depends on."
            )
    raise SpaceError(
        f"param_space[{name!r}] is {value!r} of Ray, which hippo has no counterpart for; choose from hippo.uniform, "
        "loguniform, quniform, qloguniform, randint, qrandint, lograndint, qlograndint, randn, qrandn and choice."
    )


def _list_item(name: str, value: Any) -> Any:
    """Return what is in a list, where further lists are lists."""
    if isinstance(value, list | tuple):
        return [_list_item(f"{name}[{number}]", item) for number, item in enumerate(value)]
    if isinstance(value, Mapping) and not _is_grid(value):
        return {key: _list_item(f"{name}.{key}", item) for key, item in value.items()}
    return _distribution(name, value)


def _is_grid(value: object) -> bool:
    return isinstance(value, Mapping) and set(value) == {"grid_search"}


def _is_drawn(value: object) -> bool:
    """Whether something in it is drawn: a distribution, or a `grid_search` within a list."""
    if _is_grid(value):
        return False
    if isinstance(value, list | tuple) and any(map(_has_grid, value)):
        return True
    if isinstance(value, Mapping):
        return any(map(_is_drawn, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_is_drawn, value))
    return hasattr(value, "sample") or _is_rays(value)


def _is_rays(value: object) -> bool:
    return type(value).__module__.partition(".")[0] == "ray" and hasattr(value, "get_sampler")


def _is_number(value: Any) -> bool:
    if isinstance(value, bool | int | float):
        return True
    return getattr(value, "shape", None) == () and hasattr(value, "item")


@contextlib.contextmanager
def _session(session: _Session | None) -> Iterator[None]:
    """Let Ray's functions find `session` within the block."""
    module: Any = _session_module()
    if module is None:
        yield
        return
    before, module._session = module._session, session
    try:
        yield
    finally:
        module._session = before


@contextlib.contextmanager
def _without_session() -> Iterator[None]:
    with _session(None):
        yield


def _session_module() -> Any:
    if importlib.util.find_spec("ray") is None:
        return None
    if _SESSION_MODULE in sys.modules:
        return sys.modules[_SESSION_MODULE]
    try:
        with settings_kept(lambda changed: None):  # Ray changes some, which would be taken for the function's doing
            return importlib.import_module(_SESSION_MODULE)
    except ImportError:  # Ray as engines need it, without what Ray Tune needs: no function can have imported a session
        return None
