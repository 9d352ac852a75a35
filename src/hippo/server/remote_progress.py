"""How far a study of a service is, for the progress display of its user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hippo.clock import Clock, SystemClock
from hippo.errors import HippoError
from hippo.runtime import Progress
from hippo.server.link import ServiceLink
from hippo.server.wire import numbers_from_json

#: a service with many users is not asked more often by each
_LOOK_S = 1.0
#: whoever waits for a study does not wait longer for how far it is
_PATIENCE_S = 5.0


class RemoteProgress:
    """Asks a service now and then; while it is gone, what it said last stands.

    Args:
      link: to the service.
      study: its number there.
      clock: says when it was asked last.
    """

    def __init__(self, link: ServiceLink, study: int, clock: Clock | None = None) -> None:
        self._link = link
        self._path = f"/v1/studies/{study}/progress"
        self._clock = clock or SystemClock()
        self._next_s = 0.0
        self._last: Progress | None = None

    def look(self) -> Progress | None:
        """Return how far the study is; None before its first call, or if the service never said."""
        if self._clock.elapsed() >= self._next_s:
            try:
                found = self._link.request("GET", self._path, timeout_s=_PATIENCE_S)["progress"]
                self._last = None if found is None else _progress_from_json(found)
            except HippoError:
                pass  # whoever waits for the study's answers says that the service is gone
            self._next_s = self._clock.elapsed() + _LOOK_S
        return self._last


def _progress_from_json(data: Mapping[str, Any]) -> Progress:
    return Progress(**{**numbers_from_json(data), "shown": data["shown"]})
