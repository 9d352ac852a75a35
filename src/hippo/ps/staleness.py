"""What a worker may read at a clock: the rule of stale synchronous parallel training, as values.

Ho et al. 2013, "More Effective Distributed ML via a Stale Synchronous Parallel Parameter Server": a worker at clock c
sees all updates of clocks up to c - s - 1, s being the staleness bound. A step begins where all have met: what came
before it, everybody sees. Within a step there are two orders:

- pinned: of others, a worker sees *exactly* the updates up to c - s - 1, and its own; so what it reads is a function of
  the path, whoever was delayed. It is the worst staleness that the bound allows.
- free: it sees at least those, and what else had come when it last had to look.

This module refuses to know memory, and who waits how.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum

from hippo.errors import HparamError, TrainerError, did_you_mean, listed

#: bounds that the paper tunes over (Cui et al. 2018, Table 3)
STALENESS_BOUNDS = (0, 1, 3, 7)


class UpdateOrder(Enum):
    """In which order workers see updates."""

    PINNED = "pinned"
    FREE = "free"


def order_named(name: object) -> UpdateOrder:
    """Return the order of this name.

    Raises:
      TrainerError: there is none.
    """
    names = [order.value for order in UpdateOrder]
    if name in names:
        return UpdateOrder(name)
    hint = did_you_mean(name, names) if isinstance(name, str) else ""
    raise TrainerError(f"order={name!r} is no order of updates; there are {names}.{hint}")


def checked_staleness(staleness: object, bounds: Collection[int] = STALENESS_BOUNDS) -> int:
    """Return a staleness bound that is one.

    Raises:
      HparamError: it is not among the bounds.
    """
    if isinstance(staleness, int | float) and not isinstance(staleness, bool) and staleness in bounds:
        return int(staleness)
    raise HparamError(
        f"staleness={staleness!r} is no bound of this server: it is by how many clocks workers may be apart, one of "
        f"{listed(list(map(str, sorted(bounds))), len(bounds))}"
    )


def read_clock(clock: int, *, start: int, staleness: int) -> int:
    """Return the last clock whose updates a worker at `clock` must see, whoever they are of.

    Args:
      clock: that it computes.
      start: the first one of the step: all that was before is seen.
      staleness: the bound, s.
    """
    return max(start - 1, clock - staleness - 1)
