"""Grid search: every config to the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal

from hippo.errors import TunerError
from hippo.hparams import RandomSearchSpace
from hippo.records import Answer
from hippo.tuners.aliases import accept_names
from hippo.tuners.ask import Ask, Proposal
from hippo.tuners.budgets import check_steps
from hippo.tuners.extension import Follow, check_extension, train_on, training_ahead
from hippo.tuners.proposals import ProposingSpace, SpaceLike, adopt_space, start_proposing
from hippo.tuners.ranking import best, check_ties, is_better
from hippo.tuners.rungs import NewTrials, ask_for, together
from hippo.tuners.tuner import Tuner

#: the extension is trained ahead in so many parts
_PARTS = 10


@accept_names
@dataclass(frozen=True)
class GridSearch(Tuner):
    """Trains every config of a space.

    All are asked for together, so no step of a shared prefix runs twice.

    Args:
      space: a `GridSearchSpace`, a dictionary that makes one, or any collection of configs.
      until: steps that each is trained.
      ties: with `extra_steps`, which of equal trials is the best; see `hippo.tuners.ranking.order`.
      extra_steps: steps that the best trial is trained beyond `until` (Hippo, section 6.1).
      speculate: True trains the best trial so far on ahead of time while slots are idle, in tenths of `extra_steps`;
        "eager" at once, before what remains of the grid. What was in vain then counts as executed.

    Raises:
      BudgetError: `until` or `extra_steps` is out of its bounds.
      TunerError: the space cannot be listed, or there is nothing to speculate about without `extra_steps`.
    """

    space: Iterable[Mapping[str, Any]]
    until: int
    _: KW_ONLY
    ties: str = "first"
    extra_steps: int = 0
    speculate: bool | Literal["eager"] = False

    if TYPE_CHECKING:  # arguments may have the names that others know

        def __init__(
            self,
            space: SpaceLike,
            until: int,
            *,
            ties: str = ...,
            extra_steps: int = ...,
            speculate: bool | Literal["eager"] = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        check_steps("until", self.until)
        adopt_space(self, is_grid=True)
        if isinstance(self.space, RandomSearchSpace | ProposingSpace):
            raise TunerError(f"a grid is a collection of configs, not {self.space!r}; RandomSearch draws from those")
        check_ties(self.ties)
        check_extension(self.extra_steps, self.speculate, may_be_eager=True)
        if self.speculate and not self.extra_steps:
            raise TunerError(
                f"speculate={self.speculate!r} trains the best trial on ahead of time, and extra_steps=0 says that "
                "nobody goes on; give extra_steps, or leave speculate out"
            )

    @property
    def needs_metric(self) -> bool:  # type: ignore[override]
        """Whether there is a best trial to be found."""
        return self.extra_steps > 0

    async def tune(self, ask: Ask) -> list[Answer]:
        if not self.extra_steps:
            return await ask.all(self.space, until=self.until, final=True)
        limit, chunk = self.until + self.extra_steps, -(-self.extra_steps // _PARTS)
        eagerly = self.speculate == "eager"
        async with training_ahead(ask, until=limit, chunk=chunk, on=bool(self.speculate), eagerly=eagerly) as follow:
            answers = await self._all(ask, follow)
        winner = best(answers, answers, keep=1, ties=self.ties)[0]
        return [*answers, await train_on(ask, winner, self.extra_steps)]

    async def _all(self, ask: Ask, follow: Follow) -> list[Answer]:
        leader: Answer | None = None

        async def ask_one(proposal: Proposal) -> Answer:
            nonlocal leader
            answer = await ask_for(ask, proposal)
            if leader is None or is_better(answer, leader):
                leader = answer
                follow(answer, self.until)
            return answer

        proposer = start_proposing(self.space, ask, num_trials=None, until=self.until, seed=0)
        return await together(map(ask_one, NewTrials(proposer).take_all(until=self.until)))
