"""A large job of four ranks that has the studies of a service in its bubbles: prints what came of it, as JSON.

Called with the URL ("" for the large job alone) and the number of steps.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import hippo
from hippo.testing.pipeline import LargeJob, run_ranks

RANKS = 4


def run(rank: int, ranks: int) -> Any:
    url, count = sys.argv[1], int(sys.argv[2])
    # nobody waits for bubbles that nobody fills; what is computed is the same
    job = LargeJob(rank, ranks, seconds=(0.01, 0.02) if url else (0.0, 0.0))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        if not url:
            return [job.step() for _ in range(count)], [], 0, 0.0
        limits = hippo.BubbleLimits(slowdown=0.9, judged_steps=1000)  # all ranks and guests may share two cores
        with hippo.squeeze(job.schedule, url, limits=limits) as squeezed:
            losses = [job.step() for _ in range(count)]
    report = squeezed.report()
    return losses, [str(each.message) for each in told], report.lane_steps, report.filled_s


if __name__ == "__main__":
    print(json.dumps(run_ranks(run, RANKS)))
