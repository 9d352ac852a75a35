"""What each slot did when: the leases of a study's plans as bars over time, and how long a slot had work."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hippo.records import Span
from hippo.study import LeaseState, SlotLease, TreeRow


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotBar:
    """One lane of a lease, in one slot."""

    slot: str
    #: of the study, the first of those on this plan; and the number of the lease in its plan
    member: str
    lease: int
    #: which process gave it out, as `SlotLease.epoch` tells them apart
    epoch: int
    #: which lane this is, from 0, and of how many: they were walked at one time
    lane: int
    lanes: int
    #: of how many slots this one is, and whether it leads them; a slot that does not walks parts of the leader's steps
    width: int
    leads: bool
    #: what the lane was to walk, in order
    spans: tuple[Span, ...]
    state: LeaseState
    #: whether the study's trials go there; else it is another study's work
    is_own: bool
    #: seconds since the first of all leases began
    began_s: float
    #: None: nobody knows. For what runs: until now, as far as that is known
    ended_s: float | None

    @property
    def steps(self) -> int:
        """How many steps it was to walk; 0: only to evaluate."""
        return sum(span.stop - span.start for span in self.spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotUse:
    """How much of the time a slot had work."""

    slot: str
    #: leases that it had, and those of them that were lost with it
    leases: int
    lost: int
    #: seconds in which it had work, as far as ends are known
    busy_s: float
    #: seconds from its first work to its last, under each process that it was a slot of
    present_s: float

    @property
    def idle_s(self) -> float:
        """Seconds in which it was there and had no work, or had what nobody saw end."""
        return self.present_s - self.busy_s


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotTimes:
    """What each slot did when."""

    #: by slot, and by when they began
    bars: tuple[SlotBar, ...]
    #: by name, "local-2" before "local-10"
    slots: tuple[SlotUse, ...]
    #: when the first lease began, in seconds since the epoch; 0 where there is none
    began_at: float
    #: seconds from then to the last moment that is known
    span_s: float
    #: leases that ended at times that nobody knows
    unknown: int


def slots(leases: Iterable[SlotLease], rows: Iterable[TreeRow], *, now: float | None = None) -> SlotTimes:
    """Return what each slot did when.

    Args:
      leases: what `Study.leases` returns.
      rows: what `Study.tree` returns; leases that walk none of these nodes are another study's.
      now: until when what runs is drawn, in seconds since the epoch. None: until the last moment that is known.
    """
    known = sorted(leases, key=lambda lease: (lease.began_at, lease.members, lease.lease))
    if not known:
        return SlotTimes(bars=(), slots=(), began_at=0.0, span_s=0.0, unknown=0)
    began_at = known[0].began_at
    last = max(max(lease.began_at, lease.ended_at or lease.began_at) for lease in known)
    is_running = any(lease.state is LeaseState.RUNNING for lease in known)
    last = max(last, now) if is_running and now is not None else last
    own = {(row.member, row.node) for row in rows}
    found: dict[str, list[SlotBar]] = {}
    for lease in known:
        for bar in _bars(lease, own, began_at, last):
            found.setdefault(bar.slot, []).append(bar)
    of_slots = {slot: found[slot] for slot in sorted(found, key=_natural)}
    return SlotTimes(
        bars=tuple(bar for own_bars in of_slots.values() for bar in own_bars),
        slots=tuple(_use(slot, own_bars) for slot, own_bars in of_slots.items()),
        began_at=began_at,
        span_s=last - began_at,
        unknown=sum(lease.ended_at is None and lease.state is not LeaseState.RUNNING for lease in known),
    )


def _bars(lease: SlotLease, own: set[tuple[str, int]], began_at: float, last: float) -> Iterable[SlotBar]:
    ended_at = last if lease.state is LeaseState.RUNNING else lease.ended_at
    # of clocks that were set back meanwhile, no bar is shorter than nothing
    ended_s = None if ended_at is None else max(ended_at, lease.began_at) - began_at
    for slot in (lease.slot, *lease.peers):
        for number, spans in enumerate(lease.lanes):
            yield SlotBar(
                slot=slot,
                member=lease.members[0],
                lease=lease.lease,
                epoch=lease.epoch,
                lane=number,
                lanes=len(lease.lanes),
                width=1 + len(lease.peers),
                leads=slot == lease.slot,
                spans=spans,
                state=lease.state,
                is_own=any((member, span.node) in own for span in spans for member in lease.members),
                began_s=lease.began_at - began_at,
                ended_s=ended_s,
            )


def _use(slot: str, bars: Sequence[SlotBar]) -> SlotUse:
    """Return how much of the time a slot had work, given its bars."""
    leases = {(bar.member, bar.lease): bar.state for bar in bars}
    lives: dict[tuple[str, int], tuple[float, float]] = {}
    for bar in bars:
        last_s = bar.began_s if bar.ended_s is None else bar.ended_s
        began_s, ended_s = lives.get((bar.member, bar.epoch), (bar.began_s, last_s))
        lives[bar.member, bar.epoch] = (min(began_s, bar.began_s), max(ended_s, last_s))
    return SlotUse(
        slot=slot,
        leases=len(leases),
        lost=sum(state is LeaseState.LOST for state in leases.values()),
        busy_s=_covered_s((bar.began_s, bar.ended_s) for bar in bars if bar.ended_s is not None),
        present_s=_covered_s(lives.values()),
    )


def _covered_s(stretches: Iterable[tuple[float, float]]) -> float:
    """Return the seconds that are in some of these stretches of time."""
    covered_s, until_s = 0.0, -math.inf
    for began_s, ended_s in sorted(stretches):
        if ended_s > until_s:
            covered_s += ended_s - max(until_s, began_s)
            until_s = ended_s
    return covered_s


def _natural(name: str) -> list[tuple[int, str]]:
    """Return what sorts names by the numbers in them."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]
