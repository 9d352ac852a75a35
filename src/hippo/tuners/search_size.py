"""How much a tuner is going to ask for, as far as its arguments tell: for tuners around tuners.

What is not told is None, and whoever wants to know does without.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hippo.hparams import GridSearchSpace, RandomSearchSpace
from hippo.tuners.proposals import ProposingSpace
from hippo.tuners.rungs import count_of


@dataclass(frozen=True, slots=True)
class SearchSize:
    """How many trials a tuner takes, and the largest step that one of them may reach."""

    num_trials: int
    steps: int


def size_of(tuner: Any) -> SearchSize | None:
    """Return how much a tuner asks for; None: its arguments do not tell, as those of one that breeds configs."""
    tuner = _innermost(tuner)
    if hasattr(tuner, "population"):  # of a list it takes the first ones, and breeds the rest
        return None
    space, num_trials = getattr(tuner, "space", None), getattr(tuner, "num_trials", None)
    steps = getattr(tuner, "until", None) or getattr(tuner, "max_steps", None)
    count = num_trials if space is None else count_of(space, num_trials)
    if type(count) is not int or type(steps) is not int:
        return None
    if callable(brackets := getattr(tuner, "brackets", None)):  # which take no more than they want
        count = sum(bracket.num_trials for bracket in brackets())
    return SearchSize(count, steps + getattr(tuner, "extra_steps", 0))


def names_of(tuner: Any) -> frozenset[str] | None:
    """Return the names of a tuner's hyper-parameters; None: its arguments do not tell."""
    space = getattr(_innermost(tuner), "space", None)
    while isinstance(space, ProposingSpace):  # around another space
        space = getattr(space, "space", None) or getattr(space, "sampled", None)
    if isinstance(space, RandomSearchSpace):
        return frozenset(space.hparams)
    if isinstance(space, GridSearchSpace):  # its configs have the same ones
        return frozenset(next(iter(space)))
    if not isinstance(space, Iterable):
        return None
    return frozenset(name for config in space if isinstance(config, Mapping) for name in config)


def _innermost(tuner: Any) -> Any:
    """Return what limits are around."""
    while callable(getattr(getattr(tuner, "tuner", None), "tune", None)):
        tuner = tuner.tuner
    return tuner
