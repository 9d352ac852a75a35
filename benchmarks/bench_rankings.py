"""What ranking costs: CPU-seconds of tuners that compare each answer with all before it, at growing numbers of trials.

    python benchmarks/bench_rankings.py [--trials 1000 4000 16000] [--runs 3]
    python benchmarks/bench_rankings.py --beside OTHER/src     # in turns with another version; keeps nothing

Tuners rank on the control loop, between an answer and the next request, so a quadratic one stops everything. They are
driven by `FakeAsk` with eight slots and not by a study: what a study costs for each stage is bench_control.py's, and
would hide what is measured here. `FakeAsk` itself is in the figures, some 50 microseconds an answer.

Losses are uniform; of two objectives the second is independent of the first, which makes many fronts, or one of four
sizes of a model, which makes fronts of four points. With ties="distinct" two trials rest on each state. For median
stopping losses fall from trial to trial: it compares with those that came to their end, which would be few.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import signal
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hippo.testing.fake_ask import FakeAsk
from hippo.tuners import ASHA, MedianStopping, StoppingASHA
from report import markdown_table, write_report

SLOTS = 8
#: CPU-seconds after which a measurement beside another version is given up
LIMIT_S = 40
RUNGS = {"min_steps": 1, "max_steps": 4, "reduction": 4}


def one_loss(count: int) -> list[tuple[float, ...]]:
    """Return one loss for each trial."""
    return [(float(loss),) for loss in np.random.default_rng(0).random(count)]


def falling(count: int) -> list[tuple[float, ...]]:
    """Return losses of which later ones are smaller but for noise, so that median stopping lets most trials pass."""
    noise = np.random.default_rng(0).random(count)
    return [(float(noise[number]) / 10 - number / count,) for number in range(count)]


def in_pairs(count: int) -> list[tuple[float, ...]]:
    """Return one loss for each trial, of which two at a time are equal."""
    return [loss for loss in one_loss(-(-count // 2)) for _ in range(2)][:count]


def independent(count: int) -> list[tuple[float, ...]]:
    """Return two losses that know nothing of each other."""
    return [(float(x), float(y)) for x, y in np.random.default_rng(0).random((count, 2))]


def of_four_sizes(count: int) -> list[tuple[float, ...]]:
    """Return a loss, and one of four sizes."""
    rng = np.random.default_rng(0)
    return [(float(rng.random()), float(rng.integers(1, 5))) for _ in range(count)]


#: name -> losses of so many trials, and what makes the tuner of their configs
CASES: dict[str, tuple[Callable[[int], list[tuple[float, ...]]], Callable[[Any], Any]]] = {
    "ASHA": (one_loss, lambda space: ASHA(space, **RUNGS)),
    'ASHA, ties="distinct"': (in_pairs, lambda space: ASHA(space, **RUNGS, ties="distinct")),
    "ASHA, two objectives": (independent, lambda space: ASHA(space, **RUNGS)),
    "ASHA, a loss and four sizes": (of_four_sizes, lambda space: ASHA(space, **RUNGS)),
    'ASHA, two objectives, ties="distinct"': (independent, lambda space: ASHA(space, **RUNGS, ties="distinct")),
    "StoppingASHA, two objectives": (independent, lambda space: StoppingASHA(space, **RUNGS)),
    "MedianStopping": (falling, lambda space: MedianStopping(space, 1, 4)),
}


def cpu_seconds(case: str, count: int) -> float:
    """Return what one run of a tuner costs."""
    draw, make = CASES[case]
    losses = draw(count)
    # trials with equal losses have equal configs, and so rest on one state
    numbers = {loss: number for number, loss in enumerate(losses)}
    configs = [{"number": numbers[loss]} for loss in losses]
    ask = FakeAsk(lambda config, step: losses[config["number"](0)], slots=SLOTS, num_objectives=len(losses[0]))
    tuner = make(configs)
    began = time.process_time()
    asyncio.run(tuner.tune(ask))
    return time.process_time() - began


def row_of(case: str, count: int, costs: list[float]) -> dict[str, Any]:
    """Return the row of a case."""
    return {
        "tuner": case,
        "trials": count,
        "median_cpu_s": round(statistics.median(costs), 2),
        "min": round(min(costs), 2),
        "max": round(max(costs), 2),
        "ms_per_trial": round(1000 * statistics.median(costs) / count, 3),
    }


def elsewhere(source: Path, case: str, count: int) -> float | None:
    """Return what one run costs in a process of its own, with hippo from `source`; None if it takes too long."""
    command = [sys.executable, __file__, "--one", case, str(count)]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if run.returncode == -signal.SIGXCPU:
        return None
    run.check_returncode()
    return float(run.stdout)


def compare(other: Path, trials: list[int], runs: int) -> None:
    """Print what each case costs there and here, measured in turns."""
    here = Path(__file__).resolve().parents[1] / "src"
    rows = []
    for case in CASES:
        ends = True
        for count in trials:
            there_s: list[float | None] = []
            here_s: list[float | None] = []
            for _ in range(runs):
                there_s.append(elsewhere(other, case, count) if ends else None)
                here_s.append(elsewhere(here, case, count))
                ends = ends and there_s[-1] is not None  # else it will not with more trials, nor another time
            rows.append([case, count, shown(there_s), shown(here_s)])
            print(rows[-1], flush=True)
    print(markdown_table(["tuner", "trials", "CPU-s there", "CPU-s here"], rows))


def shown(costs: list[float | None]) -> str:
    """Return median, least and greatest."""
    known = [cost for cost in costs if cost is not None]
    if len(known) < len(costs):
        return f"not in {LIMIT_S}"
    return f"{statistics.median(known):.2f} ({min(known):.2f} to {max(known):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, nargs="+", default=[1000, 4000, 16_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--beside", type=Path, help="the src folder of another version")
    parser.add_argument("--one", nargs=2, metavar=("CASE", "TRIALS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    if arguments.one:
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S + 10))
        print(cpu_seconds(arguments.one[0], int(arguments.one[1])))
    elif arguments.beside:
        compare(arguments.beside, arguments.trials, arguments.runs)
    else:
        rows = [
            row_of(case, count, [cpu_seconds(case, count) for _ in range(arguments.runs)])
            for case in CASES
            for count in arguments.trials
        ]
        how = f"CPU-seconds of a tuner, driven by FakeAsk with {SLOTS} slots, {arguments.runs} runs each"
        write_report("rankings", rows, how, seeds="0")


if __name__ == "__main__":
    main()
