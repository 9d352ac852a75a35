"""What proving costs: steps that are run again to compare them, and their seconds, on the demo's trainer.

    python benchmarks/bench_checks.py [--runs 3] [--width 24]

Needs torch and scikit-learn. The first time that a workload runs, some steps are run once more from their checkpoints,
and states and metrics are compared. They are no progress, and counted apart: here, beside the steps and the seconds of
the studies that they belong to. Each study is run from nothing, in a grid and by successive halving, whose lanes go on
from checkpoints. Shares do not depend on how busy the machine is, seconds do.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import hippo
from report import write_report

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
import digits

#: what a workload's checks may take: the larger of so many steps, and this share of all
MOST_STEPS, MOST_SHARE = 4, 0.02
TUNERS = {
    "grid": lambda: hippo.GridSearch(digits.space, until=digits.STEPS),
    "successive halving": lambda: hippo.SuccessiveHalving(
        digits.space, min_steps=digits.STEPS // 4, max_steps=digits.STEPS, reduction=2
    ),
}


def run(tuner, width):
    """Run the demo's study from nothing, and return its statistics."""
    with tempfile.TemporaryDirectory() as folder:
        study = hippo.create_study(
            "digits",
            trainer=digits.DigitsTrainer,
            trainer_args={"width": width},
            storage=f"sqlite:///{Path(folder) / 'hippo.db'}",
            checkpoints=str(Path(folder) / "checkpoints"),
            engine=hippo.LocalEngine(workers=2),
            metric="val_loss",
            mode="min",
        )
        study.optimize(tuner)
        found = study.statistics()
        study.close()
    return found


def row_of(name, runs):
    """Return the row of a study: counts, which are the same in all runs or shown as a range, and median seconds."""
    checked, executed = max(run.steps_checked for run in runs), min(run.steps_executed for run in runs)
    shares = [run.check_seconds / run.device_seconds for run in runs]
    return {
        "study": name,
        "steps_executed": executed,
        "steps_checked": checked,
        "steps_share": round(checked / executed, 4),
        "most_steps": max(MOST_STEPS, int(MOST_SHARE * executed)),
        "device_seconds": round(statistics.median(run.device_seconds for run in runs), 2),
        "check_seconds": round(statistics.median(run.check_seconds for run in runs), 2),
        "seconds_share": round(statistics.median(shares), 4),
        "least_and_greatest": f"{min(shares):.4f} to {max(shares):.4f}",
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--width", type=int, default=24, help="channels of the first layer")
    arguments = parser.parse_args()
    rows = [
        row_of(name, [run(make(), arguments.width) for _ in range(arguments.runs)]) for name, make in TUNERS.items()
    ]
    how = f"demo's trainer of width {arguments.width}, {len(digits.space)} trials of at most {digits.STEPS} steps"
    write_report("checks", rows, f"{how}, medians of {arguments.runs} runs, LocalEngine(2)", seeds="0")


if __name__ == "__main__":
    main()
