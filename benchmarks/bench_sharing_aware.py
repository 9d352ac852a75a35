"""What sharing-aware proposals save: distinct steps, and steps until a good config, of TPE with and without.

    python benchmarks/bench_sharing_aware.py [--seeds 9]

Four minutes on two cores. Learning curves are formulas without noise, answered one after another; 100 trials of 30
steps. Random search is what both must beat.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import statistics
import warnings

from hippo.hparams import Piecewise, RandomSearchSpace, choice, loguniform, uniform
from hippo.testing.fake_ask import FakeAsk
from hippo.tuners.sampler_search import SamplerSearch
from report import write_report

UNTIL = 30
TRIALS = 100
TARGET = 0.05

CONTINUOUS = RandomSearchSpace(
    {
        "lr": Piecewise([loguniform(1e-3, 1), loguniform(1e-4, 1), loguniform(1e-5, 1)], [10, 20]),
        "mom": Piecewise([uniform(0, 1), uniform(0, 1)], [15]),
    }
)
DISCRETE = RandomSearchSpace(
    {
        "lr": Piecewise(
            [
                choice(1.0, 0.3, 0.1, 0.03, 0.01),
                choice(0.3, 0.1, 0.03, 0.01, 0.003),
                choice(0.1, 0.03, 0.01, 0.003, 0.001),
            ],
            [10, 20],
        ),
        "bs": Piecewise([choice(64, 128), choice(128, 256, 512)], [15]),
        "wd": choice(1e-4, 1e-3, 1e-2),
    }
)


def rates_loss(config):
    """Return how far the three rates are from 0.1, 0.01 and 0.001."""
    rates = [config.values_at(step)["lr"] for step in (0, 10, 20)]
    return 0.2 * sum((math.log10(rate) + 1 + i) ** 2 for i, rate in enumerate(rates))


def continuous_loss(config, step):
    momenta = [config.values_at(step)["mom"] for step in (0, 29)]
    return rates_loss(config) + 0.5 * (momenta[0] - 0.9) ** 2 + 0.5 * (momenta[1] - 0.95) ** 2


def discrete_loss(config, step):
    first, last = config.values_at(0), config.values_at(29)
    batches = 0.05 * (first["bs"] != 128) + 0.05 * (last["bs"] != 512)
    return rates_loss(config) + batches + 0.1 * (math.log10(first["wd"]) + 3) ** 2


def run(space, loss, sampler, candidates, seed):
    """Return the distinct steps of a search, its best loss, and its distinct steps until the target."""
    tuner = SamplerSearch(sampler, space, until=UNTIL, num_trials=TRIALS, seed=seed, candidates=candidates)
    answers = asyncio.run(tuner.tune(FakeAsk(loss)))
    again, steps, until_target = FakeAsk(loss), 0, math.inf
    for answer in answers:
        steps += again.uncovered(answer.config, UNTIL)
        asyncio.run(again(answer.config, until=UNTIL))
        if answer.loss <= TARGET:
            until_target = min(until_target, steps)
    return steps, min(answer.loss for answer in answers), until_target


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=9)
    seeds = parser.parse_args().seeds
    warnings.simplefilter("ignore")
    rows = []
    for name, space, loss in (("continuous", CONTINUOUS, continuous_loss), ("discrete", DISCRETE, discrete_loss)):
        for sampler, candidates in (("random", 1), ("tpe", 1), ("tpe", 5)):
            runs = [run(space, loss, sampler, candidates, seed) for seed in range(seeds)]
            steps, best, until_target = zip(*runs, strict=True)
            until_target = sorted(until_target)
            shown = ["never" if math.isinf(x) else x for x in (until_target[0], until_target[-1])]
            middle = statistics.median(until_target)
            rows.append(
                {
                    "space": name,
                    "sampler": sampler,
                    "candidates": candidates,
                    "distinct steps": statistics.median(steps),
                    "best loss": round(statistics.median(best), 4),
                    f"steps to a loss of {TARGET}": "never" if math.isinf(middle) else middle,
                    "least and most": f"{shown[0]} to {shown[1]}",
                }
            )
    write_report(
        "sharing_aware",
        rows,
        f"{TRIALS} trials of {UNTIL} steps, medians of {seeds} seeds, simulated",
        seeds=f"0 to {seeds - 1}",
    )


if __name__ == "__main__":
    main()
