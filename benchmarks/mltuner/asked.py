"""What a tuning run asks, asked again of a trainer that does nothing: what its requests cost beside the benchmark's.

A run of MLTuner on digits is recorded: its requests, what it gives up, what it pins. They are made again in the same
order, a step at a time, as the paper's tuner schedules its branches. So what is timed has the forks, live branches and
growing configs of a real run, and nothing of its training or of its sampler.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import hippo
from hippo.hparams import Config, as_config
from hippo.records import Answer, Objective
from hippo.tuners.ask import Ask, Proposal, ProposalAsk


@dataclass(frozen=True, slots=True)
class Pinned:
    """From here on the state of a config after so many steps stays in memory."""

    config: Config
    step: int


@dataclass(frozen=True, slots=True)
class Unpinned:
    """What was pinned last is so no longer."""


@dataclass(frozen=True, slots=True)
class Released:
    """A config is given up."""

    config: Config


@dataclass(frozen=True, slots=True)
class Asked:
    """Requests that were made together."""

    proposals: tuple[Proposal, ...]


Said = Pinned | Unpinned | Released | Asked


class RecordingAsk(ProposalAsk):
    """An `Ask` that writes down what is said to it.

    Args:
      ask: whom it is said to.
      said: where it is written.
    """

    def __init__(self, ask: Ask, said: list[Said]) -> None:
        self._ask = ask
        self._said = said

    @property
    def objectives(self) -> Sequence[Objective]:
        """What the study optimises."""
        return self._ask.objectives

    async def together(self, proposals: Iterable[Proposal]) -> list[Answer]:
        """Ask, and note it."""
        asked = tuple(replace(each, config=as_config(each.config)) for each in proposals)
        self._said.append(Asked(asked))
        return await self._ask.together(asked)

    def any_of(self, proposals: Iterable[Proposal]) -> AsyncIterator[Answer]:
        """Refuse: the order of these answers would have to be noted, too."""
        raise NotImplementedError("MLTuner waits for all that it asks for together")

    def release(self, config: Any) -> None:
        """Give up, and note it."""
        self._said.append(Released(as_config(config)))
        self._ask.release(config)

    @asynccontextmanager
    async def pin(self, answer: Answer) -> AsyncIterator[None]:
        """Pin, and note it."""
        self._said.append(Pinned(answer.config, answer.step))
        async with self._ask.pin(answer):
            yield
        self._said.append(Unpinned())


class Recorded(hippo.Tuner):
    """Another tuner, of which is noted what it says.

    Args:
      tuner: the other one.
    """

    needs_metric = True

    def __init__(self, tuner: hippo.Tuner) -> None:
        self.tuner = tuner
        self.said: list[Said] = []

    def record(self) -> dict[str, Any]:
        """Return what the other one is."""
        return self.tuner.record()

    async def tune(self, ask: Ask) -> Any:
        """Run the other one."""
        return await self.tuner.tune(RecordingAsk(ask, self.said))  # type: ignore[arg-type]


class Repeated(hippo.Tuner):
    """Says again what was said, each request as one for every step of it, and notes how long each takes.

    Args:
      said: by another tuner.
    """

    def __init__(self, said: list[Said]) -> None:
        self.said = said
        #: seconds of each request that goes on, and of each that begins a branch of a state
        self.step_s: list[float] = []
        self.fork_s: list[float] = []

    def record(self) -> dict[str, Any]:
        """Return what it is."""
        return {"tuner": "repeated", "said": len(self.said)}

    async def tune(self, ask: Ask) -> None:
        """Say it all."""
        trained: dict[Config, int] = {}
        trunk = 0
        async with AsyncExitStack() as pins:
            for each in self.said:
                match each:
                    case Pinned(config, step):
                        trunk = step
                        await pins.enter_async_context(ask.pin(config, step))
                    case Unpinned():
                        await pins.aclose()
                    case Released(config):
                        ask.release(config)
                    case Asked(proposals):
                        for proposal in proposals:
                            config = as_config(proposal.config)
                            is_fork = config not in trained and trunk > 0
                            await self._ask_stepwise(ask, proposal, trained.get(config, trunk), is_fork=is_fork)
                            trained[config] = proposal.until

    async def _ask_stepwise(self, ask: Ask, last: Proposal, begin: int, *, is_fork: bool) -> None:
        """Ask for each step that is new; for the last one as it was asked."""
        for step in range(begin + 1, last.until + 1):
            is_last = step == last.until
            asked = last if is_last else replace(last, until=step, final=False, evaluate=False, is_transient=True)
            began = time.perf_counter()
            await ask.together([asked])
            taken = self.fork_s if is_fork and step == begin + 1 else self.step_s
            taken.append(time.perf_counter() - began)
