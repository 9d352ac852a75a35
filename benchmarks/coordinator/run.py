"""Hydro's Coordinator on the virtual clock: the gaps of large models, mixed devices, elastic leaders and release.

    python benchmarks/coordinator/run.py [--seeds 5]

`coordinator_gaps`: guests in the gaps of a large model in a pipeline of four ranks, by the policy that a guest asks,
and greedily, as a control. `share` is what a guest gets done on a device that is the large model's, by what it would
get done if it had it for itself: slices are taken to cost nothing beside their work.

`coordinator`: twenty tuning jobs that come within an hour, on 32 devices of which half have half the speed, and large
models hold 28. `none`: each job asks for four devices, waits for them in a queue, and holds them until it has ended;
which of them is fast it does not know. Then each part by itself, all but each, and all. `share` is of the table above,
with eight micro-batches and slices of 10 ms, or the 0.15 that the paper measured of a fused ResNet-18. `shorter` and
`sooner` are medians over seeds of a trace's makespan and mean completion time without any part, by those with these.

What the paper prints: 2.7 times shorter with gaps, where a job has one device of its own (section 6.5, simulated); a
1.3 times shorter mean completion time by regard to speed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cluster import Outcome, Parts, run
from jobs_trace import Pipeline, exclusive, gaps, jobs
from pipeline_gaps import Schedule, fill

from report import write_report

#: devices that no large model holds: fast ones, slow ones, and how fast these are
FAST, SLOW, SLOW_SPEED = 2, 2, 0.5
PIPELINES = (Pipeline(devices=14, speed=1.0), Pipeline(devices=14, speed=SLOW_SPEED))
JOBS = 20
PAPERS_SHARE = 0.15
PARTS = ("gaps", "mixed", "elastic", "release")
#: name of a row -> what is on
WAYS = {
    "none": (),
    **{f"{part} alone": (part,) for part in PARTS},
    **{f"all but {part}": tuple(each for each in PARTS if each != part) for part in PARTS},
    "all": PARTS,
}


def gap_rows() -> list[dict[str, Any]]:
    """Return how far guests fill the gaps of a pipeline, and what that costs it."""
    rows = []
    for micro_batches in (4, 8, 16):
        for slice_s in (0.002, 0.010):
            for way in ("policy", "greedy"):
                schedule = Schedule(micro_batches=micro_batches)
                found = [fill(schedule, slice_s, greedy=way == "greedy", seed=seed) for seed in range(5)]
                rows.append(
                    {
                        "micro_batches": micro_batches,
                        "slice_ms": 1000 * slice_s,
                        "way": way,
                        "filled": round(statistics.median(each.filled for each in found), 3),
                        "slowdown": round(statistics.median(each.slowdown for each in found), 4),
                        "share": round(statistics.median(each.share for each in found), 3),
                    }
                )
    return rows


def simulated(share: float, way: str, seeds: int) -> list[Outcome]:
    """Return what becomes of the traces of all seeds."""
    devices = exclusive(FAST, SLOW, SLOW_SPEED, per_node=2) + gaps(PIPELINES, share)
    parts = Parts(**{part: part in WAYS[way] for part in PARTS})
    return [run(jobs(JOBS, seed), devices, parts) for seed in range(seeds)]


def trace_rows(shares: dict[str, float], seeds: int) -> list[dict[str, Any]]:
    """Return the makespans and completion times of each way."""
    rows = []
    for source, share in shares.items():
        before: list[Outcome] = []
        for way in WAYS:
            found = simulated(share, way, seeds)
            before = before or found
            pairs = list(zip(before, found, strict=True))
            shorter = [one.makespan_s / each.makespan_s for one, each in pairs]
            sooner = [statistics.fmean(one.completion_s) / statistics.fmean(each.completion_s) for one, each in pairs]
            hours = [each.makespan_s / 3600 for each in found]
            rows.append(
                {
                    "share": f"{share:.2f}, {source}",
                    "way": way,
                    "makespan_h": round(statistics.fmean(hours), 1),
                    "spread_h": f"{min(hours):.1f} to {max(hours):.1f}",
                    "shorter": round(statistics.median(shorter), 2),
                    "shorter_spread": f"{min(shorter):.2f} to {max(shorter):.2f}",
                    "sooner": round(statistics.median(sooner), 2),
                }
            )
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


def main() -> None:
    """Simulate, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    seeds = parser.parse_args().seeds
    in_gaps = gap_rows()
    write_report("coordinator_gaps", in_gaps, "Guests in the gaps of a pipeline, simulated", seeds="0 to 4")
    (here,) = (
        row["share"] for row in in_gaps if (row["micro_batches"], row["slice_ms"], row["way"]) == (8, 10.0, "policy")
    )
    rows = trace_rows({"as above": here, "the paper's": PAPERS_SHARE}, seeds)
    write_report("coordinator", rows, "Twenty jobs on a cluster of large models, simulated", seeds=f"0 to {seeds - 1}")


if __name__ == "__main__":
    main()
