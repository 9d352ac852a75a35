"""A config looked at before it is asked for: does every sequence have a value wherever it will be asked for one?

Within a plan `hippo.plan.ConfigPath` looks as it walks; this is for who has no plan in hand.
"""

from __future__ import annotations

from hippo.hparams import Config, path
from hippo.hparams.paths import Pieces, check_values


def check_config(config: Config, until: int) -> None:
    """Evaluate every piece of a config where it begins and where it ends, before `until`.

    Raises:
      HparamError: a sequence leaves the finite numbers; the message names it and the step.
    """
    in_force: Pieces = {}
    for start, pieces in path(config, until):
        check_values(config, in_force, start - 1)
        check_values(config, pieces, start)
        in_force = pieces
    check_values(config, in_force, until - 1)
