"""Leases that wait for room in the checkpoint store, or to reach it, and what users are told: once for each time."""

from __future__ import annotations

from hippo.records import LeaseId


class Shortage:
    """The leases that cannot write a state, since the checkpoint store is full or cannot be reached."""

    def __init__(self) -> None:
        self._waiting: set[LeaseId] = set()

    def begin(self, lease: LeaseId, reason: str) -> str | None:
        """Note that a lease waits; return what to say if it is the first."""
        is_first = not self._waiting
        self._waiting.add(lease)
        if not is_first:
            return None
        return f"paused: {reason} Running steps wait until that is mended, and nothing is lost; Ctrl-C stops."

    def end(self, lease: LeaseId) -> str | None:
        """Note that a lease has written something; return what to say if no other one waits."""
        if lease not in self._waiting:
            return None
        self._waiting.discard(lease)
        return None if self._waiting else "the checkpoint store takes states again: going on."

    def forget(self, lease: LeaseId) -> None:
        """Note that a lease has ended, with or without room."""
        self._waiting.discard(lease)
