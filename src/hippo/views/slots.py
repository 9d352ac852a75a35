"""What each slot did when: the leases of a study's plans as bars over time, and how long a slot had work."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

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
    #: how many bars there are in all: of very many the last ones may have been asked for alone
    of: int
    #: whether a lease goes on
    runs: bool


def slots(leases: Iterable[SlotLease], rows: Iterable[TreeRow], *, now: float | None = None) -> SlotTimes:
    """Return what each slot did when.

    Args:
      leases: what `Study.leases` returns.
      rows: what `Study.tree` returns; leases that walk none of these nodes are another study's.
      now: until when what runs is drawn, in seconds since the epoch. None: until the last moment that is known.
    """
    return slot_times(leases, {(row.member, row.node) for row in rows}, now=now)


def slot_times(
    leases: Iterable[SlotLease], own: Container[tuple[str, int]], *, now: float | None = None, most: int | None = None
) -> SlotTimes:
    """Return what `slots` does.

    Args:
      leases: what `Study.leases` returns.
      own: the study's nodes, each with its member.
      now: as for `slots`.
      most: how many bars are made, those that began last; None: all. What is said of slots is of all leases.
    """
    known = sorted(leases, key=attrgetter("began_at"))  # those that began at one time stay as they are told
    if not known:
        return SlotTimes(bars=(), slots=(), began_at=0.0, span_s=0.0, unknown=0, of=0, runs=False)
    began_at = known[0].began_at
    ends = [lease.ended_at for lease in known if lease.ended_at is not None]
    last = max(known[-1].began_at, max(ends, default=-math.inf))
    unended = [lease.state for lease in known if lease.ended_at is None]
    runs = LeaseState.RUNNING in unended
    last = max(last, now) if runs and now is not None else last
    uses, of = _uses(known, last)
    found: dict[str, list[SlotBar]] = {slot: [] for slot in uses}
    for lease in _last(known, of if most is None else most):
        for bar in _bars(lease, own, began_at, last):
            found[bar.slot].append(bar)
    return SlotTimes(
        bars=tuple(bar for slot in uses for bar in found[slot]),
        slots=tuple(uses.values()),
        began_at=began_at,
        span_s=last - began_at,
        unknown=len(unended) - unended.count(LeaseState.RUNNING),
        of=of,
        runs=runs,
    )


def _last(known: Sequence[SlotLease], most: int) -> Sequence[SlotLease]:
    """Return the last leases, as many as have no more bars than this; one at least."""
    count = 0
    for place in range(len(known) - 1, -1, -1):
        count += _bars_of(known[place])
        if count > most:
            return known[min(place + 1, len(known) - 1) :]
    return known


def _bars_of(lease: SlotLease) -> int:
    return (1 + len(lease.peers)) * len(lease.lanes)


def _ended_at(lease: SlotLease, last: float) -> float | None:
    ended_at = last if lease.state is LeaseState.RUNNING else lease.ended_at
    # of clocks that were set back meanwhile, no bar is shorter than nothing
    return None if ended_at is None else max(ended_at, lease.began_at)


def _bars(lease: SlotLease, own: Container[tuple[str, int]], began_at: float, last: float) -> Iterable[SlotBar]:
    ended_at = _ended_at(lease, last)
    ended_s = None if ended_at is None else ended_at - began_at
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


def _uses(known: Sequence[SlotLease], last: float) -> tuple[dict[str, SlotUse], int]:
    """Return slot -> how much of the time it had work, slots by name; and how many bars that is in all.

    Args:
      known: leases by when they began.
      last: the last moment that is known, in seconds since the epoch.
    """
    of = 0
    found: defaultdict[str, list[SlotLease]] = defaultdict(list)
    for lease in known:
        of += len(lease.lanes)
        found[lease.slot].append(lease)
        for slot in lease.peers:
            of += len(lease.lanes)
            found[slot].append(lease)
    return {slot: _use_of(slot, found[slot], last) for slot in sorted(found, key=_natural)}, of


def _use_of(slot: str, leases: Sequence[SlotLease], last: float) -> SlotUse:
    """Return how much of the time one slot had work.

    Args:
      slot: its name.
      leases: that it had, by when they began.
      last: the last moment that is known, in seconds since the epoch.
    """
    lost, running = LeaseState.LOST, LeaseState.RUNNING  # looked up once, of very many leases
    times_lost, busy_s, until = 0, 0.0, -math.inf
    #: under each process -> from the slot's first work to its last
    lives: dict[tuple[str, int], list[float]] = {}
    for lease in leases:
        state, began_at = lease.state, lease.began_at
        times_lost += state is lost
        ended_at = last if state is running else lease.ended_at
        # as `_ended_at` has it; to call that for each of very many leases takes twice as long as all else here
        if ended_at is None or ended_at < began_at:  # nobody saw it end; or clocks were set back meanwhile
            ended_at = began_at
        if ended_at > until:
            busy_s += ended_at - max(until, began_at)
            until = ended_at
        process = (lease.members[0], lease.epoch)
        life = lives.get(process)
        if life is None:
            lives[process] = [began_at, ended_at]
        elif ended_at > life[1]:
            life[1] = ended_at
    present_s = _covered_s((began, ended) for began, ended in lives.values())
    return SlotUse(slot=slot, leases=len(leases), lost=times_lost, busy_s=busy_s, present_s=present_s)


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
