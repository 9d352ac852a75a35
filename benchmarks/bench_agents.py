"""What one memory of training is worth to agents: the four of examples/agents.py, three ways.

    python benchmarks/bench_agents.py [--runs 3]

Needs psutil, torch and scikit-learn. `nothing kept`: each schedule that an agent tries is trained from nothing, but for
one that it tried before. `each its own`: what an agent trained is in a database of its own. `one memory`: all four in
one. CPU-seconds of the process that trains, one thread; each run is a process of its own, in turns. All three ways come
to the same losses, or the run fails.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

MARK = "RESULT "
WAYS = {
    "nothing kept": {"is_apart": True, "sharing": False},
    "each its own": {"is_apart": True},
    "one memory": {"is_apart": False},
}


def run_one(way: str) -> dict[str, Any]:
    """Let the agents try in this process."""
    import agents
    from provenance import parts_loaded

    began_s = time.process_time()
    studies = agents.run(4, 16, width=8, **WAYS[way])
    took_s = time.process_time() - began_s
    return {
        "cpu_s": took_s,
        "trials": sum(len(study.trials) for study in studies),
        "steps": sum(study.statistics().steps_executed for study in studies),
        "losses": [study.best_value for study in studies],
        "parts": sorted(parts_loaded()),
    }


def measured(way: str) -> dict[str, Any]:
    """Let them try in a process of its own."""
    from process_cpu import measure

    found = measure([sys.executable, __file__, "--one", way])
    (line,) = [line for line in found.output.splitlines() if line.startswith(MARK)]
    run: dict[str, Any] = json.loads(line.removeprefix(MARK))
    print(f"{way}: {run['cpu_s']:.1f} CPU-s, {run['steps']} steps", file=sys.stderr, flush=True)
    return run


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--one", choices=WAYS, help="what a fresh process does")
    arguments = parser.parse_args()
    if arguments.one:
        print(MARK + json.dumps(run_one(arguments.one)))
        return
    from report import write_report

    runs = [{way: measured(way) for way in WAYS} for _ in range(arguments.runs)]
    if len({tuple(one["losses"]) for run in runs for one in run.values()}) != 1:
        raise SystemExit("the ways came to different losses, and should not have")
    rows = []
    for way in WAYS:
        times = [run["nothing kept"]["cpu_s"] / run[way]["cpu_s"] for run in runs]
        rows.append(
            {
                "way": way,
                "trials": runs[0][way]["trials"],
                "steps": runs[0][way]["steps"],
                "cpu_s": round(statistics.median(run[way]["cpu_s"] for run in runs), 1),
                "times": round(statistics.median(times), 2),
                "spread": f"{min(times):.2f} to {max(times):.2f}",
            }
        )
    also = sorted({part for run in runs for one in run.values() for part in one["parts"]})
    write_report(
        "agents", rows, "What one memory of training is worth to agents", seeds="0 to 3, one an agent", also=also
    )


if __name__ == "__main__":
    main()
