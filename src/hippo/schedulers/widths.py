"""How many slots walk a chain together, where fewer chains are ready than slots are free.

The chain that would end last gets twice the slots, again and again, as long as its node has so many, and as long as its
steps take less time for it. So what is left of a study when few trials go on, the leaders' tail, does not leave a
cluster idle (Hydro, Hu et al. 2023, section 5.2, "diminishing resource requirements"). Widths are powers of two, since
a step is cut into a power of two of equal parts.

It refuses to know what is walked, and what a wider chain costs beside its steps.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence

from hippo.frozen import frozen_tuple
from hippo.records import Slot, SlotId

#: where slots can walk a chain together: a node, and how fast they are
_Pool = tuple[str, float]


@frozen_tuple
class Widening:
    """A chain to which a slot was given."""

    slot: Slot
    #: what is left of it, in a slot of speed 1 by itself
    seconds: float
    #: width -> how many times as fast so many slots are
    speedup: Callable[[int], float]
    #: how many slots may walk it
    most: int = 1
    #: how much longer several slots take to begin with it than one
    start_s: float = 0.0
    #: what it costs to begin in another slot: this one holds its state
    leaving_s: float = 0.0
    #: it begins in its slot, or nowhere
    is_bound: bool = False


def share_out(chains: Sequence[Widening], free: Sequence[Slot]) -> list[tuple[Slot, tuple[SlotId, ...]]]:
    """Return for each chain the slot that leads it, and those that take part.

    Args:
      chains: no two have one slot.
      free: slots that would have nothing to do.

    Returns:
      The slots of each chain, in the order of the chains. One that is not bound may lead from another slot, of the
      same speed, where it can have more of them.
    """
    pools = _Pools(chains, free)
    leads = {number: pools.lead(chains[number]) for number in pools.order}
    peers: dict[int, tuple[SlotId, ...]] = dict.fromkeys(leads, ())
    ahead = [(-chain.seconds / chain.slot.speed, number) for number, chain in enumerate(chains)]
    heapq.heapify(ahead)
    while ahead:
        _, number = heapq.heappop(ahead)
        chain, width = chains[number], 1 + len(peers[number])
        if 2 * width > chain.most or not _saved_s(chain, width) > (chain.start_s if width == 1 else 0.0):
            continue
        more = pools.take(leads[number], width)
        if more:
            peers[number] += more
            heapq.heappush(ahead, (-chain.seconds / chain.slot.speed / chain.speedup(2 * width), number))
    return [(leads[number], peers[number]) for number in range(len(chains))]


def _saved_s(chain: Widening, width: int) -> float:
    """Return by how much sooner a chain ends if it is walked by twice as many slots."""
    return chain.seconds / chain.slot.speed * (1.0 / chain.speedup(width) - 1.0 / chain.speedup(2 * width))


class _Pools:
    """Slots that nobody has yet, by where they are and how fast."""

    def __init__(self, chains: Sequence[Widening], free: Sequence[Slot]) -> None:
        self._slots: dict[_Pool, dict[SlotId, Slot]] = {}
        for slot in (*(chain.slot for chain in chains), *free):
            self._slots.setdefault(_pool(slot), {})[slot.id] = slot
        #: how many chains are led from each
        self._leads: dict[_Pool, int] = {}
        #: the chains: those first that must have their slot, then those that had better, and of each the longest
        self.order = sorted(
            range(len(chains)),
            key=lambda number: (
                not chains[number].is_bound,
                chains[number].leaving_s == 0.0,
                -chains[number].seconds,
                number,
            ),
        )

    def lead(self, chain: Widening) -> Slot:
        """Take the slot that leads a chain: where it can have most others, and its own if that is as good."""
        own = _pool(chain.slot)
        if chain.is_bound:
            best = own
        else:
            pools = [pool for pool, slots in self._slots.items() if slots and pool[1] == own[1]]
            best = max(pools, key=lambda pool: (self._room(pool), pool == own))
            if self._slots[own] and not self._seconds(chain, own) - self._seconds(chain, best) > chain.leaving_s:
                best = own
        self._leads[best] = self._leads.get(best, 0) + 1
        slots = self._slots[best]
        return slots.pop(chain.slot.id if chain.slot.id in slots else next(iter(slots)))

    def _room(self, pool: _Pool) -> float:
        """Return how many slots a chain could have there, if all that begin there have as many."""
        return len(self._slots[pool]) / (1 + self._leads.get(pool, 0))

    def _seconds(self, chain: Widening, pool: _Pool) -> float:
        """Return about how long a chain would take there."""
        room = max(1, min(chain.most, int(self._room(pool))))
        return chain.seconds / chain.slot.speed / chain.speedup(1 << (room.bit_length() - 1))

    def take(self, lead: Slot, count: int) -> tuple[SlotId, ...]:
        """Take so many slots beside one; none if there are not so many."""
        slots = self._slots[_pool(lead)]
        if len(slots) < count:
            return ()
        chosen = tuple(list(slots)[:count])
        for slot in chosen:
            del slots[slot]
        return chosen


def _pool(slot: Slot) -> _Pool:
    return (slot.node, slot.speed)


@frozen_tuple
class AtWork:
    """A chain that is walked, by one slot or by several."""

    #: those that walk it, the one that leads them first
    slots: tuple[Slot, ...]
    #: what is left of it, in a slot of speed 1 by itself
    seconds: float
    #: width -> how many times as fast so many slots are
    speedup: Callable[[int], float]
    most: int
    #: what it costs to end it at its next step, and to go on; infinite if that cannot be
    moving_s: float

    @property
    def seconds_left(self) -> float:
        """What is left of it as it is walked."""
        return self.seconds / self.slots[0].speed / self.speedup(len(self.slots))


def worth_widening(working: Sequence[AtWork], free: Sequence[Slot]) -> list[int]:
    """Return which chains had better be ended at their next step, to go on in more slots; those that end last first.

    Args:
      working: what slots do; the numbers that are returned are theirs.
      free: slots for which there is nothing else to do.
    """
    left: dict[_Pool, int] = {}
    for slot in free:
        left[_pool(slot)] = left.get(_pool(slot), 0) + 1
    widened: list[int] = []
    for number in sorted(range(len(working)), key=lambda number: (-working[number].seconds_left, number)):
        chain = working[number]
        own, width = _pool(chain.slots[0]), len(chain.slots)
        room = {pool: count + (width if pool == own else 0) for pool, count in left.items() if pool[1] == own[1]}
        pool = max(room, key=lambda pool: (room[pool], pool == own), default=own)
        if room.get(pool, 0) < 2 * width or chain.most < 2 * width:
            continue
        wider = min(chain.most, 1 << (room[pool].bit_length() - 1))
        saved_s = chain.seconds_left - chain.seconds / own[1] / chain.speedup(wider)
        is_told = math.isinf(chain.moving_s) and saved_s > 0.0  # it is about to end, and goes on there
        if saved_s > chain.moving_s or is_told:
            left[own] = left.get(own, 0) + width
            left[pool] -= wider
        if saved_s > chain.moving_s:
            widened.append(number)
    return widened


def worth_breaking_up(working: Sequence[AtWork], wanted: float) -> list[int]:
    """Return which gangs had better be ended at their next step, so that what is ready need not wait for their slots.

    Args:
      working: what slots do; the numbers that are returned are theirs.
      wanted: how many slots there is work for.
    """
    broken: list[int] = []
    for number in sorted(range(len(working)), key=lambda number: (-len(working[number].slots), number)):
        chain = working[number]
        if wanted <= 0 or len(chain.slots) == 1:
            break
        if chain.seconds_left > chain.moving_s:
            broken.append(number)
            wanted -= len(chain.slots) - 1
    return broken
