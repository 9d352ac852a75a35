"""How many functions are called for a request that takes no time to train: counted, so that no machine matters.

    python benchmarks/bench_calls.py [--requests 200]

The inline roads of bench_requests.py whose database and states are in memory. A profiler in each thread counts calls,
those of functions of hippo apart; what a request takes is the difference between two chains, one twice as long as the
other, each in a process of its own. `waiting` is the thread that called `optimize` and trains; the others decide. How
many requests one turn of these takes up depends on when they come, so that their counts differ by a few hundredths from
run to run.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import subprocess
import sys
import tempfile
import threading
from collections import Counter

import hippo
from bench_requests import Chain, make_study
from report import write_report

ROADS = ("inline-memory-transient", "inline-memory")
#: of functions of hippo, in all threads
TARGET = 350
_OURS = hippo.__path__[0]


def count(road: str, steps: int) -> tuple[Counter[str], int]:
    """Run a chain in this process; return its calls, by who makes them, and its requests."""
    profiles: list[cProfile.Profile] = []

    def begin(*_: object) -> None:
        profile = cProfile.Profile()
        profiles.append(profile)
        profile.enable()

    tuner = Chain(steps, road.endswith("-transient"))
    waiting = cProfile.Profile()
    with tempfile.TemporaryDirectory() as folder:
        threading.setprofile(begin)  # of threads that begin from here on
        try:
            study = make_study(road, folder)
            waiting.enable()
            study.optimize(tuner)
            waiting.disable()
            study.close()
        finally:
            threading.setprofile(None)
    calls: Counter[str] = Counter()
    for profile in (waiting, *profiles):
        for entry in profile.getstats():
            is_ours = not isinstance(entry.code, str) and entry.code.co_filename.startswith(_OURS)
            calls["all"] += entry.callcount
            calls["ours"] += entry.callcount if is_ours else 0
            calls["waiting"] += entry.callcount if profile is waiting else 0
    return calls, tuner.requests[-1]


def counted(road: str, steps: int) -> tuple[dict[str, int], int]:
    """Do what `count` does in a process of its own: threads of the one before would go on being counted there."""
    command = [sys.executable, __file__, "--one", road, "--requests", str(steps)]
    calls, requests = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return calls, requests


def row_of(road: str, steps: int) -> dict[str, object]:
    (few, of_few), (many, of_many) = counted(road, steps), counted(road, 2 * steps)
    per_request = {name: round((many[name] - few[name]) / (of_many - of_few)) for name in ("ours", "all", "waiting")}
    return {"road": road, **per_request, "target": TARGET}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=200, help="steps of the shorter chain")
    parser.add_argument("--one", choices=ROADS, help="count one chain in this process, and print that")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(count(arguments.one, arguments.requests)))
        return
    rows = [row_of(road, arguments.requests) for road in ROADS]
    how = f"calls of functions for a request, ours and all, in all threads; chains of {arguments.requests} and more"
    write_report("calls", rows, how, seeds="none")


if __name__ == "__main__":
    main()
