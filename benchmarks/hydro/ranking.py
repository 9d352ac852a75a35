"""Do ten random configurations have the same order on surrogates as on the target? Figure 10 (a) to (d) of the paper.

The paper's space for images, with batch sizes that suit a thousand images, and its learning rate falling by gamma
every so many steps. It judges nobody: the order is that of held-out losses.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from models import Convolutions
from sweeps import STEPS, Task, held_out_losses

import hippo
from hippo.scale import TARGET, Scale

RATIOS = (1, 2, 4, 8)
NUMBER = 10
NAMES = "ABCDEFGHIJ"
BATCH_SIZES = (32, 64)
TASK = Task(name="cnn", trainer=Convolutions, optimizer="sgd", updates=20 * STEPS)


def drawn_configs(seed: int, number: int = NUMBER) -> list[dict[str, Any]]:
    """Return configs of the paper's space for images: rate, momentum, batch size, and by what the rate falls."""
    chance = np.random.default_rng(seed)
    return [
        {
            "lr": hippo.Step(round(10.0 ** chance.uniform(-4, 0), 4), STEPS // 2, round(chance.uniform(0.01, 0.9), 2)),
            "momentum": round(chance.uniform(0.5, 0.999), 3),
            "batch_size": int(chance.choice(BATCH_SIZES)),
        }
        for _ in range(number)
    ]


def ranking_rows(seeds: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the losses and ranks of each config at each scale; and how far the orders agree."""
    configs = drawn_configs(seed=1)
    losses = {ratio: mean_losses(configs, ratio, seeds) for ratio in RATIOS}
    places = {ratio: ranks(found) for ratio, found in losses.items()}
    rows = [
        {
            "config": NAMES[number],
            "lr": config["lr"](0),
            "gamma": round(config["lr"](STEPS // 2) / config["lr"](0), 2),
            "momentum": config["momentum"],
            "batch_size": config["batch_size"],
            **{f"loss_S{ratio}": round(losses[ratio][number], 4) for ratio in RATIOS},
            **{f"rank_S{ratio}": places[ratio][number] for ratio in RATIOS},
        }
        for number, config in enumerate(configs)
    ]
    return rows, [agreement(ratio, losses, places) for ratio in RATIOS]


def mean_losses(configs: Sequence[Mapping[str, Any]], ratio: int, seeds: int) -> list[float]:
    """Return the loss of each config, mean over seeds; those of one batch size are lanes of one program."""
    scale = TARGET if ratio == 1 else Scale(ratio)
    found = [0.0] * len(configs)
    for size in BATCH_SIZES:
        mine = [number for number, config in enumerate(configs) if config["batch_size"] == size]
        for seed in range(seeds) if mine else ():
            each = held_out_losses(TASK, scale, seed, [configs[number] for number in mine])
            for number, loss in zip(mine, each, strict=True):
                found[number] += loss / seeds
    print(f"ranking at S = {ratio}", file=sys.stderr, flush=True)
    return found


def ranks(losses: Sequence[float]) -> list[int]:
    """Return for each its place, 1 for the least; of equal ones the earlier is before."""
    order = sorted(range(len(losses)), key=lambda number: (losses[number], number))
    return [order.index(number) + 1 for number in range(len(losses))]


def agreement(ratio: int, losses: Mapping[int, Sequence[float]], places: Mapping[int, Sequence[int]]) -> dict[str, Any]:
    """Return how far the order at a scale is the target's."""
    mine, target = places[ratio], places[1]
    number = len(mine)
    squares = sum((a - b) ** 2 for a, b in zip(mine, target, strict=True))
    chosen = mine.index(1)
    return {
        "S": ratio,
        "spearman": round(1 - 6 * squares / (number * (number**2 - 1)), 3),
        "same_best": target[chosen] == 1,
        "of_best_three": len({n for n in range(number) if mine[n] <= 3} & {n for n in range(number) if target[n] <= 3}),
        "swapped_pairs": sum(
            (mine[a] - mine[b]) * (target[a] - target[b]) < 0 for a in range(number) for b in range(a)
        ),
        "regret": round(losses[1][chosen] - min(losses[1]), 4),
    }
