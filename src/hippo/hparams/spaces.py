"""Search spaces: grids, distributions, and plain lists of configs. Iterating over one gives its configs.

A dictionary in the place of a hyper-parameter is a space of its own, whose configs are dictionaries: in
{"opt": [{"name": "sgd", "momentum": choice(0.0, 0.9)}, {"name": "adam"}]} there is a momentum only where it means
something.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hippo.arguments import explain_calls
from hippo.errors import HparamError, SpaceError
from hippo.hparams.config import Config, as_config
from hippo.hparams.distributions import Distribution, check_rng
from hippo.hparams.filters import Filter, check_filter, check_repeatable, filter_hash, filter_note, passes
from hippo.hparams.foreign import hint_for
from hippo.hparams.merging import Progress, SecondsPerStep, merge_rate
from hippo.hparams.sequence import Sequence, as_sequence
from hippo.hparams.templates import Choice, choice, closed, described, expanded, is_open
from hippo.hparams.values import canonical_text, whole

if TYPE_CHECKING:
    from numpy.random import Generator

#: configs that a random space draws in vain before it says that its filter is too narrow
MAX_REJECTED = 10_000


#: what others give to a space
_HINTS = dict.fromkeys(
    ("num_samples", "n_trials", "num_trials"),
    "a tuner says how many: hippo.RandomSearch(space, num_trials=..., until=...)",
) | {"seed": "a tuner has a seed: hippo.RandomSearch(space, num_trials=..., until=..., seed=...)"}


class GridSearchSpace:
    """Every combination of the options of every hyper-parameter that passes the filter; the last one varies fastest.

    Args:
      hparams: name -> list of options, each a sequence or a plain value; a `choice` within an option stands for each
        of its own. Or name -> dictionary of such lists: every combination of them, each a dictionary.
      filter: keeps the configs for which it is true. It sees values: `lambda c: c["lr"] < 0.1`.
      max_configs: refuse a product above this, taken before the filter.

    Raises:
      SpaceError: there is nothing to search, or too much, or an entry that is not a list.
    """

    @explain_calls(**_HINTS)
    def __init__(
        self,
        hparams: Mapping[str, Iterable[Any]],
        filter: Filter | None = None,
        *,
        max_configs: int = 10_000_000,
    ) -> None:
        _check_names(hparams, '{"lr": [0.1, 0.01]}')
        check_filter(filter)
        whole("max_configs", max_configs, 1)
        self._options = {name: _options(name, options) for name, options in hparams.items()}
        self._filter = filter
        product = math.prod(map(len, self._options.values()))
        if product > max_configs:
            raise SpaceError(
                f"The grid has {product:,} configs before its filter, more than {max_configs:,}. Take fewer options, "
                f"use RandomSearchSpace, or allow it by GridSearchSpace(..., max_configs={product})."
            )
        check_repeatable(filter, map(self._at, range(product)))
        if next(iter(self), None) is None:
            raise SpaceError(f"The filter lets none of the {product:,} configs of the grid pass.")

    def __iter__(self) -> Iterator[Config]:
        names = list(self._options)
        order = sorted(names)
        places = [names.index(name) for name in order]
        for combination in itertools.product(*self._options.values()):
            config = Config.from_sequences({name: combination[i] for name, i in zip(order, places, strict=True)})
            if self._filter is None or passes(self._filter, config):
                yield config

    def shuffled(self, rng: Generator) -> Iterator[Config]:
        """Yield the configs in a random order, each once, made when they are asked for."""
        for index in rng.permutation(math.prod(map(len, self._options.values()))):
            config = self._at(int(index))
            if self.allows(config):
                yield config

    def allows(self, config: Config) -> bool:
        """Tell whether the filter lets a config pass, also one of values that are no options."""
        return passes(self._filter, config)

    @property
    def filter_hash(self) -> str | None:
        """The hash of the filter's code, for whoever asks it about values that are no options; None: there is none.

        Raises:
          HparamError: it depends on something that cannot be compared between processes.
        """
        return filter_hash(self._filter)

    def _at(self, index: int) -> Config:
        """Return the config at a place of the whole product, before the filter."""
        chosen: dict[str, Sequence] = {}
        for name, options in reversed(self._options.items()):
            index, place = divmod(index, len(options))
            chosen[name] = options[place]
        return Config.from_sequences({name: chosen[name] for name in sorted(chosen)})

    def __len__(self) -> int:
        return self._count

    @cached_property
    def _count(self) -> int:
        if self._filter is None:
            return math.prod(map(len, self._options.values()))
        return sum(1 for _ in self)

    @explain_calls(steps="it is called until here")
    def merge_rate(
        self, until: int, seconds_per_step: SecondsPerStep | None = None, *, progress: Progress | None = None
    ) -> float:
        """Return the merge rate p of the grid, each trial run to `until`; see `hippo.merge_rate`."""
        return merge_rate(self, until, seconds_per_step, progress=progress)

    def __repr__(self) -> str:
        options = ", ".join(f"{name!r}: {list(options)!r}" for name, options in self._options.items())
        return f"GridSearchSpace({{{options}}}{filter_note(self._filter)})"


def _check_names(hparams: object, example: str) -> None:
    if not isinstance(hparams, Mapping):
        raise SpaceError(f"A space is a mapping of hyper-parameters' names, such as {example}, not {hparams!r}.")
    if not hparams:
        raise SpaceError(f"The space is empty: it names no hyper-parameters. Write, for instance, {example}.")
    Config(dict.fromkeys(hparams))


#: what looks like a list of options and is none
_NOT_A_LIST = (str, bytes, set, frozenset, Distribution, Sequence)


def _options(name: str, entry: Any) -> tuple[Sequence, ...]:
    try:
        return tuple(map(as_sequence, _listed(name, entry)))
    except HparamError as error:
        raise HparamError(f"Hyper-parameter {name!r}: {error}") from None
    except RecursionError:
        raise HparamError(f"Hyper-parameter {name!r} is nested too deeply, or holds itself.") from None


def _listed(name: str, entry: Any) -> list[Any]:
    """Return the options of a grid's entry, as they are written, with one in the place of each choice.

    Raises:
      SpaceError: it has none, or no end.
    """
    entry = _without_ray(entry)
    if isinstance(entry, Mapping):
        inside = {key: _listed(f"{name}.{key}", options) for key, options in entry.items()}
        return [dict(zip(inside, combination, strict=True)) for combination in itertools.product(*inside.values())]
    if isinstance(entry, Choice):
        entry = entry.options
    if isinstance(entry, _NOT_A_LIST) or not isinstance(entry, Iterable):
        if is_open(entry):
            raise SpaceError(f"{name!r} is a distribution, which a grid cannot enumerate; use RandomSearchSpace.")
        if not isinstance(entry, Sequence) and (hint := hint_for(entry)) is not None:
            raise SpaceError(f"{name!r}: {hint}. A grid wants a list of options.")
        if isinstance(entry, set | frozenset):
            raise SpaceError(f"The options of {name!r} must be a list, whose order is known, not the set {entry!r}.")
        raise SpaceError(f"The options of {name!r} must be a list, not {entry!r}; for one option write [{entry!r}].")
    found = [option for options in entry for option in expanded(_without_ray(options), name)]
    if not found:
        raise SpaceError(f"{name!r} has no options, so the grid is empty; give at least one, or leave {name!r} out.")
    return found


def _without_ray(entry: Any) -> Any:
    """Return an entry with a choice in the place of each {"grid_search": [...]}, as Ray Tune writes it."""
    if isinstance(entry, Mapping):
        if set(entry) == {"grid_search"} and isinstance(entry["grid_search"], list | tuple) and entry["grid_search"]:
            return choice([_without_ray(option) for option in entry["grid_search"]])
        return {name: _without_ray(item) for name, item in entry.items()}
    return entry


class RandomSearchSpace:
    """Configs drawn from distributions, which may stand for values and for arguments of sequences.

    Args:
      hparams: name -> distribution, template, sequence or plain value; or a list, which is a choice among its items (a
        list that is one value is written Constant([...])); or a dictionary of such entries.
      filter: configs for which it is false are drawn again. It sees values: `lambda c: c["lr"] < 0.1`.

    Raises:
      SpaceError: there are no hyper-parameters.
      HparamError: an entry cannot be a hyper-parameter.
    """

    @explain_calls(**_HINTS, max_configs="a random space has no end; a tuner says how many to draw")
    def __init__(self, hparams: Mapping[str, Any], filter: Filter | None = None) -> None:
        _check_names(hparams, '{"lr": loguniform(1e-4, 1)}')
        check_filter(filter)
        entries = {name: _drawable(name, entry) for name, entry in hparams.items()}
        fixed = Config({name: entry for name, entry in entries.items() if not is_open(entry)})
        for name, entry in entries.items():
            check_options(name, entry)
        self._hparams = {name: fixed.get(name, entries[name]) for name in sorted(entries)}
        self._filter = filter
        if filter is not None:
            from numpy.random import default_rng

            check_repeatable(filter, self._drawn(default_rng(0)))

    @explain_calls()
    def sample(self, rng: Generator) -> Config:
        """Draw a config; hyper-parameters are drawn in alphabetical order.

        Raises:
          SpaceError: the filter refused ten thousand in a row.
        """
        check_rng(rng)
        for config in itertools.islice(self._drawn(rng), MAX_REJECTED):
            if self.allows(config):
                return config
        raise SpaceError(f"The filter refused {MAX_REJECTED:,} configs in a row; narrow the distributions instead.")

    def _drawn(self, rng: Generator) -> Iterator[Config]:
        """Yield configs without end, before the filter."""
        while True:
            yield Config({name: closed(value, rng) for name, value in self._hparams.items()})

    @property
    def hparams(self) -> dict[str, Any]:
        """What each hyper-parameter is drawn from, by name: a distribution, a template, or a sequence as it is."""
        return dict(self._hparams)

    def allows(self, config: Config) -> bool:
        """Tell whether the filter lets a config pass."""
        return passes(self._filter, config)

    def to_json(self) -> dict[str, Any]:
        """Return the space as what JSON can hold, its filter as the hash of its code: equal texts, equal spaces."""
        hparams = {name: described(value) for name, value in self._hparams.items()}
        return {"hparams": hparams, "filter": filter_hash(self._filter)}

    @cached_property
    def key(self) -> str:
        """The canonical text that identifies the space."""
        return canonical_text(self.to_json())

    def __repr__(self) -> str:
        return f"RandomSearchSpace({self._hparams!r}{filter_note(self._filter)})"


def check_options(name: str, entry: Any) -> None:
    """Refuse an option that could not be a hyper-parameter, before it is drawn.

    Raises:
      HparamError: says which value, and why.
    """
    if isinstance(entry, Choice):
        for option in entry.options:
            check_options(name, option)
    elif isinstance(entry, dict):
        for key, item in entry.items():
            check_options(f"{name}.{key}", item)
    elif not is_open(entry):
        Config({name: entry})


def _drawable(name: str, entry: Any) -> Any:
    """Return an entry of a random space as what can be drawn from or is fixed.

    Raises:
      SpaceError: it is an empty list, or Ray Tune's word for a grid.
    """
    if isinstance(entry, list | tuple | range):
        if not entry:
            raise SpaceError(f"{name!r} has no options to draw from; give at least one, or write Constant([]).")
        return choice(list(entry))
    if isinstance(entry, Mapping):
        if set(entry) == {"grid_search"}:
            raise SpaceError(
                f"{name!r} is a grid_search, which takes every value, and a RandomSearchSpace draws. Write "
                f"choice({entry['grid_search']!r}), or a GridSearchSpace."
            )
        return {key: _drawable(f"{name}.{key}", item) for key, item in entry.items()}
    return entry


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

    @explain_calls(steps="it is called until here")
    def merge_rate(
        self, until: int, seconds_per_step: SecondsPerStep | None = None, *, progress: Progress | None = None
    ) -> float:
        """Return the merge rate p of the configs, each run to `until`; see `hippo.merge_rate`."""
        return merge_rate(self, until, seconds_per_step, progress=progress)

    def __repr__(self) -> str:
        return f"ConfigList({list(self._configs)!r})"
