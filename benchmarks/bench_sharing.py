"""What sharing is worth: the demo's grid with `sharing=True` against `sharing=False` on the same engine, in pairs.

    python benchmarks/bench_sharing.py [--runs 5] [--width 24]

Needs psutil, torch and scikit-learn, and a quiet machine with two cores. Seed 0 in every run, so that all runs train
the same states; the order within a pair alternates. A pair's CPU-seconds are those of the worker processes while
`optimize` runs, without their start: a one-step study starts them first. They are compared with the time-weighted
merge rate: seconds that the trials would have taken each alone, by seconds of distinct steps, both from the shared run.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import psutil

import hippo
from report import write_report

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
import digits

TARGET_CPU, TARGET_WALL = 0.90, 0.85


def workers_cpu_seconds():
    """CPU-seconds so far of every living process below this one."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        times = process.cpu_times()
        total += times.user + times.system
    return total


def run(folder, *, sharing, width, engine):
    """Run the demo's study once; return it with its workers' CPU-seconds and wall seconds."""
    study = hippo.create_study(
        "digits",
        trainer=digits.DigitsTrainer,
        trainer_args={"width": width},
        storage=f"sqlite:///{folder / 'hippo.db'}",
        checkpoints=str(folder / "checkpoints"),
        engine=engine,
        metric="val_accuracy",
        mode="max",
        sharing=sharing,
    )
    study.evaluate(next(iter(digits.space)), until=1)  # starts the workers
    cpu, began = workers_cpu_seconds(), time.perf_counter()
    study.optimize(hippo.GridSearch(digits.space, until=digits.STEPS))
    return study, workers_cpu_seconds() - cpu, time.perf_counter() - began


def pair(number, width):
    """Run the study both ways and return one row of the report."""
    cpu, wall, rate = {}, {}, 0.0
    for sharing in (True, False) if number % 2 == 0 else (False, True):
        with tempfile.TemporaryDirectory() as folder:
            engine = hippo.LocalEngine(workers=2)
            study, cpu[sharing], wall[sharing] = run(Path(folder), sharing=sharing, width=width, engine=engine)
            if sharing:
                rate = study.statistics().time_weighted_merge_rate
            study.close()
    cpu_ratio, wall_ratio = cpu[False] / cpu[True], wall[False] / wall[True]
    return {
        "pair": number,
        "cpu_s_shared": round(cpu[True], 1),
        "cpu_s_alone": round(cpu[False], 1),
        "wall_s_shared": round(wall[True], 1),
        "wall_s_alone": round(wall[False], 1),
        "time_weighted_p": round(rate, 3),
        "cpu_ratio": round(cpu_ratio, 3),
        "wall_ratio": round(wall_ratio, 3),
        "cpu_ratio_by_p": round(cpu_ratio / rate, 3),
        "wall_ratio_by_p": round(wall_ratio / rate, 3),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="pairs")
    parser.add_argument("--width", type=int, default=24, help="channels of the first layer")
    arguments = parser.parse_args()
    rows = [pair(number, arguments.width) for number in range(arguments.runs)]
    medians = {
        column: round(statistics.median(row[column] for row in rows), 3) for column in rows[0] if column != "pair"
    }
    rows.append({"pair": "median", **medians})
    targets = f"targets: cpu_ratio_by_p at least {TARGET_CPU}, wall_ratio_by_p at least {TARGET_WALL}"
    write_report(
        "sharing",
        rows,
        f"demo grid, {len(digits.space)} trials of {digits.STEPS} steps, LocalEngine(2); {targets}",
        seeds="0",
    )


if __name__ == "__main__":
    main()
