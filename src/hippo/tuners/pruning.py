"""What tuners that train some trials further than others have in common as they begin.

Their fields are public and stand in each of them, where a user reads them; what is checked of these, and how new trials
are taken up, stands here once. It refuses to know who goes on: that is each tuner's own rule.
"""

from __future__ import annotations

from typing import Any

from hippo.tuners.ask import Ask
from hippo.tuners.budgets import check_seed
from hippo.tuners.extension import check_extension
from hippo.tuners.proposals import adopt_space, check_shuffle, check_space, is_shuffled, start_proposing, with_order
from hippo.tuners.ranking import check_ties
from hippo.tuners.rungs import NewTrials
from hippo.tuners.tuner import describe_tuner


def check_pruning(tuner: Any, *, shuffle: object = None, speculate: object = False) -> None:
    """Put a tuner's space in the form in which it is used, and refuse what cannot be; only while the tuner is made.

    Args:
      tuner: has `space`, `num_trials`, `seed`, `ties` and `extra_steps`.
      shuffle: its field, if it has one.
      speculate: its field, if it has one.

    Raises:
      TunerError, SpaceError, HparamError: it is no space, or one without end and `num_trials` is missing; or an option
        is unknown.
      BudgetError: a number is out of its bounds.
    """
    adopt_space(tuner)
    check_space(tuner.space, tuner.num_trials)
    check_seed(tuner.seed)
    check_shuffle(shuffle)
    check_ties(tuner.ties)
    check_extension(tuner.extra_steps, speculate)


def new_trials(tuner: Any, ask: Ask) -> NewTrials:
    """Return what takes up the trials of a tuner that asks for them one at a time.

    Args:
      tuner: has `space`, `num_trials`, `max_steps`, `seed` and `shuffle`.
      ask: for a space that learns.
    """
    proposer = start_proposing(
        tuner.space,
        ask,
        num_trials=tuner.num_trials,
        until=tuner.max_steps,
        seed=tuner.seed,
        shuffle=is_shuffled(tuner.space, tuner.shuffle),
    )
    return NewTrials(proposer)


def record_in_turn(tuner: Any) -> dict[str, Any]:
    """Return the record of such a tuner, in which an order is named only where it is not that of the collection."""
    return with_order(describe_tuner(tuner), is_shuffled(tuner.space, tuner.shuffle))
