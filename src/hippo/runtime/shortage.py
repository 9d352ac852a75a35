"""Leases that wait for room in the checkpoint store, and what users are told of that: once for each shortage."""

from __future__ import annotations

from hippo.records import LeaseId


class Shortage:
    """The leases that cannot write a state, since the checkpoint store is full."""

    def __init__(self) -> None:
        self._waiting: set[LeaseId] = set()

    def begin(self, lease: LeaseId, reason: str) -> str | None:
        """Note that a lease waits; return what to say if it is the first."""
        is_first = not self._waiting
        self._waiting.add(lease)
        if not is_first:
            return None
        return f"paused: {reason} Running steps wait for room, and nothing is lost; free some, or stop with Ctrl-C."

    def end(self, lease: LeaseId) -> str | None:
        """Note that a lease has written something; return what to say if no other one waits."""
        if lease not in self._waiting:
            return None
        self._waiting.discard(lease)
        return None if self._waiting else "there is room again: going on."

    def forget(self, lease: LeaseId) -> None:
        """Note that a lease has ended, with or without room."""
        self._waiting.discard(lease)
