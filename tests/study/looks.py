"""Looks at a study while it goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import hippo


class LooksInBetween(hippo.Tuner):
    """Asks for one thing after the other, and looks whenever it has an answer.

    Args:
      asked: configs, each with until when.
      look: is called.
    """

    def __init__(self, asked: Sequence[tuple[Any, int]], look: Callable[[], None]) -> None:
        self.asked = asked
        self.look = look

    def record(self) -> dict[str, Any]:
        return {}

    async def tune(self, ask: Any) -> None:
        for config, until in self.asked:
            await ask(config, until=until)
            self.look()
