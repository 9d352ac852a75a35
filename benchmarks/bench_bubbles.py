"""A guest in the bubbles of each rank of a pipeline: what it fills, and what that costs the large job.

    python benchmarks/bench_bubbles.py [--runs 5] [--steps 20]

Four real ranks on gloo run torch's 1F1B on emulated devices, which sleep 10 ms for a forward and 20 ms for a backward
pass of a micro-batch. In each rank a guest has slices that sleep as well, 2 or 10 ms. `policy` is what `hippo.squeeze`
does; `greedy` begins a slice whenever a rank waits, as a control. A run's steps are compared with those of a large job
alone right before it; medians over runs of a run's median step.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

from hippo.engines.bubble_guest import BubbleGuest
from hippo.engines.bubble_policy import BubbleLimits
from hippo.engines.pipeline_waits import waits_handed_to
from hippo.testing.pipeline import LargeJob, run_ranks
from hippo.training.fusion.slices import SlicedWork
from report import write_report

SECONDS = (0.010, 0.020)


class SleepingSlices:
    """A guest's work without end, whose slices sleep."""

    def __init__(self, slice_s: float) -> None:
        self.lane_steps = 0
        self.memory = None
        self._slice_s = slice_s
        self._times: dict[str, float] = {}

    def next_work(self) -> SlicedWork:
        """Return work that goes on until it is dropped."""
        work = SlicedWork(lambda: self._sleep(work), times=self._times)
        return work

    def _sleep(self, work: SlicedWork) -> None:
        while True:
            work.reach("slice")
            time.sleep(self._slice_s)
            self.lane_steps += 1


def program(micro_batches: int, steps: int, slice_s: float | None, way: str) -> Callable[[int, int], Any]:
    """Return what a rank runs: it returns the seconds of steps, and what was waited and filled."""

    def run(rank: int, ranks: int) -> Any:
        job = LargeJob(rank, ranks, micro_batches=micro_batches, seconds=SECONDS)
        if slice_s is None:
            return _timed(job, steps), 0.0, 0.0
        # what it costs is measured here: it is not to be restrained for that
        limits = BubbleLimits(slowdown=0.99)
        guest = BubbleGuest(SleepingSlices(slice_s), limits=limits, is_greedy=way == "greedy")
        with waits_handed_to(guest, job.schedule):
            seconds = _timed(job, steps)
        guest.close()
        report = guest.report()
        return seconds, report.waited_s, report.filled_s

    return run


def _timed(job: LargeJob, steps: int) -> list[float]:
    seconds = []
    for _ in range(steps + 4):  # the first sets up, and three are observed
        began_s = time.perf_counter()
        job.step()
        seconds.append(time.perf_counter() - began_s)
    return seconds[4:]


def step_of(ranks: list[Any]) -> float:
    """Return the median step: the first rank's is the longest, since its last pass ends last."""
    return statistics.median(ranks[0][0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    rows = []
    for micro_batches in (8, 16):
        for slice_s in (0.002, 0.010):
            for way in ("policy", "greedy"):
                slower, filled = [], []
                for _ in range(options.runs):
                    alone = step_of(run_ranks(program(micro_batches, options.steps, None, way)))
                    found = run_ranks(program(micro_batches, options.steps, slice_s, way))
                    slower.append(step_of(found) / alone - 1.0)
                    filled.append(sum(each[2] for each in found) / sum(each[1] for each in found))
                rows.append(
                    {
                        "micro_batches": micro_batches,
                        "slice_ms": round(1000 * slice_s),
                        "way": way,
                        "slower_percent": round(100 * statistics.median(slower), 1),
                        "slower_least_and_most": [round(100 * min(slower), 1), round(100 * max(slower), 1)],
                        "filled_percent": round(100 * statistics.median(filled)),
                    }
                )
                print(rows[-1], flush=True)
    write_report("bubbles", rows, f"medians of {options.runs} runs of {options.steps} steps", seeds="none")


if __name__ == "__main__":
    main()
