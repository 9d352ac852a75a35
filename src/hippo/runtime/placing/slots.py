"""The engine's slots as the runtime sees them: which are free, how fast, what each holds, whose work it does."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hippo.events import StatesResident
from hippo.records import LeaseId, Point, Slot, SlotId
from hippo.runtime.plans.environments import Kind, kind_of
from hippo.runtime.timing.slot_speeds import SlotSpeeds

#: workload and point of a state
State = tuple[str, Point]


@dataclass(slots=True, eq=False)
class _Slot:
    #: ascending in the order of opening
    number: int
    resident: set[State] = field(default_factory=set)
    node: str = ""
    devices: int = 1
    lease: LeaseId | None = None
    #: nothing is to begin there any more
    is_leaving: bool = False


class SlotTable:
    """Slots by id. A slot that is lost never comes back under its id.

    What an engine says twice, or so late that the slot has gone on, changes nothing: a slot opens once, and is freed by
    the lease that holds it.

    There may be ten thousand of them, and a turn may concern one: so nothing here walks over all but `leases`, and
    `free` where slots differ in speed or in kind.
    """

    def __init__(self) -> None:
        #: how fast each is
        self.speeds = SlotSpeeds()
        self._slots: dict[SlotId, _Slot] = {}
        self._free: dict[SlotId, None] = {}
        self._holders: dict[State, set[SlotId]] = {}
        self._opened = 0
        #: one of each kind that is open
        self._environments: dict[Kind, Mapping[str, str]] = {}
        self._kinds: dict[SlotId, Kind] = {}
        #: how many of each kind are open
        self._num_open: Counter[Kind] = Counter()
        self._lost: set[SlotId] = set()
        #: of leases that several slots hold: all of these, the one that leads them first
        self._gangs: dict[LeaseId, tuple[SlotId, ...]] = {}
        #: how many slots take part in what others lead
        self.num_helping = 0

    def __len__(self) -> int:
        return len(self._slots)

    def __contains__(self, slot: object) -> bool:
        return slot in self._slots

    @property
    def environments(self) -> Collection[Mapping[str, str]]:
        """What decides about bits in them, one of each kind that there is."""
        return self._environments.values()

    def kind_of(self, slot: SlotId) -> Kind:
        """Return the kind of environment of a slot that is open."""
        return self._kinds[slot]

    def num_of(self, kind: Kind | None) -> int:
        """Return how many slots of a kind there are; None: of all kinds."""
        return len(self._slots) if kind is None else self._num_open[kind]

    def num_free_of(self, kind: Kind | None) -> int:
        """Return how many slots of a kind have no lease; None: of all kinds."""
        return len(self._free if kind is None else self._free_of(kind))

    def total_speed(self, kind: Kind | None = None) -> float:
        """Return the speeds of all slots of a kind together; None: of all kinds."""
        return sum(self.speeds.of(slot) for slot in self._slots if kind is None or self._kinds[slot] == kind)

    def open(self, slot: SlotId, environment: Mapping[str, str], *, node: str = "", devices: int = 1) -> None:
        """Add a slot, free and with nothing in its memory; not one that is there, or was lost."""
        if slot in self._slots or slot in self._lost:
            return
        kind = self._kinds[slot] = kind_of(environment)
        self._environments.setdefault(kind, environment)
        self._num_open[kind] += 1
        self._opened += 1
        self._slots[slot] = _Slot(self._opened, node=node, devices=devices)
        self._free[slot] = None

    def retire(self, slot: SlotId) -> LeaseId | None:
        """Never count a slot as free again: it is about to be lost; return the lease that runs there, if one does."""
        leaving = self._slots.get(slot)
        if leaving is None:
            return None
        leaving.is_leaving = True
        self._free.pop(slot, None)
        return leaving.lease

    def lose(self, slot: SlotId) -> LeaseId | None:
        """Remove a slot that the engine lost; return the lease that ran there, if one did.

        Others that took part in that are free again: those that are not will be lost, too.
        """
        self._lost.add(slot)
        lost = self._slots.pop(slot, None)
        if lost is None:
            return None
        kind = self._kinds.pop(slot)
        self._num_open[kind] -= 1
        if not self._num_open[kind]:
            del self._num_open[kind], self._environments[kind]
        self.speeds.lose(slot)
        self._free.pop(slot, None)
        for state in lost.resident:
            self._drop(state, slot)
        if lost.lease is not None:
            self.release(slot, lost.lease)
        return lost.lease

    def take(self, slot: SlotId, lease: LeaseId, peers: Sequence[SlotId] = ()) -> None:
        """Mark a free slot as taken by a lease, and others that take part in it."""
        for each in (slot, *peers):
            self._slots[each].lease = lease
            del self._free[each]
        if peers:
            self._gangs[lease] = (slot, *peers)
            self.num_helping += len(peers)

    def release(self, slot: SlotId, lease: LeaseId) -> None:
        """Mark a slot, and others that took part, as free if it is this lease, which has ended, that holds them."""
        gang = self._gangs.pop(lease, (slot,))
        self.num_helping -= len(gang) - 1
        for each in gang:
            held = self._slots.get(each)
            if held is not None and held.lease == lease:
                held.lease = None
                if not held.is_leaving:
                    self._free[each] = None

    def note_states(self, event: StatesResident) -> None:
        """Note which states came into the memory of a slot, and which left it."""
        known = self._slots.get(event.slot)
        if known is None:
            return
        for point in event.added:
            state = (event.workload, point)
            known.resident.add(state)
            self._holders.setdefault(state, set()).add(event.slot)
        for point in event.dropped:
            state = (event.workload, point)
            if state in known.resident:
                known.resident.remove(state)
                self._drop(state, event.slot)

    def free(self, wanted: Iterable[State | None] | None, kind: Kind | None = None) -> list[Slot]:
        """Return free slots for so many chains, the first opened first, and every one that holds what a chain wants.

        Where slots differ in speed, all the free ones are returned. Of the states that a slot holds it names those that
        are wanted: it may hold thousands.

        Args:
          wanted: for each chain the state that it begins with; None for a new one. None: all free slots are returned,
            without what they hold.
          kind: of the slots' environment; None: any.
        """
        if wanted is None:
            return [self.bare(each) for each in sorted(self._free_of(kind), key=lambda each: self._slots[each].number)]
        states = list(wanted)
        differ = self.speeds.differ
        free = self._free_of(kind)
        chosen: Mapping[SlotId, None] = free
        if not differ and len(states) < len(free):
            chosen = dict.fromkeys(itertools.islice(free, len(states)))
            for state in states:
                if state is not None:
                    chosen.update(dict.fromkeys(slot for slot in self._holders.get(state, ()) if slot in free))
        ids = sorted(chosen, key=lambda slot: self._slots[slot].number)
        wants = {state for state in states if state is not None}
        return [
            Slot(
                id=slot,
                resident=frozenset(wants & known.resident),
                speed=self.speeds.of(slot) if differ else 1.0,
                node=known.node,
                devices=known.devices,
            )
            for slot in ids
            for known in [self._slots[slot]]
        ]

    def bare(self, slot: SlotId) -> Slot:
        """Return a slot without what it holds."""
        known = self._slots[slot]
        return Slot(id=slot, speed=self.speeds.of(slot), node=known.node, devices=known.devices)

    def ids(self) -> list[SlotId]:
        """Return all slots."""
        return list(self._slots)

    def leases(self) -> list[tuple[SlotId, LeaseId]]:
        """Return the slots that have work, with its lease; of several that hold one, the one that leads them."""
        leases = ((slot, known.lease) for slot, known in self._slots.items() if known.lease is not None)
        return [(slot, lease) for slot, lease in leases if self._gangs.get(lease, (slot,))[0] == slot]

    def _free_of(self, kind: Kind | None) -> Mapping[SlotId, None]:
        if kind is None or (len(self._num_open) == 1 and kind in self._num_open):
            return self._free
        return {slot: None for slot in self._free if self._kinds[slot] == kind}

    def _drop(self, state: State, slot: SlotId) -> None:
        holders = self._holders[state]
        holders.discard(slot)
        if not holders:
            del self._holders[state]
