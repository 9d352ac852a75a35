"""Something of each step of a path, looked up when it is read, so that nothing is copied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


class StepTrace(Mapping[int, T]):
    """Step -> what is known of it, for all steps from 1 to the last.

    Args:
      until: the last step.
      of: says what is known of a step.
    """

    def __init__(self, until: int, of: Callable[[int], T]) -> None:
        self._until = until
        self._of = of

    def __getitem__(self, step: int) -> T:
        if not 0 < step <= self._until:
            raise KeyError(step)
        return self._of(step)

    def __iter__(self) -> Iterator[int]:
        return iter(range(1, self._until + 1))

    def __len__(self) -> int:
        return self._until
