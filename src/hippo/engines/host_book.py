"""Which nodes of a cluster have a host, how many slots that gives, and which nodes proved to be of no use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

#: so many hosts in a row may be lost before a slot of theirs is open
MOST_FAILED_STARTS = 3
#: a host that has not come by then counts for nothing: others may have what it was asked for
_SOON_S = 5.0


@dataclass(slots=True)
class _Entry:
    node: str
    #: that it has, or is about to
    slots: int
    begun_s: float


class HostBook:
    """The hosts that were begun, and are not gone. Nodes are named by their ids, seconds are any clock's."""

    def __init__(self) -> None:
        #: how many slots would have work; None: as many as there are
        self.wanted: int | None = None
        #: why the last host was of no use
        self.why_failed = ""
        self._hosts: dict[str, _Entry] = {}
        #: hosts that were lost one after the other on a node, before a slot opened
        self._failed_starts: Counter[str] = Counter()
        #: why the last host of a node was of no use
        self._why: dict[str, str] = {}
        #: since when there has been no host, and no room for one; None: there is
        self._full_since_s: float | None = None

    def __len__(self) -> int:
        return len(self._hosts)

    def __contains__(self, name: object) -> bool:
        return name in self._hosts

    def has_on(self, node: str) -> bool:
        """Tell whether a node has a host, or is about to."""
        return any(entry.node == node for entry in self._hosts.values())

    def is_usable(self, node: str) -> bool:
        """Tell whether a node may have a host: not where several in a row were of no use."""
        return self._failed_starts[node] < MOST_FAILED_STARTS

    def why(self, node: str) -> str:
        """Return why the last host of a node was of no use."""
        return self._why.get(node, self.why_failed)

    def begin(self, name: str, *, node: str, slots: int, now: float) -> None:
        """Note a host that is about to come, and how many slots it is going to have."""
        self._hosts[name] = _Entry(node, slots, now)

    def note_open(self, name: str, slots: int) -> None:
        """Note that a host has so many slots open."""
        entry = self._hosts[name]
        entry.slots = max(entry.slots, slots)
        self._failed_starts[entry.node] = 0

    def without_room_s(self, *, has_room: bool, now: float) -> float:
        """Return for how long there has been no host, and no node with room for one."""
        if has_room or self._hosts:
            self._full_since_s = None
        elif self._full_since_s is None:
            self._full_since_s = now
        return 0.0 if self._full_since_s is None else now - self._full_since_s

    def node_of(self, name: str) -> str:
        """Return the node that a host is on."""
        return self._hosts[name].node

    def leave(self, name: str) -> None:
        """Count on none of a host's slots any more: its node is about to be taken away."""
        self._hosts[name].slots = 0

    def end(self, name: str) -> None:
        """Note that a host is gone, and that its node may have another one."""
        self._hosts.pop(name, None)

    def fail(self, name: str, reason: str, *, is_hopeless: bool = False) -> None:
        """Note that a host is lost.

        Args:
          is_hopeless: the next one on its node would be, too.
        """
        self.why_failed = reason
        if (entry := self._hosts.pop(name, None)) is not None:
            self._failed_starts[entry.node] += MOST_FAILED_STARTS if is_hopeless else 1
            self._why[entry.node] = reason

    def clear(self) -> None:
        """Begin anew; what is wanted is no longer known."""
        self._hosts.clear()
        self._failed_starts.clear()
        self.wanted = None

    def suffices(self, come: Collection[str], now: float, *, without: str | None = None) -> bool:
        """Tell whether no more hosts are needed.

        Args:
          come: those that are there; of others only those that were begun a moment ago count.
          without: one that could go.
        """
        if self.wanted is None:
            return False
        counted = (
            entry.slots
            for name, entry in self._hosts.items()
            if name != without and (name in come or entry.begun_s > now - _SOON_S)
        )
        return sum(counted) >= self.wanted
