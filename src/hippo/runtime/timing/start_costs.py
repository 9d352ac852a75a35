"""What it takes until a lease takes its first step, learned apart for slots by themselves and for gangs.

An engine says what steps take, and nothing of what comes before: a process that imports, a state that is read, slots
that find each other. So it is seen from outside: the time from giving a lease out until its first steps are told,
without what these took. It refuses to know what a lease is about.
"""

from __future__ import annotations

from hippo.records import LeaseId

#: more starts do not make what was learned count for more: the first ones begin processes, later ones do not
_MOST = 10


class StartCosts:
    """Means over starts, of the last ones above all."""

    def __init__(self) -> None:
        #: lease -> (when it was given out, how many slots it has), until its first steps
        self._begun: dict[LeaseId, tuple[float, int]] = {}
        #: of gangs or not -> mean of seconds, and how many it is of
        self._means: dict[bool, tuple[float, int]] = {}

    def note_begun(self, lease: LeaseId, now: float, *, width: int) -> None:
        """Note that a lease was given to so many slots."""
        self._begun[lease] = (now, width)

    def note_steps(self, lease: LeaseId, now: float, device_seconds: float) -> None:
        """Note that steps of a lease were told, which took so long in all its slots together; the first count."""
        begun = self._begun.pop(lease, None)
        if begun is None:
            return
        began_at, width = begun
        mean, count = self._means.get(width > 1, (0.0, 0))
        count = min(count + 1, _MOST)
        start_s = max(0.0, now - began_at - device_seconds / width)
        self._means[width > 1] = (mean + (start_s - mean) / count, count)

    def is_starting(self, lease: LeaseId, now: float, step_s: float) -> bool:
        """Tell whether a lease should not have come to the end of its first step, which takes so long."""
        begun = self._begun.get(lease)
        return begun is not None and now - begun[0] < self.seconds(begun[1]) + step_s

    def forget(self, lease: LeaseId) -> None:
        """Note that a lease has ended."""
        self._begun.pop(lease, None)

    def seconds(self, width: int) -> float:
        """Return what a start in so many slots should take: as one does, as long as there was no gang; 0 at first."""
        alone = self._means.get(False, (0.0, 0))
        mean, _ = self._means.get(True, alone) if width > 1 else alone
        return mean
