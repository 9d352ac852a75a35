"""Training the best trial on when all others have ended (Hippo, section 6.1), and ahead of time before that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from hippo.errors import TunerError
from hippo.records import Answer
from hippo.tuners.ask import Ask, Proposal
from hippo.tuners.budgets import check_steps
from hippo.tuners.rungs import ask_for, go_on

#: told who is ahead, and the step to which it is asked for already
Follow = Callable[[Answer, int], None]


def check_extension(extra_steps: int, speculate: object, *, may_be_eager: bool = False) -> None:
    """Refuse an extension that cannot be.

    Raises:
      BudgetError: `extra_steps` is not an integer of at least 0.
      TunerError: `speculate` is not a truth value, nor "eager" where it may be.
    """
    check_steps("extra_steps", extra_steps, at_least=0)
    if not (isinstance(speculate, bool) or (may_be_eager and speculate == "eager")):
        others = ' or "eager"' if may_be_eager else ""
        raise TunerError(f"speculate must be True or False{others}, not {speculate!r}")


async def train_on(ask: Ask, best: Answer, extra_steps: int) -> Answer:
    """Train the best trial so many steps further, and return what it came to; a trial that failed stays where it is."""
    if not extra_steps or best.failure is not None:
        return best
    return await ask_for(ask, go_on(best, until=best.step + extra_steps, final=True, is_extension=True))


@asynccontextmanager
async def training_ahead(ask: Ask, *, until: int, chunk: int, on: bool, eagerly: bool = False) -> AsyncIterator[Follow]:
    """Within the block, train the leading trial towards `until`; asked for later, it finds its steps done.

    Args:
      ask: what answers.
      until: the largest step that the winner may reach.
      chunk: steps of one request; when another trial takes the lead, at most that many are lost.
      on: False does nothing.
      eagerly: False trains ahead only while slots have nothing else to do, and what is trained so is speculative. True
        asks for all of it at once, as an extension like any other: it has the longest way to go, so it goes first.
    """
    tasks: list[asyncio.Task[None]] = []
    followed: int | None = None

    def follow(leader: Answer, beyond: int) -> None:
        nonlocal followed
        if not on or leader.trial == followed or leader.failure is not None:
            return
        for task in tasks:
            task.cancel()
        followed = leader.trial
        if eagerly:
            tasks.append(asyncio.create_task(_extend(ask, leader, until)))
        else:
            steps = [min(step, until) for step in range(beyond + chunk, until + chunk, chunk)]
            tasks.append(asyncio.create_task(_chase(ask, leader, steps)))

    try:
        yield follow
    finally:
        for task in tasks:
            task.cancel()
        # what cannot be trained is said when the tuner itself asks for it
        await asyncio.gather(*tasks, return_exceptions=True)


async def _extend(ask: Ask, leader: Answer, until: int) -> None:
    await ask_for(ask, go_on(leader, until=until, final=True, is_extension=True))


async def _chase(ask: Ask, leader: Answer, steps: Sequence[int]) -> None:
    left = iter(steps)

    def propose() -> Proposal | None:
        until = next(left, None)
        if until is None:
            return None
        return Proposal(config=leader.config, until=until, occurrence=leader.occurrence, is_speculative=True)

    async for answer in ask.stream(propose):
        if answer.failure is not None:
            return
