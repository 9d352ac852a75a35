"""Random histories of studies whose states go while they are trained: results stay, and repeated steps are foretold.

    python benchmarks/bench_evictions.py [--histories 10000]

Each history is drawn from its seed: up to six configs that share beginnings, trained on in two or three calls, under a
rule of what is kept and a budget of bytes, with some or all states taken away between the calls. Every metric of every
trial is compared with training it alone, bit for bit, and the steps that ran again with the forecast made before each
call. It ends at the first difference.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from hippo.testing.evictions import EvictionHistory, check_history
from report import write_report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--histories", type=int, default=10_000)
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    began, sums = time.perf_counter(), Counter()
    for seed in range(arguments.histories):
        came = check_history(EvictionHistory.drawn(seed))
        sums.update(taken=came.evicted, repeated=came.steps_repeated, foretold=came.foretold, answers=len(came.metrics))
        if (seed + 1) % 1000 == 0:
            print(seed + 1, dict(sums), f"{time.perf_counter() - began:.0f} s", flush=True)
    row = {
        "histories": arguments.histories,
        "answers_compared": sums["answers"],
        "answers_that_differ": 0,
        "states_taken_between_calls": sums["taken"],
        "steps_foretold": sums["foretold"],
        "steps_repeated": sums["repeated"],
    }
    if not arguments.dry_run:
        write_report("evictions", [row], "Random histories", seeds=f"0 to {arguments.histories - 1}")
    else:
        print(row)


if __name__ == "__main__":
    main()
