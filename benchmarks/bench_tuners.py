"""What tuners and their options cost and find, in simulation: Hippo's spaces on 40 slots, ten draws of the metric.

    python benchmarks/bench_tuners.py [--draws 10]

Two minutes on two cores. The spaces are those of paper/, 94.3 s a step, metrics every 15 steps. The loss of a trial is
a random walk along the tree of prefixes: equal prefixes have equal losses, and early ones tell something of late ones.
Random search with as many device-hours is what every tuner must beat.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "paper"))

import numpy as np
from spaces import single_space

import hippo
from hippo.simulation import RandomWalk, SimulatedWorkload, simulate
from hippo.tuners import ASHA, PASHA, Hyperband, MedianStopping, StoppingASHA
from report import write_report

SLOTS = 40
WORKLOAD = SimulatedWorkload(seconds_per_step=94.3)
RUNGS = {"min_steps": 15, "max_steps": 120, "reduction": 4}
RESNET, _ = single_space("resnet56")
MOBILE, _ = single_space("mobilenet_v2")
#: losses that fall by 0.6 in 120 steps, on which trials differ by 0.2
CURVE = {"drift": -0.005, "noise": 0.02}


def drawn(space: Iterable[Any], count: int, seed: int) -> list[Any]:
    """Return configs drawn without replacement."""
    configs = list(space)
    return [configs[i] for i in np.random.default_rng(seed).permutation(len(configs))[:count]]


#: space, and name -> makes the tuner of a draw; all train to 120 steps, and with "+100" the best one 100 more
CASES: Mapping[str, tuple[str, Callable[[int], hippo.Tuner]]] = {
    "random search, 12 of 448": ("ResNet56", lambda s: hippo.GridSearch(drawn(RESNET, 12, s), until=120)),
    "random search, 48 of 448": ("ResNet56", lambda s: hippo.GridSearch(drawn(RESNET, 48, s), until=120)),
    "grid": ("ResNet56", lambda s: hippo.GridSearch(RESNET, until=120)),
    "SuccessiveHalving": ("ResNet56", lambda s: hippo.SuccessiveHalving(RESNET, **RUNGS)),
    'SuccessiveHalving, ties="distinct"': (
        "ResNet56",
        lambda s: hippo.SuccessiveHalving(RESNET, **RUNGS, ties="distinct"),
    ),
    "ASHA": ("ResNet56", lambda s: ASHA(RESNET, **RUNGS, shuffle=False)),
    "ASHA, delay": ("ResNet56", lambda s: ASHA(RESNET, **RUNGS, shuffle=False, delay=True)),
    "StoppingASHA": ("ResNet56", lambda s: StoppingASHA(RESNET, **RUNGS, shuffle=False)),
    "PASHA": ("ResNet56", lambda s: PASHA(RESNET, **RUNGS, shuffle=False)),
    "MedianStopping": ("ResNet56", lambda s: MedianStopping(RESNET, 15, 120, shuffle=False)),
    "Hyperband(120, 3)": ("ResNet56", lambda s: Hyperband(RESNET, 120, 3, seed=s)),
    "grid +100": ("MobileNetV2", lambda s: hippo.GridSearch(MOBILE, until=120, extra_steps=100)),
    "grid +100, speculate": (
        "MobileNetV2",
        lambda s: hippo.GridSearch(MOBILE, until=120, extra_steps=100, speculate=True),
    ),
    'grid +100, speculate="eager"': (
        "MobileNetV2",
        lambda s: hippo.GridSearch(MOBILE, until=120, extra_steps=100, speculate="eager"),
    ),
    "ASHA +100": ("ResNet56", lambda s: ASHA(RESNET, **RUNGS, shuffle=False, extra_steps=100)),
    "ASHA +100, speculate": (
        "ResNet56",
        lambda s: ASHA(RESNET, **RUNGS, shuffle=False, extra_steps=100, speculate=True),
    ),
}


def measure(name: str, draws: int) -> dict[str, Any]:
    """Return the row of a case."""
    space, make = CASES[name]
    runs = []
    for seed in range(draws):
        curve = RandomWalk(seed=seed, **CURVE)
        runs.append(
            simulate(make(seed), WORKLOAD, slots=SLOTS, seed=seed, curve=curve, evaluate_every=15, keep_intervals=False)
        )
    return {
        "space": space,
        "tuner": name,
        "end to end, h": spread([run.makespan_s / 3600 for run in runs]),
        "device-hours": spread([run.device_hours for run in runs]),
        "steps repeated": round(statistics.mean(run.steps_repeated for run in runs), 1),
        "best loss": round(statistics.mean(best_loss(run.study) for run in runs), 3),
    }


def best_loss(study: hippo.Study) -> float:
    """Return the best loss of all trials that were trained to the end."""
    return float(study.best_value)


def spread(values: list[float]) -> str:
    """Return mean, smallest and largest."""
    return f"{statistics.mean(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def main() -> None:
    """Measure all cases, and keep the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--draws", type=int, default=10)
    draws = arguments.parse_args().draws
    warnings.simplefilter("ignore", UserWarning)
    rows = [measure(name, draws) for name in CASES]
    write_report(
        "tuners",
        rows,
        f"simulated, {SLOTS} slots, {draws} draws: mean (smallest to largest)",
        seeds=f"0 to {draws - 1}",
        also=["benchmarks/paper/spaces"],
    )


if __name__ == "__main__":
    main()
