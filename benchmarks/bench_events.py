"""What hearing of steps costs the control loop: step events that one loop absorbs per CPU-second, in memory.

    python benchmarks/bench_events.py [--trials 1000] [--steps 200] [--runs 3]

A grid of trials that share nothing, on 100 virtual slots: all that is left to do is to hear of steps. Measured around
the whole simulation, its own work included, which is what the target is for; `loop_per_cpu_s` goes by the loop's turns
alone. `runs`: each lane tells its steps in runs, as many as come between two things that are due. `joined`: it tells
them one after the other, as workers do, and the loop joins what came together; `steps`: as if it did not. `evaluated`:
metrics after every step, so that no two follow one another: two events for each step. Each run of each way follows the
same run of the others.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import time
from typing import Any
from unittest import mock

import hippo
from hippo.events import StepsDone
from hippo.runtime.turns import intake
from hippo.simulation import RandomWalk, SimulatedWorkload, simulate
from hippo.simulation.virtual_world import VirtualWorld
from report import markdown_table, write_report

TARGET = 100_000
WAYS = ("runs", "joined", "steps", "evaluated")


@contextlib.contextmanager
def told(way: str) -> Any:
    """Have lanes tell their steps in this way."""
    emit = VirtualWorld.emit

    def one_by_one(world: VirtualWorld, event: Any) -> None:
        for one in event.one_by_one() if isinstance(event, StepsDone) else [event]:
            emit(world, one)

    with contextlib.ExitStack() as patched:
        if way in ("joined", "steps"):
            patched.enter_context(mock.patch.object(VirtualWorld, "emit", one_by_one))
        if way == "steps":
            patched.enter_context(mock.patch.object(intake, "join_steps", list))
        yield


def measure(way: str, trials: int, steps: int) -> tuple[float, float]:
    """Return the step events per CPU-second of a simulation, and per CPU-second of its loop's turns."""
    tuner = hippo.GridSearch([{"lr": 0.1 + number} for number in range(trials)], until=steps)
    every = 1 if way == "evaluated" else None
    with told(way):
        began_s = time.process_time()
        simulation = simulate(
            tuner,
            SimulatedWorkload(seconds_per_step=10.0),
            slots=100,
            curve=RandomWalk(seed=1),
            evaluate_every=every,
            keep_intervals=False,
            keep_facts=False,
        )
        cpu_s = time.process_time() - began_s
    assert simulation.steps_executed == trials * steps
    loop_s = simulation.decision_us_per_stage * simulation.stages / 1e6
    return simulation.steps_executed / cpu_s, simulation.steps_executed / loop_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    measure("runs", 10, 10)  # imports
    for _ in range(arguments.runs):
        for way in WAYS:
            found[way].append(measure(way, arguments.trials, arguments.steps))
            print(way, found[way][-1], file=sys.stderr)
    rows = []
    for way, figures in found.items():
        whole, loop = zip(*figures, strict=True)
        rows.append(
            {
                "way": way,
                "runs": len(figures),
                "steps": arguments.trials * arguments.steps,
                "per_cpu_s": round(statistics.median(whole)),
                "spread": f"{min(whole):.0f} to {max(whole):.0f}",
                "loop_per_cpu_s": round(statistics.median(loop)),
                "target": TARGET if way == "runs" else None,
            }
        )
    how = f"{arguments.trials} trials of {arguments.steps} steps on 100 virtual slots, in memory; medians"
    if arguments.dry_run:
        print(how, markdown_table(list(rows[0]), [list(row.values()) for row in rows]), sep="\n")
        return
    write_report("events", rows, how, seeds="1")


if __name__ == "__main__":
    main()
