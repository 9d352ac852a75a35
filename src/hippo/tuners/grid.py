"""Grid search: every config to the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hippo.records import Answer
from hippo.tuners.ask import Ask
from hippo.tuners.budgets import check_steps
from hippo.tuners.tuner import Tuner


@dataclass(frozen=True)
class GridSearch(Tuner):
    """Trains every config of a space.

    All are asked for together, so no step of a shared prefix runs twice.

    Args:
      space: a `GridSearchSpace`, or any collection of configs that can be iterated over again.
      until: steps that each is trained.

    Raises:
      BudgetError: `until` is not an integer of at least 1.
    """

    space: Iterable[Mapping[str, Any]]
    until: int

    def __post_init__(self) -> None:
        check_steps("until", self.until)

    async def tune(self, ask: Ask) -> list[Answer]:
        return await ask.all(self.space, until=self.until, final=True)
