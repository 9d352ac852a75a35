"""Where a tuner's new configs come from: a collection, draws from distributions, or a sampler that learns.

Tuners that train some configs further than others (ASHA, Hyperband, ...) take any of these as their `space`, so that
every sampler works with every way to prune.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import Any, Protocol, runtime_checkable

from hippo.errors import SpaceError, TunerError
from hippo.hparams import Config, ConfigList, Distribution, GridSearchSpace, RandomSearchSpace, as_config
from hippo.hparams.templates import is_open
from hippo.records import Answer
from hippo.tuners.ask import Ask
from hippo.tuners.budgets import check_steps


class Proposer(Protocol):
    """Proposes configs, and may learn from what became of them. Made anew for each run of a call."""

    def propose(self) -> Config | None:
        """Return the next config, or None if there is none."""

    def tell(self, answer: Answer) -> None:
        """Learn from an answer about a config that was proposed, at whatever step, in the order of their arrival."""


@runtime_checkable
class ProposingSpace(Protocol):
    """A space that brings its own proposer."""

    def start(self, ask: Ask, *, num_trials: int | None, until: int, seed: int) -> Proposer:
        """Return a new proposer.

        Args:
          ask: for a proposer that wants to know the study's objectives, or what is covered already.
          num_trials: how many configs it may propose; None: as many as the space has.
          until: the largest step that a trial may reach: an answer there is a trial's last.
          seed: of its draws.
        """


#: what tuners have as their `space`
Space = Iterable[Mapping[str, Any]] | RandomSearchSpace | ProposingSpace
#: what they take as it: a dictionary stands for the space that it describes
SpaceLike = Space | Mapping[str, Any]


def adopt_space(tuner: Any, *, is_grid: bool = False) -> None:
    """Put what a tuner was given as its space in the form in which it is used; only while the tuner is being made.

    Args:
      tuner: whose `space` it is.
      is_grid: whether it takes every config, so that a choice is a list of options.

    Raises:
      TunerError, SpaceError, HparamError: it is no space, or an empty one.
    """
    object.__setattr__(tuner, "space", as_space(tuner.space, is_grid=is_grid))


def adopt_random_space(tuner: Any) -> None:
    """Do the same where nothing but distributions will do: of a dictionary becomes a `RandomSearchSpace`."""
    if isinstance(tuner.space, Mapping) and not isinstance(tuner.space, Config):
        object.__setattr__(tuner, "space", RandomSearchSpace(tuner.space))


def as_space(space: Any, *, is_grid: bool = False) -> Any:
    """Return a space, also of a plain dictionary, and a collection that can be iterated over again.

    A dictionary with a distribution in it is a `RandomSearchSpace`, one of lists a `GridSearchSpace`, also where a list
    has a choice within one of its items.

    Raises:
      TunerError: it is a single config, or nothing that has configs.
      SpaceError: there are no configs.
      HparamError: one of a list cannot be a config.
    """
    if isinstance(space, GridSearchSpace | ConfigList | RandomSearchSpace):
        return space
    if isinstance(space, Mapping):
        return _space_of_dictionary(space, is_grid)
    if isinstance(space, ProposingSpace) and not isinstance(space, type):
        return space
    if isinstance(space, str | bytes | type) or not isinstance(space, Iterable):
        raise TunerError(f"A space is a GridSearchSpace, a RandomSearchSpace or a list of configs, not {space!r}.")
    if iter(space) is space:  # a generator, which could be read only once: a re-run, or a record, finds it empty
        space = list(space)
    if isinstance(space, Sized) and not len(space):
        raise TunerError("The space is empty: there is nothing to train. Give at least one config.")
    if isinstance(space, list | tuple):  # made once: its record is of them, and so are its trials
        return [as_config(config) for config in space]
    return space


def _space_of_dictionary(space: Mapping[str, Any], is_grid: bool) -> Any:
    if isinstance(space, Config):
        raise TunerError(f"A space is needed, and {space!r} is one config; for a space of one, write [config].")
    if any(map(is_open, space.values())):
        if not is_grid and any(isinstance(entry, Distribution) for entry in space.values()):
            return RandomSearchSpace(space)
        try:
            return GridSearchSpace(space)
        except SpaceError:  # there are ranges in it
            return RandomSearchSpace(space)
    are_lists = {name: _is_listing(entry) for name, entry in space.items()}
    if all(are_lists.values()):
        return GridSearchSpace(space)
    written = {name: entry if are_lists[name] else [entry] for name, entry in space.items()}
    raise TunerError(
        f"{dict(space)!r} is a config rather than a space. For a space of this one write [config]; for a grid write "
        f"GridSearchSpace({written!r})."
    )


def _is_listing(entry: Any) -> bool:
    """Whether an entry lists options: numpy's arrays and pandas' columns do, their numbers do not.

    A set means to, and is refused where the grid is made.
    """
    is_array = hasattr(entry, "tolist") and len(getattr(entry, "shape", ())) > 0
    return is_array or isinstance(entry, list | tuple | range | set | frozenset | Mapping)


def is_shuffled(space: Any, shuffle: bool | None) -> bool:
    """Tell whether a tuner that asks one at a time takes the configs of a space in a random order.

    By default it does so with a grid, which is sorted: where larger values are better, each newcomer would be the best
    so far, and be trained on. A list is in the order that its maker gave it.
    """
    return isinstance(space, GridSearchSpace) if shuffle is None else shuffle


def with_order(record: dict[str, Any], shuffled: bool) -> dict[str, Any]:
    """Return a tuner's record, in which an order is named only where it is not that of the collection."""
    named = {name: value for name, value in record.items() if name != "shuffle"}
    return {**named, "shuffle": True} if shuffled else named


