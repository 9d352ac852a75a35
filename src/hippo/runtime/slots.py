"""The engine's slots as the runtime sees them: which are free, what each holds, whose work it does."""

from __future__ import annotations

from dataclasses import dataclass, field

from hippo.events import StatesResident
from hippo.records import LeaseId, Point, Slot, SlotId


@dataclass(slots=True, eq=False)
class _Slot:
    resident: set[tuple[str, Point]] = field(default_factory=set)
    lease: LeaseId | None = None


class SlotTable:
    """Slots by id. A slot that is lost never comes back under its id."""

    def __init__(self) -> None:
        self._slots: dict[SlotId, _Slot] = {}

    def __len__(self) -> int:
        return len(self._slots)

    def open(self, slot: SlotId) -> None:
        """A slot is there."""
        self._slots[slot] = _Slot()

    def lose(self, slot: SlotId) -> LeaseId | None:
        """A slot is gone; return the lease that ran there."""
        lost = self._slots.pop(slot, None)
        return None if lost is None else lost.lease

    def take(self, slot: SlotId, lease: LeaseId) -> None:
        """Give a free slot work."""
        self._slots[slot].lease = lease

    def release(self, slot: SlotId) -> None:
        """Its work has ended."""
        if slot in self._slots:
            self._slots[slot].lease = None

    def note_states(self, event: StatesResident) -> None:
        """States came into its memory, or left it."""
        known = self._slots.get(event.slot)
        if known is not None:
            known.resident.update((event.workload, point) for point in event.added)
            known.resident.difference_update((event.workload, point) for point in event.dropped)

    def free(self) -> list[Slot]:
        """Return the slots without work, the first opened first."""
        return [
            Slot(id=slot, resident=frozenset(known.resident))
            for slot, known in self._slots.items()
            if known.lease is None
        ]

    def ids(self) -> list[SlotId]:
        """Return all slots."""
        return list(self._slots)

    def leases(self) -> list[tuple[SlotId, LeaseId]]:
        """Return the slots that have work, with its lease."""
        return [(slot, known.lease) for slot, known in self._slots.items() if known.lease is not None]
