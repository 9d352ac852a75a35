"""See `ray`: reports go to the session, and distributions have a sampler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ray.train._internal.session import get_session


def report(metrics: Mapping[str, Any], *, checkpoint: Any = None) -> None:
    if get_session() is not None:
        get_session().report(metrics, checkpoint=checkpoint)


def get_checkpoint() -> Any:
    return get_session().loaded_checkpoint


class _Uniform:
    pass


class _LogUniform:
    pass


class _Normal:
    def __init__(self, mean: float, sd: float) -> None:
        self.mean = mean
        self.sd = sd


class Quantized:
    def __init__(self, sampler: Any, q: float) -> None:
        self.sampler = sampler
        self.q = q


class Domain:
    def __init__(self, lower: Any, upper: Any, sampler: Any = None) -> None:
        self.lower = lower
        self.upper = upper
        self._sampler = sampler

    def get_sampler(self) -> Any:
        return self._sampler


class Float(Domain):
    pass


class Integer(Domain):
    pass


class Categorical(Domain):
    def __init__(self, categories: list[Any]) -> None:
        super().__init__(None, None, _Uniform())
        self.categories = categories


class Function(Domain):
    def __init__(self, func: Callable[..., Any]) -> None:
        super().__init__(None, None, _Uniform())
        self.func = func


def uniform(lower: float, upper: float) -> Domain:
    return Float(lower, upper, _Uniform())


def loguniform(lower: float, upper: float) -> Domain:
    return Float(lower, upper, _LogUniform())


def quniform(lower: float, upper: float, q: float) -> Domain:
    return Float(lower, upper, Quantized(_Uniform(), q))


def qloguniform(lower: float, upper: float, q: float) -> Domain:
    return Float(lower, upper, Quantized(_LogUniform(), q))


def randint(lower: int, upper: int) -> Domain:
    return Integer(lower, upper, _Uniform())


def qrandint(lower: int, upper: int, q: int) -> Domain:
    return Integer(lower, upper, Quantized(_Uniform(), q))


def lograndint(lower: int, upper: int) -> Domain:
    return Integer(lower, upper, _LogUniform())


def qlograndint(lower: int, upper: int, q: int) -> Domain:
    return Integer(lower, upper, Quantized(_LogUniform(), q))


def randn(mean: float = 0.0, sd: float = 1.0) -> Domain:
    return Float(None, None, _Normal(mean, sd))


def qrandn(mean: float, sd: float, q: float) -> Domain:
    return Float(None, None, Quantized(_Normal(mean, sd), q))


def choice(categories: list[Any]) -> Domain:
    return Categorical(categories)


def sample_from(func: Callable[..., Any]) -> Domain:
    return Function(func)


def grid_search(values: list[Any]) -> dict[str, list[Any]]:
    return {"grid_search": values}
