"""A population of trials that copy each other: the loop that PBT and PB2 have in common.

Jaderberg et al. 2017, "Population Based Training of Neural Networks", Algorithm 1. What a loser copies is a path of
the tree: it goes on as the winner's config, switched at the step where it was copied, so that the past is shared and
nothing is copied at all. This module refuses to know how new values are found.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from hippo.errors import BudgetError, TunerError
from hippo.hparams import Config
from hippo.records import Answer
from hippo.tuners.ask import Ask, Proposal
from hippo.tuners.budgets import check_flag, check_steps
from hippo.tuners.exploring import Lineage
from hippo.tuners.ranking import order

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a member came to at the end of an interval."""

    answer: Answer
    #: with what it was trained
    lineage: Lineage

    @property
    def step(self) -> int:
        return self.answer.step

    @property
    def is_failure(self) -> bool:
        return self.answer.failure is not None


@dataclass(slots=True, kw_only=True, eq=False)
class Member:
    """A place in the population: it trains one trial after another."""

    number: int
    lineage: Lineage
    #: which of the trials with this config is its own
    occurrence: int
    #: of all intervals that it has trained. One that copies keeps them: by what it copied it would be a winner at once
    results: list[Result] = field(default_factory=list)
    #: where its next interval begins: its own latest result, or the one that it copied; None: with the first step
    base: Result | None = None

    @property
    def step(self) -> int:
        return 0 if self.base is None else self.base.step

    @property
    def has_failed(self) -> bool:
        return self.base is not None and self.base.is_failure

    def result(self, step: int) -> Result:
        """Return its latest result that is not beyond a step."""
        return next((result for result in reversed(self.results) if result.step <= step), self.results[0])


