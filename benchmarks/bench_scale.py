"""What deciding costs at scale: many trials on many virtual slots, all decided by the real runtime.

    python benchmarks/bench_scale.py [--trials 10000 100000] [--slots 1000 10000] [--profile FILE]

Successive halving over a space of step-wise learning rates, so that trials share prefixes; plan in memory, a step of
five or six virtual minutes. Measured around the whole simulation, its own work included; `decision_us_per_stage` is the
CPU time that the control loop spent in its turns (plan, stage tree, scheduler, bookkeeping) for each stage.
"""

import argparse
import cProfile
import itertools
import pstats
import resource
import time

import hippo
from hippo import Config, Constant, Piecewise
from hippo.simulation import RandomWalk, SimulatedWorkload, simulate
from report import write_report

TARGET_US = 100


def space(trials):
    """Yield configs that change their learning rate after steps 1 and 2, and share what comes before."""
    width = max(2, round(trials ** (1 / 3)))
    for number, (last, middle, first) in enumerate(itertools.product(range(trials), range(width), range(width))):
        if number == trials:
            return
        rates = [0.1 + first, 100.1 + middle, 10000.1 + last]
        yield Config({"lr": Piecewise(rates, [1, 2]), "batch_size": Constant(64 if first % 2 else 128)})


def measure(trials, slots, profile=None):
    """Simulate one study and return its row."""
    configs = list(space(trials))
    seconds = {"batch_size": {64: 360.0, 128: 300.0}}
    workload = SimulatedWorkload(seconds_per_step=seconds, start_s=60.0, load_s=10.0, save_s=10.0, evaluate_s=30.0)
    tuner = hippo.SuccessiveHalving(configs, min_steps=3, max_steps=27, reduction=3)
    profiler = cProfile.Profile()
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    if profile:
        import threading

        threading.setprofile(lambda *_: (threading.setprofile(None), profiler.enable()))
    simulation = simulate(tuner, workload, slots=slots, curve=RandomWalk(seed=1), keep_intervals=False)
    wall_s, cpu_s = time.perf_counter() - wall_s, time.process_time() - cpu_s
    if profile:
        with open(profile, "w") as file:
            for key in ("tottime", "cumulative"):
                pstats.Stats(profiler, stream=file).sort_stats(key).print_stats(60)
    return {
        "trials": trials,
        "slots": slots,
        "stages": simulation.stages,
        "steps": simulation.steps_executed,
        "merge_rate": round(simulation.steps_asked / simulation.steps_executed, 3),
        "makespan_h": round(simulation.makespan_s / 3600, 2),
        "wall_s": round(wall_s, 2),
        "cpu_us_per_stage": round(1e6 * cpu_s / simulation.stages),
        "decision_us_per_stage": round(simulation.decision_us_per_stage),
        "target_us": TARGET_US,
        "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--slots", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--profile", help="write cProfile's view of the control loop's thread into this file")
    parser.add_argument("--no-report", action="store_true", help="print only")
    arguments = parser.parse_args()
    rows = [
        measure(trials, slots, arguments.profile)
        for trials, slots in zip(arguments.trials, arguments.slots, strict=True)
    ]
    for row in rows:
        print(row)
    if not arguments.no_report and not arguments.profile:
        write_report("scale", rows, "Virtual slots and trials, all decided by the real runtime")


if __name__ == "__main__":
    main()
