"""Filters: functions that tell which configs belong to a space.

A filter sees values, `c["lr"] < 0.1`, and not the sequences that are constant. What it is has to be told from what it
was, so that a re-run with another filter is another search.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable
from typing import Any

from hippo.errors import HippoError, SpaceError
from hippo.hparams.config import Config, ConfigValues
from hippo.hparams.source import code_hash

#: tells whether a config belongs to the space; it is called with a `ConfigValues`. `Any`, so that checkers let it
#: compare what only the space knows to be a number
Filter = Callable[[Any], object]


def check_filter(filter: object) -> None:
    """Refuse what cannot be asked about a config.

    Raises:
      SpaceError: it is no function, or one whose answer would always count as yes.
    """
    if filter is None:
        return
    advice = 'a function of a config is needed, such as filter=lambda c: c["lr"] < 0.1'
    if isinstance(filter, type):
        raise SpaceError(f"filter={filter.__name__} is a class, whose instances all count as yes; {advice}.")
    if not callable(filter):
        raise SpaceError(f"filter={filter!r} is no function; {advice}.")
    if inspect.iscoroutinefunction(filter):
        raise SpaceError(f"filter={filter!r} is a coroutine, which counts as yes without being run; {advice}.")


#: a filter is asked so often before its space is searched
_ASKED = 48
#: about so many configs
_ASKED_ABOUT = 12


def check_repeatable(filter: Filter | None, configs: Iterable[Config]) -> None:
    """Refuse a filter that draws, or counts its calls: run again, the space would be another one.

    Raises:
      SpaceError: it says yes and no about one config.
    """
    if filter is None:
        return
    some = list(itertools.islice(configs, _ASKED_ABOUT))
    for config in some:
        try:
            answers = {passes(filter, config) for _ in range(_ASKED // len(some))}
        except HippoError:  # told of where the config is met
            continue
        if len(answers) > 1:
            raise SpaceError(
                f"The filter says yes and no about one config, {config!r}: it must depend on the config alone, for a "
                "script that is run again to search the same space. A tuner takes some configs of a space: "
                "hippo.RandomSearch(space, num_trials=..., until=...)."
            )


def passes(filter: Filter | None, config: Config) -> bool:
    """Tell whether a filter lets a config pass.

    Raises:
      SpaceError: the filter raised an error of its own.
    """
    if filter is None:
        return True
    try:
        return bool(filter(ConfigValues.of(config)))
    except (TypeError, AttributeError) as error:
        # Filters were called with sequences once: `c["lr"](0) < 0.1` was the way to write it, and goes on to work.
        try:
            return bool(filter(config))
        except Exception:
            raise _failed(config, error) from error
    except HippoError:
        raise
    except Exception as error:
        raise _failed(config, error) from error


def _failed(config: Config, error: Exception) -> SpaceError:
    return SpaceError(
        f'The filter raised {type(error).__name__} for {config!r}: {error}. It is called with values: c["lr"], or '
        f"c.lr, is a plain value where the hyper-parameter is constant, and a sequence where it changes, whose value "
        f'at the first step is c["lr"](0).'
    )


def filter_hash(filter: Filter | None) -> str | None:
    """Return the hash of a filter's code and of all it depends on; None if there is none.

    Raises:
      HparamError: it depends on something that cannot be compared between processes.
    """
    return None if filter is None else code_hash(filter)


def filter_note(filter: Filter | None) -> str:
    """Return what the repr of a space says of its filter."""
    return "" if filter is None else f", filter={getattr(filter, '__name__', filter)}"
