"""Workers that do not end a step: named, and killed if the study says so.

A loader that waits for a lock, or a machine that is suspended, says nothing by itself. It refuses to know engines and
plans: it is told of leases and when they were heard of last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hippo.records import LeaseId

#: a step that takes longer than this ...
_PATIENCE_S = 60.0
#: ... and than so many times what it should take, is worth a word
_TIMES = 10.0
#: while nobody knows what a step should take
_PATIENCE_WITHOUT_ESTIMATE_S = 600.0


@dataclass(slots=True)
class _Watched:
    heard_at: float
    is_named: bool = False
    is_ended: bool = False


class StuckSteps:
    """When each lease was last heard of, to warn of steps that hang and to end those past their time-out."""

    def __init__(self) -> None:
        self._leases: dict[LeaseId, _Watched] = {}

    def __bool__(self) -> bool:
        """Whether anything is watched."""
        return bool(self._leases)

    def note(self, lease: LeaseId, now: float) -> None:
        """Note that a lease began, or that something was heard of it."""
        watched = self._leases.get(lease)
        if watched is None:
            self._leases[lease] = _Watched(now)
        else:
            watched.heard_at, watched.is_named, watched.is_ended = now, False, False

    def forget(self, lease: LeaseId) -> None:
        """Note that a lease has ended."""
        self._leases.pop(lease, None)

    def silent_s(self, lease: LeaseId, now: float) -> float:
        """Return for how many seconds a lease has said nothing; 0 for one that has ended."""
        watched = self._leases.get(lease)
        return 0.0 if watched is None else now - watched.heard_at

    def silent(self, now: float) -> Iterator[tuple[LeaseId, float]]:
        """Yield the leases, and for how many seconds each has said nothing."""
        for lease, watched in list(self._leases.items()):
            yield lease, now - watched.heard_at

    def is_news(self, lease: LeaseId, silent_s: float, expected_s: float | None) -> bool:
        """Tell, once for each silence, whether a step takes so long that its user should look.

        Args:
          lease: whose step it is.
          silent_s: how long it takes so far.
          expected_s: how long it should; None if no such step was ever timed.
        """
        watched = self._leases[lease]
        patience_s = _PATIENCE_WITHOUT_ESTIMATE_S if expected_s is None else max(_PATIENCE_S, _TIMES * expected_s)
        if watched.is_named or silent_s < patience_s:
            return False
        watched.is_named = True
        return True

    def is_over(self, lease: LeaseId, silent_s: float, timeout_s: float | None) -> bool:
        """Tell, once, whether a step has outlasted its time-out."""
        watched = self._leases[lease]
        if timeout_s is None or watched.is_ended or silent_s < timeout_s:
            return False
        watched.is_ended = True
        return True
