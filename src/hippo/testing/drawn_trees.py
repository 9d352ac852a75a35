"""Trees of stages drawn by chance, as the trials that lead to them: for what holds of any tree.

Trials begin alike and part at random, in batch size, too. What they come to does not matter.
"""

from __future__ import annotations

import asyncio
import random

from hippo.hparams import Config, Piecewise
from hippo.tuners import Ask, Tuner

#: a config, and the steps that it is trained
DrawnTrial = tuple[Config, int]


def drawn_trials(rng: random.Random, *, most_stages: int = 80) -> list[DrawnTrial]:
    """Return trials whose tree has some 2 to `most_stages` stages, at most 8 of them roots, of 1 to 3 batch sizes."""
    num_stages = rng.randint(2, most_stages)
    num_roots = rng.randint(1, min(num_stages, 8))
    num_sizes = rng.choice((1, 1, 2, 3))
    longest = rng.choice((1, 3, 10, 30))
    depth = rng.random()
    #: of each stage: values on the way to it, the steps at which they begin, and where it ends
    ways: list[tuple[list[tuple[float, int]], list[int], int]] = []
    parents = set()
    for number in range(num_stages):
        rate, size = 1.0 + number, 32 << rng.randrange(num_sizes)
        if number < num_roots:
            values, starts, start = [(rate, size)], [], 0
        else:
            near = max(0, number - rng.randint(1, 12))
            parent = rng.randrange(near, number) if rng.random() < depth else rng.randrange(number)
            parents.add(parent)
            before, earlier, start = ways[parent]
            size = before[-1][1] if rng.random() < 0.8 else size
            values, starts = [*before, (rate, size)], [*earlier, start]
        ways.append((values, starts, start + rng.randint(1, longest)))
    return [
        (_config(values, starts), until) for number, (values, starts, until) in enumerate(ways) if number not in parents
    ]


def _config(values: list[tuple[float, int]], starts: list[int]) -> Config:
    rates, sizes = [rate for rate, _ in values], [size for _, size in values]
    if not starts:
        return Config({"rate": rates[0], "batch_size": sizes[0]})
    return Config({"rate": Piecewise(rates, starts), "batch_size": Piecewise(sizes, starts)})


class AskAtOnce(Tuner):
    """Asks for all that it is given at the same moment.

    Args:
      trials: configs, and the steps that each is trained.
    """

    def __init__(self, trials: list[DrawnTrial]) -> None:
        self.trials = trials

    async def tune(self, ask: Ask) -> None:
        async with asyncio.TaskGroup() as group:
            for config, until in self.trials:
                group.create_task(ask(config, until=until))
