"""Which slot gets what: by the states that slots hold, and by how fast they are.

Where all slots are equally fast, each pick goes to one that holds its states, or to any. Where they are not, the pick
that takes longest chooses first, and chooses the slot in which it ends soonest, one that is taken included: rather than
begin in a slow one and end last of all, it waits for a fast slot. So long chains come to fast slots, and short ones to
slow slots (Hydro, Hu et al. 2023, section 5.1, places trials on devices of several kinds by such a rule). As long as
there is so much to do that nobody is last, nobody waits.

It refuses to know why a slot is slow, and how anybody knows.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

from hippo.frozen import frozen_tuple
from hippo.records import Point, Slot, SlotId
from hippo.schedulers.scheduler import Pick

P = TypeVar("P", bound=Pick)

#: workload and point of a state
_State = tuple[str, Point]


@frozen_tuple
class TakenSlot:
    """A slot that has work."""

    speed: float
    #: seconds until it should be free
    free_in_s: float
    #: what it costs to end its work at the next step, and to go on elsewhere; infinite if that cannot be
    moving_s: float = math.inf


def wanted_states(picks: Sequence[Pick], workloads: Sequence[str]) -> list[_State | None]:
    """Return for each chain the workload and point of the state that it begins with; None for a new one."""
    return [None if at is None else (workloads[pick.tree], at) for pick in picks for at in pick.beginnings]


def place(
    picks: Sequence[P],
    slots: Sequence[Slot],
    workloads: Sequence[str],
    *,
    seconds: Sequence[float] | None = None,
    taken: Collection[TakenSlot] = (),
    horizon_s: float = 0.0,
) -> list[tuple[Slot, P]]:
    """Pair picks with free slots: first those whose states are resident in one, then the others, if they may.

    Args:
      picks: the most urgent first; each chooses before the next one, the slot that holds most of its states.
      slots: the free ones; ties go to the earlier.
      workloads: the key under which slots hold each tree's states.
      seconds: what each pick should take in a slot of speed 1, as far as it goes and on to the last leaf behind it; it
        counts where slots differ in speed. None: nothing is known of it, and speeds do not count.
      taken: slots that a pick may wait for.
      horizon_s: seconds until all that remains could be over: whoever ends before need not wait.

    Returns:
      The pairs in the order of the picks; those for which there is no slot, or that had better wait, are left out.
    """
    if seconds is None:
        return _place_blindly(picks, slots, workloads)
    speeds = {slot.speed for slot in slots} | {slot.speed for slot in taken}
    if len(speeds) < 2:
        return _place_blindly(picks, slots, workloads)
    return _SlotsBySpeed(slots, taken, horizon_s).place(picks, seconds, workloads)


def worth_moving(free: Iterable[float], taken: Sequence[TakenSlot]) -> list[int]:
    """Return which work had better go on in a faster slot, that which would end last first; one for each free slot.

    Args:
      free: the speeds of slots for which there is nothing else to do.
      taken: those with work; the numbers that are returned are theirs.
    """
    moved: list[int] = []
    order = sorted(range(len(taken)), key=lambda number: (-taken[number].free_in_s, number))
    for speed in sorted(free, reverse=True):
        for number in order:
            slot = taken[number]
            if slot.free_in_s > slot.moving_s + slot.free_in_s * slot.speed / speed:
                moved.append(number)
                order.remove(number)
                break
    return moved


def _place_blindly(picks: Sequence[P], slots: Sequence[Slot], workloads: Sequence[str]) -> list[tuple[Slot, P]]:
    free = _FreeSlots(slots)
    chosen: dict[int, Slot] = {}
    anywhere: list[int] = []
    for number, pick in enumerate(picks):
        if len(chosen) + len(anywhere) == len(slots):
            break
        best = free.best(pick, workloads)
        if best is not None:
            chosen[number] = free.take(best)
        elif not pick.is_bound:
            anywhere.append(number)
    chosen.update(zip(anywhere, free.by_id.values(), strict=False))
    return [(chosen[number], picks[number]) for number in sorted(chosen)]


class _SlotsBySpeed:
    """Slots of several speeds, and until when each has work, as far as it was given out so far."""

    def __init__(self, slots: Sequence[Slot], taken: Collection[TakenSlot], horizon_s: float) -> None:
        self._horizon_s = horizon_s
        self._free = _FreeSlots(slots)
        self._order = itertools.count()
        #: speed -> (seconds until it has nothing to do, order, the slot if nothing was given to it yet); none is ever
        #: empty, and one that is free is in front
        self._queues: dict[float, list[tuple[float, int, Slot | None]]] = {}
        for slot in slots:
            self._queues.setdefault(slot.speed, []).append((0.0, next(self._order), slot))
        for each in taken:
            self._queues.setdefault(each.speed, []).append((each.free_in_s, next(self._order), None))
        for queue in self._queues.values():
            heapq.heapify(queue)

    def place(self, picks: Sequence[P], seconds: Sequence[float], workloads: Sequence[str]) -> list[tuple[Slot, P]]:
        """Return pairs of picks and free slots, in the order of the picks; the longest chooses first."""
        chosen: dict[int, Slot] = {}
        for number in sorted(range(len(picks)), key=lambda number: (-seconds[number], number)):
            if not self._free.by_id:
                break
            slot = self._choose(picks[number], seconds[number], workloads)
            if slot is not None:
                chosen[number] = slot
        return [(chosen[number], picks[number]) for number in sorted(chosen)]

    def _choose(self, pick: Pick, seconds: float, workloads: Sequence[str]) -> Slot | None:
        """Give a slot something to do; return it, if it is free now."""
        at_home = self._free.best(pick, workloads)
        if pick.is_bound and at_home is None:
            return None
        for queue in self._queues.values():
            self._forget_taken(queue)
        speed = max(speed for speed, queue in self._queues.items() if queue[0][2] is not None)
        ends_s = seconds / speed
        if ends_s > self._horizon_s:
            ends_s, slowness = min((queue[0][0] + seconds / speed, -speed) for speed, queue in self._queues.items())
            speed = -slowness
        home = None if at_home is None else self._free.by_id[at_home]
        if home is not None and (pick.is_bound or seconds / home.speed <= ends_s):
            self._note_work(home.speed, seconds / home.speed)
            return self._free.take(home.id)
        _, _, slot = heapq.heappop(self._queues[speed])
        self._note_work(speed, ends_s)
        return None if slot is None else self._free.take(slot.id)

    def _note_work(self, speed: float, until_s: float) -> None:
        heapq.heappush(self._queues[speed], (until_s, next(self._order), None))

    def _forget_taken(self, queue: list[tuple[float, int, Slot | None]]) -> None:
        """Remove from the front what went to a pick whose states it holds."""
        while (slot := queue[0][2]) is not None and slot.id not in self._free.by_id:
            heapq.heappop(queue)


class _FreeSlots:
    """Free slots, and which of them holds which states."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        #: the earliest first
        self.by_id = {slot.id: slot for slot in slots}
        #: of each state the slots that hold it, the earliest last; those that are taken are removed from its end
        self._of: dict[_State, list[SlotId]] = {}
        for slot in reversed(slots):
            for resident in slot.resident:
                self._of.setdefault(resident, []).append(slot.id)

    def take(self, slot: SlotId) -> Slot:
        """Return a slot, which is not free any more."""
        return self.by_id.pop(slot)

    def best(self, pick: Pick, workloads: Sequence[str]) -> SlotId | None:
        """Return the free slot that holds most of a pick's states, the earliest of several; None: none holds any.

        Of a pick that is bound it must hold all.
        """
        states = [(workloads[pick.tree], at) for at in pick.beginnings if at is not None]
        for state in set(states):
            candidates = self._of.get(state, [])
            while candidates and candidates[-1] not in self.by_id:
                candidates.pop()
        if len(states) == 1:
            candidates = self._of.get(states[0], [])
            return candidates[-1] if candidates else None
        held = Counter(slot for state in states for slot in self._of.get(state, ()) if slot in self.by_id)
        most = max(held.values(), default=0)
        if not most or (pick.is_bound and most < len(states)):
            return None
        return next(slot for slot in self.by_id if held[slot] == most)
