"""What numerics="fused" costs where lanes gain nothing: a study of a perceptron of width 512.

    python benchmarks/bench_wide.py [--runs 3] [--checks 4]

40 trials of 50 steps of ten batches, which are 2,000 lane-steps, on one slot and one thread: `exact`; `fused`, as the
fusion check decides it; and `forced`, in which lanes are walked as one whatever it has measured, which is what a wrong
decision costs. CPU-seconds of `optimize`, the check included, but not what is imported for it: a small study of another
shape comes before. Each run is a process of its own, the three of a repeat one after the other, the order moving on.

`--checks` decides so many times more in a process, to tell how often it comes out which.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

import hippo
from bench_fusion import Dense, pieces_of, pristine_of
from hippo.records import Point
from hippo.training.fusion import check
from hippo.training.process.environment import pin
from hippo.training.walking.walker import NOWHERE

MARK = "RESULT "
WIDTH, TRIALS, STEPS = 512, 40, 50
WAYS = ("exact", "fused", "forced")
#: most that may be lost over exact
TARGET = 1.05


def study_of(numerics: str, width: int, trials: int, steps: int) -> tuple[hippo.Study, float]:
    """Run a study of perceptrons; return it, and its CPU-seconds."""
    study = hippo.create_study(
        f"width {width}",
        trainer=Dense,
        trainer_args={"width": width},
        metric="loss",
        mode="min",
        storage="memory://",
        engine=hippo.InlineEngine(),
        numerics=numerics,
    )
    configs = [{"lr": 0.1 * 0.95**number} for number in range(trials)]
    began_s = time.process_time()
    study.optimize(hippo.GridSearch(configs, until=steps))
    return study, time.process_time() - began_s


def run_one(way: str) -> dict[str, Any]:
    """Run the study in this process."""
    from provenance import parts_loaded

    numerics = "exact" if way == "exact" else "fused"
    study_of(numerics, 8, 4, 1)  # imports
    if way == "forced":
        check.MOST_SECONDS = math.inf
    study, cpu_s = study_of(numerics, WIDTH, TRIALS, STEPS)
    counted = study.statistics()
    return {
        "cpu_s": cpu_s,
        "lane_steps": counted.steps_executed,
        "mean_lanes": counted.mean_lanes,
        "is_fused": counted.lane_steps_fused > 0,
        "parts": sorted(parts_loaded()),
    }


def verdicts(number: int) -> list[str]:
    """Return what the fusion check says, so many times."""
    pin(1)
    trainer, goal = pristine_of(f"mlp {WIDTH}"), Point(NOWHERE, 1)
    found = [
        check.decide(trainer, step=0, pieces=pieces_of(0.1), state=None, goal=goal, numerics="fused")[0]
        for _ in range(number)
    ]
    return [f"{'fused' if each.is_fused else 'one by one'} ({each.detail.partition(':')[0]})" for each in found]


def measured(*what: str) -> Any:
    """Run this file with these arguments in a process of its own, and return what it found."""
    from process_cpu import measure

    found = measure([sys.executable, __file__, *what])
    (line,) = [line for line in found.output.splitlines() if line.startswith(MARK)]
    run = json.loads(line.removeprefix(MARK))
    print(*what, {name: run[name] for name in ("cpu_s", "mean_lanes")} if "cpu_s" in run else run, file=sys.stderr)
    return run


def row_of(way: str, repeats: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return medians of a way's runs, and what they take by the exact ones of the same repeat."""
    runs = [repeat[way] for repeat in repeats]
    ratios = [repeat[way]["cpu_s"] / repeat["exact"]["cpu_s"] for repeat in repeats]
    return {
        "way": way,
        "runs": len(runs),
        "lane_steps": runs[0]["lane_steps"],
        "cpu_s": round(statistics.median(run["cpu_s"] for run in runs), 1),
        "by_exact": round(statistics.median(ratios), 3),
        "spread": f"{min(ratios):.3f} to {max(ratios):.3f}",
        "target": TARGET if way == "fused" else None,
        "decided": None if way == "exact" else f"{sum(run['is_fused'] for run in runs)} of {len(runs)} fused",
        "mean_lanes": round(statistics.median(run["mean_lanes"] for run in runs), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--checks", type=int, default=4)
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    parser.add_argument("--one", choices=WAYS, help="run one in this process")
    parser.add_argument("--verdicts", type=int, help="decide so often in this process")
    arguments = parser.parse_args()
    if arguments.one or arguments.verdicts:
        found = run_one(arguments.one) if arguments.one else {"verdicts": verdicts(arguments.verdicts)}
        print(MARK + json.dumps(found))
        return
    from report import markdown_table, write_report

    repeats = []
    for number in range(arguments.runs):
        order = [WAYS[(number + k) % len(WAYS)] for k in range(len(WAYS))]
        repeats.append({way: measured("--one", way) for way in order})
    rows = [row_of(way, repeats) for way in WAYS]
    said = measured("--verdicts", str(arguments.checks))["verdicts"] if arguments.checks else []
    how = (
        f"perceptron of width {WIDTH}, {TRIALS} trials of {STEPS} steps; CPU-s, medians of {arguments.runs}, ratios "
        f"within a repeat; decided {len(said)} times more: {', '.join(said)}"
    )
    if arguments.dry_run:
        print(how, markdown_table(list(rows[0]), [list(row.values()) for row in rows]), sep="\n")
        return
    parts = {part for repeat in repeats for run in repeat.values() for part in run["parts"]}
    write_report("wide", rows, how, seeds="0", also=parts)


if __name__ == "__main__":
    main()