def check_shuffle(shuffle: object) -> None:
    """Refuse what is no answer.

    Raises:
      TunerError: it is not True, False or None.
    """
    if shuffle is not None and not isinstance(shuffle, bool):
        raise TunerError(f"shuffle must be True, False, or None for grids only, not {shuffle!r}")


def check_space(space: Any, num_trials: int | None) -> None:
    """Refuse a space that does not say how many configs to take, before anything is trained.

    Raises:
      TunerError: it has no end, and `num_trials` is missing.
      BudgetError: `num_trials` is not an integer of at least 1.
    """
    if num_trials is not None:
        check_steps("num_trials", num_trials)
    elif isinstance(space, RandomSearchSpace | ProposingSpace):
        raise TunerError(f"{type(space).__name__} has no end; say how many configs to take: num_trials=...")


def start_proposing(
    space: Any, ask: Ask, *, num_trials: int | None, until: int, seed: int, shuffle: bool = False
) -> Proposer:
    """Return the proposer of any kind of space; `shuffle` puts a collection in an order that the seed decides."""
    if isinstance(space, ProposingSpace):
        return space.start(ask, num_trials=num_trials, until=until, seed=seed)
    return _Draws(_configs(space, num_trials, seed, shuffle))


def draw_configs(space: Any, num_trials: int | None, seed: int) -> list[Config]:
    """Return the configs of a collection in their order, or draws from distributions, at most `num_trials`."""
    return list(_configs(space, num_trials, seed))


def _configs(space: Any, num_trials: int | None, seed: int, shuffle: bool = False) -> Iterator[Config]:
    if isinstance(space, RandomSearchSpace):
        import numpy as np

        rng = np.random.default_rng(seed)
        assert num_trials is not None, "check_space asks for it"
        for _ in range(num_trials):
            yield space.sample(rng)
        return
    for number, config in enumerate(_shuffled(space, seed) if shuffle else space):
        if number == num_trials:
            return
        yield as_config(config)


def _shuffled(space: Any, seed: int) -> Iterable[Mapping[str, Any]]:
    import numpy as np

    rng = np.random.default_rng(seed)
    if isinstance(space, GridSearchSpace):
        return space.shuffled(rng)
    configs = list(space)
    return (configs[i] for i in rng.permutation(len(configs)))


class _Draws:
    """Configs that are known beforehand: nothing is learned."""

    def __init__(self, configs: Iterator[Config]) -> None:
        self._configs = configs

    def propose(self) -> Config | None:
        return next(self._configs, None)

    def tell(self, answer: Answer) -> None:
        pass
