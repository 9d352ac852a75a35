"""Search spaces: grids, distributions, and plain lists of configs. Iterating over one gives its configs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from types import FunctionType
from typing import TYPE_CHECKING, Any

from hippo.errors import HparamError, SpaceError
from hippo.hparams.config import Config, as_config
from hippo.hparams.distributions import Distribution
from hippo.hparams.merging import SecondsPerStep, merge_rate
from hippo.hparams.sequence import Sequence, as_sequence
from hippo.hparams.templates import closed, described, is_open
from hippo.hparams.values import canonical_text

if TYPE_CHECKING:
    from numpy.random import Generator

#: tells whether a config belongs to the space
Filter = Callable[[Config], object]

#: configs that a random space draws in vain before it says that its filter is too narrow
MAX_REJECTED = 10_000


class GridSearchSpace:
    """Every combination of the options of every hyper-parameter that passes the filter; the last one varies fastest.

    Args:
      hparams: name -> list of options, each a sequence or a plain value.
      filter: keeps the configs for which it is true; for conditional spaces.
      max_configs: refuse a product above this, taken before the filter.

    Raises:
      SpaceError: there is nothing to search, or too much, or an entry that is not a list.
    """

    def __init__(
        self,
        hparams: Mapping[str, Iterable[Any]],
        filter: Filter | None = None,
        *,
        max_configs: int = 10_000_000,
    ) -> None:
        _check_names(hparams, '{"lr": [0.1, 0.01]}')
        self._options = {name: _options(name, options) for name, options in hparams.items()}
        self._filter = filter
        product = math.prod(map(len, self._options.values()))
        if product > max_configs:
            raise SpaceError(
                f"The grid has {product:,} configs before its filter, more than {max_configs:,}. Take fewer options, "
                f"use RandomSearchSpace, or allow it by GridSearchSpace(..., max_configs={product})."
            )
        if next(iter(self), None) is None:
            raise SpaceError(f"The filter lets none of the {product:,} configs of the grid pass.")

    def __iter__(self) -> Iterator[Config]:
        order = sorted(self._options)
        for combination in itertools.product(*self._options.values()):
            chosen = dict(zip(self._options, combination, strict=True))
            config = Config.from_sequences({name: chosen[name] for name in order})
            if self._filter is None or self._filter(config):
                yield config

    def __len__(self) -> int:
        return self._count

    @cached_property
    def _count(self) -> int:
        if self._filter is None:
            return math.prod(map(len, self._options.values()))
        return sum(1 for _ in self)

    def merge_rate(self, until: int, seconds_per_step: SecondsPerStep | None = None) -> float:
        """Return the merge rate p of the grid, each trial run to `until`."""
        return merge_rate(self, until, seconds_per_step)

    def __repr__(self) -> str:
        options = ", ".join(f"{name!r}: {list(options)!r}" for name, options in self._options.items())
        return f"GridSearchSpace({{{options}}}{_filter_note(self._filter)})"


def _check_names(hparams: object, example: str) -> None:
    if not isinstance(hparams, Mapping):
        raise SpaceError(f"A space is a mapping of hyper-parameters' names, such as {example}, not {hparams!r}.")
    if not hparams:
        raise SpaceError(f"The space is empty: it names no hyper-parameters. Write, for instance, {example}.")
    Config(dict.fromkeys(hparams))


#: what looks like a list of options and is none
_NOT_A_LIST = (str, bytes, Mapping, set, frozenset, Distribution, Sequence)


def _options(name: str, options: Any) -> tuple[Sequence, ...]:
    if isinstance(options, _NOT_A_LIST) or not isinstance(options, Iterable):
        if is_open(options):
            raise SpaceError(f"{name!r} is a distribution, which a grid cannot enumerate; use RandomSearchSpace.")
        raise SpaceError(
            f"The options of {name!r} must be a list, not {options!r}; for one option write [{options!r}]."
        )
    found = []
    for option in options:
        if is_open(option):
            raise SpaceError(f"{name!r} has the option {option!r}, a distribution; use RandomSearchSpace.")
        try:
            found.append(as_sequence(option))
        except HparamError as error:
            raise HparamError(f"Hyper-parameter {name!r}: {error}") from None
    if not found:
        raise SpaceError(f"{name!r} has no options, so the grid is empty; give at least one, or leave {name!r} out.")
    return tuple(found)


class RandomSearchSpace:
    """Configs drawn from distributions, which may stand for values and for arguments of sequences.

    Args:
      hparams: name -> distribution, template, sequence or plain value.
      filter: configs for which it is false are drawn again.

    Raises:
      SpaceError: there are no hyper-parameters.
      HparamError: an entry cannot be a hyper-parameter.
    """

    def __init__(self, hparams: Mapping[str, Any], filter: Filter | None = None) -> None:
        _check_names(hparams, '{"lr": loguniform(1e-4, 1)}')
        fixed = Config({name: value for name, value in hparams.items() if not is_open(value)})
        self._hparams = {name: fixed.get(name, hparams[name]) for name in sorted(hparams)}
        self._filter = filter

    def sample(self, rng: Generator) -> Config:
        """Draw a config; hyper-parameters are drawn in alphabetical order.

        Raises:
          SpaceError: the filter refused ten thousand in a row.
        """
        for _ in range(MAX_REJECTED):
            config = Config({name: closed(value, rng) for name, value in self._hparams.items()})
            if self.allows(config):
                return config
        raise SpaceError(f"The filter refused {MAX_REJECTED:,} configs in a row; narrow the distributions instead.")

    @property
    def hparams(self) -> dict[str, Any]:
        """What each hyper-parameter is drawn from, by name: a distribution, a template, or a sequence as it is."""
        return dict(self._hparams)

    def allows(self, config: Config) -> bool:
        """Tell whether the filter lets a config pass."""
        return self._filter is None or bool(self._filter(config))

    def to_json(self) -> dict[str, Any]:
        """Return the space as what JSON can hold, its filter as the hash of its code: equal texts, equal spaces."""
        hparams = {name: described(value) for name, value in self._hparams.items()}
        return {"hparams": hparams, "filter": _filter_hash(self._filter)}

    @cached_property
    def key(self) -> str:
        """The canonical text that identifies the space."""
        return canonical_text(self.to_json())

    def __repr__(self) -> str:
        return f"RandomSearchSpace({self._hparams!r}{_filter_note(self._filter)})"


class ConfigList:
    """A space of configs given one by one.

    Raises:
      SpaceError: there are none.
    """

    def __init__(self, configs: Iterable[Mapping[str, Any]]) -> None:
        if isinstance(configs, Mapping):
            raise SpaceError("A list of configs is needed, not a single one; write [config].")
        self._configs = tuple(map(as_config, configs))
        if not self._configs:
            raise SpaceError("The list of configs is empty; give at least one.")

    def __iter__(self) -> Iterator[Config]:
        return iter(self._configs)

    def __len__(self) -> int:
        return len(self._configs)

    def merge_rate(self, until: int, seconds_per_step: SecondsPerStep | None = None) -> float:
        """Return the merge rate p of the configs, each run to `until`."""
        return merge_rate(self, until, seconds_per_step)

    def __repr__(self) -> str:
        return f"ConfigList({list(self._configs)!r})"


def _filter_note(filter: Filter | None) -> str:
    return "" if filter is None else f", filter={getattr(filter, '__name__', filter)}"


def _filter_hash(filter: Filter | None) -> str | None:
    from hippo.hparams.source import code_hash

    if filter is None:
        return None
    return code_hash(filter if isinstance(filter, FunctionType) else type(filter))
