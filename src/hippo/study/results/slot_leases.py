"""The work that slots were given, as it was written down: where, from when to when, how it ended, and what it was.

A lease is a row that is inserted once and changes once, when it ends; so whoever looks again reads those that came
since, and those that had not ended. This module refuses to know how anything is drawn.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hippo.plan import Among, LeaseEnd, LeaseRow, Moment, PlanRow, is_writing
from hippo.records import NodeId, Span


class LeaseState(enum.Enum):
    """Where the work of a lease stands."""

    RUNNING = "running"
    #: its lanes came to their ends
    DONE = "done"
    #: its slot is gone
    LOST = "lost"
    #: the process that had given it out is gone, or writes no more
    VOID = "void"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotLease:
    """Work that a slot was given."""

    #: the members of the study on whose plan it is, such as "seed 3"; ("",) for the only one
    members: tuple[str, ...]
    #: its number in the plan
    lease: int
    #: of its plan: raised whenever a process takes over the writing, and so tells processes apart
    epoch: int
    #: which slot, and those that took part beside it
    slot: str
    peers: tuple[str, ...]
    #: what each lane was to walk, in order; one that nobody waited for any more ended earlier
    lanes: tuple[tuple[Span, ...], ...]
    state: LeaseState
    #: seconds since the epoch, of the clock that the study ran by
    began_at: float
    #: None: it runs, or nobody saw when it ended, or an older hippo did not write it down
    ended_at: float | None


class LeaseCache:
    """The leases of a plan, for all who read the same study.

    Args:
      plan: whose.
      members: of the study, that are trained on it.
    """

    def __init__(self, plan: int, members: Sequence[str]) -> None:
        self._plan = plan
        self._members = tuple(members)
        self._known: dict[int, SlotLease] = {}
        #: not ended when they were read last
        self._open: set[int] = set()
        self._mark = 0

    def read(self, rows: Moment) -> list[SlotLease]:
        """Return those that there are now, by number."""
        mark = rows.mark(LeaseRow)
        (plan,) = rows.rows(PlanRow, plan=self._plan)
        # in the order of their key, which is an index
        found = rows.columns(LeaseRow, _FIELDS, order=("lease",), after=self._mark, upto=mark, plan=self._plan)
        if self._open:
            found += rows.columns(LeaseRow, _FIELDS, plan=self._plan, lease=Among(sorted(self._open)))
        for values in found:
            lease, ended = values[_LEASE], values[_ENDED]
            self._known[lease] = _lease_of(values, plan, self._members)
            (self._open.discard if ended else self._open.add)(lease)
        self._mark = mark
        return list(self._known.values())  # they came by number, and keep their places


def running_leases(rows: Moment, plan: PlanRow, members: Sequence[str]) -> list[SlotLease]:
    """Return the leases of a plan that run at a moment, without a look at all those before.

    Args:
      rows: the moment.
      plan: whose.
      members: of the study, that are trained on it.
    """
    found = rows.columns(LeaseRow, _FIELDS, plan=plan.plan, ended="")
    leases = [_lease_of(values, plan, tuple(members)) for values in found]
    return [lease for lease in leases if lease.state is LeaseState.RUNNING]


#: what is read of each, and where in that two of them stand
_FIELDS = ("lease", "epoch", "slot", "spans", "lanes", "peers", "started_at", "ended", "ended_at")
_LEASE, _ENDED = _FIELDS.index("lease"), _FIELDS.index("ended")
_STATES = {end.value: LeaseState(end.value) for end in LeaseEnd}


def _lease_of(values: tuple[Any, ...], plan: PlanRow, members: tuple[str, ...]) -> SlotLease:
    """Return a lease from its `_FIELDS`: there are as many as stages that were run, so that each look-up counts."""
    lease, epoch, slot, spans, lanes, peers, started_at, ended, ended_at = values
    if ended:
        state = _STATES[ended]
    else:
        # a process that was killed ended none of its leases: the next one that writes does
        is_ours = epoch == plan.epoch and is_writing(plan.writer, since=started_at)
        state = LeaseState.RUNNING if is_ours else LeaseState.VOID
    return SlotLease(
        members=members,
        lease=lease,
        epoch=epoch,
        slot=slot,
        peers=tuple(json.loads(peers)) if peers else (),
        lanes=_lanes(spans, lanes),
        state=state,
        began_at=started_at,
        ended_at=ended_at,
    )


def _lanes(spans: str, lanes: str | None) -> tuple[tuple[Span, ...], ...]:
    """Return what each lane walks; of an older hippo's row, all of it as one."""
    every = tuple(Span(node=NodeId(node), start=start, stop=stop) for node, start, stop in json.loads(spans))
    if lanes is None:
        return (every,)
    found, begin = [], 0
    for count in _counts(lanes):
        found.append(every[begin : begin + count])
        begin += count
    return tuple(found)


@lru_cache(maxsize=1_000)
def _counts(lanes: str) -> tuple[int, ...]:
    """Return how many spans each lane has; most leases have as many as others."""
    return tuple(json.loads(lanes))
