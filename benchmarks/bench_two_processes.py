"""Two terminals, one plan: two studies of 40 trials on one database, started together, against one process doing both.

    python benchmarks/bench_two_processes.py [--runs 3] [--step-ms 50]

A plan has one writer, so the second process waits until the first has ended, and finds what it trained. Each study has
a merge rate of 2, and shares half of its trunks with the other. Walls are those of whole processes, from the start of
the first to the end of the last, imports and workers' starts included. Whichever way they run, both must end, no step
may be trained twice, and all metrics must be equal; else nothing is written. The order of the two ways alternates.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import hippo
from burning import BurningTrainer
from hippo import Piecewise

TARGET = 1.15
UNTIL, TRUNK = 24, 16
GROUPS, LEAVES = 10, 4
STUDIES = ("first", "second")
MARK = "RESULT "


def space_of(study: str) -> list[hippo.Config]:
    """Return 40 configs of merge rate 2: ten trunks of 16 steps, five of them in both, each with four ends of 8."""
    begin = 0 if study == "first" else GROUPS // 2
    return [
        hippo.Config({"lr": Piecewise([1.0 + trunk, 0.1 + leaf + LEAVES * (study == "second")], [TRUNK])})
        for trunk in range(begin, begin + GROUPS)
        for leaf in range(LEAVES)
    ]


def distinct_steps() -> int:
    """Return the distinct steps of both studies."""
    spaces = [space_of(study) for study in STUDIES]
    return round(sum(map(len, spaces)) * UNTIL / hippo.merge_rate(spaces, UNTIL))


# ------------------------------------------------------------------------------------------------------ in one process


def run(studies: list[str], folder: Path, step_ms: int) -> dict[str, Any]:
    """Run studies in this process; return what was counted and found."""
    engine = hippo.LocalEngine(workers=2)
    opened = [
        hippo.create_study(
            name,
            trainer=BurningTrainer,
            trainer_args={"step_ms": step_ms},
            storage=f"sqlite:///{folder / 'hippo.db'}",
            checkpoints=str(folder / "checkpoints"),
            engine=engine,
            metric="loss",
            mode="min",
        )
        for name in studies
    ]
    hippo.optimize([(study, hippo.GridSearch(space_of(study.name), until=UNTIL)) for study in opened])
    counted = [study.statistics() for study in opened]
    seen = {
        f"{study.name} {trial.config.key}@{step}": metrics["loss"]
        for study in opened
        for trial in study.trials
        for step, metrics in trial.history.items()
    }
    for study in opened:
        study.close()
    return {
        "executed": sum(count.steps_executed for count in counted),
        "repeated": sum(count.steps_repeated for count in counted),
        "seen": seen,
    }


# -------------------------------------------------------------------------------------------------- beside one another


def together(ways: list[list[str]], step_ms: int) -> dict[str, Any]:
    """Start a process for each list of studies on one new database, and wait for all of them."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        command = [sys.executable, __file__, "--step-ms", str(step_ms), "--folder", folder, "--studies"]
        processes = [
            subprocess.Popen([*command, *studies], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for studies in ways
        ]
        outputs = [process.communicate() for process in processes]
        wall_s = time.perf_counter() - began
    failed = [
        f"exit code {process.returncode}: {stderr.strip().splitlines()[-1] if stderr.strip() else ''}"
        for process, (_, stderr) in zip(processes, outputs, strict=True)
        if process.returncode
    ]
    lines = [line for stdout, _ in outputs for line in stdout.splitlines() if line.startswith(MARK)]
    found = [json.loads(line.removeprefix(MARK)) for line in lines]
    return {
        "wall_s": wall_s,
        "failed": failed,
        "executed": sum(one["executed"] for one in found),
        "repeated": sum(one["repeated"] for one in found),
        "parts": {part for one in found for part in one["parts"]},
        "seen": {point: loss for one in found for point, loss in one["seen"].items()},
    }


WAYS = {"one process": [list(STUDIES)], "two processes": [[study] for study in STUDIES]}


def rows_of(pairs: list[dict[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return a row for each way: medians, and the ratio of walls within a pair.

    Raises:
      RuntimeError: a process failed, or the two ways found different metrics.
    """
    for pair in pairs:
        for name, way in pair.items():
            if way["failed"]:
                raise RuntimeError(f"{name}: {'; '.join(way['failed'])}")
        if pair["one process"]["seen"] != pair["two processes"]["seen"]:
            raise RuntimeError("two processes found other metrics than one process did")
    rows = []
    for name in WAYS:
        runs = [pair[name] for pair in pairs]
        ratios = [pair[name]["wall_s"] / pair["one process"]["wall_s"] for pair in pairs]
        rows.append(
            {
                "way": name,
                "steps_executed": statistics.median(run["executed"] for run in runs),
                "steps_distinct": distinct_steps(),
                "steps_repeated": max(run["repeated"] for run in runs),
                "median_wall_s": round(statistics.median(run["wall_s"] for run in runs), 1),
                "wall_by_one_process": round(statistics.median(ratios), 3),
                "least_and_greatest": f"{min(ratios):.3f} to {max(ratios):.3f}",
                "target": TARGET if name == "two processes" else None,
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="pairs of one process and two")
    parser.add_argument("--step-ms", type=int, default=50, help="processor time of a step")
    parser.add_argument("--studies", nargs="+", choices=STUDIES, help="run these in this process, and print what came")
    parser.add_argument("--folder", type=Path, help="with --studies: where the database is")
    arguments = parser.parse_args()
    if arguments.studies:
        from provenance import parts_loaded

        found = run(arguments.studies, arguments.folder, arguments.step_ms)
        print(MARK + json.dumps({**found, "parts": sorted(parts_loaded())}))
        return
    from report import write_report

    pairs = []
    for number in range(arguments.runs):
        names = list(WAYS) if number % 2 == 0 else list(WAYS)[::-1]
        pairs.append({name: together(WAYS[name], arguments.step_ms) for name in names})
        for name in names:
            print(
                f"{number}: {name} {pairs[-1][name]['wall_s']:.1f} s {pairs[-1][name]['failed'] or ''}", file=sys.stderr
            )
    rows = rows_of(pairs)
    parts = {part for pair in pairs for way in pair.values() for part in way["parts"]}
    how = f"2 studies of 40 trials of {UNTIL} steps on one database, LocalEngine(2), {arguments.step_ms} ms a step"
    write_report("two_processes", rows, f"{how}, medians of {arguments.runs} pairs", seeds="0", also=parts)


if __name__ == "__main__":
    main()
