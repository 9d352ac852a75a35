"""What tuners with rungs have in common: new configs, many requests at once, and the answers of a rung in order.

It refuses to know who is promoted: that is each tuner's own rule.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any, TypeVar

from hippo.errors import SpaceError
from hippo.hparams import RandomSearchSpace
from hippo.records import Answer, no_losses
from hippo.saying import warn_caller
from hippo.tuners.ask import Ask, Proposal
from hippo.tuners.budgets import rung_steps
from hippo.tuners.leaderboards import Leaderboard, make_leaderboard
from hippo.tuners.proposals import Proposer, ProposingSpace, Space

T = TypeVar("T")


class NewTrials:
    """New configs, each as the request for its first rung; equal configs become trials of their own.

    Args:
      proposer: where they come from. It is told every answer.
    """

    def __init__(self, proposer: Proposer) -> None:
        self._proposer = proposer
        self._taken: Counter[str] = Counter()

    def next(self, *, until: int, final: bool = False) -> Proposal | None:
        """Return the request that takes the next config up, or None if there is none now."""
        config = self._proposer.propose()
        if config is None:
            return None
        occurrence = self._taken[config.key]
        self._taken[config.key] += 1
        return Proposal(config=config, until=until, final=final, occurrence=occurrence)

    def take(self, count: int, *, until: int, final: bool = False) -> list[Proposal]:
        """Return the requests that take so many configs up, or as many as there are."""
        found = self.take_all(until=until, final=final)
        return list(itertools.islice(found, count))

    def take_all(self, *, until: int, final: bool = False) -> Iterator[Proposal]:
        """Yield the requests that take all configs up."""
        while (proposal := self.next(until=until, final=final)) is not None:
            yield proposal

    def tell(self, answer: Answer) -> None:
        """Let the proposer learn."""
        self._proposer.tell(answer)


def go_on(answer: Answer, *, until: int, final: bool = False, is_extension: bool = False) -> Proposal:
    """Return the request that trains a trial on."""
    return Proposal(
        config=answer.config, until=until, final=final, occurrence=answer.occurrence, is_extension=is_extension
    )


async def ask_for(ask: Ask, proposal: Proposal) -> Answer:
    """Ask for what was proposed, whether there is room for it or not."""
    return await ask(
        proposal.config,
        until=proposal.until,
        final=proposal.final,
        occurrence=proposal.occurrence,
        is_extension=proposal.is_extension,
    )


async def together(coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run coroutines side by side and return their results in order; the first error ends all, and is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(coroutine) for coroutine in coroutines]
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return [task.result() for task in tasks]


class Rung:
    """The answers at one step, and who was promoted from there.

    Args:
      step: where it ends.
      ties: see `hippo.tuners.ranking.order`.
    """

    def __init__(self, step: int, *, ties: str = "first") -> None:
        self.step = step
        #: trials that were promoted from here
        self.promoted: set[int] = set()
        self._ties = ties
        #: the first answer tells how many objectives there are
        self._board: Leaderboard | None = None

    def add(self, answer: Answer) -> None:
        """Take in an answer.

        Raises:
          TunerError: it has no losses.
        """
        if not answer.losses:
            raise no_losses(answer)
        if self._board is None:
            self._board = make_leaderboard(len(answer.losses), self._ties)
        self._board.add(answer)

    @property
    def ranking(self) -> Sequence[Answer]:
        """The answers, best first."""
        return list(self._board or ())

    def best(self, count: int) -> Iterator[Answer]:
        """Return the best answers so far, best first."""
        return itertools.islice(self._board or (), count)

    def is_among(self, answer: Answer, count: int) -> bool:
        """Tell whether an answer that came here is one of the `count` best so far."""
        return self._board is not None and self._board.is_among(answer, count)

    def promote(self, count: int) -> Answer | None:
        """Return the best answer that was not promoted yet if it is one of the `count` best; it counts as promoted."""
        answer = None if self._board is None else self._board.promote(count)
        if answer is not None:
            self.promoted.add(answer.trial)
        return answer

    def __len__(self) -> int:
        return 0 if self._board is None else len(self._board)


def make_rungs(min_steps: int, max_steps: int, reduction: int, *, ties: str) -> list[Rung]:
    """Return empty rungs, the lowest first."""
    return [Rung(step, ties=ties) for step in rung_steps(min_steps, max_steps, reduction)]


def best_at_the_top(rungs: Sequence[Rung]) -> Answer:
    """Return the best answer of the highest rung that has any; one of a trial that failed only where all have.

    Raises:
      SpaceError: there is none.
    """
    return best_that_stands(rung.best(len(rung)) for rung in reversed(rungs))


def best_that_stands(rankings: Iterable[Iterable[Answer]]) -> Answer:
    """Return the best answer of the first ranking that has one of a trial that did not fail there or before.

    A trial that failed on its way to a higher rung is no better for having led a lower one: it cannot be trained on.

    Args:
      rankings: those of the rungs, each best first, the highest rung first.

    Raises:
      SpaceError: there are no answers.
    """
    first: Answer | None = None
    failed: set[int] = set()
    for answer in itertools.chain.from_iterable(rankings):
        first = first or answer
        if answer.failure is not None:
            failed.add(answer.trial)
        elif answer.trial not in failed:
            return answer
    if first is None:
        raise no_configs()
    return first


def no_configs() -> SpaceError:
    """Return the error of a space that gave nothing to train."""
    return SpaceError("the space gave no configs: there is nobody to promote")


def learns(space: Space) -> bool:
    """Tell whether a space brings its own proposer, which may propose the better the later it is asked."""
    return isinstance(space, ProposingSpace)


def listed(space: Space) -> Iterable[Mapping[str, Any]] | None:
    """Return a space that is a collection of configs, and None for one that has no end."""
    return None if isinstance(space, RandomSearchSpace | ProposingSpace) else space


async def fill_rung(
    ask: Ask, trials: NewTrials, *, until: int, final: bool, late: bool, count: int | None = None
) -> list[Answer]:
    """Train new configs to the end of their first rung.

    Args:
      ask: what answers.
      trials: where they come from; told of every answer.
      until: where the rung ends.
      final: whether it is their last.
      late: take each up when there is room for it, having learned from those before, and not all together.
      count: how many at most; None: all there are.
    """
    proposals = itertools.islice(trials.take_all(until=until, final=final), count)
    if not late:
        answers = await ask.together(proposals)
        for answer in answers:
            trials.tell(answer)
        return answers
    answers = []
    async for answer in ask.stream(lambda: next(proposals, None)):
        trials.tell(answer)
        answers.append(answer)
    return sorted(answers, key=lambda answer: answer.trial)


def count_of(space: Space, num_trials: int | None) -> int | None:
    """Return how many configs a tuner will take, or None if the space has no end and `num_trials` is not given."""
    configs = listed(space)
    if configs is None:
        return num_trials
    count = len(configs) if isinstance(configs, Sized) else sum(1 for _ in configs)
    return count if num_trials is None else min(count, num_trials)


def warn_if_few(count: int | None, rungs: Sequence[int], reduction: int) -> None:
    """Warn that no trial will reach the last rung if each rung promotes one in `reduction` of so few."""
    needed = reduction ** (len(rungs) - 1)
    if count is None or count >= needed:
        return
    reached = next(number for number in range(len(rungs)) if count < reduction ** (number + 1))
    warn_caller(
        f"with reduction={reduction} and {count} trials none need get beyond step {rungs[reached]}; the rungs end at "
        f"{list(rungs)}. Take at least {needed} trials, raise min_steps, or lower reduction.",
    )
