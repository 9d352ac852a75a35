"""What a tuning run asks, asked again of a trainer that does nothing: what its requests cost beside the benchmark's.

A run of MLTuner on digits is recorded: its requests, what it gives up, what it pins. They are made again in the same
order, a step at a time, as the paper's tuner schedules its branches. So what is timed has the forks, live branches and
growing configs of a real run, and nothing of its training or of its sampler.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import counting
from tasks import CHECK_EVERY, DIGITS_SPACE, NoisyDigits

import bench_requests
import hippo
from hippo.hparams import Config, as_config
from hippo.records import Answer
from hippo.tuners.ask import Ask, Proposal

MOST_STEPS = 400
#: above every `max_steps`: evaluations come where the tuner asks for them
NEVER = 10**6
#: roads of `bench_requests` on which both are asked, with the states of short branches
ROADS = ("inline-memory-transient", "inline-sqlite-transient", "local-sqlite-transient")


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


class RecordingAsk:
    """An `Ask` that writes down what is said to it.

    Args:
      ask: whom it is said to.
      said: where it is written.
    """

    def __init__(self, ask: Ask, said: list[Said]) -> None:
        self._ask = ask
        self._said = said

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ask, name)

    async def __call__(self, config: Any, **options: Any) -> Answer:
        (answer,) = await self.together([Proposal(config=config, comes_alone=True, **options)])
        return answer

    async def together(self, proposals: Iterable[Proposal]) -> list[Answer]:
        """Ask, and note it."""
        asked = tuple(replace(each, config=as_config(each.config)) for each in proposals)
        self._said.append(Asked(asked))
        return await self._ask.together(asked)

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


def run_of_digits(seed: int) -> list[Said]:
    """Return what MLTuner says in a run."""
    study = hippo.create_study(
        "recorded", trainer=NoisyDigits, storage="memory://", engine=hippo.InlineEngine(), metric="accuracy",
        mode="max", seed=seed, evaluate_every=NEVER, nan="worst",
    )  # fmt: skip
    counting.begin(counting.Count())
    recorded = Recorded(hippo.MLTuner(DIGITS_SPACE, MOST_STEPS, check_every=CHECK_EVERY, seed=seed))
    study.optimize(recorded)
    study.close()
    return recorded.said


def requests_of_a_run(seeds: int) -> Iterator[dict[str, Any]]:
    """Yield wall-ms of one-step requests: of a run on digits, asked again, and of the benchmark's chain, in turns."""
    for road in ROADS:
        for seed in range(seeds):
            run = bench_requests.asked_of(road, Repeated(run_of_digits(seed)))
            chain = bench_requests.asked_of(road, bench_requests.Chain(2_000, is_transient=True))
            yield {
                "road": road, "seed": seed, "requests": len(run.step_s) + len(run.fork_s), "forks": len(run.fork_s),
                "step_ms": median_ms(run.step_s), "chain_step_ms": median_ms(chain.step_s),
                "fork_ms": median_ms(run.fork_s), "chain_fork_ms": median_ms(chain.fork_s),
                "last_steps_ms": median_ms(run.step_s[-100:]),
            }  # fmt: skip


def median_ms(seconds: Sequence[float]) -> float:
    """Return the median in milliseconds."""
    return round(1e3 * statistics.median(seconds), 3)
