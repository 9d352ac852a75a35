"""What a large cluster asks of one control loop: 1,000 hosts of 10 slots, steps of 10 s, on the virtual clock.

    python benchmarks/bench_fleet.py [--hosts 1000] [--slots 10] [--rounds 2] [--steps 27] [--every 1]

Simulated: trials of as many steps, `rounds` for each slot, that share nothing, with metrics every so many steps. The
loop keeps up if it spends at most as many CPU-seconds, the simulation's own work included, as the cluster lives
through. `bound_s`: all trials in all slots, rounded up to whole rounds; no order of work can do better. A host of the
simulation is its slots: what a host's connection costs the loop is not in it.
"""

from __future__ import annotations

import argparse
import math
import resource
import time
from typing import Any

import hippo
from hippo.simulation import RandomWalk, SimulatedWorkload, simulate
from report import markdown_table, write_report

STEP_S = 10.0
#: most that the makespan may be above the bound, as a factor
TARGET = 1.02


def measure(hosts: int, slots_each: int, rounds: int, steps: int, every: int | None) -> dict[str, Any]:
    """Simulate one study and return its row."""
    slots = hosts * slots_each
    trials = rounds * slots
    tuner = hippo.GridSearch([{"lr": 0.1 + number} for number in range(trials)], until=steps)
    began_s = time.process_time()
    simulation = simulate(
        tuner,
        SimulatedWorkload(seconds_per_step=STEP_S),
        slots=slots,
        curve=RandomWalk(seed=1),
        evaluate_every=every,
        keep_intervals=False,
        keep_facts=False,
    )
    cpu_s = time.process_time() - began_s
    bound_s = math.ceil(trials / slots) * steps * STEP_S
    return {
        "hosts": hosts,
        "slots": slots,
        "trials": trials,
        "steps": simulation.steps_executed,
        "metrics_every": every or steps,
        "bound_s": bound_s,
        "makespan_s": round(simulation.makespan_s, 1),
        "by_bound": round(simulation.makespan_s / bound_s, 4),
        "target": TARGET,
        "cpu_s": round(cpu_s, 1),
        "cpu_by_simulated": round(cpu_s / simulation.makespan_s, 4),
        "cpu_target": 1.0,
        "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--slots", type=int, default=10, help="of each host")
    parser.add_argument("--rounds", type=int, default=2, help="trials for each slot")
    parser.add_argument("--steps", type=int, default=27)
    parser.add_argument("--every", type=int, nargs="+", default=[0, 1], help="metrics so often; 0: at the end alone")
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    rows = [
        measure(arguments.hosts, arguments.slots, arguments.rounds, arguments.steps, every or None)
        for every in arguments.every
    ]
    how = f"{arguments.hosts} hosts of {arguments.slots} slots, steps of {STEP_S:g} s, simulated; one control loop"
    if arguments.dry_run:
        print(how, markdown_table(list(rows[0]), [list(row.values()) for row in rows]), sep="\n")
        return
    write_report("fleet", rows, how, seeds="1")


if __name__ == "__main__":
    main()
