"""What a block of a tuner may spend, as decisions see it: `Ask.limited`.

This module refuses to know how a block is ended: whoever is in it says how.
"""

from __future__ import annotations

from collections.abc import Callable


class Limit:
    """A block of a tuner's code that ends when `is_reached` says so.

    Args:
      is_reached: tells whether its time, or its money, is spent.
    """

    def __init__(self, is_reached: Callable[[], bool]) -> None:
        self._is_reached = is_reached
        #: cancels the tuner's task; None while it is not in the block
        self.cancel: Callable[[], object] | None = None
        #: the block was ended
        self.was_ended = False

    @property
    def is_due(self) -> bool:
        """Whether it is time to end the block."""
        return self.cancel is not None and not self.was_ended and self._is_reached()

    def end(self) -> None:
        """End the block, if its tuner is still in it."""
        if self.cancel is not None:
            self.was_ended = True
            self.cancel()