class Explorer(Protocol):
    """Finds new values for the loser of an exploitation."""

    def note(self, before: Answer, after: Answer, config: Config) -> None:
        """Learn from an interval that a member trained.

        Args:
          before: where the interval began.
          after: where it ended.
          config: what it was trained with.
        """

    def explore(self, lineage: Lineage, at: int, others: Sequence[Config], rng: Generator) -> Mapping[str, object]:
        """Return the values with which a copy of `lineage` goes on from step `at`.

        Args:
          lineage: the winner's.
          at: where it is copied.
          others: what other members train with meanwhile.
          rng: chance.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """When members train, and who copies whom."""

    interval: int
    max_steps: int
    quantile: float
    synchronous: bool
    seed: int

    def __post_init__(self) -> None:
        check_steps("interval", self.interval)
        check_steps("max_steps", self.max_steps)
        if self.interval > self.max_steps:
            raise BudgetError(
                f"interval={self.interval} is above max_steps={self.max_steps}: nobody would ever copy anybody; lower "
                "interval"
            )
        check_flag("synchronous", self.synchronous)
        quantile: Any = self.quantile  # whatever was given
        if not isinstance(quantile, int | float) or not 0 < quantile <= 0.5:
            raise TunerError(
                f"quantile must be above 0 and at most 0.5, not {self.quantile!r}: it is the share of the population "
                "that is copied, and the share that copies"
            )

    def count(self, ranked: int) -> int:
        """Return how many of so many members are winners, and how many losers."""
        return min(math.ceil(ranked * self.quantile), ranked // 2)


class Population:
    """Members that train interval by interval; before each but the first, losers copy winners.

    All train their first interval together, so that beginnings they share are trained once, and all members are ranked
    before any of them copies. Then each goes on by itself, in turn: the one that waits longest is next, and decides
    only then whom to copy. It compares itself with what the others had come to at its own step, or with their latest
    result if they are not so far: losses fall with time, so that otherwise the member that trained last would be the
    winner. It copies what the winner was at that step, however far that has come since: no member is thrown back, and
    none skips an interval.

    Args:
      configs: one for each member; at least two.
      rules: when they train, and who copies whom.
      explorer: finds the values with which a copy goes on.
    """

    def __init__(self, configs: Iterable[Config], rules: Rules, explorer: Explorer) -> None:
        self._rules = rules
        self._explorer = explorer
        self._occurrences: Counter[Config] = Counter()
        self._members = [
            Member(number=number, lineage=Lineage.begin(config), occurrence=self._next_occurrence(config))
            for number, config in enumerate(configs)
        ]

    async def train(self, ask: Ask) -> Config:
        """Train all members to the end and return the best one's config."""
        await self._train_together(self._members, ask)
        if self._rules.synchronous:
            while ready := self._ready_together(ask):
                await self._train_together(ready, ask)
        else:
            await self._train_in_turn(ask)
        return self._ranked(self._rules.max_steps)[0].lineage.config

    async def _train_together(self, members: Sequence[Member], ask: Ask) -> None:
        answers = await ask.together(map(self._next_interval, members))
        for member, answer in zip(members, answers, strict=True):
            self._take_in(member, answer)

    def _ready_together(self, ask: Ask) -> list[Member]:
        """Let all losers copy at once; return the members that go on."""
        ranked = self._ranked(max(member.step for member in self._members))
        ready: list[Member] = []
        for member in self._members:
            if self._goes_on(member, ranked, ready, ask):
                ready.append(member)
        return ready

    async def _train_in_turn(self, ask: Ask) -> None:
        waiting = deque(self._members)
        training: dict[tuple[Config, int], Member] = {}

        def propose() -> Proposal | None:
            for _ in range(len(waiting)):
                member = waiting.popleft()
                if self._goes_on(member, self._ranked(member.step), training.values(), ask):
                    training[member.lineage.config, member.occurrence] = member
                    return self._next_interval(member)
                if member.step < self._rules.max_steps:
                    waiting.append(member)  # it has failed, and there is no winner to copy yet
            return None

        async for answer in ask.stream(propose):
            member = training.pop((answer.config, answer.occurrence))
            self._take_in(member, answer)
            waiting.append(member)

    def _next_interval(self, member: Member) -> Proposal:
        until = min(member.step + self._rules.interval, self._rules.max_steps)
        is_last = until == self._rules.max_steps
        return Proposal(config=member.lineage.config, until=until, final=is_last, occurrence=member.occurrence)

    def _take_in(self, member: Member, answer: Answer) -> None:
        if member.base is not None:
            self._explorer.note(member.base.answer, answer, member.lineage.config)
        member.base = Result(answer=answer, lineage=member.lineage)
        member.results.append(member.base)

    def _goes_on(self, member: Member, ranked: Sequence[Member], training: Iterable[Member], ask: Ask) -> bool:
        """Let a member copy a winner if it is to (exploit, explore); tell whether it has another interval to train."""
        import numpy as np

        if member.step == self._rules.max_steps:
            return False
        count = self._rules.count(len(ranked))
        winners, losers = ranked[:count], ranked[len(ranked) - count :]
        if member in losers or member.has_failed:
            rng = np.random.default_rng([self._rules.seed, member.number, len(member.results)])
            known = [winner.result(member.step) for winner in winners]
            sources = [result for result in known if _can_copy(member, result)]
            if sources:
                source = sources[int(rng.integers(len(sources)))]
                others = [other.lineage.config for other in training]
                values = self._explorer.explore(source.lineage, source.step, others, rng)
                self._copy(member, source, values, ask)
        return not member.has_failed

    def _copy(self, member: Member, source: Result, values: Mapping[str, object], ask: Ask) -> None:
        left = member.lineage.config
        member.base = source
        member.lineage = source.lineage.switch(at=source.step, values=values)
        member.occurrence = self._next_occurrence(member.lineage.config)
        if all(other.lineage.config != left for other in self._members):
            ask.release(left)

    def _ranked(self, step: int) -> list[Member]:
        """Return the members by their results at a step, best first."""
        return [self._members[i] for i in order([member.result(step).answer for member in self._members])]

    def _next_occurrence(self, config: Config) -> int:
        """Return the number of trials that this config has already, and count one more."""
        self._occurrences[config] += 1
        return self._occurrences[config] - 1


def _can_copy(member: Member, result: Result) -> bool:
    """Tell whether a winner's result lies where a member is; one that has failed may also go back."""
    return not result.is_failure and (member.has_failed or result.step == member.step)
